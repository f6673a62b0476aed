//! Files that keep a fit: models and weights.

use std::path::Path;

use agglio::model::{Centre, Coefficients, Model};
use arbitrary::{Result, Unstructured};
use crc::{CRC_64_XZ, Crc};

/// A model as the program writes it.
const VALID: &str = r#"{
  "format": "agglio model",
  "version": 2,
  "activation": "leaky-softplus:0.3",
  "target": "y",
  "offset": "o",
  "columns": null,
  "intercept": -0.5,
  "coefficients": {
    "a": 1.5,
    "b": -2e-3
  },
  "noise": "pre",
  "tau": 0.0,
  "deviation": 0.25,
  "loss": 0.0625,
  "status": "converged",
  "solver": "auto",
  "rows": 100,
  "checksum": "crc64:0000000000000000"
}
"#;

/// Reads bytes as a model and as weights, or as a change to a valid model: what is accepted is written as it is read.
pub fn model(data: &[u8]) {
    let (change, rest) = data.split_first().map_or((false, data), |(first, rest)| (first % 2 == 1, rest));
    let text = match change {
        true => changed(rest).unwrap_or_default(),
        false => String::from_utf8_lossy(rest).into_owned(),
    };
    check_model(&sealed(text.clone()));
    check_weights(&text);
}

/// The valid model with some of its bytes replaced.
fn changed(data: &[u8]) -> Result<String> {
    let mut bytes = Unstructured::new(data);
    let start = bytes.int_in_range(0..=VALID.len())?;
    let end = start + bytes.int_in_range(0..=VALID.len() - start)?;
    let inner = String::from_utf8_lossy(bytes.take_rest());
    Ok(format!("{}{inner}{}", &VALID[..start], &VALID[end..]))
}

/// The text with the checksum that its writer would have given it, so that changes get past that.
fn sealed(mut text: String) -> String {
    const LABEL: &str = "\"checksum\": \"crc64:";
    let start = text.find(LABEL).map(|label| label + LABEL.len());
    if let Some(digits) = start.map(|start| start..start + 16).filter(|digits| text.get(digits.clone()).is_some()) {
        let sum = Crc::<u64>::new(&CRC_64_XZ).checksum(&text.as_bytes()[..digits.start]);
        text.replace_range(digits, &format!("{sum:016x}"));
    }
    text
}

fn check_model(text: &str) {
    let path = Path::new("m.json");
    let model = match Model::from_json(text, path) {
        Ok(model) => model,
        Err(why) => return assert!(why.to_string().starts_with("m.json: "), "{why}"),
    };
    let written = model.to_json();
    let again = match Model::from_json(&written, path) {
        Ok(again) => again,
        Err(why) => panic!("{why}: {written}"),
    };
    assert_eq!(again.to_json(), written);
    let parts = |model: &Model| (model.names(), model.target().to_owned(), model.activation().to_owned());
    assert_eq!(parts(&again), parts(&model));
    let row: Vec<f64> = (0..model.names().len()).map(|j| j as f64 - 1.0).collect();
    for centre in [Centre::Mean, Centre::Median] {
        let bits = |model: &Model| model.predict(&row, None, centre).into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(&again), bits(&model), "{written}");
    }
}

fn check_weights(text: &str) {
    let path = Path::new("w.json");
    match Coefficients::from_json(text, path) {
        Ok(weights) => {
            assert!(Coefficients::from_json(&weights.to_json(), path).is_ok_and(|again| again == weights), "{text}")
        }
        Err(why) => assert!(why.to_string().starts_with("w.json: "), "{why}"),
    }
}
