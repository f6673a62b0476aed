//! The *numbers* that laws are checked with: differences with their errors, and a quadrature.

/// Relative errors of a value that count as rounding.
pub const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Whether two numbers are the same, or differ by `slack` at most. No number is close to NaN.
pub fn close(found: f64, expected: f64, slack: f64) -> bool {
    found == expected || (found - expected).abs() <= slack
}

/// Where two vectors have other bits, or other lengths.
pub fn other_bits(a: &[f64], b: &[f64]) -> Option<usize> {
    let differs = a.iter().zip(b).position(|(a, b)| a.to_bits() != b.to_bits());
    differs.or_else(|| (a.len() != b.len()).then_some(a.len().min(b.len())))
}

/// The largest entry in size.
pub fn size(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |most, v| most.max(v.abs()))
}

/// A derivative by differences, and a bound on its error.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    pub value: f64,
    pub error: f64,
}

impl Estimate {
    /// Whether a derivative is the estimated one, as far as can be seen.
    pub fn agrees(&self, derivative: f64) -> bool {
        self.error.is_infinite() || close(derivative, self.value, 16.0 * self.error + 1e-9 * self.value.abs())
    }
}

/// The derivatives at zero of the entries of `f`, by central differences of which each is half as wide as the last one:
/// for each entry the extrapolated difference with the least error. `floors` are sizes that rounding is relative to,
/// beside those of the values themselves.
pub fn differentiate<E>(
    f: impl Fn(f64) -> Result<Vec<f64>, E>,
    widest: f64,
    floors: &[f64],
) -> Result<Vec<Estimate>, E> {
    let quotients = |h: f64| -> Result<Vec<(f64, f64)>, E> {
        let (up, down) = (f(h)?, f(-h)?);
        let quotient = |((up, down), floor): ((&f64, &f64), &f64)| {
            ((up - down) / (2.0 * h), ROUNDING * (up.abs() + down.abs() + floor) / h)
        };
        Ok(up.iter().zip(&down).zip(floors).map(quotient).collect())
    };
    let mut best = vec![Estimate { value: f64::NAN, error: f64::INFINITY }; floors.len()];
    let (mut coarse, mut last) = (quotients(widest)?, vec![f64::INFINITY; floors.len()]);
    for halvings in 1..20 {
        let fine = quotients(widest * 0.5_f64.powi(halvings))?;
        for (j, best) in best.iter_mut().enumerate() {
            let (Some(coarse), Some(fine)) = (coarse.get(j), fine.get(j)) else { continue };
            let value = fine.0 + (fine.0 - coarse.0) / 3.0;
            let error = (value - last[j]).abs() + fine.1;
            if error < best.error {
                *best = Estimate { value, error };
            }
            last[j] = value;
        }
        coarse = fine;
    }
    Ok(best)
}

/// Nodes and weights of Gauss and Legendre on [−1, 1].
const NODES: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.906_179_845_938_664, 0.236_926_885_056_189_08),
];

/// ∫ f from `from` to `to`, and a bound on its error: the integral over half as many panels is compared.
pub fn integrate(f: impl Fn(f64) -> f64, from: f64, to: f64, panels: usize) -> Estimate {
    let rule = |panels: usize| {
        let half = 0.5 * (to - from) / panels as f64;
        let panel = |k: usize| {
            let middle = from + half * (2 * k + 1) as f64;
            NODES.iter().map(|(node, weight)| weight * f(middle + half * node)).sum::<f64>()
        };
        half * (0..panels).map(panel).sum::<f64>()
    };
    let (fine, coarse) = (rule(panels), rule(panels / 2));
    Estimate { value: fine, error: (fine - coarse).abs() }
}
