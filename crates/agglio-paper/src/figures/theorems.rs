//! The *theorems* on simulated data: are their promises kept, with corrected constants and as printed?
//!
//! Reference: 3 is `thm:conv-main-sigmoid`, 4 `thm:conv-noisy-sigmoid`, 5 `thm:consistent-post-noisy-sigmoid`; further
//! `thm:conv-sgd-sigmoid` and `lem:sigmoid-elsc`. All are stated for the sigmoid.

mod descent;
mod epochs;
mod lemma;
mod noise;

use agglio::activation::named;
use agglio::simulate::LabelNoise;
use agglio::theory::Setting;
use agglio::theory::trial::{Draw, Trial};

use crate::claim::Claim;
use crate::error::Result;
use crate::figure::{Figure, Line, Panel, Stroke, Table};
use crate::request::Request;

/// The size of the data, but where the number of rows is what matters.
const N: usize = 4000;
const D: usize = 10;

const CAPTION: &str = "Solid: measured, the farthest of the seeds for theorems that promise something for every step, else the \
mean. Dashed: the promise. Covariates are N(0, I), for Theorem 5 N(0, I)/√d, as the theorems assume.";

/// The pictures, numbers and claims of one theorem.
struct Part {
    panels: Vec<Panel>,
    tables: Vec<Table>,
    claims: Vec<Claim>,
}

/// A function that makes a part; it reports its progress to the second argument.
type Show = fn(&Request, &dyn Fn(&str)) -> Result<Part>;

/// The theorems.
///
/// # Errors
/// If the run is interrupted.
pub fn draw(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let mut figure = Figure {
        name: "theorems",
        title: format!("The theorems on data: sigmoid, n = {N} unless said, d = {D}"),
        caption: CAPTION.into(),
        parameters: parameters(request),
        columns: 3,
        ..Figure::default()
    };
    let parts: [Show; 6] =
        [descent::general, descent::own, noise::before, noise::after, epochs::stochastic, lemma::sigmoid];
    for part in parts {
        request.check()?;
        let Part { panels, tables, claims } = part(request, hear)?;
        figure.panels.extend(panels);
        figure.tables.extend(tables);
        figure.claims.extend(claims);
    }
    Ok(figure)
}

/// A sigmoid with ‖w*‖ = R.
fn trial(radius: f64, noise: LabelNoise, rows: usize, seed: u64) -> Result<Trial> {
    Ok(Draw { activation: "sigmoid", norm: radius, noise, rows, features: D, seed }.trial()?)
}

/// The setting of the theory for it, over the population.
fn setting(radius: f64, noise: LabelNoise) -> Result<Setting> {
    Ok(Setting::new(named("sigmoid")?.as_ref(), radius, noise, Some(D))?)
}

/// A curve that was measured.
fn measured(name: impl Into<String>, x: &[f64], y: Vec<f64>) -> Line {
    Line { name: name.into(), x: x.to_vec(), y, ..Line::default() }
}

/// The promise for a curve, in the same colour.
fn promised(name: impl Into<String>, beside: &str, x: &[f64], y: Vec<f64>) -> Line {
    Line { like: Some(beside.to_owned()), stroke: Stroke::Dashed, ..measured(name, x, y) }
}

fn parameters(request: &Request) -> Vec<(String, String)> {
    [
        ("data", format!("sigmoid, n = {N}, d = {D}, ‖w*‖ = R; x ~ N(0, I), for Theorem 5 N(0, I)/√d")),
        ("start", "zero".into()),
        ("seeds", format!("{} from {}", request.seeds, request.seed)),
        ("corrected constants", "those of docs/theory.md, on a sample of this size".into()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into()
}
