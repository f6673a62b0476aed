//! A *contestant*: a method of the paper's comparisons, with what it is when nobody tunes it.

use agglio::number::brief;
use agglio::rows::Rows;
use agglio::{Options, Report, Solver};

use crate::error::Result;
use crate::grid::{self, Setting};
use crate::problem::{self, Drawn, Problem};
use crate::request::Request;
use crate::track::{Course, Track};

/// A method by its name in a legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contestant {
    /// What it is called.
    pub name: &'static str,
    /// What it is here.
    pub solver: Solver,
    /// Where it comes from.
    pub role: Role,
    /// Rows in a minibatch, where that is not for the solver to say.
    pub batch: Option<usize>,
}

/// Where a contestant comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A graduated variant of the paper.
    Ours,
    /// A method that the paper compares with, without graduation.
    Competitor,
    /// A method that the paper has not, which a reader would ask for.
    Baseline,
}

/// A fit by a contestant.
#[derive(Debug)]
pub struct Run {
    /// How far it is from what it should be, along it.
    pub error: Course,
    /// How it ended.
    pub report: Report,
}

/// The last temperature of the published run of AGGLIO-SGD.
const PUBLISHED_CAP: f64 = 0.1;

const fn contestant(name: &'static str, solver: Solver, role: Role) -> Contestant {
    Contestant { name, solver, role, batch: None }
}

impl Contestant {
    /// Algorithm 1.
    pub const AGGLIO_GD: Contestant = contestant("AGGLIO-GD", Solver::Gd, Role::Ours);
    /// Algorithm 2.
    pub const AGGLIO_SGD: Contestant = contestant("AGGLIO-SGD", Solver::Sgd, Role::Ours);
    /// Algorithm 2 with larger minibatches.
    pub const AGGLIO_SGD_200: Contestant =
        Contestant { batch: Some(200), ..contestant("AGGLIO-SGD, minibatches of 200", Solver::Sgd, Role::Ours) };
    /// With variance reduction.
    pub const AGGLIO_SVRG: Contestant = contestant("AGGLIO-SVRG", Solver::Svrg, Role::Ours);
    /// With moments.
    pub const AGGLIO_ADAM: Contestant = contestant("AGGLIO-Adam", Solver::Adam, Role::Ours);
    /// Kingma and Ba (2015).
    pub const ADAM: Contestant = contestant("Adam", Solver::Adam, Role::Competitor);
    /// Zaheer et al. (2018).
    pub const YOGI: Contestant = contestant("Yogi", Solver::Yogi, Role::Competitor);
    /// Hazan, Levy and Shalev-Shwartz (2015), on minibatches as the others.
    pub const NGD: Contestant = Contestant { batch: Some(50), ..contestant("NGD", Solver::Ngd, Role::Competitor) };
    /// Hazan, Levy and Shalev-Shwartz (2016).
    pub const GRADOPT: Contestant = contestant("GradOpt", Solver::Gradopt, Role::Competitor);
    /// The default of this project, which needs no start.
    pub const AUTO: Contestant = contestant("agglio's default", Solver::Auto, Role::Baseline);
    /// Levenberg–Marquardt from the paper's start.
    pub const LM: Contestant = contestant("Levenberg–Marquardt", Solver::Lm, Role::Baseline);
    /// L-BFGS from the paper's start.
    pub const LBFGS: Contestant = contestant("L-BFGS", Solver::Lbfgs, Role::Baseline);
    /// Iteratively reweighted least squares, then Levenberg–Marquardt.
    pub const IRLS: Contestant = contestant("IRLS", Solver::Irls, Role::Baseline);
    /// GLMtron from the paper's start.
    pub const GLMTRON: Contestant = contestant("GLMtron", Solver::Glmtron, Role::Baseline);

    /// The paper's competitors.
    pub const COMPETITORS: [Contestant; 4] = [Self::ADAM, Self::YOGI, Self::NGD, Self::GRADOPT];

    /// Epochs that a fit may take, whoever makes it.
    pub const EPOCHS: usize = 1000;

    /// Whether it has no graduation, though its solver could.
    fn is_plain(&self) -> bool {
        self.role == Role::Competitor && self.solver.is_graduated()
    }

    /// Whether there is something to be said for it as it comes. NGD's authors leave the length of its steps open, and this
    /// project's own choice, which shortens them, is another method.
    pub fn is_textbook(&self) -> bool {
        self.solver != Solver::Ngd
    }

    /// The paper's settings for it, each a fit as it comes with some values changed; none where there are none.
    pub fn settings(&self) -> Vec<Setting> {
        grid::axes(self.solver, self.is_plain()).map_or(Vec::new(), |axes| grid::settings(&axes))
    }

    /// What it is with a setting; the empty one is as its authors, or this project, leave it.
    ///
    /// # Errors
    /// If the problem has no such activation.
    pub fn options(&self, problem: &dyn Problem, setting: &Setting, seed: u64, request: &Request) -> Result<Options> {
        let options = problem::options(problem, self.solver, seed, request)?.epochs(Self::EPOCHS);
        let options = match (self.is_plain(), self.solver) {
            (true, Solver::Yogi) => options.tau0(1.0).eta(0.01).beta1(0.9).beta2(0.999).epsilon(1e-3),
            (true, _) => options.tau0(1.0).eta(0.001).beta1(0.9).beta2(0.999).epsilon(1e-8),
            (false, _) => options,
        };
        let options = self.batch.into_iter().fold(options, Options::batch);
        let options = if request.as_published { self.as_published(options, problem.activation()) } else { options };
        Ok(grid::apply(options, setting))
    }

    /// With the projections and caps of the published run, which has no baselines.
    fn as_published(&self, options: Options, activation: &str) -> Options {
        let radius = if activation == "softplus" { 50.0 } else { 10.0 };
        match (self.role, self.solver) {
            (Role::Baseline, _) => options,
            (_, Solver::Sgd) => options.radius(radius).tau_max(PUBLISHED_CAP),
            _ => options.radius(radius),
        }
    }

    /// Its textbook values in words, where it has any.
    pub fn untuned(&self) -> String {
        match (self.is_plain(), self.solver) {
            (_, Solver::Ngd) => "η=0.3, shortened once nothing is gained".into(),
            (true, Solver::Yogi) => format!("α=0.01, β₁=0.9, β₂=0.999, ε={}", brief(1e-3)),
            (true, _) => format!("α=0.001, β₁=0.9, β₂=0.999, ε={}", brief(1e-8)),
            _ => "default".into(),
        }
    }

    /// How far a fit is from what it should be where it ends, after so many epochs at most.
    ///
    /// # Errors
    /// As [`Contestant::run`].
    pub fn reach(
        &self,
        problem: &dyn Problem,
        setting: &Setting,
        epochs: usize,
        seed: u64,
        request: &Request,
    ) -> Result<f64> {
        let data = problem.draw(seed)?;
        let report = self.options(problem, setting, seed, request)?.epochs(epochs).build()?.fit(&data.rows)?;
        request.check()?;
        Ok(data.miss(&report.coefficients))
    }

    /// Fits the data of a problem, watched.
    ///
    /// # Errors
    /// If it cannot be fitted so, or somebody wants it to end.
    pub fn run(
        &self,
        problem: &dyn Problem,
        data: &Drawn,
        setting: &Setting,
        seed: u64,
        request: &Request,
    ) -> Result<Run> {
        let plan = self.options(problem, setting, seed, request)?.build()?;
        let mut track = Track::new(data.rows.width());
        let report = plan.fit_observed(&data.rows, &mut track)?;
        request.check()?;
        let mut error = track.course(|w| data.miss(w));
        // where a fit ends is not always where its last step led: it may keep another point
        let (seconds, passes) = (last(&error.seconds), last(&error.passes));
        error.push(seconds, passes, data.miss(&report.coefficients));
        Ok(Run { error, report })
    }
}

fn last(values: &[f64]) -> f64 {
    values.last().copied().unwrap_or(0.0)
}
