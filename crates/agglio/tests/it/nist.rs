//! The problems of NIST's Statistical Reference Datasets that are of the form a + b·φ(xᵀw): certified values and standard
//! deviations, without starting values.

use agglio::activation::named;
use agglio::inference::{Covariance, Intervals};
use agglio::spec::{Entry, Pair};
use agglio::table::Formula;
use agglio::{Curve, Options};
use serde_json::Value;

const FROM_ZERO: Pair = Pair(Entry::Fixed(0.0), Entry::Free);

/// A problem: its name, formula, activation and range, and its parameters as functions of ours.
struct Problem {
    name: &'static str,
    formula: &'static str,
    activation: &'static str,
    affine: Option<Pair>,
    parameters: &'static [fn(&[f64]) -> f64],
}

const PROBLEMS: [Problem; 6] = [
    // b1/(1 + exp(b2 − b3·x))
    Problem {
        name: "Rat42",
        formula: "y ~ x",
        activation: "sigmoid",
        affine: Some(FROM_ZERO),
        parameters: &[|b| b[2], |b| -b[1], |b| b[0]],
    },
    // b1·(1 − exp(−b2·x))
    Problem {
        name: "Misra1a",
        formula: "y ~ x - 1",
        activation: "expm1",
        affine: Some(FROM_ZERO),
        parameters: &[|b| b[1], |b| b[0]],
    },
    Problem {
        name: "BoxBOD",
        formula: "y ~ x - 1",
        activation: "expm1",
        affine: Some(FROM_ZERO),
        parameters: &[|b| b[1], |b| b[0]],
    },
    // b1·b2·x/(1 + b2·x)
    Problem {
        name: "Misra1d",
        formula: "y ~ 1 + offset(log(x))",
        activation: "sigmoid",
        affine: Some(FROM_ZERO),
        parameters: &[|b| b[1], |b| b[0].exp()],
    },
    // b1·x^b2
    Problem {
        name: "DanWood",
        formula: "y ~ log(x)",
        activation: "exp",
        affine: None,
        parameters: &[|b| b[1].exp(), |b| b[0]],
    },
    // b1/b2·exp(−½·((x − b3)/b2)²)
    Problem {
        name: "Eckerle4",
        formula: "y ~ x + x^2",
        activation: "exp",
        affine: None,
        parameters: &[
            |b| (-0.5 / b[1]).sqrt() * (b[2] - b[0] * b[0] / (4.0 * b[1])).exp(),
            |b| (-0.5 / b[1]).sqrt(),
            |b| -0.5 * b[0] / b[1],
        ],
    },
];

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn close(found: f64, expected: f64, within: f64, what: &str) {
    assert!((found / expected - 1.0).abs() < within, "{what}: {found} is not {expected}");
}

/// The number of digits in which two numbers agree, up to the eleven that NIST certifies.
fn digits(found: f64, certified: f64) -> f64 {
    -(found / certified - 1.0).abs().max(1e-11).log10()
}

/// `cargo test --release -p agglio --test it nist -- --nocapture` prints the digits of docs/nist.md.
#[test]
fn certified_values_are_found_without_starts() {
    let golden: Value = serde_json::from_str(include_str!("golden/nist.json")).unwrap();
    for Problem { name, formula, activation, affine, parameters } in PROBLEMS {
        let (x, y) = (numbers(&golden[name]["x"]), numbers(&golden[name]["y"]));
        let formula = Formula::parse(formula).unwrap();
        let rows = formula.selection().table(&[("y", &y), ("x", &x)]).unwrap().into_rows().unwrap();
        let mut options = Options::new(named(activation).unwrap()).intercept(formula.intercept());
        if let Some(affine) = affine {
            options = options.affine(affine);
        }
        let fitted = options.build().unwrap().fit(&rows).unwrap();
        assert!(fitted.certificate().certified(), "{name}: {}", fitted.status());
        let inference = fitted.inference(Covariance::Classical).unwrap().unwrap();
        let (mut values, mut errors) = (f64::INFINITY, f64::INFINITY);
        for (k, (parameter, certified)) in
            parameters.iter().zip(golden[name]["certified"].as_array().unwrap()).enumerate()
        {
            let (found, certified) = (inference.function(parameter), numbers(certified));
            close(found.value, certified[0], 1e-9, &format!("{name}, b{}", k + 1));
            close(found.standard_error.unwrap(), certified[1], 1e-8, &format!("{name}, error of b{}", k + 1));
            values = values.min(digits(found.value, certified[0]));
            errors = errors.min(digits(found.standard_error.unwrap(), certified[1]));
        }
        let residual_sum = golden[name]["residual_sum"].as_f64().unwrap();
        close(inference.goodness().residual_sum, residual_sum, 1e-9, name);
        close(inference.goodness().sigma, golden[name]["sigma"].as_f64().unwrap(), 1e-9, name);
        let sum = digits(inference.goodness().residual_sum, residual_sum);
        println!("{name}: {values:.1} digits of parameters, {errors:.1} of errors, {sum:.1} of the residual sum");
    }
}

/// The curves by name have the parameters of their fields: those of Rat42 and Misra1d are functions of NIST's.
#[test]
fn curves_have_the_parameters_of_their_fields() {
    let golden: Value = serde_json::from_str(include_str!("golden/nist.json")).unwrap();
    let fit = |curve: Curve, name: &str| {
        let (x, y) = (numbers(&golden[name]["x"]), numbers(&golden[name]["y"]));
        let selection = curve.selection(Formula::parse("y ~ x").unwrap().selection()).unwrap();
        let rows = selection.table(&[("y", &y), ("x", &x)]).unwrap().into_rows().unwrap();
        let fitted = curve.options().unwrap().build().unwrap().fit(&rows).unwrap();
        let inference = fitted.inference(Covariance::Classical).unwrap().unwrap();
        let names = vec!["x".to_owned(); fitted.report().coefficients.len()];
        let summary = inference.summary(&names, 0.95, Intervals::Wald).unwrap();
        let lines = curve.lines(&summary, fitted.affine);
        let values = curve.values(&fitted);
        assert_eq!(lines.len(), values.len());
        for (line, value) in lines.iter().zip(&values) {
            close(line.estimate.value, *value, 1e-12, name);
        }
        (values, lines.iter().map(|line| line.estimate.standard_error.unwrap()).collect::<Vec<f64>>())
    };
    let certified = |name: &str, k: usize| numbers(&golden[name]["certified"][k]);
    let (values, errors) = fit(Curve::SsLogis, "Rat42");
    close(values[0], certified("Rat42", 0)[0], 1e-9, "Asym");
    close(errors[0], certified("Rat42", 0)[1], 1e-8, "Asym");
    close(values[1], certified("Rat42", 1)[0] / certified("Rat42", 2)[0], 1e-9, "xmid");
    close(values[2], 1.0 / certified("Rat42", 2)[0], 1e-9, "scal");
    let (values, errors) = fit(Curve::MichaelisMenten, "Misra1d");
    close(values[0], certified("Misra1d", 0)[0], 1e-9, "Vm");
    close(errors[0], certified("Misra1d", 0)[1], 1e-8, "Vm");
    close(values[1], 1.0 / certified("Misra1d", 1)[0], 1e-9, "K");
}

/// Each curve goes through points that were made from its parameters.
#[test]
fn every_curve_finds_its_parameters() {
    let x: Vec<f64> = (1..=24).map(|k| 0.4 * f64::from(k)).collect();
    type Truth = (Curve, fn(f64) -> f64, &'static [f64]);
    let truths: [Truth; 7] = [
        (Curve::Ll3, |x| 8.0 / (1.0 + (x / 3.0_f64).powf(2.5)), &[2.5, 8.0, 3.0]),
        (Curve::Ll4, |x| 1.0 + 7.0 / (1.0 + (x / 3.0_f64).powf(-2.5)), &[-2.5, 1.0, 8.0, 3.0]),
        (Curve::SsLogis, |x| 5.0 / (1.0 + ((4.0 - x) / 1.5).exp()), &[5.0, 4.0, 1.5]),
        (Curve::Gompertz, |x| 5.0 * (-3.0 * 0.6_f64.powf(x)).exp(), &[5.0, 3.0, 0.6]),
        (Curve::MichaelisMenten, |x| 210.0 * x / (2.5 + x), &[210.0, 2.5]),
        (Curve::Emax, |x| 10.0 - 6.0 * x / (2.0 + x), &[10.0, -6.0, 2.0]),
        (Curve::Hill, |x| 4.0 * x.powi(3) / (27.0 + x.powi(3)), &[4.0, 3.0, 3.0]),
    ];
    for (curve, truth, expected) in truths {
        let y: Vec<f64> = x.iter().map(|x| truth(*x)).collect();
        let selection = curve.selection(Formula::parse("y ~ x").unwrap().selection()).unwrap();
        let rows = selection.table(&[("y", &y), ("x", &x)]).unwrap().into_rows().unwrap();
        let fitted = curve.options().unwrap().build().unwrap().fit(&rows).unwrap();
        for ((found, expected), name) in curve.values(&fitted).iter().zip(expected).zip(curve.parameters()) {
            close(*found, *expected, 1e-6, &format!("{curve}, {name}"));
        }
    }
}

#[test]
fn curves_are_known_by_name() {
    for curve in Curve::ALL {
        assert_eq!(curve.name().parse::<Curve>().unwrap(), curve);
        assert_eq!(curve.name().to_lowercase().parse::<Curve>().unwrap(), curve);
    }
    let why = "LL.5".parse::<Curve>().unwrap_err().to_string();
    assert!(why.contains("LL.4") || why.contains("LL.3"), "{why}");
    let selection = |text: &str| Curve::Ll4.selection(Formula::parse(text).unwrap().selection());
    assert!(selection("y ~ a + b").unwrap_err().to_string().contains("one covariate"));
    assert!(selection("y ~ log(x)").unwrap_err().to_string().contains("without it"));
    assert!(selection("y ~ x + offset(z)").unwrap_err().to_string().contains("no offset"));
}
