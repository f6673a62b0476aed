//! The regions that the proof of a minimum has examined, as CSV.
//!
//! `cargo run --release -p agglio-bench --example regions sigmoid < rows.csv > regions.csv`
//!
//! A line of the input has the covariates of a row and its response. There is no intercept, and the coordinates are those of
//! the data. A line of the output is a region: the name of the test that excluded it, or `open`; the factor by which the
//! region is stretched; its centre, and its half-axes one after the other. The last line is the fit.

use std::error::Error;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

use agglio::Options;
use agglio::activation::named;
use agglio::fit::{Observer, Step};
use agglio::prove::{Examined, Progress};
use agglio::rows::{Dense, Scaling};
use agglio::spec::Prove;

const GAP: f64 = 1e-6;

/// Keeps all regions.
#[derive(Default)]
struct Regions(Vec<Examined>);

impl Observer for Regions {
    fn step(&mut self, _step: &Step<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn proof(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.0.extend(progress.examined());
        ControlFlow::Continue(())
    }
}

/// The rows on standard input.
fn rows() -> Result<Dense, Box<dyn Error>> {
    let (mut x, mut y, mut width) = (Vec::new(), Vec::new(), 0);
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut row = line.split(',').map(|cell| cell.trim().parse()).collect::<Result<Vec<f64>, _>>()?;
        y.extend(row.pop());
        width = row.len();
        x.extend(row);
    }
    Ok(Dense::new(x, width, y)?)
}

fn line(ended: &str, stretch: f64, numbers: impl Iterator<Item = f64>) {
    let numbers: Vec<String> = numbers.map(|number| format!("{number:.16e}")).collect();
    println!("{ended},{stretch},{}", numbers.join(","));
}

fn main() -> Result<(), Box<dyn Error>> {
    let activation = std::env::args().nth(1).ok_or("which activation?")?;
    let options = Options::new(named(&activation)?).intercept(false).scaling(Scaling::None).prove(Prove::Gap(GAP));
    let mut regions = Regions::default();
    let fitted = options.build()?.fit_observed(&rows()?, &mut regions)?;
    let proof = fitted.proof.as_ref().ok_or("no proof")?.as_ref().map_err(ToString::to_string)?;
    for region in &regions.0 {
        let ended = region.exclusion.map_or("open".to_owned(), |test| test.to_string());
        let axes = region.half_axes.iter().flatten().copied();
        line(&ended, region.stretch, region.centre.iter().copied().chain(axes));
    }
    line("fit", 1.0, fitted.coefficients.iter().copied());
    eprintln!("{} regions, complete: {}", proof.boxes, proof.complete);
    Ok(())
}
