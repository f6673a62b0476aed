//! The bank: solvers × activations × problems, with declared exceptions. The other modules take their lists from it, so
//! that a new solver or activation joins them by itself.

use agglio::activation::{Activation, NAMES, named};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape, Simulated, Simulation};
use agglio::{Noise, Options, Solver, Start};

/// Every activation that has a name.
pub fn activations() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied()
}

/// Those for which this holds.
pub fn activations_with(holds: impl Fn(&dyn Activation) -> bool) -> impl Iterator<Item = &'static str> {
    activations().filter(move |name| holds(named(name).unwrap().as_ref()))
}

/// Those that fall before they rise, so that a label can have two preimages.
pub fn nonmonotone() -> impl Iterator<Item = &'static str> {
    activations_with(|phi| phi.range().attained)
}

/// Those that only rise.
pub fn monotone() -> impl Iterator<Item = &'static str> {
    activations_with(|phi| !phi.range().attained)
}

/// Whether it has two bounds and no centre, as cloglog and Gompertz: beside one bound it is so flat that labels hardly say
/// where their z are.
pub fn is_skewed(activation: &str) -> bool {
    let phi = named(activation).unwrap();
    let (left, right) = phi.limits();
    left.is_finite() && right.is_finite() && phi.centre().is_none()
}

/// A way in which a solver differs from one that finds the least squares of any activation to the last digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exception {
    /// `build` refuses it, with this in the message.
    Refused(&'static str),
    /// Under noise it ends elsewhere than least squares, by design.
    OtherObjective,
    /// By default it comes this near without noise and with noise, and stops at its limit.
    Coarse { noiseless: f64, noisy: f64 },
}

/// The declared exceptions.
pub fn exception(solver: Solver, activation: &str) -> Option<Exception> {
    let phi = named(activation).unwrap();
    let searches = matches!(solver, Solver::Gd | Solver::Ngd);
    match solver {
        Solver::Theory if phi.envelope().is_none() => Some(Exception::Refused("the theory has constants")),
        _ if solver.uses_eta() && !searches && phi.largest_slope().is_none() => {
            Some(Exception::Refused("unbounded derivative"))
        }
        Solver::Linear | Solver::Glmtron | Solver::Theory => Some(Exception::OtherObjective),
        Solver::Sgd | Solver::Adam | Solver::Yogi => Some(Exception::Coarse { noiseless: 1e-9, noisy: 1e-4 }),
        Solver::Ngd => Some(Exception::Coarse { noiseless: 1e-3, noisy: 1e-3 }),
        Solver::Gradopt => Some(Exception::Coarse { noiseless: 2e-2, noisy: 2e-2 }),
        _ => None,
    }
}

/// Solvers that see all rows at every step and find the least squares of this activation to the last digits.
pub fn exact(activation: &str) -> impl Iterator<Item = Solver> {
    Solver::ALL.into_iter().filter(move |solver| !solver.uses_batches() && exception(*solver, activation).is_none())
}

/// A solver with its batch size, where it has one.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    pub solver: Solver,
    pub batch: Option<usize>,
}

/// Every variant of the paper with default parameters, and SGD with small batches and single points too.
pub fn variants() -> Vec<Variant> {
    let plain = Solver::paper().map(|solver| Variant { solver, batch: None });
    let small = [5, 1].map(|batch| Variant { solver: Solver::Sgd, batch: Some(batch) });
    plain.chain(small).collect()
}

/// These, and every other solver.
pub fn all_variants() -> Vec<Variant> {
    let others = Solver::ALL.into_iter().filter(|solver| !solver.is_graduated());
    variants().into_iter().chain(others.map(|solver| Variant { solver, batch: None })).collect()
}

impl Variant {
    /// Options with all defaults but these, without an intercept.
    pub fn options(&self, activation: &str, start: Start, seed: u64) -> Options {
        let options = Options::new(named(activation).unwrap()).intercept(false).solver(self.solver).seed(seed);
        let options = match self.batch {
            Some(batch) => options.batch(batch),
            None => options,
        };
        match self.solver {
            // these have no start to choose, and two must be told what they are for
            Solver::Linear => options.noise(Noise::Pre),
            Solver::Theory => options.radius(NORM),
            Solver::Irls => options,
            _ => options.start(start),
        }
    }

    /// The same with this limit, where the solver takes one.
    pub fn limited(&self, activation: &str, start: Start, seed: u64, epochs: usize) -> Options {
        let options = self.options(activation, start, seed);
        if self.solver == Solver::Linear { options } else { options.epochs(epochs) }
    }
}

/// Zero, the paper's random start, and one a hundred times as far as the model.
pub fn starts() -> [Start; 3] {
    [Start::Zero, Start::Random(None), Start::Random(Some(100.0))]
}

/// ‖w_*‖ of the easy problems.
const NORM: f64 = 2.0;

/// Problems so easy that every solver can be asked for them, from zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Easy {
    Noiseless,
    Noisy,
}

impl Easy {
    pub const ALL: [Easy; 2] = [Easy::Noiseless, Easy::Noisy];

    pub fn draw(self, activation: &str) -> Simulated {
        let noise = match self {
            Easy::Noiseless => LabelNoise::None,
            // inside the range, so that every label has a preimage
            Easy::Noisy => LabelNoise::Post(0.02, Shape::Truncated),
        };
        Simulation::new(named(activation).unwrap(), 300, 4).norm(NORM).noise(noise).seed(6).draw().unwrap()
    }
}

/// The product of all three: each solver finds the model, or the least squares that `auto` finds, or does what is declared.
#[test]
fn every_solver_fits_every_activation_on_every_easy_problem() {
    for (activation, easy) in activations().flat_map(|a| Easy::ALL.map(|easy| (a, easy))) {
        let data = easy.draw(activation);
        let rows = rows(&data);
        let best = Options::new(named(activation).unwrap()).intercept(false).build().unwrap().fit(&rows).unwrap();
        let target = if easy == Easy::Noiseless { &data.truth } else { &best.coefficients };
        for solver in Solver::ALL {
            let (case, exception) = (format!("{activation} by {solver}, {easy:?}"), exception(solver, activation));
            let plan = Variant { solver, batch: None }.options(activation, Start::Zero, 0).build();
            if let Some(Exception::Refused(why)) = exception {
                let error = plan.unwrap_err().to_string();
                assert!(error.contains(why), "{case}: {error}");
                continue;
            }
            let report = plan.unwrap().fit(&rows).unwrap();
            let off = distance(&report.coefficients, target) / NORM;
            let allowed = match (exception, easy) {
                (Some(Exception::OtherObjective), Easy::Noisy) if is_skewed(activation) => 0.1,
                (Some(Exception::OtherObjective), Easy::Noisy) => 0.05,
                (Some(Exception::Coarse { noiseless, .. }), Easy::Noiseless) => noiseless,
                (Some(Exception::Coarse { noisy, .. }), Easy::Noisy) => noisy,
                _ => 1e-11,
            };
            assert!(off <= allowed, "{case}: {off:e}, {}", report.verdict());
            let certified = report.certificate.certified();
            assert!(certified || exception.is_some(), "{case}: {}", report.verdict());
        }
    }
}

/// The paper's data: x ~ N(0, I)/√d, w_* ~ N(0, I).
pub fn paper(activation: &str, rows: usize, features: usize, noise: LabelNoise, seed: u64) -> Simulated {
    Simulation::new(named(activation).unwrap(), rows, features).noise(noise).seed(seed).draw().unwrap()
}

/// The paper's covariates without noise, and ‖w_*‖ = 35: xᵀw_* has a deviation of five, where a sigmoid is flat.
pub fn long(activation: &str, seed: u64) -> Simulated {
    Simulation::new(named(activation).unwrap(), 1000, 50).norm(35.0).seed(seed).draw().unwrap()
}

/// Simulated data as rows.
pub fn rows(data: &Simulated) -> Dense {
    Dense::new(data.values.clone(), data.truth.len(), data.labels.clone()).unwrap()
}

/// ‖a − b‖₂.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Largest |a_i − b_i|.
pub fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}
