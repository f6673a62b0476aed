//! An activation of your own: the Gompertz curve of growth, steep at first and slow to arrive.
//!
//! ```sh
//! cargo run --release -p agglio --example own_activation
//! ```

use std::error::Error;
use std::sync::Arc;

use agglio::activation::{Activation, Preimages, Range};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape, Simulation};
use agglio::{Options, conformance};

/// `φ(t) = exp(−e^{−t})`
#[derive(Debug)]
struct Gompertz;

impl Activation for Gompertz {
    fn name(&self) -> String {
        "gompertz".to_owned()
    }

    fn value(&self, t: f64) -> f64 {
        (-(-t).exp()).exp()
    }

    fn derivative(&self, t: f64) -> f64 {
        (-t - (-t).exp()).exp()
    }

    fn second_derivative(&self, t: f64) -> f64 {
        // Far to the left the slope is nothing, and nothing times infinity must not become NaN.
        let slope = self.derivative(t);
        if slope == 0.0 { 0.0 } else { slope * (-t).exp_m1() }
    }

    // The two below are not needed, but say what the curve cannot: where labels end, and how long a safe step is.
    fn range(&self) -> Range {
        Range { lo: 0.0, hi: 1.0, attained: false }
    }

    fn largest_slope(&self) -> Option<f64> {
        Some((-1f64).exp())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // better in a test: does it obey the laws that a fit relies on?
    conformance::activation(&Gompertz)?;
    show();
    // it fits like any other: no start is given, and none is needed
    let noise = LabelNoise::Post(0.02, Shape::Gauss);
    let data = Simulation::new(Arc::new(Gompertz), 2000, 3).norm(6.0).noise(noise).draw()?;
    let rows = Dense::new(data.values, 3, data.labels)?;
    let report = Options::new(Arc::new(Gompertz)).intercept(false).build()?.fit(&rows)?;
    println!("{} after {:.0} passes, mean square {:.2e}", report.status(), report.passes, report.loss);
    for (found, truth) in report.coefficients.iter().zip(&data.truth) {
        println!("found {found:9.5}, true {truth:9.5}");
    }
    Ok(())
}

fn show() {
    let z = [-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0];
    println!("graduated {}, (φ(τz) − φ(0))/τ", Gompertz.name());
    print!("{:>8}", "τ");
    z.iter().for_each(|z| print!("{:>11}", format!("z = {z}")));
    println!();
    for tau in [0.0, 0.01, 0.1, 0.5, 1.0] {
        let mut row = z;
        Gompertz.graduate(tau, &z, &mut row);
        print!("{tau:>8}");
        row.iter().for_each(|value| print!("{value:>11.6}"));
        println!();
    }
    for y in [0.01, 0.5, 0.99, 1.0] {
        match Gompertz.preimages(y) {
            Preimages::One(z) => println!("φ(z) = {y} at z = {z:.12}, where φ(z) is {}", Gompertz.value(z)),
            _ => println!("φ(z) = {y} at no finite z"),
        }
    }
}
