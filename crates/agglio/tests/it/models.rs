//! Model files: all versions load, and nothing loads that was changed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use agglio::activation::named;
use agglio::inference::{Covariance, Estimate};
use agglio::model::{Centre, Coefficients, Model, Origin};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape};
use agglio::text::bounded;
use agglio::{Curve, Noise, Options};
use crc::{CRC_64_XZ, Crc};
use tempfile::TempDir;

use crate::bank;

/// A small model of the newest version.
const SEALED: &str = include_str!("fixtures/model-v3.json");

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures").join(name)
}

/// The text with the checksum that it should have.
fn seal(text: &str) -> String {
    let covered = text.rfind("crc64:").unwrap() + "crc64:".len();
    let digits = Crc::<u64>::new(&CRC_64_XZ).checksum(&text.as_bytes()[..covered]);
    format!("{}{digits:016x}{}", &text[..covered], &text[covered + 16..])
}

fn refusal(text: &str) -> String {
    let error = Model::from_json(text, Path::new("m.json")).unwrap_err().to_string();
    error.strip_prefix("m.json: ").unwrap().to_owned()
}

/// Files of every version are kept here for ever, with what they predict by `fixtures/predictions.py`.
#[test]
fn every_version_loads() {
    let rows = [0.25, 40.0, -2.0, 18.0, 3.0, 70.0];
    let offsets = [0.1, 0.0, -0.5];
    let means = [0.5395008600349652, 0.18758539654672512, 0.7815925407637045];
    let medians = [0.5400886847111254, 0.1847344279218605, 0.784471088785536];
    for name in ["model-v1.json", "model-v2.json", "model-v3.json"] {
        let model = Model::load(&fixture(name)).unwrap();
        assert_eq!(model.names(), ["dose", "age \"in years\""]);
        assert_eq!((model.target(), model.offset(), model.columns()), ("y", Some("known"), None));
        for (centre, expected) in [(Centre::Mean, means), (Centre::Median, medians)] {
            let found = model.predict(&rows, Some(&offsets), centre);
            for (found, expected) in found.iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 1e-13, "{name}: {found} is not {expected}");
            }
        }
        // an old model that is saved again is a new one
        assert_eq!(model.to_json(), SEALED, "{name}");
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("m.json");
    let mut bytes = SEALED.as_bytes().to_vec();
    fs::write(&path, &bytes).unwrap();
    // over what is there: a disk takes its time to cut a file
    let write = |bytes: &[u8]| fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(bytes).unwrap();
    for i in 0..bytes.len() {
        for bit in 0..8 {
            bytes[i] ^= 1 << bit;
            write(&bytes);
            assert!(Model::load(&path).is_err(), "bit {bit} of byte {i}");
            bytes[i] ^= 1 << bit;
        }
    }
    write(&bytes);
    assert!(Model::load(&path).is_ok());
}

#[test]
fn every_truncation_and_addition_is_refused() {
    for length in 0..SEALED.len() {
        let why = refusal(&SEALED[..length]);
        let head = SEALED.find("\"activation\"").unwrap();
        assert!(length < head || why.starts_with("checksum mismatch"), "{length} bytes: {why}");
    }
    for more in ["\n", " ", "\0", "}", SEALED] {
        assert!(refusal(&format!("{SEALED}{more}")).starts_with("checksum mismatch"));
        assert!(Model::from_json(&format!("{more}{SEALED}"), Path::new("m.json")).is_err());
    }
    assert!(refusal(&SEALED.replace('\n', "\r\n")).starts_with("checksum mismatch"));
}

#[test]
fn digits_are_lower_case_and_sixteen() {
    let start = SEALED.rfind("crc64:").unwrap() + "crc64:".len();
    let (covered, rest) = SEALED.split_at(start);
    let (digits, end) = rest.split_at(16);
    for wrong in [digits.to_uppercase(), format!("0{digits}"), format!("+{}", &digits[1..]), String::new()] {
        assert!(refusal(&format!("{covered}{wrong}{end}")).starts_with("checksum mismatch"), "{wrong}");
    }
}

/// Changes whose checksum was made right again.
#[test]
fn tampering_is_refused_by_what_it_says() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases = [
        ("\"rows\": 8,", "\"rows\": 8,\n  \"rows\": 8,", "the field `rows` occurs twice"),
        ("\"rows\": 8,", "\"rows\": 8,\n  \"checksum\": \"crc64:0\",", "the field `checksum` occurs twice"),
        ("\"rows\": 8,", "\"rows\": 8,\n  \"version\": 1,", "the field `version` occurs twice"),
        ("\"rows\": 8,", "\"rows\": 8,\n  \"more\": 1,", "unknown field `more`"),
        ("\"rows\": 8,", "\"row\": 8,", "unknown field `row` (did you mean `rows`?)"),
        ("  \"rows\": 8,\n", "", "missing field `rows`"),
        ("  \"offset\": \"known\",\n", "", "missing field `offset`"),
        ("\"rows\": 8,", "\"rows\": -8,", "invalid value"),
        ("\"rows\": 8,", "\"rows\": 1e30,", "invalid type"),
        ("\"rows\": 8,", "\"rows\": 99999999999999999999,", "invalid type"),
        ("\"columns\": null", "\"columns\": 0", "no table has 0 columns"),
        ("\"columns\": null", "\"columns\": 1152921504606846976", "no table has 1152921504606846976 columns"),
        ("\"dose\": 1", "\"dose\": 1.5,\n    \"dose\": 1", "two coefficients of `dose`"),
        ("\"dose\": 1.1817286000717564", "\"dose\": 1e999", "the coefficient of `dose`: number out of range"),
        ("\"dose\": 1.1817286000717564", "\"dose\": \"1\"", "the coefficient of `dose`: invalid type: string"),
        ("\"dose\": 1.1817286000717564", "\"dose\": null", "the coefficient of `dose`: invalid type: null"),
        ("\"dose\": 1.1817286000717564", "\"dose\": NaN", "not a model"),
        ("\"dose\": 1.1817286000717564", &format!("\"dose\": {deep}"), "the coefficient of `dose`"),
        ("\"rows\": 8,", &format!("\"rows\": 8,\n  \"deep\": {deep},"), "unknown field `deep`"),
        ("\"agglio model\"", &deep, "recursion limit"),
        ("\"tau\": 0.0", "\"tau\": 2", "contradict each other"),
        ("\"deviation\": 0.24655201930980425", "\"deviation\": null", "contradict each other"),
        ("\"deviation\": 0.24655201930980425", "\"deviation\": -1", "contradict each other"),
        ("\"intercept\": 1.7899857556722742", "\"intercept\": null", "invalid type: null"),
        ("\"sigmoid\"", "\"sigmoda\"", "did you mean `sigmoid`?"),
        ("\"version\": 3", "\"version\": 1", "unknown field `columns`"),
        ("\"version\": 3", "\"version\": 0", "unknown format version"),
        ("\"version\": 3", "\"version\": \"3\"", "unknown format version"),
        ("\"version\": 3", "\"version\": 9", "written by a newer agglio (format version 9); upgrade"),
        ("\"agglio model\"", "\"another model\"", "not a model file: it lacks \"format\": \"agglio model\""),
    ];
    for (from, to, what) in cases {
        assert!(SEALED.contains(from), "{from}");
        let why = refusal(&seal(&SEALED.replacen(from, to, 1)));
        assert!(why.contains(what) && why.len() < 300, "{what}: {}", &why[..why.len().min(300)]);
    }
    assert_eq!(seal(SEALED), SEALED);
}

#[test]
fn what_a_file_says_is_quoted_briefly() {
    let long = "long ".repeat(400_000);
    for (from, to) in [
        ("\"rows\": 8,", format!("\"rows\": \"{long}\",")),
        ("\"rows\": 8,", format!("\"rows\": 8,\n  \"{long}\": 1,")),
        ("\"sigmoid\"", format!("\"{long}\"")),
        ("\"dose\": 1.1817286000717564", format!("\"{long}\": null")),
    ] {
        let why = refusal(&seal(&SEALED.replacen(from, &to, 1)));
        assert!(why.len() < 400 && why.contains("long long"), "{}", &why[..why.len().min(1000)]);
    }
}

#[test]
fn a_version_that_is_newer_is_told_from_one_that_is_broken() {
    let newer = "{\"format\": \"agglio model\", \"version\": 4, and then something that is not even JSON";
    assert!(refusal(newer).contains("upgrade"));
    for text in ["", "{", "[]", "null", "{\"format\": \"agglio model\"", "{\"format\": \"agglio model\"}", "a,b\n1,2\n"]
    {
        assert!(refusal(text).starts_with("not a model file: "), "{text}");
    }
}

#[test]
fn columns_are_kept() {
    let model = seal(&SEALED.replace("\"columns\": null", "\"columns\": 4"));
    let model = Model::from_json(&model, Path::new("m.json")).unwrap();
    assert_eq!(model.columns(), Some(4));
    assert_eq!(Model::from_json(&model.to_json(), Path::new("m.json")).unwrap().columns(), Some(4));
    // a file that has no word of them is as one that has null
    let without = seal(&SEALED.replace("  \"columns\": null,\n", ""));
    assert_eq!(Model::from_json(&without, Path::new("m.json")).unwrap().columns(), None);
}

#[test]
fn what_is_too_large_or_no_text_is_not_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("m.json");
    let file = fs::File::create(&path).unwrap();
    // holes: no disk is used, and no memory may be
    file.set_len(1 << 40).unwrap();
    let why = Model::load(&path).unwrap_err().to_string();
    assert!(why.ends_with("m.json: larger than 64 MiB: not a model file"), "{why}");
    file.set_len(bounded::LARGEST).unwrap();
    assert!(bounded::read(&path, "model file").is_ok());
    fs::write(&path, b"{\xff}").unwrap();
    let why = Model::load(&path).unwrap_err().to_string();
    assert!(why.contains("m.json: byte 2 is not UTF-8: not a model file"), "{why}");
    #[cfg(unix)]
    {
        let why = bounded::read(Path::new("/dev/zero"), "model file").unwrap_err().to_string();
        assert!(why.contains("larger than 64 MiB"), "{why}");
    }
}

#[test]
fn names_that_are_not_one_each_make_no_model() {
    let data = bank::paper("tanh", 50, 2, LabelNoise::None, 53);
    let report = Options::new(named("tanh").unwrap()).build().unwrap().fit(&bank::rows(&data)).unwrap();
    for (names, what) in [(&["a", "a"][..], "two coefficients of `a`"), (&["a"][..], "1 names for 2")] {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let (activation, solver, target) = ("tanh", "gd", "y");
        let origin = Origin { activation, solver, target, offset: None, columns: None, names: &names };
        let why = Model::new(&report, &origin).unwrap_err().to_string();
        assert!(why.contains(what), "{why}");
    }
}

#[test]
fn a_saved_model_replaces_only_when_asked() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("m.json");
    let model = Model::load(&fixture("model-v1.json")).unwrap();
    fs::write(&path, "old").unwrap();
    let why = model.save(&path, false).unwrap_err().to_string();
    assert!(why.ends_with("m.json: the file exists"), "{why}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    model.save(&path, true).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), SEALED);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_model_reads_back_to_the_same_bits() {
    let data = bank::paper("leaky-softplus", 100, 3, LabelNoise::Post(0.1, Shape::Gauss), 51);
    let report = Options::new(named("leaky-softplus").unwrap()).build().unwrap().fit(&bank::rows(&data)).unwrap();
    let names: Vec<String> = ["third", "a", "B \"quoted\""].map(Into::into).to_vec();
    let origin =
        Origin { activation: "leaky-softplus", solver: "gd", target: "y", offset: None, columns: None, names: &names };
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
fn a_model_keeps_its_covariance_and_its_curve() {
    let x: Vec<f64> = (1..=12).map(f64::from).collect();
    let y = x.iter().map(|x| 1.0 + 7.0 / (1.0 + (x / 4.0).powi(3)) + 0.1 * (7.0 * x).sin()).collect();
    let rows = Dense::new(x.iter().map(|x| x.ln()).collect(), 1, y).unwrap();
    let curve = Curve::Ll4;
    let fitted = curve.options().unwrap().build().unwrap().fit(&rows).unwrap();
    let model = fitted.model("y", &["log(x)".to_owned()]).unwrap();
    let inference = fitted.inference(Covariance::Classical).unwrap().unwrap();
    let summary = model.inference().unwrap();
    let errors =
        |estimates: Vec<Estimate>| -> Vec<f64> { estimates.iter().map(|own| own.standard_error.unwrap()).collect() };
    for (own, expected) in errors(summary.estimates()).iter().zip(errors(inference.estimates())) {
        assert!((own / expected - 1.0).abs() < 1e-8, "{own} {expected}");
    }
    assert_eq!((summary.se, model.curve()), (Covariance::Classical, None));
    let again = Model::from_json(&model.with_curve(curve).to_json(), Path::new("m.json")).unwrap();
    assert_eq!(again.curve(), Some(curve));
    let lines = curve.lines(again.inference().unwrap(), again.affine());
    let values = curve.values_at(again.coefficients(), again.intercept(), again.affine());
    for (line, value) in lines.iter().zip(&values) {
        assert!((line.estimate.value / value - 1.0).abs() < 1e-12, "{}: {value}", line.name);
    }
    // e by the delta method with differences
    let e = inference.function(|beta| (-beta[1] / beta[0]).exp());
    let found = lines[3].estimate.standard_error.unwrap();
    assert!((found / e.standard_error.unwrap() - 1.0).abs() < 1e-7, "{found}");
    // a summary of another fit has none of these parameters
    assert!(Curve::Ll3.lines(again.inference().unwrap(), again.affine()).is_empty());
}

#[test]
fn files_of_version_1_that_are_no_model_are_refused() {
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
        (good.replace("\"a\":1.0", ""), "no coefficients"),
        (good.replace("\"a\":1.0", "\"a\":1.0,\"b\":2,\"a\":1.0"), "two coefficients of `a`"),
        (good.replace("\"offset\":null,", ""), "missing field `offset`"),
        (good.replace("\"rows\":5", "\"rows\":5,\"columns\":2"), "unknown field `columns`"),
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
    let weights = Coefficients { intercept: 0.1, coefficients: vec![("b".into(), 2.0), ("a".into(), 1.0 / 3.0)] };
    let path = Path::new("w.json");
    let again = Coefficients::from_json(&weights.to_json(), path).unwrap();
    assert_eq!(again, weights);
    let names = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
    assert_eq!(again.in_order(&names(&["a", "b"]), path).unwrap(), [1.0 / 3.0, 2.0]);
    assert!(again.in_order(&names(&["a"]), path).unwrap_err().to_string().contains("`b`"));
    assert!(again.in_order(&names(&["a", "b", "c"]), path).unwrap_err().to_string().contains("`c`"));
    for (text, what) in [
        (r#"{"coefficients":{"a":"x"}}"#, "`a`"),
        (r#"{"coefficients":{"a":1,"b":2,"a":1}}"#, "two coefficients of `a`"),
        (r#"{"coefficients":{"a":1},"coefficients":{"a":1}}"#, "duplicate field `coefficients`"),
        (r#"{"coefficients":{"a":1e999}}"#, "`a`: number out of range"),
        (r#"{"intercept":-1e999,"coefficients":{"a":1}}"#, "number out of range"),
        (r#"{"intercept":NaN,"coefficients":{"a":1}}"#, "not a coefficients file"),
        (r#"{"bias":1,"coefficients":{"a":1}}"#, "bias"),
    ] {
        let error = Coefficients::from_json(text, path).unwrap_err().to_string();
        assert!(error.starts_with("w.json: not a coefficients file: ") && error.contains(what), "{error}");
    }
}

/// Under pre-activation noise the mean of y is E φ(z + ε), not φ(z).
#[test]
fn predictions_under_pre_activation_noise_are_means() {
    let data = bank::paper("exp", 4000, 3, LabelNoise::Pre(0.5, Shape::Gauss), 52);
    let report = Options::new(named("exp").unwrap()).intercept(false).noise(Noise::Pre);
    let report = report.build().unwrap().fit(&bank::rows(&data)).unwrap();
    let names: Vec<String> = ["a", "b", "c"].map(Into::into).to_vec();
    let origin = Origin { activation: "exp", solver: "gd", target: "y", offset: None, columns: None, names: &names };
    let model = Model::new(&report, &origin).unwrap();
    let [mean, median] = [Centre::Mean, Centre::Median].map(|centre| model.predict(&data.values, None, centre));
    // of a log-normal variable the mean is exp(σ²/2) times the median, and σ is .5
    for (mean, median) in mean.iter().zip(&median) {
        assert!((mean / median / (0.125_f64).exp() - 1.0).abs() < 0.02);
    }
    let ratio = mean[0] / median[0];
    assert!(mean.iter().zip(&median).all(|(mean, median)| (mean / median - ratio).abs() < 1e-12));
}
