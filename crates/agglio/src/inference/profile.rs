//! A *profile* interval holds the values of a parameter at which a fit of all others is not significantly worse.

use crate::error::Result;
use crate::fit::{Silent, Stop, fit};
use crate::inference::estimate::{Interval, critical};
use crate::inference::pinned::Pinned;
use crate::inference::sandwich::Sandwich;
use crate::inference::{Covariance, Inference};
use crate::oracle::{Batch, Oracle, OracleClient, Query, Want};
use crate::outcome::StopReason;
use crate::solver::direction::LevenbergMarquardt;
use crate::solver::estimator::Full;
use crate::solver::schedule::Constant;
use crate::solver::step::TrustRegion;
use crate::solver::{Keep, Method};

/// The relative gradient at which a refit ends, and its most steps.
const TOLERANCE: f64 = 1e-10;
const MOST_STEPS: usize = 200;
/// An end is found once its statistic is this close to the critical value, relatively.
const CLOSE: f64 = 1e-9;
/// Most refits for an end.
const MOST_REFITS: usize = 60;
/// At this multiple of the distance of Wald's interval, an end that was not found is open.
const FARTHEST: f64 = 1e5;
/// By this factor at most the distance grows from one refit to the next.
const GROWTH: f64 = 3.0;

impl Inference<'_> {
    /// `{ψ: RSS(ψ) − RSS ≤ σ̂²·F_{1,n−p}(level)}`
    ///
    /// Profile intervals of coefficients and intercept: RSS(ψ) is the residual sum of squares of a refit in which the
    /// parameter has the value ψ. They need not be symmetric, and do not depend on how the model is parametrised. An end is
    /// none if the loss stays below the limit however far ψ goes. They assume errors of equal variance (divided by ω),
    /// whatever the kind of covariance. Each takes about ten refits, of a few passes each.
    ///
    /// # Errors
    /// If the level is not between 0 and 1, or rows are lost or cannot be read.
    ///
    /// Reference: Bates and Watts (1988), section 6.1.
    pub fn profile_intervals(&self, level: f64) -> Result<Vec<Option<Interval>>> {
        (0..self.values.len()).map(|entry| self.profile_interval(entry, level)).collect()
    }

    /// As [`Inference::profile_intervals`], for one entry. None for the coefficient of a constant column, and after an interrupt.
    ///
    /// # Errors
    /// As [`Inference::profile_intervals`].
    pub fn profile_interval(&self, entry: usize, level: f64) -> Result<Option<Interval>> {
        let critical = critical(level, self.goodness.df_residual as f64)?;
        let dead = self.oracle.facts().coordinates.dead_columns().contains(&entry);
        let Some(&value) = self.values.get(entry).filter(|_| !dead) else { return Ok(None) };
        let client = OracleClient::new(self.oracle, self.end.labels);
        // the first guess; robust covariances may be singular
        let Ok(guess) = Sandwich::of(&client, self.end.outcome, Covariance::Classical, self.counts)? else {
            return Ok(None);
        };
        let row = self.units.row(entry);
        let image = guess.covariance.times(&row);
        let variance: f64 = image.iter().zip(&row).map(|(image, row)| image * row).sum();
        let pivot = if row[entry] == 0.0 { row.iter().position(|row| *row != 0.0).unwrap_or(entry) } else { entry };
        let shift = |j: usize| if j == pivot { 0.0 } else { row[j] / row[pivot] };
        let shift: Vec<f64> = (0..row.len()).map(shift).collect();
        let shift = if shift.iter().all(|shift| *shift == 0.0) { Vec::new() } else { shift };
        let search = |side: f64| -> Result<Option<f64>> {
            let end = Search {
                inference: self,
                oracle: &client,
                row: row.clone(),
                pivot,
                shift: shift.clone(),
                slope: image.iter().map(|image| image / variance).collect(),
                known: vec![(0.0, self.end.outcome.theta.clone())],
            };
            Ok(end.find(side, critical, variance.sqrt())?.map(|distance| value + distance))
        };
        let interval = Interval { lower: search(-1.0)?, upper: search(1.0)? };
        // an end that was not found would pass for an open one
        Ok(Some(interval).filter(|_| !self.oracle.is_interrupted()))
    }
}

/// The search for an end of an interval. Distances are from the estimate, with a sign.
struct Search<'s> {
    inference: &'s Inference<'s>,
    oracle: &'s dyn Oracle,
    /// The derivatives of the parameter by θ.
    row: Vec<f64>,
    /// The entry of θ that takes the value of the parameter.
    pivot: usize,
    /// The derivatives by the other entries, divided by that by the pivot.
    shift: Vec<f64>,
    /// The change of θ with the parameter, for a linear model.
    slope: Vec<f64>,
    /// Distances of refits and their θ, in the order in which they were made.
    known: Vec<(f64, Vec<f64>)>,
}

impl Search<'_> {
    /// The distance at which the statistic is critical; none if there is none.
    fn find(mut self, side: f64, critical: f64, error: f64) -> Result<Option<f64>> {
        let mut bracket = Bracket { inside: (0.0, -critical), outside: None, last: None };
        let mut next = critical * error;
        for _ in 0..MOST_REFITS {
            if next > FARTHEST * critical * error || self.oracle.is_interrupted() {
                return Ok(None);
            }
            // φ overflows there, so that the end is nearer
            let Some(statistic) = self.statistic(side * next)? else {
                next = 0.5 * (bracket.inside.0 + next);
                continue;
            };
            bracket.take(next, statistic - critical);
            let before = next;
            next = bracket.secant().unwrap_or(next * (critical / statistic).clamp(1.1, GROWTH));
            // on very many rows rounding keeps the statistic from being close, so the distance counts too
            let stays = (next - before).abs() <= CLOSE * before;
            if stays || (statistic - critical).abs() <= CLOSE * critical {
                return Ok(Some(side * before));
            }
        }
        Ok(bracket.outside.map(|_| side * next))
    }

    /// √((RSS(ψ) − RSS)/σ̂²) at a distance; none if the refit overflows.
    fn statistic(&mut self, distance: f64) -> Result<Option<f64>> {
        let outcome = self.inference.end.outcome;
        let at_end: f64 = self.shift.iter().zip(&outcome.theta).map(|(shift, theta)| shift * theta).sum();
        let value = outcome.theta[self.pivot] + at_end + distance / self.row[self.pivot];
        let pinned = Pinned::new(self.oracle, self.pivot, value, &self.shift);
        let start = pinned.without(&self.guess(distance));
        let (theta, loss) = match start.is_empty() {
            true => (start, self.loss(&pinned)?),
            false => {
                let stop = Stop::new(TOLERANCE, MOST_STEPS).beyond_tolerance();
                let found = fit(&pinned, method(outcome.tau), start, stop, &mut Silent)?;
                if found.reason == StopReason::NotFinite {
                    return Ok(None);
                }
                (found.theta, found.model.unpenalised)
            }
        };
        self.known.push((distance, pinned.expand(&theta)));
        let relative = (loss - outcome.model.unpenalised) / self.inference.square;
        let statistic = (relative * self.inference.goodness.df_residual as f64).max(0.0).sqrt();
        Ok(Some(statistic).filter(|statistic| statistic.is_finite()))
    }

    /// The loss of a model without free entries.
    fn loss(&self, pinned: &Pinned<'_>) -> Result<f64> {
        let tau = self.inference.end.outcome.tau;
        let query = Query::at(pinned.expand(&[]), tau, Batch::All, Want::Loss);
        Ok(self.oracle.ask(&query)?.value()?.unpenalised)
    }

    /// θ at a distance: on the line through the two nearest refits, or along the linear model.
    fn guess(&self, distance: f64) -> Vec<f64> {
        let mut near: Vec<&(f64, Vec<f64>)> = self.known.iter().collect();
        near.sort_by(|a, b| (a.0 - distance).abs().total_cmp(&(b.0 - distance).abs()));
        match near[..] {
            [(at, theta), (other, before), ..] => {
                let share = (distance - at) / (at - other);
                theta.iter().zip(before).map(|(theta, before)| theta + share * (theta - before)).collect()
            }
            [(at, theta)] => {
                theta.iter().zip(&self.slope).map(|(theta, slope)| theta + (distance - at) * slope).collect()
            }
            [] => self.slope.clone(),
        }
    }
}

/// Distances on either side of an end, each with its statistic minus the critical value.
struct Bracket {
    inside: (f64, f64),
    outside: Option<(f64, f64)>,
    /// Whether the last distance was outside.
    last: Option<bool>,
}

impl Bracket {
    /// Takes a distance in. A side that stays twice counts half, so that the secant leaves it (the Illinois rule).
    fn take(&mut self, distance: f64, excess: f64) {
        let share = if self.last.replace(excess > 0.0) == Some(excess > 0.0) { 0.5 } else { 1.0 };
        if excess > 0.0 {
            self.inside.1 *= share;
            self.outside = Some((distance, excess));
        } else {
            self.inside = (distance, excess);
            self.outside = self.outside.map(|(distance, over)| (distance, share * over));
        }
    }

    /// Where the line through both sides crosses zero; none as long as there is no outside.
    fn secant(&self) -> Option<f64> {
        let (near, under) = self.inside;
        self.outside.map(|(far, over)| (near * over - far * under) / (over - under))
    }
}

/// The parts of a refit: steps of Levenberg and Marquardt at one temperature, on all rows.
fn method(tau: f64) -> Method {
    Method {
        schedule: Box::new(Constant { tau, steps: 1 }),
        estimator: Box::new(Full),
        direction: Box::new(LevenbergMarquardt::ending_in_full()),
        step: Box::new(TrustRegion::default()),
        ball: None,
        keep: Keep::Last,
    }
}
