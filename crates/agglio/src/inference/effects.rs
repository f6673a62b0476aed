//! *Marginal effects*: by how much the predicted response changes with a covariate, on average over the rows.

use std::borrow::Cow;

use crate::error::Result;
use crate::inference::{Available, Estimate, Inference, Unavailable};
use crate::oracle::{Ask, Batch, Query};

impl Inference<'_> {
    /// `mean_i ∂φ(z_i)/∂x_ij = w_j·mean_i φ′(z_i)`
    ///
    /// The average marginal effect of each covariate, with standard errors by the delta method. Rows count by their weights.
    /// A covariate of zeros and ones is differentiated as any other. It takes one pass over the rows, and is not available
    /// under noise before φ.
    ///
    /// # Errors
    /// If rows are lost or cannot be read.
    ///
    /// Reference: Greene (2012), section 17.3.2; `get_margeff(at="overall", method="dydx")` of statsmodels.
    pub fn marginal_effects(&self) -> Result<Available<Vec<Estimate>>> {
        let (theta, tau) = (&self.end.outcome.theta, self.end.outcome.tau);
        if tau != 1.0 {
            return Ok(Err(Unavailable::NoiseBefore));
        }
        let ask = Ask::MeanSlope { theta: Cow::Borrowed(theta) };
        let slope = self.oracle.ask(&Query::new(Batch::All, ask))?.mean_slope()?;
        let layout = self.oracle.facts().layout;
        let dead = self.oracle.facts().coordinates.dead_columns();
        let effect = |entry: usize| {
            let (scale, own) = (self.units.scale(entry), layout.coefficients(theta)[entry]);
            let mut gradient: Vec<f64> = slope.gradient.iter().map(|g| scale * own * g).collect();
            gradient[entry] += scale * slope.value;
            let estimate = self.estimate(scale * own * slope.value, &gradient);
            if dead.contains(&entry) { Estimate { standard_error: None, ..estimate } } else { estimate }
        };
        Ok(Ok((0..layout.coefficients).map(effect).collect()))
    }
}
