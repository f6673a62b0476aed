//! The flags of a fit of *groups*.

use anyhow::{Result, bail};
use clap::Args;

use super::FitArgs;
use super::shared::name;

/// How the rows are divided into groups.
#[derive(Clone, Debug, Default, Args)]
pub struct GroupArgs {
    /// Fit each group of rows that have the same value in this column, with the same options, and print one CSV table with a
    /// row for each group
    #[arg(long, value_name = "COL", value_parser = name, help_heading = "Model")]
    pub by: Option<String>,
}

/// Refuses flags that are about one fit.
///
/// # Errors
/// Names the flag.
pub fn require_table_only(args: &FitArgs) -> Result<()> {
    let files = [
        ("--model", args.model.is_some()),
        ("--trace", args.trace.is_some()),
        ("--truth", args.truth.is_some()),
        ("--checkpoint", args.checkpoint.is_some()),
        ("--resume", args.resume.is_some()),
    ];
    match files.into_iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => bail!(
            "{flag} is about one fit, but --by makes one for each group: leave it out, or write the rows of one group to a \
             file and fit them without --by"
        ),
        None => Ok(()),
    }
}
