//! The *ball* that iterates may be kept in.

/// Projects w onto ‖w‖₂ ≤ R, in the solver's coordinates; the intercept is left alone.
///
/// Reference: the theory assumes ‖w_*‖ ≤ R (`lem:elsc-elss`), and the published runs projected after every step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// R.
    pub radius: f64,
    /// How many entries of θ are coefficients.
    pub coefficients: usize,
}

impl Ball {
    /// Takes out of a gradient at θ what the ball takes out of every step: at its surface, the part that points outward.
    pub fn reduce(&self, theta: &[f64], gradient: &mut [f64]) {
        let w = &theta[..self.coefficients];
        let square: f64 = w.iter().map(|w| w * w).sum();
        let outward: f64 = w.iter().zip(&*gradient).map(|(w, g)| -w * g).sum();
        if outward > 0.0 && square.sqrt() >= self.radius * (1.0 - 1e-12) {
            gradient.iter_mut().zip(w).for_each(|(g, w)| *g += outward / square * w);
        }
    }

    /// Moves θ to the nearest point of the ball.
    pub fn project(&self, theta: &mut [f64]) {
        let w = &mut theta[..self.coefficients];
        let norm = w.iter().map(|w| w * w).sum::<f64>().sqrt();
        if norm > self.radius {
            w.iter_mut().for_each(|w| *w *= self.radius / norm);
        }
    }
}
