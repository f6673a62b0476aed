//! A *problem* from bytes: rows, an activation and options.

use agglio::activation::{NAMES, named};
use agglio::rows::{Dense, Scaling};
use agglio::{Error, Noise, Options, Restarts, Solver, Start};
use arbitrary::{Result, Unstructured};

use crate::number::{number, numbers};

/// Most rows and columns.
const ROWS: usize = 12;
const COLUMNS: usize = 4;
/// Most stages of a fit.
const EPOCHS: usize = 30;

/// Stand for the number above in the table, and for the one on its left: constant and equal columns.
const AS_ABOVE: u8 = 254;
const AS_LEFT: u8 = 255;

/// Rows, and how to fit them.
#[derive(Debug)]
pub struct Problem {
    pub activation: &'static str,
    pub solver: Solver,
    pub options: Options,
    pub intercept: bool,
    /// Whether neither a penalty nor a ball is part of what is minimised.
    pub free: bool,
    pub width: usize,
    pub values: Vec<f64>,
    pub labels: Vec<f64>,
    pub weights: Option<Vec<f64>>,
    pub offsets: Option<Vec<f64>>,
}

impl Problem {
    /// The problem that these bytes stand for.
    pub fn draw(bytes: &mut Unstructured<'_>) -> Result<Problem> {
        let activation = *bytes.choose(NAMES)?;
        // the theory asks for a radius, no intercept and no scaling, and refuses most of what is drawn here
        let solvers: Vec<Solver> = Solver::ALL.into_iter().filter(|&solver| solver != Solver::Theory).collect();
        let solver = *bytes.choose(&solvers)?;
        let (rows, width) = (bytes.int_in_range(1..=ROWS)?, bytes.int_in_range(1..=COLUMNS)?);
        let Ok(phi) = named(activation) else { return Err(arbitrary::Error::IncorrectFormat) };
        let mut options = Options::new(phi).solver(solver).epochs(bytes.int_in_range(0..=EPOCHS)?);
        let [model, method]: [u8; 2] = bytes.arbitrary()?;
        let has = |bit: u8| model >> bit & 1 == 1;
        let intercept = !has(0);
        options = options.intercept(intercept).scaling(if has(1) { Scaling::None } else { Scaling::Standard });
        options = draw_model(bytes, options, solver, [has(2), has(3), has(4)])?;
        options = draw_method(bytes, options, solver, method)?;
        let values = table(bytes, rows, width)?;
        let labels = numbers(bytes, rows)?;
        let weights = if has(5) { Some(numbers(bytes, rows)?) } else { None };
        let offsets = if has(6) { Some(numbers(bytes, rows)?) } else { None };
        let free = !has(2) && !has(3);
        Ok(Problem { activation, solver, options, intercept, free, width, values, labels, weights, offsets })
    }

    /// The rows to fit.
    ///
    /// # Errors
    /// If some number cannot be part of any.
    pub fn rows(&self) -> std::result::Result<Dense, Error> {
        let mut rows = Dense::new(self.values.clone(), self.width, self.labels.clone())?;
        if let Some(weights) = &self.weights {
            rows = rows.with_weights(weights.clone())?;
        }
        match &self.offsets {
            Some(offsets) => rows.with_offsets(offsets.clone()),
            None => Ok(rows),
        }
    }

    /// The weight of a row.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// The offset of a row.
    pub fn offset(&self, row: usize) -> f64 {
        self.offsets.as_ref().map_or(0.0, |offsets| offsets[row])
    }
}

/// What is minimised: a ball, a penalty and a last temperature, where the solver takes them.
fn draw_model(
    bytes: &mut Unstructured<'_>,
    mut options: Options,
    solver: Solver,
    [ball, penalty, noise]: [bool; 3],
) -> Result<Options> {
    if ball && solver != Solver::Lbfgs {
        options = options.radius(number(bytes)?.abs());
    }
    if penalty && solver != Solver::Saga {
        options = options.l2(number(bytes)?.abs());
    }
    if noise && solver != Solver::Linear {
        options = match bytes.int_in_range(0..=2)? {
            0 => options.noise(Noise::Pre),
            1 => options.noise(Noise::Post),
            _ => options.tau_max(number(bytes)?.abs()),
        };
    }
    Ok(options)
}

/// How it is minimised: settings that the solver takes, each if its bit of `method` is set.
fn draw_method(bytes: &mut Unstructured<'_>, mut options: Options, solver: Solver, method: u8) -> Result<Options> {
    let has = |bit: u8| method >> bit & 1 == 1;
    if solver.uses_eta() {
        options = if has(0) { options.eta(number(bytes)?.abs()) } else { options };
    }
    if solver.is_graduated() {
        options = if has(1) { options.tau0(number(bytes)?.abs()) } else { options };
        options = if has(2) { options.beta(1.0 + number(bytes)?.abs()) } else { options };
    }
    if solver.accepts("batch") && has(3) {
        options = options.batch(bytes.int_in_range(1..=ROWS)?);
    }
    if solver == Solver::Auto && has(4) {
        let count = bytes.int_in_range(1..=4)?;
        options = options.restarts(if count == 4 { Restarts::Auto } else { Restarts::Count(count) });
    }
    if has(4) {
        options = match solver {
            Solver::Momentum | Solver::Nesterov => options.mu(number(bytes)?.abs()),
            Solver::Adam | Solver::Yogi => {
                options.beta1(number(bytes)?.abs()).beta2(number(bytes)?.abs()).epsilon(number(bytes)?.abs())
            }
            Solver::Gradopt => options.delta(number(bytes)?.abs()),
            _ => options,
        };
    }
    if has(5) && solver != Solver::Linear {
        options = options.tolerance(number(bytes)?.abs());
    }
    if has(6) && !matches!(solver, Solver::Auto | Solver::Linear) {
        options = options.start(Start::Random(if has(7) { Some(number(bytes)?.abs()) } else { None }));
    }
    Ok(options.seed(u64::from(method)))
}

/// A table by rows, in which numbers may repeat those above or beside them.
fn table(bytes: &mut Unstructured<'_>, rows: usize, width: usize) -> Result<Vec<f64>> {
    let mut values: Vec<f64> = Vec::with_capacity(rows * width);
    for at in 0..rows * width {
        let value = match bytes.peek_bytes(1) {
            Some(&[AS_ABOVE]) if at >= width => bytes.bytes(1).map(|_| values[at - width])?,
            Some(&[AS_LEFT]) if at > 0 => bytes.bytes(1).map(|_| values[at - 1])?,
            _ => number(bytes)?,
        };
        values.push(value);
    }
    Ok(values)
}
