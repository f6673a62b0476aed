//! The *brief* help of `-h`: one screen with the flags that are used most. `--help` has all of them.
//!
//! It changes the finished definitions, and finds commands and flags by their names.

use clap::builder::{Resettable, StyledStr};
use clap::{Arg, Command};

/// What the program does, and where to begin; below the commands it would take a line more.
const ABOUT: &str = "\
Fits y ≈ φ(xᵀw + b) by least squares, without starting values.
Begin with `agglio demo`. `agglio COMMAND -h` lists the main flags of a command.";

/// A flag, or the name of a positional argument, and its short help; none if its own help is short.
type Flag = (&'static str, Option<&'static str>);

const DATA: Flag = ("data", None);
const TARGET: Flag = ("target", None);
const FORMULA: Flag = ("formula", Some("'y ~ x1 + log(x2)': target and covariates"));
const FEATURES: Flag = ("features", Some("Covariates: x, log(x), … [default: all others]"));
const ACTIVATION: Flag = ("activation", Some("φ: softplus, tanh, exp, … [default: sigmoid]"));
const FORMAT: Flag = ("format", None);
const FORCE: Flag = ("force", None);

/// The flags that `-h` lists, for each command that has more than a screen of them.
const COMMANDS: &[(&str, &[Flag])] = &[
    (
        "fit",
        &[
            TARGET,
            FEATURES,
            FORMULA,
            ACTIVATION,
            ("curve", Some("LL.3, LL.4, SSlogis, hill, emax, gompertz, …")),
            ("range", Some("Asymptotes of y, numbers or `free`: 0,free")),
            ("by", Some("Fit each group of rows of this column")),
            ("se", Some("Standard errors: hc3, cluster:COL, bootstrap, …")),
            ("ec", Some("Effective doses in percent, such as 10,50,90")),
            ("format", Some("json, tidy, glance, augment, …")),
            ("model", Some("Write the model, for `predict` and `score`")),
        ],
    ),
    (
        "compare",
        &[
            DATA,
            TARGET,
            FEATURES,
            FORMULA,
            ACTIVATION,
            ("solvers", Some("Such as auto,gd,'sgd:batch=20;tol=1e-2'")),
            ("truth", Some("True coefficients, to show the distance to them")),
            FORMAT,
        ],
    ),
    (
        "tune",
        &[
            DATA,
            TARGET,
            ACTIVATION,
            ("solver", Some("The solver, and keys that stay fixed")),
            ("grid", Some("Values to try, such as eta=1,4,16;batch=20,50")),
            ("folds", Some("K-fold cross-validation")),
        ],
    ),
    (
        "predict",
        &[
            ("model", None),
            ("data", Some("A CSV file with the columns of the model; `-` is standard input")),
            ("interval", Some("confidence or prediction: adds three columns")),
            ("level", None),
            ("linear", Some("The linear predictor, not the response")),
            ("inverse", Some("The covariate (dose) of each response")),
            ("keep", Some("Columns to copy in front of the prediction")),
            ("output", None),
        ],
    ),
    (
        "effects",
        &[
            ("model", None),
            ("data", Some("A CSV file with the columns of the model; `-` is standard input")),
            ("weights", Some("A column with a weight for each row of the average")),
            ("level", None),
            ("format", Some("table, json or tidy[:json]")),
        ],
    ),
    (
        "score",
        &[
            ("model", None),
            ("data", Some("A CSV file with the model's columns and target; `-`: standard input")),
            FORMAT,
        ],
    ),
    ("show", &[("model", None), FORMAT]),
    (
        "simulate",
        &[
            ("rows", None),
            ("features", None),
            ("activation", Some("φ: sigmoid, softplus, silu, tanh, exp, …")),
            ("norm", Some("Length of the true w [default: as drawn]")),
            ("noise", Some("pre:S (before φ) or post:S (after φ)")),
            ("output", None),
            ("truth", Some("Write the true coefficients")),
            ("seed", None),
        ],
    ),
    (
        "theory",
        &[
            ("activation", Some("φ: sigmoid, softplus or leaky-softplus[:K=0.2]")),
            ("radius", None),
            ("noise", Some("Before or after φ: pre:S, post:S:uniform")),
            ("check", Some("A CSV file to compare with the promises")),
            ("target", Some("The response column y of that file")),
            FORMAT,
        ],
    ),
    (
        "paper",
        &[
            ("names", Some("Such as fig1, fig2a, table1 or theorems [default: all]")),
            ("out", Some("The folder for pictures, numbers and index.html")),
            ("quick", Some("Fewer and smaller runs: about two minutes for all figures")),
            ("seeds", Some("Runs per method and problem [default: 10, with --quick 3]")),
        ],
    ),
    (
        "generate",
        &[
            ("kind", Some("What to print")),
            ("output", Some("A file, or a folder for files with their usual names")),
            FORCE,
        ],
    ),
];

/// The usage of `simulate`, which takes more than one line.
const SIMULATE: &str = "\
agglio simulate [OPTIONS] --rows <N> --features <D>
                       --activation <NAME[:K]> --output <DATA>";

/// The program with a brief help in addition to the full one.
pub fn brief(program: Command) -> Command {
    let (about, examples) = (owned(program.get_about()), owned(program.get_after_help()));
    let program = program.about(ABOUT).long_about(about).after_help(Resettable::Reset).after_long_help(examples);
    program.mut_subcommands(|command| match COMMANDS.iter().find(|(name, _)| *name == command.get_name()) {
        Some((name, flags)) => {
            let command = list(command, flags);
            if *name == "simulate" { command.override_usage(SIMULATE) } else { command }
        }
        None => command,
    })
}

fn owned(text: Option<&StyledStr>) -> Resettable<StyledStr> {
    text.cloned().into()
}

/// A command whose `-h` lists these flags and nothing after them.
fn list(command: Command, flags: &[Flag]) -> Command {
    let after = owned(command.get_after_help());
    command.after_help(Resettable::Reset).after_long_help(after).mut_args(|arg| listed(arg, flags))
}

fn name(arg: &Arg) -> &str {
    arg.get_long().unwrap_or(arg.get_id().as_str())
}

/// An argument as `-h` lists it, or leaves it out.
fn listed(arg: Arg, flags: &[Flag]) -> Arg {
    let Some((_, help)) = flags.iter().find(|(flag, _)| *flag == name(&arg)) else {
        return arg.hide_short_help(true);
    };
    let arg = values_in_place_of_name(arg);
    match (*help, arg.get_long_help().or(arg.get_help()).cloned()) {
        (Some(short), Some(full)) => arg.help(short).long_help(full),
        _ => arg,
    }
}

/// `--format <table|json>`: the possible values take less room there than in a separate list.
fn values_in_place_of_name(arg: Arg) -> Arg {
    let values: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    match values.is_empty() || arg.is_positional() || arg.is_hide_possible_values_set() {
        true => arg,
        false => arg.value_name(values.join("|")).hide_possible_values(true),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_flag_of_a_brief_help_exists() {
        let program = Cli::command();
        for (command, flags) in COMMANDS {
            let command = program.find_subcommand(command).unwrap_or_else(|| panic!("no command {command}"));
            for (flag, _) in *flags {
                assert!(command.get_arguments().any(|arg| name(arg) == *flag), "{} has no {flag}", command.get_name());
            }
        }
    }

    #[test]
    fn the_usage_of_simulate_has_all_that_is_required() {
        let program = Cli::command();
        let simulate = program.find_subcommand("simulate").unwrap_or_else(|| panic!("no command simulate"));
        for arg in simulate.get_arguments().filter(|arg| arg.is_required_set()) {
            let long = arg.get_long().map(|long| format!(" --{long} "));
            let short = arg.get_short().map(|short| format!(" -{short} "));
            assert!([long, short].iter().flatten().any(|flag| SIMULATE.contains(flag)), "{}", name(arg));
        }
    }
}
