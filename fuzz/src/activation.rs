//! An activation at any point and temperature.

use agglio::activation::{Activation, NAMES, Preimages, named};
use arbitrary::{Result, Unstructured};

use crate::number::number;

/// Asks every activation for all it knows at a point and about a label: nothing is NaN, and preimages are preimages.
pub fn activation(data: &[u8]) {
    // bytes do not run out: zeros follow
    let Ok((tau, z, y)) = draw(&mut Unstructured::new(data)) else { return };
    if !(z.is_finite() && y.is_finite()) {
        return;
    }
    for phi in NAMES.iter().filter_map(|name| named(name).ok()) {
        assert_curve(phi.as_ref(), tau, z);
        assert_preimages(phi.as_ref(), y);
    }
}

fn draw(bytes: &mut Unstructured<'_>) -> Result<(f64, f64, f64)> {
    let tau = number(bytes)?.abs();
    Ok((if tau <= 1.0 { tau } else { 1.0 }, number(bytes)?, number(bytes)?))
}

fn assert_curve(phi: &dyn Activation, tau: f64, z: f64) {
    let mut graduated = [0.0; 3];
    let [value, slope, bend] = graduated.each_mut().map(std::slice::from_mut);
    phi.graduate(tau, &[z], value);
    phi.graduate_derivative(tau, &[z], slope);
    phi.graduate_second_derivative(tau, &[z], bend);
    let plain = [phi.value(z), phi.derivative(z), phi.second_derivative(z), phi.centered(z)];
    let told = || format!("{} at {z:e}, τ = {tau:e}: {plain:?}, {graduated:?}", phi.name());
    assert!(plain.iter().chain(&graduated).all(|x| !x.is_nan()), "{}", told());
    let range = phi.range();
    assert!((range.lo..=range.hi).contains(&plain[0]), "{}", told());
    assert!(phi.largest_slope().is_none_or(|largest| plain[1].abs() <= largest * (1.0 + 1e-12)), "{}", told());
}

fn assert_preimages(phi: &dyn Activation, y: f64) {
    let found = match phi.preimages(y) {
        Preimages::None => return,
        Preimages::One(z) => [z, z],
        Preimages::Two { left, right } => [left, right],
    };
    assert!(found[0] <= found[1], "{} of {y:e}: {found:?}", phi.name());
    for z in found {
        let back = phi.value(z);
        // z has been rounded too, and φ may be steep there
        let rounding = (phi.derivative(z) * z).abs() + y.abs() + phi.value(0.0).abs() + f64::MIN_POSITIVE;
        let near = (back - y).abs() <= 1e-12 * rounding || rounding.is_infinite();
        assert!(z.is_finite() && near, "{} of {z:e}, for {y:e}, is {back:e}", phi.name());
    }
}
