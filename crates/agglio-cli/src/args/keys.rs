//! *Keys* of `--solver` that have no flag: those that make a method the one that its paper prints.

use agglio::oracle::PreimageBranch;
use agglio::solver::direction::V0;
use agglio::theory::{Algorithm, Statement};
use clap::Args;

use super::shared::{number, whole};

/// What may be typed after the solver's name and nowhere else.
#[derive(Clone, Debug, Default, Args)]
pub struct KeyArgs {
    /// `none` is a constant step and the last point, `stall` a step that shortens once the loss no longer falls
    #[arg(long, value_parser = decay)]
    pub decay: Option<bool>,
    /// What the second moment of yogi begins with
    #[arg(long, value_parser = v0)]
    pub v0: Option<V0>,
    /// Passes over the rows before gradopt halves its radius
    #[arg(long, value_parser = whole::<usize>)]
    pub passes: Option<usize>,
    /// Which of two preimages graduated labels take
    #[arg(long, value_parser = branch)]
    pub branch: Option<PreimageBranch>,
    /// Which of the paper's algorithms `theory` runs
    #[arg(long, value_parser = algorithm)]
    pub algorithm: Option<Algorithm>,
    /// The size of the noise that `theory` allows for
    #[arg(long, value_parser = number)]
    pub sigma: Option<f64>,
    /// Whose constants `theory` takes
    #[arg(long, value_parser = constants)]
    pub constants: Option<Statement>,
}

fn decay(typed: &str) -> Result<bool, &'static str> {
    match typed {
        "none" => Ok(false),
        "stall" => Ok(true),
        _ => Err("it is `none` or `stall`"),
    }
}

fn v0(typed: &str) -> Result<V0, &'static str> {
    match typed {
        "zero" => Ok(V0::Zero),
        "gradient" => Ok(V0::Gradient),
        _ => Err("it is `zero` or `gradient`"),
    }
}

fn branch(typed: &str) -> Result<PreimageBranch, &'static str> {
    match typed {
        "nearer" => Ok(PreimageBranch::Nearer),
        "left" => Ok(PreimageBranch::Left),
        "right" => Ok(PreimageBranch::Right),
        _ => Err("it is `nearer`, `left` or `right`"),
    }
}

fn algorithm(typed: &str) -> Result<Algorithm, &'static str> {
    match typed {
        "1" => Ok(Algorithm::One),
        "2" => Ok(Algorithm::Two),
        _ => Err("it is `1` or `2`"),
    }
}

fn constants(typed: &str) -> Result<Statement, &'static str> {
    match typed {
        "corrected" => Ok(Statement::Corrected),
        "printed" => Ok(Statement::Printed),
        _ => Err("it is `corrected` or `printed`"),
    }
}
