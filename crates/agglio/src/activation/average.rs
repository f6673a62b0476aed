//! The *average* of an activation over Gaussian noise that enters before it.

use std::sync::LazyLock;

use super::Activation;
use crate::linalg;

/// Nodes of the rule.
const NODES: usize = 64;
/// The rule, which takes far longer to find than a small prediction.
static RULE: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| linalg::gauss_hermite(NODES));

/// Writes E φ(z + ε), ε ~ N(0, σ²), for each z, by Gauss–Hermite: the mean of y = φ(z + ε), of which φ(z) is the median.
pub(crate) fn average(phi: &dyn Activation, z: &[f64], deviation: f64, out: &mut [f64]) {
    let (mut shifted, mut response) = (vec![0.0; z.len()], vec![0.0; z.len()]);
    out.fill(0.0);
    for &(node, weight) in RULE.iter() {
        shifted.iter_mut().zip(z).for_each(|(shifted, z)| *shifted = z + deviation * node);
        phi.respond(&shifted, &mut response);
        out.iter_mut().zip(&response).for_each(|(out, phi)| *out += weight * phi);
    }
}
