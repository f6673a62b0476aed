//! The laws of an activation.

use super::numbers::{Estimate, ROUNDING, close, differentiate, integrate, other_bits};
use super::{Law, Verdict, shape};
use crate::activation::{Activation, Preimages};

type Phi<'a> = &'a dyn Activation;

/// A law, and the function that checks it for an activation.
type ActivationLaw = Law<fn(Phi<'_>) -> Verdict>;

pub(super) const LAWS: &[ActivationLaw] = &[
    Law { says: "the name is not empty and stays the same", check: name },
    Law { says: "nothing is NaN for a finite argument, up to 1e308", check: numbers_everywhere },
    Law { says: "the derivative at zero is not zero", check: slope_at_zero },
    Law { says: "the derivative is that of the value", check: derivative },
    Law { says: "the second derivative is that of the derivative", check: second_derivative },
    Law { says: "the centered value is φ(t) − φ(0), without cancellation", check: centered },
    Law { says: "values stay in the range", check: inside_the_range },
    Law { says: "values come near the finite bounds of the range", check: near_the_bounds },
    Law { says: "the limits are those of the value far out", check: limits },
    Law { says: "values are symmetric about the centre", check: centre },
    Law { says: "the largest slope is a bound on the derivative", check: largest_slope },
    Law {
        says: "preimages solve φ(z) = y, the left one where φ falls and the right one where it rises",
        check: solutions,
    },
    Law { says: "the preimages of φ(z) include z", check: complete_preimages },
    Law { says: "labels outside the range have no preimage", check: no_preimages },
    Law { says: "slices are graduated as their definition says, at every temperature", check: slices },
    Law { says: "an entry of a slice does not depend on its neighbours", check: neighbours },
    Law { says: "the average is the mean of φ(z + ε)", check: average },
    Law { says: "the limits of a shape are those of its functions far out", check: shape::limits },
    Law { says: "the turning points of a shape are extrema of its functions, in ascending order", check: shape::turns },
    Law { says: "values over an interval stay in the range that the shape gives", check: shape::ranges },
];

/// Arguments of ordinary size; none of them is a round number, where a kink may be.
fn arguments() -> impl Iterator<Item = f64> {
    (-240..=240).map(|k| 0.125 * f64::from(k) + 0.013)
}

/// Arguments of every size.
fn sizes() -> impl Iterator<Item = f64> {
    let powers = (-32..=30).map(|k| 10f64.powi(10 * k));
    let notable = [0.0, 5e-324, 1.0, 3.7, 19.0, 38.5, 709.0, 710.0, 746.0, 1e155, 1e308];
    powers.chain(notable).flat_map(|t| [t, -t])
}

const TAUS: [f64; 9] = [0.0, 5e-324, 1e-200, 1e-140, 1e-12, 1e-4, 0.1, 0.7, 1.0];

/// Deviations beyond which the normal density is zero: a mean may come from far out.
const REACH: f64 = 38.0;

/// Below this temperature the graduation is a line for every argument that can be squared.
const COLD: f64 = 1e-150;

fn name(phi: Phi<'_>) -> Verdict {
    let (first, second) = (phi.name(), phi.name());
    match first == second && !first.is_empty() {
        true => Ok(()),
        false => Err(format!("It is `{first}`, then `{second}`.")),
    }
}

fn numbers_everywhere(phi: Phi<'_>) -> Verdict {
    for t in sizes() {
        let scalars = [phi.value(t), phi.derivative(t), phi.second_derivative(t), phi.centered(t)];
        let names = ["the value", "the derivative", "the second derivative", "the centered value"];
        if let Some((what, _)) = names.iter().zip(scalars).find(|(_, number)| number.is_nan()) {
            return Err(format!("At t = {t:e} {what} is NaN."));
        }
        for tau in TAUS {
            if let Some((what, _)) = graduated(phi, tau, &[t]).iter().find(|(_, out)| out.iter().any(|x| x.is_nan())) {
                return Err(format!("At z = {t:e}, τ = {tau:e} `{what}` writes NaN."));
            }
        }
    }
    Ok(())
}

fn slope_at_zero(phi: Phi<'_>) -> Verdict {
    let slope = phi.derivative(0.0);
    if slope != 0.0 && slope.is_finite() { Ok(()) } else { Err(format!("It is {slope:e}.")) }
}

fn derivative(phi: Phi<'_>) -> Verdict {
    is_derivative(&|t| phi.value(t), &|t| phi.derivative(t))
}

fn second_derivative(phi: Phi<'_>) -> Verdict {
    is_derivative(&|t| phi.derivative(t), &|t| phi.second_derivative(t))
}

fn is_derivative(f: &dyn Fn(f64) -> f64, derivative: &dyn Fn(f64) -> f64) -> Verdict {
    for t in arguments() {
        let at = |h: f64| Ok::<_, String>(vec![f(t + h)]);
        for estimate in differentiate(at, 0.125, &[f(0.0).abs()])? {
            if !estimate.agrees(derivative(t)) {
                let Estimate { value, .. } = estimate;
                return Err(format!("At t = {t} it is {:e}, and differences give {value:e}.", derivative(t)));
            }
        }
    }
    Ok(())
}

fn centered(phi: Phi<'_>) -> Verdict {
    let start = phi.value(0.0);
    let plain = arguments().chain([0.0]).map(|t| {
        let slack = ROUNDING * (phi.value(t).abs() + start.abs());
        (t, phi.value(t) - start, slack)
    });
    let tiny = (1..=300).step_by(7).map(|k| 10f64.powi(-k)).flat_map(|t| [t, -t]).map(|t| {
        let integral = integrate(|s| phi.derivative(s), 0.0, t, 64);
        (t, integral.value, 1e-12 * integral.value.abs() + 16.0 * integral.error)
    });
    for (t, expected, slack) in plain.chain(tiny) {
        let found = phi.centered(t);
        if expected.is_finite() && !close(found, expected, slack) {
            return Err(format!("At t = {t:e} it is {found:e}, not {expected:e}."));
        }
    }
    Ok(())
}

fn inside_the_range(phi: Phi<'_>) -> Verdict {
    let range = phi.range();
    if range.lo.is_nan() || range.hi.is_nan() || range.lo >= range.hi {
        return Err(format!("The range is {range:?}."));
    }
    // a bound is approached to the last digit, and the minimum of φ is itself rounded
    let slack = |bound: f64| if bound.is_finite() { ROUNDING * bound.abs() } else { 0.0 };
    let outside = |t: &f64| {
        let y = phi.value(*t);
        y < range.lo - slack(range.lo) || y > range.hi + slack(range.hi)
    };
    match arguments().chain(sizes()).find(outside) {
        None => Ok(()),
        Some(t) => Err(format!("φ({t:e}) is {:e}, and the range is {range:?}.", phi.value(t))),
    }
}

fn near_the_bounds(phi: Phi<'_>) -> Verdict {
    let range = phi.range();
    let width = if (range.hi - range.lo).is_finite() { range.hi - range.lo } else { 1.0 };
    for bound in [range.lo, range.hi].into_iter().filter(|bound| bound.is_finite()) {
        let gaps = arguments().chain(sizes()).map(|t| (phi.value(t) - bound).abs());
        let least = gaps.fold(f64::INFINITY, f64::min);
        if least > 0.01 * width {
            return Err(format!("No value is nearer than {least:e} to the bound {bound:e}."));
        }
    }
    Ok(())
}

fn limits(phi: Phi<'_>) -> Verdict {
    let (left, right) = phi.limits();
    shape::tends_to("φ", &|t| phi.value(t), -1.0, left)?;
    shape::tends_to("φ", &|t| phi.value(t), 1.0, right)
}

fn centre(phi: Phi<'_>) -> Verdict {
    let Some(centre) = phi.centre() else { return Ok(()) };
    let slack = |t: f64| ROUNDING * (phi.value(t).abs() + phi.value(-t).abs() + centre.abs());
    let mirrored = |t: &f64| close(phi.value(-t), 2.0 * centre - phi.value(*t), slack(*t));
    match arguments().chain(sizes()).find(|t| !mirrored(t)) {
        None => Ok(()),
        Some(t) => {
            let (right, left) = (phi.value(t), phi.value(-t));
            Err(format!("The centre is {centre:e}, and φ is {right:e} at {t:e} and {left:e} at {:e}.", -t))
        }
    }
}

fn largest_slope(phi: Phi<'_>) -> Verdict {
    let Some(largest) = phi.largest_slope() else { return Ok(()) };
    let above = |t: &f64| phi.derivative(*t).abs() > largest * (1.0 + ROUNDING);
    match arguments().chain((-4000..=4000).map(|k| 0.01 * f64::from(k))).chain(sizes()).find(above) {
        None => Ok(()),
        Some(t) => Err(format!("At t = {t:e} the derivative is {:e}, above {largest:e}.", phi.derivative(t))),
    }
}

/// Labels that have preimages: φ(z) and z, where φ(z) is inside the range.
fn labels(phi: Phi<'_>) -> impl Iterator<Item = (f64, f64)> {
    let range = phi.range();
    let pairs = arguments().chain([0.0]).map(move |z| (phi.value(z), z));
    pairs.filter(move |(y, _)| y.is_finite() && range.contains(*y))
}

fn preimages(phi: Phi<'_>, y: f64) -> Vec<f64> {
    match phi.preimages(y) {
        Preimages::None => Vec::new(),
        Preimages::One(z) => vec![z],
        Preimages::Two { left, right } => vec![left, right],
    }
}

/// The error of φ(z) at a y that z is to solve for.
fn slack(phi: Phi<'_>, y: f64, z: f64) -> f64 {
    ROUNDING * (y.abs() + phi.value(0.0).abs() + phi.derivative(z).abs() * z.abs()) + f64::MIN_POSITIVE
}

fn solutions(phi: Phi<'_>) -> Verdict {
    for (y, _) in labels(phi) {
        let found = preimages(phi, y);
        for &z in &found {
            if !z.is_finite() || !close(phi.value(z), y, slack(phi, y, z)) {
                return Err(format!("{z:e} is a preimage of {y:e}, and φ is {:e} there.", phi.value(z)));
            }
        }
        if let [left, right] = found[..] {
            let turned = phi.derivative(left) > 0.0 || phi.derivative(right) < 0.0;
            if left > right || turned {
                return Err(format!("{left:e} and {right:e} are the left and the right preimage of {y:e}."));
            }
        }
    }
    Ok(())
}

fn complete_preimages(phi: Phi<'_>) -> Verdict {
    for (y, z) in labels(phi) {
        // where φ is flat, or turns, a label tells little of its preimage
        let flat = (slack(phi, y, z) / phi.derivative(z).abs()).max((slack(phi, y, z) / curve(phi, z)).sqrt());
        let near = 1e-9 * (1.0 + z.abs()) + 16.0 * flat;
        let found = preimages(phi, y);
        if !found.iter().any(|found| (found - z).abs() <= near || near.is_nan()) {
            return Err(format!("The preimages of φ({z}) = {y:e} are {found:?}."));
        }
    }
    Ok(())
}

/// |φ″(z)|, or infinity where it makes no difference: away from a turn of φ.
fn curve(phi: Phi<'_>, z: f64) -> f64 {
    let (slope, bend) = (phi.derivative(z).abs(), phi.second_derivative(z).abs());
    if slope < 1e-3 * bend { bend } else { f64::INFINITY }
}

fn no_preimages(phi: Phi<'_>) -> Verdict {
    let range = phi.range();
    let beyond = [range.lo - 1.0, range.lo.next_down(), range.hi.next_up(), range.hi + 1.0];
    let bounds = [range.lo, range.hi];
    let labels = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].into_iter().chain(beyond).chain(bounds);
    for y in labels.filter(|y| !range.contains(*y)) {
        if phi.preimages(y) != Preimages::None {
            return Err(format!("{:?} is what {y:e} has, and the range is {range:?}.", phi.preimages(y)));
        }
    }
    Ok(())
}

/// Everything that is written for a slice at a temperature.
fn graduated(phi: Phi<'_>, tau: f64, z: &[f64]) -> Vec<(&'static str, Vec<f64>)> {
    let [mut a, mut b, mut c, mut d, mut e] = [(); 5].map(|()| vec![f64::NAN; z.len()]);
    phi.graduate(tau, z, &mut a);
    phi.graduate_derivative(tau, z, &mut b);
    phi.graduate_second_derivative(tau, z, &mut c);
    phi.graduate_with_derivative(tau, z, &mut d, &mut e);
    let mut all = vec![
        ("graduate", a),
        ("graduate_derivative", b),
        ("graduate_second_derivative", c),
        ("graduate_with_derivative", [d, e].concat()),
    ];
    if tau == 1.0 {
        let [mut a, mut b, mut c] = [(); 3].map(|()| vec![f64::NAN; z.len()]);
        phi.respond(z, &mut a);
        phi.respond_with_derivative(z, &mut b, &mut c);
        all.extend([("respond", a), ("respond_with_derivative", [b, c].concat())]);
    }
    all
}

/// The same, by definition.
fn defined(phi: Phi<'_>, tau: f64, z: &[f64]) -> Vec<Vec<f64>> {
    let write = |f: &dyn Fn(f64) -> f64| z.iter().map(|&z| f(z)).collect::<Vec<f64>>();
    let value = write(&|z| if tau < COLD { phi.derivative(0.0) * z } else { phi.centered(tau * z) / tau });
    let derivative = write(&|z| phi.derivative(tau * z));
    let both = [value.clone(), derivative.clone()].concat();
    let mut all = vec![value, derivative, write(&|z| tau * phi.second_derivative(tau * z)), both];
    if tau == 1.0 {
        let value = write(&|z| phi.value(z));
        all.extend([value.clone(), [value, write(&|z| phi.derivative(z))].concat()]);
    }
    all
}

fn slices(phi: Phi<'_>) -> Verdict {
    let z: Vec<f64> = arguments().chain([0.0, 1e-9, -1e-30]).collect();
    for tau in TAUS {
        for ((what, found), expected) in graduated(phi, tau, &z).into_iter().zip(defined(phi, tau, &z)) {
            for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                if !close(*found, *expected, ROUNDING * expected.abs() + f64::MIN_POSITIVE) {
                    let z = z[i % z.len()];
                    return Err(format!("At z = {z:e}, τ = {tau:e} `{what}` writes {found:e}, not {expected:e}."));
                }
            }
        }
    }
    Ok(())
}

fn neighbours(phi: Phi<'_>) -> Verdict {
    let z: Vec<f64> = arguments().collect();
    let write = |z: &[f64]| {
        let mut all: Vec<(&str, Vec<f64>)> = [0.0, 0.3, 1.0].iter().flat_map(|&tau| graduated(phi, tau, z)).collect();
        for sigma in [0.4, 5.0] {
            let mut mean = vec![f64::NAN; z.len()];
            phi.average(sigma, z, &mut mean);
            all.push(("average", mean));
        }
        all
    };
    let whole = write(&z);
    for (from, to) in [(0, 1), (3, 10), (17, 18), (64, 131)] {
        let part = write(z.get(from..to).unwrap_or_default());
        for ((what, whole), (_, part)) in whole.iter().zip(&part) {
            let same = |(half, part): (usize, &[f64])| {
                let own = whole.get(half * z.len() + from..half * z.len() + to).unwrap_or_default();
                other_bits(part, own).is_none()
            };
            if !part.chunks(to - from).enumerate().all(same) {
                return Err(format!("`{what}` of entries {from} to {to} differs when they are alone."));
            }
        }
    }
    Ok(())
}

fn average(phi: Phi<'_>) -> Verdict {
    let z = [-20.0, -7.3, -2.0, -0.4, 0.0, 0.9, 3.1, 12.0];
    for sigma in [0.0, 0.3, 1.0, 4.0] {
        let mut found = z;
        phi.average(sigma, &z, &mut found);
        for (z, found) in z.into_iter().zip(found) {
            let weighted = |f: &dyn Fn(f64) -> f64, x: f64| f(z + sigma * x) * (-0.5 * x * x).exp();
            let mean = |f: &dyn Fn(f64) -> f64| match sigma == 0.0 {
                true => Estimate { value: f(z), error: 0.0 },
                false => integrate(|x| weighted(f, x) / std::f64::consts::TAU.sqrt(), -REACH, REACH, 1216),
            };
            let (expected, scale) = (mean(&|t| phi.value(t)), mean(&|t| phi.value(t).abs()));
            let slack = 1e-9 * scale.value + 16.0 * expected.error;
            if expected.value.is_finite() && !close(found, expected.value, slack) {
                return Err(format!("At z = {z}, σ = {sigma} it is {found:e}, not {:e}.", expected.value));
            }
        }
    }
    Ok(())
}
