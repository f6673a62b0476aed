//! Small problems whose lowest minimum is proven: no solver gets below it, and the default finds it.

use agglio::activation::named;
use agglio::rows::Dense;
use agglio::spec::Prove;
use agglio::{Noise, Options, Solver, Start};
use serde_json::Value;

use crate::bank::{self, Variant};

/// Rounding of a loss, and of the ten digits of a bound.
const ROUNDING: f64 = 1e-11;
/// A fit this near, relatively, has reached the lowest loss.
const SAME: f64 = 1e-6;
/// Enough to go below a bound that is wrong, if not to converge.
const EPOCHS: usize = 300;

/// The problems whose fit without a proof is certified, and not the lowest. It may become shorter.
const KNOWN: [&str; 35] = [
    "sigmoid-flipped-2b-20",
    "sigmoid-steps-2b-28",
    "sigmoid-flipped-3b-18",
    "softplus-noise-3-21",
    "softplus-flipped-3b-25",
    "softplus-flipped-3b-19",
    "silu-noise-3-21",
    "silu-steps-3b-19",
    "silu-steps-3b-17",
    "silu-flipped-2b-18",
    "silu-flipped-3b-3",
    "gelu-noise-2b-20",
    "gelu-flipped-2b-18",
    "gelu-steps-3b-4",
    "gelu-steps-3b-5",
    "gelu-flipped-3b-30",
    "tanh-flipped-2b-37",
    "tanh-noise-3-14",
    "tanh-steps-3-3",
    "tanh-flipped-3b-18",
    "probit-steps-2-14",
    "probit-noise-3-14",
    "probit-noise-3b-22",
    "probit-flipped-3b-18",
    "arctan-flipped-3b-18",
    "cloglog-flipped-3-30",
    "cloglog-noise-3-27",
    "cloglog-outliers-3-36",
    "cloglog-flipped-3b-18",
    "cloglog-steps-3b-11",
    "gompertz-steps-2-34",
    "gompertz-steps-3-15",
    "gompertz-flipped-3b-18",
    "expm1-outliers-1b-12",
    "expm1-outliers-3b-21",
];

/// A problem and its lowest minimum; `golden/proven.py` made them.
struct Proven {
    name: String,
    activation: String,
    range: Option<String>,
    intercept: bool,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    loss: f64,
    lower_bound: f64,
    /// The coefficients and the intercept at the minimum.
    minimum: (Vec<f64>, f64),
    /// Offset and scale of the response there.
    affine: (f64, f64),
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn proven() -> Vec<Proven> {
    let golden: Value = serde_json::from_str(include_str!("golden/proven.json")).unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let problem = |own: &Value| Proven {
        name: text(&own["name"]).unwrap(),
        activation: text(&own["activation"]).unwrap(),
        range: text(&own["range"]),
        intercept: own["intercept"].as_bool().unwrap(),
        x: own["x"].as_array().unwrap().iter().map(numbers).collect(),
        y: numbers(&own["y"]),
        loss: own["loss"].as_f64().unwrap(),
        lower_bound: own["lower_bound"].as_f64().unwrap(),
        minimum: (numbers(&own["coefficients"]), own["constant"].as_f64().unwrap()),
        affine: (own["affine"]["offset"].as_f64().unwrap(), own["affine"]["scale"].as_f64().unwrap()),
    };
    golden.as_array().unwrap().iter().map(problem).collect()
}

impl Proven {
    fn rows(&self) -> Dense {
        Dense::new(self.x.concat(), self.minimum.0.len(), self.y.clone()).unwrap()
    }

    fn with(&self, options: Options) -> Options {
        let options = options.intercept(self.intercept).threads(1);
        match &self.range {
            Some(range) => options.set("range", range).unwrap(),
            None => options,
        }
    }

    fn options(&self) -> Options {
        self.with(Options::new(named(&self.activation).unwrap()).noise(Noise::Post))
    }

    /// The loss at the minimum, by the definition of the model.
    fn loss_there(&self) -> f64 {
        let (phi, (w, b), (offset, scale)) = (named(&self.activation).unwrap(), &self.minimum, self.affine);
        let square = |(x, y): (&Vec<f64>, &f64)| {
            let z = b + x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
            (offset + scale * phi.value(z) - y).powi(2)
        };
        self.x.iter().zip(&self.y).map(square).sum::<f64>() / self.y.len() as f64
    }
}

#[test]
fn the_minima_have_their_losses_and_the_bounds_are_below_them() {
    let problems = proven();
    for activation in bank::activations() {
        assert!(problems.iter().any(|own| own.activation == activation), "{activation}");
    }
    for own in &problems {
        let there = own.loss_there();
        assert!((there / own.loss - 1.0).abs() <= 1e-9, "{}: {there} {}", own.name, own.loss);
        assert!(own.lower_bound <= own.loss && own.loss <= own.lower_bound * (1.0 + 1.1e-9), "{}", own.name);
    }
}

#[test]
fn no_solver_gets_below_a_proven_bound() {
    let mut fits = 0;
    for own in proven() {
        let rows = own.rows();
        for solver in Solver::ALL {
            let variant = Variant { solver, batch: None };
            let options = variant.limited(&own.activation, Start::Random(Some(3.0)), 1, EPOCHS);
            // what a solver does not take is the product of another test
            let Ok(plan) = own.with(options).build() else { continue };
            let Ok(fitted) = plan.fit(&rows) else { continue };
            fits += 1;
            let least = own.lower_bound * (1.0 - ROUNDING);
            let loss = fitted.loss;
            assert!(loss.is_nan() || loss >= least, "{} by {solver}: {loss} < {}", own.name, own.lower_bound);
        }
    }
    assert!(fits > 1000, "{fits}");
}

#[test]
fn the_default_finds_the_lowest_minimum_and_proves_it() {
    for own in proven() {
        let fitted = own.options().build().unwrap().fit(&own.rows()).unwrap();
        assert!(fitted.loss <= own.loss * (1.0 + SAME), "{}: {} {}", own.name, fitted.loss, own.loss);
        let proof = fitted.proof.as_ref().unwrap().as_ref().unwrap();
        assert!(proof.complete && proof.radius.is_none(), "{}: {proof:?}", own.name);
        assert!(proof.lower_bound <= own.loss * (1.0 + ROUNDING), "{}: {proof:?}", own.name);
        assert!(fitted.verdict().contains("proven"), "{}: {}", own.name, fitted.verdict());
    }
}

#[test]
fn without_a_proof_few_certified_fits_are_not_the_lowest() {
    let mut above = Vec::new();
    for own in proven() {
        let fitted = own.options().prove(Prove::None).build().unwrap().fit(&own.rows()).unwrap();
        let told = fitted.certificate.lower_at_infinity.map_or(fitted.loss, |limit| limit.min(fitted.loss));
        if fitted.certificate().certified() && told > own.loss * (1.0 + SAME) {
            above.push(own.name);
        }
    }
    let new: Vec<&String> = above.iter().filter(|name| !KNOWN.contains(&name.as_str())).collect();
    assert!(new.is_empty(), "{new:#?} of {above:#?}");
}
