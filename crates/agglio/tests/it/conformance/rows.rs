//! Storages of rows under the suite.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agglio::Result;
use agglio::conformance::{self, Table};
use agglio::error::ErrorKind;
use agglio::rows::{Addition, Dense, Moments, Rows, Run};

use super::assert_caught;

fn with_columns(mut rows: Dense, table: &Table) -> Result<Dense> {
    if let Some(weights) = &table.weights {
        rows = rows.with_weights(weights.clone())?;
    }
    if let Some(offsets) = &table.offsets {
        rows = rows.with_offsets(offsets.clone())?;
    }
    if let Some(clusters) = &table.clusters {
        rows = rows.with_clusters(clusters.clone())?;
    }
    Ok(rows)
}

fn double(table: &Table) -> Result<Dense> {
    with_columns(Dense::new(table.values.clone(), table.width, table.labels.clone())?, table)
}

fn single(table: &Table) -> Result<Dense> {
    let values = table.values.iter().map(|&x| x as f32).collect();
    with_columns(Dense::new_f32(values, table.width, table.labels.clone())?, table)
}

#[test]
fn dense_rows_conform_in_both_precisions() {
    let double = |table: &Table| -> Result<Arc<dyn Rows>> { Ok(Arc::new(double(table)?)) };
    conformance::rows(&double).unwrap_or_else(|failure| panic!("{failure}"));
    let single = |table: &Table| -> Result<Arc<dyn Rows>> { Ok(Arc::new(single(table)?)) };
    conformance::rows(&single).unwrap_or_else(|failure| panic!("{failure}"));
}

/// Rows that know nothing but the plain formulas, and take no centre: the defaults of the trait conform too.
#[derive(Clone, Debug)]
struct Plain(Arc<Table>);

impl Plain {
    fn row(&self, row: usize) -> &[f64] {
        &self.0.values[row * self.0.width..][..self.0.width]
    }
}

impl Rows for Plain {
    fn share(&self) -> Arc<dyn Rows> {
        Arc::new(self.clone())
    }
    fn gather(&self, order: &[usize]) -> Arc<dyn Rows> {
        let column = |column: &Vec<f64>| order.iter().map(|&row| column[row]).collect::<Vec<f64>>();
        Arc::new(Plain(Arc::new(Table {
            values: order.iter().flat_map(|&row| self.row(row).to_vec()).collect(),
            width: self.0.width,
            labels: column(&self.0.labels),
            weights: self.0.weights.as_ref().map(column),
            offsets: self.0.offsets.as_ref().map(column),
            clusters: self.0.clusters.as_ref().map(|codes| order.iter().map(|&row| codes[row]).collect()),
        })))
    }
    fn len(&self) -> usize {
        self.0.labels.len()
    }
    fn width(&self) -> usize {
        self.0.width
    }
    fn can_centre(&self) -> bool {
        false
    }
    fn dots(&self, run: &Run<'_>, _: &[f64], v: &[f64], z: &mut [f64]) {
        run.for_each(|i, row| z[i] = self.row(row).iter().zip(v).map(|(x, v)| x * v).sum());
    }
    fn square_dots(&self, run: &Run<'_>, _: &[f64], v: &[f64], z: &mut [f64]) {
        run.for_each(|i, row| z[i] = self.row(row).iter().zip(v).map(|(x, v)| x * x * v).sum());
    }
    fn add_rows(&self, run: &Run<'_>, _: &[f64], additions: &mut [Addition<'_>]) {
        for Addition { coefficients, sums } in additions {
            run.for_each(|i, row| sums.iter_mut().zip(self.row(row)).for_each(|(s, x)| *s += coefficients[i] * x));
        }
    }
    fn add_rows_and_squares(&self, run: &Run<'_>, _: &[f64], _: &[f64], [first, second]: [Addition<'_>; 2]) {
        run.for_each(|i, row| {
            let x = self.row(row);
            first.sums.iter_mut().zip(x).for_each(|(s, x)| *s += first.coefficients[i] * x);
            second.sums.iter_mut().zip(x).for_each(|(s, x)| *s += second.coefficients[i] * x * x);
        });
    }
    fn add_products(&self, run: &Run<'_>, _: &[f64], a: &[f64], h: &mut [f64], _: &mut Vec<f64>) {
        let d = self.0.width;
        run.for_each(|i, row| {
            let x = self.row(row);
            (0..d).for_each(|k| (k..d).for_each(|j| h[k * d + j] += a[i] * x[j] * x[k]));
        });
    }
    fn labels(&self, run: &Run<'_>, y: &mut [f64]) {
        run.gather(&self.0.labels, y);
    }
    fn weights(&self, run: &Run<'_>, weight: &mut [f64]) {
        match &self.0.weights {
            Some(weights) => run.gather(weights, weight),
            None => weight.fill(1.0),
        }
    }
    fn offsets(&self, run: &Run<'_>, offset: &mut [f64]) {
        match &self.0.offsets {
            Some(offsets) => run.gather(offsets, offset),
            None => offset.fill(0.0),
        }
    }
    fn has_clusters(&self) -> bool {
        self.0.clusters.is_some()
    }
    fn clusters(&self, run: &Run<'_>, cluster: &mut [u32]) {
        match &self.0.clusters {
            Some(clusters) => run.gather(clusters, cluster),
            None => cluster.fill(0),
        }
    }
}

#[test]
fn a_storage_without_centres_and_units_conforms() {
    let make = |table: &Table| -> Result<Arc<dyn Rows>> {
        match table.values.iter().all(|x| x.abs() < 1e100) {
            true => Ok(Arc::new(Plain(Arc::new(table.clone())))),
            false => Err(ErrorKind::Data("too large".into()).into()),
        }
    };
    conformance::rows(&make).unwrap_or_else(|failure| panic!("{failure}"));
}

/// Rows with one fault.
#[derive(Clone, Debug)]
struct Broken {
    inner: Arc<dyn Rows>,
    fault: &'static str,
    is_shared: bool,
    calls: Arc<AtomicUsize>,
    moments: Option<Moments>,
}

impl Broken {
    fn has(&self, fault: &str) -> bool {
        self.fault == fault
    }
}

impl Rows for Broken {
    fn share(&self) -> Arc<dyn Rows> {
        Arc::new(Broken { is_shared: true, ..self.clone() })
    }
    fn gather(&self, order: &[usize]) -> Arc<dyn Rows> {
        match self.fault {
            "rows gathered in their old order" => self.inner.share(),
            _ => self.inner.gather(order),
        }
    }
    fn len(&self) -> usize {
        self.inner.len() + usize::from(self.has("a row too many"))
    }
    fn width(&self) -> usize {
        self.inner.width()
    }
    fn can_centre(&self) -> bool {
        true
    }
    fn units(&self) -> &[f64] {
        self.inner.units()
    }
    fn moments(&self) -> Option<&Moments> {
        self.moments.as_ref()
    }
    fn dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        match (self.fault, run) {
            ("a centre that is ignored", _) => self.inner.dots(run, &[], v, z),
            ("a centre that is subtracted afterwards", _) if !centre.is_empty() => {
                self.inner.dots(run, &[], v, z);
                let shift: f64 = centre.iter().zip(v).map(|(c, v)| c * v).sum();
                z.iter_mut().for_each(|z| *z -= shift);
            }
            ("picked rows in another order", Run::Picked(_)) => {
                self.inner.dots(run, centre, v, z);
                z.iter_mut().for_each(|z| *z = z.next_up());
            }
            ("a clock", _) => {
                self.inner.dots(run, centre, v, z);
                let calls = self.calls.fetch_add(1, Ordering::Relaxed);
                z.iter_mut().for_each(|z| *z *= 1.0 + (calls % 64) as f64 * 1e-15);
            }
            _ => self.inner.dots(run, centre, v, z),
        }
    }
    fn dots_many(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64], room: &mut Vec<f64>) {
        self.inner.dots_many(run, centre, v, z, room);
        match self.fault {
            "vectors exchanged" => z.reverse(),
            "neighbours that are seen" if v.first().is_some_and(|&v| v < 0.0) => {
                z.iter_mut().for_each(|z| *z = z.next_up())
            }
            _ => {}
        }
    }
    fn square_dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        match self.has("squares that are none") {
            true => self.inner.dots(run, centre, v, z),
            false => self.inner.square_dots(run, centre, v, z),
        }
    }
    fn add_rows(&self, run: &Run<'_>, centre: &[f64], additions: &mut [Addition<'_>]) {
        if self.has("sums that begin at zero") {
            additions.iter_mut().for_each(|addition| addition.sums.fill(0.0));
        }
        let most = if self.has("the first addition alone") { 1 } else { additions.len() };
        self.inner.add_rows(run, centre, &mut additions[..most]);
    }
    fn add_many(&self, run: &Run<'_>, centre: &[f64], a: &[f64], sums: &mut [f64], room: &mut Vec<f64>) {
        let half = if self.has("half of the sums") { 2 } else { 1 };
        self.inner.add_many(
            run,
            centre,
            &a[..a.len() / half],
            &mut sums[..self.width() * a.len() / run.len() / half],
            room,
        );
    }
    fn add_rows_and_squares(&self, run: &Run<'_>, pivot: &[f64], centre: &[f64], additions: [Addition<'_>; 2]) {
        let pivot = if self.has("a centre in the place of the pivot") { centre } else { pivot };
        self.inner.add_rows_and_squares(run, pivot, centre, additions);
    }
    fn add_products(&self, run: &Run<'_>, centre: &[f64], a: &[f64], h: &mut [f64], room: &mut Vec<f64>) {
        match self.fault {
            "the upper triangle" => {
                let d = self.width();
                let mut whole = vec![0.0; d * d];
                self.inner.add_products(run, centre, a, &mut whole, room);
                (0..d).for_each(|k| (k..d).for_each(|j| h[j * d + k] += whole[k * d + j]));
            }
            _ => self.inner.add_products(run, centre, a, h, room),
        }
    }
    fn labels(&self, run: &Run<'_>, y: &mut [f64]) {
        self.inner.labels(run, y);
        if self.is_shared && self.has("a copy that has lost its labels") {
            y.fill(0.0);
        }
    }
    fn has_weights(&self) -> bool {
        self.inner.has_weights() && !self.has("weights that nobody hears of")
    }
    fn has_offsets(&self) -> bool {
        self.inner.has_offsets()
    }
    fn has_clusters(&self) -> bool {
        self.inner.has_clusters() && !self.has("clusters that nobody hears of")
    }
    fn clusters(&self, run: &Run<'_>, cluster: &mut [u32]) {
        self.inner.clusters(run, cluster);
    }
    fn weight_unit(&self) -> f64 {
        if self.has("a unit that nobody hears of") { 1.0 } else { self.inner.weight_unit() }
    }
    fn weights(&self, run: &Run<'_>, weight: &mut [f64]) {
        self.inner.weights(run, weight);
    }
    fn offsets(&self, run: &Run<'_>, offset: &mut [f64]) {
        self.inner.offsets(run, offset);
    }
}

/// A storage without units: squares overflow.
fn untamed(table: &Table) -> Result<Arc<dyn Rows>> {
    Ok(Arc::new(Plain(Arc::new(table.clone()))))
}

#[test]
fn every_law_of_rows_can_fail() {
    let dots = "`dots` are the products with a vector";
    let add_rows = "`add_rows` adds the rows to the sums";
    let columns = "labels, weights, offsets and clusters are those of the table";
    let mutants = [
        ("a row too many", "every table can be stored, and has its shape"),
        ("weights that nobody hears of", columns),
        ("a unit that nobody hears of", columns),
        ("clusters that nobody hears of", columns),
        ("a centre that is ignored", dots),
        ("a centre that is subtracted afterwards", dots),
        ("squares that are none", "`square_dots` are those of the squares"),
        ("sums that begin at zero", add_rows),
        ("the first addition alone", add_rows),
        ("a centre in the place of the pivot", "`add_rows_and_squares` adds the rows and their squares"),
        ("the upper triangle", "`add_products` adds the lower triangle of the products"),
        ("vectors exchanged", "`dots_many` are the products with each vector"),
        ("half of the sums", "`add_many` adds the rows to each of the sums"),
        ("neighbours that are seen", "a vector among several does not depend on the others"),
        ("picked rows in another order", "picked rows give the bits of the same rows in a span"),
        ("a clock", "the same question has the same bits again"),
        ("a copy that has lost its labels", "shared rows answer alike, and stay when the first owner goes"),
        ("rows gathered in their old order", "gathered rows are the rows in that order"),
        ("moments without weights", "moments that are known are those of the columns"),
    ];
    let mut caught: Vec<_> = mutants
        .into_iter()
        .map(|(fault, law)| {
            let make = |table: &Table| -> Result<Arc<dyn Rows>> {
                let even = double(&Table { weights: None, ..table.clone() })?;
                let moments = (fault == "moments without weights").then(|| Moments::of(&even));
                let calls = Arc::default();
                Ok(Arc::new(Broken { inner: Arc::new(double(table)?), fault, is_shared: false, calls, moments }))
            };
            (fault, conformance::rows(&make), law)
        })
        .collect();
    let units = "columns whose squares overflow are divided by powers of two, or refused";
    caught.push(("squares that overflow", conformance::rows(&untamed), units));
    assert_caught(conformance::rows_laws(), &caught);
}
