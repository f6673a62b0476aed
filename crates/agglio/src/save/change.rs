//! A *change* is the publication of one draft. It can be undone.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Disk, DiskFile, Draft, create_beside, folder, keep_permissions, retry_if_interrupted, with_free_name};
use crate::error::{Error, Result};

/// Publishes drafts under their names: all of them, or none.
///
/// First all data is synced to the disk, then each draft gets its name, then the folders are synced. If a step fails,
/// the earlier steps are undone: replaced files are restored and new files are removed.
///
/// # Errors
/// The error of the system, with the path. If undoing fails too, the error names the location of the old file.
pub fn publish(drafts: impl IntoIterator<Item = Draft>) -> Result<()> {
    let mut changes: Vec<Change> = drafts.into_iter().map(Change::new).collect();
    let Err(Failure { path, why }) = carry_out(&mut changes) else {
        changes.iter_mut().for_each(Change::finish);
        return Ok(());
    };
    let lost: Vec<String> = changes.iter_mut().rev().filter_map(|change| change.undo().err()).collect();
    changes.iter().for_each(|change| drop(change.sync_folder()));
    let what = [why.to_string()].into_iter().chain(lost).collect::<Vec<_>>().join("; ");
    Err(Error::file(path, what))
}

/// Each step is done for all drafts before the next step, so that names change only after all data is on the disk.
fn carry_out(changes: &mut [Change]) -> std::result::Result<(), Failure> {
    let rounds = [Change::settle, Change::back_up, Change::place, |change: &mut Change| change.sync_folder()];
    for round in rounds {
        for change in &mut *changes {
            round(change).map_err(|why| Failure { path: change.draft.path.clone(), why })?;
        }
    }
    Ok(())
}

struct Failure {
    path: PathBuf,
    why: io::Error,
}

struct Change {
    draft: Draft,
    /// A hard link to the file that is replaced, or a copy of it.
    backup: Option<PathBuf>,
    placed: bool,
}

impl Change {
    fn new(draft: Draft) -> Change {
        Change { draft, backup: None, placed: false }
    }

    fn disk(&self) -> &dyn Disk {
        &*self.draft.disk
    }

    fn settle(&mut self) -> io::Result<()> {
        self.draft.settle()
    }

    /// Makes a backup of the file that will be replaced.
    fn back_up(&mut self) -> io::Result<()> {
        if !self.draft.replace {
            return Ok(());
        }
        let path = &self.draft.path;
        match with_free_name(path, |name| self.disk().hard_link(path, name)) {
            Ok((name, ())) => self.backup = Some(name),
            Err(why) if why.kind() == ErrorKind::NotFound => {}
            // the file system has no hard links, or the file belongs to another user
            Err(_) => self.copy_old()?,
        }
        Ok(())
    }

    fn copy_old(&mut self) -> io::Result<()> {
        let mut old = File::open(&self.draft.path)?;
        let (name, file) = create_beside(self.disk(), &self.draft.path)?;
        self.backup = Some(name);
        keep_permissions(&self.draft.path, &file);
        let mut copy = DiskFile { disk: self.draft.disk.clone(), file, failed: false };
        io::copy(&mut old, &mut copy)?;
        retry_if_interrupted(|| self.disk().sync(&copy.file))
    }

    fn place(&mut self) -> io::Result<()> {
        let Draft { path, temporary, replace, .. } = &self.draft;
        let linked = if *replace { Ok(false) } else { link(self.disk(), temporary, path) };
        if !linked? {
            self.disk().rename(temporary, path)?;
            self.draft.pending = false;
        }
        self.placed = true;
        Ok(())
    }

    fn sync_folder(&self) -> io::Result<()> {
        retry_if_interrupted(|| self.disk().sync_folder(folder(&self.draft.path)))
    }

    /// Removes the backup.
    fn finish(&mut self) {
        if let Some(backup) = self.backup.take() {
            // the new file is in place, and a leftover backup does no harm
            let _ = self.disk().remove(&backup);
        }
    }

    /// Restores the state before the change.
    fn undo(&mut self) -> std::result::Result<(), String> {
        let path = &self.draft.path;
        match self.backup.take() {
            Some(backup) if self.placed => restore(self.disk(), &backup, path).map_err(|why| {
                let (path, backup) = (path.display(), backup.display());
                format!("the former {path} could not be restored ({why}) and is kept as {backup}")
            }),
            Some(backup) => {
                // the file was not changed, and a leftover backup does no harm
                let _ = self.disk().remove(&backup);
                Ok(())
            }
            None if self.placed => {
                let removed = self.disk().remove(path);
                removed.map_err(|why| format!("{} was written, but could not be removed ({why})", path.display()))
            }
            None => Ok(()),
        }
    }
}

/// Links a draft to its name if no other file has that name; false if there are no hard links and it must be renamed.
fn link(disk: &dyn Disk, temporary: &Path, path: &Path) -> io::Result<bool> {
    let taken = || {
        io::Error::new(
            ErrorKind::AlreadyExists,
            "the file exists: another program wrote it meanwhile, and it was not replaced",
        )
    };
    match disk.hard_link(temporary, path) {
        Ok(()) => Ok(true),
        Err(why) if why.kind() == ErrorKind::AlreadyExists => Err(taken()),
        Err(_) if fs::symlink_metadata(path).is_ok() => Err(taken()),
        Err(_) => Ok(false),
    }
}

/// Restores a backup under the name of the file.
fn restore(disk: &dyn Disk, backup: &Path, path: &Path) -> io::Result<()> {
    disk.rename(backup, path).or_else(|_| {
        // test first whether linking works: if not, it is better to keep the new file than to have none
        let (spare, ()) = with_free_name(path, |name| disk.hard_link(backup, name))?;
        disk.remove(&spare)?;
        disk.remove(path)?;
        match disk.hard_link(backup, path) {
            // the old file is restored, and a leftover backup does no harm
            Ok(()) => disk.remove(backup).or(Ok(())),
            Err(_) => disk.rename(backup, path),
        }
    })
}
