//! Standard errors, intervals and tests, against statsmodels, numpy and scipy (`golden/inference.py` made the numbers).

use agglio::activation::named;
use agglio::inference::{
    Available, Covariance, Distribution, Estimate, Inference, Interval, LinearHypothesis, Resampling, Unavailable,
    f_test, likelihood_ratio_test,
};
use agglio::math::rng::Permutation;
use agglio::oracle::{Partition, Shard};
use agglio::rows::{Dense, Rows};
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Fitted, Noise, Options};
use proptest::prelude::*;
use serde_json::Value;

use crate::bank;

/// Errors relative to the golden number: of sums, and of differences, by which the script computes some derivatives.
const DIGITS: f64 = 1e-11;
const DIFFERENCES: f64 = 1e-8;

/// The 401(k) data: covariates, responses, and the age of the plan as the code of a cluster.
#[derive(Clone)]
struct Plans {
    x: Vec<[f64; 4]>,
    y: Vec<f64>,
    weights: Vec<f64>,
    offsets: Vec<f64>,
    clusters: Vec<u32>,
}

impl Plans {
    fn read() -> Plans {
        let text = include_str!("../../../agglio-cli/data/k401k.csv");
        let numbers = |line: &str| line.split(',').map(|cell| cell.parse::<f64>().unwrap()).collect::<Vec<_>>();
        let (x, y): (Vec<[f64; 4]>, Vec<f64>) =
            text.lines().skip(1).map(numbers).map(|r| ([r[0], r[1], r[2], r[3]], r[4])).unzip();
        let clusters = x.iter().map(|x| x[1] as u32).collect();
        let weights = (0..y.len()).map(|i| 0.5 + (i % 4) as f64).collect();
        let offsets = (0..y.len()).map(|i| 0.1 * (i % 3) as f64).collect();
        Plans { x, y, weights, offsets, clusters }
    }

    fn shuffled(&self, key: u64) -> Plans {
        let order = Permutation::new(key, self.y.len());
        fn take<T: Copy>(items: &[T], order: &Permutation) -> Vec<T> {
            (0..items.len()).map(|i| items[order.at(i)]).collect()
        }
        Plans {
            x: take(&self.x, &order),
            y: take(&self.y, &order),
            weights: take(&self.weights, &order),
            offsets: take(&self.offsets, &order),
            clusters: take(&self.clusters, &order),
        }
    }

    fn plain(&self) -> Dense {
        let values = self.x.iter().flatten().copied().collect();
        Dense::new(values, 4, self.y.clone()).unwrap().with_clusters(self.clusters.clone()).unwrap()
    }

    fn weighted(&self) -> Dense {
        self.plain().with_weights(self.weights.clone()).unwrap().with_offsets(self.offsets.clone()).unwrap()
    }
}

fn golden() -> Value {
    serde_json::from_str(include_str!("golden/inference.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn fit(rows: &dyn Rows) -> Fitted {
    Options::new(named("sigmoid").unwrap()).build().unwrap().fit(rows).unwrap()
}

fn infer(fitted: &Fitted, kind: Covariance) -> Inference<'_> {
    fitted.inference(kind).unwrap().unwrap()
}

/// The three problems of the golden file.
fn problems() -> Vec<(&'static str, Fitted)> {
    let plans = Plans::read();
    let inside = Plans { y: plans.y.iter().map(|y| 0.02 + 0.96 * y).collect(), ..plans.clone() };
    let pre = Options::new(named("sigmoid").unwrap()).noise(Noise::Pre).build().unwrap();
    vec![
        ("plain", fit(&plans.plain())),
        ("weighted", fit(&plans.weighted())),
        ("pre", pre.fit(&inside.weighted()).unwrap()),
    ]
}

#[track_caller]
fn hold(what: &str, found: f64, expected: f64, digits: f64) {
    assert!((found - expected).abs() <= digits * expected.abs().max(1e-300), "{what}: {found:e}, not {expected:e}");
}

fn errors(estimates: &[Estimate]) -> Vec<f64> {
    estimates.iter().map(|estimate| estimate.standard_error.unwrap()).collect()
}

fn ends(interval: Option<Interval>) -> [f64; 2] {
    let interval = interval.unwrap();
    [interval.lower.unwrap(), interval.upper.unwrap()]
}

#[test]
fn standard_errors_are_those_of_statsmodels() {
    let golden = golden();
    for (name, fitted) in problems() {
        for (kind, expected) in golden[name]["kinds"].as_object().unwrap() {
            let inference = infer(&fitted, Covariance::named(kind).unwrap());
            let (estimates, case) = (inference.estimates(), format!("{name}, {kind}"));
            let covariance = inference.covariance();
            let digits = if kind == "hessian" { DIFFERENCES } else { DIGITS };
            for (j, estimate) in estimates.iter().enumerate() {
                let of = |key: &str| expected[key].get(j).map(|number| number.as_f64().unwrap());
                hold(&case, estimate.value, golden[name]["coefficients"][j].as_f64().unwrap(), DIGITS);
                hold(&case, estimate.standard_error.unwrap(), of("standard_errors").unwrap(), digits);
                hold(&case, estimate.t().unwrap(), of("t").unwrap(), digits);
                if let Some(p) = of("p") {
                    // ln p changes by t·dt in the tail
                    hold(&case, estimate.p_value().unwrap(), p, 100.0 * digits);
                    let interval = ends(estimate.interval(0.95).unwrap());
                    let error = estimate.standard_error.unwrap();
                    for (found, expected) in interval.iter().zip(numbers(&expected["intervals"][j])) {
                        assert!((found - expected).abs() <= DIGITS * error, "{case}: {found} {expected}");
                    }
                }
                for (i, row) in numbers(&expected["covariance"][j]).into_iter().enumerate() {
                    let scale = (covariance.at(i, i) * covariance.at(j, j)).sqrt();
                    assert!((covariance.at(i, j) - row).abs() <= digits * scale, "{case}: {i}, {j}");
                }
            }
        }
    }
}

/// At τ = 0 the problem has no curvature but that of its columns.
#[test]
fn the_hessian_of_a_linear_regression_is_that_of_gauss_and_newton() {
    let problems = problems();
    let (_, pre) = problems.iter().find(|(name, _)| *name == "pre").unwrap();
    let [classical, hessian] = [Covariance::Classical, Covariance::Hessian].map(|kind| infer(pre, kind).estimates());
    for (a, b) in errors(&classical).iter().zip(errors(&hessian)) {
        hold("standard error", *a, b, 1e-13);
    }
}

#[test]
fn goodness_is_that_of_statsmodels() {
    let golden = golden();
    for (name, fitted) in problems() {
        let inference = infer(&fitted, Covariance::Classical);
        let (goodness, expected) = (inference.goodness(), &golden[name]["goodness"]);
        let pairs = [
            ("log_likelihood", goodness.log_likelihood),
            ("sigma", goodness.sigma),
            ("residual_sum", goodness.residual_sum),
            ("aic", goodness.aic),
            ("aicc", goodness.aicc.unwrap()),
            ("bic", goodness.bic),
            ("r_squared", goodness.r_squared.unwrap()),
            ("adjusted_r_squared", goodness.adjusted_r_squared.unwrap()),
        ];
        for (key, found) in pairs {
            hold(&format!("{name}: {key}"), found, expected[key].as_f64().unwrap(), 1e-9);
        }
        assert_eq!((goodness.observations, goodness.parameters, goodness.df_residual), (1534, 5, 1529));
    }
}

#[test]
fn wald_tests_are_those_of_statsmodels() {
    let golden = golden();
    let names = ["match_rate", "age", "log_employment", "sole_plan", "(intercept)"].map(String::from);
    for (name, fitted) in problems() {
        for (kind, expected) in golden[name]["kinds"].as_object().unwrap() {
            let inference = infer(&fitted, Covariance::named(kind).unwrap());
            for (text, expected) in expected.get("tests").and_then(Value::as_object).into_iter().flatten() {
                let test = inference.wald_test(&LinearHypothesis::parse(text, &names).unwrap()).unwrap();
                let (expected, case) = (numbers(expected), format!("{name}, {kind}: {text}"));
                hold(&case, test.statistic, expected[0], 10.0 * DIGITS);
                hold(&case, test.p_value, expected[1], 1e-8);
            }
        }
    }
}

#[test]
fn marginal_effects_and_functions_are_those_of_statsmodels() {
    let golden = golden();
    for (name, fitted) in problems() {
        let inference = infer(&fitted, Covariance::Classical);
        if name == "pre" {
            assert_eq!(inference.marginal_effects().unwrap(), Err(Unavailable::NoiseBefore));
            continue;
        }
        let effects = inference.marginal_effects().unwrap().unwrap();
        for key in ["effects", "statsmodels_effects"] {
            let Some(expected) = golden[name].get(key) else { continue };
            for (j, effect) in effects.iter().enumerate() {
                hold(name, effect.value, expected[0][j].as_f64().unwrap(), DIGITS);
                let digits = if key == "effects" { DIFFERENCES } else { DIGITS };
                hold(name, effect.standard_error.unwrap(), expected[1][j].as_f64().unwrap(), digits);
            }
        }
        let ratio = numbers(&golden[name]["ratio"]);
        let found = inference.function(|beta| -beta[4] / beta[0]);
        hold(name, found.value, ratio[0], DIGITS);
        hold(name, found.standard_error.unwrap(), ratio[1], DIFFERENCES);
        let beta: Vec<f64> = inference.estimates().iter().map(|estimate| estimate.value).collect();
        let gradient = [beta[4] / (beta[0] * beta[0]), 0.0, 0.0, 0.0, -1.0 / beta[0]];
        let given = inference.function_with_gradient(ratio[0], &gradient);
        hold(name, found.standard_error.unwrap(), given.standard_error.unwrap(), 1e-9);
    }
}

#[test]
fn profile_intervals_are_those_of_scipy() {
    let golden = golden();
    for (name, fitted) in problems() {
        let inference = infer(&fitted, Covariance::Classical);
        let profile = inference.profile_intervals(0.95).unwrap();
        let wald = inference.confidence_intervals(0.95).unwrap();
        for (j, estimate) in inference.estimates().iter().enumerate() {
            // a linear regression has the same intervals both ways
            let expected = match golden[name].get("profile") {
                Some(expected) => numbers(&expected[j]),
                None => ends(wald[j]).to_vec(),
            };
            for (found, expected) in ends(profile[j]).iter().zip(expected) {
                let off = (found - expected).abs() / estimate.standard_error.unwrap();
                assert!(off <= 1e-6, "{name}, {j}: {found} {expected}");
            }
        }
    }
}

#[test]
fn tests_of_nested_models_are_those_of_scipy() {
    let golden = golden();
    let [f, ratio, t] = ["f", "likelihood_ratio", "t"].map(|key| numbers(&golden["nested"][key]));
    // RSS₁ = 18, so that F = (RSS₀ − 18)/2
    hold("F", f_test([18.0 + 2.0 * f[0], 20.0], [18.0, 18.0]).unwrap().p_value, f[1], 1e-12);
    hold("ratio", likelihood_ratio_test(-0.5 * ratio[0], 0.0, 2).unwrap().p_value, ratio[1], 1e-12);
    hold("t", Distribution::T { df: 17.0 }.two_sided(t[0]), t[1], 1e-12);
    assert!(f_test([12.0, 18.0], [9.0, 18.0]).is_err() && likelihood_ratio_test(0.0, 1.0, 0).is_err());
}

/// Passes beyond those of the fit and its certificate: at most one, and two where leverages are needed. What follows from
/// the covariance takes none.
#[test]
fn inference_takes_one_pass_or_two() {
    let rows = Plans::read().weighted();
    let sigmoid = || Options::new(named("sigmoid").unwrap());
    let shares = sigmoid().set("loss", "bernoulli").unwrap().build().unwrap().fit(&rows).unwrap();
    let asymptote = sigmoid().range("0,free".parse().unwrap()).build().unwrap();
    let (x, y): (Vec<f64>, Vec<f64>) = (0..60).map(|k| (0.1 * f64::from(k) - 3.0, f64::from(k))).unzip();
    let grown = y.iter().zip(&x).map(|(k, x)| 5.0 / (1.0 + (-x).exp()) + 0.1 * (1.7 * k).sin()).collect();
    let codes = (0..60).map(|k| k % 7).collect();
    let grown = asymptote.fit(&Dense::new(x, 1, grown).unwrap().with_clusters(codes).unwrap()).unwrap();
    for (name, fitted) in problems().into_iter().chain([("shares", shares), ("asymptote", grown)]) {
        let visited = || fitted.oracle().visited();
        for kind in Covariance::ALL {
            let before = visited();
            let inference = infer(&fitted, kind);
            let passes = (visited() - before) as f64 / fitted.rows as f64;
            let most = if matches!(kind, Covariance::Hc2 | Covariance::Hc3) { 2.0 } else { 1.0 };
            assert!(passes <= most, "{name}, {kind}: {passes}");
            let before = visited();
            inference.confidence_intervals(0.9).unwrap();
            inference.function(|beta| beta[0].exp());
            inference.wald_test(&[LinearHypothesis { weights: first_of(&inference), value: 0.0 }]).unwrap();
            assert_eq!(visited(), before, "{name}, {kind}");
        }
    }
}

/// The weights of a hypothesis about the first parameter alone.
fn first_of(inference: &Inference<'_>) -> Vec<f64> {
    (0..inference.estimates().len()).map(|j| f64::from(u8::from(j == 0))).collect()
}

fn bits(inference: &Inference<'_>) -> Vec<u64> {
    errors(&inference.estimates()).iter().map(|error| error.to_bits()).collect()
}

#[test]
fn standard_errors_have_the_same_bits_on_any_number_of_threads() {
    let rows = Plans::read().weighted();
    let on = |threads: usize, kind: Covariance| {
        let plan = Options::new(named("sigmoid").unwrap()).threads(threads).build().unwrap();
        let fitted = plan.fit(&rows).unwrap();
        plan.install(rows.len(), || bits(&infer(&fitted, kind))).unwrap()
    };
    for kind in Covariance::ALL {
        assert_eq!(on(1, kind), on(3, kind), "{kind}");
    }
}

#[test]
fn a_table_in_parts_has_the_standard_errors_of_the_table() {
    let plans = Plans::read();
    let whole = fit(&plans.weighted());
    let parts = [0..400, 400..401, 401..1100, 1100..1534].map(|span| {
        let part = Plans {
            x: plans.x[span.clone()].to_vec(),
            y: plans.y[span.clone()].to_vec(),
            weights: plans.weights[span.clone()].to_vec(),
            offsets: plans.offsets[span.clone()].to_vec(),
            clusters: plans.clusters[span.clone()].to_vec(),
        };
        Shard::new(part.weighted().share()).beginning_at(span.start)
    });
    let plan = Options::new(named("sigmoid").unwrap()).build().unwrap();
    let shards = Box::new(Partition::new(parts.into()).unwrap());
    let split = plan.fit_shards(shards, &mut agglio::fit::Silent).unwrap();
    for kind in Covariance::ALL {
        let (whole, split) = (infer(&whole, kind), infer(&split, kind));
        assert_eq!(whole.clusters(), split.clusters());
        for (a, b) in errors(&whole.estimates()).iter().zip(errors(&split.estimates())) {
            hold(kind.name(), *a, b, 1e-9);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Units and shifts of columns, the scale of the weights and the order of the rows change no t of a coefficient.
    #[test]
    fn standard_errors_follow_the_units(key: u64, scale in -6.0..6.0f64, shift in -3.0..3.0f64, weight in -9.0..9.0f64) {
        let plans = Plans::read();
        let mut moved = plans.shuffled(key);
        moved.x.iter_mut().for_each(|x| x[2] = 10f64.powf(scale) * (x[2] + shift));
        moved.weights.iter_mut().for_each(|w| *w *= 10f64.powf(weight));
        let [before, after] = [plans.weighted(), moved.weighted()].map(|rows| fit(&rows));
        for kind in Covariance::ALL {
            let [before, after] = [&before, &after].map(|fitted| infer(fitted, kind).estimates());
            for j in 0..4 {
                let (a, b) = (before[j].standard_error.unwrap(), after[j].standard_error.unwrap());
                let unit = if j == 2 { 10f64.powf(scale) } else { 1.0 };
                prop_assert!((b * unit / a - 1.0).abs() <= 1e-7, "{kind}, {j}: {a} {b}");
            }
        }
    }

    /// Of a linear model the profile is a parabola, so that both intervals are the same, whatever the columns are.
    #[test]
    fn profile_and_wald_intervals_of_a_linear_model_agree(seed: u64, intercept: bool, level in 0.5..0.999f64) {
        let data = bank::paper("identity", 60, 3, LabelNoise::Post(0.3, Shape::Gauss), seed);
        let values = data.values.chunks(3).flat_map(|x| [x[0], 100.0 * x[1] - 7.0, 0.01 * x[2] + 1.0]).collect();
        let rows = Dense::new(values, 3, data.labels.clone()).unwrap();
        let plan = Options::new(named("identity").unwrap()).intercept(intercept).build().unwrap();
        let fitted = plan.fit(&rows).unwrap();
        let inference = infer(&fitted, Covariance::Classical);
        let (profile, wald) = (inference.profile_intervals(level).unwrap(), inference.confidence_intervals(level).unwrap());
        for (j, estimate) in inference.estimates().iter().enumerate() {
            for (a, b) in ends(profile[j]).iter().zip(ends(wald[j])) {
                prop_assert!((a - b).abs() <= 1e-7 * estimate.standard_error.unwrap(), "{j}: {a} {b}");
            }
        }
    }
}

/// Profiles of a curve that grows without bound, whose refits may overflow on the way, and of a single parameter.
#[test]
fn profiles_of_exponential_curves_have_both_ends() {
    let x: Vec<f64> = (0..8).map(f64::from).collect();
    let y = x.iter().enumerate().map(|(i, x)| (0.5 * x).exp() + [0.9, -0.7, -0.3][i % 3]).collect::<Vec<_>>();
    for intercept in [true, false] {
        let plan = Options::new(named("exp").unwrap()).intercept(intercept).build().unwrap();
        let fitted = plan.fit(&Dense::new(x.clone(), 1, y.clone()).unwrap()).unwrap();
        let inference = infer(&fitted, Covariance::Hc0);
        let critical = Distribution::T { df: inference.degrees_of_freedom() }.upper_quantile(0.025);
        for (estimate, profile) in inference.estimates().iter().zip(inference.profile_intervals(0.95).unwrap()) {
            let [lower, upper] = ends(profile);
            assert!(lower < estimate.value && estimate.value < upper, "{lower} {upper}");
        }
        if !intercept {
            // of one parameter the refit is the loss itself
            let rss = |w: f64| x.iter().zip(&y).map(|(x, y)| ((w * x).exp() - y).powi(2)).sum::<f64>();
            let goodness = inference.goodness();
            for end in ends(inference.profile_interval(0, 0.95).unwrap()) {
                let statistic = ((rss(end) - goodness.residual_sum).sqrt()) / goodness.sigma;
                hold("statistic", statistic, critical, 1e-7);
            }
        }
    }
}

/// An end of a profile interval is open where the curve is a step as far as the data can tell.
#[test]
fn an_open_end_is_none() {
    let x: Vec<f64> = (0..12).map(|i| f64::from(i) - 5.5).collect();
    let y = x.iter().enumerate().map(|(i, x)| 1.0 / (1.0 + (-2.0 * x).exp()) + [0.1, -0.1, 0.05][i % 3]).collect();
    let rows = Dense::new(x, 1, y).unwrap();
    let fitted = fit(&rows);
    let profile = infer(&fitted, Covariance::Classical).profile_intervals(0.99).unwrap();
    let slope = profile[0].unwrap();
    assert!(slope.lower.is_some_and(|lower| lower > 0.0) && slope.upper.is_none(), "{slope:?}");
}

#[test]
fn a_constant_column_has_no_standard_error() {
    let plans = Plans::read();
    let values = plans.x.iter().flat_map(|x| [x[0], 3.0, x[2]]).collect();
    let rows = Dense::new(values, 3, plans.y).unwrap();
    let fitted = fit(&rows);
    for kind in [Covariance::Classical, Covariance::Hessian, Covariance::Hc1, Covariance::Hc3] {
        let inference = infer(&fitted, kind);
        let estimates = inference.estimates();
        assert_eq!((estimates[1].value, estimates[1].standard_error, estimates[1].p_value()), (0.0, None, None));
        assert!([0, 2, 3].iter().all(|&j| estimates[j].standard_error.is_some_and(|error| error > 0.0)));
        assert_eq!(inference.goodness().parameters, 3);
        assert!(inference.wald_test(&[LinearHypothesis { weights: vec![0.0, 1.0, 0.0, 0.0], value: 0.0 }]).is_err());
    }
    let profile = infer(&fitted, Covariance::Classical).profile_intervals(0.95).unwrap();
    assert!(profile[1].is_none() && profile[0].is_some() && profile[3].is_some());
}

#[test]
fn few_clusters_test_few_equations() {
    let plans = Plans::read();
    let codes = (0..1534).map(|row| u32::from(row >= 700)).collect();
    let rows = Dense::new(plans.x.iter().flatten().copied().collect(), 4, plans.y.clone()).unwrap();
    let rows = rows.with_clusters(codes).unwrap();
    let fitted = Options::new(named("sigmoid").unwrap()).build().unwrap().fit(&rows).unwrap();
    let inference = fitted.inference(Covariance::Cluster).unwrap().unwrap();
    let zero = |entry: usize| LinearHypothesis {
        weights: (0..5).map(|j| f64::from(u8::from(j == entry))).collect(),
        value: 0.0,
    };
    assert!(inference.wald_test(&[zero(0)]).is_ok());
    let why = inference.wald_test(&[zero(0), zero(1)]).unwrap_err().to_string();
    assert!(why.contains("2 clusters allow a test of one equation"), "{why}");
}

fn reason<T>(available: Available<T>) -> Unavailable {
    available.err().unwrap()
}

#[test]
fn the_reason_stands_in_the_place_of_standard_errors() {
    let plans = Plans::read();
    let options = || Options::new(named("sigmoid").unwrap());
    let of = |options: Options, rows: &dyn Rows, kind: Covariance| {
        let fitted = options.build().unwrap().fit(rows).unwrap();
        let found = reason(fitted.inference(kind).unwrap());
        assert!(!found.to_string().is_empty());
        found
    };
    let classical = Covariance::Classical;
    assert_eq!(of(options().l2(0.1), &plans.plain(), classical), Unavailable::Penalty);
    assert_eq!(of(options().radius(9.0), &plans.plain(), classical), Unavailable::Radius);
    assert_eq!(of(options().tau_max(0.5), &plans.plain(), classical), Unavailable::Temperature);
    assert_eq!(of(options().epochs(1), &plans.plain(), classical), Unavailable::NotCertified);
    let bare = Dense::new(plans.x.iter().flatten().copied().collect(), 4, plans.y.clone()).unwrap();
    assert_eq!(of(options(), &bare, Covariance::Cluster), Unavailable::NoClusters);
    let one = bare.clone().with_clusters(vec![7; 1534]).unwrap();
    assert_eq!(of(options(), &one, Covariance::Cluster), Unavailable::OneCluster);
    let exact = bank::paper("sigmoid", 50, 3, LabelNoise::None, 1);
    assert_eq!(of(options(), &bank::rows(&exact), classical), Unavailable::ExactFit);
    // a column that only one row has determines that row
    let values = plans.x.iter().enumerate().flat_map(|(i, x)| [x[0], x[2], f64::from(u8::from(i == 3))]).collect();
    let alone = Dense::new(values, 3, plans.y.iter().map(|y| 0.02 + 0.9 * y).collect()).unwrap();
    assert_eq!(of(options(), &alone, Covariance::Hc3), Unavailable::LeverageOne);
    assert!(options().build().unwrap().fit(&alone).unwrap().inference(Covariance::Hc1).unwrap().is_ok());
    let few = Dense::new(vec![0.1, 0.7, 0.3, 0.2, 0.9, 0.4], 2, vec![0.3, 0.9, 0.4]).unwrap();
    assert_eq!(of(options(), &few, classical), Unavailable::NoDegreesOfFreedom);
    let wide = bank::paper("sigmoid", 20, 1001, LabelNoise::Post(0.1, Shape::Gauss), 2);
    assert_eq!(of(options().epochs(1), &bank::rows(&wide), classical), Unavailable::Wide);
    let silu = bank::paper("silu", 80, 2, LabelNoise::Pre(0.3, Shape::Gauss), 3);
    let pre = Options::new(named("silu").unwrap()).noise(Noise::Pre);
    assert_eq!(of(pre, &bank::rows(&silu), classical), Unavailable::TwoPreimages);
}

#[test]
fn hypotheses_are_read_with_names_of_any_kind() {
    let names = ["x", "x^2", "x:z", "net income", "log(x)", "(intercept)"].map(String::from);
    let read = |text: &str| LinearHypothesis::parse(text, &names);
    let weights = |text: &str| read(text).unwrap()[0].clone();
    assert_eq!(weights("x = x^2").weights, [1.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(weights("x:z=-1.5e-1"), LinearHypothesis { weights: vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0], value: -0.15 });
    assert_eq!(weights("`net income` + 2 = log(x)*3 - (intercept)").value, -2.0);
    assert_eq!(weights("`net income` + 2 = log(x)*3 - (intercept)").weights, [0.0, 0.0, 0.0, 1.0, -3.0, 1.0]);
    assert_eq!(weights("0 = - x + -2*x^2 - 1").weights, [1.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(read("x = 1, x^2 = 2,x:z = 3").unwrap().len(), 3);
    for (text, message) in [
        ("x", "`=` is expected"),
        ("x = y", "no coefficient is called `y`"),
        ("lag(x) = 1", "called `lag`"),
        ("x = 1 x^2 = 2", "a comma"),
        ("x = ", "a coefficient or a number is expected"),
        ("x - x = 0", "no coefficient is left"),
        ("x*x = 0", "a product"),
        ("2 = 3", "no coefficient is left"),
        ("", "at the beginning"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn hypotheses_that_repeat_each_other_and_odd_levels_are_refused() {
    let fitted = fit(&Plans::read().plain());
    let inference = infer(&fitted, Covariance::Classical);
    let one = LinearHypothesis { weights: vec![1.0, 0.0, 0.0, 0.0, 0.0], value: 0.0 };
    assert!(inference.wald_test(&[one.clone(), one.clone()]).is_err() && inference.wald_test(&[]).is_err());
    assert!(inference.wald_test(&[LinearHypothesis { weights: vec![1.0], ..one }]).is_err());
    for level in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(inference.confidence_intervals(level).is_err() && inference.profile_intervals(level).is_err());
    }
}

/// A bootstrap sample is a table in which rows count as often as they were drawn: each refit is an ordinary weighted fit.
#[test]
fn a_bootstrap_is_the_spread_of_refits_to_drawn_rows() {
    use agglio::math::rng::{Random, Stream, derive_key, resample};
    let n: usize = 120;
    let wave = |k: usize, step: f64| (k as f64 * step).sin();
    let x: Vec<f64> = (0..n).map(|k| 2.0 * wave(k, 1.37)).collect();
    let y: Vec<f64> = x.iter().enumerate().map(|(k, x)| 1.0 / (1.0 + (-x).exp()) + 0.1 * wave(k, 7.13)).collect();
    let rows = || Dense::new(x.clone(), 1, y.clone()).unwrap();
    let plan = Options::new(named("sigmoid").unwrap()).build().unwrap();
    let fitted = plan.fit(&rows()).unwrap();
    let (replicates, seed) = (40, 5);
    let inference =
        fitted.inference(Covariance::Bootstrap { replicates, seed, resampling: Resampling::Pairs }).unwrap().unwrap();
    let key = Random::new(seed, Stream::Resamples).bits();
    let refits: Vec<[f64; 2]> = (0..u64::from(replicates))
        .map(|index| {
            let counts: Vec<f64> = resample(derive_key(key, index), n).into_iter().map(f64::from).collect();
            assert_eq!(counts.iter().sum::<f64>(), n as f64);
            let refit = plan.fit(&rows().with_weights(counts).unwrap()).unwrap();
            [refit.coefficients[0], refit.intercept]
        })
        .collect();
    for (entry, estimate) in inference.estimates().iter().enumerate() {
        let mean = refits.iter().map(|refit| refit[entry]).sum::<f64>() / refits.len() as f64;
        let square = refits.iter().map(|refit| (refit[entry] - mean).powi(2)).sum::<f64>();
        let expected = (square / (refits.len() - 1) as f64).sqrt();
        let found = estimate.standard_error.unwrap();
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} is not {expected}");
    }
    let many = fitted
        .inference(Covariance::Bootstrap { replicates: 1000, seed: 1, resampling: Resampling::Pairs })
        .unwrap()
        .unwrap();
    let robust = fitted.inference(Covariance::Hc1).unwrap().unwrap();
    for (one, other) in many.estimates().iter().zip(robust.estimates()) {
        let ratio = one.standard_error.unwrap() / other.standard_error.unwrap();
        assert!((0.85..1.18).contains(&ratio), "{ratio}");
    }
}

/// Fractional responses: the errors of statsmodels' GLM with a binomial family, robust and with Pearson's dispersion.
#[test]
fn a_quasi_likelihood_has_the_errors_of_a_generalised_linear_model() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("golden/bernoulli_errors.json")).unwrap();
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    assert_eq!(golden.as_array().unwrap().len(), 6);
    for case in golden.as_array().unwrap() {
        let name = case["activation"].as_str().unwrap();
        let rows = match case.get("x") {
            Some(x) => Dense::new(numbers(x), 2, numbers(&case["y"])).unwrap(),
            None => Plans::read().plain(),
        };
        let options = Options::new(named(name).unwrap()).set("loss", "bernoulli").unwrap();
        let fitted = options.build().unwrap().fit(&rows).unwrap();
        let close = |found: f64, expected: f64, what: &str| {
            assert!((found / expected - 1.0).abs() < 1e-8, "{name}, {what}: {found} is not {expected}");
        };
        for (kind, covariance) in [("hc0", Covariance::Hc0), ("classical", Covariance::Classical)] {
            let inference = fitted.inference(covariance).unwrap().unwrap();
            let estimates = inference.estimates();
            let expected = numbers(&case["estimates"]).into_iter().zip(numbers(&case[kind]));
            for (estimate, (value, error)) in estimates.iter().zip(expected) {
                close(estimate.value, value, "estimate");
                close(estimate.standard_error.unwrap(), error, kind);
            }
            close(inference.goodness().sigma.powi(2), case["dispersion"].as_f64().unwrap(), "dispersion");
            close(inference.goodness().log_likelihood, case["log_likelihood"].as_f64().unwrap(), "log-likelihood");
        }
    }
}

/// A wild bootstrap sample is a table with other responses: each refit is an ordinary fit to predictions plus residuals of
/// random signs, with weights, offsets, a free response scale and noise before φ too.
#[test]
fn a_wild_bootstrap_is_the_spread_of_refits_to_redrawn_responses() {
    use agglio::math::rng::{Random, Stream, derive_key, sign};
    use agglio::model::Centre;
    let n: usize = 90;
    let wave = |k: usize, step: f64| (k as f64 * step).sin();
    let x: Vec<f64> = (0..n).map(|k| 2.0 * wave(k, 1.37)).collect();
    let (weights, offsets): (Vec<f64>, Vec<f64>) = (0..n).map(|k| ((1 + k % 3) as f64, 0.2 * wave(k, 0.7))).unzip();
    let rows = |y: Vec<f64>| {
        let rows = Dense::new(x.clone(), 1, y).unwrap();
        rows.with_weights(weights.clone()).unwrap().with_offsets(offsets.clone()).unwrap()
    };
    let logit = |p: f64| (p / (1.0 - p)).ln();
    for (range, pre) in [("0,1", false), ("free,free", false), ("0,free", false), ("0,1", true)] {
        let noise = |k: usize| 0.2 * wave(k, 7.13);
        let y: Vec<f64> = (0..n)
            .map(|k| match pre {
                true => 1.0 / (1.0 + (-x[k] - offsets[k] - noise(k)).exp()),
                false => 1.0 / (1.0 + (-x[k] - offsets[k]).exp()) + 0.4 * noise(k),
            })
            .collect();
        let options = || Options::new(named("sigmoid").unwrap()).set("range", range).unwrap();
        let options = || options().noise(if pre { Noise::Pre } else { Noise::Post });
        let plan = options().build().unwrap();
        let original = rows(y.clone());
        let fitted = plan.fit(&original).unwrap();
        let (replicates, seed) = (30, 5);
        let kind = Covariance::Bootstrap { replicates, seed, resampling: Resampling::Wild };
        let inference = fitted.inference(kind).unwrap().unwrap();
        let key = Random::new(seed, Stream::Signs).bits();
        let fit = fitted.predict(&original, Centre::Median).unwrap();
        let redrawn = |key: u64, i: usize| match (sign(key, i) > 0.0, pre) {
            (true, _) => y[i],
            (false, false) => 2.0 * fit[i] - y[i],
            (false, true) => 1.0 / (1.0 + (logit(y[i]) - 2.0 * logit(fit[i])).exp()),
        };
        let entries = inference.estimates().len();
        let refits: Vec<Vec<f64>> = (0..u64::from(replicates))
            .map(|index| {
                let refit = plan.fit(&rows((0..n).map(|i| redrawn(derive_key(key, index), i)).collect())).unwrap();
                infer(&refit, Covariance::Classical).estimates().iter().map(|own| own.value).collect()
            })
            .collect();
        for (entry, estimate) in inference.estimates().iter().enumerate() {
            let mean = refits.iter().map(|refit| refit[entry]).sum::<f64>() / refits.len() as f64;
            let square = refits.iter().map(|refit| (refit[entry] - mean).powi(2)).sum::<f64>();
            hold(range, estimate.standard_error.unwrap(), (square / (refits.len() - 1) as f64).sqrt(), 1e-5);
        }
        assert_eq!(entries, 2 + range.matches("free").count());
    }
}

/// Every fifth plan: the standard errors of a wild bootstrap by numpy and scipy, up to the Monte Carlo errors of both.
#[test]
fn a_wild_bootstrap_has_the_errors_of_numpy() {
    let golden: Value = serde_json::from_str(include_str!("golden/wild.json")).unwrap();
    let plans = Plans::read();
    let take = |i: usize| i.is_multiple_of(5);
    let x = plans.x.iter().enumerate().filter(|(i, _)| take(*i)).flat_map(|(_, x)| *x).collect();
    let y = plans.y.iter().enumerate().filter(|(i, _)| take(*i)).map(|(_, y)| *y).collect();
    let fitted = fit(&Dense::new(x, 4, y).unwrap());
    let kind = |seed: u64| Covariance::Bootstrap { replicates: 4000, seed, resampling: Resampling::Wild };
    let [one, other] = [1, 2].map(|seed| infer(&fitted, kind(seed)).estimates());
    // a standard error from B refits has a relative error of about 1/√(2B): here those of two such numbers, four times
    let most = 4.0 * (2.0_f64 / 8000.0).sqrt();
    for (j, (one, other)) in one.iter().zip(&other).enumerate() {
        hold("estimate", one.value, golden["estimates"][j].as_f64().unwrap(), 1e-6);
        let expected = golden["standard_errors"][j].as_f64().unwrap();
        hold("wild", one.standard_error.unwrap(), expected, most);
        hold("another seed", other.standard_error.unwrap(), expected, most);
        assert!(one.standard_error != other.standard_error);
    }
}

/// The same bits on any number of threads, and, up to rounding, in any partition of the table.
#[test]
fn bootstraps_depend_on_neither_threads_nor_parts() {
    let plans = Plans::read();
    let rows = plans.weighted();
    for resampling in [Resampling::Pairs, Resampling::Wild] {
        let kind = Covariance::Bootstrap { replicates: 20, seed: 3, resampling };
        let on = |threads: usize| {
            let plan = Options::new(named("sigmoid").unwrap()).threads(threads).build().unwrap();
            let fitted = plan.fit(&rows).unwrap();
            plan.install(rows.len(), || bits(&infer(&fitted, kind))).unwrap()
        };
        assert_eq!(on(1), on(3), "{resampling:?}");
        let parts = [0..400, 400..401, 401..1534].map(|span| {
            let part = Plans {
                x: plans.x[span.clone()].to_vec(),
                y: plans.y[span.clone()].to_vec(),
                weights: plans.weights[span.clone()].to_vec(),
                offsets: plans.offsets[span.clone()].to_vec(),
                clusters: plans.clusters[span.clone()].to_vec(),
            };
            Shard::new(part.weighted().share()).beginning_at(span.start)
        });
        let plan = Options::new(named("sigmoid").unwrap()).build().unwrap();
        let shards = Box::new(Partition::new(parts.into()).unwrap());
        let split = plan.fit_shards(shards, &mut agglio::fit::Silent).unwrap();
        let whole = plan.fit(&rows).unwrap();
        let [whole, split] = [&whole, &split].map(|fitted| errors(&infer(fitted, kind).estimates()));
        whole.iter().zip(split).for_each(|(whole, split)| hold(kind.name(), *whole, split, 1e-6));
    }
}

#[test]
fn a_likelihood_has_no_wild_bootstrap() {
    let options = Options::new(named("sigmoid").unwrap()).set("loss", "bernoulli").unwrap();
    let fitted = options.build().unwrap().fit(&Plans::read().plain()).unwrap();
    let kind = Covariance::Bootstrap { replicates: 20, seed: 0, resampling: Resampling::Wild };
    assert_eq!(reason(fitted.inference(kind).unwrap()), Unavailable::WildLikelihood);
}
