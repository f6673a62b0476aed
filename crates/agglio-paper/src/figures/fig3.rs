//! Figure 3: AGGLIO and its competitors without noise, on softplus, leaky softplus and SiLU.

use agglio::activation::named;
use agglio::text::format::brief;

use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::Contestant;
use crate::error::Result;
use crate::expected::rounding;
use crate::figure::Figure;
use crate::figures::field::{self, median, moment, rivals};
use crate::figures::preimage;
use crate::goal::Goal;
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;
use crate::track::Over;

/// Figure 3a: softplus.
///
/// # Errors
/// If somebody wants it to end.
pub fn a(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    figure("fig3a", "softplus", request, hear)
}

/// Figure 3b: leaky softplus with k = 0.2.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    figure("fig3b", "leaky-softplus", request, hear)
}

/// Figure 3c: SiLU, whose labels may have two preimages; which of them is meant is found from y alone.
///
/// # Errors
/// If somebody wants it to end.
pub fn c(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    figure("fig3c", "silu", request, hear)
}

fn figure(name: &'static str, activation: &'static str, request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    let task = Task::usual(activation);
    let entrants = contest::hold(&task, &field::EVERYBODY, request, hear)?;
    let goals = [1e-6, 1e-12].map(Goal::at);
    let mut figure = field::figure(name, "AGGLIO and its competitors", &task, &entrants, &goals, request);
    figure.claims = claims(name, &entrants);
    figure.claims.extend(field::graduation(&entrants, &Goal::at(1e-12)));
    if named(activation)?.range().attained {
        preimage::add(&mut figure, &task, &entrants, request, hear)?;
    }
    Ok(figure)
}

fn claims(name: &str, entrants: &[Entrant]) -> Vec<Claim> {
    let of = |contestant: &Contestant| contest::of(entrants, contestant);
    let (Some(gd), Some(sgd), Some(yogi)) =
        (of(&Contestant::AGGLIO_GD), of(&Contestant::AGGLIO_SGD), of(&Contestant::YOGI))
    else {
        return Vec::new();
    };
    let end = |entrant: &Entrant| rounding(name, entrant.contestant.name, entrant.contestant.name, entrant.finals());
    let mut claims = vec![end(gd), end(sgd)];
    claims.extend(speed(gd, sgd, entrants));
    claims.extend(accuracy(gd, entrants));
    claims.extend(closest(yogi, entrants));
    claims
}

/// The faster of AGGLIO-GD and -SGD against each competitor.
fn speed(gd: &Entrant, sgd: &Entrant, entrants: &[Entrant]) -> Vec<Claim> {
    let times = |entrant: &Entrant| entrant.arrivals(&Goal::at(1e-12), Over::Seconds);
    let (_, ours) = [gd, sgd]
        .map(|one| (one.reaches(&Goal::at(1e-12)).median, times(one)))
        .into_iter()
        .fold((f64::INFINITY, Vec::new()), |best, one| if best.1.is_empty() || one.0 < best.0 { one } else { best });
    let claim = |rival: &Entrant| {
        let (name, theirs) = (rival.contestant.name, times(rival));
        let faster = Spread::of_ratios(theirs.iter().copied(), ours.iter().copied());
        let claim = Claim::new(
            "text, convergence",
            format!("AGGLIO converges faster than {name}"),
            format!(
                "to 1e-12: {name} takes {}, the faster of AGGLIO-GD and -SGD {}",
                moment(median(&theirs)),
                moment(median(&ours))
            ),
            faster.median,
            Bound::AtLeast(1.0),
        );
        field::against(rival, claim.over(faster))
    };
    rivals(entrants).map(claim).collect()
}

/// The caption has AGGLIO-GD ahead of its competitors by several orders of magnitude.
fn accuracy(gd: &Entrant, entrants: &[Entrant]) -> Vec<Claim> {
    let best = rivals(entrants).min_by(|one, other| one.finals().median.total_cmp(&other.finals().median));
    let Some(best) = best else { return Vec::new() };
    let nearer = Spread::of_ratios(best.ends(), gd.ends());
    let [ours, theirs] = [gd, best].map(|entrant| brief(entrant.finals().median));
    let measured = || format!("the best competitor, {}, ends at {theirs}, AGGLIO-GD at {ours}", best.contestant.name);
    let superior = Claim::new(
        "text, convergence",
        "AGGLIO-GD ends nearer to w* than every competitor",
        measured(),
        nearer.median,
        Bound::AtLeast(1.0),
    );
    let orders = Claim::new(
        "caption of figure 3",
        "AGGLIO-GD ends several orders of magnitude nearer to w* than every competitor (100 times)",
        measured(),
        nearer.median,
        Bound::AtLeast(100.0),
    );
    let remark = "a competitor with a well-tuned constant step reaches rounding too when there is no noise, since its \
                  gradients vanish at w*: what is left is who is faster";
    vec![superior.over(nearer), orders.over(nearer).remark(remark)]
}

/// Yogi is said to come closest and to converge. That it is slower than AGGLIO is among the claims on speed.
fn closest(yogi: &Entrant, entrants: &[Entrant]) -> Vec<Claim> {
    let times = |entrant: &Entrant| entrant.arrivals(&Goal::at(1e-6), Over::Seconds);
    let others = rivals(entrants).filter(|rival| rival.contestant.name != yogi.contestant.name).map(times);
    let fastest = others.min_by(|one, other| median(one).total_cmp(&median(other))).unwrap_or_default();
    let theirs = times(yogi);
    let behind = Spread::of_ratios(fastest.iter().copied(), theirs.iter().copied());
    vec![
        Claim::new(
            "text, convergence",
            "Yogi is the closest competitor",
            format!(
                "to 1e-6: Yogi takes {}, the fastest other competitor {}",
                moment(median(&theirs)),
                moment(median(&fastest))
            ),
            behind.median,
            Bound::AtLeast(1.0),
        )
        .over(behind)
        .remark("Adam and Yogi differ little once both are tuned over the same grid"),
        Claim::new(
            "text, convergence",
            "Yogi converges to the gold model (to 1e-6)",
            format!("it ends at {}", brief(yogi.finals().median)),
            yogi.finals().median,
            Bound::AtMost(1e-6),
        ),
    ]
}
