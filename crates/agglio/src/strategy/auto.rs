//! The *auto* strategy: no start, no knobs; from the linear stage along the temperature path, to the end that the noise
//! asks for.

use crate::certificate::TAIL;
use crate::fit::Observer;
use crate::fit::Stop;
use crate::fit::{Outcome, fit};
use crate::oracle::Batch;
use crate::oracle::{Fold, Oracle};
use crate::outcome::Noise;
use crate::outcome::StopReason;
use crate::solver::preset::{self, Course};
use crate::strategy::effort::Effort;
use crate::strategy::linear::NormalEquations;
use crate::strategy::neighbours::neighbours;
use crate::strategy::noise;
use crate::strategy::noise_choice::Evidence;
use crate::strategy::race::{BestOf, Kept, Origin};
use crate::strategy::scan::{FEW, scan, scan_everywhere};
use crate::strategy::{Found, Plan, Restarts};

/// The relative gradient at which a path over a sample of the rows ends.
const ROUGH: f64 = 1e-4;

/// Runs that make up for a path over a sample.
const ENOUGH: usize = 5;
/// Most minima in a row, each lower than the one before, whose neighbours are looked at.
const NEIGHBOURHOODS: usize = 4;
/// Neighbours of each that are tried.
const NEIGHBOURS: usize = 3;
/// Rounds of reweighting for a start.
const MATCHING_ROUNDS: usize = 12;

impl Plan {
    /// Fits the end or the ends that the plan asks for.
    pub(super) fn auto(&self, oracle: &mut Fold<'_>, observer: &mut dyn Observer) -> Found {
        if self.settings.tau_max == 0.0 {
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
        // challengers have had all rows
        let challenged = first.restarts.is_some_and(|(_, runs)| runs > ENOUGH);
        if (certificate.certified() && (curved || challenged)) || oracle.is_interrupted() {
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
        if later.is_empty() || found.sigma.is_some() || found.outcome.reason == StopReason::Interrupted {
            return found;
        }
        // what columns of the sample have in common at τ = 0 leads the first step
        let samples = [vec![judges], later].concat();
        let outcome = self.path(
            oracle,
            found.outcome.theta,
            Course::graduated(samples).with_line(curvature.filter(|_| first == judges)),
            observer,
        );
        let settled = self.settle(BestOf::new(outcome, oracle, Batch::All), None, oracle, observer);
        let Found { outcome, restarts, lower_at_infinity, certificate, .. } = settled;
        Found { outcome, restarts, lower_at_infinity, certificate, ..found }
    }

    /// The end at τ_max: from the linear stage along the path, and challengers where they may pay or are asked for.
    fn post(
        &self,
        oracle: &mut Fold<'_>,
        line: &NormalEquations,
        samples: Vec<Batch>,
        observer: &mut dyn Observer,
    ) -> Found {
        let start = line.start(oracle);
        let penalty = oracle.penalty(&start);
        let first =
            self.path(oracle, start, Course::graduated(samples.clone()).with_line(line.curvature.clone()), observer);
        // the path begins at its last temperature
        let linear_loss = (self.settings.tau_max == 1.0).then_some(first.first_loss - penalty);
        let mut race = BestOf::new(first, oracle, samples.last().copied().unwrap_or(Batch::All));
        if oracle.labels().argmin().is_some() {
            self.search_dip(&mut race, line, oracle, &samples, observer);
        }
        self.beat_baseline(&mut race, oracle, &samples, observer);
        let settled = match samples.last() {
            Some(Batch::All) | None => self.settle(race, Some(line), oracle, observer),
            // the rows of a sample have other minima
            Some(Batch::Part { .. }) => race.end().outcome.into(),
        };
        Found { linear_loss, ..settled }
    }

    /// Looks for a lower minimum where the evidence says that there may be one, and as often as is asked for.
    fn settle(
        &self,
        mut race: BestOf,
        line: Option<&NormalEquations>,
        oracle: &Fold<'_>,
        observer: &mut dyn Observer,
    ) -> Found {
        let asked = self.restarts != Restarts::Count(0);
        // below τ = 1 there are no labels of the user's to be fitted
        let examined = (self.settings.tau_max == 1.0 && !race.is_interrupted()).then(|| race.examine(oracle));
        let theta = race.best().theta.clone();
        let effort = examined.as_ref().and_then(|certificate| Effort::of(oracle, race.best(), certificate));
        if let Some(effort) = effort {
            match line.filter(|line| line.rows == Batch::All) {
                Some(line) => self.try_starts(effort, line, &mut race, oracle, observer),
                None => self.try_starts(effort, &self.line(oracle, Batch::All), &mut race, oracle, observer),
            }
        }
        if asked {
            self.restart(Effort::asked(self.restarts, &race), &mut race, oracle, observer);
        }
        let challenged = race.tried() > 0;
        let Kept { outcome, agreed, lower_at_infinity } = race.end();
        let known = outcome.theta == theta && outcome.reason != StopReason::Interrupted;
        Found {
            restarts: challenged.then_some(agreed),
            lower_at_infinity,
            certificate: examined.filter(|_| known),
            ..outcome.into()
        }
    }

    /// Challenges until it is clear which minimum is the lowest: from the matching loss where the optimum is at infinity, from
    /// labels near zero that come from the far left, from the lowest points of a scan, from the model without covariates, by
    /// restarts, and from valleys beside the best.
    fn try_starts(
        &self,
        effort: Effort,
        line: &NormalEquations,
        race: &mut BestOf,
        oracle: &Fold<'_>,
        observer: &mut dyn Observer,
    ) {
        if race.is_over() {
            return;
        }
        let everywhere = oracle.coefficients() <= FEW;
        let scanned = if everywhere { scan_everywhere(oracle, 3) } else { scan(oracle, &line.widest(oracle), 2) };
        let matching = self.matching_start(race, oracle, observer);
        let starts = matching.into_iter().chain(line.far_left(oracle)).chain(scanned).chain(constant(oracle));
        for (k, start) in starts.enumerate() {
            if k > 0 && effort.is_done(race) {
                break;
            }
            self.challenge(race, Origin::Independent, oracle, start, Course::plain(Batch::All), observer);
            if k == 0 && !everywhere && effort.is_thorough() {
                self.restart_once(race, oracle, observer);
            }
        }
        self.restart(effort, race, oracle, observer);
        if effort.is_thorough() {
            self.try_neighbours(race, line, oracle, observer);
        }
    }

    /// Where the matching loss leads, which is convex where φ rises: to a separation of the labels if there is one.
    fn matching_start(&self, race: &BestOf, oracle: &Fold<'_>, observer: &mut dyn Observer) -> Option<Vec<f64>> {
        (oracle.labels().is_monotone() && race.is_infinite())
            .then(|| self.reweighted(MATCHING_ROUNDS, oracle, observer).theta)
    }

    /// Looks into valleys beside the best, and beside what is found there as long as that is lower.
    fn try_neighbours(
        &self,
        race: &mut BestOf,
        line: &NormalEquations,
        oracle: &Fold<'_>,
        observer: &mut dyn Observer,
    ) {
        for _ in 0..NEIGHBOURHOODS {
            if race.is_over() || race.is_infinite() {
                break;
            }
            let before = race.best().theta.clone();
            for start in neighbours(oracle, race.best(), line, NEIGHBOURS) {
                self.challenge(race, Origin::Best, oracle, start, Course::plain(Batch::All), observer);
            }
            if race.best().theta == before {
                break;
            }
        }
    }

    /// A fit that is above the model without covariates is no optimum: there is a path downhill from that model.
    fn beat_baseline(&self, race: &mut BestOf, oracle: &Fold<'_>, samples: &[Batch], observer: &mut dyn Observer) {
        if race.is_over() || race.best().tau < 1.0 || race.best().sums.loss <= oracle.baseline().loss {
            return;
        }
        if let Some(start) = constant(oracle) {
            self.challenge(race, Origin::Independent, oracle, start, Course::graduated(samples.to_vec()), observer);
        }
    }

    /// Compares `post`, fitted to the rows that judge, with noise before φ on them. Keeps `post` unless the plan leaves the
    /// choice to the data and these favour the other.
    fn choose(&self, post: Found, oracle: &mut Fold<'_>, line: NormalEquations, judges: Batch) -> Found {
        let (clip, linear_loss) = (oracle.labels().clip(), post.linear_loss);
        let again = |line: NormalEquations| if line.rows == judges { line } else { self.line(oracle, judges) };
        let line = (oracle.labels().without_preimage() == 0).then(|| again(line));
        let pre = line.as_ref().map(|line| noise::pre(oracle, line));
        if oracle.is_interrupted() {
            return post;
        }
        let both = noise::log_likelihoods(oracle, judges, pre.as_ref(), &post);
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
    pub(super) fn line(&self, oracle: &dyn Oracle, rows: Batch) -> NormalEquations {
        NormalEquations::of(oracle, rows, self.settings.ball(oracle))
    }

    /// From `start` to the last temperature.
    pub(super) fn path(
        &self,
        oracle: &Fold<'_>,
        start: Vec<f64>,
        course: Course,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let epochs = course.epochs.min(self.epochs);
        let stop = match course.samples[..] {
            // the optimum of a sample is no closer to that of all rows
            [.., Batch::Part { .. }] => Stop::new(self.tolerance.max(ROUGH), epochs),
            // on many rows two more digits cost a pass
            [_, _, ..] => Stop::new(self.tolerance, epochs),
            _ => Stop::new(self.tolerance, epochs).beyond_tolerance(),
        };
        fit(oracle, preset::path(&self.settings, oracle, course), start, stop, observer)
    }
}

/// The model without covariates; none where it has no intercept or an infinite one.
fn constant(oracle: &Fold<'_>) -> Option<Vec<f64>> {
    let mut theta = vec![0.0; oracle.dim()];
    theta[oracle.coefficients()..].fill(oracle.baseline().intercept?);
    Some(theta)
}
