//! A *disk* is the set of system calls that a draft uses. A test can replace it by one that fails.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// System calls on files. The default bodies call the system.
pub trait Disk: Debug + Send + Sync {
    /// Creates a new file for writing, with the permissions of the umask.
    ///
    /// # Errors
    /// If a file with that name exists, or the system refuses.
    fn create(&self, path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(path)
    }

    /// Writes the first of some bytes and returns their number.
    ///
    /// # Errors
    /// The error of the system.
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    /// Waits until the written data would survive a power failure.
    ///
    /// # Errors
    /// The error of the system.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    /// Renames a file, and replaces a file with the new name.
    ///
    /// # Errors
    /// The error of the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Adds a second name to a file. No other file may have that name.
    ///
    /// # Errors
    /// The error of the system.
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    /// Waits until the names in a folder would survive a power failure.
    ///
    /// # Errors
    /// The error of the system.
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        sync_folder(folder)
    }

    /// Removes a name of a file.
    ///
    /// # Errors
    /// The error of the system.
    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

/// The real disk.
#[derive(Debug)]
pub struct System;

impl Disk for System {}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = match File::open(folder) {
        // the folder may be written but not opened, so it cannot be synced
        Err(why) if why.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        other => other?,
    };
    match folder.sync_all() {
        // the file system does not support syncing folders
        Err(why) if matches!(why.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        other => other,
    }
}

/// On other systems a folder cannot be opened, so that a rename cannot be made more durable.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
