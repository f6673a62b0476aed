//! The race of solver `auto`: no start values, no settings. It goes from the linear stage along the temperature path, and
//! lets challengers run where a lower minimum is possible.

use crate::certificate::TAIL;
use crate::error::Result;
use crate::oracle::{Batch, LabelChoice, Oracle, OracleClient};
use crate::outcome::{Noise, StopReason};
use crate::race::challengers::Challengers;
use crate::race::noise_choice::Comparison;
use crate::race::starts::linear::LinearStage;
use crate::race::starts::neighbours::neighbours;
use crate::race::starts::{both_sides, constant, scan};
use crate::race::{Contender, Found, Race, Rules, Runs, noise};
use crate::solver::preset::Course;

/// First response scales that are followed besides the best.
const RESPONSE_SCALES: usize = 2;
/// Runs that make up for a path over a sample.
const ENOUGH: usize = 5;
/// Most minima in a row, each lower than the one before, whose neighbours are looked at.
const NEIGHBOURHOODS: usize = 4;
/// Neighbours of each that are tried.
const NEIGHBOURS: usize = 3;

impl Rules {
    /// The end at τ_max on a ladder of nested samples, the last of which is all rows. The largest sample chooses between
    /// starts and between noise models. All rows are for the winner, and for its challengers.
    pub(super) fn climb(&self, ladder: &[Batch], oracle: &dyn Oracle, runs: &mut Runs<'_>) -> Result<Found> {
        if oracle.facts().is_convex {
            return self.descend(ladder, oracle, runs);
        }
        let samples = &ladder[..ladder.len().saturating_sub(1).max(1)];
        let (first, judges) = match samples {
            [first, .., judges] => (*first, *judges),
            [only] => (*only, *only),
            [] => (Batch::All, Batch::All),
        };
        let stage = self.linear_stage(oracle, first)?;
        let (margin, start) = stage.start(oracle)?;
        let graduated = &OracleClient::new(oracle, LabelChoice { margin, ..oracle.labels() });
        let penalty = oracle.facts().penalty(&start);
        let course = Course::graduated(samples.to_vec()).with_line(stage.curvature().cloned());
        let (method, stop) = self.path(graduated, course);
        let outcome = runs.run(graduated, method, start, stop, None)?;
        // the path begins at its last temperature
        let linear_loss = (self.settings.tau_max == 1.0).then_some(outcome.first_loss - penalty);
        let mut race = Race::new(self, graduated, runs, outcome, judges)?;
        race.search_both_sides(&stage, samples)?;
        race.beat_baseline(samples)?;
        race.try_response_scales(&stage)?;
        if judges == Batch::All {
            race.settle(Some(&stage))?;
        }
        let mut found = Found { linear_loss, ..race.end() };
        // a residual that is only rounding is as exact under either model
        if self.compares && !found.outcome.model.is_rounding() && found.outcome.reason != StopReason::Interrupted {
            found = self.choose(found, oracle, &stage, judges)?;
        }
        if judges == Batch::All || found.sigma.is_some() || found.outcome.reason == StopReason::Interrupted {
            return Ok(found);
        }
        // the correlations of columns in the sample at τ = 0 lead the first step
        let line = stage.curvature().filter(|_| first == judges).cloned();
        let (method, stop) = self.path(graduated, Course::graduated(vec![judges, Batch::All]).with_line(line));
        let outcome = runs.run(graduated, method, found.outcome.theta, stop, None)?;
        let mut race = Race::new(self, graduated, runs, outcome, Batch::All)?;
        race.settle(None)?;
        let Found { outcome, restarts, lower_at_infinity, certificate, .. } = race.end();
        Ok(Found { outcome, restarts, lower_at_infinity, certificate, ..found })
    }

    /// The end at τ = 1 of a convex loss on the same ladder, from the model without covariates: one run, since every run ends
    /// at the same minimum.
    fn descend(&self, ladder: &[Batch], oracle: &dyn Oracle, runs: &mut Runs<'_>) -> Result<Found> {
        let facts = oracle.facts();
        let start = constant::start(facts).unwrap_or_else(|| facts.layout.zero());
        let course = Course { graduated: false, ..Course::graduated(ladder.to_vec()) };
        let (method, stop) = self.path(oracle, course);
        Ok(Found::new(runs.run(oracle, method, start, stop, None)?, oracle.labels()))
    }

    /// Fits again on all rows, unless the fit whose path began on a sample of them is beyond doubt: a certified minimum, and
    /// not on the tail of a slope that the sample may have led to. Where few rows carry the information, such as the ones
    /// among many zeros, a sample may have an optimum at infinity that all rows have not, and no path leads back from there.
    pub(super) fn retry_on_all_rows(
        &self,
        mut first: Found,
        oracle: &dyn Oracle,
        runs: &mut Runs<'_>,
    ) -> Result<Found> {
        let certificate = first.certificate(oracle)?;
        let curved = certificate.smallest_eigenvalue.is_some_and(|ratio| ratio > TAIL);
        // challengers have had all rows
        let challenged = first.restarts.is_some_and(|(_, runs)| runs >= ENOUGH);
        if (certificate.certified() && (curved || challenged)) || oracle.is_interrupted() {
            return Ok(first);
        }
        let mut second = self.climb(&[Batch::All], oracle, runs)?;
        let certified = [certificate, second.certificate(oracle)?].map(|certificate| certificate.certified());
        let losses = oracle.losses(&[&first, &second].map(|found| found.outcome.theta.clone()), 1.0, Batch::All)?;
        let lower = losses.last() < losses.first();
        Ok(if certified == [false, true] || (certified[0] == certified[1] && lower) { second } else { first })
    }

    /// Compares `post`, fitted to the rows that judge, with noise before φ on them. Keeps `post` unless the plan leaves the
    /// choice to the data and these favour the other.
    fn choose(&self, post: Found, oracle: &dyn Oracle, stage: &LinearStage, judges: Batch) -> Result<Found> {
        let linear_loss = post.linear_loss;
        let own = (stage.rows() != judges).then(|| self.linear_stage(oracle, judges)).transpose()?;
        let stage = own.as_ref().unwrap_or(stage);
        let has_preimages = oracle.facts().preimages.without_preimage == 0;
        let pre = has_preimages.then(|| noise::pre(oracle, stage)).transpose()?;
        if oracle.is_interrupted() {
            return Ok(post);
        }
        let both = noise::log_likelihoods(oracle, judges, pre.as_ref(), &post);
        let objection = match &pre {
            Some(pre) => Comparison::against(oracle, judges, pre, &post, both)?,
            None => None,
        };
        let favoured = pre.is_some() && objection.is_none();
        let found = match pre {
            Some(pre) if favoured && self.noise == Noise::Auto => match judges {
                Batch::All => pre.found(oracle, stage)?,
                _ => self.pre(oracle)?,
            },
            _ => post,
        };
        let likelier = Some(if favoured { Noise::Pre } else { Noise::Post });
        let log_likelihoods = Some(both.scaled(oracle.facts().total_weight / noise::weight(oracle, judges)));
        Ok(Found { log_likelihoods, likelier, objection, linear_loss, ..found })
    }

    /// The end at τ = 0.
    pub(super) fn pre(&self, oracle: &dyn Oracle) -> Result<Found> {
        let stage = self.linear_stage(oracle, Batch::All)?;
        noise::pre(oracle, &stage)?.found(oracle, &stage)
    }
}

impl Race<'_, '_> {
    /// Challenges from the next best of the first response scales, if it is free, and from the other sign of the coefficient,
    /// if that decides on which side of φ some rows lie.
    fn try_response_scales(&mut self, stage: &LinearStage) -> Result<()> {
        let (facts, rows) = (self.oracle.facts(), self.best_of.rows());
        let mut starts = match facts.layout.has_response() {
            true => stage.rescaled_starts(self.oracle)?.into_iter().skip(1).take(RESPONSE_SCALES).collect(),
            false => Vec::new(),
        };
        if facts.has_limits {
            let mut other = self.best_of.best().theta.clone();
            facts.layout.coefficients_mut(&mut other).iter_mut().for_each(|w| *w = -*w);
            starts.push(other);
        }
        starts.into_iter().try_for_each(|start| self.challenge(Contender::plain(start, rows)))
    }

    /// Lets challengers run where a lower minimum is possible, and as many restarts as were asked for.
    fn settle(&mut self, stage: Option<&LinearStage>) -> Result<()> {
        // below τ = 1 there are no labels of the user's to be fitted
        if self.rules.settings.tau_max == 1.0 && !self.best_of.is_interrupted() {
            let certificate = self.best_of.examine(self.oracle)?;
            if let Some(challengers) = Challengers::of(self.oracle, self.best_of.best(), &certificate)? {
                match stage {
                    Some(stage) => self.try_starts(challengers, stage)?,
                    None => self.try_starts(challengers, &self.rules.linear_stage(self.oracle, Batch::All)?)?,
                }
            }
        }
        self.restart_until(Challengers::asked(self.rules.restarts, &self.best_of))
    }

    fn restart_until(&mut self, challengers: Challengers) -> Result<()> {
        while !challengers.is_done(&self.best_of) {
            self.restart()?;
        }
        Ok(())
    }

    /// Challenges until it is clear which minimum is the lowest: from the matching loss where the optimum is at infinity, from
    /// labels near zero that come from the far left, from the lowest points of a scan, from the model without covariates, by
    /// restarts, and from valleys beside the best.
    fn try_starts(&mut self, challengers: Challengers, stage: &LinearStage) -> Result<()> {
        if self.best_of.is_over() {
            return Ok(());
        }
        let oracle = self.oracle;
        let scanned = scan::starts(oracle, stage)?;
        let has_matching = oracle.facts().activation.is_monotone && !oracle.facts().layout.has_response();
        let matching = match has_matching && self.best_of.is_infinite() {
            true => Some(self.rules.separation(oracle, self.runs)?),
            false => None,
        };
        let others = stage.far_left(oracle)?.into_iter().chain(scanned).chain(constant::start(oracle.facts()));
        for (k, start) in matching.into_iter().chain(others).enumerate() {
            if k > 0 && challengers.is_done(&self.best_of) {
                break;
            }
            self.challenge(Contender::plain(start, Batch::All))?;
            if k == 0 && !scan::is_everywhere(oracle) && challengers.is_thorough() {
                self.restart()?;
            }
        }
        self.restart_until(challengers)?;
        if challengers.is_thorough() { self.try_neighbours(stage) } else { Ok(()) }
    }

    /// Looks into valleys beside the best, and beside the minimum that is found there as long as that is lower.
    fn try_neighbours(&mut self, stage: &LinearStage) -> Result<()> {
        for _ in 0..NEIGHBOURHOODS {
            if self.best_of.is_over() || self.best_of.is_infinite() {
                break;
            }
            let before = self.best_of.best().theta.clone();
            for start in neighbours(self.oracle, self.best_of.best(), stage, NEIGHBOURS)? {
                self.challenge(Contender::plain(start, Batch::All).beside_best())?;
            }
            if self.best_of.best().theta == before {
                break;
            }
        }
        Ok(())
    }

    /// Where φ is not monotone, challenges the first run by paths from both sides of its minimum, until one is exact.
    fn search_both_sides(&mut self, stage: &LinearStage, samples: &[Batch]) -> Result<()> {
        let mut starts = both_sides::BothSides::new(stage, self.oracle)?;
        while !self.best_of.is_over() {
            let Some(start) = starts.next(self.oracle)? else { break };
            self.challenge(Contender::graduated(start, samples))?;
        }
        Ok(())
    }

    /// A fit that is above the model without covariates is no optimum: there is a path downhill from that model.
    fn beat_baseline(&mut self, samples: &[Batch]) -> Result<()> {
        let (best, facts) = (self.best_of.best(), self.oracle.facts());
        if self.best_of.is_over() || best.tau < 1.0 || best.model.loss <= facts.baseline.loss {
            return Ok(());
        }
        constant::start(facts).map_or(Ok(()), |start| self.challenge(Contender::graduated(start, samples)))
    }
}
