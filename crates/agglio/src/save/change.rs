//! A *change* is one draft on its way to its name, with what undoes it.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Disk, Draft, Tap, create_beside, folder, keep_permissions, patiently, with_free_name};
use crate::error::{Error, Result};

/// Puts drafts under their names: all of them, or none.
///
/// First everything that was written is brought to the disk, then each draft takes its name, then the folders are
/// synced. If any of that fails, what had been done is undone: replaced files are back and new names are gone.
///
/// # Errors
/// What the system says, with the path. Where even undoing failed, the error says where the old file is.
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

/// In rounds, so that nothing is touched before everything has arrived, and names change as late as possible.
fn carry_out(changes: &mut [Change]) -> std::result::Result<(), Failure> {
    let rounds = [Change::settle, Change::keep_old, Change::place, |change: &mut Change| change.sync_folder()];
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
    /// A second name, or a copy, of the file that is replaced.
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

    /// Gives the file that will be replaced a second name to come back from.
    fn keep_old(&mut self) -> io::Result<()> {
        if !self.draft.replace {
            return Ok(());
        }
        let path = &self.draft.path;
        match with_free_name(path, |name| self.disk().hard_link(path, name)) {
            Ok((name, ())) => self.backup = Some(name),
            Err(why) if why.kind() == ErrorKind::NotFound => {}
            // a file system without hard links, or a file that is not ours
            Err(_) => self.copy_old()?,
        }
        Ok(())
    }

    fn copy_old(&mut self) -> io::Result<()> {
        let mut old = File::open(&self.draft.path)?;
        let (name, file) = create_beside(self.disk(), &self.draft.path)?;
        self.backup = Some(name);
        keep_permissions(&self.draft.path, &file);
        let mut copy = Tap { disk: self.draft.disk.clone(), file, failed: false };
        io::copy(&mut old, &mut copy)?;
        patiently(|| self.disk().sync(&copy.file))
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
        patiently(|| self.disk().sync_folder(folder(&self.draft.path)))
    }

    /// Forgets the old file.
    fn finish(&mut self) {
        if let Some(backup) = self.backup.take() {
            // the new file stands, and that a name too many is left does no harm
            let _ = self.disk().remove(&backup);
        }
    }

    /// Brings back what was there.
    fn undo(&mut self) -> std::result::Result<(), String> {
        let path = &self.draft.path;
        match self.backup.take() {
            Some(backup) if self.placed => restore(self.disk(), &backup, path).map_err(|why| {
                let (path, backup) = (path.display(), backup.display());
                format!("the former {path} could not be restored ({why}) and is kept as {backup}")
            }),
            Some(backup) => {
                // a name too many, beside a file that was not touched
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

/// Gives a draft its name unless that is taken; false where there are no hard links, and renaming must do.
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

/// Puts a backup back under its name.
fn restore(disk: &dyn Disk, backup: &Path, path: &Path) -> io::Result<()> {
    disk.rename(backup, path).or_else(|_| {
        // where linking fails too, the new file had better stay than nothing
        let (spare, ()) = with_free_name(path, |name| disk.hard_link(backup, name))?;
        disk.remove(&spare)?;
        disk.remove(path)?;
        match disk.hard_link(backup, path) {
            // it is back, and that a name too many is left does no harm
            Ok(()) => disk.remove(backup).or(Ok(())),
            Err(_) => disk.rename(backup, path),
        }
    })
}
