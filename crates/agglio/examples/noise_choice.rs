//! How often noise `auto` finds out whether the noise is before φ or after it.
//!
//! Simulated sets with d = 20; each number counts the right choices of so many sets (an argument, 2 unless given).
//!
//! ```sh
//! cargo run --release -p agglio --example noise_choice -- 50
//! ```

use agglio::activation::{NAMES, named};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape, Simulation};
use agglio::{Noise, Options, Result};

fn main() -> Result<()> {
    let sets = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2);
    let pre = [0.05, 0.2, 0.5, 1.0].map(|s| (LabelNoise::Pre(s, Shape::Gauss), Noise::Pre, format!("pre {s}")));
    let post = [0.01, 0.02, 0.05].map(|s| (LabelNoise::Post(s, Shape::Gauss), Noise::Post, format!("post {s}")));
    let noises: Vec<_> = pre.into_iter().chain(post).collect();
    print!("{:16} {:>5}", "activation", "rows");
    noises.iter().for_each(|(_, _, name)| print!(" {name:>9}"));
    println!("   of {sets}");
    // a line has its noise in one place only
    let curves = || NAMES.iter().copied().filter(|name| *name != "identity");
    for (n, activation) in [1000, 200].into_iter().flat_map(|n| curves().map(move |name| (n, name))) {
        print!("{activation:16} {n:>5}");
        for (noise, place, _) in &noises {
            print!(" {:>9}", right(activation, n, *noise, *place, sets)?);
        }
        println!();
    }
    Ok(())
}

fn right(activation: &str, n: usize, noise: LabelNoise, place: Noise, sets: u64) -> Result<u64> {
    let mut right = 0;
    for seed in 0..sets {
        let data = Simulation::new(named(activation)?, n, 20).noise(noise).seed(seed).draw()?;
        let rows = Dense::new(data.values, 20, data.labels)?;
        let report = Options::new(named(activation)?).intercept(false).noise(Noise::Auto).build()?.fit(&rows)?;
        right += u64::from(report.noise == place);
    }
    Ok(right)
}
