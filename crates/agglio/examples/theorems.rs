//! The theorems of the paper on simulated data, with corrected constants: does what they promise happen?
//!
//! ```text
//! cargo run --release -p agglio --example theorems
//! ```

use agglio::activation::named;
use agglio::simulate::{LabelNoise, Shape};
use agglio::theory::trial::{Draw, Ended, Trial};
use agglio::theory::{INCREMENT, Leg, Setting};
use agglio::{Noise, Options, Result};

const N: usize = 4000;
const D: usize = 10;

fn main() -> Result<()> {
    algorithm_one()?;
    noise_before()?;
    noise_after()?;
    algorithm_two()
}

/// A sigmoid with ‖w*‖ = 1.
fn draw(noise: LabelNoise, rows: usize, seed: u64) -> Result<Trial> {
    Draw { activation: "sigmoid", norm: 1.0, noise, rows, features: D, seed }.trial()
}

fn setting(activation: &str, radius: f64, noise: LabelNoise) -> Result<Setting> {
    Setting::new(named(activation)?.as_ref(), radius, noise, Some(D))?.on_sample(N, D)
}

/// Theorem 3: how near the worst of all steps came to what is promised for it.
fn algorithm_one() -> Result<()> {
    const STEPS: usize = 150;
    let legs: Vec<Leg> = setting("sigmoid", 1.0, LabelNoise::None)?.path().take(STEPS).collect();
    let (mut broken, mut nearest, mut farthest) = (0, 0.0_f64, [0.0_f64; 4]);
    for seed in 0..100 {
        let distances = draw(LabelNoise::None, N, seed)?.descend(&legs, vec![0.0; D])?;
        // what is below is rounding
        for (pair, leg) in distances.windows(2).zip(&legs).filter(|(pair, _)| pair[0] > 1e-13) {
            let used = (pair[1] / pair[0]).powi(2) / (-leg.constants.ratio()).exp();
            nearest = nearest.max(used);
            broken += usize::from(used > 1.0);
        }
        for (far, step) in farthest.iter_mut().zip([0, 10, 20, 149]) {
            *far = far.max(distances[step]);
        }
    }
    println!("Theorem 3: 100 problems, sigmoid, R = 1, n = {N}, d = {D}, {STEPS} steps from zero");
    println!("  steps that contract less than promised {broken}; worst ‖w'−w*‖²/promised {nearest:.3}");
    println!("  {:>5} {:>8} {:>10} {:>12}", "step", "τ", "promised r", "farthest");
    for (step, far) in [0, 10, 20, 149].into_iter().zip(farthest) {
        println!("  {step:>5} {:>8.4} {:>10.4} {far:>12.1e}", legs[step].tau, legs[step].radius);
    }
    Ok(())
}

/// Theorem 4: the error under the cap.
fn noise_before() -> Result<()> {
    println!("\nTheorem 4: noise N(0, S²) before φ, sigmoid, R = 1, n = {N}, d = {D}, mean of 5 seeds, 200 steps");
    println!("  {:>5} {:>8} {:>9} {:>9} {:>9}", "S", "τ_max", "error", "error/S", "promised");
    for scale in [0.05, 0.1, 0.2, 0.3, 0.4, 0.5] {
        let noise = LabelNoise::Pre(scale, Shape::Gauss);
        let setting = setting("sigmoid", 1.0, noise)?;
        let legs: Vec<Leg> = setting.path().take(200).collect();
        let mut error = 0.0;
        for seed in 0..5 {
            let distances = draw(noise, N, seed)?.descend(&legs, vec![0.0; D])?;
            error += distances.last().copied().unwrap_or(f64::NAN) / 5.0;
        }
        let promised = setting.errors(N, D).and_then(|errors| errors.capped);
        let promised = promised.map_or("none".to_owned(), |promised| format!("{promised:.2}"));
        let cap = setting.caps().strictest();
        println!("  {scale:>5} {cap:>8.4} {error:>9.5} {:>9.4} {promised:>9}", error / scale);
    }
    Ok(())
}

/// Theorem 5: the error at τ = 1 against the number of rows.
fn noise_after() -> Result<()> {
    println!("\nTheorem 5: noise U(−0.05, 0.05) after φ, sigmoid, ‖w*‖ = 1, d = {D}, mean of 20 seeds, at τ = 1");
    println!("  {:>7} {:>9} {:>14}", "n", "error", "error·√n/ς√d");
    for rows in [1_000, 3_000, 10_000, 30_000, 100_000] {
        let mut error = 0.0;
        for seed in 0..20 {
            let drawn = draw(LabelNoise::Post(0.05, Shape::Uniform), rows, seed)?;
            let options = Options::new(named("sigmoid")?).intercept(false).noise(Noise::Post);
            error += drawn.distance(&options.build()?.fit(&drawn.rows)?.coefficients) / 20.0;
        }
        println!("  {rows:>7} {error:>9.5} {:>14.2}", error / (0.05 * (D as f64 / rows as f64).sqrt()));
    }
    Ok(())
}

/// The theorem on stochastic steps, with the stopping time of its proof.
fn algorithm_two() -> Result<()> {
    const EPOCHS: usize = 60;
    let setting = setting("sigmoid", 1.0, LabelNoise::None)?;
    let ends = draw(LabelNoise::None, N, 3)?.epochs(&setting, EPOCHS, 50)?;
    let above = ends.iter().filter(|end| end.distance > end.epoch.radius / INCREMENT).count();
    println!(
        "\nAlgorithm 2: sigmoid, R = 1, n = {N}, d = {D}, batches of 50, β = {INCREMENT}; epochs above r/β: {above}"
    );
    println!("  {:>5} {:>8} {:>8} {:>9} {:>6} {:>10} {:>8}", "epoch", "r", "τ", "I_t", "steps", "‖w−w*‖", "r/β");
    for t in [0, 10, 20, 30, 40, 50, 59] {
        let Ended { epoch, steps, distance } = ends[t];
        let (r, goal) = (epoch.radius, epoch.radius / INCREMENT);
        println!("  {t:>5} {r:>8.4} {:>8.4} {:>9.1e} {steps:>6} {distance:>10.2e} {goal:>8.4}", epoch.tau, epoch.steps);
    }
    Ok(())
}
