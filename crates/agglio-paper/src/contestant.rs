//! A *contestant* is a method of the paper's comparisons, with its untuned settings.

use agglio::oracle::PreimageBranch;
use agglio::rows::Rows;
use agglio::solver::direction::V0;
use agglio::text::format::brief;
use agglio::{Options, Report, Solver};

use crate::error::Result;
use crate::grid::{self, Setting};
use crate::problem::{self, Drawn, Problem};
use crate::request::Request;
use crate::track::{Course, Track};

/// A method by its name in a legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contestant {
    /// Its name.
    pub name: &'static str,
    /// Its solver here.
    pub solver: Solver,
    /// Where it comes from.
    pub role: Role,
    /// Rows in a minibatch, where that is not for the solver to say.
    pub batch: Option<usize>,
    /// What becomes of the length of its steps.
    pub steps: Steps,
    /// The second moment that it begins with, where that is not for the solver to say.
    pub v0: Option<V0>,
    /// The preimage that its labels take, where that is not for the solver to say.
    pub branch: Option<PreimageBranch>,
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
    /// A variant of the paper without the rise of the temperature, with the setting of that variant.
    Ablation(Heat),
}

/// What becomes of the temperature in an ablation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heat {
    /// τ = 1 throughout: the plain method.
    One,
    /// τ = τ₀ throughout.
    Held,
}

/// What becomes of the length of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// As the solver has it: stochastic ones shorten once nothing is gained.
    Usual,
    /// The same length to the end, and the last iterate, as Algorithm 2 is printed.
    Constant,
}

/// A fit by a contestant.
#[derive(Debug)]
pub struct Run {
    /// Its error along the run.
    pub error: Course,
    /// How far the paper's start is from it.
    pub start: f64,
    /// How it ended.
    pub report: Report,
}

/// Where a fit ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// Its error.
    pub error: f64,
    /// Whether it is certified.
    pub certified: bool,
}

/// The last temperature of the published run of AGGLIO-SGD.
const PUBLISHED_CAP: f64 = 0.1;

/// The temperature that an ablation is held at where its variant is not tuned: the solver's own τ₀.
const FIRST: f64 = 0.01;

const fn contestant(name: &'static str, solver: Solver, role: Role) -> Contestant {
    Contestant { name, solver, role, batch: None, steps: Steps::Usual, v0: None, branch: None }
}

const fn constant(name: &'static str, solver: Solver, role: Role) -> Contestant {
    Contestant { steps: Steps::Constant, ..contestant(name, solver, role) }
}

const fn branched(contestant: Contestant, name: &'static str, branch: PreimageBranch) -> Contestant {
    Contestant { name, branch: Some(branch), ..contestant }
}

impl Contestant {
    /// Algorithm 1.
    pub const AGGLIO_GD: Contestant = contestant("AGGLIO-GD", Solver::Gd, Role::Ours);
    /// Algorithm 2 as printed: steps of one length.
    pub const AGGLIO_SGD: Contestant = constant("AGGLIO-SGD", Solver::Sgd, Role::Ours);
    /// Algorithm 2 with larger minibatches.
    pub const AGGLIO_SGD_200: Contestant =
        Contestant { batch: Some(200), ..constant("AGGLIO-SGD, minibatches of 200", Solver::Sgd, Role::Ours) };
    /// This project's default of it: steps that shorten once nothing is gained, and the mean of the last iterates.
    pub const SHORTENING_SGD: Contestant = contestant("AGGLIO-SGD, shortening steps", Solver::Sgd, Role::Baseline);
    /// Algorithm 1 without graduation.
    pub const PLAIN_GD: Contestant = contestant("GD, τ = 1", Solver::Gd, Role::Ablation(Heat::One));
    /// Algorithm 1 at its first temperature.
    pub const HELD_GD: Contestant = contestant("GD, τ = τ₀", Solver::Gd, Role::Ablation(Heat::Held));
    /// Algorithm 2 without graduation.
    pub const PLAIN_SGD: Contestant = constant("SGD, τ = 1", Solver::Sgd, Role::Ablation(Heat::One));
    /// Algorithm 2 at its first temperature.
    pub const HELD_SGD: Contestant = constant("SGD, τ = τ₀", Solver::Sgd, Role::Ablation(Heat::Held));
    /// Algorithm 1 with the left of two preimages throughout.
    pub const LEFT_GD: Contestant = branched(Self::AGGLIO_GD, "AGGLIO-GD with left preimages", PreimageBranch::Left);
    /// Algorithm 1 with the right of two preimages throughout.
    pub const RIGHT_GD: Contestant = branched(Self::AGGLIO_GD, "AGGLIO-GD with right preimages", PreimageBranch::Right);
    /// Algorithm 2 with the left of two preimages throughout.
    pub const LEFT_SGD: Contestant = branched(Self::AGGLIO_SGD, "AGGLIO-SGD with left preimages", PreimageBranch::Left);
    /// Algorithm 2 with the right of two preimages throughout.
    pub const RIGHT_SGD: Contestant =
        branched(Self::AGGLIO_SGD, "AGGLIO-SGD with right preimages", PreimageBranch::Right);
    /// With variance reduction.
    pub const AGGLIO_SVRG: Contestant = contestant("AGGLIO-SVRG", Solver::Svrg, Role::Ours);
    /// With moments.
    pub const AGGLIO_ADAM: Contestant = contestant("AGGLIO-Adam", Solver::Adam, Role::Ours);
    /// With a heavy ball.
    pub const AGGLIO_MOMENTUM: Contestant = contestant("AGGLIO-momentum", Solver::Momentum, Role::Baseline);
    /// With Nesterov's acceleration.
    pub const AGGLIO_NESTEROV: Contestant = contestant("AGGLIO-Nesterov", Solver::Nesterov, Role::Baseline);
    /// Kingma and Ba (2015).
    pub const ADAM: Contestant = contestant("Adam", Solver::Adam, Role::Competitor);
    /// Zaheer et al. (2018).
    pub const YOGI: Contestant = contestant("Yogi", Solver::Yogi, Role::Competitor);
    /// Yogi with the start that its authors advise, the square of the first gradient.
    pub const YOGI_FROM_GRADIENT: Contestant =
        Contestant { v0: Some(V0::Gradient), ..contestant("Yogi, v₀ = g₁²", Solver::Yogi, Role::Competitor) };
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

    /// What AGGLIO is held against without the rise of the temperature.
    pub const ABLATIONS: [Contestant; 4] = [Self::PLAIN_GD, Self::HELD_GD, Self::PLAIN_SGD, Self::HELD_SGD];

    /// AGGLIO with labels of one branch, for activations that turn.
    pub const FIXED_PREIMAGES: [Contestant; 4] = [Self::LEFT_GD, Self::RIGHT_GD, Self::LEFT_SGD, Self::RIGHT_SGD];

    /// Maximum number of epochs of a fit, for every method.
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

    /// The variant that it is an ablation of, if it is one.
    pub fn whole(&self) -> Option<Contestant> {
        match (self.role, self.solver) {
            (Role::Ablation(_), Solver::Gd) => Some(Self::AGGLIO_GD),
            (Role::Ablation(_), Solver::Sgd) => Some(Self::AGGLIO_SGD),
            _ => None,
        }
    }

    /// The setting of an ablation: that of its variant, with steps of the same length, at one temperature.
    pub fn ablated(&self, setting: &Setting) -> Setting {
        let Role::Ablation(heat) = self.role else { return setting.clone() };
        let first = setting.iter().find(|(key, _)| *key == "tau0").map_or(FIRST, |(_, tau0)| *tau0);
        let tau = if heat == Heat::One { 1.0 } else { first };
        let rest = setting.iter().copied().filter(|(key, _)| !matches!(*key, "tau0" | "beta"));
        rest.chain([("tau0", tau), ("tau-max", tau)]).collect()
    }

    /// The paper's settings for it, each a fit as it comes with some values changed; none where there are none.
    pub fn settings(&self) -> Vec<Setting> {
        if self.whole().is_some() {
            return Vec::new();
        }
        let axes = match self.solver.has_momentum() {
            true => grid::accelerated(self.solver),
            false => grid::axes(self.solver, self.is_plain()),
        };
        axes.map_or(Vec::new(), |axes| grid::settings(&axes))
    }

    /// Its options with a setting; the empty setting has the defaults of its authors, or of this project.
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
        let options = self.v0.into_iter().fold(options, Options::v0);
        let options = self.branch.into_iter().fold(options, Options::branch);
        let options = if self.steps == Steps::Constant { options.decay(false) } else { options };
        let options = if request.as_published { self.as_published(options, problem.activation()) } else { options };
        Ok(grid::apply(options, setting)?)
    }

    /// With the projections and caps of the published run, which has no baselines.
    fn as_published(&self, options: Options, activation: &str) -> Options {
        let radius = if activation == "softplus" { 50.0 } else { 10.0 };
        match (self.role, self.solver) {
            (Role::Baseline, _) => options,
            // its ablations have a cap as it is
            (Role::Ours, Solver::Sgd) => options.radius(radius).tau_max(PUBLISHED_CAP),
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

    /// Where a fit ends, after `epochs` epochs at most.
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
    ) -> Result<End> {
        let data = problem.draw(seed)?;
        let report = self.options(problem, setting, seed, request)?.epochs(epochs).build()?.fit(&data.rows)?;
        request.check()?;
        Ok(End { error: data.miss(&report.coefficients), certified: report.certificate.certified() })
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
        let mut track = Track::new(data.rows.width(), data.rows.len());
        let report = plan.fit_observed(&data.rows, &mut track)?.into_report();
        request.check()?;
        let mut error = track.course(|w| data.miss(w));
        error.end(data.miss(&report.coefficients));
        Ok(Run { error, start: problem::start(problem, data, seed, request)?, report })
    }
}
