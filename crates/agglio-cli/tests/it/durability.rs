//! Saving that is cut short, by `kill -9` and by a full disk: the old file or the new one, never anything else.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::Folder;

/// How often each command is killed; `AGGLIO_KILLS` says otherwise.
const KILLS: usize = 60;
/// Kills of which one at least should have come while a file was being saved.
const MANY: usize = 500;

/// When a kill came, as seen by what it left.
#[derive(Debug, Default)]
struct Tally {
    before: usize,
    /// A temporary file is left, and the name still has the old file.
    during: usize,
    /// A temporary file is left, and the name has the new file already.
    renamed: usize,
    after: usize,
}

/// Two commands that write the same file, and what each of them writes.
struct Duel<'a> {
    folder: &'a Folder,
    name: &'a str,
    commands: [Vec<&'a str>; 2],
    contents: [Vec<u8>; 2],
    /// Of a run that nobody kills.
    duration: Duration,
}

impl<'a> Duel<'a> {
    fn new(folder: &'a Folder, name: &'a str, words: [&'a str; 2]) -> Duel<'a> {
        let commands = words.map(|words| words.split_whitespace().collect());
        let begun = Instant::now();
        let contents = words.map(|words| {
            assert_eq!(folder.run(words).code, Some(0), "{words}");
            fs::read(folder.path(name)).unwrap()
        });
        assert_ne!(contents[0], contents[1]);
        Duel { folder, name, commands, contents, duration: begun.elapsed() / 2 }
    }

    /// Which of the two contents the file has; it has one of them.
    fn holder(&self) -> usize {
        let found = fs::read(self.folder.path(self.name)).unwrap();
        let holder = self.contents.iter().position(|contents| *contents == found);
        holder.unwrap_or_else(|| panic!("{}: {} bytes of neither", self.name, found.len()))
    }

    /// Lets one of the commands run for a time, and kills it.
    fn strike(&self, command: usize, delay: Duration) {
        let mut command = self.folder.command(&self.commands[command]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(delay);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Whether temporary files were left; they are gone then.
    fn sweep(&self) -> bool {
        let names = self.folder.snapshot().into_iter().map(|(name, _)| name);
        let left: Vec<_> = names.filter(|name| name.starts_with(".agglio-")).collect();
        left.iter().for_each(|name| fs::remove_file(self.folder.path(name)).unwrap());
        !left.is_empty()
    }

    /// Kills the command whose file is not there, again and again, around the moment at which it saves.
    fn fight(&self, kills: usize) -> Tally {
        let mut tally = Tally::default();
        let mut aim = self.duration.as_secs_f64();
        let others = self.folder.snapshot().len();
        for kill in 0..kills {
            let holder = self.holder();
            // multiples of the golden ratio, which are spread evenly whatever their number is
            let spread = (kill as f64 * 0.618_033_988_749_895).fract() - 0.5;
            self.strike(1 - holder, Duration::from_secs_f64(aim * (1.0 + 0.3 * spread)));
            let (left, changed) = (self.sweep(), self.holder() != holder);
            let (count, nudge) = match (left, changed) {
                (false, false) => (&mut tally.before, 1.05),
                (true, false) => (&mut tally.during, 1.0),
                (true, true) => (&mut tally.renamed, 1.0),
                (false, true) => (&mut tally.after, 0.95),
            };
            *count += 1;
            // speeds change with what else the machine does
            aim *= nudge;
            assert_eq!(self.folder.snapshot().len(), others);
        }
        tally
    }
}

fn kills() -> usize {
    std::env::var("AGGLIO_KILLS").map_or(KILLS, |count| count.parse().unwrap())
}

fn survive(folder: &Folder, name: &str, words: [&str; 2]) {
    let kills = kills();
    let tally = Duel::new(folder, name, words).fight(kills);
    eprintln!("{name}: {kills} kills, {tally:?}");
    assert!(kills < MANY || tally.during + tally.renamed > 0);
}

#[test]
fn a_killed_fit_leaves_a_whole_model() {
    let words = [
        "fit data.csv --target y --model m.json --force --quiet",
        "fit data.csv --target y --features x1,x2 --model m.json --force --quiet",
    ];
    survive(&Folder::with_data(), "m.json", words);
}

#[test]
fn killed_predictions_are_whole() {
    let folder = Folder::with_data();
    assert_eq!(folder.run("fit data.csv --target y --model a.json").code, Some(0));
    assert_eq!(folder.run("fit data.csv --target y --features x1,x2 --model b.json").code, Some(0));
    // many times the size of a buffer
    let words = "simulate --rows 5000 --features 3 --activation sigmoid --seed 4 -o more.csv";
    assert_eq!(folder.run(words).code, Some(0));
    let words = ["predict a.json more.csv -o p.csv --force", "predict b.json more.csv -o p.csv --force"];
    survive(&folder, "p.csv", words);
}

/// No file may become longer than some blocks of 512 or 1024 bytes, which is to a program as a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_changes_nothing() {
    let folder = Folder::with_data();
    folder.fit("data.csv --target y --model m.json");
    folder.write("old.csv", "old");
    folder.write("old.json", "old");
    for (blocks, words) in [
        ("0", "fit data.csv --target y --model m.json --force"),
        ("0", "fit data.csv --target y --model new.json --trace new.csv"),
        ("0", "predict m.json data.csv -o old.csv --force"),
        ("1", "predict m.json data.csv -o old.csv --force"),
        ("1", "predict m.json data.csv -o new.csv"),
        // the one file is short enough, the other is not
        ("1", "simulate --rows 500 --features 2 --activation tanh -o old.csv --truth old.json --force"),
        ("1", "simulate --rows 500 --features 2 --activation tanh -o new.csv --truth new.json"),
    ] {
        let before = folder.snapshot();
        let script = "ulimit -f \"$0\"; exec \"$@\"";
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, blocks, env!("CARGO_BIN_EXE_agglio")]).args(words.split_whitespace());
        let output = command.current_dir(folder.0.path()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {stderr}");
        assert!(stderr.contains("File too large"), "{words}: {stderr}");
        assert_eq!(folder.snapshot(), before, "{words}");
    }
}
