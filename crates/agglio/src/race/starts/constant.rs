//! The *constant* model, without covariates: the baseline of every fit, and one of the starts.

use crate::error::Result;
use crate::fit::{Silent, Stop, fit};
use crate::math::linalg::Symmetric;
use crate::oracle::{
    Answer, Ask, At, Baseline, Batch, ConstantModel, Curvature, Facts, Gradient, Hessian, Layout, Model, Oracle, Query,
    Value,
};
use crate::solver::direction::LevenbergMarquardt;
use crate::solver::estimator::Full;
use crate::solver::schedule::Constant;
use crate::solver::step::TrustRegion;
use crate::solver::{Keep, Method};

/// Most steps to the best constant.
const MOST_STEPS: usize = 50;
/// The relative gradient at which it is found.
const TOLERANCE: f64 = 1e-12;

/// The model without covariates as a start; none where it has no intercept or an infinite one.
pub(in crate::race) fn start(facts: &Facts) -> Option<Vec<f64>> {
    facts.baseline.intercept.map(|intercept| facts.layout.constant(intercept))
}

/// The baseline of rows whose offsets differ, by the loop, from a point near it.
pub(crate) fn improve(oracle: &dyn Oracle) -> Result<Baseline> {
    let (only, baseline) = (InterceptOnly::new(oracle), oracle.facts().baseline);
    let method = Method {
        schedule: Box::new(Constant { tau: 1.0, steps: 1 }),
        estimator: Box::new(Full),
        direction: Box::new(LevenbergMarquardt::new(Hessian::GaussNewton)),
        step: Box::new(TrustRegion::default()),
        ball: None,
        keep: Keep::Last,
    };
    let start = vec![baseline.intercept.unwrap_or(0.0)];
    let end = fit(&only, method, start, Stop::new(TOLERANCE, MOST_STEPS), &mut Silent)?;
    let loss = end.model.loss;
    Ok(match loss < baseline.loss {
        true => Baseline { loss, mean_loss: loss, intercept: end.theta.first().copied(), is_exact: true, ..baseline },
        false => Baseline { is_exact: true, ..baseline },
    })
}

/// An oracle whose θ is the intercept alone, at τ = 1 and over all rows. No covariate is read.
struct InterceptOnly<'a> {
    oracle: &'a dyn Oracle,
    facts: Facts,
}

impl InterceptOnly<'_> {
    fn new(oracle: &dyn Oracle) -> InterceptOnly<'_> {
        let layout = Layout { coefficients: 0, intercept: true, response: [false; 2] };
        InterceptOnly { oracle, facts: Facts { layout, l2: 0.0, ..oracle.facts().clone() } }
    }
}

impl Oracle for InterceptOnly<'_> {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn ask(&self, query: &Query<'_>) -> Result<Answer> {
        let intercept = match &query.ask {
            Ask::At(At { theta, .. }) => theta.first().copied().unwrap_or(0.0),
            _ => return self.oracle.ask(query),
        };
        let ask = Query::new(Batch::All, Ask::Constant { intercept });
        let ConstantModel { loss, gradient, curvature } = self.oracle.ask(&ask)?.constant()?;
        let mut matrix = Symmetric::zero(1);
        matrix.set(0, 0, 2.0 * curvature);
        let label_square = self.facts.label_square;
        let rows = self.facts.rows;
        // that the squares of a likelihood are smaller matters to the last digits of the relative gradient only
        let value = Value { rows, loss, unpenalised: loss, square: loss, label_square, ..Value::default() };
        Ok(Answer::Model(Model {
            first_order: Gradient { value, gradient: vec![2.0 * gradient], remembered: Vec::new() },
            column_norms: vec![curvature.sqrt()],
            saturated: 0.0,
            curvature: Some(Curvature { matrix, hessian: Hessian::GaussNewton }),
        }))
    }

    fn ask_all(&self, queries: &[Query<'_>]) -> Result<Vec<Answer>> {
        queries.iter().map(|query| self.ask(query)).collect()
    }

    fn visited(&self) -> u64 {
        self.oracle.visited()
    }

    fn add_visited(&self, rows: u64) {
        self.oracle.add_visited(rows);
    }

    fn is_interrupted(&self) -> bool {
        self.oracle.is_interrupted()
    }
}
