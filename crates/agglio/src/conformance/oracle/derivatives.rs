//! Laws of derivatives: loss, gradient and curvature at one point belong together.

use super::super::Verdict;
use super::super::numbers::{differentiate, size};
use super::{
    Outcome, TAUS, ask, at, cases, direction, gradient_of, gradient_scales, gradient_slack, model, points, same, slack,
    smooth, value,
};
use crate::oracle::{
    Answer, Ask, Batch, Hessian, Margin, Memory, Model, Objective, Oracle, PreimageChoice, Query, Want,
};

fn moved(theta: &[f64], along: &[f64], h: f64) -> Vec<f64> {
    theta.iter().zip(along).map(|(theta, along)| theta + h * along).collect()
}

pub(super) fn gradient(oracle: &dyn Oracle) -> Verdict {
    let mut directions = vec![direction(oracle)];
    // each entry, as far as there are few
    directions
        .extend((0..oracle.dim().min(8)).map(|j| (0..oracle.dim()).map(|k| f64::from(u8::from(j == k))).collect()));
    for (theta, tau) in cases(oracle) {
        let here = gradient_of(oracle, &smooth(&theta, tau, Want::Gradient))?;
        let floor = [here.loss + here.label_square];
        for along in &directions {
            let loss = |h: f64| {
                let theta = moved(&theta, along, h);
                value(oracle, &smooth(&theta, tau, Want::Loss)).map(|value| vec![value.loss])
            };
            let slope: f64 = here.gradient.iter().zip(along).map(|(g, v)| g * v).sum();
            for estimate in differentiate(loss, 0.0625, &floor)? {
                if !estimate.agrees(slope) {
                    let what = format!("along {along:?} it is {slope:e}, and differences give {:e}.", estimate.value);
                    return Err(at(&theta, tau) + &what);
                }
            }
        }
    }
    Ok(())
}

pub(super) fn curvature(oracle: &dyn Oracle) -> Verdict {
    let along = direction(oracle);
    for objective in [Objective::Loss, Objective::Matching] {
        for (theta, tau) in cases(oracle) {
            let gradient = |h: f64| {
                let theta = moved(&theta, &along, h);
                gradient_of(oracle, &smooth(&theta, tau, Want::Gradient).of(objective)).map(|answer| answer.gradient)
            };
            let floors = gradient_scales(oracle, &theta, tau, objective)?;
            let want = Want::CurvatureTimes(Hessian::Full, along.as_slice().into());
            let product = ask(oracle, &smooth(&theta, tau, want).of(objective))?;
            let product = product.product().map_err(|error| error.to_string())?;
            for (j, estimate) in differentiate(gradient, 0.0625, &floors)?.iter().enumerate() {
                let found = product.get(j).copied().unwrap_or(f64::NAN);
                if !estimate.agrees(found) {
                    let what = format!("{objective:?}: entry {j} of its product with {along:?} is {found:e}");
                    return Err(format!("{}{what}, and differences give {:e}.", at(&theta, tau), estimate.value));
                }
            }
        }
    }
    Ok(())
}

fn matrix(oracle: &dyn Oracle, theta: &[f64], tau: f64, hessian: Hessian, objective: Objective) -> Outcome<Model> {
    let found = model(oracle, &smooth(theta, tau, Want::Curvature(hessian)).of(objective))?;
    if found.curvature.is_some() { Ok(found) } else { Err(at(theta, tau) + "there is no curvature.") }
}

/// 2λ for a coefficient, nothing for the intercept.
fn twice_lambda(oracle: &dyn Oracle, j: usize) -> f64 {
    if j < oracle.facts().layout.coefficients { 2.0 * oracle.facts().l2 } else { 0.0 }
}

pub(super) fn norms(oracle: &dyn Oracle) -> Verdict {
    if oracle.is_wide() {
        return Ok(());
    }
    for (theta, tau) in cases(oracle) {
        let model = matrix(oracle, &theta, tau, Hessian::GaussNewton, Objective::Loss)?;
        let Some(curvature) = model.matrix() else { continue };
        let expected: Vec<f64> = model.column_norms.iter().map(|norm| 2.0 * norm * norm).collect();
        let found: Vec<f64> = (0..oracle.dim()).map(|j| curvature.at(j, j) - twice_lambda(oracle, j)).collect();
        let scale = 1e-9 * (size(&expected) + 2.0 * oracle.facts().l2) + f64::MIN_POSITIVE;
        same("diagonal", &found, &expected, scale).map_err(|what| at(&theta, tau) + &what)?;
    }
    Ok(())
}

pub(super) fn products(oracle: &dyn Oracle) -> Verdict {
    if oracle.is_wide() {
        return Ok(());
    }
    let v = direction(oracle);
    for (theta, tau) in cases(oracle) {
        for objective in [Objective::Loss, Objective::Matching] {
            for hessian in [Hessian::GaussNewton, Hessian::Full] {
                let model = matrix(oracle, &theta, tau, hessian, objective)?;
                let Some(curvature) = model.matrix() else { continue };
                let expected = curvature.times(&v);
                let found = oracle.ask(&smooth(&theta, tau, Want::CurvatureTimes(hessian, (&v).into())).of(objective));
                let found = found.and_then(Answer::product).map_err(|error| error.to_string())?;
                let largest = (0..oracle.dim()).fold(0.0_f64, |most, j| most.max(curvature.at(j, j).abs()));
                let scale = 1e-10 * (largest * oracle.dim() as f64 + size(&expected)) + f64::MIN_POSITIVE;
                same("product", &found, &expected, scale).map_err(|what| at(&theta, tau) + &what)?;
            }
        }
        let asked = oracle.ask(&Query::at(&theta, tau, Batch::All, Want::CurvatureTimes(Hessian::Full, (&v).into())));
        let asked = asked.and_then(Answer::product).map_err(|error| error.to_string())?;
        let helper = oracle.curvature_times(&theta, tau, Batch::All, Hessian::Full, &v);
        let helper = helper.map_err(|error| error.to_string())?;
        same("answer of `curvature_times`", &helper, &asked, slack(&asked)).map_err(|what| at(&theta, tau) + &what)?;
    }
    Ok(())
}

pub(super) fn matching(oracle: &dyn Oracle) -> Verdict {
    let slope = oracle.facts().activation.derivative_at_zero;
    let norms = |theta: &[f64], tau: f64, objective: Objective| -> Outcome<Vec<f64>> {
        Ok(model(oracle, &smooth(theta, tau, Want::Stationarity).of(objective))?.column_norms)
    };
    for theta in points(oracle) {
        // at τ = 0 the derivative is φ′(0) everywhere
        let flat: Vec<f64> = norms(&theta, 0.0, Objective::Loss)?.iter().map(|norm| norm / slope).collect();
        for tau in TAUS {
            let found = norms(&theta, tau, Objective::Matching)?;
            same("vector of column norms", &found, &flat, slack(&flat)).map_err(|what| at(&theta, tau) + &what)?;
        }
        let rows = |objective: Objective| {
            let query = smooth(&theta, 0.0, Want::Gradient).of(objective).remembering(Memory::Renew);
            gradient_of(oracle, &query).map(|answer| answer.gradient)
        };
        let (found, squares) = (rows(Objective::Matching)?, rows(Objective::Loss)?);
        // φ may fall at zero
        let sign = found.iter().zip(&squares).map(|(a, b)| a * b).sum::<f64>().signum();
        let expected: Vec<f64> = squares.iter().map(|g| sign * g / slope).collect();
        let scale = gradient_slack(oracle, &theta, 0.0)? / slope;
        same("gradient", &found, &expected, scale).map_err(|what| at(&theta, 0.0) + &what)?;
    }
    Ok(())
}

pub(super) fn penalty(oracle: &dyn Oracle) -> Verdict {
    let facts = oracle.facts();
    for (theta, tau) in cases(oracle) {
        let case = |what: String| at(&theta, tau) + &what;
        let squares: f64 = facts.layout.coefficients(&theta).iter().map(|w| w * w).sum();
        let plain = gradient_of(oracle, &smooth(&theta, tau, Want::Gradient))?;
        let scale = slack(&[plain.loss, facts.l2 * squares]);
        same("penalty", &[plain.loss - plain.unpenalised], &[facts.l2 * squares], scale).map_err(case)?;
        // what rows are remembered by has no penalty in it
        let rows = gradient_of(oracle, &smooth(&theta, tau, Want::Gradient).remembering(Memory::Renew))?;
        let expected = rows.gradient.iter().enumerate().zip(&theta).map(|((j, g), w)| g + twice_lambda(oracle, j) * w);
        let scale = gradient_slack(oracle, &theta, tau)? + slack(&plain.gradient);
        same("gradient with its penalty", &plain.gradient, &expected.collect::<Vec<_>>(), scale).map_err(case)?;
    }
    Ok(())
}

pub(super) fn normal_equations(oracle: &dyn Oracle) -> Verdict {
    let choices = vec![PreimageChoice::Right(Margin::Nth(0))];
    let query = Query::new(Batch::All, Ask::NormalEquations { matrix: !oracle.is_wide(), choices });
    let equations = ask(oracle, &query)?.normal_equations().map_err(|error| error.to_string())?;
    let Some(right) = equations.right_sides.first() else { return Err("There is no right-hand side.".into()) };
    for theta in points(oracle) {
        let want = Want::CurvatureTimes(Hessian::GaussNewton, (&theta).into());
        let times = ask(oracle, &smooth(&theta, 0.0, want))?.product().map_err(|error| error.to_string())?;
        let expected: Vec<f64> = times.iter().zip(right).map(|(times, right)| times - right).collect();
        let found = gradient_of(oracle, &smooth(&theta, 0.0, Want::Gradient))?;
        let scale = gradient_slack(oracle, &theta, 0.0)? + slack(&times) + slack(right);
        same("gradient", &found.gradient, &expected, scale).map_err(|what| at(&theta, 0.0) + &what)?;
        if let Some(matrix) = &equations.matrix {
            let product = matrix.times(&theta);
            same("product", &product, &times, 10.0 * slack(&product) + scale)
                .map_err(|what| at(&theta, 0.0) + &what)?;
        }
    }
    Ok(())
}
