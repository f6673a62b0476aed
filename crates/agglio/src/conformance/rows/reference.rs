//! The *reference*: every question that rows answer, and its answer by plain sums over the table.

use super::super::Table;
use crate::rows::{Addition, BLOCK, Rows, Run};

/// Numbers that vectors, coefficients and sums begin with.
pub fn wave(len: usize, phase: f64) -> Vec<f64> {
    (0..len).map(|i| (1.7 * i as f64 + phase).sin()).collect()
}

/// Each question about a run, by the name of its method, with its answer.
pub type Answers = Vec<(&'static str, Vec<f64>)>;

pub fn ask(rows: &dyn Rows, run: &Run<'_>, centre: &[f64], room: &mut Vec<f64>) -> Answers {
    let (n, d) = (run.len(), rows.width());
    let (v, a, b) = (wave(d, 0.4), wave(n, 0.9), wave(n, 2.1));
    let mut dots = vec![f64::NAN; n];
    rows.dots(run, centre, &v, &mut dots);
    let mut square_dots = vec![f64::NAN; n];
    rows.square_dots(run, centre, &v, &mut square_dots);
    let (mut first, mut second) = (wave(d, 1.0), wave(d, 2.0));
    rows.add_rows(run, centre, &mut [Addition { coefficients: &a, sums: &mut first }]);
    let mut sums = first.clone();
    let mut additions =
        [Addition { coefficients: &b, sums: &mut first }, Addition { coefficients: &a, sums: &mut second }];
    rows.add_rows(run, centre, &mut additions);
    sums.extend(first.iter().chain(&second));
    let mut squares = Vec::new();
    for pivot in [&[], centre] {
        let (mut first, mut second) = (wave(d, 1.5), wave(d, 2.5));
        let additions =
            [Addition { coefficients: &a, sums: &mut first }, Addition { coefficients: &b, sums: &mut second }];
        rows.add_rows_and_squares(run, pivot, centre, additions);
        squares.extend([first, second].concat());
    }
    let mut products = wave(d * d, 3.0);
    rows.add_products(run, centre, &a, &mut products, room);
    let lower = (0..d).flat_map(|j| (j..d).map(move |i| j * d + i)).map(|at| products[at]).collect();
    let mut dots_many = vec![f64::NAN; 2 * BLOCK * n];
    rows.dots_many(run, centre, &wave(2 * BLOCK * d, 0.2), &mut dots_many, room);
    let mut add_many = wave(2 * BLOCK * d, 0.6);
    rows.add_many(run, centre, &wave(2 * BLOCK * n, 0.1), &mut add_many, room);
    let [mut labels, mut weights, mut offsets] = [(); 3].map(|()| vec![f64::NAN; n]);
    rows.labels(run, &mut labels);
    rows.weights(run, &mut weights);
    rows.offsets(run, &mut offsets);
    vec![
        ("dots", dots),
        ("square_dots", square_dots),
        ("add_rows", sums),
        ("add_rows_and_squares", squares),
        ("add_products", lower),
        ("dots_many", dots_many),
        ("add_many", add_many),
        ("labels", labels),
        ("weights", weights),
        ("offsets", offsets),
    ]
}

/// The answer of the table, and the size that rounding is relative to: the same sum with every term made positive.
pub struct Expected {
    pub value: f64,
    pub size: f64,
}

impl Expected {
    fn of(start: f64, terms: impl Iterator<Item = f64>) -> Expected {
        let nothing = Expected { value: start, size: start.abs() };
        terms.fold(nothing, |sum, term| Expected { value: sum.value + term, size: sum.size + term.abs() })
    }
}

/// Rows of a run, as the table has them.
pub struct Reference<'a> {
    pub table: &'a Table,
    pub units: &'a [f64],
    pub centre: &'a [f64],
    pub run: &'a Run<'a>,
}

impl Reference<'_> {
    fn rows(&self, centre: &[f64]) -> Vec<Vec<f64>> {
        (0..self.run.len()).map(|i| self.table.row(self.run.row(i), self.units, centre)).collect()
    }

    fn dots(rows: &[Vec<f64>], v: &[f64]) -> Vec<Expected> {
        rows.iter().map(|x| Expected::of(0.0, x.iter().zip(v).map(|(x, v)| x * v))).collect()
    }

    fn add(rows: &[Vec<f64>], a: &[f64], sums: &[f64]) -> Vec<Expected> {
        let column = |(j, sum): (usize, &f64)| Expected::of(*sum, rows.iter().zip(a).map(move |(x, a)| a * x[j]));
        sums.iter().enumerate().map(column).collect()
    }

    pub fn answer(&self, method: &str) -> Vec<Expected> {
        let (n, d) = (self.run.len(), self.table.width);
        let (v, a, b) = (wave(d, 0.4), wave(n, 0.9), wave(n, 2.1));
        let rows = self.rows(self.centre);
        let squares: Vec<Vec<f64>> = rows.iter().map(|x| x.iter().map(|x| x * x).collect()).collect();
        match method {
            "dots" => Self::dots(&rows, &v),
            "square_dots" => Self::dots(&squares, &v),
            "add_rows" => {
                let (once, second) = (Self::add(&rows, &a, &wave(d, 1.0)), Self::add(&rows, &a, &wave(d, 2.0)));
                let start: Vec<f64> = once.iter().map(|once| once.value).collect();
                once.into_iter().chain(Self::add(&rows, &b, &start)).chain(second).collect()
            }
            "add_rows_and_squares" => [&[], self.centre]
                .into_iter()
                .flat_map(|pivot| {
                    let first = Self::add(&self.rows(pivot), &a, &wave(d, 1.5));
                    first.into_iter().chain(Self::add(&squares, &b, &wave(d, 2.5)))
                })
                .collect(),
            "add_products" => {
                let start = wave(d * d, 3.0);
                let lower = (0..d).flat_map(|j| (j..d).map(move |i| (i, j)));
                let entry = |(i, j)| Expected::of(start[j * d + i], rows.iter().zip(&a).map(|(x, a)| a * x[i] * x[j]));
                lower.map(entry).collect()
            }
            "dots_many" => {
                let v = wave(2 * BLOCK * d, 0.2);
                (0..2 * BLOCK).flat_map(|k| Self::dots(&rows, &v[k * d..][..d])).collect()
            }
            "add_many" => {
                let (a, start) = (wave(2 * BLOCK * n, 0.1), wave(2 * BLOCK * d, 0.6));
                a.chunks(n).zip(start.chunks(d.max(1))).flat_map(|(a, start)| Self::add(&rows, a, start)).collect()
            }
            _ => Vec::new(),
        }
    }
}
