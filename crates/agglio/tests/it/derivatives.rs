//! Activations against mpmath: values, derivatives, graduations, preimages, names (`golden/activations.py` made the
//! numbers).

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use agglio::activation::{Activation, LeakySoftplus, NAMES, Preimages, Range, named};
use agglio::error::ErrorKind;
use agglio::text::suggest::nearest;

use crate::bank;

const TAUS: [f64; 6] = [0.0, 1e-8, 1e-4, 0.01, 0.3, 1.0];

/// The next larger magnitude less this one.
fn ulp(x: f64) -> f64 {
    x.abs().next_up() - x.abs()
}

fn all() -> impl Iterator<Item = Arc<dyn Activation>> {
    NAMES.iter().copied().chain(["leaky-softplus:0", "leaky-softplus:0.75", "leaky-softplus:1"]).map(get)
}

fn get(name: &str) -> Arc<dyn Activation> {
    match named(name) {
        Ok(phi) => phi,
        Err(error) => panic!("{error}"),
    }
}

/// Cells of a golden file, without its header; what is not a number is NaN.
fn rows(csv: &str) -> impl Iterator<Item = (&str, Vec<f64>)> {
    csv.lines().skip(1).filter_map(|line| {
        let (name, cells) = line.split_once(',')?;
        Some((name, cells.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()))
    })
}

/// Holds `found` to `golden` within 8 units of rounding, plus what moving the argument t by 4 units in its last place
/// does (`next` is the derivative of what was found). The second part is 1e-12 of the whole at most, but at a zero of
/// slope or bend it is all that can be asked: t itself is rounded. Together they are far within 1e-9.
fn hold(what: &str, found: f64, golden: f64, t: f64, next: f64) {
    let slack = 8.0 * f64::EPSILON * golden.abs() + 4.0 * ulp(t) * next.abs() + 1e-290;
    let same = found == golden || (found - golden).abs() <= slack;
    assert!(same, "{what} at t = {t:e}: {found:e}, not {golden:e}");
}

#[test]
fn values_and_derivatives_agree_with_mpmath_at_every_temperature() {
    let mut seen = 0;
    for (name, cells) in rows(include_str!("golden/activations.csv")) {
        let [tau, z, value, graduated, slope, bend, third] = cells[..] else { panic!("{name}: {cells:?}") };
        let (phi, t, mut out) = (get(name), tau * z, [0.0]);
        let at = |what| format!("{what} of {name}, tau = {tau}");
        hold(&at("value"), phi.value(t), value, t, slope);
        phi.graduate(tau, &[z], &mut out);
        hold(&at("graduation"), out[0], graduated, t, if tau > 0.0 { slope / tau } else { 0.0 });
        phi.graduate_derivative(tau, &[z], &mut out);
        hold(&at("slope"), out[0], slope, t, if tau > 0.0 { bend / tau } else { 0.0 });
        phi.graduate_second_derivative(tau, &[z], &mut out);
        hold(&at("bend"), out[0], bend, t, tau * third);
        phi.respond(&[z], &mut out);
        assert_eq!(out[0], phi.value(z));
        seen += 1;
    }
    assert!(seen > 1500, "{seen} rows");
}

/// `golden/logarithms.py` made the numbers.
#[test]
fn logarithms_of_probabilities_agree_with_mpmath() {
    let mut seen = 0;
    for (name, cells) in rows(include_str!("golden/logarithms.csv")) {
        let [t, golden @ ..] = &cells[..] else { panic!("{name}: {cells:?}") };
        let (phi, t) = (get(name), *t);
        assert!(phi.is_log_concave());
        let found = [phi.log_value(t), phi.log_derivative(t), phi.log_second_derivative(t)].concat();
        for (k, (found, golden)) in found.iter().zip(golden).enumerate() {
            // the second derivative of the normal law cancels: h·(t + h), where t + h is about 1/|t|
            let lost = if k > 3 && name == "probit" && t.abs() < 40.0 { 8.0 * f64::EPSILON * t * t } else { 0.0 };
            // an exponential of t, or of e^t, magnifies the rounding of its argument
            let next =
                golden.abs() * if name == "cloglog" { 1.0 + t.exp().min(700.0) } else { 1.0 + t.abs().min(50.0) };
            hold(&format!("logarithm {k} of {name}"), *found, *golden, t.abs().max(1.0), next + lost / ulp(1.0));
        }
        seen += 1;
    }
    assert!(seen > 200, "{seen} rows");
}

/// The suite has finite arguments; infinite ones come from predictors that overflow.
#[test]
fn only_exponentials_overflow_and_infinite_arguments_have_values() {
    let sizes = [0.0, 5e-324, 1e-310, 1e-160, 1.0, 38.5, 39.0, 709.0, 710.0, 746.0, 1e6, 1e155, 1e308];
    for phi in all() {
        for z in sizes.into_iter().chain([f64::INFINITY]).flat_map(|z| [z, -z]) {
            for tau in TAUS {
                let mut out = [[0.0]; 4];
                phi.respond(&[z], &mut out[0]);
                phi.graduate(tau, &[z], &mut out[1]);
                if tau > 0.0 || z.is_finite() {
                    // 0·∞ has no answer
                    phi.graduate_derivative(tau, &[z], &mut out[2]);
                    phi.graduate_second_derivative(tau, &[z], &mut out[3]);
                }
                let out = out.as_flattened();
                let may_overflow = z.is_infinite() || ["exp", "expm1"].contains(&phi.name().as_str());
                let right = |v: &f64| if may_overflow { !v.is_nan() } else { v.is_finite() };
                assert!(out.iter().all(right), "{phi:?} at z = {z:e}, tau = {tau}: {out:?}");
            }
        }
    }
}

/// A finite limit is reached at an infinite argument, with derivatives of zero; an infinite one is not passed over.
#[test]
fn infinite_arguments_have_the_limits_as_values() {
    for phi in all() {
        let (left, right) = phi.limits();
        for (t, limit) in [(f64::NEG_INFINITY, left), (f64::INFINITY, right)] {
            assert_eq!(phi.value(t), limit, "{phi:?} at {t}");
            let (centered, expected) = (phi.centered(t), limit - phi.value(0.0));
            let same = centered == expected || (centered - expected).abs() <= 2.0 * ulp(expected);
            assert!(same, "{phi:?}, centered, at {t}: {centered:e}, not {expected:e}");
            let derivatives = [phi.derivative(t), phi.second_derivative(t)];
            assert!(limit.is_infinite() || derivatives == [0.0, 0.0], "{phi:?} at {t}: {derivatives:?}");
        }
    }
}

/// The centre is declared exactly where values are symmetric.
#[test]
fn only_symmetric_activations_have_a_centre() {
    for phi in all() {
        let twice = |t: f64| phi.value(t) + phi.value(-t);
        let symmetric = (1..400).map(|i| f64::from(i) / 20.0).all(|t| (twice(t) - twice(0.0)).abs() < 1e-12);
        assert_eq!(phi.centre(), symmetric.then(|| phi.value(0.0)), "{phi:?}");
    }
}

/// Gompertz is 1 − cloglog(−t), and the saturating exponential is 1 − e^{−t}: derivatives are the same to the last bit.
#[test]
fn mirror_images_are_mirrored() {
    for (image, original) in [("gompertz", "cloglog"), ("expm1", "exp")] {
        let (image, original) = (get(image), get(original));
        for t in (-4000..4000).map(|i| f64::from(i) / 100.0) {
            let (value, mirrored) = (image.value(t), 1.0 - original.value(-t));
            let slack = 4.0 * f64::EPSILON * (1.0 + original.value(-t));
            assert!((value - mirrored).abs() <= slack, "{image:?} at {t}: {value:e}, not {mirrored:e}");
            assert_eq!(image.derivative(t), original.derivative(-t), "{image:?} at {t}");
            assert_eq!(image.second_derivative(t), -original.second_derivative(-t), "{image:?} at {t}");
            assert_eq!(image.centered(t), -original.centered(-t), "{image:?} at {t}");
        }
    }
}

/// |φ(z) − y| ≤ 4 ulp(y) + |φ′(z)|·ulp(z)
fn solves(phi: &dyn Activation, z: f64, y: f64) {
    let residual = (phi.value(z) - y).abs();
    // SiLU and GELU multiply by z a number that is rounded as all subnormal ones are.
    let ulps = if y.abs() < 1e-300 && phi.range().attained { 4.0 + z.abs() } else { 4.0 };
    let allowed = ulps * ulp(y) + phi.derivative(z).abs() * ulp(z);
    assert!(z.is_finite() && residual <= allowed, "{phi:?}: z = {z:e} for y = {y:e} is off by {residual:e}");
}

#[test]
fn preimages_agree_with_mpmath() {
    let mut seen = 0;
    for (name, cells) in rows(include_str!("golden/preimages.csv")) {
        let [y, left, right] = cells[..] else { panic!("{name}: {cells:?}") };
        let phi = get(name);
        let check = |found: f64, golden: f64| {
            solves(&*phi, found, y);
            // Beside a minimum y determines z no better than this; the series there does not even use it.
            let slack = 4.0 * ulp(golden) + 2.0 * ulp(y) / phi.derivative(golden).abs();
            let slack = if phi.range().attained { slack.min(1e-13 * golden.abs().max(1e-3)) } else { slack };
            let same = (found - golden).abs() <= slack;
            assert!(same, "preimage of {y:e} under {name}: {found:e}, not {golden:e}");
        };
        match phi.preimages(y) {
            Preimages::One(z) if left.is_nan() => check(z, right),
            Preimages::Two { left: l, right: r } => {
                check(l, left);
                check(r, right);
            }
            Preimages::None if right.is_infinite() => {}
            other => panic!("{name}: {other:?} for y = {y:e}, not {left:e}, {right:e}"),
        }
        seen += 1;
    }
    assert!(seen > 400, "{seen} rows");
}

#[test]
fn preimages_solve_the_equation_all_over_the_range() {
    for phi in all() {
        let Range { lo, hi, .. } = phi.range();
        let (from, to) = (lo.max(-50.0), hi.min(50.0));
        let even = (1..2000).map(|i| from + (to - from) * f64::from(i) / 2000.0);
        let near = (0..108).flat_map(|i| [from + 2f64.powi(-i), to - 2f64.powi(-i)]);
        let tiny = (0..1074).step_by(3).map(|i| 2f64.powi(-i)).flat_map(|y| [y, -y]);
        let huge = (0..1024).step_by(5).map(|i| 2f64.powi(i)).flat_map(|y| [y, -y]);
        for y in even.chain(near).chain(tiny).chain(huge) {
            let inside = phi.range().contains(y);
            match phi.preimages(y) {
                Preimages::None => {
                    let overflows = inside && y < -1e307 && phi.name() == "leaky-softplus:0.2";
                    assert!(!inside || overflows, "{phi:?}: none for {y:e}");
                }
                Preimages::One(z) => solves(&*phi, z, y),
                Preimages::Two { left, right } => {
                    assert!(phi.range().attained && y < 0.0 && left < right);
                    solves(&*phi, left, y);
                    solves(&*phi, right, y);
                }
            }
        }
    }
}

#[test]
fn a_minimum_has_a_preimage_and_what_overflows_has_none() {
    for phi in all().filter(|phi| phi.range().attained) {
        let Preimages::One(z) = phi.preimages(phi.range().lo) else { panic!("{phi:?}") };
        solves(&*phi, z, phi.range().lo);
    }
    let nearly_flat = LeakySoftplus::new(1e-300).unwrap();
    assert_eq!(nearly_flat.preimages(-1e10), Preimages::None);
}

#[test]
fn largest_slopes_and_minima_agree_with_mpmath() {
    let cells = rows(include_str!("golden/constants.csv"));
    let lines = include_str!("golden/constants.csv").lines().skip(1);
    for ((name, numbers), line) in cells.zip(lines) {
        let (phi, number) = (get(name), numbers[1]);
        if line.contains("largest slope") {
            hold(line, phi.largest_slope().unwrap(), number, 0.0, 0.0);
        } else if line.contains("minimum,") {
            assert_eq!(phi.range().lo, number);
        } else if line.contains("minimum at") {
            assert_eq!(phi.preimages(phi.range().lo), Preimages::One(number));
        }
    }
    for phi in all() {
        let Some(largest) = phi.largest_slope() else { continue };
        let steepest = (-4000..4000).map(|i| phi.derivative(f64::from(i) / 100.0)).fold(0.0, f64::max);
        assert!(steepest >= largest * 0.999, "{phi:?}: {steepest} < {largest}");
    }
    assert_eq!([get("exp").largest_slope(), get("expm1").largest_slope()], [None, None]);
}

/// A user's activation, `φ(t) = shift + atan(steep·t)`, that leaves everything it can to the trait.
#[derive(Debug)]
pub struct Arctan {
    pub shift: f64,
    pub steep: f64,
}

impl Activation for Arctan {
    fn name(&self) -> String {
        "arctan of one's own".to_owned()
    }
    fn value(&self, t: f64) -> f64 {
        self.shift + (self.steep * t).atan()
    }
    fn derivative(&self, t: f64) -> f64 {
        self.steep / (1.0 + (self.steep * t).powi(2))
    }
    fn limits(&self) -> (f64, f64) {
        (self.shift - FRAC_PI_2, self.shift + FRAC_PI_2)
    }
    fn second_derivative(&self, t: f64) -> f64 {
        let slope = self.derivative(t);
        // nothing times infinity must not become NaN
        if slope == 0.0 { 0.0 } else { -2.0 * self.steep * t * slope * slope }
    }
}

#[test]
fn the_default_rise_does_not_cancel() {
    let sizes = (-600..60).map(|i| 10f64.powf(f64::from(i) / 20.0));
    for t in sizes.flat_map(|t| [t, -t]).chain([0.0]) {
        let steady = Arctan { shift: 1.0, steep: 1.0 };
        let error = (steady.centered(t) - t.atan()).abs();
        assert!(error <= 8.0 * f64::EPSILON * t.atan().abs(), "t = {t:e}: {error:e}");
        let mut out = [0.0];
        steady.graduate(1e-8, &[t], &mut out);
        let graduated = (1e-8 * t).atan() / 1e-8;
        assert!((out[0] - graduated).abs() <= 8.0 * f64::EPSILON * graduated.abs(), "z = {t:e}: {}", out[0]);
        // Too steep for ten points: the check against the difference steps in, at the price of its rounding.
        let steep = Arctan { shift: 1.0, steep: 1e3 };
        let error = (steep.centered(t) - (1e3 * t).atan()).abs();
        assert!(error <= 80.0 * f64::EPSILON, "steep, t = {t:e}: {error:e}");
    }
}

#[test]
fn the_default_preimage_is_found_from_anywhere() {
    let phi = Arctan { shift: 0.0, steep: 1.0 };
    for y in
        (0..1000).map(|i| 2f64.powi(-i)).chain([1.5, FRAC_PI_2 - 1e-7, FRAC_PI_2.next_down()]).flat_map(|y| [y, -y])
    {
        match phi.preimages(y) {
            Preimages::One(z) => solves(&phi, z, y),
            other => panic!("{other:?} for {y:e}"),
        }
    }
    assert_eq!(phi.preimages(0.0), Preimages::One(0.0));
    // Its range says all numbers, which it does not reach.
    assert_eq!(phi.preimages(1.6), Preimages::None);
    assert_eq!(phi.preimages(-1e300), Preimages::None);
}

/// Another, with an exponential tail, an overflow to NaN far to the left, and a slope that is not to be trusted.
#[derive(Debug)]
struct Rough;

impl Activation for Rough {
    fn name(&self) -> String {
        "rough".to_owned()
    }
    fn value(&self, t: f64) -> f64 {
        if t < -1e300 { f64::NAN } else { t.exp() }
    }
    fn derivative(&self, t: f64) -> f64 {
        if t > 1.0 { 0.0 } else { t.sin() }
    }
    fn second_derivative(&self, t: f64) -> f64 {
        t.exp()
    }
}

#[test]
fn the_default_preimage_survives_a_bad_slope() {
    for y in (-1000..1000).step_by(7).map(|i| 2f64.powi(i)) {
        let Preimages::One(z) = Rough.preimages(y) else { panic!("none for {y:e}") };
        assert!((z - y.ln()).abs() <= 2.0 * ulp(z) + 1e-14, "{z} for ln {y:e}");
    }
}

#[test]
fn names_round_trip_and_parameters_are_read() {
    for phi in all() {
        assert_eq!(get(&phi.name()).name(), phi.name());
    }
    for (typed, name) in [
        ("leaky-softplus", "leaky-softplus:0.2"),
        ("leaky-softplus:0.3", "leaky-softplus:0.3"),
        ("leaky-softplus:K=0.3", "leaky-softplus:0.3"),
        ("leaky-softplus:k=3e-1", "leaky-softplus:0.3"),
        ("leaky-softplus:1", "leaky-softplus:1"),
        ("leaky-softplus:-0", "leaky-softplus:0"),
    ] {
        assert_eq!(get(typed).name(), name);
    }
    assert_eq!(LeakySoftplus::new(0.25).unwrap().k(), 0.25);
}

#[test]
fn wrong_names_and_parameters_are_explained() {
    for name in ["relu", "leaky-relu", "leaky_relu", "lrelu", "ReLU", "leaky-relu:0.1"] {
        let error = named(name).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Homogeneous { .. }), "{name}: {error}");
        assert!(error.to_string().contains(name) && error.to_string().contains("softplus"), "{error}");
    }
    for k in ["", "x", "-0.1", "1.5", "nan", "inf", "q=0.3", "0.2:0.3", "k="] {
        let error = named(&format!("leaky-softplus:{k}")).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Parameter { .. }), "{k}: {error}");
        assert!(error.to_string().contains("between 0 and 1"), "{error}");
    }
    for name in ["sigmoid:0.3", "silu:", "exp:k=1", "logit:2"] {
        let error = named(name).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Parameter { .. }), "{name}: {error}");
        assert!(error.to_string().contains("takes none"), "{error}");
    }
    for (name, meant) in [
        ("sigmod", Some("sigmoid")),
        ("Sigmoid", Some("sigmoid")),
        ("leaky_softplus:0.3", Some("leaky-softplus")),
        ("gleu", Some("gelu")),
        ("complog", None),
        ("cauchit", None),
        ("Cloglog", Some("cloglog")),
        ("gompert", Some("gompertz")),
        ("", None),
    ] {
        let error = named(name).unwrap_err();
        let ErrorKind::UnknownActivation { nearest, .. } = error.kind() else { panic!("{error}") };
        assert_eq!(nearest.as_deref(), meant, "{error}");
        assert!(NAMES.iter().all(|known| error.to_string().contains(known)), "{error}");
    }
}

#[test]
fn nearest_names_are_near() {
    let columns = ["age".to_owned(), "income".to_owned(), "größe".to_owned()];
    assert_eq!(nearest("incmoe", &columns), Some("income"));
    assert_eq!(nearest("GRÖSSE", &columns), Some("größe"));
    assert_eq!(nearest("a", &columns), None);
    assert_eq!(nearest("", &columns), None);
    assert_eq!(nearest("x", &[] as &[&str]), None);
}

#[test]
fn branches_close_in_on_the_minimum() {
    for phi in bank::nonmonotone().map(get) {
        let low = phi.range().lo;
        let mut outer = (f64::NEG_INFINITY, 0.0);
        for y in (1..450).map(|i| low * (1.0 - 0.93f64.powi(i))) {
            let Preimages::Two { left, right } = phi.preimages(y) else { continue };
            let closer = outer.0 < left && left < right && right < outer.1;
            assert!(closer, "{phi:?}: {left} and {right} for y = {y:e} are not between {outer:?}");
            outer = (left, right);
        }
        assert!(outer.1 - outer.0 < 1e-6, "{phi:?}: {outer:?}");
    }
}
