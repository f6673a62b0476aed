//! An observer of a fit: it prints a trace of the steps, and ends the fit early.
//!
//! An observer is told of every step and may answer `Break`. The fit then ends as `interrupted` with the point that it has
//! reached, which is a result like any other: it has coefficients, a loss and a certificate.
//!
//! ```sh
//! cargo run --release -p agglio --example observe
//! ```

use std::ops::ControlFlow;

use agglio::activation::named;
use agglio::fit::{Observer, Step};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape, Simulation};
use agglio::{Options, Result, Solver, Status};

/// Prints every tenth step until a budget of passes over the rows is spent.
struct Budget {
    passes: f64,
    seen: usize,
}

impl Observer for Budget {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.seen += 1;
        if step.step % 10 == 1 {
            println!(
                "{:>6} {:>8.4} {:>8.1} {:>10.6} {:>10.1e}",
                step.step, step.tau, step.passes, step.loss, step.gradient
            );
        }
        if step.passes < self.passes { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

fn main() -> Result<()> {
    let noise = LabelNoise::Post(0.05, Shape::Gauss);
    let data = Simulation::new(named("sigmoid")?, 1000, 5).norm(10.0).noise(noise).draw()?;
    let rows = Dense::new(data.values, 5, data.labels)?;
    // gradient descent as the paper has it, which takes many small steps
    let plan = Options::new(named("sigmoid")?).solver(Solver::Gd).intercept(false).build()?;

    println!("{:>6} {:>8} {:>8} {:>10} {:>10}", "step", "τ", "passes", "loss", "gradient");
    let mut budget = Budget { passes: 100.0, seen: 0 };
    let early = plan.fit_observed(&rows, &mut budget)?;
    let full = plan.fit(&rows)?;
    println!("{} after {:.0} passes, loss {:.6}", early.status(), early.passes, early.loss);
    println!("{} after {:.0} passes, loss {:.6}", full.status(), full.passes, full.loss);

    assert_eq!((early.status(), full.status()), (Status::Interrupted, Status::Converged));
    assert_eq!(budget.seen, early.steps);
    assert!(full.steps > early.steps && full.loss < early.loss);
    Ok(())
}
