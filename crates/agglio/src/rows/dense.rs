//! Dense rows: a row-major table in memory, stored as f64 or as f32.

use std::any::Any;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::math::linalg;
use crate::rows::kernel::{self, Element, Stored};
use crate::rows::unit::{TAME, divide_by, divide_columns, power_of_two};
use crate::rows::{Addition, BLOCK, Columns, Moments, Rows, Run, Units};

/// A dense table of covariates with responses, and optional weights, offsets and clusters. There may be no covariates, for a model
/// that has an offset and an intercept only.
///
/// In f32 storage the table needs half the memory; the arithmetic is always f64. A clone shares the numbers.
///
/// ```
/// use agglio::rows::{Dense, Rows};
/// // two rows of three covariates, one after the other
/// let rows = Dense::new(vec![1.0, 0.5, 0.2, 0.3, 0.9, 0.1], 3, vec![0.7, 0.6])?;
/// assert_eq!((rows.len(), rows.width()), (2, 3));
/// # Ok::<(), agglio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dense {
    values: Values,
    /// The units by which the columns were divided, or empty.
    units: Vec<f64>,
    width: usize,
    labels: Arc<Vec<f64>>,
    weights: Option<Arc<Vec<f64>>>,
    /// The unit by which the weights were divided.
    weight_unit: f64,
    offsets: Option<Arc<Vec<f64>>>,
    /// Minus infinity for rows at the limit, else zero.
    limits: Option<Arc<Vec<f64>>>,
    clusters: Option<Arc<Vec<u32>>>,
    /// Moments of unweighted rows, if every column is finite and needs no unit.
    moments: Option<Moments>,
}

#[derive(Clone, Debug)]
enum Values {
    F64(Arc<Vec<f64>>),
    F32(Arc<Vec<f32>>),
}

impl Dense {
    /// Creates rows of `width` covariates from a row-major table, with one response per row.
    ///
    /// # Errors
    /// If the lengths do not match, there is no row, or a value is not finite.
    pub fn new(values: Vec<f64>, width: usize, labels: Vec<f64>) -> Result<Dense> {
        check_shape(values.len(), width, &labels)?;
        let mut rows = Dense::measured(Values::F64(Arc::new(values)), width, labels);
        if let (None, Values::F64(values)) = (&rows.moments, &mut rows.values) {
            check_finite("covariates", values, width)?;
            rows.units = divide_columns(Arc::make_mut(values).as_mut_slice(), width);
        }
        Ok(rows)
    }

    /// As [`Dense::new`], in single precision.
    ///
    /// # Errors
    /// As [`Dense::new`].
    pub fn new_f32(values: Vec<f32>, width: usize, labels: Vec<f64>) -> Result<Dense> {
        check_shape(values.len(), width, &labels)?;
        let rows = Dense::measured(Values::F32(Arc::new(values)), width, labels);
        if let (None, Values::F32(values)) = (&rows.moments, &rows.values) {
            // f32 needs no units: its squares fit into f64
            check_finite("covariates", values, width)?;
        }
        Ok(rows)
    }

    /// Creates the rows and measures the moments of their columns. Moments of ordinary size also show that all values
    /// are finite and that no unit is needed; otherwise they are discarded and the caller checks.
    fn measured(values: Values, width: usize, labels: Vec<f64>) -> Dense {
        let mut rows = Dense {
            values,
            units: Vec::new(),
            width,
            labels: Arc::new(labels),
            weights: None,
            weight_unit: 1.0,
            offsets: None,
            limits: None,
            clusters: None,
            moments: None,
        };
        let moments = Moments::of(&rows);
        let tame = moments.sizes(rows.len()).all(|(least, most)| TAME.contains(&least) && TAME.contains(&most));
        rows.moments = tame.then_some(moments);
        rows
    }

    /// A block of a larger table, whose numbers have been checked and are divided by the units of that table.
    pub(crate) fn block(columns: Columns, width: usize, units: &Units) -> Dense {
        let Columns { mut values, labels, mut weights, offsets, clusters } = columns;
        if !units.columns.is_empty() {
            divide_by(&mut values, &units.columns);
        }
        weights.iter_mut().for_each(|weight| *weight /= units.weight);
        let given = |column: Vec<f64>| (!column.is_empty()).then(|| Arc::new(column));
        Dense {
            values: Values::F64(Arc::new(values)),
            units: units.columns.clone(),
            width,
            labels: Arc::new(labels),
            weights: given(weights),
            weight_unit: units.weight,
            offsets: given(offsets),
            limits: None,
            clusters: (!clusters.is_empty()).then(|| Arc::new(clusters)),
            moments: None,
        }
    }

    /// Sets a weight ≥ 0 for each row in the loss. A row with weight two counts like two equal rows.
    ///
    /// # Errors
    /// If the number of weights is not the number of rows, a weight is negative or not finite, or all weights are zero.
    pub fn with_weights(mut self, mut weights: Vec<f64>) -> Result<Dense> {
        self.check_column("weights", &weights)?;
        if let Some(row) = weights.iter().position(|&w| w < 0.0) {
            return Err(Error::data(format!("the weight of row {} is {}; weights must be ≥ 0", row + 1, weights[row])));
        }
        if weights.iter().all(|&w| w == 0.0) {
            return Err(Error::data("all weights are zero"));
        }
        // products of weights and squared labels must not overflow
        let unit = power_of_two(weights.iter().fold(0.0, |most, &w| w.max(most)));
        weights.iter_mut().for_each(|w| *w /= unit);
        (self.weights, self.weight_unit) = (Some(Arc::new(weights)), unit);
        self.moments = None;
        Ok(self)
    }

    /// Sets an offset for each row, a known number that is added to xᵀw.
    ///
    /// # Errors
    /// If the number of offsets is not the number of rows, or an offset is not finite.
    pub fn with_offsets(mut self, offsets: Vec<f64>) -> Result<Dense> {
        self.check_column("offsets", &offsets)?;
        self.offsets = Some(Arc::new(offsets));
        Ok(self)
    }

    /// Places some rows at minus infinity, where log(0) is: the only covariate, or the offset if there is no covariate. The
    /// response of such a row is compared with the asymptote of φ on the side that the sign of the coefficient says. The
    /// value that these rows have in the table is not used.
    ///
    /// # Errors
    /// If there are several covariates, no other row, or another number of rows.
    pub fn with_limits(self, at_limit: &[bool]) -> Result<Dense> {
        let (rows, limited) = (self.len(), at_limit.iter().filter(|at| **at).count());
        if at_limit.len() != rows {
            return Err(Error::data(format!("there are {} limits for {rows} rows", at_limit.len())));
        }
        if self.width > 1 {
            return Err(Error::data("a row can be at minus infinity only in a model with one covariate"));
        }
        if limited == rows {
            return Err(Error::data("every row is at minus infinity: the logarithm of zero"));
        }
        if limited == 0 {
            return Ok(self);
        }
        let values: Vec<f64> = match &self.values {
            Values::F64(values) => values.to_vec(),
            Values::F32(values) => values.iter().map(|value| f64::from(*value)).collect(),
        };
        // the mean of the others leaves the centre where it is
        let finite = || values.iter().zip(at_limit).filter(|(_, at)| !**at).map(|(value, _)| *value);
        let mean = finite().sum::<f64>() / (rows - limited) as f64;
        let mut inner = vec![mean; values.len()];
        inner.iter_mut().zip(&values).zip(at_limit).filter(|(_, at)| !**at).for_each(|((out, x), _)| *out = *x);
        let limits = at_limit.iter().map(|at| if *at { f64::NEG_INFINITY } else { 0.0 }).collect();
        let (weights, weight_unit, offsets, clusters) = (self.weights, self.weight_unit, self.offsets, self.clusters);
        let rows = Dense::new(inner, self.width, self.labels.to_vec())?;
        let moments = rows.moments.clone().filter(|_| weights.is_none());
        Ok(Dense { weights, weight_unit, offsets, clusters, moments, limits: Some(Arc::new(limits)), ..rows })
    }

    /// Sets the cluster of each row by a code. Rows of a cluster may have correlated errors, which cluster-robust
    /// standard errors allow for. The fit itself does not use them.
    ///
    /// # Errors
    /// If the number of codes is not the number of rows.
    pub fn with_clusters(mut self, clusters: Vec<u32>) -> Result<Dense> {
        self.check_length("clusters", clusters.len())?;
        self.clusters = Some(Arc::new(clusters));
        Ok(self)
    }

    fn check_column(&self, what: &str, column: &[f64]) -> Result<()> {
        self.check_length(what, column.len())?;
        check_finite(what, column, 1)
    }

    fn check_length(&self, what: &str, len: usize) -> Result<()> {
        match len == self.labels.len() {
            true => Ok(()),
            false => Err(Error::data(format!("there are {len} {what} for {} rows", self.labels.len()))),
        }
    }
}

fn check_shape(values: usize, width: usize, labels: &[f64]) -> Result<()> {
    let rows = labels.len();
    if rows == 0 {
        return Err(Error::data("a table of 0 rows has nothing to fit"));
    }
    if rows.checked_mul(width) != Some(values) {
        return Err(Error::data(format!("{values} values are not {rows} rows (one label each) of {width}")));
    }
    check_finite("labels", labels, 1)
}

fn check_finite<T: Element>(what: &str, values: &[T], width: usize) -> Result<()> {
    match values.iter().position(|&v| !Into::<f64>::into(v).is_finite()) {
        None => Ok(()),
        Some(at) => {
            let (row, column, value) = (at / width + 1, at % width + 1, Into::<f64>::into(values[at]));
            Err(Error::data(format!("{what}: row {row}, column {column} is {value}; every number must be finite")))
        }
    }
}

/// Runs `$body` with `$rows` bound to the stored rows of a run, for either number type.
macro_rules! with_rows {
    ($self:expr, $run:expr, $rows:ident => $body:expr) => {
        match &$self.values {
            Values::F64(table) => {
                let $rows = Stored { table, width: $self.width, run: $run };
                $body
            }
            Values::F32(table) => {
                let $rows = Stored { table, width: $self.width, run: $run };
                $body
            }
        }
    };
}

impl Values {
    fn f64(&self) -> Option<&[f64]> {
        if let Values::F64(values) = self { Some(values) } else { None }
    }

    fn f32(&self) -> Option<&[f32]> {
        if let Values::F32(values) = self { Some(values) } else { None }
    }
}

impl Dense {
    /// Whether another table has the same columns, in the same units.
    fn is_like(&self, other: &Dense) -> bool {
        let columns = |table: &Dense| {
            let Dense { weights, offsets, limits, clusters, .. } = table;
            [weights.is_some(), offsets.is_some(), limits.is_some(), clusters.is_some()]
        };
        (self.width, &self.units, self.weight_unit.to_bits())
            == (other.width, &other.units, other.weight_unit.to_bits())
            && columns(self) == columns(other)
    }

    /// x_ij − c_j of a run, row-major: a slice of the table if it is stored like this, otherwise a copy in `scratch`.
    fn plain<'a>(&'a self, run: &'a Run<'_>, centre: &[f64], scratch: &'a mut Vec<f64>) -> &'a [f64] {
        self.stored(run, centre).unwrap_or_else(|| {
            let copy = sized(scratch, run.len() * self.width);
            self.copy(run, centre, copy);
            copy
        })
    }

    fn stored<'a>(&'a self, run: &'a Run<'_>, centre: &[f64]) -> Option<&'a [f64]> {
        match &self.values {
            Values::F64(table) if centre.is_empty() => Stored { table, width: self.width, run }.all(),
            _ => None,
        }
    }

    fn copy(&self, run: &Run<'_>, centre: &[f64], to: &mut [f64]) {
        with_rows!(self, run, rows => kernel::copy_rows(rows, centre, to));
    }
}

impl Rows for Dense {
    fn share(&self) -> Arc<dyn Rows> {
        Arc::new(self.clone())
    }

    fn gather(&self, order: &[usize]) -> Arc<dyn Rows> {
        fn copy<T: Copy>(values: &[T], width: usize, order: &[usize]) -> Vec<T> {
            let mut copy = Vec::with_capacity(values.len());
            order.iter().for_each(|&row| copy.extend_from_slice(&values[row * width..][..width]));
            copy
        }
        let column = |column: &Arc<Vec<f64>>| Arc::new(copy(column, 1, order));
        Arc::new(Dense {
            values: match &self.values {
                Values::F64(values) => Values::F64(Arc::new(copy(values, self.width, order))),
                Values::F32(values) => Values::F32(Arc::new(copy(values, self.width, order))),
            },
            units: self.units.clone(),
            width: self.width,
            labels: column(&self.labels),
            weights: self.weights.as_ref().map(column),
            weight_unit: self.weight_unit,
            offsets: self.offsets.as_ref().map(column),
            limits: self.limits.as_ref().map(column),
            clusters: self.clusters.as_ref().map(|clusters| Arc::new(copy(clusters, 1, order))),
            // they may differ in the last bits
            moments: None,
        })
    }

    fn assemble(&self, tables: &[Arc<dyn Rows>], order: &[(usize, usize)]) -> Option<Arc<dyn Rows>> {
        let dense = |table: &'_ Arc<dyn Rows>| -> Option<Dense> {
            let any: &dyn Any = table.as_ref();
            any.downcast_ref::<Dense>().filter(|table| self.is_like(table)).cloned()
        };
        let tables: Vec<Dense> = tables.iter().map(dense).collect::<Option<_>>()?;
        let column = |column: fn(&Dense) -> Option<&Arc<Vec<f64>>>| -> Option<Arc<Vec<f64>>> {
            column(self)?;
            let entry = |&(table, row): &(usize, usize)| column(&tables[table]).map(|column| column[row]);
            Some(Arc::new(order.iter().filter_map(entry).collect()))
        };
        let values = match &self.values {
            Values::F64(_) => Values::F64(Arc::new(rows_of(&tables, order, self.width, Values::f64)?)),
            Values::F32(_) => Values::F32(Arc::new(rows_of(&tables, order, self.width, Values::f32)?)),
        };
        let cluster = |&(table, row): &(usize, usize)| tables[table].clusters.as_ref().map(|clusters| clusters[row]);
        Some(Arc::new(Dense {
            values,
            units: self.units.clone(),
            width: self.width,
            labels: column(|table| Some(&table.labels))?,
            weights: column(|table| table.weights.as_ref()),
            weight_unit: self.weight_unit,
            offsets: column(|table| table.offsets.as_ref()),
            limits: column(|table| table.limits.as_ref()),
            clusters: self.clusters.as_ref().map(|_| Arc::new(order.iter().filter_map(cluster).collect())),
            // they may differ in the last bits
            moments: None,
        }))
    }

    fn len(&self) -> usize {
        self.labels.len()
    }

    fn width(&self) -> usize {
        self.width
    }

    fn can_centre(&self) -> bool {
        true
    }

    fn units(&self) -> &[f64] {
        &self.units
    }

    fn moments(&self) -> Option<&Moments> {
        self.moments.as_ref()
    }

    fn dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        with_rows!(self, run, rows => kernel::dots(rows, centre, v, z));
    }

    fn dots_many(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64], scratch: &mut Vec<f64>) {
        if self.width == 0 {
            return z.fill(0.0);
        }
        let x = self.plain(run, centre, scratch);
        let blocks = v.chunks(BLOCK * self.width).zip(z.chunks_mut(BLOCK * run.len()));
        blocks.for_each(|(v, z)| linalg::multiply_rows(x, self.width, v, z));
    }

    fn square_dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        with_rows!(self, run, rows => kernel::square_dots(rows, centre, v, z));
    }

    fn add_rows(&self, run: &Run<'_>, centre: &[f64], additions: &mut [Addition<'_>]) {
        with_rows!(self, run, rows => kernel::add_rows(rows, centre, additions));
    }

    fn add_many(&self, run: &Run<'_>, centre: &[f64], a: &[f64], sums: &mut [f64], scratch: &mut Vec<f64>) {
        if self.width == 0 {
            return;
        }
        let x = self.plain(run, centre, scratch);
        let blocks = a.chunks(BLOCK * run.len()).zip(sums.chunks_mut(BLOCK * self.width));
        blocks.for_each(|(a, sums)| linalg::add_rows_times(x, self.width, a, sums));
    }

    fn add_rows_and_squares(&self, run: &Run<'_>, pivot: &[f64], centre: &[f64], additions: [Addition<'_>; 2]) {
        with_rows!(self, run, rows => kernel::add_rows_and_squares(rows, pivot, centre, additions));
    }

    fn add_products(&self, run: &Run<'_>, centre: &[f64], a: &[f64], h: &mut [f64], scratch: &mut Vec<f64>) {
        if self.width == 0 {
            return;
        }
        let size = run.len() * self.width;
        match self.stored(run, centre) {
            Some(x) => linalg::add_weighted_gram(x, a, h, sized(scratch, size)),
            None => {
                let (copy, scaled) = sized(scratch, 2 * size).split_at_mut(size);
                self.copy(run, centre, copy);
                linalg::add_weighted_gram(copy, a, h, scaled);
            }
        }
    }

    fn labels(&self, run: &Run<'_>, y: &mut [f64]) {
        run.gather(&self.labels, y);
    }

    fn has_weights(&self) -> bool {
        self.weights.is_some()
    }

    fn has_offsets(&self) -> bool {
        self.offsets.is_some()
    }

    fn has_clusters(&self) -> bool {
        self.clusters.is_some()
    }

    fn clusters(&self, run: &Run<'_>, cluster: &mut [u32]) {
        match &self.clusters {
            Some(clusters) => run.gather(clusters, cluster),
            None => cluster.fill(0),
        }
    }

    fn weight_unit(&self) -> f64 {
        self.weight_unit
    }

    fn weights(&self, run: &Run<'_>, weight: &mut [f64]) {
        match &self.weights {
            Some(weights) => run.gather(weights, weight),
            None => weight.fill(1.0),
        }
    }

    fn has_limits(&self) -> bool {
        self.limits.is_some()
    }

    fn limits(&self, run: &Run<'_>, limit: &mut [f64]) {
        match &self.limits {
            Some(limits) => run.gather(limits, limit),
            None => limit.fill(0.0),
        }
    }

    fn offsets(&self, run: &Run<'_>, offset: &mut [f64]) {
        match &self.offsets {
            Some(offsets) => run.gather(offsets, offset),
            None => offset.fill(0.0),
        }
    }
}

/// The covariates of some rows of several tables, one row after the other. None if a table stores them otherwise.
fn rows_of<T: Copy>(
    tables: &[Dense],
    order: &[(usize, usize)],
    width: usize,
    stored: fn(&Values) -> Option<&[T]>,
) -> Option<Vec<T>> {
    let mut copy = Vec::with_capacity(order.len() * width);
    let stored: Vec<&[T]> = tables.iter().map(|table| stored(&table.values)).collect::<Option<_>>()?;
    order.iter().for_each(|&(table, row)| copy.extend_from_slice(&stored[table][row * width..][..width]));
    Some(copy)
}

/// The scratch memory, resized to `size` numbers.
fn sized(scratch: &mut Vec<f64>, size: usize) -> &mut [f64] {
    scratch.resize(size, 0.0);
    scratch
}
