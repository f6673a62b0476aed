//! The scale of the response: fixed, it is only another unit of y; free, it is fitted with the coefficients.

use std::borrow::Cow;

use agglio::activation::{Activation, named};
use agglio::inference::Covariance;
use agglio::oracle::{Ask, At, Batch, FreeResponse, Hessian, Oracle, Problem, Query, ResponseName, Want};
use agglio::rows::Dense;
use agglio::spec::{Entry, Pair};
use agglio::{Fitted, Options, Solver};

use crate::bank;

const FREE: Pair = Pair(Entry::Free, Entry::Free);

fn fixed(low: f64, high: f64) -> Pair {
    Pair(Entry::Fixed(low), Entry::Fixed(high))
}

/// Two columns and a response a + b·φ(z) with a little noise.
fn data(phi: &dyn Activation, rows: usize, (a, b): (f64, f64), noise: f64) -> (Vec<f64>, Vec<f64>) {
    let wave = |k: usize, step: f64| (k as f64 * step).sin();
    let x: Vec<f64> = (0..rows).flat_map(|k| [2.0 * wave(k, 1.37), 1.5 * wave(k, 2.71) + 0.3]).collect();
    let respond = |(k, x): (usize, &[f64])| a + b * (phi.value(1.1 * x[0] - 0.7 * x[1] + 0.4) + noise * wave(k, 7.13));
    let y = x.chunks(2).enumerate().map(respond).collect();
    (x, y)
}

/// Whether a + b·φ and an intercept can be told apart with both free.
fn with_free_scale() -> impl Iterator<Item = &'static str> {
    bank::activations().filter(|name| named(name).unwrap().tells_apart(true, true))
}

fn bounded() -> impl Iterator<Item = &'static str> {
    bank::activations_with(|phi| (phi.limits().1 - phi.limits().0).is_finite())
}

/// Σ (a + bφ(z) − y)²/n, computed here.
fn loss(fitted: &Fitted, phi: &dyn Activation, x: &[f64], y: &[f64]) -> f64 {
    let predict = |x: &[f64]| {
        let z = fitted.intercept + x.iter().zip(&fitted.coefficients).map(|(x, w)| x * w).sum::<f64>();
        fitted.affine.offset + fitted.affine.scale * phi.value(z)
    };
    x.chunks(2).zip(y).map(|(x, y)| (predict(x) - y).powi(2)).sum::<f64>() / y.len() as f64
}

#[test]
fn a_fixed_range_is_another_unit_of_the_response() {
    for name in bounded() {
        let phi = named(name).unwrap();
        let (x, y) = data(phi.as_ref(), 200, (0.0, 1.0), 0.05);
        let (left, right) = phi.limits();
        let scaled: Vec<f64> = y.iter().map(|y| -3.0 + 50.0 * (y - left) / (right - left)).collect();
        for solver in [Solver::Auto, Solver::Gd, Solver::Lm] {
            let options = Options::new(phi.clone()).solver(solver);
            let plain = options.clone().build().unwrap().fit(&Dense::new(x.clone(), 2, y.clone()).unwrap()).unwrap();
            let other = options.range(fixed(-3.0, 47.0)).build().unwrap();
            let other = other.fit(&Dense::new(x.clone(), 2, scaled.clone()).unwrap()).unwrap();
            for (found, expected) in other.coefficients.iter().zip(&plain.coefficients) {
                assert!((found - expected).abs() < 1e-7 * expected.abs(), "{name}, {solver}: {found}, {expected}");
            }
            let ratio = other.loss / plain.loss / (50.0 / (right - left)).powi(2);
            assert!((ratio - 1.0).abs() < 1e-9, "{name}, {solver}: {ratio}");
        }
    }
}

#[test]
fn a_free_scale_is_found_without_a_start() {
    for name in with_free_scale() {
        let phi = named(name).unwrap();
        for (a, b) in [(10.0, 4.0), (-2e4, 3e3), (1e-3, 1e-4)] {
            let (x, y) = data(phi.as_ref(), 150, (a, b), 0.0);
            let fitted = Options::new(phi.clone()).affine(FREE).build().unwrap();
            let fitted = fitted.fit(&Dense::new(x.clone(), 2, y.clone()).unwrap()).unwrap();
            let size = y.iter().map(|y| y * y).sum::<f64>() / y.len() as f64;
            assert!(fitted.loss <= 1e-22 * size, "{name}, {a}, {b}: {} of {size}", fitted.loss);
            assert!((loss(&fitted, phi.as_ref(), &x, &y) - fitted.loss).abs() <= 1e-24 * size, "{name}");
        }
    }
}

/// The entry that is given stays, and the other is fitted.
#[test]
fn half_of_a_scale_can_be_free() {
    for name in bounded() {
        let phi = named(name).unwrap();
        let (left, right) = phi.limits();
        let b = 40.0 / (right - left);
        let (x, y) = data(phi.as_ref(), 120, (10.0 - b * left, b), 0.0);
        let rows = Dense::new(x, 2, y).unwrap();
        for pair in [Pair(Entry::Fixed(10.0), Entry::Free), Pair(Entry::Free, Entry::Fixed(50.0))] {
            let fitted = Options::new(phi.clone()).range(pair).build().unwrap().fit(&rows).unwrap();
            let bounds = [left, right].map(|limit| fitted.affine.offset + fitted.affine.scale * limit);
            for (found, expected) in bounds.into_iter().zip([10.0, 50.0]) {
                assert!((found - expected).abs() < 1e-8, "{name}, {pair}: {bounds:?}");
            }
        }
    }
}

#[test]
fn a_fit_moves_with_the_units_of_the_response() {
    for name in with_free_scale() {
        let phi = named(name).unwrap();
        let (x, y) = data(phi.as_ref(), 150, (1.0, 2.0), 0.1);
        let plan = Options::new(phi.clone()).affine(FREE).build().unwrap();
        let fit = |y: Vec<f64>| plan.fit(&Dense::new(x.clone(), 2, y).unwrap()).unwrap();
        let plain = fit(y.clone());
        assert!(plain.certificate().certified(), "{name}: {}", plain.status());
        let moved = fit(y.iter().map(|y| 700.0 - 3e5 * y).collect());
        assert!((moved.loss / plain.loss / 9e10 - 1.0).abs() < 1e-9, "{name}: {}, {}", moved.loss, plain.loss);
        let predict =
            |fitted: &Fitted| fitted.predict(&Dense::new(x.clone(), 2, y.clone()).unwrap(), Default::default());
        for (moved, plain) in predict(&moved).unwrap().iter().zip(predict(&plain).unwrap()) {
            assert!((moved - 700.0 + 3e5 * plain).abs() < 1e-3, "{name}: {moved}, {plain}");
        }
    }
}

/// At τ = 1 an answer is about the best response scale: its gradient is that of the lower envelope, the Gauss–Newton matrix
/// belongs to the best scale, and products with the curvature are those of the matrix.
#[test]
fn answers_are_about_the_best_scale() {
    for name in with_free_scale() {
        let phi = named(name).unwrap();
        let (x, y) = data(phi.as_ref(), 90, (5.0, 3.0), 0.2);
        let weights: Vec<f64> = (0..90).map(|k| f64::from(k % 4)).collect();
        let rows = Dense::new(x, 2, y).unwrap().with_weights(weights).unwrap();
        for (offset, scale) in [(true, true), (true, false), (false, true)] {
            let response = FreeResponse { offset, scale, fixed_offset: 4.0, ..FreeResponse::default() };
            let oracle = Problem { l2: 0.01, response, ..Problem::new(phi.clone()) }.on(&rows).unwrap();
            let layout = oracle.facts().layout;
            let mut theta = vec![0.8, -0.4, 0.3];
            theta.resize(layout.dim(), 0.7);
            let at = |theta: &[f64], want| oracle.ask(&Query::at(theta.to_vec(), 1.0, Batch::All, want)).unwrap();
            let model = at(&theta, Want::Curvature(Hessian::GaussNewton)).model().unwrap();
            for j in 0..theta.len() {
                let moved = |step: f64| {
                    let mut moved = theta.clone();
                    moved[j] += step;
                    at(&moved, Want::Loss).value().unwrap().loss
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - model.gradient[j]).abs() < 1e-7 * (1.0 + model.loss), "{name}, {j}: {slope}");
            }
            layout.adopt(&mut theta, model.response);
            let there = at(&theta, Want::Curvature(Hessian::GaussNewton)).model().unwrap();
            assert!((there.loss / model.loss - 1.0).abs() < 1e-12, "{name}");
            let close = |one: f64, other: f64| (one - other).abs() <= 1e-9 * (1.0 + one.abs());
            let dim = theta.len();
            for (i, j) in (0..dim).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                let entries = [&model, &there].map(|model| model.matrix().unwrap().at(i, j));
                assert!(close(entries[0], entries[1]), "{name}, {i}, {j}: {entries:?}");
            }
            for hessian in [Hessian::GaussNewton, Hessian::Full] {
                let matrix = at(&theta, Want::Curvature(hessian)).model().unwrap().into_matrix().unwrap();
                let v: Vec<f64> = (0..dim).map(|k| 1.0 - 0.3 * k as f64).collect();
                let product = at(&theta, Want::CurvatureTimes(hessian, Cow::Owned(v.clone()))).product().unwrap();
                for (found, expected) in product.iter().zip(matrix.times(&v)) {
                    assert!(close(*found, expected), "{name}, {hessian:?}: {found}, {expected}");
                }
            }
        }
    }
}

/// The exact Hessian is that of the joint loss: differences of its gradient, which `Curvature(Full)` gives as asked.
#[test]
fn the_full_hessian_is_that_of_all_parameters() {
    for name in with_free_scale() {
        let phi = named(name).unwrap();
        let (x, y) = data(phi.as_ref(), 60, (5.0, 3.0), 0.1);
        let fitted = Options::new(phi.clone()).affine(FREE).build().unwrap();
        let fitted = fitted.fit(&Dense::new(x.clone(), 2, y.clone()).unwrap()).unwrap();
        let (oracle, theta) = (fitted.oracle(), &fitted.outcome().theta);
        let at = At {
            theta: Cow::Borrowed(theta),
            tau: 1.0,
            want: Want::Curvature(Hessian::Full),
            objective: Default::default(),
            memory: Default::default(),
            response: Default::default(),
        };
        let model = oracle.ask(&Query::new(Batch::All, Ask::At(at))).unwrap().model().unwrap();
        let hessian = model.matrix().unwrap();
        let facts = oracle.facts();
        let joint = |theta: &[f64]| {
            let (w, intercept) = facts.coordinates.to_user(theta);
            let (a, b) = facts.response.as_ref().unwrap().user(facts.layout.response(theta));
            let predict = |x: &[f64]| a + b * phi.value(intercept + w[0] * x[0] + w[1] * x[1]);
            x.chunks(2).zip(&y).map(|(x, y)| (predict(x) - y).powi(2)).sum::<f64>() / y.len() as f64
        };
        let step = 1e-4;
        let moved = |i: usize, j: usize, si: f64, sj: f64| {
            let mut theta = theta.clone();
            theta[i] += si * step;
            theta[j] += sj * step;
            joint(&theta)
        };
        for (i, j) in (0..theta.len()).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let second = (moved(i, j, 1.0, 1.0) - moved(i, j, 1.0, -1.0) - moved(i, j, -1.0, 1.0)
                + moved(i, j, -1.0, -1.0))
                / (4.0 * step * step);
            let size = (hessian.at(i, i) * hessian.at(j, j)).sqrt();
            assert!(
                (second - hessian.at(i, j)).abs() < 1e-4 * size,
                "{name}, {i}, {j}: {second}, {}",
                hessian.at(i, j)
            );
        }
    }
}

#[test]
fn what_can_never_be_identified_is_refused_before_there_is_data() {
    let refusal = |name: &str, options: &dyn Fn(Options) -> Options| {
        options(Options::new(named(name).unwrap())).build().unwrap_err().to_string()
    };
    assert!(refusal("exp", &|options| options.affine(FREE)).contains("tell them apart"));
    assert!(
        refusal("identity", &|options| options.affine(Pair(Entry::Free, Entry::Fixed(1.0))))
            .contains("tell them apart")
    );
    assert!(refusal("softplus", &|options| options.range(FREE)).contains("not bounded"));
    assert!(refusal("sigmoid", &|options| options.range(fixed(1.0, 1.0))).contains("below the second"));
    assert!(refusal("sigmoid", &|options| options.range(FREE).affine(FREE)).contains("give one"));
    assert!(refusal("sigmoid", &|options| options.affine(fixed(1.0, 0.0))).contains("must not be 0"));
    assert!(refusal("sigmoid", &|options| options.range(FREE).tau_max(0.5)).contains("τ = 1"));
    for solver in Solver::ALL.into_iter().filter(|solver| solver.uses_batches()) {
        assert!(refusal("sigmoid", &|options| options.range(FREE).solver(solver)).contains("free entry"), "{solver}");
    }
    let fine = [("exp", Pair(Entry::Free, Entry::Fixed(2.0))), ("sigmoid", FREE), ("silu", FREE)];
    for (name, pair) in fine {
        assert!(Options::new(named(name).unwrap()).affine(pair).build().is_ok(), "{name}");
    }
}

/// Every solver that takes a free scale ends at the same minimum from the start of `auto`.
#[test]
fn solvers_agree_on_a_free_scale() {
    let phi = named("sigmoid").unwrap();
    let (x, y) = data(phi.as_ref(), 200, (2.0, 6.0), 0.05);
    let rows = Dense::new(x, 2, y).unwrap();
    let auto = Options::new(phi.clone()).range(FREE).build().unwrap().fit(&rows).unwrap();
    for solver in [Solver::Lm, Solver::Newton, Solver::NewtonCg, Solver::Lbfgs, Solver::Multistart] {
        let start =
            agglio::Start::At { coefficients: auto.coefficients.iter().map(|w| 0.7 * w).collect(), intercept: 0.0 };
        let options = Options::new(phi.clone()).range(FREE).solver(solver).start(start);
        let other = options.build().unwrap().fit(&rows).unwrap();
        assert!((other.loss / auto.loss - 1.0).abs() < 1e-9, "{solver}: {} is not {}", other.loss, auto.loss);
    }
}

/// ryegrass, of R's package drc: root length against concentration, which is zero in six rows. The values are those of
/// `scipy.optimize.least_squares` with every tolerance at 1e-15. `drm(rootl ~ conc, fct = LL.4())` prints 2.98222, 0.48141,
/// 7.79296 and 3.05795; it stops a little before the minimum.
#[test]
fn a_dose_of_zero_lies_on_the_asymptote() {
    let dose: [f64; 7] = [0.0, 0.94, 1.88, 3.75, 7.5, 15.0, 30.0];
    let roots: [&[f64]; 7] = [
        &[7.58, 8.0, 8.3285714, 7.25, 7.375, 7.9625],
        &[8.3555556, 6.9142857, 7.75],
        &[6.8714286, 6.45, 5.9222222],
        &[1.925, 2.8857143, 4.2333333],
        &[1.1875, 0.8571429, 1.0571429],
        &[0.6875, 0.525, 0.825],
        &[0.25, 0.22, 0.44],
    ];
    let pairs = || dose.iter().zip(roots).flat_map(|(dose, roots)| roots.iter().map(|root| (*dose, *root)));
    let zero: Vec<bool> = pairs().map(|(dose, _)| dose == 0.0).collect();
    for sign in [1.0, -1.0] {
        let x: Vec<f64> = pairs().map(|(dose, _)| if dose > 0.0 { dose.ln() } else { -99.0 }).collect();
        let y: Vec<f64> = pairs().map(|(_, root)| sign * root).collect();
        let rows = Dense::new(x, 1, y).unwrap().with_limits(&zero).unwrap();
        let fitted = Options::new(named("sigmoid").unwrap()).range(FREE).build().unwrap().fit(&rows).unwrap();
        assert!(fitted.certificate().certified(), "{}", fitted.status());
        let (a, b, w) = (fitted.affine.offset, fitted.affine.scale, fitted.coefficients[0]);
        let bounds = [(sign * a).min(sign * (a + b)), (sign * a).max(sign * (a + b))];
        let found = [w.abs(), bounds[0], bounds[1], (-fitted.intercept / w).exp()];
        for (found, expected) in found.into_iter().zip([2.98222867, 0.48140995, 7.79296233, 3.05795517]) {
            assert!((found - expected).abs() < 2e-8, "{found} is not {expected}");
        }
        let at_zero = fitted.predict(&rows, Default::default()).unwrap()[0];
        assert!((at_zero - sign * bounds[1]).abs() < 1e-9, "{at_zero}");
    }
}

/// NIST StRD, Rat42: y = b1/(1 + exp(b2 − b3·x)), with the certified values and standard deviations.
#[test]
fn rat42_has_its_certified_values() {
    let x = vec![9.0, 14.0, 21.0, 28.0, 42.0, 57.0, 63.0, 70.0, 79.0];
    let y = vec![8.93, 10.80, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08];
    let rows = Dense::new(x, 1, y).unwrap();
    let upper = Pair(Entry::Fixed(0.0), Entry::Free);
    let fitted = Options::new(named("sigmoid").unwrap()).range(upper).build().unwrap().fit(&rows).unwrap();
    let inference = fitted.inference(Covariance::Classical).unwrap().unwrap();
    assert_eq!(inference.response_names(), [ResponseName::Upper]);
    let [b3, b2, b1] = inference.estimates()[..] else { panic!() };
    let certified = [
        (b1.value, 7.2462237576E+01),
        (-b2.value, 2.6180768402E+00),
        (b3.value, 6.7359200066E-02),
        (b1.standard_error.unwrap(), 1.7340283401E+00),
        (b2.standard_error.unwrap(), 8.8295217536E-02),
        (b3.standard_error.unwrap(), 3.4465663377E-03),
        (inference.goodness().residual_sum, 8.0565229338E+00),
        (inference.goodness().sigma, 1.1587725499E+00),
    ];
    for (found, expected) in certified {
        assert!((found / expected - 1.0).abs() < 2e-10, "{found} is not {expected}");
    }
}

/// Covariances and profile intervals with a free response scale are those of the same model written as five parameters.
#[test]
fn inference_knows_the_response_scale() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("golden/response.json")).unwrap();
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    for case in golden.as_array().unwrap() {
        let (x, y, weights) = (numbers(&case["x"]), numbers(&case["y"]), numbers(&case["weights"]));
        let clusters = numbers(&case["clusters"]).into_iter().map(|code| code as u32).collect();
        let rows = Dense::new(x, 2, y).unwrap().with_weights(weights).unwrap().with_clusters(clusters).unwrap();
        let name = case["activation"].as_str().unwrap();
        let pair: Pair = case["affine"].as_str().unwrap().parse().unwrap();
        let fitted = Options::new(named(name).unwrap()).affine(pair).build().unwrap().fit(&rows).unwrap();
        assert!(fitted.certificate().certified(), "{name}, {pair}");
        let close = |found: f64, expected: f64, within: f64, what: &str| {
            assert!((found / expected - 1.0).abs() < within, "{name}, {pair}, {what}: {found} is not {expected}");
        };
        for (kind, errors) in case["errors"].as_object().unwrap() {
            let inference = fitted.inference(Covariance::named(kind).unwrap()).unwrap().unwrap();
            let estimates = inference.estimates();
            for ((estimate, value), error) in estimates.iter().zip(numbers(&case["estimates"])).zip(numbers(errors)) {
                close(estimate.value, value, 1e-7, kind);
                close(estimate.standard_error.unwrap(), error, 1e-6, kind);
            }
        }
        let inference = fitted.inference(Covariance::Classical).unwrap().unwrap();
        let intervals = inference.profile_intervals(0.95).unwrap();
        for (interval, expected) in intervals.iter().zip(case["profile"].as_array().unwrap()) {
            let (interval, expected) = (interval.unwrap(), numbers(expected));
            close(interval.lower.unwrap(), expected[0], 1e-6, "profile");
            close(interval.upper.unwrap(), expected[1], 1e-6, "profile");
        }
        let effects = inference.marginal_effects().unwrap().unwrap();
        for ((effect, value), error) in
            effects.iter().zip(numbers(&case["effects"])).zip(numbers(&case["effect_errors"]))
        {
            close(effect.value, value, 1e-7, "effect");
            close(effect.standard_error.unwrap(), error, 1e-5, "effect");
        }
    }
}
