//! Figure 6c: AGGLIO-Adam, its competitors and plain linear regression on the Boston housing data.

use agglio::activation::named;
use agglio::rows::{Dense, Rows, Run};
use agglio::text::format::brief;
use agglio::{Options, Solver};

use crate::boston::{Boston, Parted};
use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::Contestant;
use crate::error::Result;
use crate::expected::published;
use crate::figure::{Cell, Content, Figure, Line, Panel, Stroke, Table};
use crate::figures::field::{self, median, rivals};
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
    let title = "AGGLIO-Adam, its competitors, and linear regression";
    let mut figure = field::figure("fig6c", title, &Boston, &entrants, std::slice::from_ref(&goal), request);
    figure.panels.iter_mut().for_each(|panel| draw_beside(panel, &linear));
    figure.caption = format!(
        "{} It is the root mean square on a fifth of the rows that was held out; plain linear regression leaves {} there. \
         scikit-learn withdrew this data for good reasons (see data/boston.md); it is here because the paper has it.",
        figure.caption,
        brief(Spread::of(linear.iter().copied()).median)
    );
    figure.tables.push(beside(&linear, &entrants));
    figure.claims = claims(&entrants, &linear, &goal);
    Ok(figure)
}

/// Draws what linear regression leaves as a line from side to side.
fn draw_beside(panel: &mut Panel, linear: &[f64]) {
    let Content::Lines(lines) = &mut panel.content else { return };
    let Spread { low, high, .. } = Spread::of(lines.iter().flat_map(|line| line.x.iter().copied()));
    let Spread { median, lower, upper, .. } = Spread::of(linear.iter().copied());
    let twice = |value: f64| vec![value; 2];
    lines.push(Line {
        name: "linear regression".into(),
        x: vec![low, high],
        y: twice(median),
        lower: twice(lower),
        upper: twice(upper),
        stroke: Stroke::Dashed,
        ..Line::default()
    });
}

/// The root mean square on test rows of least squares with an intercept, on the same rows.
fn linear_regression(seed: u64) -> Result<f64> {
    let Parted { training, test } = Boston::parted(seed)?;
    let rows = Dense::new(training.values, training.width, training.labels)?;
    let fit = Options::new(named("identity")?).solver(Solver::Linear).build()?.fit(&rows)?;
    let labels = test.labels.clone();
    let test = Dense::new(test.values, test.width, test.labels)?;
    let mut predicted = vec![0.0; test.len()];
    test.dots(&Run::Span(0..test.len()), &[], &fit.coefficients, &mut predicted);
    let square = |(z, y): (&f64, &f64)| (z + fit.intercept - y).powi(2);
    Ok((predicted.iter().zip(&labels).map(square).sum::<f64>() / labels.len() as f64).sqrt())
}

fn beside(linear: &[f64], entrants: &[Entrant]) -> Table {
    let methods =
        entrants.iter().map(|entrant| vec![Cell::Text(entrant.contestant.name.into()), entrant.finals().into()]);
    let linear = Spread::of(linear.iter().copied());
    let linear = vec![Cell::Text("linear regression, with an intercept".into()), linear.into()];
    Table {
        title: "Beside linear regression".into(),
        columns: ["method", "root mean square on test rows"].map(String::from).into(),
        rows: methods.chain([linear]).collect(),
    }
}

fn claims(entrants: &[Entrant], linear: &[f64], goal: &Goal) -> Vec<Claim> {
    let Some(ours) = contest::of(entrants, &Contestant::AGGLIO_ADAM) else { return Vec::new() };
    let last = ours.finals().median;
    // the published value is a mean square
    let published = published("fig6c", "AGGLIO-Adam").sqrt();
    let mut claims = vec![Claim::new(
        "published run",
        format!("AGGLIO-Adam leaves a root mean square of about {} on test rows, or less", brief(published)),
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
    let error = |who: &Contestant| contest::of(entrants, who).map_or(f64::NAN, |who| who.finals().median);
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
    let passes = |entrant: &Entrant| entrant.arrivals(goal, Over::Passes);
    let rival = rivals(entrants).map(passes).min_by(|one, other| median(one).total_cmp(&median(other)));
    let (own, theirs) = (passes(ours), rival.unwrap_or_default());
    let faster = Spread::of_ratios(theirs.iter().copied(), own.iter().copied());
    Claim::new(
        "caption of figure 6",
        "AGGLIO converges fastest, in passes",
        format!("to {}: AGGLIO-Adam {}, the fastest competitor {}", goal.words, words(&own), words(&theirs)),
        faster.median,
        Bound::AtLeast(1.0),
    )
    .over(faster)
}

fn words(passes: &[f64]) -> String {
    match median(passes) {
        passes if passes.is_finite() => brief(passes),
        _ => "never".into(),
    }
}

/// Split by split, since some are harder than others.
fn beyond_linear(ours: &Entrant, linear: &[f64]) -> Claim {
    let ratios = ours.tuned.iter().zip(linear).map(|(run, linear)| linear / run.error.last());
    let ratios = Spread::of(ratios);
    let Spread { median, low, high, .. } = ratios;
    Claim::new(
        "beyond the paper",
        "AGGLIO-Adam predicts test rows better than plain linear regression, on most splits",
        format!(
            "linear regression's root mean square is {} times AGGLIO-Adam's, {} to {}",
            brief(median),
            brief(low),
            brief(high)
        ),
        median,
        Bound::AtLeast(1.0),
    )
    .over(ratios)
    .remark("the model has no intercept, and rows of length one leave little for a sigmoid to bend")
}
