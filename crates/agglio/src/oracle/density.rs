//! The *density* of a preimage under noise before φ.

use std::f64::consts::PI;

use crate::activation::Activation;

/// One preimage of a label, under noise before φ.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreimageDensity {
    pub preimage: f64,
    /// (ẑ − z)².
    pub square: f64,
    /// −ln|φ′(ẑ)|.
    pub log_jacobian: f64,
    /// ln N(ẑ; z, σ²)/|φ′(ẑ)|.
    pub log_density: f64,
}

impl PreimageDensity {
    pub fn new(activation: &dyn Activation, preimage: f64, z: f64, sigma: f64) -> PreimageDensity {
        let square = (preimage - z) * (preimage - z);
        // at the minimum φ′ = 0 and the density is infinite: such a label must not dominate the likelihood
        let log_jacobian = -activation.derivative(preimage).abs().max(1e-8).ln();
        let gauss = -0.5 * square / (sigma * sigma) - (sigma * (2.0 * PI).sqrt()).ln();
        PreimageDensity { preimage, square, log_jacobian, log_density: gauss + log_jacobian }
    }

    /// The posterior probability of the first of two preimages.
    pub fn odds(left: PreimageDensity, right: PreimageDensity) -> f64 {
        1.0 / (1.0 + (right.log_density - left.log_density).exp())
    }

    /// The mixture of two preimages, with the entropy of the choice in the log Jacobian; if they are equal, the first.
    pub fn expect(left: PreimageDensity, right: PreimageDensity) -> PreimageDensity {
        if left.preimage == right.preimage {
            return left;
        }
        let most = left.log_density.max(right.log_density);
        let [a, b] = [left, right].map(|side| (side.log_density - most).exp());
        let mean = |of: fn(&PreimageDensity) -> f64| (a * of(&left) + b * of(&right)) / (a + b);
        let log_density = most + (a + b).ln();
        let log_jacobian = mean(|d| d.log_jacobian) + (log_density - mean(|d| d.log_density));
        PreimageDensity { preimage: mean(|d| d.preimage), square: mean(|d| d.square), log_jacobian, log_density }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::Silu;

    /// ln p(y) = E ln p(y, ẑ) + entropy, whatever σ is.
    #[test]
    fn the_log_jacobian_and_the_expected_square_make_up_the_log_density() {
        for (z, sigma) in [(-1.0, 0.3), (-1.5, 1.0), (0.5, 7.0)] {
            let [left, right] = [-3.0, -0.4].map(|preimage| PreimageDensity::new(&Silu, preimage, z, sigma));
            let both = PreimageDensity::expect(left, right);
            let density = left.log_density.exp() + right.log_density.exp();
            let gauss = -0.5 * both.square / (sigma * sigma) - (sigma * (2.0 * PI).sqrt()).ln();
            assert!((density.ln() - gauss - both.log_jacobian).abs() < 1e-12, "{both:?}");
        }
    }
}
