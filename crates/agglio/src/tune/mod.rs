//! *Tuning* compares plans by what they lose on rows that they have not seen.
//!
//! ```text
//! score = (1/K) Σ_k  mean over the rows of fold k of ω·(φ(xᵀw_k + b_k) − y)²,      w_k, b_k fitted to all other rows
//! ```
//!
//! with E φ(xᵀw + b + ε) in the place of φ(xᵀw + b) for fits that end at τ = 0: that is what their models predict.
//!
//! Fits are dealt out to threads, and each of them shares its sums with threads that have none left, so that the scores do
//! not depend on their number. Plans of one solver run beside each other, so that rows are visited once for a step of
//! several. No fit is certified, which would cost as much as many steps; the certificate is asked only about fits that
//! ended on a plateau, since rounding may look like one.

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
use crate::oracle::{MultiQuery, Oracle, Problem};
use crate::outcome::{Status, StopReason};
use crate::plan::Plan;
use crate::rows::{BLOCK, Part, Rows, column};

/// How a plan did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Weighted mean of (ŷ − y)² over the rows held out, ŷ as [`crate::model::Model::predict`] has it, the mean of all
    /// folds; infinite where a step led uphill or out of the numbers.
    pub loss: f64,
    /// The same over the rows of the fit.
    pub training_loss: f64,
    /// Rows visited ÷ rows of the fit, of all folds together.
    pub passes: f64,
    /// Time of all folds together; plans that run beside each other divide theirs evenly.
    pub seconds: f64,
    /// How the fit ended: of several a plateau if there is one, else the first that has not converged.
    pub status: Status,
    /// Whether the fit loses no more on its rows than the model without covariates, on every fold; taken for granted of
    /// fits that end below τ = 1, which minimise something else.
    pub explains: bool,
}

/// Scores plans, in their order; none for those that the interrupt of their options came before. `progress` hears of every
/// fit that is over how many are, and how many there will be; threads are those that the first plan asks for.
///
/// # Errors
/// If there are too few rows to hold any out, or if a plan cannot be fitted to these: what is wrong with the first of them.
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
        // one copy, in which every fold is in one piece: rows that are picked take a third longer to read
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

/// The plan of the lowest loss among those that [can be recommended](Score::is_eligible). Losses within 1e-9 of the lowest,
/// relatively, are the same but for rounding; of these plans, the one of the fewest passes, and the first of several.
pub fn best(scores: &[Option<Score>]) -> Option<usize> {
    let eligible = || {
        let scores = scores.iter().enumerate().filter_map(|(i, score)| Some((i, score.as_ref()?)));
        scores.filter(|(_, score)| score.is_eligible())
    };
    let lowest = eligible().map(|(_, score)| score.loss).fold(f64::INFINITY, f64::min);
    let lowest = eligible().filter(|(_, score)| score.loss <= (1.0 + ROUNDING) * lowest);
    lowest.reduce(|best, next| if next.1.passes < best.1.passes { next } else { best }).map(|(i, _)| i)
}

/// The rows of a fit, and those that it is scored on.
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

    /// Scores plans that run beside each other as they end, by their places; those that are interrupted do not.
    fn score(&self, plans: &[Plan], scored: &mut dyn FnMut(usize, Score)) -> Result<()> {
        let begun = Instant::now();
        let Some(first) = plans.first() else { return Ok(()) };
        let oracle = first.oracle(&self.training)?;
        let coordinates = Some(oracle.facts().coordinates.clone());
        let held_out = Problem { coordinates, ..first.problem() }.on(&self.held_out)?;
        let before = begun.elapsed().as_secs_f64() / plans.len() as f64;
        lockstep::reach(plans, &oracle, &mut |oracle, place, reached| {
            scored(place, Score::new(oracle, &held_out, reached, before)?);
            Ok(())
        })
    }
}

/// What the predictions of a model lose that is made of the point.
fn loss(oracle: &dyn Oracle, Reached { outcome, sigma, .. }: &Reached) -> Result<f64> {
    oracle.prediction_loss(&outcome.theta, *sigma)
}

/// Rows without weight would be fitted, or scored, as if there were none.
fn require_weight(rows: &Part, what: &str) -> Result<()> {
    match column(rows.len(), |run, weight| rows.weights(run, weight)).iter().any(|&weight| weight > 0.0) {
        true => Ok(()),
        false => {
            Err(Error::data(format!("no row that is {what} has a weight above zero; try another seed, or more rows")))
        }
    }
}

/// Fits that are dealt out, those of plans that run beside each other at once, and what came of them.
struct Search<'a> {
    plans: &'a [Plan],
    parts: Vec<Halves>,
    /// Plans that run beside each other.
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

    /// Makes one fit after the other until none is left. A loop on each thread, and not a job for each fit: a thread that
    /// waits for a part of its sums would begin another fit meanwhile, and end its own only after that.
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

    /// Keeps what came of a fit; each is dealt out once.
    fn set(&self, plan: usize, part: usize, score: Result<Score>) {
        let _ = self.fits[plan * self.parts.len() + part].set(score);
        (self.progress)(self.done.fetch_add(1, Ordering::Relaxed) + 1, self.fits.len());
    }

    /// Some plans and a part that they are to be fitted to.
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

    /// One for each plan whose fits are all there.
    fn scores(self) -> Result<Vec<Option<Score>>> {
        let folds = self.parts.len();
        let fits: Vec<Option<Score>> =
            self.fits.into_iter().map(|fit| fit.into_inner().transpose()).collect::<Result<_>>()?;
        Ok(fits.chunks(folds).map(Score::mean).collect())
    }
}

/// What a loss may be above another, relatively, that it is no higher than.
const ROUNDING: f64 = 1e-9;

/// Numbers that a thread reads from the rows for the fits of one group at most, those to all parts, if all go to their limit:
/// some seconds, so that there are scores before long, and little for an interrupt to lose.
const LONGEST: f64 = 5e9;
/// Plans that run beside each other however long that takes: with fewer, rows would be visited far more often.
const FEWEST: usize = 2 * BLOCK;

/// Cuts plans into such that run beside each other, so that threads have equally many and blocks of points are full.
fn groups(plans: &[Plan], parts: &[Halves]) -> Vec<Range<usize>> {
    let threads = if in_pool() { rayon::current_num_threads() } else { 1 };
    let blocks = plans.len().div_ceil(BLOCK) * parts.len();
    let rounds = blocks.div_ceil(abreast(plans, parts, threads) / BLOCK * threads);
    let most = blocks.div_ceil(rounds * threads);
    let mut start = 0;
    let groups = |alike: &[Plan]| {
        start += alike.len();
        cut(start - alike.len()..start, most)
    };
    plans.chunk_by(lockstep::run_together).flat_map(groups).collect()
}

/// Cuts a span into pieces of at most `most` blocks, as even as they can be.
fn cut(span: Range<usize>, most: usize) -> impl Iterator<Item = Range<usize>> {
    let blocks = span.len().div_ceil(BLOCK);
    let pieces = blocks.div_ceil(most);
    let edge = move |piece: usize| (span.start + piece * blocks / pieces * BLOCK).min(span.end);
    (0..pieces).map(move |piece| edge(piece)..edge(piece + 1))
}

/// How many plans run beside each other at most. No score depends on it.
fn abreast(plans: &[Plan], parts: &[Halves], threads: usize) -> usize {
    let numbers = |part: &Halves| part.training.len() as f64 * part.training.width() as f64;
    let epochs = plans.iter().map(Plan::epochs).max().unwrap_or(0) as f64;
    let largest = parts.iter().map(numbers).fold(1.0, f64::max);
    // no plan has a score before it was fitted to all parts
    let turns = parts.len().div_ceil(threads) as f64;
    ((LONGEST / (largest * epochs * turns)) as usize).clamp(FEWEST, MultiQuery::MOST)
}

impl Score {
    /// The score of a point, with the time that went by before anything was asked.
    fn new(oracle: &dyn Oracle, held_out: &dyn Oracle, reached: Reached, before: f64) -> Result<Score> {
        let begun = Instant::now();
        let reason = reached.outcome.reason;
        let led_away = matches!(reason, StopReason::Overshot | StopReason::Planned | StopReason::NotFinite);
        let (loss, training_loss) = (loss(held_out, &reached)?, loss(oracle, &reached)?);
        let explains = reached.outcome.tau < 1.0 || training_loss <= (1.0 + ROUNDING) * oracle.facts().baseline.loss;
        let status = match (reason, Status::from(reason)) {
            // which knows slopes that have vanished from a gradient that rounding keeps from falling
            (StopReason::Plateau, _) => Certificate::examine(oracle, &reached.outcome)?.status,
            (_, Status::Converged) if !explains => Status::Plateau,
            (_, status) => status,
        };
        Ok(Score {
            loss: if led_away { f64::INFINITY } else { loss },
            training_loss,
            passes: reached.visited as f64 / oracle.rows() as f64,
            seconds: before + reached.seconds + begun.elapsed().as_secs_f64(),
            status,
            explains,
        })
    }

    /// Whether the setting can be recommended: its loss is finite, it did not end on a plateau, and it explains something
    /// of the rows that it was fitted to.
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
