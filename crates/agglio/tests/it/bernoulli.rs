//! The quasi-likelihood of shares: fits against statsmodels, derivatives, convexity, separation and refusals.

use agglio::activation::{Activation, named};
use agglio::math::rng::{Random, Stream};
use agglio::oracle::{Ask, Batch, Driver, Hessian, Oracle, Problem, Query, Want};
use agglio::rows::Dense;
use agglio::{Fitted, Loss, Noise, Options, Solver, Status};
use serde_json::Value;

const LINKS: [&str; 3] = ["sigmoid", "probit", "cloglog"];
const SOLVERS: [Solver; 5] = [Solver::Auto, Solver::Lm, Solver::Newton, Solver::NewtonCg, Solver::Lbfgs];

fn options(link: &str) -> Options {
    Options::new(named(link).unwrap()).loss(Loss::Bernoulli)
}

fn fit(link: &str, rows: &Dense) -> Fitted {
    options(link).build().unwrap().fit(rows).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// The covariates and shares of the 401(k) data.
fn participation() -> Dense {
    let text = include_str!("../../../agglio-cli/data/k401k.csv");
    let cells = |line: &str| line.split(',').map(|cell| cell.parse::<f64>().unwrap()).collect::<Vec<_>>();
    let (x, y): (Vec<_>, Vec<f64>) = text.lines().skip(1).map(cells).map(|r| (r[..4].to_vec(), r[4])).unzip();
    Dense::new(x.concat(), 4, y).unwrap()
}

fn golden_rows(case: &Value, data: &Value) -> Dense {
    if case["data"] == "participation" {
        return participation();
    }
    let data = &data[case["data"].as_str().unwrap()];
    let y = numbers(&data["y"]);
    let x = numbers(&data["x"]);
    let width = x.len() / y.len();
    let rows = Dense::new(x, width, y).unwrap();
    match case["weighted"].as_bool().unwrap() {
        true => rows.with_weights(numbers(&data["weights"])).unwrap().with_offsets(numbers(&data["offset"])).unwrap(),
        false => rows,
    }
}

/// `golden/bernoulli.py` made the numbers.
#[test]
fn every_solver_agrees_with_statsmodels() {
    let golden: Value = serde_json::from_str(include_str!("golden/bernoulli.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 15);
    let mut worst: [f64; 3] = [0.0; 3];
    for case in cases {
        let (rows, link) = (golden_rows(case, &golden["data"]), case["activation"].as_str().unwrap());
        for solver in SOLVERS {
            let fitted = options(link).solver(solver).build().unwrap().fit(&rows).unwrap();
            assert!(fitted.certificate.certified(), "{solver}, {case}: {}", fitted.verdict());
            assert_eq!((fitted.tau, fitted.log_likelihoods), (1.0, None));
            let found = [fitted.intercept].into_iter().chain(fitted.coefficients.iter().copied());
            let known = [case["intercept"].as_f64().unwrap()].into_iter().chain(numbers(&case["coefficients"]));
            let apart = found.zip(known).map(|(found, known)| (found - known).abs()).fold(0.0, f64::max);
            let losses = [
                fitted.loss - case["loss"].as_f64().unwrap(),
                fitted.certificate.baseline_loss - case["baseline"].as_f64().unwrap(),
            ];
            assert!(apart <= 1e-10, "{solver}, {case}: {apart:e}");
            assert!(losses.iter().all(|off| off.abs() <= 1e-12), "{solver}, {case}: {losses:?}");
            for (worst, off) in worst.iter_mut().zip([apart, losses[0].abs(), losses[1].abs()]) {
                *worst = worst.max(off);
            }
        }
    }
    println!("largest differences in coefficients, loss, baseline: {worst:?}");
}

#[test]
fn the_default_solver_makes_one_short_run() {
    for link in LINKS {
        let fitted = fit(link, &participation());
        assert!(fitted.passes < 12.0 && fitted.certificate.restarts.is_none(), "{link}: {}", fitted.passes);
        assert!(fitted.verdict().starts_with("global minimum"), "{}", fitted.verdict());
        assert!(fitted.warnings(&[]).is_empty(), "{:?}", fitted.warnings(&[]));
        let explained = fitted.explained(None).unwrap();
        assert!((explained - (1.0 - fitted.loss / fitted.certificate.baseline_loss)).abs() < 1e-15);
    }
}

/// Two covariates with weights and offsets; labels of 0 and 1, or shares.
fn table(rows: usize, seed: u64, whole: bool) -> Dense {
    let mut random = Random::new(seed, Stream::Start);
    let x: Vec<f64> = (0..2 * rows).map(|_| random.normal()).collect();
    let share = |random: &mut Random| 0.5 + 0.5 * random.normal().tanh();
    let y: Vec<f64> = (0..rows).map(|_| share(&mut random)).map(|y| if whole { y.round() } else { y }).collect();
    let weights = (0..rows).map(|k| if k % 7 == 3 { 0.0 } else { 1.0 + (k % 3) as f64 }).collect();
    let offsets = (0..rows).map(|k| 0.3 * (k as f64).sin()).collect();
    Dense::new(x, 2, y).unwrap().with_weights(weights).unwrap().with_offsets(offsets).unwrap()
}

fn oracle(link: &str, rows: &Dense, l2: f64) -> Driver {
    Problem { loss: Loss::Bernoulli, l2, ..Problem::new(named(link).unwrap()) }.on(rows).unwrap()
}

fn random_points(dim: usize, scale: f64) -> Vec<Vec<f64>> {
    let mut random = Random::new(5, Stream::Start);
    (0..6).map(|_| (0..dim).map(|_| scale * random.normal()).collect()).collect()
}

fn moved(theta: &[f64], j: usize, by: f64) -> Vec<f64> {
    theta.iter().enumerate().map(|(k, theta)| if k == j { theta + by } else { *theta }).collect()
}

#[test]
fn gradient_and_hessian_are_the_derivatives_of_the_loss() {
    for (link, whole) in LINKS.into_iter().flat_map(|link| [(link, false), (link, true)]) {
        let oracle = oracle(link, &table(2500, 1, whole), 0.03);
        let ask = |theta: &[f64], hessian| {
            oracle.ask(&Query::at(theta, 1.0, Batch::All, Want::Curvature(hessian))).unwrap().model().unwrap()
        };
        for theta in random_points(3, 0.7) {
            let (full, expected, h) = (ask(&theta, Hessian::Full), ask(&theta, Hessian::GaussNewton), 1e-5);
            for j in 0..3 {
                let (up, down) = (moved(&theta, j, h), moved(&theta, j, -h));
                let losses = oracle.losses(&[up.clone(), down.clone()], 1.0, Batch::All).unwrap();
                let slope = (losses[0] - losses[1]) / (2.0 * h);
                assert!((full.gradient[j] - slope).abs() < 1e-8, "{link}: {} {slope}", full.gradient[j]);
                let (up, down) = (ask(&up, Hessian::Full), ask(&down, Hessian::Full));
                for i in 0..3 {
                    let slope = (up.gradient[i] - down.gradient[i]) / (2.0 * h);
                    let known = full.matrix().unwrap().at(i.max(j), i.min(j));
                    assert!((known - slope).abs() < 1e-8, "{link}: {known} {slope}");
                }
                // the scale of the gradient belongs to the expected information
                let diagonal = expected.matrix().unwrap().at(j, j) - if j < 2 { 2.0 * 0.03 } else { 0.0 };
                assert!((diagonal / (2.0 * expected.column_norms[j].powi(2)) - 1.0).abs() < 1e-12);
                let mut unit = vec![0.0; 3];
                unit[j] = 1.0;
                for (model, hessian) in [(&full, Hessian::Full), (&expected, Hessian::GaussNewton)] {
                    let product = oracle.curvature_times(&theta, 1.0, Batch::All, hessian, &unit).unwrap();
                    let column = (0..3).map(|i| model.matrix().unwrap().at(i.max(j), i.min(j)));
                    assert!(product.iter().zip(column).all(|(a, b)| (a - b).abs() < 1e-13), "{link}");
                }
            }
            assert!(full.square <= full.loss && full.loss == expected.loss);
            // for the canonical link the two are the same
            let same = (0..3).all(|j| {
                let (a, b) = (full.matrix().unwrap().at(j, j), expected.matrix().unwrap().at(j, j));
                (a - b).abs() < 1e-12
            });
            assert_eq!(same, link == "sigmoid");
        }
    }
}

/// The constant model is the model with zero coefficients, and losses along a line are those of its points.
#[test]
fn other_answers_have_the_same_loss() {
    for link in LINKS {
        let (rows, theta) = (table(700, 2, false), vec![0.4, -0.3, 0.2]);
        let oracle = oracle(link, &rows, 0.0);
        let loss = |theta: Vec<f64>| oracle.losses(&[theta], 1.0, Batch::All).unwrap()[0];
        for b in [-30.0, -0.5, 0.0, 2.0] {
            let constant =
                oracle.ask(&Query::new(Batch::All, Ask::Constant { intercept: b })).unwrap().constant().unwrap();
            let expected = loss(oracle.facts().layout.constant(b));
            assert!((constant.loss - expected).abs() < 1e-12 * expected, "{link}: {} {expected}", constant.loss);
        }
        let ask =
            Ask::Projection { theta: (&theta).into(), directions: vec![vec![1.0, 2.0, -1.0]].into(), limits: false };
        let line = oracle.ask(&Query::new(Batch::All, ask)).unwrap().projection().unwrap();
        let ratio = line.loss(0, 0.5, 0.0) / line.loss(0, 0.0, 0.0);
        let expected = loss(vec![0.9, 0.7, -0.3]) / loss(theta.clone());
        assert!((ratio / expected - 1.0).abs() < 1e-12, "{link}: {ratio} {expected}");
    }
}

#[test]
fn the_loss_is_convex() {
    for link in LINKS {
        let phi = named(link).unwrap();
        // of each row, for every label: y and 1 − y are not negative
        for k in -4000..=4000 {
            let t = f64::from(k) * 0.05;
            let [left, right] = phi.log_second_derivative(t);
            assert!(left <= 0.0 && right <= 0.0, "{link} at {t}: {left} {right}");
        }
        for (whole, scale) in [(false, 0.5), (false, 8.0), (true, 0.5), (true, 8.0)] {
            let oracle = oracle(link, &table(300, 3, whole), 0.0);
            for theta in random_points(3, scale) {
                let query = Query::at(&theta, 1.0, Batch::All, Want::Curvature(Hessian::Full));
                let model = oracle.ask(&query).unwrap().model().unwrap();
                for v in random_points(3, 1.0) {
                    let bend: f64 = model.matrix().unwrap().times(&v).iter().zip(&v).map(|(h, v)| h * v).sum();
                    assert!(bend >= 0.0, "{link}: {bend:e} at {theta:?}");
                }
            }
        }
    }
}

/// Shares that the model fits exactly have their coefficients, although the loss is not zero.
#[test]
fn an_exact_fit_is_certified() {
    for link in LINKS {
        let (phi, truth) = (named(link).unwrap(), [0.8, -0.5, 0.3]);
        let mut random = Random::new(9, Stream::Start);
        let x: Vec<f64> = (0..400).map(|_| random.normal()).collect();
        let y = x.chunks(2).map(|x| phi.value(truth[0] * x[0] + truth[1] * x[1] + truth[2])).collect();
        let fitted = fit(link, &Dense::new(x, 2, y).unwrap());
        assert!(fitted.certificate.certified(), "{link}: {}", fitted.verdict());
        let found = [fitted.coefficients[0], fitted.coefficients[1], fitted.intercept];
        assert!(found.iter().zip(truth).all(|(found, truth)| (found - truth).abs() < 1e-12), "{link}: {found:?}");
    }
}

/// Labels of 0 and 1 by a rule of two covariates.
fn labelled(rows: usize, seed: u64, rule: impl Fn(f64, f64, f64) -> bool) -> Dense {
    let mut random = Random::new(seed, Stream::Start);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let (a, b, noise) = (random.normal(), random.normal(), random.normal());
        x.extend([a, b]);
        y.push(f64::from(u8::from(rule(a, b, noise))));
    }
    Dense::new(x, 2, y).unwrap()
}

#[test]
fn separation_is_diverging_and_never_certified() {
    for link in LINKS {
        for seed in 0..5 {
            let complete = labelled(60, seed, |a, b, _| a - 0.5 * b > 0.2);
            // quasi-complete: a dummy under which the response is always one
            let mut random = Random::new(seed, Stream::Start);
            let (mut x, mut y) = (Vec::new(), Vec::new());
            for k in 0..80 {
                let (group, a) = (f64::from(u8::from(k % 5 == 0)), random.normal());
                x.extend([group, a]);
                y.push(f64::from(u8::from(group > 0.0 || a + random.normal() > 0.0)));
            }
            let quasi = Dense::new(x, 2, y).unwrap();
            // only one class
            let single = labelled(40, seed, |_, _, _| true);
            for (name, rows) in [("complete", complete), ("quasi-complete", quasi), ("single class", single)] {
                for solver in SOLVERS {
                    let fitted = options(link).solver(solver).build().unwrap().fit(&rows).unwrap();
                    let certified = fitted.certificate.certified();
                    assert!(!certified, "{name}, {link}, {solver}, {seed}: {}", fitted.verdict());
                    let diverges = fitted.status() == Status::Diverging;
                    assert!(diverges, "{name}, {link}, {solver}, {seed}: {}", fitted.verdict());
                }
                // a penalty makes the minimum finite, but the intercept has none
                if name == "single class" {
                    continue;
                }
                let penalised = options(link).l2(1e-3).build().unwrap().fit(&rows).unwrap();
                assert!(penalised.certificate.certified(), "{name}, {link}, {seed}: {}", penalised.verdict());
            }
            let overlapping = fit(link, &labelled(60, seed, |a, b, noise| a - 0.5 * b + 0.5 * noise > 0.2));
            assert!(overlapping.certificate.certified(), "{link}, {seed}: {}", overlapping.verdict());
        }
    }
}

/// Many rows with few events: the first samples may have none.
#[test]
fn many_rows_with_rare_events_are_fitted() {
    let rows = labelled(60_000, 4, |a, b, noise| a - b + 2.0 * noise > 8.5);
    let expected = options("sigmoid").solver(Solver::Lm).build().unwrap().fit(&rows).unwrap();
    let fitted = fit("sigmoid", &rows);
    assert!(fitted.certificate.certified() && expected.certificate.certified(), "{}", fitted.verdict());
    assert!((fitted.loss - expected.loss).abs() < 1e-13, "{} {}", fitted.loss, expected.loss);
    assert!((fitted.intercept - expected.intercept).abs() < 1e-6);
}

#[test]
fn incompatible_options_are_refused() {
    use agglio::spec::{Entry, Pair};
    let unit = Pair(Entry::Fixed(0.0), Entry::Fixed(1.0));
    let cases = [
        (options("softplus"), "activation `softplus`"),
        (options("gelu"), "activation `gelu`"),
        (options("sigmoid").noise(Noise::Pre), "noise `pre`"),
        (options("sigmoid").noise(Noise::Auto), "noise `auto`"),
        (options("sigmoid").tau_max(0.5), "a last temperature below 1"),
        (options("sigmoid").range(unit), "`range`"),
        (options("sigmoid").affine(unit), "`affine`"),
        (options("sigmoid").restarts(agglio::Restarts::Auto), "`restarts`"),
        (options("sigmoid").solver(Solver::Sgd), "solver `sgd`"),
        (options("sigmoid").solver(Solver::Multistart), "solver `multistart`"),
        (options("sigmoid").solver(Solver::Irls), "solver `irls`"),
    ];
    for (options, other) in cases {
        let why = options.build().unwrap_err().to_string();
        assert!(why.contains("loss `bernoulli`") && why.contains(other), "{other}: {why}");
    }
    for solver in Solver::ALL {
        let taken = options("sigmoid").solver(solver).build().is_ok();
        assert_eq!(taken, SOLVERS.contains(&solver), "{solver}");
    }
    assert!(options("sigmoid").noise(Noise::Post).tau_max(1.0).build().is_ok());
}

#[test]
fn responses_outside_the_unit_interval_are_refused() {
    for (y, advice) in [(vec![20.0, 50.0, 100.0], "percentages: by 100"), (vec![-0.1, 0.5, 1.0], "rescale it")] {
        let rows = Dense::new(vec![1.0, 2.0, 3.0], 1, y).unwrap();
        let why = options("sigmoid").build().unwrap().fit(&rows).unwrap_err().to_string();
        assert!(why.contains("needs shares from 0 to 1") && why.contains(advice), "{why}");
    }
    // unless they have no weight
    let rows = Dense::new(vec![1.0, 2.0, 3.0, 4.0, 9.0], 1, vec![0.2, 0.6, 0.5, 0.9, 7.0]).unwrap();
    let fitted = fit("sigmoid", &rows.with_weights(vec![1.0, 1.0, 1.0, 1.0, 0.0]).unwrap());
    assert!(fitted.certificate.certified(), "{}", fitted.verdict());
}

/// An activation of a third party takes part as soon as it declares itself; the default logarithms come from its values.
#[derive(Debug)]
struct Logistic;

impl Activation for Logistic {
    fn name(&self) -> String {
        "own".into()
    }

    fn value(&self, t: f64) -> f64 {
        1.0 / (1.0 + (-t).exp())
    }

    fn derivative(&self, t: f64) -> f64 {
        self.value(t) * self.value(-t)
    }

    fn second_derivative(&self, t: f64) -> f64 {
        self.derivative(t) * (1.0 - 2.0 * self.value(t))
    }

    fn range(&self) -> agglio::activation::Range {
        agglio::activation::Range { lo: 0.0, hi: 1.0, attained: false }
    }

    fn is_log_concave(&self) -> bool {
        true
    }
}

#[test]
fn an_own_activation_is_fitted_by_its_values() {
    let own = Options::new(std::sync::Arc::new(Logistic)).loss(Loss::Bernoulli).build().unwrap();
    let (own, known) = (own.fit(&participation()).unwrap(), fit("sigmoid", &participation()));
    assert!((own.loss - known.loss).abs() < 1e-13 && (own.intercept - known.intercept).abs() < 1e-9);
}
