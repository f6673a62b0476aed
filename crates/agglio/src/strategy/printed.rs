//! *Printed* methods: the options that make a method the one that its paper prints, where the default differs from it, and
//! those of solver `theory`.

use std::f64::consts::SQRT_2;

use crate::error::{Error, ErrorKind, Result};
use crate::math::linalg::norm;
use crate::oracle::PreimageBranch;
use crate::outcome::Noise;
use crate::rows::Scaling;
use crate::simulate::{LabelNoise, Shape};
use crate::solver::Solver;
use crate::solver::direction::V0;
use crate::strategy::{Options, Start};
use crate::theory::{Algorithm, Course, Setting, Statement};

/// These options as they were given; none leaves the default.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Printed {
    pub decay: Option<bool>,
    pub v0: Option<V0>,
    pub passes: Option<usize>,
    pub branch: Option<PreimageBranch>,
    algorithm: Option<Algorithm>,
    sigma: Option<f64>,
    constants: Option<Statement>,
}

impl Options {
    /// Whether the step shortens once it gains nothing, and the mean of the later points is the result where that is lower.
    /// `false` is the method as printed: a constant step, and the last point. Default: it shortens, but for `adam` and `yogi`
    /// with an [`Options::epsilon`] and for `ngd` with an [`Options::eta`]. Only for `sgd`, `adam`, `yogi` and `ngd`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use agglio::{Options, Solver, activation::Sigmoid};
    /// let algorithm_2 = Options::new(Arc::new(Sigmoid)).solver(Solver::Sgd).decay(false).build()?;
    /// # let _ = algorithm_2;
    /// # Ok::<(), agglio::Error>(())
    /// ```
    ///
    /// Reference: Algorithm 2 (`algo:sgd`).
    pub fn decay(mut self, decay: bool) -> Options {
        self.printed.decay = Some(decay);
        self
    }

    /// The second moment that Yogi begins with. Default: zero. Only for `yogi`.
    pub fn v0(mut self, v0: V0) -> Options {
        self.printed.v0 = Some(v0);
        self
    }

    /// Passes over the rows before GradOpt halves its radius, ≥ 1. Default: 10. Only for `gradopt`.
    pub fn passes(mut self, passes: usize) -> Options {
        self.printed.passes = Some(passes);
        self
    }

    /// Which of two preimages graduated labels take. Default: the nearer. Only for the graduated variants of the paper, and
    /// for activations that argmin (SiLU, GELU).
    pub fn branch(mut self, branch: PreimageBranch) -> Options {
        self.printed.branch = Some(branch);
        self
    }

    /// Which of the paper's algorithms. Default: 1. Only for `theory`.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Options {
        self.printed.algorithm = Some(algorithm);
        self
    }

    /// S ≥ 0, the noise that caps the temperature: |ε| ≤ S after φ or, with noise `pre`, N(0, S²) before it. Default: 0, labels
    /// without noise. Only for `theory` with Algorithm 1.
    pub fn sigma(mut self, sigma: f64) -> Options {
        self.printed.sigma = Some(sigma);
        self
    }

    /// Whose constants and temperatures. Default: the corrected ones. Only for `theory`.
    pub fn constants(mut self, constants: Statement) -> Options {
        self.printed.constants = Some(constants);
        self
    }

    /// T of the outer loop unless given.
    pub(super) fn default_epochs(&self) -> usize {
        match self.printed.algorithm {
            Some(Algorithm::Two) => Course::EPOCHS,
            _ => self.solver.default_epochs(),
        }
    }

    /// The units that the solver works in; those of the theory are the user's.
    pub(super) fn units(&self) -> Scaling {
        self.scaling.unwrap_or(if self.solver == Solver::Theory { Scaling::None } else { Scaling::Standard })
    }

    /// Refuses what the solver does not use, naming both.
    pub(super) fn check_printed(&self) -> Result<()> {
        let (solver, given) = (self.solver, &self.printed);
        let theory_only = "only `theory` has it";
        let refused = [
            (
                given.decay.is_some() && !solver.can_decay(),
                "decay",
                "only the steps of `sgd`, `adam`, `yogi` and `ngd` shorten",
            ),
            (given.v0.is_some() && solver != Solver::Yogi, "v0", "only `yogi` has a choice of it"),
            (
                given.passes.is_some() && solver != Solver::Gradopt,
                "passes",
                "only `gradopt` has stages of several passes",
            ),
            (
                given.branch.is_some() && !solver.is_graduated(),
                "branch",
                "only the paper's variants choose a preimage for each graduated label",
            ),
            (given.algorithm.is_some() && solver != Solver::Theory, "algorithm", theory_only),
            (given.sigma.is_some() && solver != Solver::Theory, "sigma", theory_only),
            (given.constants.is_some() && solver != Solver::Theory, "constants", theory_only),
        ];
        if let Some((_, other, reason)) = refused.into_iter().find(|(wrong, _, _)| *wrong) {
            return Err(incompatible(solver, other, reason));
        }
        if given.passes == Some(0) {
            return Err(Error::parameter("passes", 0, "it must be at least 1"));
        }
        if given.branch.is_some() && !self.activation.range().attained {
            return Err(ErrorKind::Incompatible {
                one: format!("activation `{}`", self.activation.name()),
                other: "branch".into(),
                reason: "its labels have one preimage each; only those of `silu` and `gelu` have two".into(),
            }
            .into());
        }
        Ok(())
    }

    /// The course that solver `theory` takes; none for the others.
    ///
    /// # Errors
    /// If the theorem does not cover what was asked for.
    pub(super) fn course(&self) -> Result<Option<Course>> {
        if self.solver != Solver::Theory {
            return Ok(None);
        }
        let algorithm = self.printed.algorithm.unwrap_or_default();
        let statement = self.printed.constants.unwrap_or_default();
        self.check_theory(algorithm)?;
        let Some(radius) = self.radius else {
            let allowed = "solver `theory` needs a bound on the length of the true w; give radius";
            return Err(Error::parameter("radius", "not given", allowed));
        };
        self.check_start(radius)?;
        // the number of features is known with the rows
        let setting = Setting::new(self.activation.as_ref(), radius, self.label_noise(statement)?, Some(1))?;
        Ok(Some(Course { setting, algorithm, statement }))
    }

    /// Refuses what no theorem of the paper has.
    fn check_theory(&self, algorithm: Algorithm) -> Result<()> {
        let noisy = self.printed.sigma.is_some_and(|sigma| sigma != 0.0);
        let refused = [
            (
                self.scaling == Some(Scaling::Standard),
                "scaling standard",
                "its radius is a bound on w in the units of the data; give scaling none, or leave it out",
            ),
            (self.intercept, "an intercept", "its theorems are for models without one; fit with no intercept"),
            (self.l2 > 0.0, "l2", "its theorems are for the loss without a penalty"),
            (self.tau_max.is_some(), "a last temperature", "it follows from sigma; give that"),
            (
                self.batch.is_some() && algorithm == Algorithm::One,
                "a batch size",
                "Algorithm 1 sees all rows at every step; give algorithm 2",
            ),
            (
                noisy && algorithm == Algorithm::Two,
                "sigma",
                "the theorem of Algorithm 2 is for labels without noise; leave it out, or give algorithm 1",
            ),
            (
                self.noise == Some(Noise::Pre) && !noisy,
                "noise pre without sigma",
                "the size of the noise decides its last temperature; give sigma",
            ),
            (
                matches!(self.start, Start::Random(_)),
                "a random start",
                "its start must be within the radius; begin at zero, or at a point that is",
            ),
        ];
        match refused.into_iter().find(|(wrong, _, _)| *wrong) {
            None => Ok(()),
            Some((_, other, reason)) => Err(incompatible(self.solver, other, reason)),
        }
    }

    /// Refuses a start that may be farther than 2R from w_*.
    fn check_start(&self, radius: f64) -> Result<()> {
        let Start::At { coefficients, .. } = &self.start else { return Ok(()) };
        let length = norm(coefficients);
        if length <= radius {
            return Ok(());
        }
        let allowed =
            format!("solver `theory` begins within the radius, {radius}; begin at zero, or give a larger radius");
        Err(Error::parameter("the length of the start", length, &allowed))
    }

    /// The noise that the theory is to allow for.
    fn label_noise(&self, statement: Statement) -> Result<LabelNoise> {
        let sigma = self.printed.sigma.unwrap_or(0.0);
        if !(sigma.is_finite() && sigma >= 0.0) {
            return Err(Error::parameter("sigma", sigma, "it must be finite and not negative"));
        }
        Ok(match (self.noise, statement) {
            _ if sigma == 0.0 => LabelNoise::None,
            (Some(Noise::Pre), Statement::Corrected) => LabelNoise::Pre(sigma, Shape::Gauss),
            // as printed N(0, S²) has ς = S, by the paper's own definition S/√2
            (Some(Noise::Pre), Statement::Printed) => LabelNoise::Pre(SQRT_2 * sigma, Shape::Gauss),
            _ => LabelNoise::Post(sigma, Shape::Uniform),
        })
    }
}

fn incompatible(solver: Solver, other: &str, reason: &str) -> Error {
    ErrorKind::Incompatible { one: format!("solver `{solver}`"), other: other.into(), reason: reason.into() }.into()
}
