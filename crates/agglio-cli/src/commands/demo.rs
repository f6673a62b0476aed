//! `demo`: two fits of real data that is part of the program.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use agglio::Loss;
use agglio::read::{Csv, Selection};
use anyhow::Result;

use super::fit::{Outputs, exit_code, fit};
use crate::args::CsvArgs;
use crate::method::Method;
use crate::output;
use crate::plan::FitPlan;
use crate::print::{Fitted, coefficients};
use crate::source::Source;

/// See data/k401k.md for where it comes from.
const DATA: &str = include_str!("../../data/k401k.csv");
const NAME: &str = "k401k.csv";

const ABOUT: &str = "\
Participation in 1534 retirement plans (401(k)) of firms in the United States
(Papke, 1995). The response is the share of eligible employees who take part.
The covariates are the amount that the firm adds to each dollar of an employee,
the age of the plan in years, the logarithm of the firm's number of employees,
and whether the plan is the only one of the firm. In 682 plans the share is
exactly 1. A sigmoid only approaches 1, but these responses are used unchanged.
No starting values are needed.

";

const DIFFERENCE: &str = "
Both columns estimate the same mean. They differ because least squares gives the
squared errors of all plans the same weight, whereas the quasi-likelihood (Papke
and Wooldridge, 1996) divides them by the variance of a share, which is small if
its mean is near 1. This is how the least-squares fit ended:

";

const NEXT: &str = "
Next, fit your own CSV file. It needs a header and a response column, here y:
  agglio fit data.csv --target y --activation sigmoid --model model.json
For shares from 0 to 1, --loss bernoulli fits the quasi-likelihood.
";

pub fn run() -> Result<ExitCode> {
    let squares = fit_with(Loss::Squares)?;
    let likelihood = fit_with(Loss::Bernoulli)?;
    let table = coefficients(&[("least squares", &squares), ("quasi-likelihood", &likelihood)]);
    output::print(&format!("{ABOUT}{table}\n{DIFFERENCE}{}{NEXT}", squares.summary()))?;
    Ok(exit_code(if squares.certified() { &likelihood } else { &squares }))
}

/// The fit of a user who gives no option but the loss.
fn fit_with(loss: Loss) -> Result<Fitted> {
    let source = Source::new(Path::new(NAME), CsvArgs::default())?;
    let selection = Selection { target: Some("participation".into()), ..Selection::default() };
    let mut method = Method::default();
    method.spec.loss = Some(loss);
    let plan = FitPlan::new(source, selection, method)?;
    let begun = Instant::now();
    let table = Csv::new().read(DATA.as_bytes(), Path::new(NAME), &plan.selection)?;
    Ok(fit(&plan, &Outputs::default(), table, begun.elapsed().as_secs_f64())?.0)
}
