//! The options of solver *theory*: they must meet the assumptions of a theorem of the paper.

use std::f64::consts::SQRT_2;

use super::check::refuse;
use crate::error::{Error, Result};
use crate::math::linalg::norm;
use crate::outcome::Noise;
use crate::rows::Scaling;
use crate::simulate::{LabelNoise, Shape};
use crate::solver::Solver;
use crate::spec::{Options, Spec, Start};
use crate::theory::{Algorithm, Course, Setting, Statement};

impl Options {
    /// The course that solver `theory` takes; none for the others.
    ///
    /// # Errors
    /// If the options do not meet the assumptions of the theorem.
    pub(crate) fn course(&self) -> Result<Option<Course>> {
        let spec = &self.spec;
        if spec.solver() != Solver::Theory {
            return Ok(None);
        }
        let (algorithm, statement) = (spec.algorithm.unwrap_or_default(), spec.constants.unwrap_or_default());
        spec.check_theorem(algorithm)?;
        let Some(radius) = spec.radius else {
            let allowed = "solver `theory` needs a bound on the length of the true w";
            return Err(Error::parameter("radius", "not given", allowed));
        };
        spec.check_length(radius)?;
        // the number of features is known with the rows
        let setting = Setting::new(self.activation.as_ref(), radius, spec.label_noise(statement), Some(1))?;
        Ok(Some(Course { setting, algorithm, statement }))
    }
}

impl Spec {
    /// Refuses options that no theorem of the paper covers.
    fn check_theorem(&self, algorithm: Algorithm) -> Result<()> {
        let noisy = self.sigma.is_some_and(|sigma| sigma != 0.0);
        let refuse = |broken, other, reason| refuse(broken, "solver `theory`", other, reason);
        refuse(
            self.scaling == Some(Scaling::Standard),
            "scaling `standard`",
            "its radius bounds w in the units of the data; use scaling `none`, or leave it out",
        )?;
        refuse(
            self.intercept != Some(false),
            "an intercept",
            "its theorems are for models without an intercept; fit without one",
        )?;
        refuse(
            self.batch.is_some() && algorithm == Algorithm::One,
            "`batch`",
            "Algorithm 1 uses all rows at every step; choose algorithm 2",
        )?;
        refuse(
            noisy && algorithm == Algorithm::Two,
            "`sigma`",
            "the theorem of Algorithm 2 is for responses without noise; leave it out, or choose algorithm 1",
        )?;
        refuse(
            self.noise == Some(Noise::Pre) && !noisy,
            "noise `pre` without `sigma`",
            "the size of the noise decides the last temperature; give sigma",
        )?;
        refuse(
            matches!(self.start, Some(Start::Random(_))),
            "init `random`",
            "its start must be within the radius; start at zero, or at a point within it",
        )
    }

    /// Refuses a start that may be farther than 2R from w_*.
    fn check_length(&self, radius: f64) -> Result<()> {
        let Some(Start::At { coefficients, .. }) = &self.start else { return Ok(()) };
        let length = norm(coefficients);
        if length <= radius {
            return Ok(());
        }
        let allowed =
            format!("solver `theory` starts within the radius, {radius}; start at zero, or give a larger radius");
        Err(Error::parameter("init", format!("a point of length {length}"), &allowed))
    }

    /// The noise that the theory is to allow for.
    fn label_noise(&self, statement: Statement) -> LabelNoise {
        let sigma = self.sigma.unwrap_or(0.0);
        match (self.noise, statement) {
            _ if sigma == 0.0 => LabelNoise::None,
            (Some(Noise::Pre), Statement::Corrected) => LabelNoise::Pre(sigma, Shape::Gauss),
            // as printed N(0, S²) has ς = S, by the paper's own definition S/√2
            (Some(Noise::Pre), Statement::Printed) => LabelNoise::Pre(SQRT_2 * sigma, Shape::Gauss),
            _ => LabelNoise::Post(sigma, Shape::Uniform),
        }
    }
}
