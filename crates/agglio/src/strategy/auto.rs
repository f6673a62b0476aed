//! The *auto* strategy: no start, no knobs; from the linear stage along the temperature path, to the end that the noise
//! asks for.

use crate::fit::{Outcome, fit};
use crate::linalg::Symmetric;
use crate::observe::Observer;
use crate::oracle::{Fold, Oracle};
use crate::rows::Batch;
use crate::solver::preset;
use crate::stop::{Stop, StopReason};
use crate::strategy::linear::Line;
use crate::strategy::noise::{self, LogLikelihoods};
use crate::strategy::noise_choice::Evidence;
use crate::strategy::restarts::{Contest, Origin};
use crate::strategy::{Found, Noise, Plan, Restarts};

/// The relative gradient at which a path over a sample of the rows ends.
const ROUGH: f64 = 1e-4;

/// The least curvature over the greatest at which a minimum may be the tail of a slope.
const TAIL: f64 = 1e-6;

impl Plan {
    /// Fits the end or the ends that the plan asks for.
    pub(super) fn auto(&self, oracle: &mut Fold<'_>, observer: &mut dyn Observer) -> Found {
        if self.settings.cap == 0.0 {
            return self.pre(oracle);
        }
        let samples = preset::samples(oracle);
        let sampled = samples.len() > 1;
        let first = self.auto_over(samples, oracle, observer);
        if sampled { self.doubt(first, oracle, observer) } else { first }
    }

    /// Makes a fit again on all rows whose path began on a sample of them, unless it is beyond doubt: a certified minimum,
    /// and not on the tail of a slope that the sample may have led to. Where few rows say something, such as the ones among
    /// many zeros, a sample may have an optimum at infinity that all rows have not, and no path leads back from there.
    fn doubt(&self, mut first: Found, oracle: &mut Fold<'_>, observer: &mut dyn Observer) -> Found {
        let certificate = first.certificate(oracle);
        let curved = certificate.smallest_eigenvalue.is_some_and(|ratio| ratio > TAIL);
        if (certificate.certified() && curved) || oracle.is_interrupted() {
            return first;
        }
        let mut second = self.auto_over(vec![Batch::All], oracle, observer);
        let certified = [certificate, second.certificate(oracle)].map(|certificate| certificate.certified());
        let losses = oracle.losses(&[&first, &second].map(|found| found.outcome.theta.clone()), 1.0, Batch::All);
        let lower = losses.last() < losses.first();
        if certified == [false, true] || (certified[0] == certified[1] && lower) { second } else { first }
    }

    fn auto_over(&self, mut samples: Vec<Batch>, oracle: &mut Fold<'_>, observer: &mut dyn Observer) -> Found {
        // where there are many rows, a sample of them knows where the noise is, and all of them are for the end that is kept
        let early = self.compares && self.restarts == Restarts::Count(0) && samples.len() > 1;
        let later = if early { samples.split_off(samples.len() - 1) } else { Vec::new() };
        let (first, judges) = match samples[..] {
            [first, .., judges] => (first, judges),
            [only] => (only, only),
            [] => (Batch::All, Batch::All),
        };
        let line = self.line(oracle, first);
        let curvature = line.curvature.clone();
        let mut found = self.post(oracle, &line, samples, observer);
        // a residual that is only rounding is as exact under either model
        if self.compares && !found.outcome.sums.is_rounding() && found.outcome.reason != StopReason::Interrupted {
            found = self.choose(found, oracle, line, judges);
        }
        if later.is_empty() || found.deviation.is_some() || found.outcome.reason == StopReason::Interrupted {
            return found;
        }
        // what columns of the sample have in common at τ = 0 leads the first step
        let samples = [vec![judges], later].concat();
        let outcome = self.path(oracle, found.outcome.theta, samples, curvature.filter(|_| first == judges), observer);
        Found { outcome, ..found }
    }

    /// The end at τ_max: from the linear stage along the path, and restarts if asked for.
    fn post(&self, oracle: &mut Fold<'_>, line: &Line, samples: Vec<Batch>, observer: &mut dyn Observer) -> Found {
        let start = line.start(oracle);
        let penalty = oracle.penalty(&start);
        let mut first = self.path(oracle, start, samples.clone(), line.curvature.clone(), observer);
        // the path begins at its last temperature
        let linear_loss = (self.settings.cap == 1.0).then_some(first.first_loss - penalty);
        if oracle.labels().turn().is_some() {
            first = self.search_dip(first, line, oracle, &samples, observer);
        }
        first = self.beat_baseline(first, oracle, &samples, observer);
        match self.restarts {
            Restarts::Count(0) => Found { linear_loss, ..first.into() },
            _ => {
                let (outcome, agreed) = self.restart(first, oracle, observer);
                Found { restarts: Some(agreed), linear_loss, ..outcome.into() }
            }
        }
    }

    /// A fit that is above the model without covariates is no optimum: there is a path downhill from that model.
    fn beat_baseline(
        &self,
        first: Outcome,
        oracle: &Fold<'_>,
        samples: &[Batch],
        observer: &mut dyn Observer,
    ) -> Outcome {
        let baseline = oracle.baseline();
        let Some(intercept) = baseline.intercept else { return first };
        let decided = first.sums.is_rounding() || first.reason == StopReason::Interrupted;
        if decided || first.tau < 1.0 || first.sums.loss <= baseline.loss {
            return first;
        }
        let mut start = vec![0.0; oracle.dim()];
        start.iter_mut().skip(oracle.coefficients()).for_each(|b| *b = intercept);
        let mut contest = Contest::new(first);
        if let Some(other) = self.rival(contest.best(), oracle, start, samples.to_vec(), observer) {
            contest.enter(other, Origin::Own);
        }
        contest.end().0
    }

    /// Compares `post`, fitted to the rows that judge, with noise before φ on them. Keeps `post` unless the plan leaves the
    /// choice to the data and these favour the other.
    fn choose(&self, post: Found, oracle: &mut Fold<'_>, line: Line, judges: Batch) -> Found {
        let (clip, linear_loss) = (oracle.labels().clip(), post.linear_loss);
        let again = |line: Line| if line.rows == judges { line } else { self.line(oracle, judges) };
        let line = (oracle.labels().outside() == 0).then(|| again(line));
        let pre = line.as_ref().map(|line| noise::pre(oracle, line));
        if oracle.is_interrupted() {
            return post;
        }
        let both = LogLikelihoods::of(oracle, judges, pre.as_ref(), &post);
        let objection = pre.as_ref().and_then(|pre| Evidence::against(oracle, judges, pre, &post, both));
        let favoured = pre.is_some() && objection.is_none();
        let found = match pre.zip(line) {
            Some((pre, line)) if favoured && self.noise == Noise::Auto => match judges {
                Batch::All => pre.found(oracle, &line),
                Batch::Part { .. } => self.pre(oracle),
            },
            _ => {
                oracle.labels_mut().restore(clip);
                post
            }
        };
        let likelier = Some(if favoured { Noise::Pre } else { Noise::Post });
        let log_likelihoods = Some(both.scaled(oracle.total_weight() / noise::weight(oracle, judges)));
        Found { log_likelihoods, likelier, objection, linear_loss, ..found }
    }

    /// The end at τ = 0.
    fn pre(&self, oracle: &mut Fold<'_>) -> Found {
        let line = self.line(oracle, Batch::All);
        noise::pre(oracle, &line).found(oracle, &line)
    }

    /// The normal equations at τ = 0 over these rows.
    pub(super) fn line(&self, oracle: &dyn Oracle, rows: Batch) -> Line {
        Line::of(oracle, rows, self.settings.ball(oracle))
    }

    /// From `start` to the last temperature, over growing `samples` of the rows, with the curvature at τ = 0 over the first
    /// of these if it is known.
    pub(super) fn path(
        &self,
        oracle: &Fold<'_>,
        start: Vec<f64>,
        samples: Vec<Batch>,
        line: Option<Symmetric>,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let stop = match samples[..] {
            // the optimum of a sample is no closer to that of all rows
            [.., Batch::Part { .. }] => Stop::new(self.tolerance.max(ROUGH), self.epochs),
            // on many rows two more digits cost a pass
            [_, _, ..] => Stop::new(self.tolerance, self.epochs),
            _ => Stop::new(self.tolerance, self.epochs).beyond_tolerance(),
        };
        fit(oracle, preset::path(&self.settings, oracle, samples, line), start, stop, observer)
    }
}
