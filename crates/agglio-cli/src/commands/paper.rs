//! `paper`: the figures of the paper, reproduced, and whether its claims hold.

use std::process::ExitCode;
use std::time::Instant;

use agglio::text::format;
use agglio_paper::catalogue::{CATALOGUE, Entry};
use agglio_paper::claim::{Claim, Tally, Verdict};
use agglio_paper::figure::Figure;
use agglio_paper::folder::Folder;
use agglio_paper::page::Page;
use agglio_paper::request::Request;
use agglio_paper::selection::select;
use agglio_paper::{machine, numbers, words};
use anyhow::{Error, Result, bail};
use indicatif::ProgressBar;

use crate::args::PaperArgs;
use crate::tabular::{flush_left, left, pairs, right, ruled};
use crate::{interrupt, output, progress, threads};

pub fn run(args: &PaperArgs) -> Result<ExitCode> {
    let (entries, request) = (chosen(args)?, request(args)?);
    let folder = interrupt::shield(|| Folder::open(&args.out))??;
    interrupt::hold();
    let (figures, failure) = draw(&entries, &request, &folder, args.run.quiet);
    let finished = finish(args, &request, &folder, &figures, entries.len());
    // what keeps a figure from being drawn may keep the page from being written too: the first failure is the telling one
    failure.map_or(finished, Err)?;
    Ok(if interrupt::is_caught() { interrupt::exit_code() } else { ExitCode::SUCCESS })
}

/// Writes the page about the figures that are there, and the summary.
fn finish(args: &PaperArgs, request: &Request, folder: &Folder, figures: &[Figure], asked: usize) -> Result<()> {
    if figures.is_empty() {
        return Ok(interrupt::check()?);
    }
    let gap = gap(figures.len(), asked);
    folder.finish(&Page { figures, facts: &facts(args, request), gap: gap.as_deref() })?;
    output::print(&summary(figures, folder)).map_err(|why| why.context("the files were written, but not the summary"))
}

/// Checks the flags.
///
/// # Errors
/// For bad usage.
pub fn check(args: &PaperArgs) -> Result<()> {
    chosen(args)?;
    request(args).map(drop)
}

fn chosen(args: &PaperArgs) -> Result<Vec<&'static Entry>> {
    select(CATALOGUE, &args.names).map_err(Error::msg)
}

fn request(args: &PaperArgs) -> Result<Request> {
    let seeds = args.seeds.unwrap_or(Request::default_seeds(args.quick));
    if seeds == 0 {
        bail!("--seeds is 0; it must be at least 1");
    }
    if args.run.seed().checked_add(seeds as u64).is_none() {
        bail!("--seed {} and --seeds {seeds} give seeds above 2^64; use a lower seed", args.run.seed());
    }
    Ok(Request {
        quick: args.quick,
        as_published: args.as_published,
        seeds,
        seed: args.run.seed(),
        threads: threads::count(args.run.threads()),
        interrupt: interrupt::flag(),
    })
}

/// Draws figures one after the other, until all are there, a signal comes or something fails.
fn draw(entries: &[&Entry], request: &Request, folder: &Folder, quiet: bool) -> (Vec<Figure>, Option<Error>) {
    let bar = progress::drawing(entries.len(), quiet);
    let mut figures = Vec::new();
    let mut failure = None;
    for entry in entries {
        match one(entry, request, folder, &bar) {
            Ok(Some(figure)) => figures.push(figure),
            Ok(None) => break,
            Err(why) => {
                failure = Some(why);
                break;
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    (figures, failure)
}

/// A figure with its files; none if a signal came, since it may be of fewer runs then.
fn one(entry: &Entry, request: &Request, folder: &Folder, bar: &ProgressBar) -> Result<Option<Figure>> {
    bar.set_prefix(entry.name);
    bar.set_message("");
    let begun = Instant::now();
    let drawn = (entry.draw)(request, &|what| bar.set_message(what.to_owned()));
    if interrupt::is_caught() {
        return Ok(None);
    }
    let figure = Figure { seconds: begun.elapsed().as_secs_f64(), ..drawn? };
    bar.set_message("files");
    folder.put(&figure)?;
    Ok(Some(figure))
}

fn gap(finished: usize, asked: usize) -> Option<String> {
    (finished < asked).then(|| format!("The run was ended early: {finished} of {asked} figures were finished."))
}

fn facts(args: &PaperArgs, request: &Request) -> Vec<(String, String)> {
    let last = request.seed.saturating_add(request.seeds as u64 - 1);
    [
        ("command", command(args, request)),
        ("seeds", if request.seeds == 1 { last.to_string() } else { format!("{} to {last}", request.seed) }),
        ("agglio", env!("CARGO_PKG_VERSION").into()),
        ("machine", machine::processor()),
        ("threads", request.threads.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// The command that gives the same figures, without its folder.
fn command(args: &PaperArgs, request: &Request) -> String {
    let names = if args.names.is_empty() { "all".to_owned() } else { args.names.join(" ") };
    let flags = [(args.quick, " --quick"), (args.as_published, " --as-published")];
    let flags: String = flags.into_iter().filter_map(|(given, flag)| given.then_some(flag)).collect();
    format!("agglio paper {names}{flags} --seeds {} --seed {}", request.seeds, request.seed)
}

fn summary(figures: &[Figure], folder: &Folder) -> String {
    let mut table = ruled([left("figure"), right("claims held"), right("failed"), right("undecided"), right("time")]);
    table.add_rows(figures.iter().map(|figure| {
        let tally = Tally::of(&figure.claims);
        let counts = [words::held(figure), tally.failed.to_string(), tally.undecided.to_string()];
        let [held, failed, undecided] = counts.map(right);
        [left(figure.name), held, failed, undecided, right(format::seconds(figure.seconds))]
    }));
    let total = words::outcome(words::tally(figures));
    format!("{}\n\n{total}\n{}\n{}\n", flush_left(&mut table), broken(figures), folder.page().display())
}

/// The failed and the undecided claims, with the measured numbers.
fn broken(figures: &[Figure]) -> String {
    let told = |verdict: Verdict, head: &str| {
        let claims = numbers::sorted(figures).into_iter().filter(|(_, claim)| claim.verdict() == verdict);
        let rows: Vec<(&str, String)> = claims.map(|(figure, claim)| (figure.name, sentence(claim))).collect();
        if rows.is_empty() { String::new() } else { format!("\n{head}\n{}", pairs(&rows)) }
    };
    told(Verdict::Failed, "These claims failed:") + &told(Verdict::Undecided, "These claims tie and are undecided:")
}

fn sentence(claim: &Claim) -> String {
    let remark = claim.remark.as_ref().map(|remark| format!(" Remark: {remark}.")).unwrap_or_default();
    format!("{}. Found: {}; needed: {}.{remark}", claim.statement, claim.measured, words::bound(claim.bound))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::Ordering;

    use agglio_paper::claim::Bound;
    use agglio_paper::statistics::Spread;

    use super::*;

    /// No other test of this process may look at the signal that this one makes up.
    #[test]
    fn a_signal_leaves_what_is_finished() -> Result<()> {
        let quick = Entry { name: "quick", draw: |_, _| Ok(Figure { name: "quick", ..Figure::default() }) };
        let cut_short = Entry {
            name: "late",
            draw: |request, _| {
                request.interrupt.store(true, Ordering::SeqCst);
                Ok(Figure { name: "late", ..Figure::default() })
            },
        };
        let scratch = tempfile::tempdir()?;
        let folder = Folder::open(scratch.path())?;
        let interrupt = interrupt::flag();
        let request = Request { quick: true, as_published: false, seeds: 1, seed: 0, threads: 1, interrupt };
        let (figures, failure) = draw(&[&quick, &cut_short, &quick], &request, &folder, true);
        assert!(failure.is_none() && figures.iter().map(|figure| figure.name).eq(["quick"]));
        let is_there = |name: &str| Path::new(scratch.path()).join(name).exists();
        assert!(is_there("quick.png") && !is_there("late.png"));
        assert_eq!(gap(1, 3).as_deref(), Some("The run was ended early: 1 of 3 figures were finished."));
        Ok(())
    }

    #[test]
    fn claims_that_did_not_hold_are_told_within_eighty_columns() {
        let said = "at the noiseless task it is at least twice as fast as every one of its competitors";
        let claims = vec![
            Claim::new("caption", said, "1.2 times as fast as Yogi", 1.2, Bound::AtLeast(2.0))
                .remark("the published run timed the evaluation of the loss as well"),
            Claim::new("caption", "it holds", "yes", 1.0, Bound::AtLeast(1.0)),
            Claim::new("caption", "it came late", "1e-3", 1e-3, Bound::AtMost(1e-15)),
            Claim::new("caption", "it ties", "1.1 times", 1.1, Bound::AtLeast(1.0)).over(Spread::of([0.9, 1.1, 1.2])),
        ];
        let figures = [Figure { name: "fig2a", claims, ..Figure::default() }];
        let told = broken(&figures);
        assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
        let words: Vec<&str> = told.split_whitespace().collect();
        let told = words.join(" ");
        for piece in [
            "fig2a at the noiseless task",
            "Yogi; needed: at least 2. Remark: the published run",
            "at most 1e-15",
            "undecided: fig2a it ties",
        ] {
            assert!(told.contains(piece), "{told}");
        }
        assert!(!told.contains("it holds"), "{told}");
    }
}
