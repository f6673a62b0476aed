//! Laws of questions and their answers: types, order, history and counts.

use std::borrow::Cow;

use super::super::Verdict;
use super::super::numbers::{other_bits, size};
use super::{
    Outcome, ask, at, cases, direction, gradient_of, gradient_slack, model, model_wants, points, same, slack, smooth,
    value, weightings,
};
use crate::oracle::{
    Answer, Ask, Batch, Ends, Gradient, Hessian, Memory, Objective, Oracle, Query, Value, Want, Weighting,
};

/// The kind of an answer, and its numbers one after the other.
fn numbers(answer: &Answer, lines: usize) -> (&'static str, Vec<f64>) {
    let of_value = |v: &Value| vec![v.rows as f64, v.loss, v.unpenalised, v.label_square, v.largest_square];
    let of_gradient = |g: &Gradient| [of_value(&g.value), g.gradient.clone(), g.remembered.clone()].concat();
    let of_matrix = |matrix: &crate::Symmetric| {
        let order = matrix.order();
        (0..order).flat_map(|i| (0..=i).map(move |j| matrix.at(i, j))).collect::<Vec<f64>>()
    };
    match answer {
        Answer::Value(value) => ("value", of_value(value)),
        Answer::Gradient(gradient) => ("gradient", of_gradient(gradient)),
        Answer::Model(model) => {
            let matrix = model.matrix().map(of_matrix).unwrap_or_default();
            let first_order = of_gradient(&model.first_order);
            ("model", [first_order, model.column_norms.clone(), vec![model.saturated], matrix].concat())
        }
        Answer::Product(product) => ("product", product.clone()),
        Answer::NormalEquations(equations) => {
            let matrix = equations.matrix.as_ref().map(of_matrix).unwrap_or_default();
            ("normal equations", [equations.right_sides.concat(), matrix].concat())
        }
        Answer::Mixture(mixture) => {
            ("mixture", [vec![mixture.square, mixture.log_likelihood], mixture.right_side.clone()].concat())
        }
        Answer::Departure(d) => {
            let slopes = [d.slope_variance, d.slope_covariance];
            ("departure", [&[d.excess, d.excess_variance, d.square, d.cube, d.fourth][..], &slopes].concat())
        }
        Answer::Projection(projection) => {
            let line = |k: usize| [vec![projection.loss(k, 0.5, 0.1)], projection.along(k).to_vec()].concat();
            ("projection", (0..lines).flat_map(line).collect())
        }
        Answer::Constant(model) => ("constant", vec![model.loss, model.gradient, model.curvature]),
        Answer::Meat(meat) => {
            let bread = meat.bread.as_ref().map(of_matrix).unwrap_or_default();
            ("meat", [vec![meat.square, meat.largest_leverage], bread, of_matrix(&meat.matrix)].concat())
        }
        Answer::MeanSlope(slope) => ("mean slope", [vec![slope.value], slope.gradient.clone()].concat()),
        Answer::Number(number) => ("number", vec![*number]),
    }
}

/// A question of every kind, the kind of its answer, and how many numbers that has.
fn questions(oracle: &dyn Oracle, theta: &[f64], tau: f64) -> Vec<(Query<'static>, &'static str, usize)> {
    const VALUE: usize = 5;
    let (d, n, theta, v) = (oracle.dim(), oracle.rows(), theta.to_vec(), direction(oracle));
    let triangle = d * (d + 1) / 2;
    let query = |batch, want| Query::at(theta.clone(), tau, batch, want);
    let part = Batch::Part { key: 5, start: n / 3, len: n / 2 + 1 };
    let mut all = vec![
        (query(Batch::All, Want::Loss), "value", VALUE),
        (query(part, Want::Loss), "value", VALUE),
        (query(Batch::All, Want::Gradient), "gradient", VALUE + d),
        (query(part, Want::Gradient).remembering(Memory::Renew), "gradient", VALUE + d + part.len(n)),
        (query(part, Want::Gradient).of(Objective::Matching), "gradient", VALUE + d),
    ];
    for want in model_wants(oracle) {
        let matrix = if want == Want::Stationarity { 0 } else { triangle };
        all.push((query(Batch::All, want.clone()), "model", VALUE + 2 * d + 1 + matrix));
        all.push((query(part, want), "model", VALUE + 2 * d + 1 + matrix));
    }
    for hessian in [Hessian::GaussNewton, Hessian::Full] {
        all.push((query(Batch::All, Want::CurvatureTimes(hessian, v.clone().into())), "product", d));
    }
    let choices = oracle.facts().preimage_choices();
    let (sides, matrix) = (choices.len() * d, !oracle.is_wide());
    let equations = Ask::NormalEquations { matrix, choices };
    let shared: Cow<'static, [f64]> = theta.clone().into();
    let ends = Ends { pre: shared.clone(), residual: 0.5, sigma: 0.4, post: v.clone().into() };
    let mut add = |ask, kind, count| all.push((Query::new(Batch::All, ask), kind, count));
    add(equations, "normal equations", sides + if matrix { triangle } else { 0 });
    add(Ask::Mixture { theta: shared.clone(), sigma: 0.5 }, "mixture", 2 + d);
    add(Ask::MeanLoss { theta: shared.clone(), sigma: 0.5 }, "number", 1);
    add(Ask::Departure(ends), "departure", 7);
    add(Ask::Projection { theta: shared, directions: vec![v].into(), limits: false }, "projection", 1 + n);
    add(Ask::Constant { intercept: 0.3 }, "constant", 3);
    add(Ask::LongestRow, "number", 1);
    add(Ask::MeanSlope { theta: theta.clone().into() }, "mean slope", 1 + d);
    // bread and meat are never formed of a wide θ
    for weighting in weightings(oracle).into_iter().filter(|_| !oracle.is_wide()) {
        let bread = if matches!(weighting, Weighting::Leverage { .. }) { 0 } else { triangle };
        let theta = theta.clone().into();
        add(Ask::Meat { theta, tau, weighting }, "meat", 2 + bread + triangle);
    }
    all
}

pub(super) fn types(oracle: &dyn Oracle) -> Verdict {
    for (theta, tau) in cases(oracle) {
        for (query, kind, count) in questions(oracle, &theta, tau) {
            let answer = ask(oracle, &query)?;
            let (found, numbers) = numbers(&answer, 1);
            if (found, numbers.len()) != (kind, count) {
                return Err(format!(
                    "A {found} of {} numbers answers {query:?}, not a {kind} of {count}.",
                    numbers.len()
                ));
            }
            if let Some(strange) = numbers.iter().find(|number| !number.is_finite()) {
                return Err(format!("{strange} is in the answer to {query:?}."));
            }
            let rows = query.batch.len(oracle.rows());
            if matches!(kind, "value" | "gradient" | "model") && numbers.first() != Some(&(rows as f64)) {
                return Err(format!("{numbers:?} answers for other rows than the {rows} of {query:?}."));
            }
            if let (Answer::Model(model), Ask::At(asked)) = (&answer, &query.ask) {
                let hessian = model.curvature.as_ref().map(|curvature| Want::Curvature(curvature.hessian));
                if hessian.unwrap_or(Want::Stationarity) != asked.want {
                    return Err(format!("Another curvature answers {query:?}."));
                }
            }
        }
    }
    Ok(())
}

pub(super) fn wants(oracle: &dyn Oracle) -> Verdict {
    for (theta, tau) in cases(oracle) {
        let loss = value(oracle, &smooth(&theta, tau, Want::Loss))?;
        let first = gradient_of(oracle, &smooth(&theta, tau, Want::Gradient))?;
        let of = |v: &Value| [v.loss, v.unpenalised, v.label_square, v.largest_square];
        let scale = slack(&of(&loss));
        let case = |what: String| at(&theta, tau) + &what;
        same("value beside a gradient", &of(&first.value), &of(&loss), scale).map_err(case)?;
        let matching = gradient_of(oracle, &smooth(&theta, tau, Want::Gradient).of(Objective::Matching))?;
        same("value beside the matching loss", &of(&matching.value), &of(&loss), scale).map_err(case)?;
        for want in model_wants(oracle) {
            let model = model(oracle, &smooth(&theta, tau, want))?;
            let slack = gradient_slack(oracle, &theta, tau)?;
            same("value beside a model", &of(&model.value), &of(&loss), scale).map_err(case)?;
            same("gradient beside a model", &model.gradient, &first.gradient, slack).map_err(case)?;
        }
    }
    Ok(())
}

pub(super) fn together(oracle: &dyn Oracle) -> Verdict {
    let mut queries = Vec::new();
    for (theta, tau) in cases(oracle) {
        queries.extend(questions(oracle, &theta, tau).into_iter().map(|(query, ..)| query));
    }
    let answers = oracle.ask_all(&queries).map_err(|error| error.to_string())?;
    if answers.len() != queries.len() {
        return Err(format!("There are {} answers to {} questions.", answers.len(), queries.len()));
    }
    for (query, answer) in queries.iter().zip(&answers) {
        let (kind, expected) = numbers(&ask(oracle, query)?, 1);
        let (found_kind, found) = numbers(answer, 1);
        if found_kind != kind {
            return Err(format!("A {found_kind} answers {query:?}, not a {kind}."));
        }
        same(kind, &found, &expected, 1e-9 * size(expected.get(1..).unwrap_or_default()) + slack(&expected))
            .map_err(|what| format!("{what} The question was {query:?}."))?;
    }
    let thetas = points(oracle);
    let losses = oracle.losses(&thetas, 0.3, Batch::All).map_err(|error| error.to_string())?;
    let each: Outcome<Vec<f64>> =
        thetas.iter().map(|t| Ok(value(oracle, &Query::at(t, 0.3, Batch::All, Want::Loss))?.loss)).collect();
    same("answer of `losses`", &losses, &each?, slack(&losses))
}

pub(super) fn history(oracle: &dyn Oracle) -> Verdict {
    let points = points(oracle);
    let [_, first, second] = &points[..] else { return Ok(()) };
    let (asked, others) = (questions(oracle, first, 0.3), questions(oracle, second, 0.7));
    for (i, (query, ..)) in asked.iter().enumerate() {
        let (_, before) = numbers(&ask(oracle, query)?, 1);
        // the question of its kind last, then all of them
        for (other, ..) in others.iter().chain(others.get(i)) {
            ask(oracle, other)?;
        }
        let (_, after) = numbers(&ask(oracle, query)?, 1);
        if let Some(k) = other_bits(&before, &after) {
            return Err(format!("Number {k} of the answer to {query:?} has other bits."));
        }
    }
    Ok(())
}

pub(super) fn visits(oracle: &dyn Oracle) -> Verdict {
    let (n, theta) = (oracle.rows(), &points(oracle)[1]);
    let count = |ask: &dyn Fn() -> Outcome<usize>| -> Outcome<(u64, u64)> {
        let before = oracle.visited();
        let expected = ask()? as u64;
        Ok((oracle.visited().wrapping_sub(before), expected))
    };
    let beyond = Batch::Part { key: 1, start: n.saturating_sub(1), len: 50 };
    let counts = [
        count(&|| ask(oracle, &Query::at(theta, 0.5, Batch::All, Want::Loss)).map(|_| n))?,
        count(&|| ask(oracle, &Query::at(theta, 0.5, beyond, Want::Gradient)).map(|_| 1))?,
        count(&|| {
            let queries = [Batch::All, beyond, Batch::All].map(|batch| Query::at(theta, 0.5, batch, Want::Gradient));
            oracle.ask_all(&queries).map(|_| 2 * n + 1).map_err(|error| error.to_string())
        })?,
        count(&|| ask(oracle, &Query::new(Batch::All, Ask::Constant { intercept: 0.0 })).map(|_| 0))?,
        count(&|| {
            let directions = vec![direction(oracle), theta.clone()].into();
            let projection = Ask::Projection { theta: theta.into(), directions, limits: false };
            ask(oracle, &Query::new(Batch::All, projection)).map(|_| 3 * n)
        })?,
    ];
    match counts.iter().find(|(found, expected)| found != expected) {
        None => Ok(()),
        Some((found, expected)) => Err(format!("{found} rows were counted, not {expected}.")),
    }
}
