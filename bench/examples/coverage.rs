//! Coverage of 95 % intervals in simulations: how often they contain the truth.
//!
//! `cargo run --release -p agglio-bench --example coverage [SETS]`. The draws have fixed seeds, so the figures repeat.

use agglio::activation::named;
use agglio::inference::{Covariance, Interval};
use agglio::math::rng::{Random, Stream};
use agglio::rows::Dense;
use agglio::spec::{Entry, Pair};
use agglio::{Error, Noise, Options};

const TRUTH: [f64; 5] = [0.8, -0.5, 0.3, 0.0, 1.1];
const INTERCEPT: f64 = 0.2;
const ASYMPTOTE: f64 = 5.0;

/// Where the noise enters, and how large it is.
#[derive(Clone, Copy)]
enum Errors {
    /// y = φ(z) + ε.
    After,
    /// y = φ(z + ε).
    Before,
    /// y = φ(z) + ε, with a standard deviation that grows with |x₁|.
    Uneven,
}

/// A simulated table of five covariates.
fn table(errors: Errors, n: usize, seed: u64) -> Result<Dense, Error> {
    let mut random = Random::new(seed, Stream::Noise);
    let phi = named("sigmoid")?;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let row: Vec<f64> = TRUTH.iter().map(|_| random.normal()).collect();
        let z = INTERCEPT + row.iter().zip(TRUTH).map(|(x, w)| x * w).sum::<f64>();
        let size = 0.04 + 0.1 * row[0].abs();
        y.push(match errors {
            Errors::After => phi.value(z) + 0.1 * random.normal(),
            Errors::Before => phi.value(z + 0.7 * random.normal()),
            Errors::Uneven => phi.value(z) + size * random.normal(),
        });
        x.extend(row);
    }
    Dense::new(x, TRUTH.len(), y)
}

fn covers(interval: Option<Interval>, truth: f64) -> bool {
    interval.is_some_and(|own| own.lower.is_none_or(|end| end <= truth) && own.upper.is_none_or(|end| truth <= end))
}

/// Share of the intervals of all coefficients that contain the truth, and the number of sets without inference.
fn coefficients(errors: Errors, kind: Covariance, n: usize, sets: u64) -> Result<(f64, u64), Error> {
    let noise = if matches!(errors, Errors::Before) { Noise::Pre } else { Noise::Post };
    let plan = Options::new(named("sigmoid")?).noise(noise).threads(1).build()?;
    let (mut inside, mut all, mut without) = (0, 0, 0);
    for seed in 0..sets {
        let fitted = plan.fit(&table(errors, n, seed)?)?;
        let Ok(inference) = fitted.inference(kind)? else {
            without += 1;
            continue;
        };
        for (interval, truth) in inference.confidence_intervals(0.95)?.into_iter().zip(TRUTH) {
            inside += u64::from(covers(interval, truth));
            all += 1;
        }
    }
    Ok((inside as f64 / all as f64, without))
}

/// The same for the profile interval of a free upper asymptote.
fn asymptote(n: usize, sets: u64) -> Result<(f64, u64), Error> {
    let upper = Pair(Entry::Fixed(0.0), Entry::Free);
    let plan = Options::new(named("sigmoid")?).range(upper).threads(1).build()?;
    let (mut inside, mut all, mut without) = (0, 0, 0);
    for seed in 0..sets {
        let mut random = Random::new(seed, Stream::Noise);
        let x: Vec<f64> = (0..n).map(|_| 2.0 * random.normal()).collect();
        let respond = |x: &f64| ASYMPTOTE / (1.0 + (-1.2 * x - 0.3).exp());
        let y = x.iter().map(respond).map(|value| value + 0.4 * random.normal()).collect();
        let fitted = plan.fit(&Dense::new(x, 1, y)?)?;
        let Ok(inference) = fitted.inference(Covariance::Classical)? else {
            without += 1;
            continue;
        };
        inside += u64::from(covers(inference.profile_interval(2, 0.95)?, ASYMPTOTE));
        all += 1;
    }
    Ok((inside as f64 / all as f64, without))
}

fn main() -> Result<(), Error> {
    let sets = std::env::args().nth(1).and_then(|typed| typed.parse().ok()).unwrap_or(1000);
    println!("share of 95 % intervals that contain the truth, {sets} sets each");
    let cases = [
        ("noise after φ, classical", Errors::After, Covariance::Classical),
        ("noise before φ, classical", Errors::Before, Covariance::Classical),
        ("uneven noise after φ, classical", Errors::Uneven, Covariance::Classical),
        ("uneven noise after φ, hc3", Errors::Uneven, Covariance::Hc3),
    ];
    for n in [200, 2000] {
        for (name, errors, kind) in cases {
            let (share, without) = coefficients(errors, kind, n, sets)?;
            println!("n = {n:4}  {name:32} {:.1} %  (five coefficients; {without} sets without)", 100.0 * share);
        }
        let (share, without) = asymptote(n, sets)?;
        println!("n = {n:4}  {:32} {:.1} %  ({without} sets without)", "asymptote, profile", 100.0 * share);
    }
    Ok(())
}
