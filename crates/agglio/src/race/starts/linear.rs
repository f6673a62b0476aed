//! The *linear* stage: at τ = 0 the problem is least squares on φ⁻¹(y), solved in closed form and without a start.

use std::sync::Arc;

use crate::error::Result;
use crate::fit::{Outcome, Silent, Stop, fit};
use crate::math::linalg::Symmetric;
use crate::oracle::{
    Ask, Batch, LabelChoice, Margin, NormalEquations, Oracle, OracleClient, PreimageChoice, Query, Want,
};
use crate::outcome::StopReason;
use crate::race::{Found, Rules};
use crate::solver::direction::FixedCurvature;
use crate::solver::estimator::{Estimator, Full};
use crate::solver::linear_system::LinearSystem;
use crate::solver::preset::SAMPLE_KEY;
use crate::solver::schedule::Adaptive;
use crate::solver::step::Improvement;
use crate::solver::{Ball, Keep, Method};

/// Maximum number of times that the nearer of two preimages is chosen again.
const MOST_CHOICES: usize = 10;
/// Rows per coefficient that are enough to compare starts.
const ROWS: f64 = 5.0;

impl Rules {
    /// The linear stage alone: least squares on φ⁻¹(y), the nearer of two preimages counting.
    pub(in crate::race) fn linear(&self, oracle: &dyn Oracle) -> Result<Found> {
        let labels = LabelChoice { margin: Margin::None, ..oracle.labels() };
        let oracle = &OracleClient::new(oracle, labels);
        let stage = self.linear_stage(oracle, Batch::All)?;
        let theta = stage.unclipped(oracle)?;
        let mut model = oracle.ask(&Query::at(&theta, 0.0, Batch::All, Want::Stationarity))?.model()?;
        let multiplier = self.settings.ball(oracle).map_or(0.0, |ball| ball.reduce(&theta, &mut model.gradient));
        let reason = if model.is_finite() { StopReason::Settled } else { StopReason::NotFinite };
        let sigma = Some(oracle.rms_preimage_error(&theta)?);
        let first_loss = model.loss;
        let outcome =
            Outcome { theta, tau: 0.0, reason, steps: 1, first_loss, model, multiplier, matching_gradient: None };
        Ok(Found { sigma, ..Found::new(outcome, labels) })
    }
}

/// The normal equations at τ = 0, and their solutions.
pub(in crate::race) struct LinearStage {
    pub system: Arc<LinearSystem>,
    choices: Vec<PreimageChoice>,
    /// One for each choice of preimages.
    right_sides: Vec<Vec<f64>>,
}

impl LinearStage {
    pub fn of(oracle: &dyn Oracle, rows: Batch, ball: Option<Ball>) -> Result<LinearStage> {
        let choices = oracle.facts().preimage_choices();
        let ask = Ask::NormalEquations { matrix: !oracle.is_wide(), choices: choices.clone() };
        let NormalEquations { matrix, right_sides } = oracle.ask(&Query::new(rows, ask))?.normal_equations()?;
        Ok(LinearStage { system: Arc::new(LinearSystem::new(rows, matrix, ball)), choices, right_sides })
    }

    /// Its rows.
    pub fn rows(&self) -> Batch {
        self.system.rows
    }

    /// The curvature at τ = 0, unless θ is so wide that it is not formed.
    pub fn curvature(&self) -> Option<&Symmetric> {
        self.system.curvature.as_ref()
    }

    /// The solution for a choice of preimages, if that was asked for.
    fn solution(&self, oracle: &dyn Oracle, choice: PreimageChoice) -> Result<Option<Vec<f64>>> {
        let right = self.choices.iter().position(|&other| other == choice).and_then(|at| self.right_sides.get(at));
        let origin = vec![0.0; oracle.dim()];
        right.map(|right| self.system.solve(oracle, right, [&origin, &origin])).transpose()
    }

    /// The solution for labels with this margin, the nearer of two preimages counting.
    fn with_margin(&self, oracle: &dyn Oracle, margin: Margin) -> Result<Vec<f64>> {
        if oracle.facts().layout.has_response() {
            return self.rescaled(oracle, 0);
        }
        let theta = self.solution(oracle, PreimageChoice::Right(margin))?.unwrap_or_else(|| vec![0.0; oracle.dim()]);
        if oracle.facts().preimages.with_two_preimages == 0 {
            return Ok(theta);
        }
        self.rechoose(oracle, theta)
    }

    /// The solution for one of the first response scales.
    fn rescaled(&self, oracle: &dyn Oracle, index: usize) -> Result<Vec<f64>> {
        let solution = self.solution(oracle, PreimageChoice::Rescaled(index))?;
        Ok(solution.unwrap_or_else(|| vec![0.0; oracle.dim()]))
    }

    /// The starts with a free response scale, the one with the lowest loss at τ = 1 first.
    pub fn rescaled_starts(&self, oracle: &dyn Oracle) -> Result<Vec<Vec<f64>>> {
        let starts: Vec<Vec<f64>> = (0..self.choices.len()).map(|k| self.rescaled(oracle, k)).collect::<Result<_>>()?;
        let losses = self.losses(oracle, &starts)?;
        let mut ranked: Vec<(f64, Vec<f64>)> = losses.into_iter().zip(starts).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(ranked.into_iter().map(|(_, start)| start).collect())
    }

    /// The best start for τ = 1: the label margin whose solution has the lowest loss there, and that solution.
    pub fn start(&self, oracle: &dyn Oracle) -> Result<(Margin, Vec<f64>)> {
        let facts = oracle.facts();
        if facts.layout.has_response() {
            let best = self.rescaled_starts(oracle)?.into_iter().next();
            return Ok((Margin::default(), best.unwrap_or_else(|| vec![0.0; oracle.dim()])));
        }
        // unclipped labels come last, if all have preimages and the narrowest margin clips some of them
        let unclipped = facts.clips_some && facts.preimages.without_preimage == 0;
        let margins = (0..facts.margins).map(Margin::Nth).chain(unclipped.then_some(Margin::None));
        let starts = margins.map(|margin| Ok((margin, self.with_margin(oracle, margin)?)));
        let mut starts: Vec<(Margin, Vec<f64>)> = starts.collect::<Result<_>>()?;
        let losses = match starts.len() {
            ..2 => vec![0.0],
            _ => self.losses(oracle, &starts.iter().map(|(_, theta)| theta.clone()).collect::<Vec<_>>())?,
        };
        let best = (0..starts.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
        Ok(starts.swap_remove(best))
    }

    /// The losses of several points at τ = 1, to choose between them. The rows are so few that all points together cost a
    /// pass, but enough to compare them.
    pub fn losses(&self, oracle: &dyn Oracle, points: &[Vec<f64>]) -> Result<Vec<f64>> {
        let all = self.rows().len(oracle.rows());
        // rows of little weight carry little information
        let enough = (ROWS * oracle.dim() as f64 / oracle.facts().effective_fraction).ceil() as usize;
        let len = enough.max(all.div_ceil(points.len().max(1)));
        let rows = match self.rows() {
            rows if len >= all || matches!(rows, Batch::Resample { .. }) => rows,
            Batch::All | Batch::Resample { .. } => Batch::Part { key: SAMPLE_KEY, start: 0, len },
            Batch::Part { key, start, .. } => Batch::Part { key, start, len },
        };
        oracle.losses(points, 1.0, rows)
    }

    /// The solution for the margin of the run, and for others in their order as `turn` grows.
    pub fn start_by(&self, turn: usize, oracle: &dyn Oracle) -> Result<Vec<f64>> {
        let facts = oracle.facts();
        if facts.layout.has_response() {
            return self.rescaled(oracle, turn % self.choices.len().max(1));
        }
        let choices = facts.margins + usize::from(facts.preimages.without_preimage == 0);
        let own = match oracle.labels().margin {
            Margin::Nth(index) => index,
            Margin::None => facts.margins,
        };
        let margin = match (own + turn) % choices {
            index if index < facts.margins => Margin::Nth(index),
            _ => Margin::None,
        };
        self.with_margin(oracle, margin)
    }

    /// The solution for labels as they are, the nearer of two preimages counting.
    pub fn unclipped(&self, oracle: &dyn Oracle) -> Result<Vec<f64>> {
        self.with_margin(oracle, Margin::None)
    }

    /// The solution for the widest margin.
    pub fn widest(&self, oracle: &dyn Oracle) -> Result<Vec<f64>> {
        let widest = self.solution(oracle, PreimageChoice::Right(Margin::default()))?;
        widest.map_or_else(|| self.rescaled(oracle, 0), Ok)
    }

    /// The solution for the left one of two preimages.
    pub fn left(&self, oracle: &dyn Oracle) -> Result<Option<Vec<f64>>> {
        self.solution(oracle, PreimageChoice::Left)
    }

    /// The solution for labels near zero that come from far to the left of the minimum of φ, where φ is next to zero too.
    pub fn far_left(&self, oracle: &dyn Oracle) -> Result<Option<Vec<f64>>> {
        self.solution(oracle, PreimageChoice::FarLeft)
    }

    /// The direction v in which a matrix is lowest beside this curvature H, with vᵀHv = 1.
    ///
    /// For Gaussian rows Σ t_i·x_i x_iᵀ, with t a function of xᵀw, is a multiple of H and one of Hwwᵀ H: what is left
    /// without the first has the eigenvector Hw.
    pub fn lowest(&self, oracle: &dyn Oracle, matrix: Symmetric) -> Result<Option<Vec<f64>>> {
        let Some(curvature) = self.curvature() else { return Ok(None) };
        let share = matrix.trace() / curvature.trace();
        if !share.is_finite() {
            return Ok(None);
        }
        let Some(eigen) = matrix.less(share, curvature).eigen() else { return Ok(None) };
        let Some(image) = eigen.vectors.first() else { return Ok(None) };
        let origin = vec![0.0; image.len()];
        let v = self.system.solve_pulled(oracle, image, [&origin, &origin], 0.0)?;
        let norm = v.iter().zip(image).map(|(v, u)| v * u).sum::<f64>().sqrt();
        Ok((norm > 0.0).then(|| v.iter().map(|v| v / norm).collect()))
    }

    /// Chooses the nearer preimage for each row, solves, and chooses again. The loss falls until no choice changes. The last
    /// thousandth of it is left to the higher temperatures.
    fn rechoose(&self, oracle: &dyn Oracle, theta: Vec<f64>) -> Result<Vec<f64>> {
        Ok(fit(oracle, self.method(Box::new(Full), 1e-3), theta, Stop::new(0.0, MOST_CHOICES), &mut Silent)?.theta)
    }

    /// Solves again and again for right-hand sides that depend on θ, until a solution promises less than a share of the loss.
    pub fn method(&self, estimator: Box<dyn Estimator>, share: f64) -> Method {
        Method {
            schedule: Box::new(Adaptive::new(0.0, vec![self.rows()]).staying()),
            estimator,
            direction: Box::new(FixedCurvature(self.system.clone())),
            step: Box::new(Improvement { share }),
            ball: self.system.ball,
            keep: Keep::Last,
        }
    }
}
