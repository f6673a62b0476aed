//! Figure 3: AGGLIO and its competitors without noise, on softplus, leaky softplus and SiLU.

use agglio::number::brief;

use crate::claim::{Bound, Claim};
use crate::contest::{self, Entrant};
use crate::contestant::Contestant;
use crate::error::Result;
use crate::expected::rounding;
use crate::figure::Figure;
use crate::figures::field::{self, moment, rivals};
use crate::goal::Goal;
use crate::request::Request;
use crate::statistics::Spread;
use crate::task::Task;

/// Figure 3a: softplus.
///
/// # Errors
/// If somebody wants it to end.
pub fn a(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    figure("fig3a", "softplus", "AGGLIO and its competitors, softplus, no noise", request, hear)
}

/// Figure 3b: leaky softplus with k = 0.2.
///
/// # Errors
/// If somebody wants it to end.
pub fn b(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    figure("fig3b", "leaky-softplus", "AGGLIO and its competitors, leaky softplus, no noise", request, hear)
}

/// Figure 3c: SiLU, whose labels may have two preimages; which of them is meant is found from y alone.
///
/// # Errors
/// If somebody wants it to end.
pub fn c(request: &Request, hear: &dyn Fn(&str)) -> Result<Figure> {
    figure("fig3c", "silu", "AGGLIO and its competitors, SiLU, no noise", request, hear)
}

fn figure(
    name: &'static str,
    activation: &'static str,
    title: &str,
    request: &Request,
    hear: &dyn Fn(&str),
) -> Result<Figure> {
    let task = Task::usual(activation);
    let entrants = contest::hold(&task, &field::EVERYBODY, request, hear)?;
    let goals = [1e-6, 1e-12].map(Goal::at);
    let mut figure = field::figure(name, title, &task, &entrants, &goals, request);
    figure.claims = claims(name, &entrants);
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
    claims.extend(closest(yogi, sgd, entrants));
    claims
}

fn speed(gd: &Entrant, sgd: &Entrant, entrants: &[Entrant]) -> Vec<Claim> {
    let time = |entrant: &Entrant| entrant.reaches(&Goal::at(1e-12)).median;
    let ours = time(gd).min(time(sgd));
    let claim = |rival: &Entrant| {
        let (name, theirs) = (rival.contestant.name, time(rival));
        Claim::new(
            "text, convergence",
            format!("AGGLIO converges faster than {name}"),
            format!("to 1e-12: {name} takes {}, the faster of AGGLIO-GD and -SGD {}", moment(theirs), moment(ours)),
            theirs / ours,
            Bound::AtLeast(1.0),
        )
    };
    rivals(entrants).map(claim).collect()
}

/// The caption has AGGLIO-GD ahead of its competitors by several orders of magnitude.
fn accuracy(gd: &Entrant, entrants: &[Entrant]) -> [Claim; 2] {
    let (ours, theirs) = (gd.finals().median, Spread::of(rivals(entrants).map(|rival| rival.finals().median)).low);
    let measured = || format!("the best competitor ends at {}, AGGLIO-GD at {}", brief(theirs), brief(ours));
    let superior = Claim::new(
        "text, convergence",
        "AGGLIO-GD ends nearer to w* than every competitor",
        measured(),
        theirs / ours,
        Bound::AtLeast(1.0),
    );
    let orders = Claim::new(
        "caption of figure 3",
        "AGGLIO-GD ends several orders of magnitude nearer to w* than every competitor (100 times)",
        measured(),
        theirs / ours,
        Bound::AtLeast(100.0),
    );
    let remark = "a competitor with a well-tuned constant step reaches rounding too when there is no noise, since its \
                  gradients vanish at w*: what is left is who is faster";
    [superior, orders.remark(remark)]
}

/// Yogi is said to come closest, to converge, and to be slower.
fn closest(yogi: &Entrant, sgd: &Entrant, entrants: &[Entrant]) -> Vec<Claim> {
    let time = |entrant: &Entrant| entrant.reaches(&Goal::at(1e-6)).median;
    let others = rivals(entrants).filter(|rival| rival.contestant.name != yogi.contestant.name);
    let fastest = Spread::of(others.map(time)).low;
    let theirs = time(yogi);
    vec![
        Claim::new(
            "text, convergence",
            "Yogi is the closest competitor",
            format!("to 1e-6: Yogi takes {}, the fastest other competitor {}", moment(theirs), moment(fastest)),
            fastest / theirs,
            Bound::AtLeast(1.0),
        )
        .remark("Adam and Yogi differ little once both are tuned over the same grid"),
        Claim::new(
            "text, convergence",
            "Yogi converges to the gold model (to 1e-6)",
            format!("it ends at {}", brief(yogi.finals().median)),
            yogi.finals().median,
            Bound::AtMost(1e-6),
        ),
        Claim::new(
            "text, convergence",
            "Yogi is slower than AGGLIO",
            format!("to 1e-6: Yogi takes {}, AGGLIO-SGD {}", moment(theirs), moment(time(sgd))),
            theirs / time(sgd),
            Bound::AtLeast(1.0),
        ),
    ]
}
