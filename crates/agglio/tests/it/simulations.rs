//! Simulated data is as it was asked for.

use agglio::activation::named;
use agglio::simulate::Simulation;

/// Noise that is wider than the range has the law of the normal within it, wherever the mean is.
#[test]
fn truncated_noise_of_any_width_fills_the_range() {
    let (phi, normal) = (named("sigmoid").unwrap(), named("probit").unwrap());
    for scale in [0.3, 1.2, 1e3, 1e300] {
        let noise = format!("post:{scale}:truncated").parse().unwrap();
        let drawn = Simulation::new(phi.clone(), 4000, 2).norm(5.0).noise(noise).draw().unwrap();
        // the share of the law that lies below a label is even
        let share = |(x, y): (&[f64], &f64)| {
            let mean = phi.value(x.iter().zip(&drawn.truth).map(|(x, w)| x * w).sum());
            let [below, label, all] = [0.0, *y, 1.0].map(|y| normal.centered((y - mean) / scale));
            (label - below) / (all - below)
        };
        let mut shares: Vec<f64> = drawn.values.chunks(2).zip(&drawn.labels).map(share).collect();
        shares.sort_by(f64::total_cmp);
        // Kolmogorov's distance, of which 0.03 is exceeded once in a thousand
        let farthest = shares.iter().enumerate().fold(0.0, |most: f64, (i, u)| most.max((u - i as f64 / 4000.0).abs()));
        assert!(farthest < 0.03, "{scale}: {farthest}");
    }
}
