//! The *check* of options before any data is read: each value against its range, and choices against each other.

use crate::error::{Error, ErrorKind, Result};
use crate::outcome::Noise;
use crate::solver::Solver;
use crate::spec::form::LOSS;
use crate::spec::{KEYS, Options, Prove, Restarts, Spec, Start};
use crate::text::join::quoted;
use crate::theory::Algorithm;

/// Refuses two choices that do not go together.
pub(super) fn refuse(broken: bool, one: &str, other: &str, reason: &str) -> Result<()> {
    match broken {
        false => Ok(()),
        true => Err(ErrorKind::Incompatible { one: one.into(), other: other.into(), reason: reason.into() }.into()),
    }
}

impl Options {
    /// Finds every mistake that can be found without data.
    ///
    /// # Errors
    /// For a number outside its range, and for choices that do not go together, naming both.
    pub(crate) fn check(&self) -> Result<()> {
        KEYS.iter().try_for_each(|key| key.check(&self.spec))?;
        self.spec.check_temperatures()?;
        self.spec.check_keys()?;
        self.spec.check_values()?;
        self.spec.check_response()?;
        self.spec.check_loss()?;
        self.spec.check_proof()?;
        self.spec.check_stream()?;
        self.check_activation()
    }

    fn check_activation(&self) -> Result<()> {
        let (phi, spec) = (&self.activation, &self.spec);
        refuse(
            spec.branch.is_some() && !phi.range().attained,
            &format!("activation `{}`", phi.name()),
            "`branch`",
            "each response has one preimage; it can have two only under `silu` and `gelu`",
        )?;
        let objection = spec.loss().objection(phi.as_ref());
        refuse(
            objection.is_some(),
            &spec.loss_given(),
            &format!("activation `{}`", phi.name()),
            objection.unwrap_or_default(),
        )?;
        // at τ = 0 every activation is a line
        let unbounded = spec.last_temperature() > 0.0 && phi.largest_slope().is_none();
        refuse(
            unbounded && spec.solver().needs_slope(spec.eta, spec.epsilon),
            &format!("solver `{}`", spec.solver()),
            "an activation of unbounded derivative",
            match spec.solver().is_adaptive() {
                true => "it needs the largest derivative; use solver `auto` or `gd`, or give epsilon",
                false => {
                    "no step length is safe; use solver `auto`, or `gd`, which searches for its step length, or give eta"
                }
            },
        )
    }
}

impl Spec {
    /// The first temperature is not above the last.
    fn check_temperatures(&self) -> Result<()> {
        let last = self.last_temperature();
        refuse(
            last == 0.0 && (self.tau0.is_some() || self.beta.is_some()),
            "a last temperature of 0",
            "`tau0` or `beta`",
            "the fit begins and ends at τ = 0, so there is no graduation",
        )?;
        match self.tau0.filter(|&tau0| tau0 > last) {
            None => Ok(()),
            Some(tau0) => {
                let allowed = format!("it must be above 0 and at most {last}, the last temperature");
                Err(Error::parameter("tau0", tau0, &allowed))
            }
        }
    }

    /// A key that the solver does not use is an error that names both.
    fn check_keys(&self) -> Result<()> {
        let solver = self.solver();
        let in_force = KEYS.iter().filter(|key| self.is_in_force(key.name));
        in_force.filter_map(|key| Some((key, key.refusal(solver)?))).try_for_each(|(key, reason)| {
            refuse(true, &format!("solver `{solver}`"), &format!("`{}`", key.name), &reason)
        })
    }

    /// Whether an option is given with a value other than the default.
    fn is_in_force(&self, key: &str) -> bool {
        let off = match key {
            "init" => self.start == Some(Start::Zero),
            "restarts" => self.restarts == Some(Restarts::Count(0)),
            "l2" => self.l2 == Some(0.0),
            _ => false,
        };
        self.has(key) && !off
    }

    /// A free response scale is fitted at τ = 1, by solvers that search for their step.
    fn check_response(&self) -> Result<()> {
        let (free, solver) = (self.has_free_response(), self.solver());
        refuse(
            free && self.last_temperature() < 1.0,
            "a free entry of the response scale",
            "a last temperature below 1, or noise `pre`",
            "it is fitted at τ = 1; give its value, or fit with noise `post`",
        )?;
        let fitting = Solver::ALL.into_iter().filter(|solver| solver.fits_response()).map(Solver::name);
        refuse(
            free && !solver.fits_response(),
            &format!("solver `{solver}`"),
            "a free entry of the response scale",
            &format!("only {} fit it", quoted(fitting, "and")),
        )
    }

    /// A convex loss is minimised at τ = 1, on the scale of φ, by solvers that search for their step.
    fn check_loss(&self) -> Result<()> {
        let (convex, solver) = (self.loss().is_convex(), self.solver());
        let refuse = |broken: bool, other: &str, reason: &str| refuse(broken, &self.loss_given(), other, reason);
        let pre = matches!(self.noise, Some(Noise::Pre | Noise::Auto));
        refuse(
            convex && pre,
            &format!("noise `{}`", self.noise.unwrap_or_default().name()),
            "it models the mean of the response, not φ⁻¹(y); use noise `post`",
        )?;
        refuse(
            convex && self.last_temperature() < 1.0,
            "a last temperature below 1",
            "it is convex, so there is nothing to graduate; leave `tau-max` out",
        )?;
        let scale = if self.range.is_some() { "`range`" } else { "`affine`" };
        refuse(
            convex && (self.range.is_some() || self.affine.is_some()),
            scale,
            "its responses are shares from 0 to 1; rescale the response, or use loss `squares`",
        )?;
        let fitting = Solver::ALL.into_iter().filter(|solver| solver.fits_any_loss()).map(Solver::name);
        refuse(
            convex && !solver.fits_any_loss(),
            &format!("solver `{solver}`"),
            &format!("only {} minimise it", quoted(fitting, "and")),
        )?;
        refuse(
            convex && self.is_in_force("restarts"),
            "`restarts`",
            "it is convex, so every start leads to the same minimum; leave them out",
        )
    }

    /// A proof is about least squares at τ = 1 over the whole space.
    fn check_proof(&self) -> Result<()> {
        let proves = matches!(self.prove, Some(Prove::Gap(_)));
        refuse(
            self.prove_seconds.is_some() && self.prove == Some(Prove::None),
            "`prove-seconds`",
            "`prove=none`",
            "it limits a proof; leave one of them out",
        )?;
        refuse(
            self.prove_seconds.is_some() && !proves && self.solver() != Solver::Auto,
            "`prove-seconds`",
            &format!("solver `{}`", self.solver()),
            "only solver `auto` makes proofs by itself; add `prove`",
        )?;
        refuse(
            proves && self.radius.is_some(),
            "`prove`",
            "`radius`",
            "a proof searches the whole space; leave the radius out",
        )?;
        refuse(
            proves && self.last_temperature() < 1.0,
            "`prove`",
            "a last temperature below 1",
            "only the loss at τ = 1 has a minimum to be proven; use noise `post`",
        )
    }

    /// Rows that are read again in every pass are not visited in minibatches, and a proof keeps all of them in memory.
    pub(crate) fn check_stream(&self) -> Result<()> {
        let (streams, solver) = (self.stream == Some(true), self.solver());
        let visits_batches = solver.uses_batches() || self.batch.is_some() || self.algorithm == Some(Algorithm::Two);
        let full: Vec<&str> =
            Solver::ALL.into_iter().filter(|solver| !solver.uses_batches()).map(Solver::name).collect();
        refuse(
            streams && visits_batches,
            "`stream`",
            &format!("the minibatches of solver `{solver}`"),
            &format!(
                "their rows are from all over the table, which is read in order; {} use all rows",
                quoted(full, "and")
            ),
        )?;
        refuse(
            streams && matches!(self.prove, Some(Prove::Gap(_))),
            "`stream`",
            "`prove`",
            "a proof keeps all rows in memory; leave one of them out",
        )
    }

    fn loss_given(&self) -> String {
        format!("loss `{}`", LOSS.text(&self.loss()))
    }

    /// Refuses values that the solver does not take, of keys that it does take.
    fn check_values(&self) -> Result<()> {
        let solver = self.solver();
        let refuse = |broken, other, reason| refuse(broken, &format!("solver `{solver}`"), other, reason);
        refuse(
            solver == Solver::Linear && self.noise == Some(Noise::Post),
            "noise `post`",
            "it fits only the stage at τ = 0; use solver `auto` for later stages",
        )?;
        refuse(
            solver != Solver::Auto && self.noise == Some(Noise::Auto),
            "noise `auto`",
            "only solver `auto` fits both noise models; choose `pre` or `post`",
        )?;
        refuse(
            self.is_in_force("restarts") && self.last_temperature() == 0.0,
            "`restarts`",
            "none are made at a last temperature of 0; leave them out, or fit with noise `post`",
        )
    }
}
