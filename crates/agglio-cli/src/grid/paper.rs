//! The *paper's* grids, as they are typed.

use agglio::{Solver, Spec};
use agglio_paper::grid::{self, Axis};
use anyhow::{Result, bail};

use super::axis::text;

/// The axes for a solver, as they are typed, without those of keys that are fixed.
///
/// # Errors
/// If the paper has none for it, or all are fixed.
pub fn axes(spec: &Spec) -> Result<Vec<String>> {
    let solver = spec.solver();
    let Some(axes) = grid::axes(solver, is_plain(spec)) else {
        let known = Solver::ALL.into_iter().filter(|&solver| grid::axes(solver, false).is_some()).map(Solver::name);
        bail!(
            "the paper has no grid for solver `{solver}`, only for {}; pass one, such as --grid 'l2=0,0.01,0.1'",
            known.collect::<Vec<_>>().join(", ")
        );
    };
    let free: Vec<String> = axes.iter().filter(|axis| !is_fixed(axis.key, spec)).map(typed).collect();
    if free.is_empty() {
        bail!("every key of the paper's grid for solver `{solver}` is fixed; leave one free, or pass --grid");
    }
    Ok(free)
}

fn typed(axis: &Axis) -> String {
    let values: Vec<String> = axis.values.iter().map(|value| text(*value)).collect();
    format!("{}={}", axis.key, values.join(","))
}

/// Whether there is no graduation.
fn is_plain(spec: &Spec) -> bool {
    spec.tau0 == Some(1.0)
}

fn is_fixed(key: &str, spec: &Spec) -> bool {
    // a temperature that is one from the beginning does not grow
    spec.has(key) || (key == "beta" && is_plain(spec))
}
