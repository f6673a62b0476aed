//! Numbers that go out and come back: what one command writes, another reads, and the test recomputes.

use crate::{BEYOND, Folder, Numbers, assert_close, mean_square, number, sigmoid};

/// φ by its textbook formula.
fn phi(name: &str, z: f64) -> f64 {
    match name {
        "sigmoid" => sigmoid(z),
        "softplus" => z.exp().ln_1p(),
        "silu" => z * sigmoid(z),
        "tanh" => z.tanh(),
        "exp" => z.exp(),
        "arctan" => z.atan(),
        "cloglog" => 1.0 - (-z.exp()).exp(),
        "gompertz" => (-(-z).exp()).exp(),
        "expm1" => 1.0 - (-z).exp(),
        _ => z,
    }
}

#[test]
fn simulate_fit_predict_score() {
    for name in ["sigmoid", "softplus", "silu", "tanh", "exp", "identity", "arctan", "cloglog", "gompertz", "expm1"] {
        let folder = Folder::new();
        let simulate =
            format!("simulate --rows 400 --features 4 --norm 1 --activation {name} --noise post:0.05 -o d.csv");
        assert_eq!(folder.run(&simulate).code, Some(0));
        let fit = folder.fit(&format!("d.csv --target y --activation {name} --model m.json"));
        assert_eq!(fit["status"], "converged", "{name}");
        assert_eq!(folder.run("predict m.json d.csv -o p.csv").code, Some(0));

        let data = Numbers::parse(&folder.read("d.csv"));
        let expected: Vec<f64> = data.predictors(&fit).into_iter().map(|z| phi(name, z)).collect();
        let predictions = Numbers::parse(&folder.read("p.csv"));
        assert_eq!(predictions.header, ["prediction"]);
        assert_eq!(predictions.rows.len(), 400);
        for (found, expected) in predictions.column("prediction").into_iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-14 * (1.0 + expected.abs()), "{name}: {found} {expected}");
        }

        let labels = data.column("y");
        let score: serde_json::Value =
            serde_json::from_str(&folder.run("score m.json d.csv --format json").stdout).unwrap();
        let fields: Vec<&String> = score.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["rows", "loss", "rmse", "mae", "r_squared", "predictions"]);
        let loss = mean_square(&expected, &labels);
        let mean = labels.iter().sum::<f64>() / 400.0;
        let mae = expected.iter().zip(&labels).map(|(p, y)| (p - y).abs()).sum::<f64>() / 400.0;
        assert_close(number(&fit["loss"]), loss, 1e-12);
        assert_close(number(&score["loss"]), loss, 1e-12);
        assert_close(number(&score["rmse"]), loss.sqrt(), 1e-12);
        assert_close(number(&score["mae"]), mae, 1e-12);
        assert_close(number(&score["r_squared"]), 1.0 - loss / mean_square(&vec![mean; 400], &labels), 1e-12);
        assert_eq!((number(&score["rows"]), score["predictions"].as_str()), (400.0, Some("mean")));
    }
}

#[test]
fn labels_at_and_beyond_the_bounds_count_as_they_are() {
    let folder = Folder::with(&[("beyond.csv", BEYOND)]);
    for words in ["", "--solver nesterov", "--solver gd --epochs 20", "--no-intercept", "--solver sgd --epochs 30"] {
        let fit = folder.fit(&format!("beyond.csv --target y --activation sigmoid {words}"));
        let data = Numbers::parse(BEYOND);
        let fitted: Vec<f64> = data.predictors(&fit).into_iter().map(sigmoid).collect();
        assert_close(number(&fit["loss"]), mean_square(&fitted, &data.column("y")), 1e-12);
    }
    assert_eq!(folder.fit("beyond.csv --target y --activation sigmoid")["status"], "converged");
}

#[test]
fn the_truth_is_found_and_read_back() {
    let folder = Folder::new();
    let simulate = "simulate --rows 500 --features 6 --activation softplus --norm 3 --seed 9 -o d.csv --truth w.json";
    assert_eq!(folder.run(simulate).code, Some(0));
    let truth: serde_json::Value = serde_json::from_str(&folder.read("w.json")).unwrap();
    let distance = |fit: &serde_json::Value| {
        let coefficients = fit["coefficients"].as_object().unwrap();
        let squares = coefficients.iter().map(|(name, w)| (number(w) - number(&truth["coefficients"][name])).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let fit = folder.fit("d.csv --target y --activation softplus --no-intercept");
    assert_eq!(number(&fit["intercept"]), 0.0);
    assert!(distance(&fit) <= 1e-12, "{fit}");
    // no epochs: the start is what is returned
    let started =
        folder.fit("d.csv --target y --activation softplus --no-intercept --solver gd --epochs 0 --init w.json");
    assert!(distance(&started) <= 1e-14, "{started}");
    let zero = folder.fit("d.csv --target y --activation softplus --no-intercept --solver gd --epochs 0");
    assert_close(distance(&zero), 3.0, 1e-12);
}

#[test]
fn simulated_tables_have_17_digits_and_a_seed() {
    let folder = Folder::new();
    let simulate =
        |words: &str| folder.run(&format!("simulate --rows 20 --features 2 --activation gelu -o - {words}")).stdout;
    let table = simulate("");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("x1,x2,y"));
    assert_eq!(lines.clone().count(), 20);
    for cell in lines.flat_map(|line| line.split(',')) {
        let mantissa = cell.split('e').next().unwrap().trim_start_matches(['-', '0', '.']);
        assert_eq!(mantissa.chars().filter(char::is_ascii_digit).count(), 17, "{cell}");
    }
    assert_eq!(simulate("--seed 0"), table);
    assert_ne!(simulate("--seed 1"), table);
    assert_ne!(simulate("--design normal"), table);
    assert_ne!(simulate("--noise pre:0.1:sign"), table);
}

#[test]
fn standard_input_is_a_file() {
    let folder = Folder::with_data();
    let file = folder.fit("data.csv --target y --model m.json");
    let run = folder.run_with_input("fit - --target y --format json", &folder.read("data.csv"));
    let piped: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&piped["coefficients"], &piped["loss"]), (&file["coefficients"], &file["loss"]));
    let predicted = folder.run_with_input("predict m.json -", &folder.read("data.csv"));
    assert_eq!(predicted.stdout, folder.run("predict m.json data.csv").stdout);
    assert!(
        folder.run_with_input("fit - --target y", "a,y\n1,2\nx,3\n").stderr.contains("standard input:3: column `a`")
    );
}

#[test]
fn columns_are_matched_by_name() {
    let folder = Folder::with(&[
        ("d.csv", "a,b,y\n1,2,0.2\n2,1,0.4\n3,5,0.3\n4,1,0.9\n"),
        ("e.csv", "\u{feff}b,note,a\r\n2,\"x, y\",1\r\n1,,2\r\n5,z,3\r\n1,w,4"),
    ]);
    folder.fit("d.csv --target y --model m.json");
    let predictions = folder.run("predict m.json d.csv").stdout;
    assert_eq!(predictions.lines().count(), 5);
    assert_eq!(folder.run("predict m.json e.csv").stdout, predictions);
    folder.write("one.csv", "a,b\n1,2\n");
    assert_eq!(folder.run("predict m.json one.csv").stdout.lines().nth(1), predictions.lines().nth(1));
}

#[test]
fn features_are_selected_by_name() {
    let folder = Folder::with(&[("d.csv", "a,note,b,y\n1,x,2,0.2\n2,y,1,0.4\n3,z,5,0.3\n4,w,1,0.9\n")]);
    let keys = |words: &str| {
        let fit = folder.fit(&format!("d.csv --target y {words}"));
        fit["coefficients"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(keys("--drop note"), ["a", "b"]);
    assert_eq!(keys("--features b,a"), ["b", "a"]);
    assert_eq!(keys("--features b"), ["b"]);
}

#[test]
fn noise_before_the_activation_predicts_means() {
    let folder = Folder::new();
    folder.run("simulate --rows 300 --features 2 --activation sigmoid --noise pre:1 --design normal -o d.csv");
    let fit = folder.fit("d.csv --target y --noise pre --model m.json");
    let column = |words: &str| Numbers::parse(&folder.run(words).stdout).column("prediction");
    let (means, medians) = (column("predict m.json d.csv"), column("predict m.json d.csv --median"));
    let z = Numbers::parse(&folder.read("d.csv")).predictors(&fit);
    for ((mean, median), z) in means.iter().zip(&medians).zip(z) {
        assert_close(*median, sigmoid(z), 1e-13);
        // averaging over noise pulls towards one half
        assert!((mean - 0.5).abs() < (median - 0.5).abs(), "{mean} {median}");
    }
    let score: serde_json::Value =
        serde_json::from_str(&folder.run("score m.json d.csv --format json").stdout).unwrap();
    let labels = Numbers::parse(&folder.read("d.csv")).column("y");
    assert_close(number(&score["loss"]), mean_square(&means, &labels), 1e-12);
    assert_close(number(&fit["loss"]), mean_square(&medians, &labels), 1e-12);
}

/// Of a log-normal label of log-deviation σ the mean is e^{xᵀw + σ²/2}, 4e10 times the median for σ = 7.
#[test]
fn means_of_wide_lognormal_labels_are_those_of_the_closed_form() {
    let folder = Folder::new();
    folder.run("simulate --rows 500 --features 2 --activation exp --noise pre:7 --design normal -o d.csv");
    let fit = folder.fit("d.csv --target y --activation exp --noise pre --model m.json");
    let data = Numbers::parse(&folder.read("d.csv"));
    let (z, labels) = (data.predictors(&fit), data.column("y"));
    // without bias, for two coefficients and an intercept
    let squares: f64 = z.iter().zip(&labels).map(|(z, y)| (y.ln() - z).powi(2)).sum();
    let variance = squares / (labels.len() - 3) as f64;
    assert!((variance.sqrt() - 7.0).abs() < 0.7, "{variance}");
    let means = Numbers::parse(&folder.run("predict m.json d.csv").stdout).column("prediction");
    assert_eq!(means.len(), z.len());
    means.iter().zip(&z).for_each(|(mean, z)| assert_close(*mean, (z + 0.5 * variance).exp(), 1e-9));
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    let folder = Folder::with(&[
        ("w.csv", "a,y,n\n-1,0.2,2\n0,0.3,1\n1,0.9,3\n2,0.8,1\n"),
        ("t.csv", "a,y\n-1,0.2\n-1,0.2\n0,0.3\n1,0.9\n1,0.9\n1,0.9\n2,0.8\n"),
    ]);
    let (weighted, repeated) = (folder.fit("w.csv --target y --weights n"), folder.fit("t.csv --target y"));
    assert_close(number(&weighted["coefficients"]["a"]), number(&repeated["coefficients"]["a"]), 1e-8);
    assert_close(number(&weighted["loss"]), number(&repeated["loss"]), 1e-12);
    let r_squared = |words: &str| {
        let table = folder.run(words).stdout;
        table.lines().find(|line| line.starts_with("r²")).unwrap().to_owned()
    };
    assert_eq!(r_squared("fit w.csv --target y --weights n"), r_squared("fit t.csv --target y"));
}

#[test]
fn an_offset_is_added_and_asked_for_again() {
    let folder = Folder::with(&[("d.csv", "a,o,y\n-1,0.5,0.2\n0,-1,0.3\n1,0.2,0.9\n2,-0.3,0.8\n")]);
    let fit = folder.fit("d.csv --target y --offset o --model m.json");
    let data = Numbers::parse(&folder.read("d.csv"));
    let z: Vec<f64> = data.predictors(&fit).iter().zip(data.column("o")).map(|(z, o)| z + o).collect();
    let predictions = Numbers::parse(&folder.run("predict m.json d.csv").stdout).column("prediction");
    z.iter().zip(predictions).for_each(|(z, prediction)| assert_close(prediction, sigmoid(*z), 1e-14));
    folder.write("e.csv", "a\n1\n");
    assert!(folder.run("predict m.json e.csv").stderr.contains("no column is called `o`"));
}

#[test]
fn threads_change_no_bit() {
    let folder = Folder::new();
    folder.run("simulate --rows 3000 --features 3 --activation silu --noise post:0.1 -o d.csv");
    let fit = |threads: usize| {
        let fit = folder.fit(&format!("d.csv --target y --activation silu --threads {threads}"));
        (fit["coefficients"].to_string(), fit["loss"].to_string(), fit["passes"].to_string())
    };
    assert_eq!(fit(1), fit(3));
}

#[test]
fn labels_without_variance_have_no_r_squared() {
    let folder = Folder::with(&[("d.csv", "a,y\n1,0.2\n2,0.4\n3,0.3\n"), ("flat.csv", "a,y\n1,0.1\n2,0.1\n3,0.1\n")]);
    folder.fit("d.csv --target y --model m.json");
    let score: serde_json::Value =
        serde_json::from_str(&folder.run("score m.json flat.csv --format json").stdout).unwrap();
    assert!(score["r_squared"].is_null() && score["loss"].is_f64(), "{score}");
    assert!(folder.run("score m.json d.csv").stdout.contains("rmse"));
}
