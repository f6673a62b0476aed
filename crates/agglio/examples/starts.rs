//! How often every graduated variant finds the true model of noiseless data, from near and from very far starts.
//!
//! The data is the paper's, n = 1000, d = 50, x ~ N(0, I)/√d, with ‖w_*‖ of 7 and of 35; all parameters are defaults.
//! The starts are zero and S·N(0, I) with S = 10/√d, 10 and 100. The model is found if ‖w − w_*‖ ≤ 1e-3·‖w_*‖. The last
//! columns are the largest ‖w − w_*‖/‖w_*‖, the most passes over the rows, and how many fits end as `converged`.
//!
//! ```sh
//! cargo run --release -p agglio --example starts -- 20                        # seeds, 1 unless given
//! cargo run --release -p agglio --example starts -- 3 sigmoid,silu gd,saga    # and activations and solvers
//! ```

use std::error::Error;

use agglio::activation::named;
use agglio::rows::Dense;
use agglio::simulate::Simulation;
use agglio::{Options, Result, Solver, Start, Status};

const STARTS: [Start; 4] = [Start::Zero, Start::Random(None), Start::Random(Some(10.0)), Start::Random(Some(100.0))];

/// What became of some fits.
#[derive(Default)]
struct Tally {
    fits: usize,
    found: usize,
    converged: usize,
    distance: f64,
    passes: f64,
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 = arguments.next().map_or(Ok(1), |seeds| seeds.parse())?;
    let activations = arguments.next().unwrap_or("sigmoid,softplus,leaky-softplus,silu,gelu".into());
    let all = || Ok(Solver::paper().collect());
    let solvers: Vec<Solver> = arguments.next().map_or_else(all, |names| names.split(',').map(str::parse).collect())?;
    println!("activation     norm solver     zero 10/√d    10   100  distance passes converged");
    for (activation, norm) in activations.split(',').flat_map(|name| [7.0, 35.0].map(|norm| (name, norm))) {
        for &solver in &solvers {
            line(activation, norm, solver, seeds)?;
        }
    }
    Ok(())
}

/// Prints what became of one variant, found of `seeds` for each start.
fn line(activation: &str, norm: f64, solver: Solver, seeds: u64) -> Result<()> {
    print!("{activation:14} {norm:4} {:9}", solver.name());
    let mut all = Tally::default();
    for start in &STARTS {
        let found = all.found;
        (0..seeds).try_for_each(|seed| all.fit(activation, norm, solver, start, seed))?;
        print!(" {:5}", all.found - found);
    }
    println!("  {:8.0e} {:6.0} {:5}/{}", all.distance, all.passes, all.converged, all.fits);
    Ok(())
}

impl Tally {
    fn fit(&mut self, activation: &str, norm: f64, solver: Solver, start: &Start, seed: u64) -> Result<()> {
        let data = Simulation::new(named(activation)?, 1000, 50).norm(norm).seed(seed).draw()?;
        let rows = Dense::new(data.values, 50, data.labels)?;
        let options = Options::new(named(activation)?).intercept(false).solver(solver).start(start.clone()).seed(seed);
        let report = options.build()?.fit(&rows)?;
        let squares = report.coefficients.iter().zip(&data.truth).map(|(w, truth)| (w - truth).powi(2));
        let distance = squares.sum::<f64>().sqrt() / norm;
        self.fits += 1;
        self.found += usize::from(distance <= 1e-3);
        self.converged += usize::from(report.status() == Status::Converged);
        self.distance = self.distance.max(distance);
        self.passes = self.passes.max(report.passes);
        Ok(())
    }
}
