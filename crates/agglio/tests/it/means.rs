//! Means under noise before φ, against mpmath (`golden/means.py` made the numbers).

use std::sync::Arc;

use agglio::activation::{Activation, NAMES, Preimages, named};

/// What an error may be beside E |φ(z + ε)|.
const TOLERANCE: f64 = 1e-10;

/// Activations whose means overflow under wide noise.
const EXPONENTIAL: [&str; 2] = ["exp", "expm1"];

/// One golden number: E φ(z + ε), and E |φ(z + ε)| as its size.
#[derive(Debug)]
struct Golden {
    name: &'static str,
    deviation: f64,
    z: f64,
    mean: f64,
    size: f64,
}

fn goldens() -> Vec<Golden> {
    let golden = |line: &'static str| {
        let (name, cells) = line.split_once(',').unwrap();
        let cells: Vec<f64> = cells.split(',').map(|cell| cell.parse().unwrap()).collect();
        let [deviation, z, mean, size] = cells[..] else { panic!("{line}") };
        Golden { name, deviation, z, mean, size }
    };
    include_str!("golden/means.csv").lines().skip(1).map(golden).collect()
}

fn mean(phi: &dyn Activation, deviation: f64, z: f64) -> f64 {
    let mut out = [f64::NAN];
    phi.average(deviation, &[z], &mut out);
    out[0]
}

#[track_caller]
fn hold(phi: &dyn Activation, golden: &Golden) {
    let found = mean(phi, golden.deviation, golden.z);
    // below the smallest normal number there are no ten digits
    let slack = TOLERANCE * golden.size.max(f64::MIN_POSITIVE);
    assert!((found - golden.mean).abs() <= slack, "{found:e}: {golden:?}");
}

/// An activation of which only values and derivatives are known.
#[derive(Debug)]
struct Own {
    value: fn(f64) -> f64,
    slope: fn(f64) -> f64,
    bend: fn(f64) -> f64,
}

impl Activation for Own {
    fn name(&self) -> String {
        "own".into()
    }

    fn value(&self, t: f64) -> f64 {
        (self.value)(t)
    }

    fn derivative(&self, t: f64) -> f64 {
        (self.slope)(t)
    }

    fn second_derivative(&self, t: f64) -> f64 {
        (self.bend)(t)
    }
}

/// A known activation, of which only values and derivatives are told.
#[derive(Debug)]
struct Plain(Arc<dyn Activation>);

impl Activation for Plain {
    fn name(&self) -> String {
        self.0.name()
    }

    fn value(&self, t: f64) -> f64 {
        self.0.value(t)
    }

    fn derivative(&self, t: f64) -> f64 {
        self.0.derivative(t)
    }

    fn second_derivative(&self, t: f64) -> f64 {
        self.0.second_derivative(t)
    }
}

#[test]
fn means_agree_with_mpmath_for_every_deviation() {
    let goldens = goldens();
    for name in NAMES {
        let phi = named(name).unwrap();
        let mine: Vec<&Golden> = goldens.iter().filter(|golden| golden.name == phi.name()).collect();
        assert!(mine.len() >= 88, "{name}: {}", mine.len());
    }
    goldens.iter().for_each(|golden| hold(named(golden.name).unwrap().as_ref(), golden));
}

#[test]
fn means_of_an_activation_of_ones_own_agree_with_mpmath() {
    // e^t must be finite, and of no weight beyond 38 deviations
    let is_finite = |golden: &&Golden| !EXPONENTIAL.contains(&golden.name) || golden.deviation <= 3.0;
    for golden in goldens().iter().filter(is_finite) {
        hold(&Plain(named(golden.name).unwrap()), golden);
    }
}

/// Between the golden deviations the rule that knows nothing of φ says the same, also where one rule takes over from another.
#[test]
fn means_agree_with_those_of_the_plain_rule_in_between() {
    for phi in NAMES.iter().filter(|name| !EXPONENTIAL.contains(name)).map(|name| named(name).unwrap()) {
        let (name, plain) = (phi.name(), Plain(phi.clone()));
        // what vanishes to the left keeps the digits of its tail
        let least = if phi.value(-700.0).abs() < 1e-100 { 0.0 } else { 0.01 };
        for deviation in [0.02, 0.6, 1.51, 2.9, 3.01, 4.4, 5.7, 13.0, 21.0, 47.0, 71.0] {
            let tails = [0.29, 0.31, 0.6, 1.1].map(|x| -x * deviation).into_iter().filter(|x| *x > -12.0);
            for x in [-8.0, -3.3, -1.0, -0.1, 0.0, 0.7, 2.0, 9.0].into_iter().chain(tails) {
                let z = x * deviation;
                let [found, expected] = [mean(phi.as_ref(), deviation, z), mean(&plain, deviation, z)];
                let slack = 2.0 * TOLERANCE * expected.abs().max(least);
                assert!((found - expected).abs() <= slack, "{name} {deviation} {z}: {found:e} {expected:e}");
            }
        }
    }
}

/// Closed forms of what is not smooth: errors are those that the documentation promises.
#[test]
fn kinks_and_jumps_of_ones_own_cost_what_the_documentation_says() {
    let normal = named("probit").unwrap();
    let ramp = Own { value: |t| t.max(0.0), slope: |t| f64::from(u8::from(t > 0.0)), bend: |_| 0.0 };
    let jump = Own { value: |t| f64::from(u8::from(t > 0.0)), slope: |_| 0.0, bend: |_| 0.0 };
    for deviation in [0.01, 0.3, 1.0, 7.0, 100.0] {
        for x in [-2.3, -0.7, 0.0, 0.111, 1.9] {
            let z = deviation * x;
            let closed = deviation * (normal.derivative(x) + x * normal.value(x));
            let off = (mean(&ramp, deviation, z) - closed).abs();
            assert!(off <= 1e-7 * deviation, "{deviation} {x}: {off:e}");
            let off = (mean(&jump, deviation, z) - normal.value(x)).abs();
            assert!(off <= 1e-3, "{deviation} {x}: {off:e}");
        }
    }
}

#[test]
fn a_leaky_softplus_of_one_is_the_identity() {
    let one = named("leaky-softplus:1").unwrap();
    for golden in goldens().iter().filter(|golden| golden.name == "identity") {
        hold(one.as_ref(), golden);
    }
}

/// The two rules meet where one takes over from the other.
#[test]
fn means_do_not_jump_with_the_deviation() {
    let z: Vec<f64> = (-60..=60).map(|k| 0.7 * f64::from(k)).collect();
    for phi in NAMES.iter().map(|name| named(name).unwrap()) {
        for deviation in [1.5, 3.0, 15.0] {
            let [mut below, mut above] = [vec![0.0; z.len()], vec![0.0; z.len()]];
            phi.average(deviation, &z, &mut below);
            phi.average(f64::next_up(deviation), &z, &mut above);
            for ((below, above), &z) in below.iter().zip(&above).zip(&z) {
                assert!((below - above).abs() <= 1e-12 * below.abs().max(1e-2), "{} {deviation} {z}", phi.name());
            }
        }
    }
}

#[test]
fn means_are_numbers_wherever_values_are() {
    for phi in NAMES.iter().map(|name| named(name).unwrap()) {
        for deviation in [0.0, 1e-300, 1e-8, 1.0, 50.0, 1e8, 1e150, 1e300] {
            for z in [-1e308, -1e100, -1e3, 0.0, 1e3, 1e100, 1e308, f64::NEG_INFINITY, f64::INFINITY] {
                let found = mean(phi.as_ref(), deviation, z);
                assert!(!found.is_nan(), "{} {deviation:e} {z:e}", phi.name());
                let label_exists = phi.preimages(found) != Preimages::None;
                let at_bound = found == phi.range().lo || found == phi.range().hi || found == 0.0;
                assert!(
                    label_exists || at_bound || !found.is_finite(),
                    "{} {deviation:e} {z:e}: {found:e}",
                    phi.name()
                );
            }
        }
    }
}
