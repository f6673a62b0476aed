//! The *paper's* grids, as they are typed.

use agglio::Solver;
use agglio_paper::grid::{self, Axis, Key};
use anyhow::{Result, bail};

use super::axis::text;
use crate::args::MethodArgs;

/// The axes for a solver, as they are typed, without those of keys that are fixed.
///
/// # Errors
/// If the paper has none for it, or all are fixed.
pub fn axes(solver: Solver, method: &MethodArgs) -> Result<Vec<String>> {
    let Some(axes) = grid::axes(solver, is_plain(method)) else {
        let known = Solver::ALL.into_iter().filter(|&solver| grid::axes(solver, false).is_some()).map(Solver::name);
        bail!(
            "the paper has no grid for solver `{solver}`, only for {}; give your own, such as --grid 'l2=0,0.01,0.1'",
            known.collect::<Vec<_>>().join(", ")
        );
    };
    let free: Vec<String> = axes.iter().filter(|axis| !is_fixed(axis.key, method)).map(typed).collect();
    if free.is_empty() {
        bail!("every key of the paper's grid for solver `{solver}` is fixed; leave one free, or give --grid");
    }
    Ok(free)
}

fn typed(axis: &Axis) -> String {
    let values: Vec<String> = axis.values.iter().map(|value| text(*value)).collect();
    format!("{}={}", axis.key.name(), values.join(","))
}

/// Whether there is no graduation.
fn is_plain(method: &MethodArgs) -> bool {
    method.tau0 == Some(1.0)
}

fn is_fixed(key: Key, method: &MethodArgs) -> bool {
    match key {
        Key::Eta => method.eta.is_some(),
        Key::Tau0 => method.tau0.is_some(),
        Key::TauMax => method.noise.tau_max.is_some(),
        // a temperature that is one from the beginning does not grow
        Key::Beta => method.beta.is_some() || is_plain(method),
        Key::Mu => method.mu.is_some(),
        Key::Beta1 => method.beta1.is_some(),
        Key::Beta2 => method.beta2.is_some(),
        Key::Epsilon => method.epsilon.is_some(),
    }
}
