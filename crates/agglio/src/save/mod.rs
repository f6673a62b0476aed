//! A *draft* is a file that appears under its name whole or not at all.
//!
//! It is written under another name in the same folder, `.agglio-…`, and [`publish`] puts it under its own when
//! everything has arrived on the disk. A program that fails or is killed at any moment leaves what was there before,
//! or the new file, never a part of it. Only one that is killed also leaves `.agglio-…` files, which may be deleted.

mod change;
mod disk;

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use change::publish;
#[doc(hidden)]
pub use disk::{Disk, System};

/// Names that are tried for a temporary file; only what was left by killed processes of the same number is in the way.
const ATTEMPTS: usize = 1000;

/// A file that is being written. Dropped without [`publish`], it leaves nothing.
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
    /// Whether the temporary name is still there to be removed.
    pending: bool,
    file: BufWriter<Tap>,
}

impl Draft {
    /// A draft of the file at `path`, through links, so that the file is replaced and not a link to it.
    ///
    /// `replace` allows a file to be there already, whose permissions are kept.
    ///
    /// # Errors
    /// If there is a file and it may not be replaced, or what is there is no file, or the folder does not exist or
    /// cannot be written to.
    pub fn new(path: &Path, replace: bool) -> io::Result<Draft> {
        Draft::on(Arc::new(System), path, replace)
    }

    /// As [`Draft::new`], on a disk of one's own.
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
        // before the first byte, which may be a secret
        #[cfg(unix)]
        keep_permissions(&path, &file);
        let file = BufWriter::new(Tap { disk: disk.clone(), file, failed: false });
        Ok(Draft { disk, path, temporary, replace, pending: true, file })
    }

    /// Where it will be, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sees to it that every byte has arrived.
    fn settle(&mut self) -> io::Result<()> {
        self.file.flush()?;
        let tap = self.file.get_ref();
        if tap.failed {
            return Err(io::Error::other("the file could not be written completely"));
        }
        patiently(|| self.disk.sync(&tap.file))
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
            // nobody is left who could be told
            let _ = self.disk.remove(&self.temporary);
        }
    }
}

/// A file written through its disk.
#[derive(Debug)]
struct Tap {
    disk: Arc<dyn Disk>,
    file: File,
    /// Whether bytes were lost: then the rest is worth nothing, even if the caller goes on.
    failed: bool,
}

impl Write for Tap {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.disk.write(&mut self.file, bytes);
        self.failed |= written.as_ref().is_err_and(|why| why.kind() != ErrorKind::Interrupted);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Asks again after a signal.
fn patiently(mut ask: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    loop {
        match ask() {
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// The whole path, through links.
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

/// A new file beside `path`.
fn create_beside(disk: &dyn Disk, path: &Path) -> io::Result<(PathBuf, File)> {
    with_free_name(path, |name| disk.create(name))
}

/// Tries names beside `path` until one is not taken.
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
        // another file system may not keep them, which is no reason to lose the result
        let _ = file.set_permissions(old.permissions());
    }
}
