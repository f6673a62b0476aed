//! A *sandwich* is a covariance of θ of the form B⁻¹·M·B⁻¹: the bread B is a curvature, and the meat M depends on the
//! residuals.

use std::borrow::Cow;

use crate::error::Result;
use crate::fit::Outcome;
use crate::inference::bootstrap;
use crate::inference::kind::{Covariance, Resampling};
use crate::inference::unavailable::{Available, Unavailable};
use crate::math::linalg::{Factor, Symmetric};
use crate::oracle::{Ask, Batch, Hessian, Meat, Oracle, Query, Want, Weighting};

/// From this leverage on, the residual of a row is rounding.
const LARGEST_LEVERAGE: f64 = 1.0 - 1e-10;

/// The covariance of θ, and what else the passes for it have found.
pub(super) struct Sandwich {
    /// The covariance; rows of constant columns are zero.
    pub covariance: Symmetric,
    /// Mean of ω JJᵀ.
    pub bread: Symmetric,
    /// Mean of ω r², where r is divided by the standard deviation of the response if the loss is a likelihood.
    pub square: f64,
    /// Number of clusters, if they were used.
    pub clusters: Option<usize>,
}

/// n and p: the observations and the coefficients that were fitted to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    pub observations: f64,
    pub parameters: f64,
}

impl Sandwich {
    /// Makes the passes that the kind needs: at most one, or two for leverages.
    pub fn of(oracle: &dyn Oracle, outcome: &Outcome, kind: Covariance, counts: Counts) -> Result<Available<Sandwich>> {
        let dead = oracle.facts().coordinates.dead_columns();
        let alive = (0..oracle.dim()).filter(|entry| !dead.contains(entry)).collect();
        let maker = Maker { oracle, outcome, counts, alive, rows: oracle.facts().rows as f64 };
        let found = match kind {
            Covariance::Classical => maker.by_variance(Hessian::GaussNewton)?,
            Covariance::Hessian => maker.by_variance(Hessian::Full)?,
            Covariance::Hc0 => maker.around(maker.meat(Weighting::Plain)?, 1.0, None),
            Covariance::Hc1 => maker.around(maker.meat(Weighting::Plain)?, counts.observations / counts.free(), None),
            Covariance::Hc2 | Covariance::Hc3 => maker.by_leverage(kind.leverage_power())?,
            Covariance::Cluster if !oracle.facts().has_clusters => Err(Unavailable::NoClusters),
            Covariance::Cluster => maker.by_cluster()?,
            Covariance::Bootstrap { resampling: Resampling::Wild, .. } if oracle.facts().is_convex => {
                Err(Unavailable::WildLikelihood)
            }
            Covariance::Bootstrap { replicates, seed, resampling } => {
                maker.by_resampling((replicates, seed), resampling)?
            }
        };
        Ok(found.and_then(Sandwich::checked))
    }

    /// Refuses variances that are not finite.
    fn checked(self) -> Available<Sandwich> {
        let finite = (0..self.covariance.order()).all(|j| self.covariance.at(j, j).is_finite());
        if finite { Ok(self) } else { Err(Unavailable::Singular) }
    }
}

impl Counts {
    /// n − p.
    pub fn free(&self) -> f64 {
        self.observations - self.parameters
    }
}

/// Makes covariances at the end point of a fit.
struct Maker<'a> {
    oracle: &'a dyn Oracle,
    outcome: &'a Outcome,
    counts: Counts,
    /// The entries of θ that the data determine: all but those of constant columns.
    alive: Vec<usize>,
    /// Number of rows, by which sums were divided in answers.
    rows: f64,
}

impl Maker<'_> {
    /// σ̂²·B⁻¹, for half of a curvature of the sum of squares as the bread.
    fn by_variance(&self, hessian: Hessian) -> Result<Available<Sandwich>> {
        // of weights of mean one, as in every answer; both sums were divided by the number of rows
        let (bread, square) = self.bread_and_square(hessian)?;
        Ok(self.factor(&bread).map(|factor| {
            let covariance = self.embed(factor.inverse().scaled(square / self.counts.free()));
            Sandwich { covariance, bread, square, clusters: None }
        }))
    }

    /// The sandwich with squared residuals divided by a power of 1 − h.
    fn by_leverage(&self, power: i32) -> Result<Available<Sandwich>> {
        let bread = self.curvature(Hessian::GaussNewton)?;
        let roots = match self.factor(&bread) {
            Ok(factor) => self.roots(&factor),
            Err(reason) => return Ok(Err(reason)),
        };
        let meat = self.meat(Weighting::Leverage { roots: roots.into(), power })?;
        Ok(match meat.largest_leverage <= LARGEST_LEVERAGE {
            true => self.around(Meat { bread: Some(bread), ..meat }, 1.0, None),
            false => Err(Unavailable::LeverageOne),
        })
    }

    fn by_cluster(&self) -> Result<Available<Sandwich>> {
        let meat = self.meat(Weighting::Clusters)?;
        let (clusters, groups) = (meat.clusters, meat.clusters as f64);
        let correction = groups / (groups - 1.0) * (self.counts.observations - 1.0) / self.counts.free();
        Ok(match clusters {
            ..2 => Err(Unavailable::OneCluster),
            _ => self.around(meat, correction, Some(clusters)),
        })
    }

    fn by_resampling(&self, draws: (u32, u64), resampling: Resampling) -> Result<Available<Sandwich>> {
        let (bread, square) = self.bread_and_square(Hessian::GaussNewton)?;
        let covariance = bootstrap::covariance(self.oracle, self.outcome, draws, resampling)?;
        Ok(covariance.map(|covariance| Sandwich { covariance, bread, square, clusters: None }))
    }

    /// Bread and meat put together.
    fn around(&self, meat: Meat, correction: f64, clusters: Option<usize>) -> Available<Sandwich> {
        let (bread, square) = (meat.bread.ok_or(Unavailable::Singular)?, meat.square);
        let filling = meat.matrix.select(&self.alive);
        let covariance = self.embed(self.factor(&bread)?.sandwich(&filling).scaled(correction / self.rows));
        Ok(Sandwich { covariance, bread, square, clusters })
    }

    fn embed(&self, matrix: Symmetric) -> Symmetric {
        matrix.embed(&self.alive, self.oracle.dim())
    }

    fn factor(&self, matrix: &Symmetric) -> Available<Factor> {
        matrix.select(&self.alive).factor(&vec![0.0; self.alive.len()]).ok_or(Unavailable::Singular)
    }

    /// Vectors u with Σ u·uᵀ = (Σ ω JJᵀ)⁻¹, from the factor of the mean of ω JJᵀ.
    fn roots(&self, factor: &Factor) -> Vec<Vec<f64>> {
        let whole = |root: Vec<f64>| {
            let mut whole = vec![0.0; self.oracle.dim()];
            self.alive.iter().zip(root).for_each(|(&entry, u)| whole[entry] = u / self.rows.sqrt());
            whole
        };
        factor.inverse_roots().into_iter().map(whole).collect()
    }

    /// Half of the curvature of the loss: that of the last step if it is of this kind, else from a pass.
    fn curvature(&self, hessian: Hessian) -> Result<Symmetric> {
        let outcome = self.outcome;
        let known = outcome.model.curvature.as_ref().filter(|known| known.hessian == hessian);
        let matrix = match known {
            Some(known) => Some(known.matrix.clone()),
            None => {
                let query = Query::at(&outcome.theta, outcome.tau, Batch::All, Want::Curvature(hessian));
                self.oracle.ask(&query)?.model()?.into_matrix()
            }
        };
        Ok(matrix.unwrap_or_else(|| Symmetric::zero(self.oracle.dim())).scaled(0.5))
    }

    /// Half of the curvature, and the mean of ω r². Least squares has the latter already; for a likelihood one pass gives
    /// the Gauss–Newton matrix too.
    fn bread_and_square(&self, hessian: Hessian) -> Result<(Symmetric, f64)> {
        if !self.oracle.facts().is_convex {
            return Ok((self.curvature(hessian)?, self.outcome.model.unpenalised));
        }
        let Meat { bread, square, .. } = self.meat(Weighting::Plain)?;
        match (hessian, bread) {
            (Hessian::GaussNewton, Some(bread)) => Ok((bread, square)),
            _ => Ok((self.curvature(hessian)?, square)),
        }
    }

    fn meat(&self, weighting: Weighting<'_>) -> Result<Meat> {
        let ask = Ask::Meat { theta: Cow::Borrowed(&self.outcome.theta), tau: self.outcome.tau, weighting };
        self.oracle.ask(&Query::new(Batch::All, ask))?.meat()
    }
}
