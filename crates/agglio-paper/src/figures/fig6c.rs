//! Figure 6c: AGGLIO-Adam and its competitors on the Boston housing data, with plain linear regression beside them.

use agglio::activation::named;
use agglio::number::brief;
use agglio::rows::{Dense, Rows, Run};
use agglio::{Options, Solver};

use crate::boston::{Boston, Parted};
use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::Contestant;
use crate::error::Result;
use crate::expected::published;
use crate::figure::{Cell, Figure, Table};
use crate::figures::field::{self, rivals};
use crate::goal::Goal;
use crate::request::Request;
use crate::statistics::Spread;
use crate::track::Over;

const FIELD: [Contestant; 7] = [
    Contestant::AGGLIO_ADAM,
    Contestant::ADAM,
    Contestant::YOGI,
    Contestant::NGD,
    Contestant::GRADOPT,
    Contestant::AUTO,
    Contestant::LM,
];

/// Figure 6c.
///
/// # Errors
/// If somebody wants it to end.
pub fn c(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let entrants = contest::hold(&Boston, &FIELD, request, hear)?;
    let linear: Vec<f64> = request.all_seeds().map(linear_regression).collect::<Result<_>>()?;
    let goal = Goal::minimum(&entrants);
    let title = "Boston housing: AGGLIO-Adam, its competitors, and linear regression";
    let mut figure = field::figure("fig6c", title, &Boston, &entrants, std::slice::from_ref(&goal), request);
    figure.caption = format!(
        "Mean square on a fifth of the rows that was held out, along each fit. Plain linear regression leaves {} there. \
         scikit-learn withdrew this data for good reasons (see data/boston.md); it is here because the paper has it.",
        brief(Spread::of(linear.iter().copied()).median)
    );
    figure.tables.push(beside(&linear, &entrants));
    figure.claims = claims(&entrants, &linear, &goal);
    Ok(figure)
}

/// The mean square on test rows of least squares with an intercept, on the same rows.
fn linear_regression(seed: u64) -> Result<f64> {
    let Parted { training, test } = Boston::parted(seed)?;
    let rows = Dense::new(training.values, training.width, training.labels)?;
    let fit = Options::new(named("identity")?).solver(Solver::Linear).build()?.fit(&rows)?;
    let labels = test.labels.clone();
    let test = Dense::new(test.values, test.width, test.labels)?;
    let mut predicted = vec![0.0; test.len()];
    test.dots(&Run::Span(0..test.len()), &[], &fit.coefficients, &mut predicted);
    let square = |(z, y): (&f64, &f64)| (z + fit.intercept - y).powi(2);
    Ok(predicted.iter().zip(&labels).map(square).sum::<f64>() / labels.len() as f64)
}

fn beside(linear: &[f64], entrants: &[Entrant]) -> Table {
    let methods =
        entrants.iter().map(|entrant| vec![Cell::Text(entrant.contestant.name.into()), entrant.finals().into()]);
    let linear = Spread::of(linear.iter().copied());
    let linear = vec![Cell::Text("linear regression, with an intercept".into()), linear.into()];
    Table {
        title: "Beside linear regression".into(),
        columns: ["method", "mean square on test rows"].map(String::from).into(),
        rows: methods.chain([linear]).collect(),
    }
}

fn claims(entrants: &[Entrant], linear: &[f64], goal: &Goal) -> Vec<Claim> {
    let Some(ours) = contest::of(entrants, &Contestant::AGGLIO_ADAM) else { return Vec::new() };
    let last = ours.finals().median;
    let published = published("fig6c", "AGGLIO-Adam");
    let mut claims = vec![Claim::new(
        "published run",
        format!("AGGLIO-Adam leaves a mean square of about {published} on test rows, or less"),
        format!("median {}", brief(last)),
        last,
        Bound::AtMost(published),
    )];
    claims.extend(lower_than_others(entrants));
    claims.extend([fastest(ours, entrants, goal), beyond_linear(ours, linear)]);
    claims
}

/// AGGLIO, Adam and Yogi are said to predict significantly better than NGD and GradOpt.
fn lower_than_others(entrants: &[Entrant]) -> Vec<Claim> {
    let error = |who: &Contestant| contest::of(entrants, who).map_or(f64::NAN, |who| who.finals().median.sqrt());
    let others = error(&Contestant::NGD).min(error(&Contestant::GRADOPT));
    let claim = |who: &Contestant| {
        let (name, own) = (who.name, error(who));
        Claim::new(
            "text, real data",
            format!("{name} leaves a significantly lower root mean square than NGD and GradOpt (a tenth lower)"),
            format!("{name} {}, the better of NGD and GradOpt {}", brief(own), brief(others)),
            others / own,
            Bound::AtLeast(1.0 / 0.9),
        )
    };
    [Contestant::AGGLIO_ADAM, Contestant::ADAM, Contestant::YOGI].iter().map(claim).collect()
}

/// By passes: on 405 rows times are much the same.
fn fastest(ours: &Entrant, entrants: &[Entrant], goal: &Goal) -> Claim {
    let passes = |entrant: &Entrant| goal.reached(&entrant.tuned, Over::Passes).median;
    let theirs = Spread::of(rivals(entrants).map(passes)).low;
    Claim::new(
        "caption of figure 6",
        "AGGLIO converges fastest, in passes",
        format!("to {}: AGGLIO-Adam {}, the fastest competitor {}", goal.words, brief(passes(ours)), brief(theirs)),
        theirs / passes(ours),
        Bound::AtLeast(1.0),
    )
}

/// Split by split, since some are harder than others.
fn beyond_linear(ours: &Entrant, linear: &[f64]) -> Claim {
    let ratios = ours.tuned.iter().zip(linear).map(|(run, linear)| linear / run.error.last());
    let Spread { median, low, high } = Spread::of(ratios);
    Claim::new(
        "beyond the paper",
        "AGGLIO-Adam predicts test rows better than plain linear regression, on most splits",
        format!(
            "linear regression's mean square is {} times AGGLIO-Adam's, {} to {}",
            brief(median),
            brief(low),
            brief(high)
        ),
        median,
        Bound::AtLeast(1.0),
    )
    .remark("the model has no intercept, and rows of length one leave little for a sigmoid to bend")
}
