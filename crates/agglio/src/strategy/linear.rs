//! The *linear* stage: at τ = 0 the problem is least squares on φ⁻¹(y), solved in closed form and without a start.

use std::cell::OnceCell;

use crate::fit::Outcome;
use crate::math::krylov;
use crate::math::linalg::{Factor, Symmetric};
use crate::oracle::Batch;
use crate::oracle::{Fold, Hessian, Oracle, Query, Want};
use crate::outcome::StopReason;
use crate::solver::Ball;
use crate::solver::preset::SAMPLE_KEY;
use crate::strategy::{Found, Plan};

/// Times that preimages are chosen anew where there are two.
const MOST_CHOICES: usize = 10;
/// Rows a coefficient that tell starts apart.
const ROWS: f64 = 5.0;
/// Products with the curvature for a solution without forming it, and the residual to reach, relatively.
const MOST_PRODUCTS: usize = 200;
const RESIDUAL: f64 = 1e-10;

impl Plan {
    /// The linear stage alone: least squares on φ⁻¹(y), the nearer of two preimages counting.
    pub(super) fn linear(&self, oracle: &mut Fold<'_>) -> Found {
        let line = self.line(oracle, Batch::All);
        let theta = line.unclipped(oracle);
        let mut sums = oracle.ask(&Query::new(&theta, 0.0, Batch::All, Want::Stationarity));
        let multiplier = self.settings.ball(oracle).map_or(0.0, |ball| ball.reduce(&theta, &mut sums.gradient));
        let reason = if sums.is_finite() { StopReason::Settled } else { StopReason::NotFinite };
        let sigma = Some(oracle.rms_preimage_error(&theta));
        Found {
            sigma,
            ..Outcome {
                theta,
                tau: 0.0,
                reason,
                steps: 1,
                first_loss: sums.loss,
                sums,
                multiplier,
                matching_gradient: None,
            }
            .into()
        }
    }
}

/// The normal equations at τ = 0: one pass.
pub(super) struct NormalEquations {
    pub rows: Batch,
    /// None where θ is so wide that it is not formed.
    pub curvature: Option<Symmetric>,
    /// One for each label margin, then one for labels as they are, then one for preimages on the left where there are.
    right_sides: Vec<Vec<f64>>,
    ball: Option<Ball>,
    /// Of the curvature, for one right-hand side after the other; none where it is not safely positive definite.
    factor: OnceCell<Option<Factor>>,
}

impl NormalEquations {
    pub fn of(oracle: &dyn Oracle, rows: Batch, ball: Option<Ball>) -> NormalEquations {
        let origin = vec![0.0; oracle.dim()];
        let want = if oracle.is_wide() { Want::RightSides } else { Want::NormalEquations };
        let answer = oracle.ask(&Query::new(&origin, 0.0, rows, want));
        NormalEquations {
            rows,
            curvature: answer.curvature,
            right_sides: answer.right_sides,
            ball,
            factor: OnceCell::new(),
        }
    }

    /// The solution for a right-hand side, within the ball; of least norm where there are several. `near` is where it is
    /// expected to be, for the sake of speed.
    pub fn solve(&self, oracle: &dyn Oracle, right: &[f64], near: &[f64]) -> Vec<f64> {
        let Some(ball) = self.ball else { return self.solve_pulled(oracle, right, near, 0.0) };
        let origin = vec![0.0; right.len()];
        let scale = self.curvature.as_ref().map_or(1.0, Symmetric::largest_diagonal);
        ball.minimise(&origin, scale, |mu| self.solve_pulled(oracle, right, near, mu))
    }

    /// The solution with μ/2·‖w‖² added to what is minimised.
    fn solve_pulled(&self, oracle: &dyn Oracle, right: &[f64], near: &[f64], mu: f64) -> Vec<f64> {
        let coefficients = oracle.coefficients();
        if let Some(curvature) = &self.curvature {
            let shift: Vec<f64> = (0..right.len()).map(|j| if j < coefficients { mu } else { 0.0 }).collect();
            let factor = || self.factor.get_or_init(|| curvature.factor(&shift)).as_ref();
            let found = if mu == 0.0 { factor().map(|factor| factor.solve(right)) } else { None };
            let found = found.or_else(|| curvature.solve_safely(&shift, right));
            let found = found.filter(|theta| theta.iter().all(|t| t.is_finite()));
            // no path begins at what is not finite
            return found.unwrap_or_else(|| vec![0.0; right.len()]);
        }
        let times = |v: &[f64]| {
            let mut product = self.times(oracle, v);
            product.iter_mut().zip(&v[..coefficients]).for_each(|(h, v)| *h += mu * v);
            product
        };
        let left: Vec<f64> = times(near).iter().zip(right).map(|(h, b)| b - h).collect();
        let goal = RESIDUAL * right.iter().map(|b| b * b).sum::<f64>().sqrt();
        let p = krylov::conjugate_gradients(times, &left, goal, MOST_PRODUCTS);
        near.iter().zip(&p).map(|(near, p)| near + p).collect()
    }

    /// H·θ.
    fn times(&self, oracle: &dyn Oracle, theta: &[f64]) -> Vec<f64> {
        let want = Want::CurvatureTimes(Hessian::GaussNewton, theta);
        let ask = || oracle.ask(&Query::new(&vec![0.0; theta.len()], 0.0, self.rows, want)).curvature_times;
        self.curvature.as_ref().map_or_else(ask, |curvature| curvature.times(theta))
    }

    /// What is left at θ of the gradient for a right-hand side, and the ball's multiplier.
    pub fn gradient(&self, oracle: &dyn Oracle, right: &[f64], theta: &[f64]) -> (Vec<f64>, f64) {
        let mut gradient: Vec<f64> = self.times(oracle, theta).iter().zip(right).map(|(h, b)| h - b).collect();
        let multiplier = self.ball.map_or(0.0, |ball| ball.reduce(theta, &mut gradient));
        (gradient, multiplier)
    }

    /// The best start for τ = 1: of the label margins that make a difference, the one whose solution has the lowest
    /// loss there is put in force.
    pub fn start(&self, oracle: &mut Fold<'_>) -> Vec<f64> {
        let margins = oracle.labels().margins();
        let origin = vec![0.0; oracle.dim()];
        let solve = |right: &Vec<f64>| self.solve(oracle, right, &origin);
        // labels as they are come last, where they all have preimages and the narrowest margin clips some of them
        let unclipped = usize::from(oracle.labels().clips_some() && oracle.labels().without_preimage() == 0);
        let mut starts: Vec<Vec<f64>> = self.right_sides.iter().take(margins + unclipped).map(solve).collect();
        if oracle.labels().with_two_preimages() > 0 {
            starts = starts.into_iter().map(|start| self.rechoose(oracle, start)).collect();
        }
        let losses = if starts.len() > 1 { self.losses(oracle, &starts) } else { vec![0.0] };
        let best = (0..starts.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
        match best < margins {
            true => oracle.labels_mut().choose(best),
            false => oracle.labels_mut().unclip(),
        }
        starts.swap_remove(best)
    }

    /// The losses of several points at τ = 1, for a choice between them: over as many rows as cost a pass together, or as
    /// many as tell them apart if these are more.
    pub fn losses(&self, oracle: &dyn Oracle, points: &[Vec<f64>]) -> Vec<f64> {
        let all = self.rows.len(oracle.rows());
        // rows of little weight tell little
        let enough = (ROWS * oracle.dim() as f64 / oracle.effective_fraction()).ceil() as usize;
        let len = enough.max(all.div_ceil(points.len().max(1)));
        let rows = match self.rows {
            _ if len >= all => self.rows,
            Batch::All => Batch::Part { key: SAMPLE_KEY, start: 0, len },
            Batch::Part { key, start, .. } => Batch::Part { key, start, len },
        };
        oracle.losses(points, 1.0, rows)
    }

    /// The solution for the margin that is in force, and for others in their order as `argmin` grows.
    pub fn start_by(&self, argmin: usize, oracle: &Fold<'_>) -> Vec<f64> {
        let origin = vec![0.0; oracle.dim()];
        let choices = oracle.labels().margins() + usize::from(oracle.labels().without_preimage() == 0);
        let right = self.right_sides.get((oracle.labels().in_force() + argmin) % choices);
        let theta = right.map(|right| self.solve(oracle, right, &origin)).unwrap_or(origin);
        if oracle.labels().with_two_preimages() > 0 { self.rechoose(oracle, theta) } else { theta }
    }

    /// The solution for labels as they are, the nearer of two preimages counting.
    pub fn unclipped(&self, oracle: &mut Fold<'_>) -> Vec<f64> {
        oracle.labels_mut().unclip();
        let origin = vec![0.0; oracle.dim()];
        let right = self.right_sides.get(oracle.labels().margins());
        let theta = right.map(|right| self.solve(oracle, right, &origin)).unwrap_or(origin);
        if oracle.labels().with_two_preimages() > 0 { self.rechoose(oracle, theta) } else { theta }
    }

    /// The solution for the widest margin.
    pub fn widest(&self, oracle: &Fold<'_>) -> Vec<f64> {
        let origin = vec![0.0; oracle.dim()];
        self.right_sides.first().map(|right| self.solve(oracle, right, &origin)).unwrap_or(origin)
    }

    /// The solution for the preimages on the left of the dip.
    pub fn left(&self, oracle: &Fold<'_>) -> Option<Vec<f64>> {
        let index = oracle.labels().argmin().map(|_| oracle.labels().margins() + 1)?;
        self.right_sides.get(index).map(|right| self.solve(oracle, right, &vec![0.0; right.len()]))
    }

    /// The solution for labels near zero that come from far to the left of the dip, where φ is next to zero too.
    pub fn far_left(&self, oracle: &Fold<'_>) -> Option<Vec<f64>> {
        oracle.labels().far_left()?;
        self.right_sides.last().map(|right| self.solve(oracle, right, &vec![0.0; right.len()]))
    }

    /// The direction v in which a matrix is lowest beside this curvature H, with vᵀHv = 1.
    ///
    /// For Gaussian rows Σ t_i·x_i x_iᵀ, with t a function of xᵀw, is a multiple of H and one of Hwwᵀ H: what is left
    /// without the first has the eigenvector Hw.
    pub fn lowest(&self, oracle: &dyn Oracle, matrix: Symmetric) -> Option<Vec<f64>> {
        let curvature = self.curvature.as_ref()?;
        let share = matrix.trace() / curvature.trace();
        if !share.is_finite() {
            return None;
        }
        let eigen = matrix.less(share, curvature).eigen()?;
        let image = eigen.vectors.first()?;
        let v = self.solve_pulled(oracle, image, &vec![0.0; image.len()], 0.0);
        let norm = v.iter().zip(image).map(|(v, u)| v * u).sum::<f64>().sqrt();
        (norm > 0.0).then(|| v.iter().map(|v| v / norm).collect())
    }

    /// Chooses for each row the preimage that is nearer, solves, and chooses again until nothing changes.
    fn rechoose(&self, oracle: &dyn Oracle, mut theta: Vec<f64>) -> Vec<f64> {
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CHOICES {
            let here = oracle.ask(&Query::new(&theta, 0.0, self.rows, Want::Gradient));
            let right: Vec<f64> = self.times(oracle, &theta).iter().zip(&here.gradient).map(|(h, g)| h - g).collect();
            let next = self.solve(oracle, &right, &theta);
            let gain = 0.5 * theta.iter().zip(&next).zip(&here.gradient).map(|((a, b), g)| (a - b) * g).sum::<f64>();
            // the loss is the smaller of smooth ones, so it falls until the choice stays as it is; the last thousandth
            // is for the temperatures above to find
            if gain <= here.rounding().max(1e-3 * here.loss) || here.loss >= last {
                break;
            }
            last = here.loss;
            theta = next;
        }
        theta
    }
}
