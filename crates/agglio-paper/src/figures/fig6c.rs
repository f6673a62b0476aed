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
use crate::figures::fig2::{field, moment, rivals};
use crate::goal::Goal;
use crate::request::Request;
use crate::statistics::Spread;

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
    let linear = Spread::of(request.all_seeds().map(linear_regression).collect::<Result<Vec<f64>>>()?);
    let goal = Goal::minimum(&entrants);
    let mut figure = field("fig6c", "Boston", &Boston, &entrants, std::slice::from_ref(&goal), request);
    figure.title = "Boston housing: AGGLIO-Adam beside its competitors, and linear regression".into();
    figure.caption = format!(
        "Mean square on a fifth of the rows that was held out, along each fit. Plain linear regression leaves {} there. \
         scikit-learn withdrew this data for good reasons (see data/boston.md); it is here because the paper has it.",
        brief(linear.median)
    );
    figure.tables.push(beside(linear, &entrants));
    figure.claims = claims(&entrants, linear, &goal);
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

fn beside(linear: Spread, entrants: &[Entrant]) -> Table {
    let methods =
        entrants.iter().map(|entrant| vec![Cell::Text(entrant.contestant.name.into()), entrant.finals().into()]);
    let linear = vec![Cell::Text("linear regression, with an intercept".into()), linear.into()];
    Table {
        title: "Beside linear regression".into(),
        columns: ["method", "mean square on test rows"].map(String::from).into(),
        rows: methods.chain([linear]).collect(),
    }
}

fn claims(entrants: &[Entrant], linear: Spread, goal: &Goal) -> Vec<Claim> {
    let of = |contestant: &Contestant| contest::of(entrants, contestant);
    let (Some(ours), Some(ngd), Some(gradopt)) =
        (of(&Contestant::AGGLIO_ADAM), of(&Contestant::NGD), of(&Contestant::GRADOPT))
    else {
        return Vec::new();
    };
    let last = ours.finals().median;
    let worse = ngd.finals().median.min(gradopt.finals().median);
    let published = published("fig6c", "AGGLIO-Adam");
    let mut claims = vec![Claim::new(
        "published run",
        format!("AGGLIO-Adam leaves a mean square of about {published} on test rows, or less"),
        format!("median {}", brief(last)),
        last,
        Bound::AtMost(published),
    )];
    claims.extend([Contestant::AGGLIO_ADAM, Contestant::ADAM, Contestant::YOGI].iter().filter_map(|who| {
        let (name, error) = (who.name, of(who)?.finals().median);
        let claim = Claim::new(
            "text, real data",
            format!("{name} leaves a significantly lower root mean square than NGD and GradOpt (a tenth lower)"),
            format!("{name} {}, the better of NGD and GradOpt {}", brief(error.sqrt()), brief(worse.sqrt())),
            (worse / error).sqrt(),
            Bound::AtLeast(1.0 / 0.9),
        );
        Some(claim.remark("NGD with steps that shorten, and GradOpt with enough passes, reach the same minimum"))
    }));
    let time = |entrant: &Entrant| entrant.reaches(goal).median;
    let fastest = Spread::of(rivals(entrants).map(time)).low;
    claims.push(Claim::new(
        "caption of figure 6",
        "AGGLIO converges fastest",
        format!("to {}: AGGLIO-Adam {}, the fastest competitor {}", goal.words, moment(time(ours)), moment(fastest)),
        fastest / time(ours),
        Bound::AtLeast(1.0),
    ));
    claims.push(
        Claim::new(
            "beyond the paper",
            "AGGLIO-Adam predicts test rows better than plain linear regression",
            format!("AGGLIO-Adam {}, linear regression {}", brief(last), brief(linear.median)),
            linear.median / last,
            Bound::AtLeast(1.0),
        )
        .remark("the model has no intercept, and rows of length one leave little for a sigmoid to bend"),
    );
    claims
}
