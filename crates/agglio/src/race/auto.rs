//! The race of solver `auto`: no start values, no settings. It goes from the linear stage along the temperature path, and
//! lets challengers run where a lower minimum is possible.

use crate::certificate::TAIL;
use crate::error::Result;
use crate::fit::{Observer, Outcome, Stop, fit};
use crate::oracle::{Batch, LabelChoice, Oracle, OracleClient};
use crate::outcome::{Noise, StopReason};
use crate::race::best_of::{BestOf, Kept, Origin};
use crate::race::effort::Effort;
use crate::race::noise_choice::Evidence;
use crate::race::starts::constant;
use crate::race::starts::linear::LinearStage;
use crate::race::starts::neighbours::neighbours;
use crate::race::starts::scan::{FEW, scan, scan_everywhere};
use crate::race::{Found, Rules, noise};
use crate::solver::preset::{self, Course};
use crate::spec::Restarts;

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

impl Rules {
    /// Fits the end or the ends that the plan asks for.
    pub(super) fn auto(&self, oracle: &dyn Oracle, observer: &mut dyn Observer) -> Result<Found> {
        if self.settings.tau_max == 0.0 {
            return self.pre(oracle);
        }
        let samples = preset::samples(oracle);
        let sampled = samples.len() > 1;
        let first = self.auto_over(samples, oracle, observer)?;
        if sampled { self.retry_on_all_rows(first, oracle, observer) } else { Ok(first) }
    }

    /// Makes a fit again on all rows whose path began on a sample of them, unless it is beyond doubt: a certified minimum,
    /// and not on the tail of a slope that the sample may have led to. Where few rows say something, such as the ones among
    /// many zeros, a sample may have an optimum at infinity that all rows have not, and no path leads back from there.
    fn retry_on_all_rows(&self, mut first: Found, oracle: &dyn Oracle, observer: &mut dyn Observer) -> Result<Found> {
        let certificate = first.certificate(oracle)?;
        let curved = certificate.smallest_eigenvalue.is_some_and(|ratio| ratio > TAIL);
        // challengers have had all rows
        let challenged = first.restarts.is_some_and(|(_, runs)| runs >= ENOUGH);
        if (certificate.certified() && (curved || challenged)) || oracle.is_interrupted() {
            return Ok(first);
        }
        let mut second = self.auto_over(vec![Batch::All], oracle, observer)?;
        let certified = [certificate, second.certificate(oracle)?].map(|certificate| certificate.certified());
        let losses = oracle.losses(&[&first, &second].map(|found| found.outcome.theta.clone()), 1.0, Batch::All)?;
        let lower = losses.last() < losses.first();
        Ok(if certified == [false, true] || (certified[0] == certified[1] && lower) { second } else { first })
    }

    fn auto_over(&self, mut samples: Vec<Batch>, oracle: &dyn Oracle, observer: &mut dyn Observer) -> Result<Found> {
        // where there are many rows, a sample of them knows where the noise is, and all of them are for the end that is kept
        let early = self.compares && self.restarts == Restarts::Count(0) && samples.len() > 1;
        let later = if early { samples.split_off(samples.len() - 1) } else { Vec::new() };
        let (first, judges) = match samples[..] {
            [first, .., judges] => (first, judges),
            [only] => (only, only),
            [] => (Batch::All, Batch::All),
        };
        let stage = self.linear_stage(oracle, first)?;
        let curvature = stage.curvature().cloned();
        let mut found = self.post(oracle, &stage, samples, observer)?;
        // a residual that is only rounding is as exact under either model
        if self.compares && !found.outcome.model.is_rounding() && found.outcome.reason != StopReason::Interrupted {
            found = self.choose(found, oracle, stage, judges)?;
        }
        if later.is_empty() || found.sigma.is_some() || found.outcome.reason == StopReason::Interrupted {
            return Ok(found);
        }
        // the correlations of columns in the sample at τ = 0 lead the first step
        let samples = [vec![judges], later].concat();
        let course = Course::graduated(samples).with_line(curvature.filter(|_| first == judges));
        let view = OracleClient::new(oracle, found.labels);
        let outcome = self.path(&view, found.outcome.theta, course, observer)?;
        let settled = self.settle(BestOf::new(outcome, &view, Batch::All)?, None, &view, observer)?;
        let Found { outcome, restarts, lower_at_infinity, certificate, .. } = settled;
        Ok(Found { outcome, restarts, lower_at_infinity, certificate, ..found })
    }

    /// The end at τ_max: from the linear stage along the path, and challengers where they may pay or are asked for.
    fn post(
        &self,
        oracle: &dyn Oracle,
        stage: &LinearStage,
        samples: Vec<Batch>,
        observer: &mut dyn Observer,
    ) -> Result<Found> {
        let (margin, start) = stage.start(oracle)?;
        let oracle = &OracleClient::new(oracle, LabelChoice { margin, ..oracle.labels() });
        let penalty = oracle.facts().penalty(&start);
        let course = Course::graduated(samples.clone()).with_line(stage.curvature().cloned());
        let first = self.path(oracle, start, course, observer)?;
        // the path begins at its last temperature
        let linear_loss = (self.settings.tau_max == 1.0).then_some(first.first_loss - penalty);
        let mut race = BestOf::new(first, oracle, samples.last().copied().unwrap_or(Batch::All))?;
        if oracle.facts().activation.argmin.is_some() {
            self.search_both_sides(&mut race, stage, oracle, &samples, observer)?;
        }
        self.beat_baseline(&mut race, oracle, &samples, observer)?;
        let settled = match samples.last() {
            Some(Batch::All) | None => self.settle(race, Some(stage), oracle, observer)?,
            // the rows of a sample have other minima
            Some(Batch::Part { .. }) => Found::new(race.end().outcome, oracle.labels()),
        };
        Ok(Found { linear_loss, ..settled })
    }

    /// Looks for a lower minimum where the evidence says that there may be one, and as often as is asked for.
    fn settle(
        &self,
        mut race: BestOf,
        stage: Option<&LinearStage>,
        oracle: &dyn Oracle,
        observer: &mut dyn Observer,
    ) -> Result<Found> {
        let asked = self.restarts != Restarts::Count(0);
        // below τ = 1 there are no labels of the user's to be fitted
        let examined = match self.settings.tau_max == 1.0 && !race.is_interrupted() {
            true => Some(race.examine(oracle)?),
            false => None,
        };
        let theta = race.best().theta.clone();
        let effort = match &examined {
            Some(certificate) => Effort::of(oracle, race.best(), certificate)?,
            None => None,
        };
        if let Some(effort) = effort {
            match stage.filter(|stage| stage.rows() == Batch::All) {
                Some(stage) => self.try_starts(effort, stage, &mut race, oracle, observer)?,
                None => {
                    let stage = self.linear_stage(oracle, Batch::All)?;
                    self.try_starts(effort, &stage, &mut race, oracle, observer)?;
                }
            }
        }
        if asked {
            self.restart(Effort::asked(self.restarts, &race), &mut race, oracle, observer)?;
        }
        let challenged = race.tried() > 0;
        let Kept { outcome, agreed, lower_at_infinity } = race.end();
        let known = outcome.theta == theta && outcome.reason != StopReason::Interrupted;
        Ok(Found {
            restarts: challenged.then_some(agreed),
            lower_at_infinity,
            certificate: examined.filter(|_| known),
            ..Found::new(outcome, oracle.labels())
        })
    }

    /// Challenges until it is clear which minimum is the lowest: from the matching loss where the optimum is at infinity, from
    /// labels near zero that come from the far left, from the lowest points of a scan, from the model without covariates, by
    /// restarts, and from valleys beside the best.
    fn try_starts(
        &self,
        effort: Effort,
        stage: &LinearStage,
        race: &mut BestOf,
        oracle: &dyn Oracle,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        if race.is_over() {
            return Ok(());
        }
        let everywhere = oracle.facts().layout.coefficients <= FEW;
        let scanned = match everywhere {
            true => scan_everywhere(oracle, 3)?,
            false => scan(oracle, &stage.widest(oracle)?, 2)?,
        };
        let matching = self.matching_start(race, oracle, observer)?;
        let starts =
            matching.into_iter().chain(stage.far_left(oracle)?).chain(scanned).chain(constant::start(oracle.facts()));
        for (k, start) in starts.enumerate() {
            if k > 0 && effort.is_done(race) {
                break;
            }
            self.challenge(race, Origin::Independent, oracle, start, Course::plain(Batch::All), observer)?;
            if k == 0 && !everywhere && effort.is_thorough() {
                self.restart_once(race, oracle, observer)?;
            }
        }
        self.restart(effort, race, oracle, observer)?;
        if effort.is_thorough() {
            self.try_neighbours(race, stage, oracle, observer)?;
        }
        Ok(())
    }

    /// Where the matching loss leads, which is convex where φ rises: to a separation of the labels if there is one.
    fn matching_start(
        &self,
        race: &BestOf,
        oracle: &dyn Oracle,
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<f64>>> {
        if !(oracle.facts().activation.is_monotone && race.is_infinite()) {
            return Ok(None);
        }
        Ok(Some(self.reweighted(MATCHING_ROUNDS, oracle, observer)?.theta))
    }

    /// Looks into valleys beside the best, and beside what is found there as long as that is lower.
    fn try_neighbours(
        &self,
        race: &mut BestOf,
        stage: &LinearStage,
        oracle: &dyn Oracle,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        for _ in 0..NEIGHBOURHOODS {
            if race.is_over() || race.is_infinite() {
                break;
            }
            let before = race.best().theta.clone();
            for start in neighbours(oracle, race.best(), stage, NEIGHBOURS)? {
                self.challenge(race, Origin::Best, oracle, start, Course::plain(Batch::All), observer)?;
            }
            if race.best().theta == before {
                break;
            }
        }
        Ok(())
    }

    /// A fit that is above the model without covariates is no optimum: there is a path downhill from that model.
    fn beat_baseline(
        &self,
        race: &mut BestOf,
        oracle: &dyn Oracle,
        samples: &[Batch],
        observer: &mut dyn Observer,
    ) -> Result<()> {
        if race.is_over() || race.best().tau < 1.0 || race.best().model.loss <= oracle.facts().baseline.loss {
            return Ok(());
        }
        match constant::start(oracle.facts()) {
            Some(start) => {
                let course = Course::graduated(samples.to_vec());
                self.challenge(race, Origin::Independent, oracle, start, course, observer)
            }
            None => Ok(()),
        }
    }

    /// Compares `post`, fitted to the rows that judge, with noise before φ on them. Keeps `post` unless the plan leaves the
    /// choice to the data and these favour the other.
    fn choose(&self, post: Found, oracle: &dyn Oracle, stage: LinearStage, judges: Batch) -> Result<Found> {
        let linear_loss = post.linear_loss;
        let stage = match oracle.facts().preimages.without_preimage == 0 {
            true if stage.rows() == judges => Some(stage),
            true => Some(self.linear_stage(oracle, judges)?),
            false => None,
        };
        let pre = stage.as_ref().map(|stage| noise::pre(oracle, stage)).transpose()?;
        if oracle.is_interrupted() {
            return Ok(post);
        }
        let both = noise::log_likelihoods(oracle, judges, pre.as_ref(), &post);
        let objection = match &pre {
            Some(pre) => Evidence::against(oracle, judges, pre, &post, both)?,
            None => None,
        };
        let favoured = pre.is_some() && objection.is_none();
        let found = match pre.zip(stage) {
            Some((pre, stage)) if favoured && self.noise == Noise::Auto => match judges {
                Batch::All => pre.found(oracle, &stage)?,
                Batch::Part { .. } => self.pre(oracle)?,
            },
            _ => post,
        };
        let likelier = Some(if favoured { Noise::Pre } else { Noise::Post });
        let log_likelihoods = Some(both.scaled(oracle.facts().total_weight / noise::weight(oracle, judges)));
        Ok(Found { log_likelihoods, likelier, objection, linear_loss, ..found })
    }

    /// The end at τ = 0.
    fn pre(&self, oracle: &dyn Oracle) -> Result<Found> {
        let stage = self.linear_stage(oracle, Batch::All)?;
        noise::pre(oracle, &stage)?.found(oracle, &stage)
    }

    /// The linear stage over these rows.
    pub(super) fn linear_stage(&self, oracle: &dyn Oracle, rows: Batch) -> Result<LinearStage> {
        LinearStage::of(oracle, rows, self.settings.ball(oracle))
    }

    /// From `start` to the last temperature.
    pub(super) fn path(
        &self,
        oracle: &dyn Oracle,
        start: Vec<f64>,
        course: Course,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
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
