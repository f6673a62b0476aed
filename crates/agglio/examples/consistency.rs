//! How far the default fit is from the true model where there is noise, before φ or after it, and whether it finds out
//! which.
//!
//! The data is the paper's, x ~ N(0, I)/√d and w_* ~ N(0, I), with n = 100 000. Each line is the mean ‖w − w_*‖ of so many
//! seeds (an argument, 1 unless given), how often the noise was found where it is, and the mean number of passes. The last
//! line has a million rows.
//!
//! ```sh
//! cargo run --release -p agglio --example consistency -- 5
//! ```

use agglio::activation::named;
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape, Simulation};
use agglio::{Noise, Options, Result};

fn main() -> Result<()> {
    let seeds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    println!(
        "{:10} {:>9} {:>4} {:>10} {:>10} {:>7} {:>7}",
        "activation", "rows", "d", "noise", "distance", "right", "passes"
    );
    let pre = |s| (LabelNoise::Pre(s, Shape::Gauss), format!("pre {s}"), Noise::Pre);
    let post = |s| (LabelNoise::Post(s, Shape::Gauss), format!("post {s}"), Noise::Post);
    for noise in [pre(0.5), pre(1.0), post(0.05), post(0.1), post(0.5), post(1.0)] {
        line("sigmoid", 100_000, 50, noise, seeds)?;
    }
    line("silu", 100_000, 20, pre(1.0), seeds)?;
    line("gelu", 100_000, 20, pre(1.0), seeds)?;
    line("sigmoid", 1_000_000, 50, post(0.05), 1)
}

fn line(activation: &str, n: usize, d: usize, noise: (LabelNoise, String, Noise), seeds: u64) -> Result<()> {
    let (mut distance, mut right, mut passes) = (0.0, 0, 0.0);
    for seed in 0..seeds {
        let data = Simulation::new(named(activation)?, n, d).noise(noise.0).seed(seed).draw()?;
        let rows = Dense::new(data.values, d, data.labels)?;
        let report = Options::new(named(activation)?).intercept(false).build()?.fit(&rows)?;
        let square: f64 = report.coefficients.iter().zip(&data.truth).map(|(w, truth)| (w - truth).powi(2)).sum();
        distance += square.sqrt() / seeds as f64;
        passes += report.passes / seeds as f64;
        right += u64::from(report.noise == noise.2);
    }
    println!("{activation:10} {n:>9} {d:>4} {:>10} {distance:>10.4} {right:>3}/{seeds:<3} {passes:>7.2}", noise.1);
    Ok(())
}
