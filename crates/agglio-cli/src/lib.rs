//! The `agglio` program as a library: flags and files in; words, numbers, files and an exit code out.
//!
//! It is a library so that other programs and tests can call it without starting a process.

mod answer;
mod args;
mod broom;
mod commands;
mod csv;
mod curves;
mod grid;
mod hint;
mod interrupt;
mod memory;
mod method;
mod output;
mod plan;
mod print;
mod progress;
mod source;
mod tabular;
mod threads;
mod truth;

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with the words of a command line, the first of which is its own name.
///
/// A signal ends the process if nothing would be lost.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let command = match args::parse(words) {
        Ok(cli) => cli.command,
        Err(why) => return print::usage(&why),
    };
    let done = interrupt::listen().map_err(Into::into).and_then(|()| commands::run(command));
    match done {
        Ok(code) => code,
        Err(why) if why.is::<interrupt::Interrupted>() => {
            print::error(&why);
            interrupt::exit_code()
        }
        // whoever read the results has what they wanted
        Err(why) if why.is::<output::PipeClosed>() => ExitCode::SUCCESS,
        Err(why) => {
            print::error(&why);
            ExitCode::from(2)
        }
    }
}

/// Checks the words of a command line as [`run`] does before it looks at any file.
///
/// # Errors
/// The message of the program.
pub fn check(words: impl IntoIterator<Item = OsString>) -> Result<(), String> {
    let cli = args::parse(words).map_err(|why| why.to_string())?;
    commands::check(cli.command).map_err(|why| hint::words(&why))
}
