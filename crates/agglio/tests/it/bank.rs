//! The bank: the solvers, activations, starts and problems that the other modules take products of.

use agglio::activation::{NAMES, named};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Simulated, Simulation};
use agglio::{Options, Solver, Start};

/// Every activation that has a name.
pub fn activations() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied()
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

impl Variant {
    /// Options with all defaults but these, without an intercept.
    pub fn options(&self, activation: &str, start: Start, seed: u64) -> Options {
        let options = Options::new(named(activation).unwrap()).intercept(false).solver(self.solver);
        let options = options.start(start).seed(seed);
        match self.batch {
            Some(batch) => options.batch(batch),
            None => options,
        }
    }
}

/// Zero, the paper's random start, and one a hundred times as far as the model.
pub fn starts() -> [Start; 3] {
    [Start::Zero, Start::Random(None), Start::Random(Some(100.0))]
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
