//! How closely every variant recovers the true model of noiseless data, from three kinds of start.
//!
//! The data is the paper's: n = 1000, d = 50, x ~ N(0, I)/√d, w_* ~ N(0, I). Each number is the worst ‖w − w_*‖ of
//! five seeds, with default parameters.
//!
//! ```sh
//! cargo run --release -p agglio --example recovery
//! ```

use agglio::activation::named;
use agglio::rows::Dense;
use agglio::simulate::Simulation;
use agglio::{Options, Result, Solver, Start};

const STARTS: [Start; 3] = [Start::Zero, Start::Random(None), Start::Random(Some(100.0))];

fn main() -> Result<()> {
    let batches = |solver: Solver| if solver == Solver::Sgd { vec![50, 5, 1] } else { vec![50] };
    println!("{:16} {:9} {:>5} {:>12} {:>12} {:>12}", "activation", "solver", "batch", "zero", "random", "random:100");
    for activation in ["sigmoid", "softplus", "leaky-softplus", "silu"] {
        for (solver, batch) in Solver::paper().flat_map(|s| batches(s).into_iter().map(move |b| (s, b))) {
            let shown = if solver.uses_batches() { batch.to_string() } else { "all".into() };
            print!("{activation:16} {:9} {shown:>5}", solver.name());
            for start in STARTS {
                print!(" {:12.1e}", worst(activation, solver, batch, &start)?);
            }
            println!();
        }
    }
    Ok(())
}

fn worst(activation: &str, solver: Solver, batch: usize, start: &Start) -> Result<f64> {
    let mut worst = 0.0_f64;
    for seed in 0..5 {
        let data = Simulation::new(named(activation)?, 1000, 50).seed(seed).draw()?;
        let rows = Dense::new(data.values, 50, data.labels)?;
        let options = Options::new(named(activation)?).intercept(false).solver(solver).start(start.clone()).seed(seed);
        let options = if solver.uses_batches() { options.batch(batch) } else { options };
        let found = options.build()?.fit(&rows)?.into_report().coefficients;
        let error = found.iter().zip(&data.truth).map(|(w, truth)| (w - truth).powi(2)).sum::<f64>().sqrt();
        worst = worst.max(error);
    }
    Ok(worst)
}
