//! The *keys*: every option of a fit, one row each.
//!
//! A row makes the field of [`Spec`], the setter of [`Options`], the entry of [`KEYS`] and, in the front ends, the flag or the
//! keyword argument. A new option is a new row, and the place that uses it.

use super::form::*;
use super::{Options, Pair, Prove, Restarts, Start};
use crate::error::{Error, ErrorKind, Result};
use crate::oracle::{Loss, PreimageBranch};
use crate::outcome::Noise;
use crate::rows::Scaling;
use crate::solver::Solver;
use crate::solver::direction::V0;
use crate::text::join::quoted;
use crate::text::suggest::nearest;
use crate::theory::{Algorithm, Statement};

/// An option of a fit by its name.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Key {
    /// The name, as in `tau-max`.
    pub name: &'static str,
    /// A placeholder for its value, as in `T` or `post|pre|auto`.
    pub value: &'static str,
    /// The options that it is listed with.
    pub group: Group,
    /// The default value, in words if it depends on the data or on other options.
    pub default: &'static str,
    /// One line on its effect.
    pub help: &'static str,
    /// Why some solvers do not accept the key, with `{}` for the names of those that do; none if all accept it.
    pub(super) unused: Option<&'static str>,
    pub(super) set: fn(&mut Spec, &str) -> Read<()>,
    pub(super) get: fn(&Spec) -> Option<String>,
    /// Copies the value, if there is one.
    pub(super) copy: fn(&Spec, &mut Spec),
    /// The reason why the value is not allowed; none if it is allowed.
    pub(super) complaint: fn(&Spec) -> Option<&'static str>,
}

/// Options that are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The model that is fitted.
    Model,
    /// Where noise enters.
    Noise,
    /// The solver and its settings.
    Method,
    /// Settings that restore methods as their papers print them.
    Paper,
    /// The proof that no lower minimum exists.
    Proof,
    /// Options that do not change the model.
    Run,
}

macro_rules! keys {
    ($(
        $(#[$doc:meta])*
        $vis:vis $field:ident: $type:ty, $form:expr, $range:expr, $name:literal, $value:literal, $group:ident, $default:literal,
        $unused:expr, $help:literal;
    )*) => {
        impl Options {$(
            #[doc = $help]
            #[doc = ""]
            #[doc = concat!("Default: ", $default, ".")]
            $(#[$doc])*
            $vis fn $field(mut self, $field: $type) -> Options {
                self.spec.$field = Some($field);
                self
            }
        )*}

        /// Every option of a fit; `None` if it is not given.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct Spec {$(
            #[doc = $help]
            pub $field: Option<$type>,
        )*}

        /// Every key, in the order in which they are listed to users.
        pub const KEYS: &[Key] = &[$(Key {
            name: $name,
            value: $value,
            group: Group::$group,
            default: $default,
            help: $help,
            unused: $unused,
            set: |spec, text| $form.read(text).map(|value| spec.$field = Some(value)),
            get: |spec| spec.$field.as_ref().map(|value| $form.text(value)),
            copy: |from, to| to.$field = from.$field.clone().or(to.$field.take()),
            complaint: |spec| spec.$field.as_ref().and_then(|value| $range.complaint(value)),
        },)*];
    };
}

const NO_SCHEDULE: Option<&str> = Some("it chooses its temperatures itself, or has none");
const ONLY: Option<&str> = Some("only {} take it");
const THEORY_ONLY: Option<&str> = Some("only {} takes it");

// field: type, form, range, "key", "VALUE", group, "default", why some solvers do not take it, "help";
keys! {
    pub(super) activation: String, NAME, Range::ANY, "activation", "NAME[:K]", Model, "sigmoid", None,
        "φ: sigmoid (or logistic, logit), softplus, leaky-softplus[:K=0.2], silu (or swish), gelu, tanh, probit, exp, identity, arctan, cloglog, gompertz or expm1";
    pub range: Pair, PAIR, PAIR_RANGE, "range", "LO,HI", Model, "the range of φ", None,
        "Lower and upper asymptote of a bounded φ, each a number or `free` (fitted): `0,100`, `0,free`, `free,free`";
    pub affine: Pair, PAIR, PAIR_RANGE, "affine", "A,B", Model, "0,1", None,
        "`offset` A and `scale` B of the response, y ≈ A + B·φ(z), each a number or `free` (fitted)";
    pub intercept: bool, FLAG, Range::ANY, "intercept", "true|false", Model, "true", None,
        "Whether an intercept b is fitted";

    /// [`Loss::Bernoulli`] is convex, so nothing is graduated.
    pub loss: Loss, LOSS, Range::ANY, "loss", "squares|bernoulli", Model, "squares", None,
        "The loss. `squares`: least squares. `bernoulli`: the quasi-likelihood for shares 0 ≤ y ≤ 1 under sigmoid, probit or cloglog";

    /// [`Noise::Auto`] is for solver `auto` only.
    pub noise: Noise, NOISE, Range::ANY, "noise", "post|pre|auto", Noise, "post", None,
        "Where the noise enters. `post`: after φ (least squares on y). `pre`: before φ (least squares on φ⁻¹(y)). `auto`: `pre` if \
         it is clearly better, else `post` (solver auto only)";
    pub tau_max: f64, NUMBER, UNIT, "tau-max", "T", Noise, "0 for `pre`, 1 for `post`", None,
        "Last temperature τ, 0 to 1; overrides the noise option";

    pub solver: Solver, SolverName, Range::ANY, "solver", "NAME", Method, "auto", None,
        "Name of the solver";
    /// A start is far if the root mean square of xᵀw − φ⁻¹(y) there is above 100.
    pub tau0: f64, NUMBER, FIRST, "tau0", "T", Method, "0.01; lower if xᵀw at the start is far from φ⁻¹(y)", NO_SCHEDULE,
        "First temperature τ, above 0 and at most the last one; 1 turns graduation off";
    pub beta: f64, NUMBER, GROWTH, "beta", "B", Method, "1.05", NO_SCHEDULE,
        "Growth of τ per stage (one iteration or one epoch), a factor above 1";
    /// It is η, and α of Adam, Yogi and GradOpt. At every temperature this η is the paper's η/τ² for bounded activations, and
    /// its η for the others. NGD keeps a length that is given; otherwise its steps become shorter once nothing is gained.
    pub eta: f64, NUMBER, POSITIVE, "eta", "E", Method, "1/Λ, with Λ the largest curvature of the loss; 0.3 for adam, yogi, ngd",
        Some("it chooses its step length itself"),
        "Learning rate (step length) in the solver's coordinates";
    pub mu: f64, NUMBER, FRACTION, "mu", "M", Method, "0.9", ONLY,
        "Momentum: share of the last step that is kept, 0 to 1";
    pub beta1: f64, NUMBER, FRACTION, "beta1", "B", Method, "0.9", ONLY,
        "Decay rate of the mean gradient (first moment), 0 to 1";
    pub beta2: f64, NUMBER, FRACTION, "beta2", "B", Method, "0.99", ONLY,
        "Decay rate of the mean squared gradient (second moment), 0 to 1";
    /// The ε > 0 of the textbook in p = −α·m̂/(√v̂ + ε). If it is given, α is constant.
    pub epsilon: f64, NUMBER, POSITIVE, "epsilon", "E", Method, "eta·Λ_b, where Λ_b bounds the curvature of a minibatch; the learning rate decays", ONLY,
        "ε in the denominator of the step; if given, the learning rate is constant";
    /// It is δ₀ > 0 and halves with each stage, see [`Options::passes`].
    pub delta: f64, NUMBER, POSITIVE, "delta", "D", Method, "the value of radius; without it, an estimate of the distance to the optimum",
        Some("only {} smooths the loss"),
        "First smoothing radius";
    /// An error for `theory` with Algorithm 1.
    pub batch: usize, WHOLE, COUNT, "batch", "N", Method, "50; all rows for ngd", Some("it uses all rows at every step"),
        "Number of rows in a minibatch";
    /// 100 epochs for Algorithm 2 of `theory`.
    pub epochs: usize, WHOLE, Range::ANY, "epochs", "N", Method, "3000 iterations, 500 epochs", None,
        "Maximum number of iterations (steps on all rows) or epochs (passes over the rows in minibatches)";
    pub tolerance: f64, NUMBER, COSINE, "tol", "T", Method, "1e-10", None,
        "Tolerance: stop when the relative gradient (the largest cosine between the residuals and a column of the Jacobian) is this small";
    pub start: Start, Place, PLACE, "init", "zero|random[:S]", Method, "zero", None,
        "Start: zero, random (S·N(0, I), S = 10/√d by default) or a point";
    pub scaling: Scaling, SCALING, Range::ANY, "scaling", "standard|none", Method, "standard; none for theory", None,
        "Coordinates of the solver: standardised columns, or the columns as they are";
    pub radius: f64, NUMBER, POSITIVE, "radius", "R", Method, "no bound", None,
        "Keep ‖w‖ ≤ R in the solver's coordinates; the intercept is not part of w. Solver theory: a bound on the true w, not enforced";
    pub restarts: Restarts, CountOrAuto, Range::ANY, "restarts", "K|auto", Method,
        "0; solver auto tries other starts itself where a lower minimum is possible", Some("only solver {} makes restarts"),
        "Extra fits that start from random subsets of the rows. `auto`: more of them until half of all independent fits reach the lowest minimum";
    pub l2: f64, NUMBER, NOT_NEGATIVE, "l2", "L", Method, "0", None,
        "Add the penalty L·‖w‖² to the loss, in the solver's coordinates; the intercept is not penalised";

    /// `false` is the method as printed: a constant learning rate, and the last point is the result. With `true` the rate
    /// decays once nothing is gained, and the result is the mean of the later points if its loss is lower.
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
    pub decay: bool, DECAY, Range::ANY, "decay", "none|stall", Paper,
        "stall; none for adam and yogi with epsilon, and for ngd with eta",
        Some("only {} reduce their learning rate"),
        "`none`: constant learning rate, and the last point is the result. `stall`: the learning rate decays once the loss no \
         longer falls";
    pub v0: V0, MOMENT, Range::ANY, "v0", "zero|gradient", Paper, "zero", Some("only {} takes it"),
        "First value of the second moment: zero, or the square of the first gradient";
    pub passes: usize, WHOLE, COUNT, "passes", "K", Paper, "10", Some("only {} has stages of several passes"),
        "Passes over the rows before the smoothing radius halves";
    pub branch: PreimageBranch, BRANCH, Range::ANY, "branch", "nearer|left|right", Paper, "nearer",
        Some("only the paper's variants choose a preimage for each response"),
        "Which of the two preimages of a response under silu and gelu is used below τ = 1; nearer: the one whose graduated label is nearer to φ̂_τ(z)";
    pub algorithm: Algorithm, ALGORITHM, Range::ANY, "algorithm", "1|2", Paper, "1", THEORY_ONLY,
        "Algorithm 1 or 2 of the paper. Its theorem assumes ‖true w‖ ≤ radius, no intercept and no scaling";
    /// Only with Algorithm 1: the noise caps the temperature.
    pub sigma: f64, NUMBER, NOT_NEGATIVE, "sigma", "S", Paper, "0, no noise", THEORY_ONLY,
        "Size of the noise. Noise `post`: its largest absolute value. Noise `pre`: its standard deviation";
    pub constants: Statement, CONSTANTS, Range::ANY, "constants", "corrected|printed", Paper, "corrected", THEORY_ONLY,
        "Corrected constants, or those printed in the paper";

    /// Solver `auto` proves fits of up to four parameters by itself, as far as 2e7 evaluations of a row suffice. A lower minimum
    /// that is found on the way becomes the fit.
    pub prove: Prove, GapOrWord, GAP, "prove", "GAP", Proof, "auto: up to four parameters, within a fixed effort", None,
        "Prove that no point has a loss that is lower by more than GAP, relative to the loss (without a value: 1e-6); `none`: no proof";
    /// The search goes on for as long as this allows; the bound that was reached is reported.
    pub prove_seconds: f64, NUMBER, POSITIVE, "prove-seconds", "S", Proof, "no limit", None,
        "End the search of a proof after this time";

    pub seed: u64, WHOLE, Range::ANY, "seed", "S", Run, "0", None,
        "Seed of all that is drawn at random: starts, minibatches, subsets of the rows, held-out rows, resamples, test points";
    /// A fit on a thread of a rayon pool uses that pool instead.
    pub threads: usize, WHOLE, COUNT, "threads", "N", Run, "one per core", None,
        "Number of threads; does not change the result";
    /// For rows that [`Stream`](crate::oracle::Stream) reads: a choice that needs all rows in memory is then refused before any
    /// of them is read.
    pub stream: bool, FLAG, Range::ANY, "stream", "true|false", Run, "false", None,
        "Read the rows block by block in every pass, for a table larger than memory; does not change the result";
}

impl Key {
    /// Finds a key by its name, among those for which `is_of_kind` is true. `noun` names this kind in the error.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownKey`], with the name that was probably meant.
    pub fn find(name: &str, noun: &'static str, is_of_kind: impl Fn(&Key) -> bool) -> Result<&'static Key> {
        let keys: Vec<&'static Key> = KEYS.iter().filter(|key| is_of_kind(key)).collect();
        keys.iter().find(|key| key.name == name).copied().ok_or_else(|| {
            let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
            let nearest = nearest(name, &names).map(str::to_owned);
            ErrorKind::UnknownKey { noun, name: name.to_owned(), nearest, known: names.join(", ") }.into()
        })
    }

    /// Sets this option of a spec from text. [`Options::build`] checks whether the value is in its range.
    ///
    /// # Errors
    /// The allowed values, as a clause that follows a semicolon.
    pub fn set(&self, spec: &mut Spec, text: &str) -> std::result::Result<(), String> {
        (self.set)(spec, text)
    }

    /// Whether a solver takes it.
    pub fn is_for(&self, solver: Solver) -> bool {
        solver.refusal(self.name).is_none() && (self.unused.is_none() || solver.accepts(self.name))
    }

    /// Why a solver does not take it, if it does not.
    pub(super) fn refusal(&self, solver: Solver) -> Option<String> {
        let accepting = || Solver::ALL.into_iter().filter(|solver| solver.accepts(self.name)).map(Solver::name);
        let unused = || self.unused.filter(|_| !solver.accepts(self.name));
        let others = || unused().map(|reason| reason.replace("{}", &quoted(accepting(), "and")));
        solver.refusal(self.name).map(str::to_owned).or_else(others)
    }

    /// Refuses a value outside its range.
    pub(super) fn check(&self, spec: &Spec) -> Result<()> {
        match ((self.complaint)(spec), (self.get)(spec)) {
            (Some(complaint), Some(value)) => Err(Error::parameter(self.name, value, complaint)),
            _ => Ok(()),
        }
    }
}
