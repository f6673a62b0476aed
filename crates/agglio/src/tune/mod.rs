//! *Tuning* compares plans by their loss on rows that were held out of the fit.
//!
//! ```text
//! score = (1/K) Σ_k  mean over the rows of fold k of ω·(φ(xᵀw_k + b_k) − y)²,      w_k, b_k fitted to all other rows
//! ```
//!
//! For fits that end at τ = 0 the prediction is E φ(xᵀw + b + ε) instead of φ(xᵀw + b), as in their models.
//!
//! Threads take one fit after the other, and idle threads help with the sums of the others. The scores do not depend on the
//! number of threads. Plans of one solver run in lockstep: one visit to the rows serves a step of each. Fits are not
//! certified, because that would cost as much as many steps. Only fits that ended on a plateau are, since rounding can look
//! like a plateau.

mod lockstep;
mod mean;
mod split;

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use lockstep::Reached;
pub use mean::{MeanLoss, mean_loss};
pub use split::Split;

use crate::certificate::Certificate;
use crate::error::{Error, Result};
use crate::math::tree::{in_pool, pool};
use crate::oracle::{Loss, MultiQuery, Oracle, Problem};
use crate::outcome::{Status, StopReason};
use crate::plan::Plan;
use crate::rows::{BLOCK, Part, Rows, column};

/// The result of a plan on held-out rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Weighted mean of (ŷ − y)² over the held-out rows, where ŷ are the predictions of [`crate::model::Model::predict`]; the
    /// mean of all folds. Infinite if steps led uphill or overflowed.
    pub loss: f64,
    /// The same over the rows that were fitted.
    pub training_loss: f64,
    /// Rows visited ÷ rows that were fitted, summed over the folds.
    pub passes: f64,
    /// Time, summed over the folds. Plans that run in lockstep get equal shares of their time.
    pub seconds: f64,
    /// How the fit ended. With several folds: a plateau if there is one, else the first status other than `converged`.
    pub status: Status,
    /// Whether the training loss is at most that of the model without covariates, in every fold. Always true for fits that
    /// end below τ = 1, because they minimise another loss.
    pub explains: bool,
}

/// Scores each plan on held-out rows, in order; `None` for a plan that was interrupted before it finished. Calls
/// `progress(done, total)` after every fit. Uses the number of threads of the first plan.
///
/// # Errors
/// If there are too few rows to hold any out, or if a plan cannot be fitted to the rows; the error is that of the first such
/// plan.
///
/// # Examples
///
/// ```
/// use agglio::tune::{Split, best, tune};
/// use agglio::{Options, Solver, activation::named, rows::Dense, simulate::Simulation};
///
/// let data = Simulation::new(named("sigmoid")?, 300, 3).draw()?;
/// let rows = Dense::new(data.values, 3, data.labels)?;
/// let plan = |eta: f64| Options::new(named("sigmoid")?).solver(Solver::Gd).epochs(100).eta(eta).build();
/// let plans = [0.01, 1.0, 4.0].map(plan).into_iter().collect::<agglio::Result<Vec<_>>>()?;
/// let scores = tune(&rows, &plans, Split::holdout(0.2, 0)?, &|_, _| {})?;
/// assert_eq!(best(&scores), Some(2));
/// # Ok::<(), agglio::Error>(())
/// ```
pub fn tune(
    rows: &dyn Rows,
    plans: &[Plan],
    split: Split,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Option<Score>>> {
    let Some(first) = plans.first() else { return Ok(Vec::new()) };
    let search = || {
        let folds = split.spans(rows.len())?;
        // a copy in which every fold is contiguous: rows that are picked one by one take a third longer to read
        let rows = rows.gather(&split.order(rows.len()));
        let parts = folds.into_iter().map(|fold| Halves::new(rows.as_ref(), fold)).collect::<Result<_>>()?;
        let search = Search::new(plans, parts, progress);
        match in_pool() {
            true => drop(rayon::broadcast(|_| search.work())),
            false => search.work(),
        }
        search.scores()
    };
    match pool(first.threads())? {
        Some(pool) => pool.install(search),
        None => search(),
    }
}

/// The index of the plan with the lowest loss among those that [can be recommended](Score::is_eligible). Losses within a
/// relative 1e-9 of the lowest differ by rounding only; among these plans it is the first one with the fewest passes.
pub fn best(scores: &[Option<Score>]) -> Option<usize> {
    let eligible = || {
        let scores = scores.iter().enumerate().filter_map(|(i, score)| Some((i, score.as_ref()?)));
        scores.filter(|(_, score)| score.is_eligible())
    };
    let lowest = eligible().map(|(_, score)| score.loss).fold(f64::INFINITY, f64::min);
    let lowest = eligible().filter(|(_, score)| score.loss <= (1.0 + SAME_LOSS) * lowest);
    lowest.reduce(|best, next| if next.1.passes < best.1.passes { next } else { best }).map(|(i, _)| i)
}

/// The rows that are fitted, and the rows on which the fit is scored.
struct Halves {
    held_out: Part,
    training: Part,
}

impl Halves {
    fn new(rows: &dyn Rows, fold: Range<usize>) -> Result<Halves> {
        let (held_out, training) = (Part::within(rows, fold.clone()), Part::without(rows, fold));
        require_weight(&held_out, "held out")?;
        require_weight(&training, "left to fit")?;
        Ok(Halves { held_out, training })
    }

    /// Fits plans in lockstep, and passes the index and the score of each to `scored` when it ends. Interrupted plans have no
    /// score.
    fn score(&self, plans: &[Plan], scored: &mut dyn FnMut(usize, Score)) -> Result<()> {
        let begun = Instant::now();
        let Some(first) = plans.first() else { return Ok(()) };
        let oracle = first.oracle(&self.training)?;
        let coordinates = Some(oracle.facts().coordinates.clone());
        // predictions are scored by their squared errors, whatever loss they come from
        let loss = Loss::default();
        let held_out = Problem { coordinates, loss, ..first.problem() }.on(&self.held_out)?;
        let before = begun.elapsed().as_secs_f64() / plans.len() as f64;
        lockstep::reach(plans, &oracle, &mut |oracle, place, reached| {
            scored(place, Score::new(oracle, &held_out, reached, before)?);
            Ok(())
        })
    }
}

/// Mean squared error of the predictions at the end point of a plan.
fn loss(oracle: &dyn Oracle, Reached { outcome, sigma, .. }: &Reached) -> Result<f64> {
    oracle.prediction_loss(&outcome.theta, *sigma)
}

/// Refuses rows that all have weight zero.
fn require_weight(rows: &Part, what: &str) -> Result<()> {
    match column(rows.len(), |run, weight| rows.weights(run, weight)).iter().any(|&weight| weight > 0.0) {
        true => Ok(()),
        false => {
            Err(Error::data(format!("no row that is {what} has a weight above zero; try another seed, or more rows")))
        }
    }
}

/// The fits of all plans to all parts, which threads take group by group, and their scores.
struct Search<'a> {
    plans: &'a [Plan],
    parts: Vec<Halves>,
    /// Plans that run in lockstep, by index.
    groups: Vec<Range<usize>>,
    fits: Vec<OnceLock<Result<Score>>>,
    next: AtomicUsize,
    done: AtomicUsize,
    failed: AtomicBool,
    progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl<'a> Search<'a> {
    fn new(plans: &'a [Plan], parts: Vec<Halves>, progress: &'a (dyn Fn(usize, usize) + Sync)) -> Search<'a> {
        let fits = (0..plans.len() * parts.len()).map(|_| OnceLock::new()).collect();
        let (next, done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        Search { plans, groups: groups(plans, &parts), parts, fits, next, done, failed, progress }
    }

    /// Takes one group of fits after the other until none is left. This is a loop on each thread, not a rayon job for each
    /// fit: a thread that waits for a part of its sums would otherwise begin another fit, and finish its own only after it.
    fn work(&self) {
        while let Some((lockstep, part)) = self.take() {
            let plans = &self.plans[lockstep.clone()];
            let made =
                self.parts[part].score(plans, &mut |place, score| self.set(lockstep.start + place, part, Ok(score)));
            if let Err(why) = made {
                self.failed.store(true, Ordering::Relaxed);
                self.set(lockstep.start, part, Err(why));
            }
        }
    }

    /// Stores the score of a fit, or its error. No fit is taken twice.
    fn set(&self, plan: usize, part: usize, score: Result<Score>) {
        let _ = self.fits[plan * self.parts.len() + part].set(score);
        (self.progress)(self.done.fetch_add(1, Ordering::Relaxed) + 1, self.fits.len());
    }

    /// The next group of plans, and the part that they are fitted to.
    fn take(&self) -> Option<(Range<usize>, usize)> {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let lockstep = self.groups.get(index / self.parts.len())?;
            if self.failed.load(Ordering::Relaxed) {
                return None;
            }
            if !self.plans[lockstep.clone()].iter().all(Plan::is_interrupted) {
                return Some((lockstep.clone(), index % self.parts.len()));
            }
        }
    }

    /// The score of each plan; none for a plan with a missing fit.
    fn scores(self) -> Result<Vec<Option<Score>>> {
        let folds = self.parts.len();
        let fits: Vec<Option<Score>> =
            self.fits.into_iter().map(|fit| fit.into_inner().transpose()).collect::<Result<_>>()?;
        Ok(fits.chunks(folds).map(Score::mean).collect())
    }
}

/// A relative difference of losses up to this is rounding.
const SAME_LOSS: f64 = 1e-9;

/// Largest number of values that a thread reads for the fits of one group to all parts, if every fit uses all its epochs. That
/// takes some seconds, so scores appear soon, and an interrupt loses little.
const READS_PER_GROUP: f64 = 5e9;
/// Smallest number of plans in lockstep, however long their fits take. With fewer, rows would be visited far more often.
const SMALLEST_GROUP: usize = 2 * BLOCK;

/// Divides plans into groups that run in lockstep, so that all threads get the same number of plans and blocks of points are
/// full.
fn groups(plans: &[Plan], parts: &[Halves]) -> Vec<Range<usize>> {
    let threads = if in_pool() { rayon::current_num_threads() } else { 1 };
    let blocks = plans.len().div_ceil(BLOCK) * parts.len();
    let rounds = blocks.div_ceil(largest_group(plans, parts, threads) / BLOCK * threads);
    let most = blocks.div_ceil(rounds * threads);
    let mut start = 0;
    let groups = |alike: &[Plan]| {
        start += alike.len();
        cut(start - alike.len()..start, most)
    };
    plans.chunk_by(lockstep::run_together).flat_map(groups).collect()
}

/// Cuts a span into pieces of at most `most` blocks, of nearly equal size.
fn cut(span: Range<usize>, most: usize) -> impl Iterator<Item = Range<usize>> {
    let blocks = span.len().div_ceil(BLOCK);
    let pieces = blocks.div_ceil(most);
    let edge = move |piece: usize| (span.start + piece * blocks / pieces * BLOCK).min(span.end);
    (0..pieces).map(move |piece| edge(piece)..edge(piece + 1))
}

/// Maximum number of plans in lockstep. No score depends on it.
fn largest_group(plans: &[Plan], parts: &[Halves], threads: usize) -> usize {
    let numbers = |part: &Halves| part.training.len() as f64 * part.training.width() as f64;
    let epochs = plans.iter().map(Plan::epochs).max().unwrap_or(0) as f64;
    let largest = parts.iter().map(numbers).fold(1.0, f64::max);
    // a plan has a score only after it was fitted to all parts
    let turns = parts.len().div_ceil(threads) as f64;
    ((READS_PER_GROUP / (largest * epochs * turns)) as usize).clamp(SMALLEST_GROUP, MultiQuery::MOST)
}

impl Score {
    /// The score of an end point; `before` is the time that was spent before the first step.
    fn new(oracle: &dyn Oracle, held_out: &dyn Oracle, reached: Reached, before: f64) -> Result<Score> {
        let begun = Instant::now();
        let reason = reached.outcome.reason;
        let diverged = matches!(reason, StopReason::Overshot | StopReason::Planned | StopReason::NotFinite);
        let (loss, training_loss) = (loss(held_out, &reached)?, loss(oracle, &reached)?);
        let explains = reached.outcome.tau < 1.0 || training_loss <= (1.0 + SAME_LOSS) * oracle.facts().baseline.loss;
        let status = match (reason, Status::from(reason)) {
            // the certificate distinguishes a flat φ from a gradient that rounding prevents from falling
            (StopReason::Plateau, _) => Certificate::examine(oracle, &reached.outcome)?.status,
            (_, Status::Converged) if !explains => Status::Plateau,
            (_, status) => status,
        };
        Ok(Score {
            loss: if diverged { f64::INFINITY } else { loss },
            training_loss,
            passes: reached.visited as f64 / oracle.rows() as f64,
            seconds: before + reached.seconds + begun.elapsed().as_secs_f64(),
            status,
            explains,
        })
    }

    /// Whether the setting can be recommended: its loss is finite, it did not end on a plateau, and its training loss is not
    /// above that of the model without covariates.
    pub fn is_eligible(&self) -> bool {
        self.loss.is_finite() && self.status != Status::Plateau && self.explains
    }

    fn mean(folds: &[Option<Score>]) -> Option<Score> {
        let folds: Vec<Score> = folds.iter().copied().collect::<Option<_>>()?;
        let sum = |of: fn(&Score) -> f64| folds.iter().map(of).sum::<f64>();
        let count = folds.len() as f64;
        let statuses = || folds.iter().map(|fold| fold.status);
        let plateau = statuses().find(|&status| status == Status::Plateau);
        Some(Score {
            loss: sum(|fold| fold.loss) / count,
            training_loss: sum(|fold| fold.training_loss) / count,
            passes: sum(|fold| fold.passes),
            seconds: sum(|fold| fold.seconds),
            status: plateau.or(statuses().find(|&status| status != Status::Converged)).or(statuses().next())?,
            explains: folds.iter().all(|fold| fold.explains),
        })
    }
}
