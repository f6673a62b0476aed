//! Laws of rows: their labels, the batches they are asked in, and the numbers that they are remembered by.

use super::super::Verdict;
use super::super::numbers::{ROUNDING, other_bits};
use super::{Outcome, SMOOTH, TAUS, at, cases, gradient_of, gradient_slack, model, points, same, slack};
use crate::math::rng::Permutation;
use crate::oracle::{Batch, Hessian, LabelChoice, Margin, Memory, Oracle, PreimageBranch, Query, Want};

/// Parts of the rows that together are all of them.
fn parts(rows: usize, key: u64, pieces: usize) -> Vec<Batch> {
    let len = rows.div_ceil(pieces).max(1);
    (0..rows).step_by(len).map(|start| Batch::Part { key, start, len }).collect()
}

pub(super) fn labels(oracle: &dyn Oracle) -> Verdict {
    let margins = (0..oracle.facts().margins).map(Margin::Nth).chain([Margin::None]);
    let branches = [PreimageBranch::Nearer, PreimageBranch::Left, PreimageBranch::Right];
    let choices: Vec<LabelChoice> =
        margins.flat_map(|margin| branches.map(|branch| LabelChoice { margin, branch })).collect();
    for (theta, tau) in cases(oracle) {
        let query = || Query::at(theta.clone(), tau, Batch::All, Want::Gradient);
        let plain = gradient_of(oracle, &query())?;
        let own = gradient_of(oracle, &query().with_labels(oracle.labels()))?;
        let case = |what: String| at(&theta, tau) + &what;
        if own.loss.to_bits() != plain.loss.to_bits() || other_bits(&own.gradient, &plain.gradient).is_some() {
            return Err(case(format!("loss {:e}, and {:e} with the labels of the oracle.", plain.loss, own.loss)));
        }
        for choice in choices.iter().filter(|_| tau == 1.0) {
            let other = gradient_of(oracle, &query().with_labels(*choice))?;
            same("loss with other labels", &[other.loss], &[plain.loss], slack(&[plain.loss])).map_err(case)?;
        }
    }
    Ok(())
}

pub(super) fn batches(oracle: &dyn Oracle) -> Verdict {
    let (n, wide) = (oracle.rows(), oracle.is_wide());
    for (theta, tau) in cases(oracle) {
        let want = || if wide { Want::Stationarity } else { Want::Curvature(Hessian::Full) };
        let numbers_of = |batch: Batch| -> Outcome<(f64, Vec<f64>)> {
            let model = model(oracle, &Query::at(&theta, tau, batch, want()))?;
            let diagonal = |j: usize| model.matrix().map_or(0.0, |matrix| matrix.at(j, oracle.dim() - 1));
            let squares = model.column_norms.iter().map(|norm| norm * norm);
            let entries = (0..oracle.dim()).map(diagonal);
            let first = [model.loss, model.label_square, model.saturated];
            Ok((
                model.rows as f64 / n as f64,
                first.into_iter().chain(model.gradient.clone()).chain(squares).chain(entries).collect(),
            ))
        };
        let (_, whole) = numbers_of(Batch::All)?;
        for (key, pieces) in [(0, 1), (3, 2), (17, 5), (u64::MAX, 3)] {
            let mut sum = vec![0.0; whole.len()];
            let mut share_sum = 0.0;
            for batch in parts(n, key, pieces) {
                let (share, part) = numbers_of(batch)?;
                share_sum += share;
                sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += share * part);
            }
            let case = |what: String| format!("{}{pieces} pieces by key {key}: {what}", at(&theta, tau));
            same("share of the rows", &[share_sum], &[1.0], ROUNDING).map_err(case)?;
            let scale = slack(&whole) + gradient_slack(oracle, &theta, tau)?;
            same("merged answer", &sum, &whole, scale).map_err(case)?;
        }
    }
    Ok(())
}

pub(super) fn memory(oracle: &dyn Oracle) -> Verdict {
    let (n, points) = (oracle.rows(), points(oracle));
    let [_, first, second] = &points[..] else { return Ok(()) };
    let part = Batch::Part { key: 9, start: n / 4, len: n / 2 + 1 };
    for tau in TAUS {
        let ask = |theta: &[f64], batch: Batch, memory: Memory<'_>| {
            let query =
                Query::at(theta.to_vec(), tau, batch, Want::Gradient).with_labels(SMOOTH).remembering(memory.clone());
            gradient_of(oracle, &query)
        };
        let case = |what: String| format!("At τ = {tau:e}: {what}");
        let all = ask(first, Batch::All, Memory::Renew)?;
        let scale = gradient_slack(oracle, first, tau)? + gradient_slack(oracle, second, tau)?;
        for batch in [Batch::All, part] {
            let [renewed, later] = [first, second].map(|theta| ask(theta, batch, Memory::Renew));
            let (renewed, later) = (renewed?, later?);
            // positions of the batch, in its order
            let permutation = Permutation::new(9, n);
            let own = |i: usize| if batch == Batch::All { i } else { permutation.at(n / 4 + i) };
            let expected: Vec<f64> =
                (0..batch.len(n)).map(|i| all.remembered.get(own(i)).copied().unwrap_or(f64::NAN)).collect();
            same("memory", &renewed.remembered, &expected, slack(&expected)).map_err(case)?;
            let difference = ask(second, batch, Memory::Difference(renewed.remembered.as_slice().into()))?;
            let expected: Vec<f64> = later.gradient.iter().zip(&renewed.gradient).map(|(b, a)| b - a).collect();
            same("difference", &difference.gradient, &expected, scale).map_err(case)?;
            same("memory of a difference", &difference.remembered, &later.remembered, slack(&later.remembered))
                .map_err(case)?;
            let again = ask(second, batch, Memory::Difference(difference.remembered.as_slice().into()))?;
            same("difference to itself", &again.gradient, &vec![0.0; oracle.dim()], scale).map_err(case)?;
        }
    }
    Ok(())
}
