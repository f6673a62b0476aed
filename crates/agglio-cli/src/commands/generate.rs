//! `generate`: manual pages and shell completions, made from the same definitions that read the command line.

use std::process::ExitCode;

use anyhow::Result;
use clap::Command;
use clap_complete::{Generator, Shell};
use clap_mangen::Man;

use crate::args::{self, GenerateArgs, Kind};
use crate::interrupt;
use crate::output::{self, Output};

const NAME: &str = "agglio";

/// A file, with the name that it usually has.
struct Page {
    name: String,
    text: Vec<u8>,
}

pub fn run(args: &GenerateArgs) -> Result<ExitCode> {
    let pages = pages(args.kind)?;
    let files = match &args.output {
        Some(folder) if folder.is_dir() => in_folder(pages, |name| Output::new(&folder.join(name), args.force))?,
        Some(file) => vec![(Output::or_stdout(file, args.force)?, text(&pages))],
        None => vec![(Output::Stdout, text(&pages))],
    };
    // a signal must not leave a draft behind
    interrupt::hold();
    let mut writers = Vec::new();
    for (output, text) in &files {
        let mut writer = output.open()?;
        writer.put(text)?;
        writers.push(writer);
    }
    interrupt::check()?;
    output::publish(writers)?;
    Ok(ExitCode::SUCCESS)
}

fn in_folder(pages: Vec<Page>, place: impl Fn(&str) -> Result<Output>) -> Result<Vec<(Output, String)>> {
    pages.into_iter().map(|page| Ok((place(&page.name)?, text(&[page])))).collect()
}

/// All pages, one after another.
fn text(pages: &[Page]) -> String {
    pages.iter().map(|page| String::from_utf8_lossy(&page.text)).collect()
}

fn pages(kind: Kind) -> Result<Vec<Page>> {
    Ok(match kind {
        Kind::Man => manual()?,
        Kind::Bash => vec![completion(Shell::Bash)],
        Kind::Zsh => vec![completion(Shell::Zsh)],
        Kind::Fish => vec![completion(Shell::Fish)],
        Kind::Powershell => vec![completion(Shell::PowerShell)],
    })
}

fn completion(shell: Shell) -> Page {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut args::definition(), NAME, &mut text);
    Page { name: shell.file_name(NAME), text }
}

/// The page of the program, and one for each command.
fn manual() -> Result<Vec<Page>> {
    let mut program = args::definition().disable_help_subcommand(true);
    program.build();
    let version = format!("{NAME} {}", program.get_version().unwrap_or_default());
    let commands: Vec<Command> = program.get_subcommands().cloned().collect();
    [program].into_iter().chain(commands).map(|command| page(command, &version)).collect()
}

fn page(command: Command, version: &str) -> Result<Page> {
    // pages have what `--help` has, and flags that `-h` leaves out would be without their text
    let command = command.mut_args(|arg| arg.hide_short_help(false));
    // no date, so that the same program gives the same bytes; an empty word would be lost between the others
    let man = Man::new(command).date(" ").source(version).manual("agglio");
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok(Page { name: man.get_filename(), text })
}
