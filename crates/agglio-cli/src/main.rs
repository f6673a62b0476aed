//! The `agglio` program: fits `y ≈ φ(xᵀw)` from a table, without a starting guess.

mod args;
mod commands;
mod number;
mod output;
mod plan;
mod print;
mod progress;
mod solver_keys;
mod source;
mod tabular;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match commands::run(args::Cli::parse().command) {
        Ok(code) => code,
        // whoever read the results has what they wanted
        Err(why) if why.is::<output::PipeClosed>() => ExitCode::SUCCESS,
        Err(why) => {
            print::error(&why);
            ExitCode::from(2)
        }
    }
}
