//! Model files that are none, or not what was written.

use super::{Case, Group, case};
use crate::Folder;

fn predict(input: &'static str) -> Case {
    case(input, "predict m.json data.csv -o p.csv")
}

/// Writes `m.json`, the common model with a change.
fn changed(folder: &Folder, change: impl Fn(&str) -> String) {
    folder.write("m.json", &change(&folder.read("model.json")));
}

/// A model of the first version, which has no checksum, so that what is in it can be tried.
const FIRST: &str = r#"{"format": "agglio model", "version": 1, "activation": "sigmoid", "target": "y", "offset": null,
    "intercept": 0.5, "coefficients": {"x1": 1.0, "x2": 2, "x3": 3}, "noise": "post", "tau": 1.0, "deviation": null, "loss": 0.1,
    "status": "converged", "solver": "gd", "rows": 5}"#;

fn first(input: &'static str, from: &str, to: &str) -> Case {
    predict(input).file("m.json", FIRST.replace(from, to))
}

pub fn group() -> Group {
    let cases = vec![
        case("a model that does not exist", "predict nowhere.json data.csv").refused(["nowhere.json: No such file"]),
        case("data as model", "predict data.csv data.csv").refused(["data.csv: not a model"]),
        case("a coefficients file as model", "predict weights.json data.csv").refused(["weights.json: not a model"]),
        case("a folder as model", "predict . data.csv").refused(["directory"]),
        predict("0 bytes").file("m.json", "").refused(["m.json: not a model"]),
        case("an endless file of zeros as model", "predict /dev/zero data.csv").refused(["/dev/zero"]),
        predict("half of a model file")
            .prepare(|f| changed(f, |text| text[..text.len() / 2].to_owned()))
            .refused(["m.json:"]),
        predict("without its last byte")
            .prepare(|f| changed(f, |text| text[..text.len() - 1].to_owned()))
            .refused(["checksum"]),
        predict("a digit changed")
            .prepare(|f| changed(f, |text| text.replacen("0.", "1.", 1)))
            .refused(["checksum mismatch"]),
        predict("a space added").prepare(|f| changed(f, |text| format!("{text} "))).refused(["checksum"]),
        predict("a later version")
            .prepare(|f| changed(f, |text| text.replace("\"version\": 3", "\"version\": 9")))
            .refused(["version 9", "newer"]),
        first("a version far in the future", "\"version\": 1", "\"version\": 100000000000000000000")
            .refused(["upgrade"]),
        first("the first version", "", ""),
        first("an unknown key", "\"tau\"", "\"tua\"").refused(["`tua`"]),
        first("the same key twice", "\"rows\": 5", "\"rows\": 5, \"rows\": 6").refused(["rows"]),
        first("a status that does not exist", "converged", "certain").refused(["status"]),
        first("no rows", "\"rows\": 5", "\"rows\": 0").refused(["rows"]),
        first("a coefficient twice", "\"x2\": 2", "\"x2\": 2, \"x2\": 3").refused(["x2"]),
        first("a number that overflows", "3}", "1e999}").refused(["m.json: not a model"]),
        first("text in place of a number", "3}", "\"3\"}").refused(["m.json: not a model"]),
        first("an activation that does not exist", "sigmoid", "sigmund").refused(["sigmund"]),
        first("no coefficients", "\"x1\": 1.0, \"x2\": 2, \"x3\": 3", "").refused(["m.json: not a model"]),
        predict("deeply nested JSON").file("m.json", "[".repeat(100_000)).refused(["m.json: not a model"]),
        case("data without its header", "predict m.json data.csv")
            .file("m.json", FIRST)
            .prepare(|f| {
                let text = f.read("data.csv");
                f.write("data.csv", text.split_once('\n').unwrap().1);
            })
            .refused(["data.csv: no column is called `x1`"]),
    ];
    Group { title: "Model files", cases }
}
