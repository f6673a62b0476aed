//! The *centered* activation φ(t) − φ(0), computed from φ and φ′. It is the default of an activation without its own
//! form.

/// Up to this |t| the derivative is integrated.
const LARGEST_INTEGRATED: f64 = 0.5;

/// Positive nodes and weights of the ten-point Gauss–Legendre rule on [−1, 1], which is symmetric about zero.
const RULE: [(f64, f64); 5] = [
    (0.14887433898163122, 0.29552422471475287),
    (0.4333953941292472, 0.26926671930999635),
    (0.6794095682990244, 0.21908636251598204),
    (0.8650633666889845, 0.1494513491505806),
    (0.9739065285171717, 0.06667134430868814),
];

/// `φ(t) − φ(0) = ∫₀ᵗ φ′(s) ds`
///
/// Near zero the difference would cancel, so the integral is computed by Gauss–Legendre. For an increasing φ the terms
/// of this rule have one sign. The plain difference is used farther out, and where the two values differ by more than
/// rounding: there the curvature of φ is too large for ten points.
pub(super) fn from_derivative(value: impl Fn(f64) -> f64, derivative: impl Fn(f64) -> f64, t: f64) -> f64 {
    if t == 0.0 {
        return 0.0;
    }
    let (end, start) = (value(t), value(0.0));
    let difference = end - start;
    if t.abs() > LARGEST_INTEGRATED {
        return difference;
    }
    let integral = integrate(derivative, t);
    let rounding = 16.0 * f64::EPSILON * (end.abs() + start.abs());
    if (integral - difference).abs() <= rounding { integral } else { difference }
}

fn integrate(derivative: impl Fn(f64) -> f64, t: f64) -> f64 {
    let half = 0.5 * t;
    let sum: f64 = RULE
        .iter()
        .map(|&(node, weight)| weight * (derivative(half - half * node) + derivative(half + half * node)))
        .sum();
    half * sum
}
