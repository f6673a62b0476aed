//! The theorems of the paper on simulated data, with corrected constants: does what they promise happen?
//!
//! ```text
//! cargo run --release -p agglio --example theorems
//! ```

use agglio::activation::named;
use agglio::fit::fit;
use agglio::observe::{Silent, Step, Watch};
use agglio::oracle::{Fold, Labels};
use agglio::rng::{Random, Stream};
use agglio::rows::{Coordinates, Dense, Scaling};
use agglio::simulate::{Design, LabelNoise, Shape, Simulation};
use agglio::solver::estimator::Shuffle;
use agglio::stop::Stop;
use agglio::theory::{INCREMENT, Leg, Setting, descent, measure::Around, stochastic};
use agglio::{Noise, Options, Result};

const N: usize = 4000;
const D: usize = 10;

fn main() -> Result<()> {
    algorithm_one()?;
    noise_before()?;
    noise_after()?;
    algorithm_two()?;
    constants()
}

/// Data of the design that the theory of this noise is for, and its true model.
struct Drawn {
    activation: &'static str,
    rows: Dense,
    truth: Vec<f64>,
}

impl Drawn {
    fn new(activation: &'static str, norm: f64, noise: LabelNoise, rows: usize, seed: u64) -> Result<Drawn> {
        let design = if matches!(noise, LabelNoise::Post(..)) { Design::Scaled } else { Design::Normal };
        let simulation = Simulation::new(named(activation)?, rows, D).norm(norm).design(design);
        let data = simulation.noise(noise).seed(seed).draw()?;
        Ok(Drawn { activation, rows: Dense::new(data.values, D, data.labels)?, truth: data.truth })
    }

    /// No intercept, no scaling, no label clipped.
    fn oracle(&self) -> Result<Fold<'_>> {
        let labels = Labels::new(named(self.activation)?, &self.rows, &[0.0]);
        Ok(Fold::new(&self.rows, Coordinates::measure(&self.rows, Scaling::None, false)?, labels))
    }

    fn distance(&self, w: &[f64]) -> f64 {
        w.iter().zip(&self.truth).map(|(w, truth)| (w - truth).powi(2)).sum::<f64>().sqrt()
    }
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
        let drawn = Drawn::new("sigmoid", 1.0, LabelNoise::None, N, seed)?;
        let mut distances = vec![drawn.distance(&[0.0; D])];
        let mut watch = Watch(|step: &Step<'_>| distances.push(drawn.distance(step.theta)));
        fit(&drawn.oracle()?, descent(&legs), vec![0.0; D], Stop::new(0.0, STEPS), &mut watch);
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
            let drawn = Drawn::new("sigmoid", 1.0, noise, N, seed)?;
            let outcome = fit(&drawn.oracle()?, descent(&legs), vec![0.0; D], Stop::new(0.0, 200), &mut Silent);
            error += drawn.distance(&outcome.theta) / 5.0;
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
            let drawn = Drawn::new("sigmoid", 1.0, LabelNoise::Post(0.05, Shape::Uniform), rows, seed)?;
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
    let drawn = Drawn::new("sigmoid", 1.0, LabelNoise::None, N, 3)?;
    let oracle = drawn.oracle()?;
    let mut random = Random::new(3, Stream::Probes);
    let epochs = setting("sigmoid", 1.0, LabelNoise::None)?.epochs(EPOCHS, |radius, tau| {
        Around { centre: &drawn.truth, radius, tau, points: 5 }.sphere(&oracle, 50, &mut random)
    });
    let mut ends = vec![(0, f64::NAN); EPOCHS];
    let mut watch = Watch(|step: &Step<'_>| ends[step.stage] = (ends[step.stage].0 + 1, drawn.distance(step.theta)));
    let method = stochastic(&epochs, Shuffle::new(3, 50, N));
    fit(&oracle, method, vec![0.0; D], Stop::new(0.0, EPOCHS), &mut watch);
    let above = epochs.iter().zip(&ends).filter(|(epoch, end)| end.1 > epoch.radius / INCREMENT).count();
    println!(
        "\nAlgorithm 2: sigmoid, R = 1, n = {N}, d = {D}, batches of 50, β = {INCREMENT}; epochs above r/β: {above}"
    );
    println!("  {:>5} {:>8} {:>8} {:>9} {:>6} {:>10} {:>8}", "epoch", "r", "τ", "I_t", "steps", "‖w−w*‖", "r/β");
    for t in [0, 10, 20, 30, 40, 50, 59] {
        let (epoch, (steps, distance)) = (&epochs[t], ends[t]);
        let (r, goal) = (epoch.radius, epoch.radius / INCREMENT);
        println!("  {t:>5} {r:>8.4} {:>8.4} {:>9.1e} {steps:>6} {distance:>10.2e} {goal:>8.4}", epoch.tau, epoch.steps);
    }
    Ok(())
}

/// Table 1: measured eigenvalues beside corrected and printed constants.
fn constants() -> Result<()> {
    println!("\nConstants on a sample, n = {N}, d = {D}: balls in which bounds hold, over R, r and τ");
    let [a, b, c, e] = ["corrected", "printed Λ", "Λ/measured", "λ above 0"];
    println!("  {:15} {:6} {a:>10} {b:>10} {c:>13} {e:>10}", "activation", "noise");
    let noises = [
        ("none", LabelNoise::None),
        ("pre", LabelNoise::Pre(0.1, Shape::Gauss)),
        ("post", LabelNoise::Post(0.05, Shape::Uniform)),
    ];
    for activation in ["sigmoid", "softplus", "leaky-softplus"] {
        for (name, noise) in noises {
            let Tally { balls, hold, printed, positive, tightest, loosest } = tally(activation, noise)?;
            let span = format!("{tightest:.2} to {loosest:.1}");
            println!(
                "  {activation:15} {name:6} {hold:>6}/{balls:<3} {printed:>6}/{balls:<3} {span:>13} {positive:>6}/{balls}"
            );
        }
    }
    println!("\nThe greatest curvature at w*, τ = 1, n = {N}, d = {D}");
    println!("  {:15} {:>4} {:>9} {:>9} {:>9}", "activation", "R", "measured", "corrected", "printed");
    for (activation, radius) in
        [("sigmoid", 1.0), ("sigmoid", 40.0), ("sigmoid", 80.0), ("softplus", 1.0), ("softplus", 3.0)]
    {
        let drawn = Drawn::new(activation, radius, LabelNoise::None, N, 7)?;
        let around = Around { centre: &drawn.truth, radius: 0.0, tau: 1.0, points: 0 };
        let found = around.curvature(&drawn.oracle()?, &mut Random::new(7, Stream::Probes));
        let setting = setting(activation, radius, LabelNoise::None)?;
        let [corrected, printed] = [setting.constants(0.0, 1.0), setting.printed(0.0, 1.0)].map(|both| both.smoothness);
        let found = found.map_or(f64::NAN, |found| found.smoothness);
        println!("  {activation:15} {radius:>4} {found:>9.2e} {corrected:>9.2e} {printed:>9.2e}");
    }
    Ok(())
}

struct Tally {
    balls: usize,
    hold: usize,
    printed: usize,
    positive: usize,
    tightest: f64,
    loosest: f64,
}

fn tally(activation: &'static str, noise: LabelNoise) -> Result<Tally> {
    let mut tally = Tally { balls: 0, hold: 0, printed: 0, positive: 0, tightest: f64::INFINITY, loosest: 0.0 };
    let after = matches!(noise, LabelNoise::Post(..));
    for radius in [0.5, 1.0, 2.0, 5.0].into_iter().filter(|&radius| !after || radius <= 1.0) {
        let (setting, drawn) = (setting(activation, radius, noise)?, Drawn::new(activation, radius, noise, N, 7)?);
        let oracle = drawn.oracle()?;
        for r in [2.0, 1.0, 0.25, 0.0].map(|share| share * radius) {
            for tau in [0.0, 0.01, 0.1, 0.5, 1.0, setting.temperature(r, 1.0)] {
                let around = Around { centre: &drawn.truth, radius: r, tau, points: 4 };
                let mut random = Random::new(7, Stream::Probes);
                let Some(found) = around.curvature(&oracle, &mut random) else { continue };
                let bound = setting.constants(r, tau);
                let fits = bound.convexity <= found.convexity && found.smoothness <= bound.smoothness;
                tally.balls += 1;
                tally.hold += usize::from(fits);
                tally.printed += usize::from(found.smoothness <= setting.printed(r, tau).smoothness);
                tally.positive += usize::from(bound.convexity > 0.0);
                tally.tightest = tally.tightest.min(bound.smoothness / found.smoothness);
                tally.loosest = tally.loosest.max(bound.smoothness / found.smoothness);
            }
        }
    }
    Ok(tally)
}
