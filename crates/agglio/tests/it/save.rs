//! Saving on a disk that fails at every step in turn: whole or not at all, and nothing left behind.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use agglio::save::{Disk, Draft, publish};
use tempfile::TempDir;

use crate::faulty::{FALLIBLE, Faulty, Step, Verdict, failing};

const OLD: &[u8] = b"what was there before";
const NEW: [&[u8]; 2] = [b"the first of the new files", b"and the second, which is a little longer"];
const NAMES: [&str; 2] = ["one.json", "two.csv"];

/// One or two files to be saved, in a folder of their own.
struct Case {
    folder: TempDir,
    files: usize,
    replace: bool,
}

impl Case {
    /// Old files are there if they are to be replaced.
    fn new(files: usize, replace: bool) -> Case {
        let case = Case { folder: TempDir::new().unwrap(), files, replace };
        if replace {
            (0..files).for_each(|i| fs::write(case.path(i), OLD).unwrap());
        }
        case
    }

    /// One and two files, new and replaced.
    fn all() -> impl Iterator<Item = Case> {
        [(1, false), (1, true), (2, false), (2, true)].into_iter().map(|(files, replace)| Case::new(files, replace))
    }

    fn again(&self) -> Case {
        Case::new(self.files, self.replace)
    }

    fn path(&self, i: usize) -> PathBuf {
        self.folder.path().join(NAMES[i])
    }

    fn save(&self, verdict: Box<Verdict>, most: usize) -> agglio::Result<()> {
        let disk: Arc<dyn Disk> = Arc::new(Faulty { verdict, most });
        let failed = |why: io::Error| agglio::error::ErrorKind::Data(why.to_string());
        let mut drafts = Vec::new();
        for (i, bytes) in NEW.iter().enumerate().take(self.files) {
            let mut draft = Draft::on(disk.clone(), &self.path(i), self.replace).map_err(failed)?;
            draft.write_all(bytes).map_err(failed)?;
            drafts.push(draft);
        }
        publish(drafts)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn is_old(&self, i: usize) -> bool {
        if self.replace { fs::read(self.path(i)).unwrap() == OLD } else { !self.path(i).exists() }
    }

    fn is_new(&self, i: usize) -> bool {
        fs::read(self.path(i)).is_ok_and(|bytes| bytes == NEW[i])
    }

    /// All is as before, or all is new, as the result says; and no other file is there.
    fn check(&self, result: &agglio::Result<()>, about: &str) {
        let about = format!("{about}: {} files, replace {}: {result:?}", self.files, self.replace);
        let expected = if result.is_ok() { Case::is_new } else { Case::is_old };
        assert!((0..self.files).all(|i| expected(self, i)), "{about}");
        let there = if result.is_ok() || self.replace { self.files } else { 0 };
        assert_eq!(self.names(), NAMES[..there], "{about}");
    }
}

/// Each kind of step, and all that write, sync or rename together, fail at each of their turns, once and for good, until
/// there are no more turns.
#[test]
fn a_step_that_fails_undoes_the_others() {
    use Step::{HardLink, Rename, Sync, SyncFolder, Write};
    const EACH: [&[Step]; 6] =
        [&[Write], &[Sync], &[Rename], &[HardLink], &[SyncFolder], &[Write, Sync, Rename, SyncFolder]];
    let mut failures = 0;
    for (case, kinds) in Case::all().flat_map(|case| EACH.map(|kinds| (case.again(), kinds))) {
        for sticky in [false, true] {
            for nth in 1.. {
                let case = case.again();
                let (seen, verdict) = failing(kinds, nth, sticky);
                let result = case.save(verdict, 7);
                case.check(&result, &format!("{kinds:?} {nth}, sticky {sticky}"));
                failures += usize::from(result.is_err());
                if seen.load(Relaxed) < nth {
                    assert!(result.is_ok());
                    break;
                }
                // for hard links there is a way round
                assert!(kinds == [HardLink] || result.is_err(), "{kinds:?} {nth}, sticky {sticky}");
            }
        }
    }
    assert!(failures > 50, "{failures}");
}

/// Any step fails, whichever its kind is, once.
#[test]
fn any_one_step_that_fails_undoes_the_others() {
    for case in Case::all() {
        for nth in 1.. {
            let case = case.again();
            let (seen, verdict) = failing(&FALLIBLE, nth, false);
            case.check(&case.save(verdict, 7), &format!("step {nth}"));
            if seen.load(Relaxed) < nth {
                break;
            }
        }
    }
}

/// From some step on nothing works but removing. Once the first name has changed hands nothing can bring the old file
/// back then; the error says where it is.
#[test]
fn where_nothing_works_any_more_the_old_file_is_named() {
    let mut named = 0;
    for case in Case::all() {
        for nth in 1.. {
            let case = case.again();
            let (seen, verdict) = failing(&FALLIBLE, nth, true);
            let result = case.save(verdict, 7);
            if seen.load(Relaxed) < nth {
                case.check(&result, "no failure");
                break;
            }
            let message = result.as_ref().unwrap_err().to_string();
            let backups: Vec<String> = case.names().into_iter().filter(|name| name.starts_with('.')).collect();
            if backups.is_empty() {
                case.check(&result, &format!("step {nth} and all later ones"));
            }
            for backup in backups {
                named += 1;
                assert!(case.replace && message.contains("could not be restored") && message.contains(&backup));
                assert_eq!(fs::read(case.folder.path().join(backup)).unwrap(), OLD);
                assert!((0..case.files).all(|i| case.is_old(i) || case.is_new(i)), "{message}");
            }
        }
    }
    assert!(named > 0);
}

/// The process ends at each step in turn: after it nothing is done at all, no clearing up either.
#[test]
fn whoever_is_killed_leaves_whole_files() {
    use Step::{Create, HardLink, Remove, Rename, Sync, SyncFolder, Write};
    const ANY: [Step; 7] = [Create, Write, Sync, Rename, HardLink, SyncFolder, Remove];
    let (mut old, mut new) = (0, 0);
    for case in Case::all() {
        for nth in 1.. {
            let case = case.again();
            let (seen, verdict) = failing(&ANY, nth, true);
            let _ = case.save(verdict, 7);
            assert!((0..case.files).all(|i| case.is_old(i) || case.is_new(i)), "step {nth}");
            old += usize::from(case.is_old(0));
            new += usize::from(case.is_new(0));
            if seen.load(Relaxed) < nth {
                break;
            }
        }
    }
    assert!(old > 10 && new > 10, "{old} {new}");
}

#[test]
fn short_writes_and_signals_lose_nothing() {
    for case in Case::all() {
        let calls = AtomicUsize::new(0);
        let verdict = move |step| match step {
            Step::Write | Step::Sync | Step::SyncFolder if calls.fetch_add(1, Relaxed) % 3 != 2 => {
                Err(ErrorKind::Interrupted.into())
            }
            _ => Ok(()),
        };
        let result = case.save(Box::new(verdict), 1);
        assert!(result.is_ok(), "{result:?}");
        case.check(&result, "one byte at a time");
    }
}

/// The disk is full after each number of bytes; one byte is written at a time.
#[test]
fn a_full_disk_costs_nothing() {
    for case in Case::all() {
        let size: usize = NEW[..case.files].iter().map(|bytes| bytes.len()).sum();
        for room in 0..=size {
            let case = case.again();
            let written = AtomicUsize::new(0);
            let verdict = move |step| match step {
                Step::Write if written.fetch_add(1, Relaxed) >= room => Err(ErrorKind::StorageFull.into()),
                _ => Ok(()),
            };
            let result = case.save(Box::new(verdict), 1);
            assert_eq!(result.is_ok(), room == size, "{room} bytes: {result:?}");
            case.check(&result, &format!("{room} bytes"));
        }
    }
}

/// As on file systems that have none: copies and renaming do the same.
#[test]
fn hard_links_can_be_done_without() {
    for case in Case::all() {
        let verdict = |step| match step {
            Step::HardLink => Err(ErrorKind::Unsupported.into()),
            _ => Ok(()),
        };
        let result = case.save(Box::new(verdict), usize::MAX);
        assert!(result.is_ok(), "{result:?}");
        case.check(&result, "no hard links");
    }
    // with every other step failing in its turn
    for case in Case::all() {
        for nth in 1.. {
            let case = case.again();
            let (seen, others) = failing(&[Step::Write, Step::Sync, Step::Rename, Step::SyncFolder], nth, false);
            let verdict = move |step| match step {
                Step::HardLink => Err(ErrorKind::Unsupported.into()),
                _ => others(step),
            };
            case.check(&case.save(Box::new(verdict), 7), &format!("no hard links, step {nth}"));
            if seen.load(Relaxed) < nth {
                break;
            }
        }
    }
}

#[test]
fn a_draft_of_which_a_part_was_lost_is_never_published() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("m.json");
    let (_, verdict) = failing(&[Step::Write], 1, false);
    let mut draft = Draft::on(Arc::new(Faulty { verdict, most: usize::MAX }), &path, false).unwrap();
    // longer than the buffer, so that it is written at once
    assert!(draft.write_all(&[b'x'; 100_000]).is_err());
    draft.write_all(b"the rest").unwrap();
    assert!(publish([draft]).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_came_in_between_stays() {
    for links in [true, false] {
        let case = Case::new(2, false);
        let verdict = move |step| match step {
            Step::HardLink if !links => Err(ErrorKind::Unsupported.into()),
            _ => Ok(()),
        };
        let disk: Arc<dyn Disk> = Arc::new(Faulty { verdict: Box::new(verdict), most: usize::MAX });
        let drafts = [0, 1].map(|i| Draft::on(disk.clone(), &case.path(i), false).unwrap());
        fs::write(case.path(1), OLD).unwrap();
        let message = publish(drafts).unwrap_err().to_string();
        assert!(message.contains("two.csv: the file exists: another program wrote it meanwhile"), "{message}");
        assert_eq!(case.names(), ["two.csv"]);
        assert_eq!(fs::read(case.path(1)).unwrap(), OLD);
    }
}

#[test]
fn names_that_are_taken_are_passed_over() {
    for (turns, goes_well) in [(3, true), (usize::MAX, false)] {
        let case = Case::new(2, true);
        let calls = AtomicUsize::new(0);
        let verdict = move |step| match step {
            Step::Create | Step::HardLink if calls.fetch_add(1, Relaxed) % 4 < turns => {
                Err(ErrorKind::AlreadyExists.into())
            }
            _ => Ok(()),
        };
        let result = case.save(Box::new(verdict), usize::MAX);
        assert_eq!(result.is_ok(), goes_well, "{result:?}");
        case.check(&result, "taken names");
    }
}

#[test]
fn places_that_cannot_be_are_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let refused = |name: &str, replace: bool| Draft::new(&path(name), replace).unwrap_err().to_string();
    fs::write(path("there"), OLD).unwrap();
    assert_eq!(refused("there", false), "the file exists");
    assert!(refused("", true).contains("folder"));
    assert!(refused("nowhere/m.json", true).contains("the folder"));
    assert!(refused("m.json/", true).contains("not the name of a file"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nothing", path("dangling")).unwrap();
        assert!(refused("dangling", true).contains("symbolic link without a target"));
        let device = Draft::new(Path::new("/dev/null"), true).unwrap_err().to_string();
        assert!(device.contains("not a regular file"), "{device}");
    }
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = TempDir::new().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    symlink("real", &link).unwrap();
    for kept in [0o600, 0o444, 0o755] {
        fs::write(&real, OLD).unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(kept)).unwrap();
        let mut draft = Draft::new(&link, true).unwrap();
        draft.write_all(NEW[0]).unwrap();
        publish([draft]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((mode(&real), fs::read(&real).unwrap()), (kept, NEW[0].to_vec()));
        fs::remove_file(&real).unwrap();
        fs::write(&real, OLD).unwrap();
    }
    // a new file is readable to whom the umask says, as any other
    let (ours, other) = (folder.path().join("ours"), folder.path().join("other"));
    publish([Draft::new(&ours, false).unwrap()]).unwrap();
    fs::write(&other, "").unwrap();
    assert_eq!(mode(&ours), mode(&other));
}
