//! *Bad input*: what people feed the program, and what they get.
//!
//! Every case is run through the program, and docs/bad-input.md is the table of all of them. After a change, write it again
//! by running these tests with `AGGLIO_BLESS=1`.

mod columns;
mod data;
mod groups;
mod models;
mod outputs;
mod parameters;
mod simulations;
mod tables;
mod terms;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::{Folder, Run};

/// Files that every case finds in its folder: data of three features, and a model of it.
static COMMON: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let folder = Folder::with_data();
    assert_eq!(folder.run("fit data.csv --target y --model model.json").code, Some(0));
    folder.write("weights.json", r#"{"coefficients": {"x1": 1, "x2": 2}}"#);
    folder.snapshot()
});

/// A section of the table.
struct Group {
    title: &'static str,
    cases: Vec<Case>,
}

/// Something that people do, and what comes of it.
struct Case {
    input: &'static str,
    files: Vec<(&'static str, Vec<u8>)>,
    prepare: fn(&Folder),
    words: String,
    stdin: &'static str,
    outcome: Outcome,
}

/// What must come of it, with pieces that must be said about it.
enum Outcome {
    /// Exit 2, an error, nothing printed, no file changed.
    Refused(Vec<&'static str>),
    /// This exit code, a result, and warnings.
    Warned(i32, Vec<&'static str>),
    /// Exit 0, or this code, a result, and not a word on standard error.
    Fine(i32),
}

/// Begins a case; `words` are what is typed after `agglio`.
fn case(input: &'static str, words: impl Into<String>) -> Case {
    let outcome = Outcome::Fine(0);
    Case { input, files: Vec::new(), prepare: |_| {}, words: words.into(), stdin: "", outcome }
}

impl Case {
    fn file(mut self, name: &'static str, text: impl AsRef<[u8]>) -> Case {
        self.files.push((name, text.as_ref().to_vec()));
        self
    }

    fn prepare(mut self, prepare: fn(&Folder)) -> Case {
        self.prepare = prepare;
        self
    }

    fn stdin(mut self, text: &'static str) -> Case {
        self.stdin = text;
        self
    }

    fn refused<const N: usize>(mut self, pieces: [&'static str; N]) -> Case {
        self.outcome = Outcome::Refused(pieces.to_vec());
        self
    }

    fn warned<const N: usize>(mut self, code: i32, pieces: [&'static str; N]) -> Case {
        self.outcome = Outcome::Warned(code, pieces.to_vec());
        self
    }

    fn fine(mut self, code: i32) -> Case {
        self.outcome = Outcome::Fine(code);
        self
    }

    /// Runs the program and checks the outcome; answers with a row of the table.
    fn check(&self) -> String {
        let folder = Folder::new();
        let files =
            COMMON.iter().map(|(name, text)| (name.as_str(), text)).chain(self.files.iter().map(|(n, t)| (*n, t)));
        files.for_each(|(name, text)| fs::write(folder.path(name), text).unwrap());
        (self.prepare)(&folder);
        let before = folder.snapshot();
        let run = folder.run_with_input(&self.words, self.stdin);
        let at = format!("{}: agglio {}\n{}{}", self.input, self.words, run.stderr, run.stdout);
        assert!(!run.stderr.contains("panicked") && !run.stderr.contains("Error {"), "{at}");
        let pieces = match &self.outcome {
            Outcome::Refused(pieces) => {
                assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{at}");
                assert!(run.stderr.starts_with("error: "), "{at}");
                assert!(folder.snapshot() == before, "files changed: {at}");
                pieces
            }
            Outcome::Warned(code, pieces) => {
                assert_eq!(run.code, Some(*code), "{at}");
                assert!(run.stderr.lines().any(|line| line.starts_with("warning: ")), "{at}");
                pieces
            }
            Outcome::Fine(code) => {
                assert_eq!((run.code, run.stderr.as_str()), (Some(*code), ""), "{at}");
                &Vec::new()
            }
        };
        pieces.iter().for_each(|piece| assert!(run.stderr.contains(piece), "no `{piece}` in {at}"));
        self.row(&run)
    }

    fn row(&self, run: &Run) -> String {
        let said = match self.outcome {
            Outcome::Fine(_) => "works".to_owned(),
            Outcome::Refused(_) => {
                let is_help = |line: &&str| line.starts_with("Usage:") || line.starts_with("For more information");
                let words = run.stderr.lines().take_while(|line| !is_help(line));
                words.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
            }
            Outcome::Warned(..) => run.stderr.lines().next().unwrap_or_default().to_owned(),
        };
        let code = run.code.unwrap_or_default();
        format!("| {} | `agglio {}` | {code} | {} |\n", self.input, escaped(&self.words), without_tags(&escaped(&said)))
    }
}

/// Text that does not end its cell of a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Text whose `<NAME>` outside of `code` is not taken for HTML.
fn without_tags(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts: Vec<_> =
        parts.map(|(i, part)| if i % 2 == 0 { part.replace('<', "\\<") } else { part.into() }).collect();
    parts.join("`")
}

fn groups() -> Vec<Group> {
    vec![
        tables::group(),
        columns::group(),
        terms::group(),
        groups::group(),
        data::group(),
        parameters::group(),
        outputs::group(),
        models::group(),
        simulations::group(),
    ]
}

const INTRODUCTION: &str = "\
# Bad input

This page lists bad input, and the answer of the program to it.
The tests write this page: they run every line of its tables.

| case | result |
|---|---|
| bad usage, input or output | Exit code 2, and one line that says what is wrong, where, and what to do. Nothing else is printed, and no file is changed |
| unusual input that can be used | The program goes on, with a warning. It is also in the field `warnings` of `--format json`. The tables show the first warning only |
| a panic, an abort, a hang or a wrong model without a message | This is a defect, for any bytes (see `SECURITY.md`) |

Some cases do not fit into a table, and have their own tests:

- Ctrl-C and SIGTERM: the best result so far is printed as `interrupted`, with exit code 130 or 143.
  A second signal ends the program at once.
- A reader that closes the pipe, a full disk, and a kill while a file is saved.
- Every truncation and every flipped bit of a model file.
- Input without end.
- Each kind of degenerate data under each solver.

`fuzz/README.md` describes the fuzz targets.
";

#[test]
fn every_case_ends_as_it_should_and_stands_in_the_docs() {
    let mut text = INTRODUCTION.to_owned();
    for group in groups() {
        text += &format!("\n## {}\n\n| input | command | exit | it says |\n|---|---|---|---|\n", group.title);
        group.cases.iter().for_each(|case| text += &case.check());
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bad-input.md");
    if std::env::var_os("AGGLIO_BLESS").is_some() {
        fs::write(&page, &text).unwrap();
    }
    let written = fs::read_to_string(&page).unwrap_or_default();
    let old = written.lines().zip(text.lines()).find(|(old, new)| old != new);
    assert!(written == text, "docs/bad-input.md is not what the program does: {old:?}; run this with AGGLIO_BLESS=1");
}
