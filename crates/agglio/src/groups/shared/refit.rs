//! A *refit* of a group in which some of its parameters have given values: fixed asymptotes, and coefficients in the offset.
//!
//! It is an ordinary fit, with the whole race of starts, so it needs none.

use crate::groups::shared::values::response;
use crate::plan::Plan;
use crate::spec::{Entry, Pair};
use crate::table::Table;

/// The parameters of a group after a refit, in the user's units.
#[derive(Clone, Debug)]
pub(super) struct Refit {
    pub parameters: Vec<f64>,
    pub certified: bool,
    /// Why it is not certified, if it is not.
    pub verdict: String,
}

impl Refit {
    /// Fits the parameters that have no value. None if no part of the linear predictor is left to fit, or the fit fails.
    pub fn of(plan: &Plan, table: &Table, fixed: &[Option<f64>], rises: bool) -> Option<Refit> {
        let plain = table.names.len();
        let predictor = plain + usize::from(plan.has_intercept());
        let intercept = fixed.get(plain).copied().flatten().filter(|_| plan.has_intercept());
        let free: Vec<usize> = (0..plain).filter(|&j| fixed[j].is_none()).collect();
        let fits_intercept = plan.has_intercept() && intercept.is_none();
        if free.is_empty() && !fits_intercept {
            return None;
        }
        let (range, affine) = entries(plan, &fixed[predictor..], rises)?;
        let changed = plan.with_response(range, affine, fits_intercept).ok()?;
        let rows = reduced(table, &fixed[..plain], intercept.unwrap_or(0.0)).into_rows().ok()?;
        let fitted = changed.fit(&rows).ok()?;
        let report = fitted.report();
        let mut own = report.coefficients.iter().copied();
        let mut parameters: Vec<f64> =
            fixed[..plain].iter().map(|value| value.or_else(|| own.next()).unwrap_or(0.0)).collect();
        parameters.extend(plan.has_intercept().then(|| intercept.unwrap_or(report.intercept)));
        let found = response(plan, report.affine, rises);
        parameters.extend(fixed[predictor..].iter().zip(found).map(|(value, found)| value.unwrap_or(found)));
        let finite = parameters.iter().all(|value| value.is_finite());
        finite.then(|| Refit { parameters, certified: report.certificate.certified(), verdict: report.verdict() })
    }
}

/// The response scale with these values of its free entries. None if the asymptotes are not in order.
fn entries(plan: &Plan, fixed: &[Option<f64>], rises: bool) -> Option<(Option<Pair>, Option<Pair>)> {
    let spec = plan.spec();
    let mut fixed = fixed.iter();
    let mut fill = |Pair(first, second): Pair| {
        let mut one = |entry: Entry| match entry {
            Entry::Free => fixed.next().copied().flatten().map_or(Entry::Free, Entry::Fixed),
            given => given,
        };
        Pair(one(first), one(second))
    };
    match (spec.range.map(&mut fill), spec.affine.map(&mut fill)) {
        (Some(Pair(Entry::Fixed(low), Entry::Fixed(high))), _) => {
            let (left, right) = plan.activation().limits();
            let (below, above) = if rises { (left, right) } else { (right, left) };
            let scale = (high - low) / (above - below);
            let affine = Pair(Entry::Fixed(low - scale * below), Entry::Fixed(scale));
            (low < high).then_some((None, Some(affine)))
        }
        both => Some(both),
    }
}

/// The table with the terms of given coefficients, and a given intercept, in its offset. Rows at an asymptote are left out if
/// their side depends on a given coefficient.
fn reduced(table: &Table, fixed: &[Option<f64>], intercept: f64) -> Table {
    if fixed.iter().all(Option::is_none) && intercept == 0.0 {
        return table.clone();
    }
    let width = fixed.len();
    let row = |row: usize| table.values.get(row * width..(row + 1) * width).unwrap_or_default();
    let finite = |at: &usize| fixed.iter().zip(row(*at)).all(|(fixed, x)| fixed.is_none() || x.is_finite());
    let kept: Vec<usize> = (0..table.rows).filter(finite).collect();
    let table = table.only(&kept);
    let (mut values, mut offsets) = (Vec::new(), Vec::new());
    for at in 0..table.rows {
        let x = table.values.get(at * width..(at + 1) * width).unwrap_or_default();
        let given: f64 = fixed.iter().zip(x).filter_map(|(fixed, x)| Some((*fixed)? * x)).sum();
        let own = table.offsets.as_ref().and_then(|offsets| offsets.get(at)).copied().unwrap_or(0.0);
        offsets.push(own + given + intercept);
        values.extend(fixed.iter().zip(x).filter(|(fixed, _)| fixed.is_none()).map(|(_, x)| *x));
    }
    let names = table.names.iter().zip(fixed).filter(|(_, fixed)| fixed.is_none()).map(|(name, _)| name.clone());
    Table { names: names.collect(), values, offsets: Some(offsets), ..table }
}
