//! The *standard* grid: the keys of a solver that matter, around the values that it has by itself.
//!
//! The paper's steps of 1 to 500 are for its own columns, of deviation 1/√d. Here η is in units of the solver's own step,
//! 1/Λ, which the data tells, so that the grid suits columns of any size.

use agglio::{Solver, Spec};
use anyhow::{Result, bail};

use super::axis::text;

/// η over 1/Λ. Steps above 2 are safe only where slopes stay below the largest, as those of saturated rows do.
const STEPS: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
/// α of Adam and Yogi over .3: wider, since it has no unit that the data tells.
const LENGTHS: [f64; 4] = [1.0 / 16.0, 0.25, 1.0, 4.0];
/// The length of NGD's steps over .3. One that is given stays as it is, so that short ones are among them.
const CONSTANT_LENGTHS: [f64; 6] = [1.0 / 256.0, 1.0 / 64.0, 1.0 / 16.0, 0.25, 1.0, 4.0];
const TAU0: [f64; 3] = [0.1, 0.01, 0.001];
const BETA: [f64; 3] = [1.01, 1.05, 1.3];
const BETA1: [f64; 2] = [0.5, 0.9];
const BETA2: [f64; 3] = [0.9, 0.99, 0.999];

/// The axes for a solver, as they are typed, without those of keys that are fixed. `step` is the length of the steps that it
/// takes by itself, none where it searches for it.
///
/// # Errors
/// If the solver has nothing to tune, or all of it is fixed.
pub fn axes(spec: &Spec, step: Option<f64>) -> Result<Vec<String>> {
    let solver = spec.solver();
    if !solver.uses_eta() {
        bail!("solver `{solver}` has no step length to tune; pass a grid, such as --grid 'l2=0,0.01,0.1'");
    }
    let lengths = match solver {
        Solver::Adam | Solver::Yogi => LENGTHS.as_slice(),
        Solver::Ngd => &CONSTANT_LENGTHS,
        _ => &STEPS,
    };
    let eta: Vec<f64> = lengths.iter().filter_map(|share| Some(legible(share * step?))).collect();
    // a path that has no length, or that begins at its end, has nothing to set
    let last = spec.last_temperature();
    let graduated = solver.is_graduated() && last > 0.0;
    let rises = graduated && spec.tau0 != Some(last);
    let tau0: Vec<f64> = TAU0.into_iter().filter(|&tau0| tau0 <= last).collect();
    let axes = [
        ("eta", true, eta.as_slice()),
        ("tau0", graduated, &tau0),
        ("beta", rises, &BETA),
        ("beta1", solver.is_adaptive(), &BETA1),
        ("beta2", solver.is_adaptive(), &BETA2),
    ];
    let free = axes.into_iter().filter(|(key, used, values)| *used && !spec.has(key) && !values.is_empty());
    let typed: Vec<String> = free.map(|(key, _, values)| typed(key, values)).collect();
    if typed.is_empty() {
        bail!("every key of the standard grid for solver `{solver}` is fixed; leave one free, or pass --grid");
    }
    Ok(typed)
}

/// Three digits, which are enough for a step and can be typed again.
fn legible(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

fn typed(key: &str, values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|value| text(*value)).collect();
    format!("{key}={}", values.join(","))
}
