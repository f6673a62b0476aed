//! Runs of the figures: what is tuned, what is measured, and what follows from it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use agglio::math::rng::{Random, Stream};
use agglio::rows::{Rows, Run};
use agglio_paper::Error;
use agglio_paper::catalogue::CATALOGUE;
use agglio_paper::claim::{Bound, Claim, Tally, Verdict};
use agglio_paper::contest;
use agglio_paper::contestant::Contestant;
use agglio_paper::expected;
use agglio_paper::figure::{Content, Line, Panel};
use agglio_paper::figures::{fig5, fig7, table1, theorems};
use agglio_paper::goal::Goal;
use agglio_paper::grid::{self, Setting};
use agglio_paper::problem::{Aim, Problem};
use agglio_paper::request::Request;
use agglio_paper::statistics::{Spread, Trend};
use agglio_paper::task::Task;
use agglio_paper::track::{Course, Over};
use agglio_paper::tuning;

fn request() -> Request {
    Request { quick: true, as_published: false, seeds: 3, seed: 0, threads: 2, interrupt: Arc::default() }
}

/// So small that a contest takes no time.
fn small(activation: &'static str) -> Task {
    Task { rows: 200, features: 5, ..Task::usual(activation) }
}

#[test]
fn every_figure_of_the_paper_has_a_name() {
    let names: Vec<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
    let letters = |figure: &str| ["a", "b", "c"].map(|letter| format!("{figure}{letter}"));
    let all = ["fig2", "fig3", "fig4", "fig5", "fig6"].iter().flat_map(|figure| letters(figure));
    let all: Vec<String> = std::iter::once("fig1".to_owned()).chain(all).collect();
    assert_eq!(names[..16], all);
    assert_eq!(names[16..], ["fig7a", "fig7b", "table1", "theorems"]);
}

#[test]
fn a_tuned_method_is_the_one_that_arrives_first() {
    let (task, request) = (small("sigmoid"), request());
    for contestant in [Contestant::AGGLIO_GD, Contestant::ADAM] {
        let setting = tuning::tuned(&task, &contestant, &request).unwrap();
        assert!(!setting.is_empty(), "{}", contestant.name);
        let data = task.draw(0).unwrap();
        let passes = |setting: &Setting| {
            let run = contestant.run(&task, &data, setting, 0, &request).unwrap();
            run.error.reaches(1e-10, Over::Passes)
        };
        let (tuned, untuned) = (passes(&setting), passes(&Setting::new()));
        assert!(tuned < untuned, "{}: {tuned} against {untuned}", contestant.name);
    }
}

#[test]
fn a_contest_is_the_same_for_everybody_and_every_time() {
    let (task, request) = (small("silu").post(0.05), request());
    let field = [Contestant::AGGLIO_SGD, Contestant::NGD, Contestant::AUTO];
    let hold = || contest::hold(&task, &field, &request, &|_| ()).unwrap();
    let (once, again) = (hold(), hold());
    for (one, other) in once.iter().zip(&again) {
        assert_eq!(one.setting, other.setting);
        let finals = |entrant: &contest::Entrant| entrant.tuned.iter().map(|run| run.error.last().to_bits()).collect();
        let (one_ends, other_ends): (Vec<u64>, Vec<u64>) = (finals(one), finals(other));
        assert_eq!(one_ends, other_ends);
        assert_eq!(one.tuned.len(), 3);
        assert_eq!(one.untuned.is_empty(), one.contestant.name == Contestant::AUTO.name);
    }
    let goal = Goal::minimum(&once);
    let table = contest::table(&task, &once, std::slice::from_ref(&goal));
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()) && table.rows.len() == 5);
    let [time, passes] = &contest::panels(&task, &once)[..] else { panic!() };
    assert!(time.x.label == "seconds" && passes.x.label.starts_with("passes") && time.x.log && passes.y.log);
}

/// The paper's own code makes the stage labels of these from the true model; a fit that is given no truth must end alike.
#[test]
fn silu_and_leaky_softplus_are_fitted_from_y_alone() {
    for activation in ["silu", "leaky-softplus"] {
        let (task, request) = (small(activation), request());
        let data = task.draw(3).unwrap();
        let Aim::Truth(truth) = &data.aim else { panic!() };
        // y is a function of x and w*, and x and y are all that there is in the rows
        let mut labels = vec![0.0; data.rows.len()];
        data.rows.labels(&Run::Span(0..data.rows.len()), &mut labels);
        let mut z = vec![0.0; data.rows.len()];
        data.rows.dots(&Run::Span(0..data.rows.len()), &[], truth, &mut z);
        let phi = agglio::activation::named(activation).unwrap();
        assert!(z.iter().zip(&labels).all(|(z, y)| (phi.value(*z) - y).abs() <= 1e-15 * (1.0 + y.abs())));
        for contestant in [Contestant::AGGLIO_GD, Contestant::AGGLIO_SGD] {
            let error = contestant.reach(&task, &Setting::new(), 3000, 3, &request).unwrap();
            assert!(error.error < 1e-13 && error.certified, "{activation}, {}: {error:?}", contestant.name);
        }
    }
}

#[test]
fn what_passes_by_is_reached_and_does_not_settle() {
    let mut course = Course::default();
    for (i, value) in [4.0, 0.5, 2.0, 0.9, 0.1, f64::NAN, 0.2, 0.3].into_iter().enumerate() {
        course.seconds.push(i as f64);
        course.passes.push(10.0 * i as f64);
        course.epochs.push(100.0 * i as f64);
        course.values.push(value);
    }
    assert_eq!((course.reaches(1.0, Over::Seconds), course.settles(1.0, Over::Passes)), (1.0, 60.0));
    assert_eq!((course.steps_to(1.0), course.settles(0.25, Over::Seconds)), (2.0, f64::INFINITY));
    assert_eq!((course.reaches(0.05, Over::Seconds), course.reaches(1.0, Over::Epochs)), (f64::INFINITY, 100.0));
    assert_eq!((course.at(3.5, Over::Seconds), course.last()), (0.9, 0.3));
    assert!(course.at(-1.0, Over::Seconds).is_nan() && Course::default().reaches(1.0, Over::Passes).is_infinite());
}

#[test]
fn spreads_and_trends() {
    let spread = Spread::of([3.0, f64::INFINITY, 1.0]);
    assert_eq!((spread.median, spread.low, spread.high), (3.0, 1.0, f64::INFINITY));
    assert!(Spread::of([]).median.is_nan());
    let five = Spread::of([5.0, 1.0, 3.0, 4.0, 2.0]);
    assert_eq!((five.lower, five.median, five.upper), (2.0, 3.0, 4.0));
    let four = Spread::of([f64::INFINITY, 1.0, f64::INFINITY, 2.0]);
    assert_eq!((four.lower, four.upper), (1.75, f64::INFINITY));
    // neither ever comes: a tie
    let tie = Spread::of_ratios([f64::INFINITY, 0.0, 4.0], [f64::INFINITY, 0.0, 2.0]);
    assert_eq!((tie.low, tie.median, tie.high), (1.0, 1.0, 2.0));
    let line = Trend::through(&[1.0, 2.0, 4.0], &[5.0, 7.0, 11.0]);
    assert!((line.slope - 2.0).abs() < 1e-12 && (line.r_squared - 1.0).abs() < 1e-12);
    let mut random = Random::new(1, Stream::Noise);
    let (x, y): (Vec<f64>, Vec<f64>) = (0..1000).map(|_| (random.normal(), random.normal())).unzip();
    assert!(Trend::through(&x, &y).r_squared < 0.02);
}

#[test]
fn claims_hold_by_their_numbers_alone() {
    let claim = |value, bound| Claim::new("s", "s", "m", value, bound);
    assert!(claim(1.0, Bound::AtMost(1.0)).held() && !claim(1.1, Bound::AtMost(1.0)).held());
    assert!(claim(f64::INFINITY, Bound::AtLeast(2.0)).held() && !claim(1.9, Bound::AtLeast(2.0)).held());
    assert!(!claim(f64::NAN, Bound::AtMost(1.0)).held() && !claim(1.0, Bound::AtMost(f64::NAN)).held());
    assert_eq!(claim(f64::NAN, Bound::AtMost(1.0)).verdict(), Verdict::Undecided);
    assert_eq!(claim(1.1, Bound::AtMost(1.0)).verdict(), Verdict::Failed);
    // a bound within the middle half of the seeds, its ends included, is a tie
    for (seeds, expected) in [
        ([0.5, 0.9, 1.1, 1.2, 1.3], Verdict::Undecided),
        ([1.0, 1.0, 1.0, 1.0, 1.0], Verdict::Undecided),
        ([0.5, 1.1, 1.1, 1.2, 1.3], Verdict::Held),
        ([0.5, 0.6, 0.7, 0.8, 1.3], Verdict::Failed),
    ] {
        let spread = Spread::of(seeds);
        assert_eq!(claim(spread.median, Bound::AtLeast(1.0)).over(spread).verdict(), expected, "{seeds:?}");
    }
    assert_eq!(claim(2.0, Bound::AtLeast(1.0)).by_construction().verdict(), Verdict::Given);
    assert_eq!(claim(0.5, Bound::AtLeast(1.0)).by_construction().verdict(), Verdict::Failed);
    let all = [claim(2.0, Bound::AtLeast(1.0)), claim(2.0, Bound::AtLeast(1.0)).by_construction()];
    assert_eq!(Tally::of(&all), Tally { held: 1, ..Tally::default() });
    assert_eq!((claim(0.5, Bound::AtMost(1.0)).margin(), claim(3.0, Bound::AtLeast(2.0)).margin()), (2.0, 1.5));
    assert!(claim(-0.5, Bound::AtLeast(1.0)).margin().is_nan() && claim(0.5, Bound::AtLeast(0.0)).margin().is_nan());
    // every number that a figure asks for is in the table
    assert_eq!((expected::published("fig4a", "AGGLIO-SVRG"), expected::published("fig6b", "σ = 1")), (3e-15, 4.5));
    assert!(expected::published("fig4a", "nobody").is_nan());
}

#[test]
fn grids_are_those_of_the_paper() {
    let count = |contestant: Contestant| contestant.settings().len();
    assert_eq!(
        [Contestant::AGGLIO_GD, Contestant::ADAM, Contestant::NGD, Contestant::GRADOPT].map(count),
        [200, 375, 20, 20]
    );
    assert_eq!((count(Contestant::AUTO), grid::linspace(1.0, 500.0, 10)[9]), (0, 500.0));
    assert_eq!(grid::logspace(1e-4, 0.1, 4)[3], 0.1);
    assert_eq!(Contestant::AGGLIO_GD.settings()[1], [("eta", 1.0), ("tau0", 0.1), ("beta", 1.2575)]);
}

#[test]
fn quick_sweeps_and_constants_keep_their_claims() {
    let request = request();
    for (figure, at_least) in [
        (fig5::c(&request, &|_| ()).unwrap(), 4),
        (fig7::a(&request, &|_| ()).unwrap(), 2),
        (fig7::b(&request, &|_| ()).unwrap(), 2),
    ] {
        assert!(figure.title.contains("n = 1000") && figure.title.contains(" to "), "{}", figure.title);
        assert!(figure.claims.len() >= at_least);
        figure.claims.iter().for_each(|claim| assert!(claim.held(), "{claim:?}"));
        assert!(figure.claims.iter().all(|claim| claim.bound != Bound::AtMost(f64::NAN)));
    }
    let table = table1::draw(&request, &|_| ()).unwrap();
    let held: Vec<bool> = table.claims.iter().map(Claim::held).collect();
    // ours, the sigmoid's; and what is printed for both softplus, and for the sigmoid far out, is no bound
    assert_eq!(held, [true, true, false, false, false], "{:?}", table.claims);
}

/// What holds of the theorems, and what does not.
#[test]
fn theorems_hold_but_for_the_numbers_that_are_printed_for_the_sigmoid() {
    let figure = theorems::draw(&request(), &|_| ()).unwrap();
    assert_eq!((figure.panels.len(), figure.columns), (6, 3));
    let failing = [
        "the printed increment",
        "ζ = e^(−R)/(1 + R), R = 0.5",
        "ζ = e^(−R)/(1 + R), R = 1",
        "the convexity is at least λ",
        "τ_r leaves λ of Table 1 above zero",
    ];
    let failed: Vec<&Claim> = figure.claims.iter().filter(|claim| claim.verdict() == Verdict::Failed).collect();
    assert_eq!(failed.len(), failing.len(), "{failed:#?}");
    for (claim, piece) in failed.iter().zip(failing) {
        assert!(claim.statement.contains(piece) && claim.remark.is_some(), "{claim:?}");
    }
    assert!(figure.claims.iter().all(|claim| claim.verdict() != Verdict::Undecided));
    for source in ["Theorem 3", "Theorem 4", "Theorem 5", "theorem on stochastic steps", "lemma on the sigmoid"] {
        assert!(figure.claims.iter().any(|claim| claim.source == source && claim.held()), "{source}");
    }
}

#[test]
fn an_ablation_has_the_steps_of_its_variant_and_one_temperature() {
    let setting = vec![("eta", 56.0), ("tau0", 0.1), ("beta", 1.2)];
    assert_eq!(Contestant::PLAIN_SGD.ablated(&setting), [("eta", 56.0), ("tau0", 1.0), ("tau-max", 1.0)]);
    assert_eq!(Contestant::HELD_GD.ablated(&setting), [("eta", 56.0), ("tau0", 0.1), ("tau-max", 0.1)]);
    assert_eq!(Contestant::HELD_GD.ablated(&Setting::new()), [("tau0", 0.01), ("tau-max", 0.01)]);
    let (task, request) = (small("sigmoid"), request());
    let field = [Contestant::AGGLIO_GD, Contestant::PLAIN_GD, Contestant::HELD_GD];
    let entrants = contest::hold(&task, &field, &request, &|_| ()).unwrap();
    let temperatures: Vec<f64> = entrants.iter().map(|entrant| entrant.tuned[0].report.tau).collect();
    let first = entrants[0].setting.iter().find(|(key, _)| *key == "tau0").unwrap().1;
    assert_eq!(temperatures[1..], [1.0, first]);
    // a step on all rows is an epoch, whatever else is looked at
    for run in entrants.iter().flat_map(|entrant| &entrant.tuned) {
        let Course { epochs, passes, .. } = &run.error;
        assert!(epochs.iter().enumerate().take(5).all(|(step, epoch)| *epoch == step as f64 + 1.0), "{epochs:?}");
        assert!(epochs.iter().zip(passes).all(|(epochs, passes)| epochs <= passes));
    }
    // they stand in a panel of their own, beside what they are held against
    let panels = contest::panels(&task, &entrants);
    let counts: Vec<usize> = panels.iter().map(|panel| lines(panel).len()).collect();
    assert_eq!(counts, [1, 1, 3]);
    // nothing is drawn above the start
    let start = entrants.iter().flat_map(|entrant| &entrant.tuned).map(|run| run.start).fold(0.0, f64::max);
    assert!(start > 1.0 && panels.iter().all(|panel| panel.y.most == Some(start)), "{start}");
}

fn lines(panel: &Panel) -> &[Line] {
    let Content::Lines(lines) = &panel.content else { panic!("{}", panel.title) };
    lines
}

/// Algorithm 2 as printed never shortens its steps, so that with noise it does not come to rest where the default does.
#[test]
fn the_paper_s_sgd_keeps_its_steps() {
    let (task, request) = (small("sigmoid").post(0.1), request());
    let end = |contestant: &Contestant| contestant.reach(&task, &Setting::new(), 300, 1, &request).unwrap();
    let minimum = end(&Contestant::AGGLIO_GD);
    let (constant, shortening) = (end(&Contestant::AGGLIO_SGD), end(&Contestant::SHORTENING_SGD));
    let off = |end: f64| (end - minimum.error).abs() / minimum.error;
    assert!(off(shortening.error) < 1e-3, "{minimum:?} {shortening:?}");
    assert!(off(constant.error) > 1e-3, "{minimum:?} {constant:?}");
}

/// Yogi's authors begin with the square of the first gradient; labels of SiLU may take one branch throughout. Both are
/// other fits than the usual ones, and end at w* as well.
#[test]
fn starts_of_yogi_and_preimages_of_silu_change_the_way_and_not_the_end() {
    let request = request();
    let with = |task: &Task, contestant: &Contestant| {
        let run = contestant.run(task, &task.draw(1).unwrap(), &Setting::new(), 1, &request).unwrap();
        assert!(run.error.last() < 1e-10, "{}: {}", contestant.name, run.error.last());
        run.error.values
    };
    let (sigmoid, silu) = (small("sigmoid"), small("silu"));
    assert_ne!(with(&sigmoid, &Contestant::YOGI), with(&sigmoid, &Contestant::YOGI_FROM_GRADIENT));
    let ways = [Contestant::AGGLIO_GD, Contestant::LEFT_GD, Contestant::RIGHT_GD].map(|one| with(&silu, &one));
    assert!(ways[0] != ways[1] && ways[0] != ways[2] && ways[1] != ways[2]);
    // each has the grid of its variant
    assert_eq!(Contestant::LEFT_SGD.settings(), Contestant::AGGLIO_SGD.settings());
    assert_eq!(Contestant::YOGI_FROM_GRADIENT.settings(), Contestant::YOGI.settings());
    // held at a low temperature, labels of one branch lead elsewhere
    let held: Setting = vec![("tau0", 0.01), ("tau-max", 0.01)];
    let end = |contestant: &Contestant| contestant.reach(&silu, &held, 1000, 1, &request).unwrap().error;
    let [nearer, left, right] = [Contestant::AGGLIO_GD, Contestant::LEFT_GD, Contestant::RIGHT_GD].map(|one| end(&one));
    assert!(nearer < 1e-10 && left > 1e-3 && right > 1e-3, "{nearer} {left} {right}");
}

#[test]
fn whoever_wants_an_end_gets_one() {
    let request = Request { interrupt: Arc::new(AtomicBool::new(true)), ..request() };
    for entry in CATALOGUE {
        let ended = (entry.draw)(&request, &|_| ());
        assert!(matches!(ended, Err(Error::Interrupted)), "{}", entry.name);
    }
}
