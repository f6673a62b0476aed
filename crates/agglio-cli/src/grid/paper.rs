//! The *paper's* grids, by solver.
//!
//! Reference: the section on experiments, "Hyperparameter Search" (`sec:exps`).

use agglio::Solver;
use anyhow::{Result, bail};

use crate::args::MethodArgs;

const TAU0: &str = "tau0=0.1,0.01,0.001,0.0001";
const BETA: &str = "beta=linspace(1.01,2,5)";

/// The axes for a solver, without those of keys that are fixed.
///
/// # Errors
/// If the paper has none for it, or all are fixed.
pub fn axes(solver: Solver, method: &MethodArgs) -> Result<Vec<&'static str>> {
    let Some(axes) = all(solver, is_plain(method)) else {
        let known = Solver::ALL.into_iter().filter(|&solver| all(solver, false).is_some()).map(Solver::name);
        bail!(
            "the paper has no grid for solver `{solver}`, only for {}; give your own, such as --grid 'l2=0,0.01,0.1'",
            known.collect::<Vec<_>>().join(", ")
        );
    };
    let free: Vec<&str> = axes.iter().copied().filter(|axis| !is_fixed(axis, method)).collect();
    if free.is_empty() {
        bail!("every key of the paper's grid for solver `{solver}` is fixed; leave one free, or give --grid");
    }
    Ok(free)
}

fn all(solver: Solver, plain: bool) -> Option<&'static [&'static str]> {
    use Solver::{Adam, Gd, Gradopt, Momentum, Nesterov, Ngd, Saga, Sgd, Svrg, Yogi};
    Some(match solver {
        Gd | Sgd | Svrg | Saga | Momentum | Nesterov => &["eta=linspace(1,500,10)", TAU0, BETA],
        Adam | Yogi if plain => &[
            "eta=linspace(0.01,0.2,5)",
            "beta1=linspace(0.01,0.9,5)",
            "beta2=linspace(0.01,0.9,5)",
            "epsilon=1e-3,1e-5,1e-8",
        ],
        Adam | Yogi => &["eta=linspace(0.01,0.2,5)", TAU0, BETA],
        Ngd => &["eta=linspace(0.01,10,20)"],
        Gradopt => &["eta=linspace(1,400,20)"],
        _ => return None,
    })
}

/// Whether there is no graduation.
fn is_plain(method: &MethodArgs) -> bool {
    method.tau0 == Some(1.0)
}

fn is_fixed(axis: &str, method: &MethodArgs) -> bool {
    match axis.split('=').next().unwrap_or_default() {
        "eta" => method.eta.is_some(),
        "tau0" => method.tau0.is_some(),
        // a temperature that is one from the beginning does not grow
        "beta" => method.beta.is_some() || is_plain(method),
        "beta1" => method.beta1.is_some(),
        "beta2" => method.beta2.is_some(),
        "epsilon" => method.epsilon.is_some(),
        _ => false,
    }
}
