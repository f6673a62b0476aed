//! Where activations and their derivatives turn, against mpmath (`golden/activations.py` made the numbers).

use std::collections::BTreeMap;

use agglio::activation::{Activation, Affine, Identity, LeakySoftplus, PiecewiseMonotone, Shape, named};

use crate::bank;

/// Turning points by name and function.
type Turns = BTreeMap<(String, String), Vec<(f64, f64)>>;

fn golden() -> Turns {
    let mut turns = Turns::new();
    for line in include_str!("golden/shapes.csv").lines().skip(1) {
        let [name, function, at, value] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let turn = (at.parse().unwrap(), value.parse().unwrap());
        turns.entry((name.to_owned(), function.to_owned())).or_default().push(turn);
    }
    turns
}

fn functions(shape: &Shape) -> [(&'static str, &PiecewiseMonotone); 4] {
    [
        ("value", &shape.value),
        ("derivative", &shape.derivative),
        ("second derivative", &shape.second_derivative),
        ("radial derivative", &shape.radial_derivative),
    ]
}

#[test]
fn turning_points_agree_with_mpmath() {
    let golden = golden();
    // the identity and others have functions without turning points
    let all = bank::activations().map(|name| named(name).unwrap().name());
    for name in golden.keys().map(|(name, _)| name.clone()).chain(all) {
        let phi = named(&name).unwrap();
        for (function, found) in functions(&phi.shape().unwrap()) {
            let expected = golden.get(&(name.clone(), function.to_owned())).map_or(&[][..], Vec::as_slice);
            assert_eq!(found.turns().len(), expected.len(), "{name}, {function}");
            // only those of the leaky softplus are computed
            let computed = name.starts_with("leaky-softplus");
            let slack = if computed { 4.0 * f64::EPSILON } else { 0.0 };
            for (found, expected) in found.turns().iter().zip(expected) {
                assert!((found.0 - expected.0).abs() <= slack * expected.0.abs(), "{name}, {function}: {found:?}");
                let rounding = 8.0 * f64::EPSILON * expected.1.abs() + 0.25 * slack;
                assert!((found.1 - expected.1).abs() <= rounding, "{name}, {function}: {found:?}, not {expected:?}");
            }
        }
    }
}

/// The two turning points of zφ′ merge at a k between 0.148 and 0.149, where rounding decides.
#[test]
fn turning_points_are_in_order_for_every_k() {
    let mut few = 0.149;
    let mut many = 0.148;
    let turns = |k| LeakySoftplus::new(k).unwrap().shape().unwrap().radial_derivative.turns().len();
    let ks = (0..60).map(|_| {
        let k = 0.5 * (few + many);
        if turns(k) == 0 {
            few = k
        } else {
            many = k
        }
        k
    });
    let powers = (1..324).map(|n| 10f64.powi(-n)).flat_map(|k| [k, 1.0 - k]);
    for k in ks.chain(powers).filter(|k| *k < 1.0) {
        let phi = LeakySoftplus::new(k).unwrap();
        for (function, found) in functions(&phi.shape().unwrap()) {
            let [left, right] = found.limits();
            assert!(found.turns().is_sorted_by(|a, b| a.0 < b.0), "k = {k:e}, {function}: {found:?}");
            assert!(
                found.turns().iter().all(|(at, value)| at.is_finite() && value.is_finite()),
                "k = {k:e}: {found:?}"
            );
            assert!(left <= right, "k = {k:e}, {function}: {found:?}");
        }
    }
}

#[test]
fn a_leaky_softplus_with_k_of_one_is_the_identity() {
    assert_eq!(LeakySoftplus::new(1.0).unwrap().shape(), Identity.shape());
}

#[test]
fn a_shape_may_be_scaled_and_mirrored() {
    let phi = named("silu").unwrap();
    let shape = phi.shape().unwrap();
    for (offset, scale) in [(0.0, 100.0), (3.0, -0.5), (-1.0, 1.0), (1e300, -1e-300)] {
        let scaled = Affine::new(phi.clone(), offset, scale);
        let found = scaled.shape().unwrap();
        assert_eq!(found.value.turns()[0], (shape.value.turns()[0].0, scaled.value(shape.value.turns()[0].0)));
        assert_eq!(found.value.limits(), [offset, f64::INFINITY.copysign(scale)]);
        assert_eq!(found.derivative.limits(), [0.0, scale]);
        assert_eq!(found.radial_derivative.limits(), [0.0, f64::INFINITY.copysign(scale)]);
        for (at, value) in found.second_derivative.turns() {
            assert_eq!(*value, scaled.second_derivative(*at));
        }
    }
    let flat = shape.affine(2.0, 0.0);
    assert_eq!((flat.value.limits(), flat.radial_derivative.limits()), ([2.0; 2], [0.0; 2]));
}

#[test]
fn ranges_have_the_limits_at_infinite_ends() {
    let phi = named("silu").unwrap();
    let value = phi.shape().unwrap().value;
    let range = |ends: [f64; 2]| value.range(ends, ends.map(|at| value.end(at, |z| phi.value(z))));
    let [(at, least)] = value.turns()[..] else { panic!("{value:?}") };
    assert_eq!(range([f64::NEG_INFINITY, f64::INFINITY]), [least, f64::INFINITY]);
    assert_eq!(range([f64::NEG_INFINITY, -2.0]), [phi.value(-2.0), 0.0]);
    assert_eq!(range([f64::NEG_INFINITY, 1.0]), [least, phi.value(1.0)]);
    assert_eq!(range([-1.0, f64::INFINITY]), [phi.value(-1.0), f64::INFINITY]);
    assert_eq!(range([-2.0, -0.5]), [least, phi.value(-0.5)]);
    assert_eq!(range([0.5, 0.5]), [phi.value(0.5); 2]);
    assert_eq!(range([at, at]), [least; 2]);
}
