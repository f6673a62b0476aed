//! The laws of a storage of rows.

mod reference;

use std::ops::Range;
use std::sync::Arc;

use reference::{Answers, Reference, ask, wave};

use super::numbers::{close, other_bits};
use super::{Law, Table, Verdict};
use crate::error::Result;
use crate::rows::{BLOCK, Rows, Run};

type Make<'a> = dyn Fn(&Table) -> Result<Arc<dyn Rows>> + 'a;

/// A law, and the function that checks it for a storage.
type RowsLaw = Law<fn(&Make<'_>) -> Verdict>;

pub(super) const LAWS: &[RowsLaw] = &[
    Law { says: "every table can be stored, and has its shape", check: shapes },
    Law { says: "labels, weights, offsets and clusters are those of the table", check: columns },
    Law { says: "`dots` are the products with a vector", check: |make| sums(make, "dots") },
    Law { says: "`square_dots` are those of the squares", check: |make| sums(make, "square_dots") },
    Law { says: "`add_rows` adds the rows to the sums", check: |make| sums(make, "add_rows") },
    Law {
        says: "`add_rows_and_squares` adds the rows and their squares",
        check: |make| sums(make, "add_rows_and_squares"),
    },
    Law { says: "`add_products` adds the lower triangle of the products", check: |make| sums(make, "add_products") },
    Law { says: "`dots_many` are the products with each vector", check: |make| sums(make, "dots_many") },
    Law { says: "`add_many` adds the rows to each of the sums", check: |make| sums(make, "add_many") },
    Law { says: "a vector among several does not depend on the others", check: others },
    Law { says: "the same question has the same bits again", check: again },
    Law { says: "picked rows give the bits of the same rows in a span", check: picked },
    Law { says: "shared rows answer alike, and stay when the first owner goes", check: shared },
    Law { says: "gathered rows are the rows in that order", check: gathered },
    Law { says: "moments that are known are those of the columns", check: moments },
    Law { says: "columns whose squares overflow are divided by powers of two, or refused", check: units },
];

/// Shapes with one row, one column, no column, more columns than rows, and more rows than any block of them has.
const SHAPES: [(usize, usize); 10] =
    [(1, 1), (1, 6), (5, 1), (2, 2), (3, 9), (16, 4), (37, 5), (130, 17), (700, 3), (6, 0)];

fn tables() -> impl Iterator<Item = Table> {
    let columns = [(false, false), (true, true), (true, false), (false, true)];
    let pairs = SHAPES.into_iter().zip(columns.into_iter().cycle());
    let even = SHAPES.into_iter().zip(columns.into_iter().cycle().skip(1));
    pairs.chain(even).map(|((rows, width), (weights, offsets))| Table::mixed(rows, width, weights, offsets))
}

fn store(make: &Make<'_>, table: &Table) -> std::result::Result<Arc<dyn Rows>, String> {
    make(table).map_err(|error| format!("{}: {error}.", about(table)))
}

fn about(table: &Table) -> String {
    let (weights, offsets) = (table.weights.is_some(), table.offsets.is_some());
    format!("In a table of {} × {}, weights {weights}, offsets {offsets}", table.len(), table.width)
}

/// Spans of a table: all rows, some of them, and one.
fn spans(rows: usize) -> Vec<Range<usize>> {
    let all = [(0, rows), (rows / 3, rows - rows / 4), (rows / 2, rows / 2 + 1), (rows - 1, rows)];
    all.into_iter().filter(|(from, to)| from < to).map(|(from, to)| from..to).collect()
}

/// No centre and, where the storage takes one, one of each column.
fn centres(rows: &dyn Rows, table: &Table) -> Vec<Vec<f64>> {
    let of = |j: usize| if j % 4 == 1 { 1_048_576.3 } else { 0.3 * j as f64 - 0.7 };
    let unit = |j: usize| rows.units().get(j).copied().unwrap_or(1.0);
    let centre = (0..table.width).map(|j| of(j) / unit(j)).collect();
    if rows.can_centre() { vec![Vec::new(), centre] } else { vec![Vec::new()] }
}

/// A check of stored rows, with their table, a span of it and a centre.
type Visit<'a> = dyn FnMut(&dyn Rows, &Table, Range<usize>, &[f64]) -> Verdict + 'a;

/// Calls `visit` with each stored table, span and centre.
fn each(visit: &mut Visit<'_>, make: &Make<'_>) -> Verdict {
    for table in tables() {
        let rows = store(make, &table)?;
        for (span, centre) in spans(table.len())
            .into_iter()
            .flat_map(|s| centres(&*rows, &table).into_iter().map(move |c| (s.clone(), c)))
        {
            let case = |what| format!("{}, rows {span:?}, centred {}: {what}", about(&table), !centre.is_empty());
            visit(&*rows, &table, span.clone(), &centre).map_err(case)?;
        }
    }
    Ok(())
}

fn shapes(make: &Make<'_>) -> Verdict {
    for table in tables() {
        let rows = store(make, &table)?;
        let (n, d) = (rows.len(), rows.width());
        if (n, d, rows.is_empty()) != (table.len(), table.width, false) {
            return Err(format!("{} the rows say {n} × {d}, empty {}.", about(&table), rows.is_empty()));
        }
        let units = rows.units();
        if !(units.is_empty() || units.len() == d) || !units.iter().all(|unit| is_power_of_two(*unit)) {
            return Err(format!("{} the units are {units:?}.", about(&table)));
        }
    }
    Ok(())
}

fn is_power_of_two(unit: f64) -> bool {
    unit.is_normal() && unit > 0.0 && unit.to_bits() & 0x000f_ffff_ffff_ffff == 0
}

fn columns(make: &Make<'_>) -> Verdict {
    let mut visit = |rows: &dyn Rows, table: &Table, span: Range<usize>, _: &[f64]| {
        let run = Run::Span(span);
        let [mut labels, mut weights, mut offsets] = [(); 3].map(|()| vec![f64::NAN; run.len()]);
        rows.labels(&run, &mut labels);
        rows.weights(&run, &mut weights);
        rows.offsets(&run, &mut offsets);
        weights.iter_mut().for_each(|weight| *weight *= rows.weight_unit());
        let expected = [
            ("labels", labels, Table::column(Some(&table.labels), &run, 0.0)),
            ("weights", weights, Table::column(table.weights.as_deref(), &run, 1.0)),
            ("offsets", offsets, Table::column(table.offsets.as_deref(), &run, 0.0)),
        ];
        for (what, found, expected) in expected {
            if found != expected {
                return Err(format!("the {what} are {found:?}, not {expected:?}."));
            }
        }
        let mut clusters = vec![u32::MAX; run.len()];
        rows.clusters(&run, &mut clusters);
        let code = |i: usize| table.clusters.as_ref().and_then(|codes| codes.get(run.row(i))).copied().unwrap_or(0);
        let codes: Vec<u32> = (0..run.len()).map(code).collect();
        if clusters != codes {
            return Err(format!("the clusters are {clusters:?}, not {codes:?}."));
        }
        let lost = [
            ("clusters", table.clusters.is_some() != rows.has_clusters()),
            ("weights", table.weights.is_some() && !rows.has_weights()),
            ("offsets", table.offsets.is_some() && !rows.has_offsets()),
        ];
        match lost.iter().find(|(_, lost)| *lost) {
            None => Ok(()),
            Some((what, _)) => Err(format!("the rows say that they have no {what}.")),
        }
    };
    each(&mut visit, make)
}

fn sums(make: &Make<'_>, method: &'static str) -> Verdict {
    let mut visit = |rows: &dyn Rows, table: &Table, span: Range<usize>, centre: &[f64]| {
        let run = Run::Span(span);
        // what is left in the working memory must not matter
        let found = ask(rows, &run, centre, &mut vec![f64::NAN; 7]);
        let found = found.into_iter().find(|(name, _)| *name == method).map(|(_, found)| found).unwrap_or_default();
        let expected = Reference { table, units: rows.units(), centre, run: &run }.answer(method);
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            // a centre is subtracted entry by entry, so rounding is relative to what is left
            if !close(*found, expected.value, 1e-13 * expected.size) {
                return Err(format!("number {i} is {found:e}, not {:e}.", expected.value));
            }
        }
        Ok(())
    };
    each(&mut visit, make)
}

fn others(make: &Make<'_>) -> Verdict {
    let mut visit = |rows: &dyn Rows, _: &Table, span: Range<usize>, centre: &[f64]| {
        let (run, d, room) = (Run::Span(span), rows.width(), &mut Vec::new());
        let n = run.len();
        let mut ask = |vectors: &[f64], coefficients: &[f64]| {
            let (mut z, mut sums) = (vec![0.0; BLOCK * n], vec![0.0; BLOCK * d]);
            rows.dots_many(&run, centre, &vectors[..BLOCK * d], &mut z, room);
            rows.add_many(&run, centre, &coefficients[..BLOCK * n], &mut sums, room);
            let (mut more_z, mut more_sums) = (vec![0.0; 2 * BLOCK * n], vec![0.0; 2 * BLOCK * d]);
            rows.dots_many(&run, centre, vectors, &mut more_z, room);
            rows.add_many(&run, centre, coefficients, &mut more_sums, room);
            [("dots_many", z, n), ("add_many", sums, d), ("dots_many", more_z, n), ("add_many", more_sums, d)]
        };
        // of a block, all but the second vector differ
        let mix = |len: usize| -> Vec<f64> {
            let (own, other) = (wave(2 * BLOCK * len, 0.2), wave(2 * BLOCK * len, 5.0));
            own.iter().zip(other).enumerate().map(|(i, (own, other))| if i / len == 1 { *own } else { other }).collect()
        };
        let plain = ask(&wave(2 * BLOCK * d, 0.2), &wave(2 * BLOCK * n, 0.2));
        let mixed = ask(&mix(d), &mix(n));
        let second = |answers: &(&'static str, Vec<f64>, usize)| answers.1[answers.2..2 * answers.2].to_vec();
        let first = second(&plain[0]);
        let sums = second(&plain[1]);
        for (answer, expected) in plain.iter().chain(&mixed).zip([first, sums].iter().cycle()) {
            if let Some(i) = other_bits(&second(answer), expected) {
                return Err(format!("number {i} of `{}` changes with its neighbours.", answer.0));
            }
        }
        Ok(())
    };
    each(&mut visit, make)
}

fn same(found: &Answers, expected: &Answers) -> Verdict {
    for ((method, found), (_, expected)) in found.iter().zip(expected) {
        if let Some(i) = other_bits(found, expected) {
            return Err(format!("number {i} of `{method}` has other bits."));
        }
    }
    Ok(())
}

fn picked(make: &Make<'_>) -> Verdict {
    let mut visit = |rows: &dyn Rows, _: &Table, span: Range<usize>, centre: &[f64]| {
        let picked: Vec<usize> = span.clone().collect();
        let room = &mut Vec::new();
        same(&ask(rows, &Run::Picked(&picked), centre, room), &ask(rows, &Run::Span(span), centre, room))
    };
    each(&mut visit, make)?;
    // and in another order, one by one
    let mut scattered = |rows: &dyn Rows, _: &Table, span: Range<usize>, centre: &[f64]| {
        let (back, v): (Vec<usize>, Vec<f64>) = (span.clone().rev().collect(), wave(rows.width(), 0.4));
        let (mut forth, mut found) = (vec![0.0; span.len()], vec![0.0; span.len()]);
        rows.dots(&Run::Span(span), centre, &v, &mut forth);
        rows.dots(&Run::Picked(&back), centre, &v, &mut found);
        found.reverse();
        match other_bits(&found, &forth) {
            None => Ok(()),
            Some(i) => Err(format!("`dots` of row {i} has other bits in the reverse order.")),
        }
    };
    each(&mut scattered, make)
}

fn again(make: &Make<'_>) -> Verdict {
    let mut visit = |rows: &dyn Rows, table: &Table, span: Range<usize>, centre: &[f64]| {
        let (run, room) = (Run::Span(span), &mut Vec::new());
        let first = ask(rows, &run, centre, room);
        ask(rows, &Run::Span(0..table.len()), &[], room);
        same(&ask(rows, &run, centre, room), &first)
    };
    each(&mut visit, make)
}

fn shared(make: &Make<'_>) -> Verdict {
    for table in tables() {
        let first = store(make, &table)?;
        let (run, centre) = (Run::Span(0..table.len()), centres(&*first, &table).pop().unwrap_or_default());
        let expected = ask(&*first, &run, &centre, &mut Vec::new());
        let facts = |rows: &dyn Rows| {
            (rows.len(), rows.width(), rows.can_centre(), rows.units().to_vec(), rows.weight_unit(), rows.has_weights())
        };
        let (known, shared) = (facts(&*first), first.share());
        drop(first);
        let case = |what: String| format!("{}: {what}", about(&table));
        if facts(&*shared) != known {
            return Err(case("shape, units or weights differ.".into()));
        }
        same(&ask(&*shared, &run, &centre, &mut Vec::new()), &expected).map_err(case)?;
    }
    Ok(())
}

fn gathered(make: &Make<'_>) -> Verdict {
    for table in tables() {
        let rows = store(make, &table)?;
        let order: Vec<usize> = (0..table.len()).rev().collect();
        let (copy, centre) = (rows.gather(&order), centres(&*rows, &table).pop().unwrap_or_default());
        let expected = ask(&*rows, &Run::Picked(&order), &centre, &mut Vec::new());
        let found = ask(&*copy, &Run::Span(0..table.len()), &centre, &mut Vec::new());
        same(&found, &expected).map_err(|what| format!("{}: {what}", about(&table)))?;
    }
    Ok(())
}

fn moments(make: &Make<'_>) -> Verdict {
    for table in tables() {
        let rows = store(make, &table)?;
        let Some(moments) = rows.moments() else { continue };
        let run = Run::Span(0..table.len());
        let weight = Table::column(table.weights.as_deref(), &run, 1.0);
        let total: f64 = weight.iter().sum();
        let columns: Vec<Vec<f64>> = (0..table.len()).map(|row| table.row(row, rows.units(), &[])).collect();
        for j in 0..table.width {
            let mean = |f: &dyn Fn(f64) -> f64| {
                columns.iter().zip(&weight).map(|(x, weight)| weight * f(x[j])).sum::<f64>() / total
            };
            let centre = mean(&|x| x);
            let variance = mean(&|x| (x - centre) * (x - centre));
            let found = (moments.mean.get(j).copied(), moments.variance.get(j).copied());
            let (found_mean, found_variance) = (found.0.unwrap_or(f64::NAN), found.1.unwrap_or(f64::NAN));
            let size = mean(&f64::abs);
            let slack = 1e-6 * variance + 1e-12 * size;
            if !close(found_mean, centre, 1e-12 * size) || !close(found_variance, variance, slack) {
                return Err(format!(
                    "{}, column {j}: mean and variance are {found_mean:e} and {found_variance:e}, not {centre:e} and \
                     {variance:e}.",
                    about(&table)
                ));
            }
        }
    }
    Ok(())
}

fn units(make: &Make<'_>) -> Verdict {
    let scales = [2f64.powi(700), 2f64.powi(-700), 1.0, 2f64.powi(1000)];
    let mut table = Table::mixed(4, 4, false, false);
    table.values = (0..16).map(|k| (k as f64 - 6.5) * scales[k % 4]).collect();
    let Ok(rows) = make(&table) else { return Ok(()) };
    let run = Run::Span(0..4);
    for (j, scale) in scales.into_iter().enumerate() {
        let mut one = vec![0.0; 4];
        one[j] = 1.0;
        let (mut entries, mut squares) = (vec![f64::NAN; 4], vec![f64::NAN; 4]);
        rows.dots(&run, &[], &one, &mut entries);
        rows.square_dots(&run, &[], &one, &mut squares);
        let unit = rows.units().get(j).copied().unwrap_or(1.0);
        for (i, (entry, square)) in entries.into_iter().zip(squares).enumerate() {
            let value = (4.0 * i as f64 + j as f64 - 6.5) * scale;
            let right = entry == value / unit && close(square, entry * entry, 1e-15 * square);
            if !right || !is_power_of_two(unit) || !square.is_normal() {
                return Err(format!(
                    "Of {value:e}, {entry:e} is stored in units of {unit:e}, and {square:e} its square."
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::rows::{Dense, Part};

    /// Parts of a table that has further rows, before these, after them or between them.
    #[test]
    fn parts_of_a_table_conform() {
        let padded = |column: &[f64], width: usize, gap: usize| -> Vec<f64> {
            let (head, tail) = column.split_at(gap * width);
            // like the others, so that columns keep their units
            [head, &column[..width].repeat(3), tail].concat()
        };
        for place in 0..3 {
            let make = |table: &Table| -> Result<Arc<dyn Rows>> {
                let gap = place * table.len() / 2;
                let dense =
                    Dense::new(padded(&table.values, table.width, gap), table.width, padded(&table.labels, 1, gap))?;
                let dense = match &table.weights {
                    Some(weights) => dense.with_weights(padded(weights, 1, gap))?,
                    None => dense,
                };
                let dense = match &table.offsets {
                    Some(offsets) => dense.with_offsets(padded(offsets, 1, gap))?,
                    None => dense,
                };
                let dense = match &table.clusters {
                    Some(codes) => {
                        let (head, tail) = codes.split_at(gap);
                        dense.with_clusters([head, &[9, 9, 9], tail].concat())?
                    }
                    None => dense,
                };
                Ok(match place {
                    0 => Arc::new(Part::within(&dense, 3..dense.len())),
                    _ => Arc::new(Part::without(&dense, gap..gap + 3)),
                })
            };
            super::super::rows(&make).unwrap();
        }
    }
}
