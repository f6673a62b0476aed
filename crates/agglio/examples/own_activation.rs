//! An activation of your own: an algebraic sigmoid, which approaches its bounds like 1/t². It is fitted, and its model is saved
//! and loaded.
//!
//! ```sh
//! cargo run --release -p agglio --example own_activation
//! ```

use std::error::Error;
use std::sync::Arc;

use agglio::activation::{Activation, Preimages, Range, Registry};
use agglio::model::{Centre, Model};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape, Simulation};
use agglio::{Fitted, Options, conformance};

/// `φ(t) = t/√(1 + t²)`
#[derive(Debug)]
struct Algebraic;

impl Activation for Algebraic {
    fn name(&self) -> String {
        "algebraic".to_owned()
    }

    fn value(&self, t: f64) -> f64 {
        // hypot does not overflow where t² does
        t / t.hypot(1.0)
    }

    fn derivative(&self, t: f64) -> f64 {
        t.hypot(1.0).powi(-3)
    }

    fn second_derivative(&self, t: f64) -> f64 {
        // 3t/(1 + t²)^{5/2}, with the power split so that ∞·0 cannot happen
        -3.0 * self.value(t) * t.hypot(1.0).powi(-4)
    }

    // The three below are not needed. They say where responses end, that the curve is symmetric, and how long a safe step
    // is.
    fn range(&self) -> Range {
        Range { lo: -1.0, hi: 1.0, attained: false }
    }

    fn centre(&self) -> Option<f64> {
        Some(0.0)
    }

    fn largest_slope(&self) -> Option<f64> {
        Some(1.0)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // better in a test: does it obey the laws that a fit relies on?
    conformance::activation(&Algebraic)?;
    show();
    // it fits like any other: no start is given, and none is needed
    let noise = LabelNoise::Post(0.02, Shape::Gauss);
    let data = Simulation::new(Arc::new(Algebraic), 2000, 3).norm(6.0).noise(noise).draw()?;
    let rows = Dense::new(data.values, 3, data.labels)?;
    let fitted = Options::new(Arc::new(Algebraic)).intercept(false).build()?.fit(&rows)?;
    println!("{} after {:.0} passes, mean square {:.2e}", fitted.status(), fitted.passes, fitted.loss);
    for (found, truth) in fitted.coefficients.iter().zip(&data.truth) {
        println!("found {found:9.5}, true {truth:9.5}");
    }
    save_and_load(&fitted)
}

/// The file keeps the name of the activation. The program that loads it says which activation has this name.
fn save_and_load(fitted: &Fitted) -> Result<(), Box<dyn Error>> {
    let model = Model::try_from(fitted)?;
    let path = std::env::temp_dir().join(format!("agglio-own-{}.json", std::process::id()));
    model.save(&path, true)?;
    let registry = Registry::new().with(Arc::new(Algebraic))?;
    let (loaded, refused) = (Model::load_with(&path, &registry), Model::load(&path));
    std::fs::remove_file(&path).ok();

    let observation = [0.5, -1.0, 2.0];
    let [before, after] = [model, loaded?].map(|model| model.predict(&observation, None, Centre::Mean));
    println!("predicted {:.6} before saving and {:.6} after loading", before[0], after[0]);
    assert_eq!(before, after);
    if let Err(why) = refused {
        println!("without the registry: {why}");
    }
    Ok(())
}

fn show() {
    let z = [-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0];
    println!("graduated {}, (φ(τz) − φ(0))/τ", Algebraic.name());
    print!("{:>8}", "τ");
    z.iter().for_each(|z| print!("{:>11}", format!("z = {z}")));
    println!();
    for tau in [0.0, 0.01, 0.1, 0.5, 1.0] {
        let mut row = z;
        Algebraic.graduate(tau, &z, &mut row);
        print!("{tau:>8}");
        row.iter().for_each(|value| print!("{value:>11.6}"));
        println!();
    }
    for y in [-0.99, 0.0, 0.5, 1.0] {
        match Algebraic.preimages(y) {
            Preimages::One(z) => println!("φ(z) = {y} at z = {z:.12}, where φ(z) is {}", Algebraic.value(z)),
            _ => println!("φ(z) = {y} at no finite z"),
        }
    }
}
