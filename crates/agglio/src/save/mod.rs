//! A *draft* is a file that appears under its name completely or not at all.
//!
//! It is written under a temporary name in the same folder, `.agglio-…`. When all data is on the disk, [`publish`]
//! gives it its name. If the program fails or is killed at any moment, the old file or the new file exists, never a
//! part of it. A killed program may also leave `.agglio-…` files, which can be deleted.

mod change;
mod disk;
pub(crate) mod encoding;
pub(crate) mod envelope;

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use change::publish;
#[doc(hidden)]
pub use disk::{Disk, System};

/// Number of temporary names that are tried. Only files of killed processes with the same process id can be in the way.
const ATTEMPTS: usize = 1000;

/// A file that is being written. If it is dropped without [`publish`], it leaves nothing.
///
/// # Examples
///
/// ```
/// use std::io::Write;
/// use agglio::save::{Draft, publish};
///
/// let path = std::env::temp_dir().join(format!("agglio-draft-{}.txt", std::process::id()));
/// let mut draft = Draft::new(&path, false)?;
/// draft.write_all(b"all of it")?;
/// assert!(!path.exists());
/// publish([draft])?;
/// assert_eq!(std::fs::read_to_string(&path)?, "all of it");
/// assert!(Draft::new(&path, false).is_err());
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Draft {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    temporary: PathBuf,
    replace: bool,
    /// Whether the temporary file still exists and must be removed.
    pending: bool,
    file: BufWriter<DiskFile>,
}

impl Draft {
    /// Creates a draft of the file at `path`. Links are followed, so that the file is replaced and not the link to it.
    ///
    /// `replace` allows the file to exist. Its permissions are kept.
    ///
    /// # Errors
    /// If the file exists and may not be replaced, if `path` is not a regular file, or if the folder does not exist or
    /// cannot be written.
    pub fn new(path: &Path, replace: bool) -> io::Result<Draft> {
        Draft::on(Arc::new(System), path, replace)
    }

    /// As [`Draft::new`], on a given disk.
    ///
    /// # Errors
    /// As [`Draft::new`].
    #[doc(hidden)]
    pub fn on(disk: Arc<dyn Disk>, path: &Path, replace: bool) -> io::Result<Draft> {
        let path = resolve(path)?;
        require_free(&path, replace)?;
        let (temporary, file) = create_beside(&*disk, &path).map_err(|why| {
            let what = format!("the folder {} cannot be written to: {why}", folder(&path).display());
            io::Error::new(why.kind(), what)
        })?;
        // before the first byte is written, since the content may be secret
        #[cfg(unix)]
        keep_permissions(&path, &file);
        let file = BufWriter::new(DiskFile { disk: disk.clone(), file, failed: false });
        Ok(Draft { disk, path, temporary, replace, pending: true, file })
    }

    /// The path of the published file, with links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until every byte is on the disk.
    fn settle(&mut self) -> io::Result<()> {
        self.file.flush()?;
        let written = self.file.get_ref();
        if written.failed {
            return Err(io::Error::other("the file could not be written completely"));
        }
        retry_if_interrupted(|| self.disk.sync(&written.file))
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.pending {
            // a failure cannot be reported here
            let _ = self.disk.remove(&self.temporary);
        }
    }
}

/// A file that is written through its disk.
#[derive(Debug)]
struct DiskFile {
    disk: Arc<dyn Disk>,
    file: File,
    /// Whether bytes were lost. The file is then invalid, even if the caller continues to write.
    failed: bool,
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.disk.write(&mut self.file, bytes);
        self.failed |= written.as_ref().is_err_and(|why| why.kind() != ErrorKind::Interrupted);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Repeats a call that was interrupted by a signal.
fn retry_if_interrupted(mut ask: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    loop {
        match ask() {
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// The canonical path, with links resolved.
fn resolve(typed: &Path) -> io::Result<PathBuf> {
    if let Ok(path) = fs::canonicalize(typed) {
        return Ok(path);
    }
    let ends_in_separator =
        typed.as_os_str().as_encoded_bytes().last().is_some_and(|&b| std::path::is_separator(b.into()));
    let Some(name) = typed.file_name().filter(|_| !ends_in_separator) else {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not the name of a file"));
    };
    let canonical = fs::canonicalize(folder(typed));
    let canonical = canonical
        .map_err(|why| io::Error::new(why.kind(), format!("the folder {}: {why}", folder(typed).display())))?;
    Ok(canonical.join(name))
}

fn require_free(path: &Path, replace: bool) -> io::Result<()> {
    let (kind, what) = match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => (ErrorKind::IsADirectory, "this is a folder; name a file in it"),
        Ok(meta) if !meta.is_file() => (ErrorKind::InvalidInput, "not a regular file, so it cannot be replaced"),
        Ok(_) if !replace => (ErrorKind::AlreadyExists, "the file exists"),
        Err(_) if fs::symlink_metadata(path).is_ok() => (ErrorKind::NotFound, "a symbolic link without a target"),
        Err(why) if why.kind() != ErrorKind::NotFound => return Err(why),
        Ok(_) | Err(_) => return Ok(()),
    };
    Err(io::Error::new(kind, what))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a new file in the folder of `path`.
fn create_beside(disk: &dyn Disk, path: &Path) -> io::Result<(PathBuf, File)> {
    with_free_name(path, |name| disk.create(name))
}

/// Tries temporary names in the folder of `path` until one is free.
fn with_free_name<T>(path: &Path, mut claim: impl FnMut(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    for _ in 0..ATTEMPTS {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = folder(path).join(format!(".agglio-{}-{number}", std::process::id()));
        match claim(&name) {
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
            other => return other.map(|claimed| (name, claimed)),
        }
    }
    Err(io::Error::new(ErrorKind::AlreadyExists, "too many temporary files `.agglio-…`; delete them"))
}

/// Gives a new file the permissions of the one at `path`.
fn keep_permissions(path: &Path, file: &File) {
    if let Ok(old) = fs::metadata(path) {
        // another file system may refuse them, which must not prevent the result
        let _ = file.set_permissions(old.permissions());
    }
}
