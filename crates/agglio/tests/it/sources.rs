//! Where data comes from: arrays, the simulator; and where models go.

use std::path::Path;

use agglio::activation::named;
use agglio::model::{Centre, Model, Origin, Weights};
use agglio::rows::Dense;
use agglio::simulate::{Design, LabelNoise, Shape, Simulation};
use agglio::{Noise, Options};

use crate::bank;

#[test]
fn arrays_that_are_no_table_are_refused() {
    assert!(Dense::new(vec![], 0, vec![]).is_err());
    assert!(Dense::new(vec![1.0, 2.0, 3.0], 2, vec![1.0]).is_err());
    assert!(Dense::new(vec![1.0, f64::NAN], 1, vec![1.0, 2.0]).unwrap_err().to_string().contains("row 2"));
    assert!(Dense::new(vec![1.0, 2.0], 1, vec![1.0, f64::INFINITY]).is_err());
    assert!(Dense::new_f32(vec![1.0, f32::NAN], 1, vec![1.0, 2.0]).is_err());
    let rows = Dense::new(vec![1.0, 2.0], 1, vec![0.1, 0.2]).unwrap();
    for weights in [vec![1.0], vec![-1.0, 2.0], vec![f64::NAN, 1.0], vec![0.0, 0.0]] {
        assert!(rows.clone().with_weights(weights).is_err());
    }
    assert!(rows.clone().with_offsets(vec![1.0]).is_err());
    let one = Dense::new(vec![1.0], 1, vec![0.1]).unwrap();
    assert!(Options::new(named("sigmoid").unwrap()).build().unwrap().fit(&one).is_err());
}

#[test]
fn a_model_reads_back_to_the_same_bits() {
    let data = bank::paper("leaky-softplus", 100, 3, LabelNoise::Post(0.1, Shape::Gauss), 51);
    let report = Options::new(named("leaky-softplus").unwrap()).build().unwrap().fit(&bank::rows(&data)).unwrap();
    let names: Vec<String> = ["third", "a", "B \"quoted\""].map(Into::into).to_vec();
    let origin = Origin { activation: "leaky-softplus", solver: "gd", target: "y", offset: None, names: &names };
    let model = Model::new(&report, &origin).unwrap();
    let again = Model::from_json(&model.to_json(), Path::new("m.json")).unwrap();
    assert_eq!(again.to_json(), model.to_json());
    assert_eq!(again.names(), names);
    let predictions = again.predict(&data.values, None, Centre::Mean);
    assert_eq!(predictions, model.predict(&data.values, None, Centre::Mean));
    let loss = predictions.iter().zip(&data.labels).map(|(p, y)| (p - y).powi(2)).sum::<f64>() / 100.0;
    assert!((loss - report.loss).abs() <= 1e-14);
}

#[test]
fn files_that_are_no_model_are_refused() {
    let good = r#"{"format":"agglio model","version":1,"activation":"sigmoid","target":"y","offset":null,"intercept":0.5,
        "coefficients":{"a":1.0},"noise":"post","tau":1.0,"deviation":null,"loss":0.1,"status":"converged","solver":"gd","rows":5}"#;
    assert!(Model::from_json(good, Path::new("m.json")).is_ok());
    // a loss that overflowed is kept as none, and the model still predicts
    assert!(Model::from_json(&good.replace("\"loss\":0.1", "\"loss\":null"), Path::new("m.json")).is_ok());
    let cases = [
        (good.replace("agglio model", "something"), "not a model"),
        (good.replace("\"version\":1", "\"version\":9"), "version 9"),
        (good.replace("sigmoid", "sigmoda"), "sigmoid"),
        (good.replace("\"a\":1.0", "\"a\":null"), "`a`"),
        (good.replace("\"a\":1.0", ""), "missing"),
        (good.replace("\"rows\":5", "\"rows\":5,\"more\":1"), "more"),
        (good[..good.len() - 20].to_owned(), "not a model"),
        (String::new(), "not a model"),
    ];
    for (text, what) in cases {
        let error = Model::from_json(&text, Path::new("m.json")).unwrap_err().to_string();
        assert!(error.starts_with("m.json: ") && error.contains(what), "{what}: {error}");
    }
}

#[test]
fn weights_read_back_in_the_order_of_the_columns() {
    let weights = Weights { intercept: 0.1, coefficients: vec![("b".into(), 2.0), ("a".into(), 1.0 / 3.0)] };
    let path = Path::new("w.json");
    let again = Weights::from_json(&weights.to_json(), path).unwrap();
    assert_eq!(again, weights);
    let names = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
    assert_eq!(again.in_order(&names(&["a", "b"]), path).unwrap(), [1.0 / 3.0, 2.0]);
    assert!(again.in_order(&names(&["a"]), path).unwrap_err().to_string().contains("`b`"));
    assert!(again.in_order(&names(&["a", "b", "c"]), path).unwrap_err().to_string().contains("`c`"));
    assert!(Weights::from_json("{\"coefficients\":{\"a\":\"x\"}}", path).is_err());
}

/// Under pre-activation noise the mean of y is E φ(z + ε), not φ(z).
#[test]
fn predictions_under_pre_activation_noise_are_means() {
    let data = bank::paper("exp", 4000, 3, LabelNoise::Pre(0.5, Shape::Gauss), 52);
    let report = Options::new(named("exp").unwrap()).intercept(false).noise(Noise::Pre);
    let report = report.build().unwrap().fit(&bank::rows(&data)).unwrap();
    let names: Vec<String> = ["a", "b", "c"].map(Into::into).to_vec();
    let origin = Origin { activation: "exp", solver: "gd", target: "y", offset: None, names: &names };
    let model = Model::new(&report, &origin).unwrap();
    let [mean, median] = [Centre::Mean, Centre::Median].map(|centre| model.predict(&data.values, None, centre));
    // of a log-normal variable the mean is exp(σ²/2) times the median, and σ is .5
    for (mean, median) in mean.iter().zip(&median) {
        assert!((mean / median / (0.125_f64).exp() - 1.0).abs() < 0.02);
    }
    let ratio = mean[0] / median[0];
    assert!(mean.iter().zip(&median).all(|(mean, median)| (mean / median - ratio).abs() < 1e-12));
}

#[test]
fn simulated_data_has_the_law_it_is_asked_for() {
    let draw = |design, noise| {
        Simulation::new(named("identity").unwrap(), 40_000, 2)
            .norm(2.0)
            .design(design)
            .noise(noise)
            .seed(1)
            .draw()
            .unwrap()
    };
    let column = |data: &agglio::simulate::Simulated, j: usize| {
        data.values.iter().skip(j).step_by(2).copied().collect::<Vec<_>>()
    };
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let product = |x: &[f64], y: &[f64]| mean(&x.iter().zip(y).map(|(x, y)| x * y).collect::<Vec<_>>());
    for (design, variance, correlation) in [
        (Design::Scaled, 0.5, 0.0),
        (Design::Normal, 1.0, 0.0),
        (Design::Correlated(0.8), 1.0, 0.8),
        (Design::Uniform, 1.0, 0.0),
        (Design::Student(12.0), 1.2, 0.0),
    ] {
        let data = draw(design, LabelNoise::None);
        let (a, b) = (column(&data, 0), column(&data, 1));
        assert!(mean(&a).abs() < 0.03 && (product(&a, &a) / variance - 1.0).abs() < 0.05, "{design:?}");
        assert!((product(&a, &b) / variance - correlation).abs() < 0.03, "{design:?}");
        assert!((bank::distance(&data.truth, &[0.0, 0.0]) - 2.0).abs() < 1e-12);
    }
    for (noise, deviation) in [
        (LabelNoise::Post(0.3, Shape::Gauss), 0.3),
        (LabelNoise::Pre(0.3, Shape::Uniform), 0.3 / 3.0_f64.sqrt()),
        (LabelNoise::Pre(0.3, Shape::Sign), 0.3),
    ] {
        let data = draw(Design::Normal, noise);
        let clean = draw(Design::Normal, LabelNoise::None).labels;
        let noise_drawn: Vec<f64> = data.labels.iter().zip(&clean).map(|(y, z)| y - z).collect();
        assert!((product(&noise_drawn, &noise_drawn).sqrt() / deviation - 1.0).abs() < 0.02, "{noise:?}");
    }
    let inside = Simulation::new(named("sigmoid").unwrap(), 2000, 2).noise(LabelNoise::Post(0.5, Shape::Truncated));
    assert!(inside.draw().unwrap().labels.iter().all(|&y| y > 0.0 && y < 1.0));
}
