//! The README and the pages of docs/: links resolve, commands run and print the output shown, flags and files exist.
//!
//! A fenced block `console` is run: its lines that begin with `$ ` are commands, and the lines below a command are its
//! output, in which a line `…` stands for any lines. Numbers are compared to three digits, and times not at all. A command
//! exits with 0 unless `$ echo $?` follows. The commands of a page share a folder, which has the files of docs/data. After
//! a change of the output, write it into the pages with
//!
//! ```sh
//! AGGLIO_BLESS=1 cargo test --release -p agglio-cli --test it pages
//! ```

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Folder;

/// Fences whose content no test needs to read. Those of other languages are run by docs/examples/coming_from.py.
const INERT: [&str; 6] = ["text", "sh", "json", "csv", "python", "r"];

/// Folders of the repository whose files the pages name by path.
const NAMED: [&str; 4] = ["bench/", "crates/", "docs/", "fuzz/"];

struct Page {
    /// Relative to the repository.
    path: PathBuf,
    text: String,
}

/// A fenced block: its language and its lines.
struct Fence<'a> {
    language: &'a str,
    lines: Vec<&'a str>,
}

/// A command of a block `console`, and the output that is shown for it.
struct Shown {
    command: String,
    output: Vec<String>,
    code: i32,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(path: &str) -> Page {
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"));
    Page { path: path.into(), text }
}

/// The pages of the book.
fn book() -> Vec<Page> {
    let entries = fs::read_dir(root().join("docs")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".md"));
    names.sort();
    names.iter().map(|name| page(&format!("docs/{name}"))).collect()
}

/// The book and the README, which share their conventions.
fn documentation() -> Vec<Page> {
    book().into_iter().chain([page("README.md")]).collect()
}

impl Page {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Lines outside fenced blocks.
    fn prose(&self) -> Vec<&str> {
        let mut inside = false;
        let outside = |line: &&str| {
            let fence = line.trim_start().starts_with("```");
            inside ^= fence;
            !inside && !fence
        };
        self.text.lines().filter(outside).collect()
    }

    fn fences(&self) -> Vec<Fence<'_>> {
        let mut fences = Vec::new();
        let mut lines = self.text.lines();
        while let Some(line) = lines.next() {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                let lines = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```")).collect();
                fences.push(Fence { language, lines });
            }
        }
        fences
    }

    /// Inline code of the prose.
    fn code(&self) -> Vec<&str> {
        self.prose().into_iter().flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
    }

    /// Targets of the links and pictures of the prose, without those on the web.
    fn links(&self) -> Vec<String> {
        let mut links = Vec::new();
        for line in self.prose() {
            let words: String = line.split('`').step_by(2).collect();
            let targets = words.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            links.extend(targets.map(|(target, _)| target.to_owned()).filter(|target| !target.contains("://")));
        }
        links
    }

    /// Anchors of the headings, as forges and mdBook make them.
    fn anchors(&self) -> BTreeSet<String> {
        let mut seen = HashMap::new();
        let headings = self.prose().into_iter().filter(|line| line.starts_with('#'));
        let titles = headings.map(|line| line.trim_start_matches('#').trim());
        titles
            .map(|title| {
                let kept = |c: char| match c {
                    ' ' => Some('-'),
                    c => Some(c).filter(|c| c.is_alphanumeric() || "-_".contains(*c)),
                };
                let slug: String = title.to_lowercase().chars().filter_map(kept).collect();
                let count = seen.entry(slug.clone()).or_insert(0);
                *count += 1;
                if *count == 1 { slug } else { format!("{slug}-{}", *count - 1) }
            })
            .collect()
    }

    /// Runs the commands of the page in one folder and compares their output; gives their number. The page is rewritten
    /// where the output differs and that is asked for.
    fn run(&self) -> usize {
        let folder = Folder::new();
        for entry in fs::read_dir(root().join("docs/data")).unwrap() {
            let file = entry.unwrap();
            fs::copy(file.path(), folder.path(file.file_name().to_str().unwrap())).unwrap();
        }
        let mut text = self.text.clone();
        let fences = self.fences();
        let console = fences.iter().filter(|fence| fence.language == "console");
        let commands: Vec<_> = console.flat_map(|fence| shown(&fence.lines)).collect();
        for shown in &commands {
            let (code, output) = shell(&folder, &shown.command);
            assert_eq!(code, shown.code, "{}: {}\n{output}", self.name(), shown.command);
            let found: Vec<_> = output.lines().map(str::trim_end).collect();
            if !shown.output.is_empty() && !matches(&shown.output, &found) {
                let below = |lines: String| format!("$ {}\n{lines}", shown.command);
                let (old, new) = (below(shown.output.join("\n")), below(found.join("\n")));
                let bless = std::env::var_os("AGGLIO_BLESS").is_some() && !shown.output.iter().any(|line| line == "…");
                assert!(bless, "{}: the program prints\n{new}\nand the page has\n{old}", self.name());
                text = text.replacen(&old, &new, 1);
            }
        }
        if text != self.text {
            fs::write(root().join(&self.path), text).unwrap();
        }
        commands.len()
    }
}

/// The commands of a block, each with the lines below it.
fn shown(lines: &[&str]) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut continued = false;
    for line in lines {
        let line = line.trim_end();
        match (line.strip_prefix("$ "), all.last_mut()) {
            (_, Some(last)) if continued => last.command = format!("{}\n{line}", last.command),
            (Some(command), _) => all.push(Shown { command: command.into(), output: Vec::new(), code: 0 }),
            (None, Some(last)) => last.output.push(line.into()),
            (None, None) => panic!("`{line}` stands above the first command of its block"),
        }
        continued = line.ends_with('\\');
    }
    let mut run: Vec<Shown> = Vec::new();
    for mut next in all {
        while next.output.last().is_some_and(String::is_empty) {
            next.output.pop();
        }
        match (next.command == "echo $?", run.last_mut()) {
            (true, Some(last)) => last.code = next.output[0].parse().unwrap(),
            _ => run.push(next),
        }
    }
    run
}

/// Exit code and output of a command, errors and warnings in it where they come.
fn shell(folder: &Folder, command: &str) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_agglio")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let script = format!("{{ {command}\n}} 2>&1");
    let run =
        Command::new("sh").args(["-c", &script]).current_dir(folder.path(".")).env("PATH", path).output().unwrap();
    (run.status.code().unwrap(), String::from_utf8(run.stdout).unwrap())
}

/// Whether the shown lines match those found.
fn matches(shown: &[String], found: &[&str]) -> bool {
    match (shown.split_first(), found.split_first()) {
        (None, _) => found.is_empty(),
        (Some((any, rest)), _) if any == "…" => (0..=found.len()).any(|skip| matches(rest, &found[skip..])),
        (Some((line, shown)), Some((other, found))) => is_same(line, other) && matches(shown, found),
        (Some(_), None) => false,
    }
}

/// Whether two lines have the same words, and numbers that agree.
fn is_same(shown: &str, found: &str) -> bool {
    let words = |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    let (shown, found) = (words(shown), words(found));
    let unit = |words: &[String], i: usize| {
        let next = words.get(i).map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        next.is_some_and(|word| ["s", "ms", "µs"].contains(&word))
    };
    let agree = |i: usize| {
        let is_time = unit(&shown, i + 1) && unit(&found, i + 1) || unit(&shown, i) && unit(&found, i);
        is_time || are_close(&shown[i], &found[i])
    };
    shown.len() == found.len() && (0..shown.len()).all(agree)
}

/// Whether two words are the same, or numbers that agree to three digits or are both rounding.
fn are_close(shown: &str, found: &str) -> bool {
    let number = |word: &str| word.trim_matches(|c| "(),;:".contains(c)).parse::<f64>().ok();
    match (number(shown), number(found)) {
        (Some(a), Some(b)) if a.is_finite() => (a - b).abs() <= 1e-3 * a.abs() || a.abs().max(b.abs()) < 1e-12,
        // the line below a header is as wide as the times in the table
        _ => shown == found || [shown, found].iter().all(|word| word.chars().all(|c| c == '─')),
    }
}

#[test]
fn every_link_leads_somewhere() {
    let others = ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "bench/README.md", "fuzz/README.md"];
    let mut links = 0;
    for page in documentation().into_iter().chain(others.map(page)) {
        for link in page.links() {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.path.clone(),
                file => page.path.parent().unwrap().join(file),
            };
            assert!(root().join(&target).exists(), "{}: {link} leads nowhere", page.name());
            let is_inside = !page.path.starts_with("docs") || !file.starts_with("..");
            assert!(is_inside, "{}: {link} leaves the book; name the file in `code` instead", page.name());
            if !anchor.is_empty() {
                let text = fs::read_to_string(root().join(&target)).unwrap();
                let anchors = Page { path: target, text }.anchors();
                assert!(anchors.contains(anchor), "{}: {link}: there is only {anchors:?}", page.name());
            }
            links += 1;
        }
    }
    assert!(links > 50, "{links} links");
}

#[test]
fn the_summary_has_every_page_once() {
    let mut listed = page("docs/SUMMARY.md").links();
    listed.sort();
    let names = book().into_iter().map(|page| page.path.file_name().unwrap().to_str().unwrap().to_owned());
    let pages: Vec<_> = names.filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(listed, pages);
}

#[test]
fn every_command_succeeds_and_prints_what_is_shown() {
    let commands: usize = documentation().iter().map(Page::run).sum();
    assert!(commands > 20, "{commands} commands");
}

#[test]
fn every_block_is_checked_or_needs_no_check() {
    let library = fs::read_to_string(root().join("crates/agglio/src/lib.rs")).unwrap();
    for page in documentation() {
        for fence in page.fences() {
            match fence.language {
                "console" => {}
                "rust" => {
                    let included = format!("include_str!(\"../{}\")", page.name());
                    assert!(library.contains(&included), "the Rust of {} is no doc test of lib.rs", page.name());
                }
                language => {
                    assert!(INERT.contains(&language), "{}: a block of `{language}` is not checked", page.name());
                    let runs = fence.lines.iter().find(|line| line.starts_with("$ agglio"));
                    assert!(runs.is_none(), "{}: {runs:?} stands in a block that is not run", page.name());
                }
            }
        }
    }
}

#[test]
fn every_flag_exists() {
    let folder = Folder::new();
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        words.filter(|word| word.starts_with("--") && word.len() > 2).map(str::to_owned).collect()
    };
    let commands =
        ["demo", "fit", "compare", "tune", "predict", "score", "simulate", "theory", "paper", "bench"].into_iter();
    let flags: BTreeSet<_> =
        commands.flat_map(|command| words(&folder.run(&format!("{command} --help")).stdout)).collect();
    // bad input may have any flag
    for page in documentation().into_iter().filter(|page| !page.path.ends_with("bad-input.md")) {
        let lines: Vec<_> = page.fences().into_iter().flat_map(|fence| fence.lines).collect();
        let commands =
            lines.iter().map(|line| line.trim_start_matches("$ ")).filter(|line| line.starts_with("agglio "));
        let code = page.code();
        let spans = code.iter().filter(|code| code.starts_with("--") || code.starts_with("agglio "));
        for flag in commands.chain(spans.copied()).flat_map(words) {
            assert!(flags.contains(&flag), "{}: no command has {flag}", page.name());
        }
    }
}

#[test]
fn every_file_that_is_named_exists() {
    for page in documentation() {
        for code in page.code().into_iter().filter(|code| NAMED.iter().any(|folder| code.starts_with(folder))) {
            assert!(root().join(code).exists(), "{}: there is no {code}", page.name());
        }
    }
}

#[test]
fn the_citation_has_the_version_of_the_program() {
    let citation = include_str!("../../../../CITATION.cff");
    let version = citation.lines().find_map(|line| line.strip_prefix("version: "));
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
}
