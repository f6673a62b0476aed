//! The *registry*: one row per solver. A new solver is a new row.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::oracle::Hessian;
use crate::solver::Keep;
use crate::solver::direction::{
    Lbfgs, LevenbergMarquardt, Momentum, Nesterov, NewtonCg, Normalised, Second, SuffixAveraging,
};
use crate::solver::estimator::{MatchingLoss, Saga, Smoothed, Svrg};
use crate::solver::row::{ADAPTIVE, Family, GRADUATED, MOMENTS, PLAIN, REDUCED, Row, SCHEDULE, STOCHASTIC, Step};
use crate::text::suggest::nearest;

const ONE_SOLUTION: &str = "it solves linear equations once, without iterations";
const CONVEX_STAGE: &str = "it fits only the stage at τ = 0, whose loss is convex";
const BALL: &str = "its theorems are about a ball, and a proof about the whole space";

macro_rules! registry {
    ($($solver:ident $name:literal $about:literal $row:expr;)*) => {
        /// A solver by name: the default, the graduated variants of the paper, each its plain namesake with τ₀ = 1, and
        /// baselines without graduation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Solver { $(#[doc = $about] $solver,)* }

        impl Solver {
            /// All of them, in the order in which they are listed to users.
            pub const ALL: [Solver; [$($name),*].len()] = [$(Solver::$solver),*];

            /// The name as a user types it.
            pub fn name(self) -> &'static str {
                match self { $(Solver::$solver => $name,)* }
            }

            /// One line on how it works.
            pub fn about(self) -> &'static str {
                match self { $(Solver::$solver => $about,)* }
            }

            pub(super) fn row(self) -> &'static Row {
                match self { $(Solver::$solver => const { &$row },)* }
            }
        }
    };
}

registry! {
    Auto "auto" "The default: a start in closed form, then Levenberg–Marquardt along an adaptive temperature path"
        Row { family: Family::Adaptive, forms_curvature: false, fits_any_loss: true, patience: 20, accepts: &[&["restarts"]], refuses: &[("batch", "it chooses the rows of each step itself")], ..PLAIN };
    Gd "gd" "Gradient descent on all rows: Algorithm 1 of the paper"
        Row { step: Step::SmoothnessOrSearch, ..GRADUATED };
    Sgd "sgd" "Minibatch gradient descent; with decay=none, Algorithm 2 of the paper"
        Row { keep: Keep::Average, decays: |_| true, accepts: &[SCHEDULE, &["eta", "batch", "decay"]], ..STOCHASTIC };
    Svrg "svrg" "Minibatches with SVRG's variance reduction"
        Row { estimator: |parts| parts.batched(|shuffle| Box::new(Svrg::new(shuffle))), ..REDUCED };
    Saga "saga" "Minibatches with SAGA's variance reduction"
        Row {
            estimator: |parts| parts.batched(|shuffle| Box::new(Saga::new(shuffle))),
            refuses: &[("l2", "SAGA stores one number per row and cannot include a penalty")],
            ..REDUCED
        };
    Momentum "momentum" "Gradient descent with momentum (heavy ball)"
        Row {
            direction: |parts| Box::new(Momentum::new(parts.settings.mu)),
            accepts: &[SCHEDULE, &["eta", "mu"]],
            ..GRADUATED
        };
    Nesterov "nesterov" "Nesterov's accelerated gradient"
        Row {
            direction: |parts| Box::new(Nesterov::new(parts.settings.mu)),
            accepts: &[SCHEDULE, &["eta", "mu"]],
            ..GRADUATED
        };
    Adam "adam" "Adam on minibatches"
        Row { direction: |parts| Box::new(parts.adaptive(Second::Adam)), ..ADAPTIVE };
    Yogi "yogi" "Yogi on minibatches"
        Row {
            direction: |parts| Box::new(parts.adaptive(Second::Yogi).with_v0(parts.settings.v0)),
            accepts: &[SCHEDULE, &["eta", "batch", "v0"], MOMENTS],
            ..ADAPTIVE
        };
    Lbfgs "lbfgs" "L-BFGS, without graduation"
        Row {
            direction: |_| Box::new(Lbfgs::default()),
            step: Step::Armijo,
            forms_curvature: false,
            fits_any_loss: true,
            refuses: &[(
                "radius",
                "L-BFGS cannot keep ‖w‖ ≤ R; use another solver",
            )],
            ..PLAIN
        };
    Newton "newton" "Newton's method with damping, without graduation"
        Row { direction: |_| Box::new(LevenbergMarquardt::new(Hessian::Full)), fits_any_loss: true, ..PLAIN };
    NewtonCg "newton-cg" "Newton's method by conjugate gradients, without graduation"
        Row {
            direction: |_| Box::new(NewtonCg::default()),
            step: Step::Armijo,
            forms_curvature: false,
            fits_any_loss: true,
            ..PLAIN
        };
    Lm "lm" "Levenberg–Marquardt, without graduation"
        Row { fits_any_loss: true, ..PLAIN };
    Multistart "multistart" "Levenberg–Marquardt from the given start and nine random starts, without graduation; the best is kept"
        PLAIN;
    Ngd "ngd" "Normalised gradient descent on all rows, or on minibatches if a batch size is given, without graduation"
        Row {
            family: Family::Plain,
            direction: |_| Box::new(Normalised),
            step: Step::Alpha,
            keep: Keep::Best,
            decays: |settings| settings.eta.is_none(),
            measures: |_| false,
            batch: None,
            patience: PLAIN.patience,
            epochs: PLAIN.epochs,
            accepts: &[&["eta", "batch", "decay"]],
            ..STOCHASTIC
        };
    Gradopt "gradopt" "Stochastic descent on the loss averaged over shrinking balls (GradOpt), without graduation"
        Row {
            family: Family::Plain,
            estimator: |parts| {
                parts.batched(|shuffle| Box::new(Smoothed::new(shuffle, parts.smoothing, parts.settings.seed)))
            },
            direction: |parts| Box::new(SuffixAveraging::new(parts.smoothing)),
            measures: |_| true,
            asks_once: false,
            passes: 10,
            accepts: &[&["eta", "batch", "delta", "passes"]],
            ..STOCHASTIC
        };
    Glmtron "glmtron" "Gradient descent on the matching loss (for sigmoid that of logistic regression), without graduation"
        Row {
            family: Family::Plain,
            estimator: |_| Box::new(MatchingLoss),
            lambda: |smoothness, _| smoothness.of_matching(),
            accepts: &[&["eta"]],
            ..GRADUATED
        };
    Irls "irls" "Iteratively reweighted least squares on the matching loss, then Levenberg–Marquardt from there, without graduation"
        Row {
            fits_response: false,
            refuses: &[("init", "its undamped iterations start at zero; use solver `lm` for another start")],
            ..PLAIN
        };
    Linear "linear" "Linear least squares on φ⁻¹(y): only the stage at τ = 0"
        Row {
            family: Family::Linear,
            fits_response: false,
            forms_curvature: false,
            refuses: &[
                ("tau-max", "it fits only the stage at τ = 0; use solver `auto` for later stages"),
                ("epochs", ONE_SOLUTION),
                ("tol", ONE_SOLUTION),
                ("init", ONE_SOLUTION),
                ("prove", CONVEX_STAGE),
                ("prove-seconds", CONVEX_STAGE),
            ],
            ..PLAIN
        };
    Theory "theory" "Algorithm 1 or 2 with the temperatures, steps and epochs of its theorem"
        Row {
            family: Family::Theory,
            fits_response: false,
            forms_curvature: false,
            accepts: &[&["batch", "algorithm", "sigma", "constants"]],
            refuses: &[
                ("tau-max", "sigma decides the last temperature; give sigma"),
                ("l2", "its theorems are for the loss without a penalty"),
                ("prove", BALL),
                ("prove-seconds", BALL),
            ],
            ..PLAIN
        };
}

impl Solver {
    /// The solver of this name.
    ///
    /// # Errors
    /// The names that there are, as a clause that follows a semicolon.
    pub(crate) fn named(name: &str) -> std::result::Result<Solver, String> {
        let names = Solver::ALL.map(Solver::name);
        Solver::ALL.into_iter().find(|solver| solver.name() == name).ok_or_else(|| {
            let hint = nearest(name, &names).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            format!("{hint}the solvers are {}", names.join(", "))
        })
    }

    /// The solvers with the same temperatures.
    pub fn family(self) -> Family {
        self.row().family
    }

    /// The graduated first-order variants of the paper.
    pub fn paper() -> impl Iterator<Item = Solver> {
        Solver::ALL.into_iter().filter(|solver| solver.is_graduated())
    }

    /// Whether it is a first-order variant of the paper, with a temperature schedule to set.
    pub fn is_graduated(self) -> bool {
        self.row().family == Family::Graduated
    }

    /// Whether it takes this key, of those that only some solvers take.
    pub fn accepts(self, key: &str) -> bool {
        self.row().accepts.iter().any(|keys| keys.contains(&key))
    }

    /// Why it does not take this key, which the other solvers take.
    pub(crate) fn refusal(self, key: &str) -> Option<&'static str> {
        self.row().refuses.iter().find(|(name, _)| *name == key).map(|(_, reason)| *reason)
    }

    /// Whether it visits the rows in minibatches.
    pub fn uses_batches(self) -> bool {
        self.row().batch.is_some()
    }

    /// Whether it has a step length to set.
    pub fn uses_eta(self) -> bool {
        self.accepts("eta")
    }

    /// Whether it scales each coordinate by its own gradients.
    pub fn is_adaptive(self) -> bool {
        self.accepts("beta1")
    }

    /// Whether its steps remember the ones before.
    pub fn has_momentum(self) -> bool {
        self.accepts("mu")
    }

    /// Whether it closes in on a noisy optimum at a fixed rate; the others must decay their step.
    pub fn converges_linearly(self) -> bool {
        self.row().converges_linearly
    }

    /// Whether every step asks one question, for the gradient over all rows or a minibatch, and nothing else.
    pub(crate) fn asks_once(self) -> bool {
        self.row().asks_once
    }

    /// Whether it fits free entries of the response scale.
    pub(crate) fn fits_response(self) -> bool {
        self.row().fits_response
    }

    /// Whether it minimises losses other than least squares.
    pub(crate) fn fits_any_loss(self) -> bool {
        self.row().fits_any_loss
    }

    /// Stages without a smaller gradient after which none is expected.
    pub(crate) fn patience(self) -> usize {
        self.row().patience
    }

    /// T of the outer loop unless given: 3000 steps on all rows, or 500 passes of minibatches.
    pub fn default_epochs(self) -> usize {
        self.row().epochs
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Solver {
    type Err = Error;

    fn from_str(name: &str) -> Result<Solver> {
        Solver::named(name).map_err(|allowed| Error::parameter("solver", format!("`{name}`"), &allowed))
    }
}
