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
    Group { title: "Model files", cases: cases.into_iter().chain(answers()).collect() }
}

/// What is asked of a model beside its predictions.
fn answers() -> Vec<Case> {
    vec![
        case(
            "a linear predictor with the interval of an observation",
            "predict model.json data.csv --linear --interval prediction",
        )
        .refused(["--linear has no --interval prediction", "--interval confidence"]),
        case("the median of a linear predictor", "predict model.json data.csv --linear --median")
            .refused(["--linear has no --median"]),
        case("a level without an interval", "predict model.json data.csv --level 0.9").refused(["pass --interval"]),
        case("an unknown interval", "predict model.json data.csv --interval wide")
            .refused(["`confidence` or `prediction`"]),
        case("intervals of a model without covariance", "predict m.json data.csv --interval confidence")
            .file("m.json", FIRST)
            .refused(["no covariance", "the fit had no standard errors", "fit it again"]),
        case("a column to keep that does not exist", "predict model.json data.csv --keep size -o p.csv")
            .refused(["data.csv: no column is called `size`"]),
        case("the same column kept twice", "predict model.json data.csv --keep x1,x1 -o p.csv")
            .refused(["two columns of the result would be called `x1`"]),
        case("a kept column with the name of the prediction", "predict model.json d.csv --keep prediction -o p.csv")
            .file("d.csv", "x1,x2,x3,prediction\n1,2,3,4\n")
            .refused(["two columns of the result would be called `prediction`"]),
        case("kept text in Latin-1", "predict model.json d.csv --keep city -o p.csv")
            .file("d.csv", b"x1,x2,x3,city\n1,2,3,K\xf6ln\n")
            .refused(["d.csv:2: column `city`", "is not UTF-8"]),
        case("a kept cell without text", "predict model.json d.csv --keep city")
            .file("d.csv", "x1,x2,x3,city\n1,2,3,\n"),
        case("the inverse of a model with three covariates", "predict model.json data.csv --inverse")
            .refused(["exactly one covariate"]),
        case("the inverse of a linear predictor", "predict model.json data.csv --inverse --linear")
            .refused(["leave one of them out"]),
        case("responses beyond the asymptotes", "predict one.json d.csv --inverse")
            .prepare(|f| assert_eq!(f.run("fit data.csv --target y --features x1 --model one.json").code, Some(0)))
            .file("d.csv", "y\n0.5\n1\n-0.2\n")
            .warned(0, ["2 of 3 responses are at or beyond an asymptote"]),
        case("responses that are missing", "predict one.json d.csv --inverse")
            .prepare(|f| assert_eq!(f.run("fit data.csv --target y --features x1 --model one.json").code, Some(0)))
            .file("d.csv", "x1\n0.5\n")
            .refused(["d.csv: no column is called `y`"]),
        case("effects of a model without covariance", "effects m.json data.csv")
            .file("m.json", FIRST)
            .refused(["no covariance", "fit it again"]),
        case("effects under noise before the activation", "effects pre.json data.csv")
            .prepare(|f| assert_eq!(f.run("fit data.csv --target y --noise pre --model pre.json").code, Some(0)))
            .refused(["noise after the activation only"]),
        case("effects without a covariate", "effects model.json d.csv")
            .file("d.csv", "x1,x2\n1,2\n")
            .refused(["d.csv: no column is called `x3`"]),
        case("effects with a negative weight", "effects model.json d.csv --weights w")
            .file("d.csv", "x1,x2,x3,w\n1,2,3,-1\n")
            .refused(["d.csv:2: column `w`", "is negative"]),
        case("effects in the form of a fit", "effects model.json data.csv --format glance")
            .refused(["table, json or tidy"]),
    ]
}
