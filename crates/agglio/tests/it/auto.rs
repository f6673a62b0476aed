//! The default solver: no start, no knobs, and the right end of the temperature path.

use agglio::activation::named;
use agglio::math::rng::{Random, Stream};
use agglio::rows::Dense;
use agglio::simulate::{Design, LabelNoise, Shape, Simulation};
use agglio::{Noise, Options, Report, Restarts, Solver, Start, Status};

use crate::bank;

fn fit(activation: &str, rows: &Dense) -> Report {
    Options::new(named(activation).unwrap()).intercept(false).build().unwrap().fit(rows).unwrap().into_report()
}

/// The paper's noiseless data, n = 1000 and d = 50, with a true model of this norm.
fn recovers(norm: f64, seeds: u64, passes: f64) {
    for (activation, seed) in bank::activations().flat_map(|a| (0..seeds).map(move |s| (a, s))) {
        let norm = if ["exp", "expm1"].contains(&activation) { 2.0 } else { norm };
        let data = Simulation::new(named(activation).unwrap(), 1000, 50).norm(norm).seed(seed).draw().unwrap();
        let report = fit(activation, &bank::rows(&data));
        let error = bank::distance(&report.coefficients, &data.truth);
        let case = format!("{activation}, ‖w‖ = {norm}, seed {seed}");
        assert!(error <= 2e-15 * (1.0 + norm), "{case}: error {error:e}");
        let passes = passes + if bank::is_skewed(activation) { 1.0 } else { 0.0 };
        assert!(report.passes <= passes, "{case}: {} passes", report.passes);
        assert!(report.certificate.certified(), "{case}: {}", report.verdict());
    }
}

#[test]
fn noiseless_models_are_recovered_in_twelve_passes() {
    recovers(7.0, 20, 12.0);
}

#[test]
fn steep_noiseless_models_are_recovered() {
    recovers(35.0, 20, 20.0);
}

#[test]
fn a_mixture_over_preimages_is_consistent() {
    for activation in bank::nonmonotone() {
        let data = bank::paper(activation, 20_000, 5, LabelNoise::Pre(1.0, Shape::Gauss), 1);
        let plan = Options::new(named(activation).unwrap()).intercept(false).noise(Noise::Auto).build().unwrap();
        let report = plan.fit(&bank::rows(&data)).unwrap();
        let error = bank::distance(&report.coefficients, &data.truth);
        // the nearer preimage alone is off by more than half
        assert!(error <= 0.08, "{activation}: {error}");
        assert!(report.sigma.is_some_and(|s| (s - 1.0).abs() < 0.03), "{:?}", report.sigma);
    }
}

/// Labels that come from the left of the dip are as likely a set as their mirror image on the right.
#[test]
fn a_mixture_finds_the_side_of_the_dip() {
    for (activation, intercept) in bank::nonmonotone().flat_map(|a| [-3.0, -2.0, 0.5].map(|b| (a, b))) {
        let phi = named(activation).unwrap();
        let data = bank::paper("identity", 2000, 3, LabelNoise::Post(0.1, Shape::Gauss), 2);
        let labels = data.labels.iter().map(|z| phi.value(z + intercept)).collect();
        let rows = Dense::new(data.values.clone(), 3, labels).unwrap();
        let report = Options::new(phi).noise(Noise::Pre).build().unwrap().fit(&rows).unwrap();
        assert!(bank::distance(&report.coefficients, &data.truth) <= 0.05, "{activation} {intercept}: {report:?}");
        assert!((report.intercept - intercept).abs() <= 0.02, "{activation} {intercept}: {}", report.intercept);
    }
}

#[test]
fn both_ends_agree_with_the_solvers_that_are_told_where_to_end() {
    for (noise, end) in
        [(LabelNoise::Pre(0.3, Shape::Gauss), Noise::Pre), (LabelNoise::Post(0.05, Shape::Gauss), Noise::Post)]
    {
        let data = bank::paper("probit", 600, 4, noise, 5);
        let rows = bank::rows(&data);
        let told = Options::new(named("probit").unwrap()).solver(Solver::Nesterov).noise(end).build().unwrap();
        let told = told.fit(&rows).unwrap();
        let found = Options::new(named("probit").unwrap()).noise(Noise::Auto).build().unwrap().fit(&rows).unwrap();
        assert_eq!(found.noise, end);
        let off = bank::largest_difference(&told.coefficients, &found.coefficients);
        assert!(off <= 1e-10, "{end:?}: {off:e}, {} and {}", told.verdict(), found.verdict());
    }
}

#[test]
fn restarts_keep_the_best_and_count_who_agrees() {
    let simulation = Simulation::new(named("sigmoid").unwrap(), 300, 8).design(Design::Normal).norm(40.0);
    let data = simulation.noise(LabelNoise::Post(0.3, Shape::Gauss)).seed(2).draw().unwrap();
    let rows = bank::rows(&data);
    let with = |restarts| {
        let options = Options::new(named("sigmoid").unwrap()).intercept(false).noise(Noise::Post).restarts(restarts);
        options.build().unwrap().fit(&rows).unwrap()
    };
    let (none, ten) = (with(Restarts::Count(0)), with(Restarts::Count(10)));
    assert!(ten.loss <= none.loss && ten.passes > none.passes);
    let runs = |report: &Report| report.certificate.restarts.unwrap().1;
    assert!(runs(&ten) == runs(&none) + 10);
    assert_eq!(with(Restarts::Count(10)).coefficients, ten.coefficients);
    let auto = with(Restarts::Auto).certificate.restarts.unwrap();
    assert!(auto.1 >= 8 && (auto.0 >= 2 || auto.1 == 40), "{auto:?}");
}

fn separable(n: usize) -> Dense {
    let data = bank::paper("sigmoid", n, 3, LabelNoise::None, 8);
    let labels = data.values.chunks(3).map(|x| f64::from(u8::from(x[0] + 0.5 * x[1] > 0.0)));
    Dense::new(data.values.clone(), 3, labels.collect()).unwrap()
}

#[test]
fn optima_at_infinity_are_called_diverging() {
    for rows in [separable(200), Dense::new(vec![1.0, 2.0, 3.0, 4.0], 1, vec![1.0; 4]).unwrap()] {
        let report = Options::new(named("sigmoid").unwrap()).build().unwrap().fit(&rows).unwrap();
        assert_eq!(report.status(), Status::Diverging, "{}", report.verdict());
        assert!(report.coefficients.iter().all(|w| w.is_finite()) && report.intercept.is_finite());
        assert!(!report.certificate.certified());
    }
}

#[test]
fn columns_that_cannot_be_told_apart_are_named() {
    let data = bank::paper("softplus", 100, 2, LabelNoise::Post(0.05, Shape::Gauss), 9);
    let twice: Vec<f64> = data.values.chunks(2).flat_map(|x| [x[0], x[1], 3.0 * x[0] + 1.0]).collect();
    let rows = Dense::new(twice, 3, data.labels.clone()).unwrap();
    let report = Options::new(named("softplus").unwrap()).build().unwrap().fit(&rows).unwrap();
    assert_eq!(report.status(), Status::NotIdentified);
    assert_eq!(report.certificate.unidentified, [0, 2]);
    let names = ["a", "b", "c"].map(String::from);
    assert!(report.warnings(&names).iter().any(|w| w.contains("`a` and `c`")), "{:?}", report.warnings(&names));
    // the same predictions as without the copy
    let alone = Options::new(named("softplus").unwrap()).build().unwrap().fit(&bank::rows(&data)).unwrap();
    assert!((alone.loss - report.loss).abs() <= 1e-14, "{} {}", alone.loss, report.loss);
    let few = bank::paper("softplus", 5, 9, LabelNoise::None, 9);
    let report = Options::new(named("softplus").unwrap()).build().unwrap().fit(&bank::rows(&few)).unwrap();
    assert_eq!(report.status(), Status::NotIdentified);
}

/// λ of the penalty is in the solver's units: for standardised columns of the identity it is ridge regression.
#[test]
fn a_penalty_is_ridge_regression_on_standardised_columns() {
    let rows = Dense::new(vec![1.0, 2.0, 4.0, 7.0], 1, vec![1.0, 3.0, 2.0, 6.0]).unwrap();
    // mean 3.5, deviation √5.25; slope in those units is cov/(1 + λ)
    let (deviation, covariance) = (5.25_f64.sqrt(), (5.0 - 0.5 + 10.5) / 4.0);
    for l2 in [0.0, 0.5, 10.0] {
        let report = Options::new(named("identity").unwrap()).l2(l2).build().unwrap().fit(&rows).unwrap();
        let expected = covariance / deviation / (1.0 + l2) / deviation;
        assert!((report.coefficients[0] - expected).abs() <= 1e-12, "{l2}: {} {expected}", report.coefficients[0]);
        let squares = rows_loss(&report);
        assert!((report.loss - squares).abs() <= 1e-12, "the penalty is not part of the loss");
        let gd =
            Options::new(named("identity").unwrap()).solver(Solver::Gd).l2(l2).build().unwrap().fit(&rows).unwrap();
        assert!((gd.coefficients[0] - expected).abs() <= 1e-9);
    }
}

fn rows_loss(report: &Report) -> f64 {
    let (x, y) = ([1.0, 2.0, 4.0, 7.0], [1.0, 3.0, 2.0, 6.0]);
    let residual = |(x, y): (&f64, &f64)| report.intercept + report.coefficients[0] * x - y;
    x.iter().zip(&y).map(residual).map(|r| r * r).sum::<f64>() / 4.0
}

#[test]
fn settings_that_a_solver_does_not_use_are_refused() {
    let options = |solver| Options::new(named("sigmoid").unwrap()).solver(solver);
    let refused = [
        (options(Solver::Auto).eta(1.0), "eta"),
        (options(Solver::Lm).tau0(0.5), "tau0"),
        (options(Solver::Newton).beta(2.0), "beta"),
        (options(Solver::Auto).batch(5), "batch"),
        (options(Solver::Gd).noise(Noise::Auto), "noise `auto`"),
        (options(Solver::Gd).restarts(Restarts::Count(3)), "restarts"),
        (options(Solver::Saga).l2(0.1), "l2"),
        (options(Solver::Auto).l2(-1.0), "l2"),
    ];
    for (options, name) in refused {
        let error = options.build().unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
}

#[test]
fn the_default_has_the_same_bits_for_any_number_of_threads_and_any_seed() {
    let data = bank::paper("silu", 20_000, 8, LabelNoise::Post(0.05, Shape::Gauss), 3);
    let rows = bank::rows(&data);
    let fits = [(1, 0), (2, 1), (3, 2), (8, 3)].map(|(threads, seed)| {
        let options = Options::new(named("silu").unwrap()).threads(threads).seed(seed).start(Start::Random(None));
        let report = options.build().unwrap().fit(&rows).unwrap();
        (report.coefficients.iter().map(|w| w.to_bits()).collect::<Vec<_>>(), report.loss.to_bits())
    });
    assert!(fits.iter().all(|fit| *fit == fits[0]));
}

/// An explicit last temperature is where a fit ends, whatever is said of the noise.
#[test]
fn a_last_temperature_overrides_the_noise() {
    let data = bank::paper("sigmoid", 300, 3, LabelNoise::Pre(0.5, Shape::Gauss), 3);
    for noise in [Noise::Auto, Noise::Pre, Noise::Post] {
        let options = Options::new(named("sigmoid").unwrap()).tau_max(0.5).noise(noise);
        let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
        assert_eq!((report.tau, report.noise, report.log_likelihoods), (0.5, Noise::Post, None), "{noise:?}");
    }
}

/// Few ones among many zeros, and categories of a handful of rows: a sample of the rows is separable where all of them are
/// not, and the fit must not stay at the sample's optimum at infinity.
#[test]
fn a_sample_that_separates_is_not_the_end() {
    for (rows, columns, rare) in [(20_000, 20, 0), (48_000, 40, 8)] {
        let data = Simulation::new(named("sigmoid").unwrap(), rows, columns).design(Design::Normal);
        let mut data = data.norm(1.5).seed(5).draw().unwrap();
        let mut random = Random::new(5, Stream::Noise);
        for (i, x) in data.values.chunks_mut(columns).enumerate() {
            (0..rare).for_each(|j| x[j] = f64::from(u8::from(i % (rows / (2 + j)) == 7 * j)));
            let z: f64 = x.iter().zip(&data.truth).map(|(x, w)| x * w).sum();
            let share = named("sigmoid").unwrap().value(if rare > 0 { z } else { z - 5.0 });
            data.labels[i] = f64::from(u8::from(random.uniform() < share));
        }
        let fit = |solver| {
            let options = Options::new(named("sigmoid").unwrap()).solver(solver);
            options.build().unwrap().fit(&bank::rows(&data)).unwrap()
        };
        let (auto, lm) = (fit(Solver::Auto), fit(Solver::Lm));
        assert_eq!(auto.certificate.certified(), lm.certificate.certified(), "{rare}: {}", auto.verdict());
        assert!(auto.loss <= lm.loss * (1.0 + 1e-9), "{rare}: {} above {}", auto.loss, lm.loss);
    }
}

/// A steep model, and categories of some dozens of rows that are separable in a sample and not in all rows.
#[test]
fn a_sample_that_leads_along_a_tail_is_not_the_end() {
    const TRUTH: [f64; 5] = [-4.0, -44.0, 22.0, -2.5, 5.2];
    for seed in [62, 63, 110] {
        let mut random = Random::new(seed, Stream::Covariates);
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for i in 0..12_000 {
            let category = |every: usize| f64::from(u8::from(i % every == 7));
            let x = [random.normal(), random.normal(), random.normal(), category(343), category(200)];
            let z = x.iter().zip(TRUTH).map(|(x, w)| x * w).sum::<f64>() - 8.7;
            labels.push(f64::from(u8::from(random.uniform() < named("sigmoid").unwrap().value(z))));
            values.extend(x);
        }
        let rows = Dense::new(values, TRUTH.len(), labels).unwrap();
        let fit = |solver| Options::new(named("sigmoid").unwrap()).solver(solver).build().unwrap().fit(&rows).unwrap();
        let (auto, lm) = (fit(Solver::Auto), fit(Solver::Lm));
        assert!(auto.certificate.certified() && lm.certificate.certified(), "{seed}: {}", auto.verdict());
        assert!(auto.loss <= lm.loss * (1.0 + 1e-9), "{seed}: {} above {}", auto.loss, lm.loss);
    }
}
