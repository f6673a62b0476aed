//! Proofs that no lower minimum exists.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use agglio::activation::{Activation, named};
use agglio::fit::{Observer, Step};
use agglio::math::rng::{Random, Stream};
use agglio::prove::{Ended, Examined, Exclusion, Progress, Proof, Unprovable};
use agglio::rows::{Dense, Scaling};
use agglio::simulate::{LabelNoise, Shape, Simulation};
use agglio::spec::Prove;
use agglio::{Fitted, Options, Solver, Start, Status};

use crate::bank;

const GAP: f64 = 1e-6;

fn options(activation: &str) -> Options {
    Options::new(named(activation).unwrap()).prove(Prove::Gap(GAP))
}

/// Covariates and labels of a model with this number of coefficients.
fn drawn(activation: &str, rows: usize, coefficients: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let noise = LabelNoise::Post(0.1, Shape::Gauss);
    let simulation = Simulation::new(named(activation).unwrap(), rows, coefficients).noise(noise).seed(seed);
    let data = simulation.draw().unwrap();
    (data.values, data.labels)
}

fn noisy(activation: &str, rows: usize, coefficients: usize, seed: u64) -> Dense {
    let (values, labels) = drawn(activation, rows, coefficients, seed);
    Dense::new(values, coefficients, labels).unwrap()
}

fn proof(fitted: &Fitted) -> &Proof {
    fitted.proof.as_ref().unwrap().as_ref().unwrap()
}

/// All but the time.
fn bits(fitted: &Fitted) -> (bool, u64, u64, Option<u64>, u64, Vec<u64>) {
    let proof = proof(fitted);
    let theta = fitted.outcome().theta.iter().map(|entry| entry.to_bits()).collect();
    let radius = proof.radius.map(f64::to_bits);
    (proof.complete, proof.lower_bound.to_bits(), proof.gap.to_bits(), radius, proof.boxes, theta)
}

#[test]
fn every_activation_is_proven_with_the_same_bits_on_one_thread_and_on_two() {
    for activation in bank::activations() {
        for (coefficients, seed) in [(1, 1), (2, 2)] {
            let rows = noisy(activation, 40, coefficients, seed);
            let fits: Vec<Fitted> =
                [1, 2].map(|threads| options(activation).threads(threads).build().unwrap().fit(&rows).unwrap()).into();
            let own = proof(&fits[0]);
            assert!(own.complete && own.radius.is_none(), "{activation} {coefficients}: {own:?}");
            assert!(own.gap <= GAP * 1.001 && own.lower_bound <= fits[0].loss, "{activation}: {own:?}");
            assert_eq!(bits(&fits[0]), bits(&fits[1]), "{activation} {coefficients}");
        }
    }
}

#[test]
fn no_random_point_has_a_loss_below_a_proven_bound() {
    for activation in bank::activations() {
        let rows = noisy(activation, 30, 2, 7);
        let fitted = options(activation).build().unwrap().fit(&rows).unwrap();
        let (bound, oracle) = (proof(&fitted).lower_bound, fitted.oracle());
        let mut random = Random::new(3, Stream::Start);
        for k in 0..3000 {
            let size = 10.0_f64.powf(f64::from(k % 30) / 10.0 - 1.0);
            let theta: Vec<f64> = (0..oracle.dim()).map(|_| size * random.normal()).collect();
            let loss = oracle.losses(&[theta], 1.0, agglio::oracle::Batch::All).unwrap()[0];
            assert!(loss.is_nan() || loss >= bound, "{activation}: {loss} < {bound}");
        }
    }
}

/// Steps in few rows under noise: least squares has several minima.
fn near_steps(seed: u64) -> Dense {
    let mut random = Random::new(seed, Stream::Covariates);
    let x: Vec<f64> = (0..20).map(|_| random.normal()).collect();
    let y = x.iter().map(|x| 1.0 / (1.0 + (-8.0 * x).exp()) + 0.4 * random.normal()).collect();
    Dense::new(x, 1, y).unwrap()
}

#[test]
fn a_minimum_that_is_not_the_lowest_is_never_proven() {
    let (mut wrong, mut infinite) = (0, 0);
    for seed in 0..40 {
        let rows = near_steps(seed);
        let best = options("sigmoid").build().unwrap().fit(&rows).unwrap();
        for start in 0..12 {
            let begun =
                Start::At { coefficients: vec![f64::from(start) * 3.0 - 16.0], intercept: f64::from(start % 3) };
            let plain = Options::new(named("sigmoid").unwrap()).solver(Solver::Lm).start(begun);
            let planted = plain.clone().prove(Prove::None).build().unwrap().fit(&rows).unwrap();
            if planted.loss <= best.loss * (1.0 + 1e-4) || !planted.certificate().certified() {
                continue;
            }
            wrong += 1;
            assert!(planted.proof.is_none());
            let repaired = plain.prove(Prove::Gap(GAP)).build().unwrap().fit(&rows).unwrap();
            let own = proof(&repaired);
            // a finite minimum is kept before a lower loss at infinity, but it is not proven
            if let Some(limit) = repaired.certificate.lower_at_infinity {
                assert!(!own.complete && limit <= best.loss * (1.0 + 2.0 * GAP), "{seed}: {limit} {own:?}");
                infinite += 1;
                continue;
            }
            assert!(own.complete, "{seed}: {own:?}");
            assert_eq!(own.improved_from, Some(planted.loss), "{seed}");
            assert!(repaired.loss <= best.loss * (1.0 + 2.0 * GAP), "{seed}: {} {}", repaired.loss, best.loss);
        }
    }
    assert!(wrong >= 20 && infinite < wrong / 2, "{infinite} of {wrong}");
}

#[test]
fn weights_offsets_a_penalty_and_a_range_are_part_of_what_is_proven() {
    let rows = || {
        let table = noisy("sigmoid", 40, 2, 5);
        table.with_weights((0..40).map(|i| 0.2 + f64::from(i % 4)).collect()).unwrap()
    };
    let table = rows().with_offsets((0..40).map(|i| 0.1 * f64::from(i % 7) - 0.3).collect()).unwrap();
    let fitted = options("sigmoid").l2(0.01).build().unwrap().fit(&table).unwrap();
    assert!(proof(&fitted).complete && proof(&fitted).radius.is_none());
    assert!((proof(&fitted).lower_bound / fitted.path_loss - 1.0 + GAP).abs() < 1e-9);
    // weights in other units are the same problem
    let halved =
        noisy("sigmoid", 40, 2, 5).with_weights((0..40).map(|i| 0.1 + 0.5 * f64::from(i % 4)).collect()).unwrap();
    let [one, other] = [rows(), halved].map(|rows| options("sigmoid").build().unwrap().fit(&rows).unwrap());
    assert_eq!(proof(&one).boxes, proof(&other).boxes);
    // a response in percent has the same regions
    let percent = |scale: f64| {
        let noise = LabelNoise::Post(0.1, Shape::Gauss);
        let data = Simulation::new(named("sigmoid").unwrap(), 40, 2).noise(noise).seed(5).draw().unwrap();
        Dense::new(data.values, 2, data.labels.iter().map(|y| scale * y).collect()).unwrap()
    };
    let share = options("sigmoid").build().unwrap().fit(&percent(1.0)).unwrap();
    let scaled = options("sigmoid").set("range", "0,128").unwrap().build().unwrap().fit(&percent(128.0)).unwrap();
    assert_eq!(proof(&share).boxes, proof(&scaled).boxes);
}

#[test]
fn free_asymptotes_are_proven_within_ten_ranges_of_the_responses() {
    let x: Vec<f64> = (0..24).map(|i| f64::from(i % 8) - 3.0).collect();
    let mut random = Random::new(1, Stream::Noise);
    let y: Vec<f64> = x.iter().map(|x| 2.0 + 5.0 / (1.0 + (-1.3 * x).exp()) + 0.2 * random.normal()).collect();
    let (low, high) = y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), y| (y.min(lo), y.max(hi)));
    let rows = Dense::new(x, 1, y).unwrap();
    for (activation, range) in
        [("sigmoid", "free,free"), ("gompertz", "free,free"), ("probit", "2,free"), ("arctan", "free,7")]
    {
        let plan = options(activation).set("range", range).unwrap().build().unwrap();
        let fitted = plan.fit(&rows).unwrap();
        let own = proof(&fitted);
        assert!(own.complete && own.radius.is_none(), "{activation} {range}: {own:?}");
        let [from, to] = own.asymptotes_within.unwrap();
        assert!(
            (from - (low - 10.0 * (high - low))).abs() < 1e-12 && (to - (high + 10.0 * (high - low))).abs() < 1e-12
        );
    }
}

#[test]
fn rows_at_minus_infinity_are_proven_too() {
    let dose: [f64; 12] = [0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 8.0];
    let y = vec![7.9, 8.1, 7.6, 7.3, 7.5, 6.4, 6.1, 4.2, 3.9, 1.9, 1.7, 0.9];
    let x = dose.iter().map(|dose| if *dose > 0.0 { dose.ln() } else { 0.0 }).collect();
    let at_limit: Vec<bool> = dose.iter().map(|dose| *dose == 0.0).collect();
    let rows = Dense::new(x, 1, y).unwrap().with_limits(&at_limit).unwrap();
    let plan = options("sigmoid").set("range", "0,free").unwrap().build().unwrap();
    let fitted = plan.fit(&rows).unwrap();
    assert!(proof(&fitted).complete && fitted.certificate().certified(), "{:?}", proof(&fitted));
}

/// Ends a search after some regions.
struct Impatient(u64);

impl Observer for Impatient {
    fn step(&mut self, _step: &Step<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn proof(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        assert!(progress.lower_bound <= progress.upper_bound);
        if progress.boxes < self.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[test]
fn a_search_that_is_ended_early_reports_the_bound_so_far() {
    let rows = noisy("sigmoid", 60, 3, 3);
    let plan = options("sigmoid").build().unwrap();
    let mut gaps = Vec::new();
    for regions in [50, 500, u64::MAX] {
        let fitted = plan.fit_observed(&rows, &mut Impatient(regions)).unwrap();
        let own = proof(&fitted);
        assert_eq!(
            (own.complete, own.ended == Ended::Interrupted),
            (regions == u64::MAX, regions < u64::MAX),
            "{own:?}"
        );
        assert_eq!(fitted.status(), Status::Converged);
        assert!(own.lower_bound >= 0.0 && own.lower_bound < fitted.loss);
        gaps.push(own.gap);
    }
    assert!(gaps[0] >= gaps[1] && gaps[1] > gaps[2], "{gaps:?}");
}

/// Asks once for the end of a search.
struct AsksOnce(u64);

impl Observer for AsksOnce {
    fn step(&mut self, _step: &Step<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn proof(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        match progress.boxes < self.0 {
            true => ControlFlow::Continue(()),
            false => {
                self.0 = u64::MAX;
                ControlFlow::Break(())
            }
        }
    }
}

#[test]
fn a_search_in_some_of_the_rows_does_not_swallow_the_wish_to_end() {
    let mut random = Random::new(2, Stream::Covariates);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for i in 0..200 {
        let own: Vec<f64> = (0..3).map(|_| random.normal()).collect();
        y.push(1.0 / (1.0 + (-own.iter().sum::<f64>()).exp()) + 0.3 * random.normal());
        x.extend(own.into_iter().chain([f64::from(i % 2), f64::from(i % 3 / 2)]));
    }
    let (rows, plan) = (Dense::new(x, 5, y).unwrap(), options("sigmoid").threads(1).build().unwrap());
    for regions in [1000, 2100, 4000, 9000, 20_000] {
        let fitted = plan.fit_observed(&rows, &mut AsksOnce(regions)).unwrap();
        let own = proof(&fitted);
        assert_eq!(own.ended, Ended::Interrupted, "{regions}: {own:?}");
        assert!(own.boxes < regions + 2000, "{regions}: {own:?}");
    }
}

#[test]
fn the_unit_of_the_response_and_a_constant_added_to_it_do_not_matter_to_free_asymptotes() {
    let x: Vec<f64> = (0..24).map(|i| f64::from(i % 8) - 3.0).collect();
    let mut random = Random::new(1, Stream::Noise);
    let y: Vec<f64> = x.iter().map(|x| 5.0 / (1.0 + (-1.3 * x).exp()) + 0.2 * random.normal()).collect();
    for range in ["free,free", "0,free"] {
        let proven = |scale: f64, added: f64| {
            let rows = Dense::new(x.clone(), 1, y.iter().map(|y| scale * (y + added)).collect()).unwrap();
            let lower = if range == "0,free" { format!("{},free", scale * added) } else { range.to_owned() };
            let fitted = options("sigmoid").set("range", &lower).unwrap().build().unwrap().fit(&rows).unwrap();
            proof(&fitted).clone()
        };
        let own = proven(1.0, 0.0);
        assert!(own.complete, "{range}: {own:?}");
        for exponent in [-100, -30, 20, 100] {
            let scaled = proven(2.0_f64.powi(exponent), 0.0);
            assert_eq!((scaled.complete, scaled.boxes), (true, own.boxes), "{range} {exponent}: {scaled:?}");
        }
        let added = proven(1.0, 1e4);
        assert!(added.complete && added.boxes.abs_diff(own.boxes) <= own.boxes / 5, "{range}: {added:?}");
    }
}

#[test]
fn a_loss_whose_rounding_error_exceeds_the_gap_is_not_proven() {
    let x: Vec<f64> = (0..24).map(|i| f64::from(i) / 4.0 - 3.0).collect();
    let mut random = Random::new(4, Stream::Noise);
    let y: Vec<f64> = x.iter().map(|x| 1.0 / (1.0 + (-x).exp()) + 0.1 * random.normal()).collect();
    let fit = |added: f64, gap: f64| {
        let rows = Dense::new(x.clone(), 1, y.iter().map(|y| y + added).collect()).unwrap();
        let range = format!("{added},{}", added + 1.0);
        let plan = options("sigmoid").prove(Prove::Gap(gap)).set("range", &range).unwrap().build().unwrap();
        plan.fit(&rows).unwrap().proof.clone().unwrap()
    };
    assert!(fit(0.0, 1e-10).unwrap().complete && fit(1e5, 1e-6).unwrap().complete);
    assert_eq!(fit(1e6, 1e-10), Err(Unprovable::Imprecise));
    assert_eq!(fit(1e10, 1e-6), Err(Unprovable::Imprecise));
}

#[test]
fn solver_auto_proves_up_to_four_parameters_by_itself() {
    let fit = |options: Options, coefficients: usize| {
        options.build().unwrap().fit(&noisy("sigmoid", 60, coefficients, 3)).unwrap()
    };
    let plain = || Options::new(named("sigmoid").unwrap());
    assert!(proof(&fit(plain(), 3)).complete);
    assert!(fit(plain(), 4).proof.is_none());
    assert!(fit(plain().prove(Prove::None), 3).proof.is_none());
    assert!(fit(plain().solver(Solver::Newton), 3).proof.is_none());
    assert!(proof(&fit(plain().solver(Solver::Newton).prove(Prove::Gap(1e-3)), 3)).gap > 1e-4);
}

/// An activation that does not tell its shape.
#[derive(Debug)]
struct Shapeless;

impl Activation for Shapeless {
    fn name(&self) -> String {
        "shapeless".to_owned()
    }
    fn value(&self, t: f64) -> f64 {
        t / t.hypot(1.0)
    }
    fn derivative(&self, t: f64) -> f64 {
        t.hypot(1.0).powi(-3)
    }
    fn second_derivative(&self, t: f64) -> f64 {
        -3.0 * self.value(t) * t.hypot(1.0).powi(-4)
    }
}

#[test]
fn what_cannot_be_proven_says_why() {
    let why = |options: Options, rows: &Dense| {
        options.build().unwrap().fit(rows).unwrap().proof.clone().unwrap().unwrap_err()
    };
    let own = || Options::new(Arc::new(Shapeless) as Arc<dyn Activation>);
    let rows = noisy("tanh", 60, 2, 1);
    assert_eq!(why(own().prove(Prove::Gap(GAP)), &rows), Unprovable::UnknownShape);
    // not asked for, so nothing is said
    assert!(own().build().unwrap().fit(&rows).unwrap().proof.is_none());
    assert_eq!(why(options("sigmoid"), &noisy("sigmoid", 200, 12, 1)), Unprovable::TooManyParameters);
    assert_eq!(
        why(options("exp").intercept(false).set("affine", "free,free").unwrap(), &noisy("exp", 60, 1, 1)),
        Unprovable::UnboundedScale
    );
    let twice = Dense::new(
        (0..60).flat_map(|i| [f64::from(i % 9); 2]).collect(),
        2,
        (0..60).map(|i| f64::from(i % 7) / 7.0).collect(),
    );
    assert_eq!(why(options("sigmoid"), &twice.unwrap()), Unprovable::NotIdentified);
    let constant = |y: f64| Dense::new(vec![1.0, 2.0, 3.0, 4.0], 1, vec![y; 4]).unwrap();
    assert_eq!(why(options("exp"), &constant(0.0)), Unprovable::Constant);
    assert_eq!(why(options("sigmoid"), &constant(0.5)), Unprovable::Constant);
    let short = options("sigmoid").solver(Solver::Gd).epochs(2);
    assert_eq!(why(short, &rows), Unprovable::Unfinished);
    let refused = |options: Options| options.build().unwrap_err().to_string();
    assert!(refused(options("sigmoid").radius(3.0)).contains("whole space"));
    assert!(refused(options("sigmoid").tau_max(0.5)).contains("last temperature"));
    let limited = Options::new(named("sigmoid").unwrap()).prove_seconds(1.0);
    assert!(refused(limited.clone().solver(Solver::Lm)).contains("add `prove`"));
    assert!(refused(limited.prove(Prove::None)).contains("limits a proof"));
    assert!(refused(Options::new(named("sigmoid").unwrap()).prove(Prove::Gap(0.0))).contains("above 0 and below 1"));
}

/// A penalty on a column of tiny numbers is the difference of much larger ones in white coordinates.
#[test]
fn a_penalty_that_is_lost_in_rounding_is_not_proven() {
    let x: Vec<f64> = (1..=7).map(|k| 1e-8 * f64::from(k)).collect();
    let rows = Dense::new(x, 1, vec![0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]).unwrap();
    let rows = rows.with_offsets(vec![40.0, 60.0, -96.0, 53.0, 11.0, 138.0, -7.0]).unwrap();
    let fit = |scaling, l2| options("sigmoid").scaling(scaling).l2(l2).build().unwrap().fit(&rows).unwrap();
    assert!(fit(Scaling::None, 1.0).proven().is_none());
    let own = fit(Scaling::Standard, 0.1);
    assert!(proof(&own).lower_bound <= own.loss + 0.1 * own.outcome().theta[0].powi(2), "{:?}", own.proof);
}

#[test]
fn a_convex_loss_needs_no_search() {
    let shares: Vec<f64> = (0..60).map(|i| f64::from(i % 5) / 4.0).collect();
    let rows = Dense::new((0..120).map(|i| f64::from((i * 37) % 11) - 5.0).collect(), 2, shares).unwrap();
    let fitted = options("sigmoid").loss(agglio::Loss::Bernoulli).build().unwrap().fit(&rows).unwrap();
    let own = proof(&fitted);
    assert!(own.complete && own.boxes == 0 && own.gap <= GAP, "{own:?}");
    assert!(fitted.verdict().contains("convex"));
}

/// Keeps the regions of a search.
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

/// Whether a point of the plane is in a region, up to rounding.
fn contains(region: &Examined, [x, y]: [f64; 2]) -> bool {
    const INSIDE: f64 = 1.0 + 1e-9;
    let solve = |a: &[f64], b: &[f64]| {
        let determinant = a[0] * b[1] - a[1] * b[0];
        [(x * b[1] - y * b[0]) / determinant, (a[0] * y - a[1] * x) / determinant]
    };
    let centre = &region.centre;
    match &region.half_axes[..] {
        [a, b] => {
            let (dx, dy) = (x - centre[0], y - centre[1]);
            let determinant = a[0] * b[1] - a[1] * b[0];
            let shares = [(dx * b[1] - dy * b[0]) / determinant, (a[0] * dy - a[1] * dx) / determinant];
            shares.iter().all(|share| share.abs() <= INSIDE)
        }
        [a] => {
            let [stretch, along] = solve(centre, a);
            (1.0 / INSIDE..=region.stretch * INSIDE).contains(&stretch) && (along / stretch).abs() <= INSIDE
        }
        _ => false,
    }
}

#[test]
fn excluded_regions_cover_the_plane_and_their_tests_hold() {
    let mut tests = HashSet::new();
    for (activation, seed) in [("sigmoid", 1), ("sigmoid", 5), ("silu", 2), ("tanh", 3), ("gelu", 4)] {
        let (x, y) = drawn(activation, 20, 1, seed);
        let rows = Dense::new(x.clone(), 1, y.clone()).unwrap();
        let mut regions = Regions::default();
        let plan = options(activation).scaling(Scaling::None).build().unwrap();
        let fitted = plan.fit_observed(&rows, &mut regions).unwrap();
        let own = proof(&fitted);
        assert!(own.complete && own.boxes == regions.0.len() as u64, "{activation}: {own:?}");
        let minimum = [fitted.coefficients[0], fitted.intercept];
        let phi = named(activation).unwrap();
        let loss = |[w, b]: [f64; 2]| {
            let squares = x.iter().zip(&y).map(|(x, y)| (phi.value(w * x + b) - y).powi(2));
            squares.sum::<f64>() / y.len() as f64
        };
        let mut random = Random::new(seed, Stream::Start);
        for _ in 0..2000 {
            let size = 10.0_f64.powf(4.0 * random.uniform() - 1.0);
            let point = [size * random.normal(), size * random.normal()];
            let excluded: Vec<Exclusion> = regions
                .0
                .iter()
                .filter(|region| contains(region, point))
                .filter_map(|region| region.exclusion)
                .collect();
            assert!(!excluded.is_empty(), "{activation}: no region has excluded {point:?}");
            let bounds = [Exclusion::CutOff, Exclusion::Minorant, Exclusion::Convex];
            let is_bounded = bounds.iter().any(|test| excluded.contains(test));
            assert!(!is_bounded || loss(point) >= own.lower_bound * (1.0 - 1e-9));
            tests.extend(excluded);
        }
        let around: Vec<Exclusion> =
            regions.0.iter().filter(|region| contains(region, minimum)).filter_map(|region| region.exclusion).collect();
        assert!(around.contains(&Exclusion::Convex), "{activation}: {around:?}");
    }
    for test in [Exclusion::CutOff, Exclusion::Monotone, Exclusion::Newton] {
        assert!(tests.contains(&test), "{test}: {tests:?}");
    }
}
