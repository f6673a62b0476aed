//! The *auto* strategy: no start, no knobs; from the linear stage along the temperature path, to the end that the noise
//! asks for.

use crate::fit::{Outcome, fit};
use crate::observe::Observer;
use crate::oracle::{Fold, Oracle};
use crate::rows::Batch;
use crate::solver::preset;
use crate::stop::{Stop, StopReason};
use crate::strategy::linear::Line;
use crate::strategy::noise::{self, LogLikelihoods};
use crate::strategy::{Found, Noise, Plan, Restarts};

impl Plan {
    /// Fits the end or the ends that the plan asks for.
    pub(super) fn auto(&self, oracle: &mut Fold<'_>, observer: &mut dyn Observer) -> Found {
        if self.settings.cap == 0.0 {
            return noise::pre(oracle, &self.line(oracle, Batch::All), Batch::All).into();
        }
        let samples = preset::samples(oracle);
        let post = self.post(oracle, samples.clone(), observer);
        // a residual that is only rounding is as exact under either model, and a penalty or a ball shrinks the two by
        // different amounts, so that their likelihoods cannot be compared
        let exact = post.outcome.sums.is_rounding();
        let shrunk = self.l2 > 0.0 || self.settings.radius.is_some();
        if self.noise != Noise::Auto || exact || shrunk || post.outcome.reason == StopReason::Interrupted {
            return post;
        }
        // where there are many rows, a tenth of them knows where the noise is
        let judges = samples.iter().rev().nth(1).copied().unwrap_or(Batch::All);
        self.choose(post, oracle, judges)
    }

    /// The end at τ_max: from the linear stage along the path, and restarts if asked for.
    fn post(&self, oracle: &mut Fold<'_>, samples: Vec<Batch>, observer: &mut dyn Observer) -> Found {
        let rows = samples.first().copied().unwrap_or(Batch::All);
        let line = self.line(oracle, rows);
        let start = line.start(oracle, rows);
        let penalty = oracle.penalty(&start);
        let mut first = self.path(oracle, start, samples.clone(), observer);
        // the path begins at its last temperature
        let linear_loss = (self.settings.cap == 1.0).then_some(first.first_loss - penalty);
        let undecided = !first.sums.is_rounding() && first.reason != StopReason::Interrupted;
        if oracle.labels().ambiguous() > 0 && undecided {
            // where most labels lie in the dip, the nearer preimages may be the wrong ones for good; a mixture over both
            // of them does not have to choose
            let start = noise::pre(oracle, &line, rows).outcome.theta;
            oracle.labels_mut().choose(0);
            let other = self.path(oracle, start, samples, observer);
            first = if other.sums.loss < first.sums.loss { other } else { first };
        }
        match self.restarts {
            Restarts::Count(0) => Found { linear_loss, ..first.into() },
            _ => {
                let (outcome, agreed) = self.restart(first, oracle, observer);
                Found { restarts: Some(agreed), linear_loss, ..outcome.into() }
            }
        }
    }

    /// Keeps `post` unless noise before φ is clearly more likely on the rows that judge.
    fn choose(&self, post: Found, oracle: &mut Fold<'_>, judges: Batch) -> Found {
        let linear_loss = post.linear_loss;
        let (all, asked) = (oracle.rows() as f64, judges.len(oracle.rows()));
        let loss = match judges {
            Batch::All => post.outcome.sums.loss,
            _ => oracle.losses(std::slice::from_ref(&post.outcome.theta), 1.0, judges)[0],
        };
        let likelihood = noise::gaussian(asked, loss - oracle.penalty(&post.outcome.theta));
        let pre = (oracle.labels().outside() == 0).then(|| noise::pre(oracle, &self.line(oracle, judges), judges));
        let both = LogLikelihoods { pre: pre.as_ref().map(|pre| pre.log_likelihood), post: likelihood };
        let found = match pre {
            Some(pre) if both.favour_pre() && judges == Batch::All => pre.into(),
            Some(_) if both.favour_pre() => noise::pre(oracle, &self.line(oracle, Batch::All), Batch::All).into(),
            _ => post,
        };
        Found { log_likelihoods: Some(both.scaled(all / asked as f64)), linear_loss, ..found }
    }

    /// The normal equations at τ = 0 over these rows.
    pub(super) fn line(&self, oracle: &dyn Oracle, rows: Batch) -> Line {
        Line::of(oracle, rows, self.settings.ball(oracle))
    }

    /// From `start` to the last temperature, over growing `samples` of the rows.
    pub(super) fn path(
        &self,
        oracle: &Fold<'_>,
        start: Vec<f64>,
        samples: Vec<Batch>,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let method = preset::path(&self.settings, oracle, samples);
        fit(oracle, method, start, Stop::new(self.tolerance, self.epochs).beyond_tolerance(), observer)
    }
}
