//! Laws of facts, which are known before any question and agree with the answers.

use super::super::Verdict;
use super::{Outcome, ask, at, points, same, slack, smooth, value};
use crate::oracle::{Ask, Batch, Ends, Oracle, Query, Value, Want};

fn number(oracle: &dyn Oracle, ask_for: Ask<'_>) -> Outcome<f64> {
    ask(oracle, &Query::new(Batch::All, ask_for))?.number().map_err(|error| error.to_string())
}

pub(super) fn facts(oracle: &dyn Oracle) -> Verdict {
    let facts = oracle.facts();
    let dims = [oracle.dim(), facts.layout.dim(), facts.coordinates.dim()];
    if dims.iter().any(|dim| *dim != dims[0]) {
        return Err(format!("θ has {dims:?} entries by the oracle, its layout and its coordinates."));
    }
    let Value { rows, label_square, .. } = value(oracle, &Query::at(facts.layout.zero(), 1.0, Batch::All, Want::Loss))?;
    if [facts.rows, oracle.rows()] != [rows, rows] || facts.counted > rows || facts.margins == 0 {
        return Err(format!("{rows} rows answer, and the facts say {}, {} counted.", facts.rows, facts.counted));
    }
    let (lo, hi) = facts.label_bounds;
    let (largest, root) = (lo.abs().max(hi.abs()), label_square.sqrt());
    if lo > hi || root > largest * (1.0 + 1e-9) {
        return Err(format!("Labels from {lo:e} to {hi:e} have a root mean square of {root:e}."));
    }
    let theta = &points(oracle)[1];
    let expected = value(oracle, &smooth(theta, 0.0, Want::Loss))?;
    let found =
        oracle.rms_preimage_error(theta).map_err(|error| error.to_string())? * facts.activation.derivative_at_zero;
    let plain = value(oracle, &Query::at(theta, 0.0, Batch::All, Want::Loss))?;
    let near = plain.unpenalised.sqrt();
    same("root mean square of z − φ⁻¹(y)", &[found], &[near], slack(&[near, expected.label_square.sqrt()]))
}

pub(super) fn baseline(oracle: &dyn Oracle) -> Verdict {
    let (facts, baseline) = (oracle.facts(), oracle.facts().baseline);
    let loss = |b: f64| -> Outcome<f64> {
        Ok(value(oracle, &Query::at(facts.layout.constant(b), 1.0, Batch::All, Want::Loss))?.unpenalised)
    };
    for b in [-3.0, -0.5, 0.0, 0.2, 1.0, 4.0] {
        let query = Query::new(Batch::All, Ask::Constant { intercept: b });
        let found = ask(oracle, &query)?.constant().map_err(|error| error.to_string())?.loss;
        if facts.layout.intercept || b == 0.0 {
            let expected = loss(b)?;
            same("loss of a constant", &[found], &[expected], slack(&[expected]))
                .map_err(|w| format!("At {b}: {w}"))?;
            if baseline.is_exact && expected < baseline.loss * (1.0 - 1e-6) - 1e-14 {
                return Err(format!("The constant {b} has a loss of {expected:e}, below {:e}.", baseline.loss));
            }
        }
    }
    let own = match (facts.layout.intercept, baseline.intercept) {
        (false, _) => loss(0.0)?,
        (true, Some(b)) => loss(b)?,
        // at infinity
        (true, None) => return Ok(()),
    };
    same("loss of the baseline", &[baseline.loss], &[own], 1e-9 * own + 1e-14)
}

pub(super) fn predictions(oracle: &dyn Oracle) -> Verdict {
    let nothing = oracle.facts().layout.zero();
    let at_zero = value(oracle, &Query::at(&nothing, 1.0, Batch::All, Want::Loss))?.unpenalised;
    for theta in points(oracle) {
        let case = |what: String| at(&theta, 1.0) + &what;
        let loss = value(oracle, &Query::at(&theta, 1.0, Batch::All, Want::Loss))?.unpenalised;
        let scale = slack(&[loss]);
        let mean = number(oracle, Ask::MeanLoss { theta: (&theta).into(), sigma: 0.0 })?;
        same("loss of means without noise", &[mean], &[loss], 100.0 * scale).map_err(case)?;
        let helper = oracle.prediction_loss(&theta, None).map_err(|error| error.to_string())?;
        same("answer of `prediction_loss`", &[helper], &[loss], scale).map_err(case)?;
        // from θ to the origin, both in one visit of the rows
        let back = theta.iter().map(|theta| -theta).collect::<Vec<f64>>();
        let projection = Ask::Projection { theta: (&theta).into(), directions: vec![back].into(), limits: false };
        let projection = ask(oracle, &Query::new(Batch::All, projection))?.projection().map_err(|e| e.to_string())?;
        let (here, there) = (projection.loss(0, 0.0, 0.0) * at_zero, projection.loss(0, 1.0, 0.0) * loss);
        same("loss along a line", &[here], &[there], slack(&[here, there])).map_err(case)?;
        let (sigma, residual) = (0.4, 0.5);
        let noisy = number(oracle, Ask::MeanLoss { theta: (&theta).into(), sigma })?;
        let ends = Ends { pre: (&theta).into(), residual, sigma, post: (&nothing).into() };
        let departure = ask(oracle, &Query::new(Batch::All, Ask::Departure(ends)))?;
        let excess = departure.departure().map_err(|error| error.to_string())?.excess;
        same("excess", &[excess], &[noisy - at_zero], slack(&[noisy, at_zero])).map_err(case)?;
    }
    Ok(())
}
