//! Tuning: the scores are those of fits to some rows on the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use agglio::activation::named;
use agglio::math::rng::Permutation;
use agglio::oracle::Batch;
use agglio::rows::{Dense, Scaling};
use agglio::simulate::{LabelNoise, Shape, Simulated};
use agglio::tune::{MeanLoss, Score, Split, best, mean_loss, tune};
use agglio::{Noise, Options, Plan, Report, Solver, Status};

use crate::bank;

pub const FEATURES: usize = 4;

pub fn data(rows: usize) -> Simulated {
    bank::paper("sigmoid", rows, FEATURES, LabelNoise::Post(0.1, Shape::Gauss), 3)
}

pub fn weights(rows: usize) -> Vec<f64> {
    (0..rows).map(|i| (i % 3) as f64).collect()
}

pub fn options() -> Options {
    Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).epochs(150).seed(5)
}

/// Settings that differ much, one of which leads uphill.
fn plans() -> Vec<Plan> {
    let settings = [0.5, 4.0, 8.0, 1e4].into_iter().flat_map(|eta| [(eta, 0.01), (eta, 1.0)]);
    settings.map(|(eta, tau0)| options().eta(eta).tau0(tau0).build().unwrap()).collect()
}

pub fn scores(rows: &Dense, plans: &[Plan], split: Split) -> Vec<Score> {
    tune(rows, plans, split, &|_, _| {}).unwrap().into_iter().map(Option::unwrap).collect()
}

/// The rows of a batch, in order.
pub fn rows_of(batch: Batch, rows: usize) -> Vec<usize> {
    let Batch::Part { key, start, len } = batch else { panic!("{batch:?}") };
    (start..start + len).map(|position| Permutation::new(key, rows).at(position)).collect()
}

/// A table of some rows, each as often as it is named.
pub fn pick(data: &Simulated, rows: &[usize]) -> Dense {
    let values = rows.iter().flat_map(|&row| data.values[row * FEATURES..][..FEATURES].to_vec()).collect();
    Dense::new(values, FEATURES, rows.iter().map(|&row| data.labels[row]).collect()).unwrap()
}

/// Mean square over some rows, each as often as it is named.
pub fn loss(report: &Report, data: &Simulated, rows: &[usize]) -> f64 {
    let residual = |row: usize| {
        let x = &data.values[row * FEATURES..][..FEATURES];
        let z = report.intercept + x.iter().zip(&report.coefficients).map(|(x, w)| x * w).sum::<f64>();
        1.0 / (1.0 + (-z).exp()) - data.labels[row]
    };
    rows.iter().map(|&row| residual(row).powi(2)).sum::<f64>() / rows.len() as f64
}

/// The mean over folds of fits to the other rows, every row as often as `times` says.
fn by_hand(plan: &Plan, data: &Simulated, split: Split, times: impl Fn(usize) -> usize) -> f64 {
    let n = data.labels.len();
    let folds = split.held_out(n).unwrap();
    let repeated = |rows: Vec<usize>| -> Vec<usize> {
        rows.into_iter().flat_map(|row| std::iter::repeat_n(row, times(row))).collect()
    };
    let one = |batch: &Batch| {
        let held_out = rows_of(*batch, n);
        let training = repeated((0..n).filter(|row| !held_out.contains(row)).collect());
        let report = plan.fit(&pick(data, &training)).unwrap();
        match report.status() {
            Status::Diverging => f64::INFINITY,
            _ => loss(&report, data, &repeated(held_out)),
        }
    };
    folds.iter().map(one).sum::<f64>() / folds.len() as f64
}

pub fn bits(score: &Score) -> (u64, u64, u64) {
    (score.loss.to_bits(), score.training_loss.to_bits(), score.passes.to_bits())
}

#[track_caller]
pub fn assert_near(found: f64, expected: f64) {
    let same = found == expected || (found - expected).abs() <= 1e-9 * expected;
    assert!(same, "{found} is not {expected}");
}

#[test]
fn scores_are_those_of_an_exhaustive_loop() {
    let data = data(300);
    let (rows, plans) = (bank::rows(&data), plans());
    for split in [Split::holdout(0.2, 1).unwrap(), Split::holdout(0.9, 2).unwrap(), Split::folds(5, 3).unwrap()] {
        let found = scores(&rows, &plans, split);
        let expected: Vec<f64> = plans.iter().map(|plan| by_hand(plan, &data, split, |_| 1)).collect();
        found.iter().zip(&expected).for_each(|(found, &expected)| assert_near(found.loss, expected));
        let lowest = (0..expected.len()).min_by(|&i, &j| expected[i].total_cmp(&expected[j]));
        assert_eq!(best(&found.iter().copied().map(Some).collect::<Vec<_>>()), lowest);
        assert!(found[6].loss.is_infinite() && found[6].status == Status::Diverging, "{:?}", found[6]);
        assert!(found.iter().all(|score| score.passes > 1.0 && score.seconds > 0.0));
    }
}

#[test]
fn weights_are_repetitions() {
    let data = data(240);
    let rows = bank::rows(&data).with_weights(weights(240)).unwrap();
    let plans = plans();
    for split in [Split::holdout(0.3, 4).unwrap(), Split::folds(3, 4).unwrap()] {
        for (found, plan) in scores(&rows, &plans, split).iter().zip(&plans) {
            assert_near(found.loss, by_hand(plan, &data, split, |row| row % 3));
        }
    }
}

#[test]
fn offsets_and_units_are_those_of_the_rows() {
    let data = data(200);
    // a column whose squares a double does not hold, and an offset that takes the place of another
    let values = data.values.chunks(FEATURES).flat_map(|x| [1e200 * x[0], x[1], x[2]]).collect();
    let offsets: Vec<f64> = data.values.chunks(FEATURES).map(|x| 0.7 * x[3]).collect();
    let huge = Dense::new(values, 3, data.labels.clone()).unwrap().with_offsets(offsets.clone()).unwrap();
    let values = data.values.chunks(FEATURES).flat_map(|x| [x[0], x[1], x[2]]).collect();
    let plain = Dense::new(values, 3, data.labels.clone()).unwrap().with_offsets(offsets).unwrap();
    let (plans, split) = (plans(), Split::folds(4, 1).unwrap());
    for (one, other) in scores(&huge, &plans, split).iter().zip(&scores(&plain, &plans, split)) {
        assert_near(one.loss, other.loss);
        // steps that lead uphill magnify rounding
        if one.loss.is_finite() {
            assert_near(one.training_loss, other.training_loss);
        }
    }
    let single: Vec<f32> = data.values.iter().map(|&x| x as f32).collect();
    let double = single.iter().map(|&x| f64::from(x)).collect();
    let [single, double] = [
        Dense::new_f32(single, FEATURES, data.labels.clone()).unwrap(),
        Dense::new(double, FEATURES, data.labels.clone()).unwrap(),
    ];
    for (one, other) in scores(&single, &plans, split).iter().zip(&scores(&double, &plans, split)) {
        assert_eq!(one.loss.to_bits(), other.loss.to_bits());
    }
}

#[test]
fn every_solver_has_the_same_bits_for_any_number_of_threads() {
    // every label has a preimage, which `linear` asks for
    let data = bank::paper("sigmoid", 2500, FEATURES, LabelNoise::Post(0.1, Shape::Truncated), 3);
    let rows = bank::rows(&data);
    let bits = |threads: usize, split: Split| {
        let plan = |solver: Solver| options().solver(solver).epochs(3).threads(threads);
        // the one that takes no epochs
        let plain = Options::new(named("sigmoid").unwrap()).solver(Solver::Linear).threads(threads);
        let solvers = Solver::ALL.into_iter().filter(|solver| ![Solver::Linear, Solver::Theory].contains(solver));
        let plans: Vec<Plan> = solvers.map(|solver| plan(solver).build().unwrap()).collect();
        let plans: Vec<Plan> = plans.into_iter().chain([plain.build().unwrap()]).collect();
        scores(&rows, &plans, split).iter().map(self::bits).collect::<Vec<_>>()
    };
    for split in [Split::holdout(0.2, 0).unwrap(), Split::folds(3, 0).unwrap()] {
        let one = bits(1, split);
        [2, 3, 8].into_iter().for_each(|threads| assert_eq!(bits(threads, split), one, "{threads}"));
    }
}

#[test]
fn folds_partition_the_rows() {
    for (rows, folds) in [(3, 2), (10, 3), (10, 10), (1000, 7)] {
        let batches = Split::folds(folds, 9).unwrap().held_out(rows).unwrap();
        assert_eq!(batches.len(), folds);
        let mut all: Vec<usize> = batches.iter().flat_map(|&batch| rows_of(batch, rows)).collect();
        let sizes: Vec<usize> = batches.iter().map(|batch| batch.len(rows)).collect();
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        all.sort_unstable();
        assert_eq!(all, (0..rows).collect::<Vec<_>>());
    }
    let [one, other] = [1, 2].map(|seed| Split::holdout(0.2, seed).unwrap().held_out(50).unwrap());
    assert_ne!(rows_of(one[0], 50), rows_of(other[0], 50));
    assert_eq!(one[0].len(50), 10);
    // some rows on either side, whatever the share
    assert_eq!(Split::holdout(1e-9, 0).unwrap().held_out(3).unwrap()[0].len(3), 1);
    assert_eq!(Split::holdout(0.999, 0).unwrap().held_out(3).unwrap()[0].len(3), 1);
}

#[test]
fn what_cannot_be_split_is_refused() {
    for share in [0.0, 1.0, -0.5, 1.5, f64::NAN] {
        assert!(Split::holdout(share, 0).unwrap_err().to_string().contains("holdout"));
    }
    assert!(Split::folds(1, 0).unwrap_err().to_string().contains("at least 2"));
    let rows = bank::rows(&data(20));
    let refused = |rows: &Dense, split: Split| tune(rows, &plans(), split, &|_, _| {}).unwrap_err().to_string();
    assert!(refused(&rows, Split::folds(21, 0).unwrap()).contains("only 20 rows"));
    let two = Dense::new(vec![1.0, 2.0], 1, vec![0.1, 0.2]).unwrap();
    assert!(refused(&two, Split::holdout(0.5, 0).unwrap()).contains("too few"));
    let lonely = rows.with_weights((0..20).map(|i| f64::from(u8::from(i < 3))).collect()).unwrap();
    assert!(refused(&lonely, Split::folds(10, 0).unwrap()).contains("weight above zero"));
    let mut at_bound = data(50);
    at_bound.labels.fill(1.0);
    let pre = Options::new(named("sigmoid").unwrap()).noise(Noise::Pre).build().unwrap();
    let why = tune(&bank::rows(&at_bound), &[pre], Split::holdout(0.2, 0).unwrap(), &|_, _| {}).unwrap_err();
    assert!(why.to_string().contains("range"), "{why}");
}

#[test]
fn an_interrupt_leaves_what_was_scored() {
    let rows = bank::rows(&data(100));
    let flag = Arc::new(AtomicBool::new(false));
    // of a solver whose plans run one after the other
    let options = || options().solver(Solver::Svrg).epochs(3).threads(1).interrupt(flag.clone());
    let plan = |eta: f64| options().eta(eta).build().unwrap();
    let plans: Vec<Plan> = (1..=6).map(|i| plan(f64::from(i))).collect();
    let heard = AtomicUsize::new(0);
    let watch = |done: usize, of: usize| {
        assert_eq!((heard.fetch_add(1, Ordering::SeqCst) + 1, of), (done, 12));
        flag.store(done == 5, Ordering::SeqCst);
    };
    let scores = tune(&rows, &plans, Split::folds(2, 0).unwrap(), &watch).unwrap();
    // both folds of two plans, and one of the third
    assert_eq!(scores.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false, false, false, false]);
    assert_eq!(best(&scores), Some(1));
    assert_eq!((best(&[]), best(&[None, None])), (None, None));
}

#[test]
fn a_fit_that_ended_beside_an_interrupted_one_keeps_its_score() {
    let (rows, split) = (bank::rows(&data(100)), Split::holdout(0.2, 0).unwrap());
    let flag = Arc::new(AtomicBool::new(false));
    let options = |epochs: usize| options().tolerance(0.0).epochs(epochs).threads(1).interrupt(flag.clone());
    let plans = [usize::MAX, 3, usize::MAX, 8].map(|epochs| options(epochs).build().unwrap());
    let scores = tune(&rows, &plans, split, &|done, _| flag.store(done == 2, Ordering::SeqCst)).unwrap();
    assert_eq!(scores.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false, true]);
    flag.store(false, Ordering::SeqCst);
    let again = tune(&rows, &plans[3..], split, &|_, _| {}).unwrap();
    assert_eq!(scores[3].as_ref().map(bits), again[0].as_ref().map(bits));
}

#[test]
fn an_interrupt_is_that_of_its_plan() {
    let (rows, split) = (bank::rows(&data(100)), Split::holdout(0.2, 0).unwrap());
    for solver in [Solver::Gd, Solver::Svrg] {
        let plan = |raised: bool| {
            let options = options().solver(solver).epochs(5).threads(1);
            options.interrupt(Arc::new(AtomicBool::new(raised))).build().unwrap()
        };
        let plans = [true, false, true, false].map(plan);
        let scores = tune(&rows, &plans, split, &|_, _| {}).unwrap();
        assert_eq!(scores.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false, true], "{solver}");
        assert_eq!(scores[1].as_ref().map(bits), scores[3].as_ref().map(bits), "{solver}");
    }
}

#[test]
fn ties_go_to_the_first_and_units_can_be_the_users() {
    let rows = bank::rows(&data(100));
    let plan = |eta: f64| options().scaling(Scaling::None).eta(eta).build().unwrap();
    let scores = tune(&rows, &[1e-3, 9.0, 9.0].map(plan), Split::holdout(0.2, 0).unwrap(), &|_, _| {}).unwrap();
    assert_eq!(scores[1].unwrap().loss, scores[2].unwrap().loss);
    assert_eq!(best(&scores), Some(1));
}

/// Rounding does not decide between settings that reach the same loss; passes do.
#[test]
fn of_losses_that_are_the_same_but_for_rounding_the_cheapest_wins() {
    let score = |loss: f64, passes: f64| {
        let (training_loss, seconds, status) = (0.5, 1.0, Status::Converged);
        Some(Score { loss, training_loss, passes, seconds, status, explains: true })
    };
    let lowest = score(0.5, 300.0);
    assert_eq!(best(&[lowest, score(0.5 * (1.0 + 5e-10), 90.0), score(0.5 * (1.0 + 5e-9), 10.0)]), Some(1));
    // both are near to the one between them, but not the highest to the lowest
    assert_eq!(best(&[score(0.5 * (1.0 + 15e-10), 10.0), score(0.5 * (1.0 + 8e-10), 90.0), lowest]), Some(1));
    assert_eq!(best(&[score(0.5 * (1.0 + 5e-10), 300.0), lowest]), Some(0));
    assert_eq!(best(&[score(0.5, 301.0), lowest, lowest]), Some(1));
    assert_eq!(best(&[score(0.0, 9.0), score(0.0, 8.0), score(1e-300, 1.0)]), Some(1));
    // the cheapest may not be one that cannot be recommended
    let plateau = Score { status: Status::Plateau, ..score(0.5, 1.0).unwrap() };
    assert_eq!(best(&[Some(plateau), lowest]), Some(1));
}

/// Ends on a plateau, and fits that explain nothing, are never the best, however low their loss.
#[test]
fn what_cannot_be_recommended_is_not_the_best() {
    let good = Score {
        loss: 0.5,
        training_loss: 0.5,
        passes: 1.0,
        seconds: 1.0,
        status: Status::IterationLimit,
        explains: true,
    };
    let plateau = Score { loss: 0.1, status: Status::Plateau, ..good };
    let useless = Score { loss: 0.2, explains: false, ..good };
    let infinite = Score { loss: f64::INFINITY, status: Status::Diverging, ..good };
    let better = Score { loss: 0.4, status: Status::Converged, ..good };
    assert_eq!(best(&[plateau, useless, infinite, good].map(Some)), Some(3));
    assert_eq!(best(&[Some(good), None, Some(better), Some(plateau)]), Some(2));
    assert_eq!(best(&[plateau, useless, infinite].map(Some)), None);
}

/// From a start where every slope has vanished nothing moves; on one fold it is so for all.
#[test]
fn a_plateau_on_a_fold_is_a_plateau() {
    let rows = bank::rows(&data(120));
    let far = agglio::Start::At { coefficients: vec![0.0; FEATURES], intercept: 800.0 };
    let plan = |options: Options| options.tau0(1.0).build().unwrap();
    let plans = [plan(options().start(far)), plan(options().eta(4.0))];
    for split in [Split::holdout(0.2, 0).unwrap(), Split::folds(3, 0).unwrap()] {
        let scores = scores(&rows, &plans, split);
        assert_eq!((scores[0].status, scores[0].is_eligible()), (Status::Plateau, false));
        assert!(scores[1].is_eligible() && scores[1].status != Status::Plateau, "{:?}", scores[1]);
    }
}

#[test]
fn the_loss_of_the_mean_is_that_of_repeated_rows() {
    let data = data(90);
    let n = data.labels.len();
    let rows = bank::rows(&data).with_weights(weights(n)).unwrap();
    for split in [Split::holdout(0.3, 4).unwrap(), Split::folds(3, 4).unwrap()] {
        let labels = |rows: Vec<usize>| -> Vec<f64> {
            rows.into_iter().flat_map(|row| std::iter::repeat_n(data.labels[row], row % 3)).collect()
        };
        let folds = split.held_out(n).unwrap();
        let mut expected = MeanLoss { loss: 0.0, training_loss: 0.0 };
        for batch in &folds {
            let held_out = rows_of(*batch, n);
            let training = labels((0..n).filter(|row| !held_out.contains(row)).collect());
            let mean = training.iter().sum::<f64>() / training.len() as f64;
            let loss = |y: &[f64]| y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / y.len() as f64;
            expected.loss += loss(&labels(held_out)) / folds.len() as f64;
            expected.training_loss += loss(&training) / folds.len() as f64;
        }
        let found = mean_loss(&rows, split).unwrap();
        assert_near(found.loss, expected.loss);
        assert_near(found.training_loss, expected.training_loss);
    }
    assert!(mean_loss(&rows, Split::folds(91, 0).unwrap()).is_err());
}

/// Given as eta it changes no bit.
#[test]
fn the_default_step_is_the_one_that_is_taken() {
    let rows = bank::rows(&data(300));
    for solver in [Solver::Gd, Solver::Sgd, Solver::Saga, Solver::Nesterov, Solver::Adam, Solver::Glmtron] {
        let free = options().solver(solver).epochs(10);
        let step = free.clone().build().unwrap().default_step(&rows).unwrap().unwrap();
        // whatever was asked for
        assert_eq!(free.clone().eta(7.0).build().unwrap().default_step(&rows).unwrap(), Some(step));
        let fit = |options: Options| options.build().unwrap().fit(&rows).unwrap().into_report().coefficients;
        assert_eq!(fit(free.clone().eta(step)), fit(free), "{solver}");
    }
    let none = |options: Options| options.build().unwrap().default_step(&rows).unwrap().is_none();
    assert!(none(options().solver(Solver::Lm)) && none(Options::new(named("exp").unwrap()).solver(Solver::Gd)));
}
