//! *Tuning* of a contestant, the same for all of them.

use agglio::Plan;
use agglio::rows::Dense;
use agglio::tune::{Split, tune};

use crate::contestant::Contestant;
use crate::error::Result;
use crate::grid::Setting;
use crate::problem::Problem;
use crate::request::Request;

/// Epochs after which settings are scored: so few that a slow one has not arrived.
pub const EPOCHS: usize = 100;

/// A mean square that is rounding, for labels of the size of one.
const EXACT: f64 = 1e-28;

/// The best of the paper's settings and of the method as its authors leave it, by the loss on rows held out of the first
/// seed's data.
///
/// The losses of exact fits are only rounding, and cannot rank them. Those that stay exact to their end, through all
/// temperatures, run again with half the epochs, until one or none is exact.
///
/// # Errors
/// If none can be run, or somebody wants it to end.
pub fn tuned(problem: &dyn Problem, contestant: &Contestant, request: &Request) -> Result<Setting> {
    let mut candidates = contestant.settings();
    if candidates.is_empty() || contestant.is_textbook() {
        candidates.push(Setting::new());
    }
    best(problem, contestant, candidates, request)
}

/// The best of some settings, at least one, as [`tuned`] finds it.
///
/// # Errors
/// As [`tuned`].
pub fn best(
    problem: &dyn Problem,
    contestant: &Contestant,
    mut candidates: Vec<Setting>,
    request: &Request,
) -> Result<Setting> {
    let rows = problem.draw(request.seed)?.rows;
    let halves = std::iter::successors(Some(EPOCHS / 2), |&epochs| Some(epochs / 2));
    for epochs in [EPOCHS, Contestant::EPOCHS].into_iter().chain(halves) {
        let mut scored = held_out(problem, &rows, contestant, candidates, epochs, request)?;
        scored.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let exact = scored.iter().filter(|(loss, _)| *loss <= EXACT).count();
        scored.truncate(exact.max(1));
        candidates = scored.into_iter().map(|(_, setting)| setting).collect();
        if exact <= 1 || epochs == 1 {
            break;
        }
    }
    Ok(candidates.into_iter().next().unwrap_or_default())
}

/// The losses of settings on rows held out, after `epochs` epochs.
fn held_out(
    problem: &dyn Problem,
    rows: &Dense,
    contestant: &Contestant,
    candidates: Vec<Setting>,
    epochs: usize,
    request: &Request,
) -> Result<Vec<(f64, Setting)>> {
    let plan = |setting: &Setting| -> Result<Plan> {
        Ok(contestant.options(problem, setting, request.seed, request)?.epochs(epochs).build()?)
    };
    let plans: Vec<Plan> = candidates.iter().map(plan).collect::<Result<_>>()?;
    let scores = tune(rows, &plans, Split::holdout(request.holdout(), request.seed)?, &|_, _| {})?;
    request.check()?;
    let losses = scores.iter().map(|score| score.map_or(f64::INFINITY, |score| score.loss));
    Ok(losses.zip(candidates).collect())
}
