//! Distributions of test statistics, against mpmath (`golden/distributions.py` made the numbers).

use agglio::math::distribution::Distribution;

/// The largest relative error of a tail or of a quantile.
const TOLERANCE: f64 = 1e-11;

struct Golden {
    law: Distribution,
    x: f64,
    lower: f64,
    upper: f64,
}

fn goldens() -> Vec<Golden> {
    let golden = |line: &'static str| {
        let (name, cells) = line.split_once(',').unwrap();
        let cells: Vec<f64> = cells.split(',').map(|cell| cell.parse().unwrap()).collect();
        let [a, b, x, lower, upper] = cells[..] else { panic!("{line}") };
        let law = match name {
            "normal" => Distribution::Normal,
            "t" => Distribution::T { df: a },
            "chi2" => Distribution::ChiSquared { df: a },
            "f" => Distribution::F { numerator: a, denominator: b },
            _ => panic!("{line}"),
        };
        Golden { law, x, lower, upper }
    };
    include_str!("golden/distributions.csv").lines().skip(1).map(golden).collect()
}

#[track_caller]
fn hold(golden: &Golden, what: &str, found: f64, expected: f64) {
    let Golden { law, x, .. } = golden;
    let error = (found / expected - 1.0).abs();
    assert!(error <= TOLERANCE, "{law:?} at {x:e}: {what} {found:e}, not {expected:e}");
}

#[test]
fn tails_keep_their_digits_however_small_they_are() {
    let goldens = goldens();
    assert!(goldens.len() > 1000);
    for golden in &goldens {
        hold(golden, "lower tail", golden.law.cdf(golden.x), golden.lower);
        hold(golden, "upper tail", golden.law.survival(golden.x), golden.upper);
    }
}

#[test]
fn quantiles_are_the_places_of_their_tails() {
    for golden in goldens().iter().filter(|golden| golden.x != 0.0) {
        let Golden { law, x, lower, upper } = golden;
        if *upper < 0.49 {
            hold(golden, "quantile", law.upper_quantile(*upper), *x);
        }
        if *lower < 0.49 {
            hold(golden, "quantile", law.quantile(*lower), *x);
        }
    }
}

/// P(X > x) = ½ − arctan(x)/π, which is 1/(πx) far out, where x² overflows.
#[test]
fn the_tail_of_one_degree_of_freedom_is_right_beyond_the_squares_of_doubles() {
    let cauchy = Distribution::T { df: 1.0 };
    for x in [1e90, 1e110, 1e200, 1e299] {
        assert!((cauchy.survival(x) * std::f64::consts::PI * x - 1.0).abs() <= 1e-13, "{x:e}");
        assert!((cauchy.upper_quantile(cauchy.survival(x)) / x - 1.0).abs() <= 1e-12, "{x:e}");
    }
}

#[test]
fn ends_and_nonsense_are_answered() {
    let (t, f) = (Distribution::T { df: 5.0 }, Distribution::F { numerator: 2.0, denominator: 5.0 });
    assert_eq!((t.quantile(0.0), t.quantile(0.5), t.quantile(1.0)), (f64::NEG_INFINITY, 0.0, f64::INFINITY));
    assert_eq!(
        (f.quantile(0.0), f.quantile(1.0), f.survival(-1.0), f.cdf(f64::INFINITY)),
        (0.0, f64::INFINITY, 1.0, 1.0)
    );
    assert!(t.quantile(-0.1).is_nan() && t.quantile(1.1).is_nan() && t.cdf(f64::NAN).is_nan());
    assert_eq!(t.two_sided(0.0), 1.0);
    assert!((t.two_sided(-2.0) - 2.0 * t.survival(2.0)).abs() <= 1e-16);
}
