//! Simulated data is as it was asked for.

use agglio::activation::named;
use agglio::simulate::Simulation;

/// Noise that is far wider than the range is even within it, wherever the mean is.
#[test]
fn truncated_noise_of_any_width_fills_the_range() {
    for scale in ["1e3", "1e300"] {
        let noise = format!("post:{scale}:truncated").parse().unwrap();
        let drawn = Simulation::new(named("sigmoid").unwrap(), 4000, 2).norm(5.0).noise(noise).draw().unwrap();
        let mut labels = drawn.labels;
        labels.sort_by(f64::total_cmp);
        // Kolmogorov's distance, of which 0.03 is exceeded once in a thousand
        let farthest = labels.iter().enumerate().fold(0.0, |most: f64, (i, y)| most.max((y - i as f64 / 4000.0).abs()));
        assert!(farthest < 0.03, "{scale}: {farthest}");
    }
}
