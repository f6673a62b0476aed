//! A *disk* is what a draft asks of the system, so that a test can put one in its place that fails.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// What is asked of the system; the default bodies ask it.
pub trait Disk: Debug + Send + Sync {
    /// A new file to write to, readable to whom the umask says.
    ///
    /// # Errors
    /// If there is one of that name, or the system says no.
    fn create(&self, path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(path)
    }

    /// Writes the beginning of some bytes and says how many.
    ///
    /// # Errors
    /// What the system says.
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    /// Waits until what was written would outlive a power cut.
    ///
    /// # Errors
    /// What the system says.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    /// Gives a file another name, in place of any that has it.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Gives a file a second name that no other has.
    ///
    /// # Errors
    /// What the system says.
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    /// Waits until the names in a folder would outlive a power cut.
    ///
    /// # Errors
    /// What the system says.
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        sync_folder(folder)
    }

    /// Takes a name away.
    ///
    /// # Errors
    /// What the system says.
    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

/// The disk there is.
#[derive(Debug)]
pub struct System;

impl Disk for System {}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = match File::open(folder) {
        // one that may be written to and not listed: there is no way to ask
        Err(why) if why.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        other => other?,
    };
    match folder.sync_all() {
        // a file system that keeps no folders to sync
        Err(why) if matches!(why.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        other => other,
    }
}

/// Elsewhere a folder cannot be opened, and renaming is as lasting as it gets.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
