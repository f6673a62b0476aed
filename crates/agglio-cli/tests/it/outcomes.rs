//! Data whose right outcome is known: an optimum at infinity, a saddle, a response on another scale, a minimum that is hard
//! to find. No wrong fit may be certified.
//!
//! The fixtures were drawn at random; three of them are rounded to three or four digits. Lowest losses are those of scipy's
//! `least_squares`, the best of 26 starts, and for GELU of 41, since 26 did not find it.

use std::fmt::Write;

use serde_json::Value;

use crate::{Folder, Numbers, assert_close, number, sigmoid};

/// The exit code of `fit`, and its JSON object.
#[track_caller]
fn outcome(folder: &Folder, words: &str) -> (Option<i32>, Value) {
    let run = folder.run(&format!("fit data.csv --target y --format json --quiet {words}"));
    let fit = serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{words}: {why}: {}", run.stderr));
    (run.code, fit)
}

/// The fit has this status, is not certified and exits with 3.
#[track_caller]
fn assert_not_certified(folder: &Folder, words: &str, status: &str) -> Value {
    let (code, fit) = outcome(folder, words);
    let found = (code, fit["status"].as_str().unwrap(), fit["certified"].as_bool());
    assert_eq!(found, (Some(3), status, Some(false)), "{words}: {fit}");
    fit
}

#[track_caller]
fn assert_certified(folder: &Folder, words: &str) -> Value {
    let (code, fit) = outcome(folder, words);
    let found = (code, fit["status"].as_str().unwrap(), fit["certified"].as_bool());
    assert_eq!(found, (Some(0), "converged", Some(true)), "{words}: {fit}");
    fit
}

/// A folder whose `data.csv` has this header and these rows.
fn table(header: &str, rows: impl IntoIterator<Item = Vec<f64>>) -> Folder {
    let mut text = format!("{header}\n");
    for row in rows {
        let cells: Vec<String> = row.iter().map(f64::to_string).collect();
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    Folder::with(&[("data.csv", &text)])
}

/// A folder whose `data.csv` is this fixture.
fn fixture(text: &str) -> Folder {
    Folder::with(&[("data.csv", text)])
}

fn indicator(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// For these numbers of rows the share of saturated rows, a sum of 1/n, was and was not exactly one.
#[test]
fn a_step_is_diverging_for_every_number_of_rows() {
    for n in [47, 49, 51, 98, 103] {
        let step = table("x,y", (0..n).map(|i| vec![f64::from(i - n / 2), indicator(i >= n / 2)]));
        assert_not_certified(&step, "", "diverging");
    }
}

/// A row of zeros is never saturated without an intercept.
#[test]
fn separable_rows_and_a_row_of_zeros_are_not_certified() {
    let x = |i: usize| [(i * 7919 % 101) as f64 / 50.0 - 1.0, (i * 104_729 % 103) as f64 / 51.0 - 1.0];
    let separable = (0..60).map(|i| vec![x(i)[0], x(i)[1], indicator(x(i)[0] + 2.0 * x(i)[1] > 0.0)]);
    let folder = table("a,b,y", separable.chain([vec![0.0, 0.0, 0.5]]));
    for solver in ["auto", "lm", "newton", "lbfgs", "irls", "multistart"] {
        assert_not_certified(&folder, &format!("--no-intercept --solver {solver}"), "diverging");
    }
    for solver in ["gd", "sgd", "svrg", "momentum", "nesterov", "adam", "newton-cg", "yogi"] {
        let (code, fit) = outcome(&folder, &format!("--no-intercept --solver {solver}"));
        assert_eq!((code, &fit["certified"]), (Some(3), &Value::Bool(false)), "{solver}: {fit}");
    }
}

/// Grades of 32 students (Spector and Mazzeo, 1980): grade point average, test score, new teaching method, grade A.
/// Restarts find a loss of 1/8 at infinity; the finite minimum is kept. scipy finds both.
#[test]
fn a_finite_minimum_is_kept_before_a_lower_loss_at_infinity() {
    let averages = [
        2.66, 2.89, 3.28, 2.92, 4.0, 2.86, 2.76, 2.87, 3.03, 3.92, 2.63, 3.32, 3.57, 3.26, 3.53, 2.74, 2.75, 2.83,
        3.12, 3.16, 2.06, 3.62, 2.89, 3.51, 3.54, 2.83, 3.39, 2.67, 3.65, 4.0, 3.1, 2.39,
    ];
    let scores = [
        20, 22, 24, 12, 21, 17, 17, 21, 25, 29, 20, 23, 23, 25, 26, 19, 25, 19, 23, 25, 22, 28, 14, 26, 24, 27, 17, 24,
        21, 23, 21, 19,
    ];
    let with_a = [4, 9, 13, 19, 21, 24, 25, 26, 28, 29, 31];
    let row = |i: usize| vec![averages[i], f64::from(scores[i]), indicator(i >= 18), indicator(with_a.contains(&i))];
    let folder = table("average,score,method,y", (0..32).map(row));
    for words in ["", "--restarts auto"] {
        let fit = assert_certified(&folder, words);
        assert_close(number(&fit["loss"]), 0.128_478_216_099_7, 1e-9);
    }
    let fit = assert_certified(&folder, "--restarts auto");
    assert_close(number(&fit["lower_at_infinity"]), 0.125, 1e-6);
    let printed = folder.run("fit data.csv --target y --restarts auto").stdout;
    assert!(printed.contains("the loss falls to 0.125000 as"), "{printed}");
}

/// Rows and their mirror images have the same labels, so w₂ = 0 is stationary. Ten rows far out make it a saddle, and a
/// sample of the 200 000 rows misses most of them.
#[test]
fn a_saddle_of_few_rows_of_high_leverage_is_not_certified() {
    let pair = |i: usize| {
        let x = (i * 7919 % 1009) as f64 / 504.0 - 1.0;
        let far = i % 20_000 == 7;
        let e = if far { 1000.0 } else { (i * 104_729 % 997) as f64 / 498.0 - 1.0 };
        let y = if far { 9.0 } else { x.exp().ln_1p() + 0.05 * ((i * 31 % 7) as f64 - 3.0) };
        [vec![x, e, y], vec![x, -e, y]]
    };
    let folder = table("x,mirrored,y", (0..100_000).flat_map(pair));
    for solver in ["lbfgs", "gd", "nesterov", "newton-cg"] {
        let (code, fit) = outcome(&folder, &format!("--activation softplus --solver {solver}"));
        let at_saddle = number(&fit["coefficients"]["mirrored"]).abs() < 1e-9;
        assert!(at_saddle && code == Some(3) && fit["certified"] == false, "{solver}: {fit}");
        assert_eq!(number(&fit["certificate"]["curvature_rows"]), 200_000.0, "{solver}");
    }
    assert!(number(&assert_certified(&folder, "--activation softplus")["loss"]) < 0.0121);
}

/// A step that is predicted to gain less than rounding may still lead up to where slopes have vanished.
#[test]
fn no_step_leads_up_to_a_plateau() {
    let folder = fixture(include_str!("fixtures/labels_outside.csv"));
    let fit = assert_not_certified(&folder, "", "wrong scale");
    assert_close(number(&fit["loss"]), 0.056_089_332_9, 1e-6);
    let folder = fixture(include_str!("fixtures/few_rows_outside.csv"));
    let fit = assert_not_certified(&folder, "--activation probit", "wrong scale");
    assert_close(number(&fit["loss"]), 0.020_881_889, 1e-6);
}

/// Labels are zero or one, and one in fifty is one. The lowest minimum has labels of zero far to the left.
#[test]
fn zeros_far_to_the_left_of_gelu_are_found() {
    let folder = fixture(include_str!("fixtures/few_ones.csv"));
    let fit = assert_certified(&folder, "--activation gelu");
    assert_close(number(&fit["loss"]), 0.011_598_696, 1e-6);
}

/// Labels of exp without noise from 1e-14 to 1e13: clipped at a margin in units of their deviation, nearly all would be the
/// same.
#[test]
fn labels_of_many_orders_under_exp_are_fitted_exactly() {
    let truth = [0.1023, -0.01357, 0.1203, -0.1878, 0.0791, -0.068];
    let covariates = Numbers::parse(include_str!("fixtures/heavy_tails.csv"));
    let labelled = |x: &Vec<f64>| {
        let z: f64 = x.iter().zip(truth).map(|(x, w)| x * w).sum();
        x.iter().copied().chain([(z - 0.1335).exp()]).collect()
    };
    let folder = table(&format!("{},y", covariates.header.join(",")), covariates.rows.iter().map(labelled));
    let (_, fit) = outcome(&folder, "--activation exp");
    assert_eq!(fit["status"], "converged", "{fit}");
    for (name, w) in covariates.header.iter().zip(truth) {
        assert_close(number(&fit["coefficients"][name]), w, 1e-12);
    }
    assert_close(number(&fit["intercept"]), -0.1335, 1e-12);
}

/// Covariates from 1e-300 to 1e300 and labels of 1e-93: a coefficient that underflows is refused, and where none does, the
/// loss is that of the coefficients as printed.
#[test]
fn a_coefficient_that_underflows_is_refused() {
    let folder = fixture(include_str!("fixtures/wide_range.csv"));
    for activation in ["identity", "tanh", "gelu"] {
        let run = folder.run(&format!("fit data.csv --target y --activation {activation}"));
        let told = run.stderr.contains("so large that its coefficient underflows");
        assert!(run.code == Some(2) && told && run.stdout.is_empty(), "{activation}: {}", run.stderr);
    }
    let (_, fit) = outcome(&folder, "--activation exp");
    let data = Numbers::parse(&folder.read("data.csv"));
    let residuals = data.predictors(&fit).into_iter().zip(data.column("y")).map(|(z, y)| z.exp() - y);
    let loss = residuals.map(|r| r * r).sum::<f64>() / data.rows.len() as f64;
    assert_close(number(&fit["loss"]), loss, 1e-9);
}

/// Four rows fit exactly whatever the other coefficients are.
#[test]
fn an_exact_fit_of_very_many_columns_is_not_identified() {
    let folder = Folder::new();
    let words = "simulate --rows 4 --features 100000 --activation sigmoid --seed 3 -o data.csv";
    assert_eq!(folder.run(words).code, Some(0));
    for solver in ["auto", "lbfgs", "newton-cg"] {
        let fit = assert_not_certified(&folder, &format!("--solver {solver}"), "not identified");
        assert!(number(&fit["loss"]) <= 1e-25, "{solver}: {}", fit["loss"]);
    }
}

/// y = exp(z + σε) has the mean exp(z + σ²/2), which for σ = 7 is 4e10 times the median.
#[test]
fn means_of_a_wide_lognormal_law_are_those_of_the_closed_form() {
    let folder = Folder::new();
    let words = "simulate --rows 500 --features 2 --activation exp --noise pre:7 --seed 4 -o data.csv";
    assert_eq!(folder.run(words).code, Some(0));
    let (code, fit) = outcome(&folder, "--activation exp --noise pre --model model.json");
    assert_eq!(code, Some(0), "{fit}");
    let model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    let data = Numbers::parse(&folder.read("data.csv"));
    let predictors = data.predictors(&fit);
    let squares = predictors.iter().zip(data.column("y")).map(|(z, y)| (y.ln() - z).powi(2));
    let sigma = number(&model["deviation"]);
    // by n or by n less the coefficients
    assert_close(sigma, (squares.sum::<f64>() / 500.0).sqrt(), 4e-3);
    assert!((6.5..7.5).contains(&sigma), "{sigma}");
    let means = Numbers::parse(&folder.run("predict model.json data.csv").stdout).column("prediction");
    for (mean, z) in means.into_iter().zip(predictors) {
        assert_close(mean, (z + 0.5 * sigma * sigma).exp(), 1e-11);
    }
}

/// Lengths of roots from 0.2 to 8.3 by dose, and percentages: neither is fitted by a sigmoid from 0 to 1.
#[test]
fn a_response_on_another_scale_is_told() {
    let dose = |i: usize| (i % 8) as f64 / 2.0;
    let noise = |i: usize| 0.1 * ((i * 31 % 7) as f64 - 3.0) / 3.0;
    let roots = table("dose,y", (0..24).map(|i| vec![dose(i), 0.3 + 8.0 * sigmoid(5.0 - 3.0 * dose(i)) + noise(i)]));
    let percent = table("dose,y", (0..24).map(|i| vec![dose(i), 100.0 * sigmoid(2.0 - dose(i)) + noise(i)]));
    for folder in [roots, percent] {
        let fit = assert_not_certified(&folder, "", "wrong scale");
        let verdict = fit["certificate"]["verdict"].as_str().unwrap();
        assert!(verdict.contains("`y` runs from") && verdict.contains("divide"), "{verdict}");
    }
    let shares = table("dose,y", (0..24).map(|i| vec![dose(i), sigmoid(2.0 - dose(i)) + 0.1 * noise(i)]));
    assert_certified(&shares, "");
}

/// Labels in the range of φ are not clipped under a cap, so the end of the path is the truth.
#[test]
fn a_cap_does_not_move_the_truth() {
    let folder = Folder::new();
    let words = "simulate --rows 1000 --features 20 --activation sigmoid --norm 5 --design normal --seed 3 -o data.csv";
    assert_eq!(folder.run(&format!("{words} --truth truth.json")).code, Some(0));
    let truth: Value = serde_json::from_str(&folder.read("truth.json")).unwrap();
    for solver in ["gd", "auto"] {
        let (_, fit) = outcome(&folder, &format!("--tau-max 0.3 --solver {solver}"));
        for (name, w) in truth["coefficients"].as_object().unwrap() {
            let off = (number(&fit["coefficients"][name]) - number(w)).abs();
            assert!(off <= 1e-12, "{solver}: {name} is off by {off:e}");
        }
    }
}
