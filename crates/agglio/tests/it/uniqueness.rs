//! The radius of uniqueness: no other stationary point lies within it, and it depends on what it should depend on.
//!
//! `bench/uniqueness.py` computes the same numbers with numpy.

use agglio::activation::named;
use agglio::inference::{Covariance, Unavailable, Uniqueness};
use agglio::oracle::{Partition, Shard};
use agglio::rows::{Dense, Rows};
use agglio::simulate::{LabelNoise, Shape, Simulation};
use agglio::{Fitted, Loss, Noise, Options};

use crate::bank;

/// The activations whose loss may have several minima.
fn bounded() -> impl Iterator<Item = &'static str> {
    bank::activations_with(|phi| phi.shape().is_some() && phi.name() != "identity")
}

fn fit(options: Options, rows: &dyn Rows) -> Fitted {
    options.build().unwrap().fit(rows).unwrap()
}

fn plain(activation: &str) -> Options {
    Options::new(named(activation).unwrap())
}

fn uniqueness(fitted: &Fitted) -> Uniqueness {
    fitted.inference(Covariance::Classical).unwrap().unwrap().uniqueness().unwrap().unwrap()
}

/// Six rows of one covariate with this noise.
fn tiny(activation: &str, noise: f64, seed: u64) -> Dense {
    let noise = LabelNoise::Post(noise, Shape::Gauss);
    let data = Simulation::new(named(activation).unwrap(), 6, 1).norm(2.0).noise(noise).seed(seed).draw().unwrap();
    Dense::new(data.values.iter().map(|x| 2.0 * x).collect(), 1, data.labels).unwrap()
}

/// The derivative of the loss of a model of one covariate, without intercept.
fn derivative(activation: &str, rows: &Dense, w: f64) -> f64 {
    let phi = named(activation).unwrap();
    let [mut x, mut y] = [vec![0.0; rows.len()], vec![0.0; rows.len()]];
    let all = agglio::rows::Run::Span(0..rows.len());
    rows.dots(&all, &[0.0], &[1.0], &mut x);
    rows.labels(&all, &mut y);
    x.iter().zip(y).map(|(x, y)| (phi.value(w * x) - y) * phi.derivative(w * x) * x).sum()
}

#[test]
fn no_other_stationary_point_lies_within_the_radius() {
    let (mut checked, mut others) = (0, 0);
    for (activation, seed) in bounded().flat_map(|activation| (0..150).map(move |seed| (activation, seed))) {
        let rows = tiny(activation, 0.4, seed);
        let fitted = fit(plain(activation).intercept(false), &rows);
        let Ok(inference) = fitted.inference(Covariance::Classical).unwrap() else { continue };
        let Uniqueness { radius, .. } = inference.uniqueness().unwrap().unwrap();
        let (estimate, w) = (inference.estimates()[0], fitted.coefficients[0]);
        let error = estimate.standard_error.unwrap();
        // on the way to either side the loss must rise
        let rises = |steps: f64| steps * derivative(activation, &rows, w + steps * error) > 0.0;
        let within = (1..=400).flat_map(|k| [1.0, -1.0].map(|side| side * radius.min(1e3) * f64::from(k) / 400.0));
        for steps in within {
            assert!(rises(steps), "{activation}, seed {seed}: {steps} of {radius} standard errors");
        }
        checked += 1;
        others += usize::from((1..=4000).any(|k| !rises(f64::from(k) / 40.0) || !rises(f64::from(-k) / 40.0)));
    }
    assert!(checked > 100 && others > 20, "{others} of {checked} problems have another stationary point");
}

/// Auer, Herbster and Warmuth (1996), figure 1: one row is saturated on the way from one minimum to the other.
#[test]
fn a_second_minimum_lies_outside() {
    let x = [10.0, 0.7].repeat(4);
    let y = [0.55, 0.25, 0.54, 0.26, 0.56, 0.24, 0.55, 0.25].to_vec();
    let rows = Dense::new(x, 1, y).unwrap();
    let fitted = fit(plain("sigmoid").intercept(false), &rows);
    let Uniqueness { radius, .. } = uniqueness(&fitted);
    let inference = fitted.inference(Covariance::Classical).unwrap().unwrap();
    let (w, error) = (fitted.coefficients[0], inference.estimates()[0].standard_error.unwrap());
    let slope = |w: f64| derivative("sigmoid", &rows, w);
    // a minimum is where the derivative becomes positive
    let minima = (-4000..4000).map(|k| f64::from(k) / 1000.0).filter(|&at| slope(at) < 0.0 && slope(at + 1e-3) >= 0.0);
    let minima: Vec<f64> = minima.collect();
    assert_eq!(minima.len(), 2, "{minima:?}");
    let other = minima.iter().map(|at| (at - w).abs()).fold(0.0, f64::max);
    assert!(
        radius > 1.0 && radius * error < other,
        "{radius} standard errors of {error}, and the other minimum at {other}"
    );
}

#[test]
fn a_linear_model_has_no_other_minimum_at_any_distance() {
    let data = bank::paper("identity", 100, 3, LabelNoise::Post(0.3, Shape::Gauss), 1);
    assert_eq!(uniqueness(&fit(plain("identity"), &bank::rows(&data))).radius, f64::INFINITY);
}

#[test]
fn more_noise_makes_it_smaller() {
    for (activation, seed) in bounded().flat_map(|activation| (0..3).map(move |seed| (activation, seed))) {
        let radius = |noise: f64| {
            let data = bank::paper(activation, 400, 4, LabelNoise::Post(noise, Shape::Gauss), seed);
            uniqueness(&fit(plain(activation), &bank::rows(&data))).radius
        };
        let radii = [0.01, 0.03, 0.1].map(radius);
        assert!(radii.is_sorted_by(|more, less| more >= less), "{activation}: {radii:?}");
        assert!(radii[0].is_finite() && radii[2] > 1.0 && radii[0] > 2.0 * radii[2], "{activation}: {radii:?}");
    }
}

/// Units of columns, a shift of columns, and a factor of all weights are no change of the problem.
#[test]
fn units_do_not_matter() {
    for activation in bounded() {
        let data = bank::paper(activation, 300, 3, LabelNoise::Post(0.05, Shape::Gauss), 1);
        let radius = |units: [f64; 3], shift: f64, weight: f64| {
            let values =
                data.values.iter().zip(units.into_iter().cycle()).map(|(x, unit)| unit * (x + shift)).collect();
            let weights = (0..300).map(|i| weight * f64::from(1 + i % 3)).collect();
            let rows = Dense::new(values, 3, data.labels.clone()).unwrap().with_weights(weights).unwrap();
            uniqueness(&fit(plain(activation), &rows)).radius
        };
        let expected = radius([1.0; 3], 0.0, 1.0);
        for (units, shift, weight) in
            [([1e6, 1.0, 1e-6], 0.0, 1.0), ([1.0, -3.0, 7.0], 10.0, 1.0), ([1.0; 3], 0.0, 1e3)]
        {
            let found = radius(units, shift, weight);
            assert!((found / expected - 1.0).abs() < 1e-6, "{activation}, {units:?}: {found} {expected}");
        }
    }
}

/// Rows without weight are as good as none, and a weight of two is as good as a row twice.
#[test]
fn weights_count_rows() {
    let data = bank::paper("sigmoid", 100, 3, LabelNoise::Post(0.05, Shape::Gauss), 1);
    let weights: Vec<f64> = (0..100).map(|i| f64::from(i % 3)).collect();
    let weighted = bank::rows(&data).with_weights(weights.clone()).unwrap();
    let repeated = |i: usize| std::iter::repeat_n(i, weights[i] as usize);
    let order: Vec<usize> = (0..100).flat_map(repeated).collect();
    let values = order.iter().flat_map(|&i| data.values[3 * i..3 * i + 3].to_vec()).collect();
    let twice = Dense::new(values, 3, order.iter().map(|&i| data.labels[i]).collect()).unwrap();
    let [own, other] = [weighted, twice].map(|rows| uniqueness(&fit(plain("sigmoid"), &rows)).radius);
    // σ̂² counts observations, not weights
    let (counted, all) = (weights.iter().filter(|weight| **weight > 0.0).count() as f64, order.len() as f64);
    let expected = other * ((counted - 4.0) / (all - 4.0)).sqrt();
    assert!((own / expected - 1.0).abs() < 1e-6, "{own} {expected}");
}

#[test]
fn every_kind_of_covariance_has_the_same_radius() {
    let data = bank::paper("sigmoid", 200, 3, LabelNoise::Post(0.1, Shape::Gauss), 1);
    let fitted = fit(plain("sigmoid"), &bank::rows(&data));
    let radius = |kind| fitted.inference(kind).unwrap().unwrap().uniqueness().unwrap().unwrap().radius;
    let expected = radius(Covariance::Classical);
    for kind in [Covariance::Hessian, Covariance::Hc0, Covariance::Hc3] {
        assert!((radius(kind) / expected - 1.0).abs() < 1e-6, "{kind:?}");
    }
}

/// More rows than a sample, on any number of threads and in any partition of the table.
#[test]
fn it_has_the_same_bits_on_any_number_of_threads_and_parts() {
    let data = bank::paper("sigmoid", 5000, 3, LabelNoise::Post(0.1, Shape::Gauss), 1);
    let rows = bank::rows(&data);
    let on = |threads: usize| {
        let plan = plain("sigmoid").threads(threads).build().unwrap();
        plan.install(5000, || uniqueness(&plan.fit(&rows).unwrap())).unwrap()
    };
    let alone = on(1);
    assert_eq!((alone.rows, alone.of), (2048, 5000));
    assert_eq!(alone, on(2));
    assert_eq!(alone, on(3));
    let part = |span: [usize; 2]| {
        let [from, to] = span;
        let values = data.values[3 * from..3 * to].to_vec();
        Shard::new(Dense::new(values, 3, data.labels[from..to].to_vec()).unwrap().share()).beginning_at(from)
    };
    let parts = [[0, 1024], [1024, 4096], [4096, 5000]].map(part);
    let plan = plain("sigmoid").build().unwrap();
    let shards = Box::new(Partition::new(parts.into()).unwrap());
    let parted = plan.fit_shards(shards, &mut agglio::fit::Silent).unwrap();
    let parted = uniqueness(&parted);
    assert!((parted.radius / alone.radius - 1.0).abs() < 1e-6, "{parted:?} {alone:?}");
}

#[test]
fn where_there_is_none_it_says_why() {
    let data = bank::paper("sigmoid", 300, 2, LabelNoise::Post(0.05, Shape::Truncated), 1);
    let rows = bank::rows(&data);
    let why = |options: Options| {
        let fitted = fit(options, &rows);
        let kind = Covariance::usual(fitted.criterion);
        fitted.inference(kind).unwrap().unwrap().uniqueness().unwrap().unwrap_err()
    };
    assert_eq!(why(plain("sigmoid").loss(Loss::Bernoulli)), Unavailable::ConvexLoss);
    assert_eq!(why(plain("sigmoid").noise(Noise::Pre)), Unavailable::LinearStage);
    let free = plain("sigmoid").set("range", "free,free").unwrap();
    assert_eq!(why(free), Unavailable::FreeScale);
    assert_eq!(why(Options::new(std::sync::Arc::new(Unknown))), Unavailable::UnknownShape);
    let many = bank::paper("sigmoid", 600, 120, LabelNoise::Post(0.05, Shape::Gauss), 1);
    let fitted = fit(plain("sigmoid"), &bank::rows(&many));
    let many = fitted.inference(Covariance::Classical).unwrap().unwrap();
    assert_eq!(many.uniqueness().unwrap().unwrap_err(), Unavailable::ManyCoefficients);
}

/// A sigmoid of which nothing but its values is known.
#[derive(Debug)]
struct Unknown;

impl agglio::activation::Activation for Unknown {
    fn name(&self) -> String {
        "unknown".into()
    }
    fn value(&self, t: f64) -> f64 {
        1.0 / (1.0 + (-t).exp())
    }
    fn derivative(&self, t: f64) -> f64 {
        self.value(t) * self.value(-t)
    }
    fn second_derivative(&self, t: f64) -> f64 {
        self.derivative(t) * (self.value(-t) - self.value(t))
    }
    fn range(&self) -> agglio::activation::Range {
        agglio::activation::Range { lo: 0.0, hi: 1.0, attained: false }
    }
}

/// The standard error of a nearly exact fit is tiny, so a second minimum is very many of them away.
#[test]
fn a_minimum_at_a_great_distance_in_standard_errors_is_still_another_minimum() {
    let x = vec![0.3148350525469521, -1.8782690881503334, 0.37964838029470315, -0.11848134329770169];
    let silu = named("silu").unwrap();
    let mut y: Vec<f64> = x.iter().map(|x| silu.value(-1.73043 * x)).collect();
    y[0] += 1e-11;
    let rows = Dense::new(x, 1, y).unwrap();
    let radius = uniqueness(&fit(plain("silu").intercept(false), &rows)).radius;
    assert!(radius > 1e9 && radius.is_finite(), "{radius}");
    let line = fit(plain("identity"), &Dense::new(vec![0.0, 1.0, 2.0, 3.0], 1, vec![0.1, 1.2, 1.9, 3.1]).unwrap());
    assert_eq!(uniqueness(&line).radius, f64::INFINITY);
}
