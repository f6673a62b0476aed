//! *Measurements* on data of the quantities that the theory bounds, around a centre that the caller takes for w_*.

use crate::error::Result;
use crate::math::krylov;
use crate::math::linalg::norm;
use crate::math::rng::Random;
use crate::oracle::{Batch, Hessian, Oracle, Query, Want};
use crate::theory::{Constants, Sphere};

/// Number of products with a Hessian that is too large to be formed.
const PRODUCTS: usize = 60;

/// A set of random points within, or at, a distance `radius` of `centre`, at one temperature.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The point that is taken for w_*.
    pub centre: &'a [f64],
    /// r.
    pub radius: f64,
    /// τ.
    pub tau: f64,
    /// Number of random points.
    pub points: usize,
}

impl Around<'_> {
    /// The smallest and largest eigenvalue of the full Hessian of L̂_τ at the centre and at random points of the ball,
    /// at increasing distances up to r. None if an eigenvalue iteration fails. Finitely many points cannot prove a
    /// bound, but they can disprove one.
    ///
    /// # Errors
    /// Those of the oracle.
    pub fn curvature(&self, oracle: &dyn Oracle, random: &mut Random) -> Result<Option<Constants>> {
        let mut extremes: Option<(f64, f64)> = None;
        for point in 0..=self.points {
            // in high dimension nearly all of a ball is near its surface, so the distances are equally spaced instead
            let share = point as f64 / self.points.max(1) as f64;
            let theta = self.point(share * self.radius, random);
            let Some(found) = extremes_at(oracle, &theta, self.tau)? else { return Ok(None) };
            let Constants { convexity: least, smoothness: most } = found;
            let (low, high) = extremes.unwrap_or((least, most));
            extremes = Some((low.min(least), high.max(most)));
        }
        Ok(extremes.map(|(convexity, smoothness)| Constants { convexity, smoothness }))
    }

    /// The largest variance of the gradient over batches of `size` rows, and the largest loss, at random points of the
    /// sphere. The variance at a point is the mean over one epoch of batches.
    ///
    /// # Errors
    /// Those of the oracle.
    pub fn sphere(&self, oracle: &dyn Oracle, size: usize, random: &mut Random) -> Result<Sphere> {
        let mut sphere = Sphere { variance: 0.0, loss: 0.0 };
        for _ in 0..self.points {
            let theta = self.point(self.radius, random);
            let ask = |batch| oracle.ask(&Query::at(&theta, self.tau, batch, Want::Gradient))?.gradient();
            let all = ask(Batch::All)?;
            let size = size.clamp(1, oracle.rows().max(1));
            let (key, batches) = (random.bits(), (oracle.rows() / size).max(1));
            let square = |batch: usize| -> Result<f64> {
                let few = ask(Batch::Part { key, start: batch * size, len: size })?.gradient;
                Ok(few.iter().zip(&all.gradient).map(|(few, all)| (few - all) * (few - all)).sum::<f64>())
            };
            let variance = (0..batches).map(square).sum::<Result<f64>>()? / batches as f64;
            sphere = Sphere { variance: sphere.variance.max(variance), loss: sphere.loss.max(all.loss) };
        }
        Ok(sphere)
    }

    /// A random point at this distance from the centre.
    fn point(&self, distance: f64, random: &mut Random) -> Vec<f64> {
        let direction: Vec<f64> = self.centre.iter().map(|_| random.normal()).collect();
        let length = norm(&direction);
        let scale = if length > 0.0 { distance / length } else { 0.0 };
        self.centre.iter().zip(&direction).map(|(centre, v)| centre + scale * v).collect()
    }
}

/// The smallest and largest eigenvalue of the full Hessian of L̂_τ at θ; none if the eigenvalue iteration fails.
///
/// # Errors
/// Those of the oracle.
pub fn extremes_at(oracle: &dyn Oracle, theta: &[f64], tau: f64) -> Result<Option<Constants>> {
    let values = match oracle.is_wide() {
        false => {
            let query = Query::at(theta, tau, Batch::All, Want::Curvature(Hessian::Full));
            let matrix = oracle.ask(&query)?.model()?.into_matrix();
            matrix.and_then(|matrix| matrix.eigen()).map(|eigen| eigen.values).unwrap_or_default()
        }
        true => {
            let times = |v: &[f64]| oracle.curvature_times(theta, tau, Batch::All, Hessian::Full, v);
            krylov::ritz_values(times, oracle.dim(), PRODUCTS)?
        }
    };
    let both = values.first().zip(values.last());
    Ok(both.map(|(&convexity, &smoothness)| Constants { convexity, smoothness }))
}
