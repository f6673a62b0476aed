//! Tables that are odd: labels, columns, weights and offsets.

use super::{
    Answer, ROWS, Row, drawn, every, fit, fitted, folder, is_exact, is_graduated, lowest, none, plain, solved, solvers,
    table,
};
use crate::Folder;

#[test]
fn labels_that_are_all_the_same() {
    let constant = table("a,b,y", ROWS, |row| vec![row.a, row.b, 0.3]);
    every(&constant, "", |solver, fit| {
        let flat = ["a", "b"].iter().all(|name| fit.coefficient(name).abs() <= 1e-9);
        let exact = if is_exact(solver) { fit.code == 0 && fit.loss() <= 1e-28 } else { fit.loss() <= 1e-14 };
        fit.warns("the response is always 0.3") && flat && exact
    });
    for bound in [1.0, 0.0] {
        let at_bound = table("a,b,y", ROWS, |row| vec![row.a, row.b, bound]);
        every(&at_bound, "", |_, fit| fit.status() == "diverging" && fit.warns("40 of 40 values of `y`"));
    }
    let repeated = table("a,b,y", ROWS, |_| vec![1.5, -2.0, 0.4]);
    every(&repeated, "", |_, fit| fit.loss() <= 1e-14 && fit.coefficient("a") == 0.0 && fit.warns("`a` and `b`"));
}

#[test]
fn one_row_repeated_with_labels_of_its_own() {
    let repeated = table("a,b,y", ROWS, |row| vec![1.5, -2.0, row.y()]);
    let loss = lowest(&repeated, "");
    every(&repeated, "", |solver, fit| {
        solved(solver, fit, loss) && fit.coefficient("b") == 0.0 && fit.warns("`a` and `b`")
    });
}

#[test]
fn labels_that_are_zero_or_one() {
    let separable = table("a,b,y", ROWS, |row| vec![row.a, row.b, f64::from(u8::from(row.z > 0.0))]);
    every(&separable, "", |_, fit| fit.code == 3 && ["diverging", "iteration limit"].contains(&fit.status()));
    let binary = table("a,b,y", ROWS, |row| vec![row.a, row.b, f64::from(u8::from(drawn(row.i, 3) < 0.5 * row.z))]);
    let loss = lowest(&binary, "");
    every(&binary, "", |solver, fit| solved(solver, fit, loss));
}

#[test]
fn columns_that_say_the_same() {
    let copy = table("a,b,c,y", ROWS, |row| vec![row.a, row.b, row.a, row.y()]);
    let sum = table("a,b,c,y", ROWS, |row| vec![row.a, row.b, row.a + row.b, row.y()]);
    for (table, names) in [(copy, "`a` and `c` are collinear"), (sum, "`a`, `b` and `c` are")] {
        every(&table, "", |solver, fit| match is_exact(solver) {
            true => fit.status() == "not identified" && fit.warns(names),
            false => fit.code == 3 && ["not identified", "iteration limit"].contains(&fit.status()),
        });
    }
}

#[test]
fn columns_that_say_nothing() {
    let loss = lowest(&plain(), "");
    for value in [0.0, 3.25, -1e300, 1e-300] {
        let table = table("a,b,c,y", ROWS, |row| vec![row.a, row.b, value, row.y()]);
        every(&table, "", |solver, fit| {
            solved(solver, fit, loss) && fit.coefficient("c") == 0.0 && fit.warns("`c` is constant or zero")
        });
    }
}

#[test]
fn fewer_rows_than_columns() {
    let names: Vec<String> = (1..=20).map(|j| format!("x{j}")).collect();
    let short = table(&format!("{},y", names.join(",")), 6, |row| {
        (0..20).map(|j| drawn(row.i, 10 + j)).chain([row.y()]).collect()
    });
    every(&short, "", |solver, fit| match is_exact(solver) {
        true => fit.status() == "not identified" && fit.warns("`x12` and 8 more): drop columns"),
        false => fit.code == 3,
    });
}

/// A coefficient that is rounding may underflow, and one that keeps its digits may be tiny.
#[test]
fn coefficients_that_underflow_without_loss() {
    let constant = table("a,b,y", ROWS, |row| vec![row.a, 1e305 * row.b, 0.3]);
    every(&constant, "", |_, fit| fit.coefficient("b").abs() <= 1e-314);
    let subnormal = table("a,b,y", ROWS, |row| vec![row.a, 1e307 * row.b, 0.01 * row.z]);
    let fit = fitted(&folder(&subnormal), "--activation identity");
    let off = (fit.coefficient("b") / -0.004e-307 - 1.0).abs();
    assert!(fit.code == 0 && off <= 1e-12, "{}", fit.json);
}

/// Whatever their units, columns are standardised, and the fit is the same one.
#[test]
fn columns_of_every_size() {
    let loss = lowest(&plain(), "");
    let before = fitted(&folder(&plain()), "").coefficient("b");
    for size in [1e-300, 1e-200, 1e-170, 1e-150, 1e150, 1e200, 1e300, 1e307] {
        let table = table("a,b,y", ROWS, |row| vec![row.a, size * row.b, row.y()]);
        every(&table, "", |solver, fit| {
            let off = (fit.coefficient("b") * size / before - 1.0).abs();
            solved(solver, fit, loss) && off <= 1e-2
        });
    }
    let both = table("a,b,y", ROWS, |row| vec![1e250 * row.a, 1e-250 * row.b, row.y()]);
    every(&both, "", |solver, fit| solved(solver, fit, loss));
    let far = table("a,b,y", ROWS, |row| vec![1e300 + 1e294 * row.a, row.b, row.y()]);
    every(&far, "", |solver, fit| solved(solver, fit, loss));
}

#[test]
fn columns_beyond_every_size() {
    for size in [1e-310, 1e-322] {
        let table = table("a,b,y", ROWS, |row| vec![row.a, size * row.b, row.y()]);
        none(&table, "", &["column `b`: its values are so small that its coefficient overflows", "multiply"]);
    }
    let huge = table("a,b,y", ROWS, |row| vec![row.a, 1e200 * row.b, row.y()]);
    none(&huge, "--scaling none", &["column `b`: its values are so large that their squares overflow", "divide"]);
    let underflown = ["column `b`: its values are so large that its coefficient underflows", "divide"];
    for (size, label) in [(1e300, 1e-15), (1e300, 1e-90), (1e200, 1e-130)] {
        let table = table("a,b,y", ROWS, |row| vec![row.a, size * row.b, label * row.z]);
        none(&table, "--activation identity", &underflown);
        none(&table, "--activation tanh", &underflown);
    }
    let tiny = table("a,b,y", ROWS, |row| vec![row.a, 1e-200 * row.b, row.y()]);
    every(&tiny, "--scaling none", |_, fit| fit.code == 3);
}

#[test]
fn labels_of_every_size() {
    for size in [1e-150, 1e150] {
        let line = table("a,b,y", ROWS, |row| vec![row.a, row.b, size * (row.z + row.noise)]);
        let loss = lowest(&line, "--activation identity");
        let words = "--activation identity";
        every(&line, words, |solver, fit| solved(solver, fit, loss) && fit.loss() <= 1e-3 * size * size);
        let soft = table("a,b,y", ROWS, |row| vec![row.a, row.b, size * row.softplus()]);
        every(&soft, "--activation softplus", |_, _| true);
        every(&soft, "--activation sigmoid", |_, fit| size < 1.0 || fit.code == 3);
        let folder = folder(&soft);
        solvers().for_each(|solver| drop(fit(&folder, &format!("--solver {solver} --activation exp"))));
    }
    for size in [1e-300, 1e-160, 1e160, 1e300, 1e307] {
        let positive = table("a,b,y", ROWS, |row| vec![row.a, row.b, size * row.softplus()]);
        let pieces = ["the largest response is", "and its square", "the target by"];
        for activation in ["identity", "softplus", "sigmoid"] {
            none(&positive, &format!("--activation {activation}"), &pieces);
        }
        let folder = folder(&positive);
        for solver in solvers() {
            let Answer::Refused(why) = fit(&folder, &format!("--solver {solver} --activation exp")) else {
                panic!("{solver} takes responses of size {size:e}");
            };
            // some solvers are refused before labels are read, since exp has no largest derivative
            let either = why.contains("unbounded derivative") || pieces.iter().all(|piece| why.contains(piece));
            assert!(either, "{solver}: {why}");
        }
    }
}

/// Only the ratios of weights count, of whatever size they are.
#[test]
fn weights_of_every_size() {
    let weighted = |size: f64| table("a,b,w,y", ROWS, |row| vec![row.a, row.b, size * (1 + row.i % 3) as f64, row.y()]);
    let loss = lowest(&weighted(1.0), "--weights w");
    for size in [1e-320, 1e-300, 1e-100, 1e100, 1e300, 5e307] {
        let folder = folder(&weighted(size));
        for solver in solvers() {
            let run = fitted(&folder, &format!("--solver {solver} --weights w"));
            assert!(solved(solver, &run, loss), "{size:e} {solver}: {}", run.json);
        }
    }
    for enormous in [1e15, 1e300] {
        let one = |row: &Row| if row.i == 7 { enormous } else { 1.0 };
        let table = table("a,b,w,y", ROWS, |row| vec![row.a, row.b, one(row), row.y()]);
        every(&table, "--weights w", |_, _| true);
    }
}

#[test]
fn weights_that_are_none() {
    let weighted = |weight: fn(&Row) -> f64| table("a,b,w,y", ROWS, |row| vec![row.a, row.b, weight(row), row.y()]);
    none(
        &weighted(|row| if row.i == 7 { -1.0 } else { 1.0 }),
        "--weights w",
        &["data.csv:9: column `w`", "is negative"],
    );
    none(&weighted(|_| 0.0), "--weights w", &["all weights are zero"]);
    none(&weighted(|row| if row.i == 7 { 1.0 } else { 0.0 }), "--weights w", &["only 1 row has a weight above zero"]);
    none(&weighted(|row| if row.i == 7 { f64::NAN } else { 1.0 }), "--weights w", &["column `w`", "not finite"]);
    none(&plain(), "--weights v", &["no column is called `v`"]);
    none("a,w,y\n1,1,0.5\n2,0.4\n", "--weights w", &["2 fields, but the header has 3"]);
}

#[test]
fn offsets_beyond_the_exponential() {
    let loss = lowest(&plain(), "");
    let with_offset = |offset: fn(&Row) -> f64| table("a,b,o,y", ROWS, |row| vec![row.a, row.b, offset(row), row.y()]);
    for offset in [with_offset(|_| 1e3), with_offset(|_| -1e3)] {
        every(&offset, "--offset o", |solver, fit| match is_graduated(solver) {
            true => solved(solver, fit, loss),
            // without graduation nothing leads back from where every derivative has vanished
            false => fit.code == 3,
        });
        every(&offset, "--offset o --activation softplus", |_, _| true);
    }
    let mixed = with_offset(|row| if row.i % 2 == 0 { 1e3 } else { -1e3 });
    // a few rows brought back from either side may be a minimum of their own
    every(&mixed, "--offset o", |_, fit| fit.loss() <= 1.0);
    for solver in solvers() {
        fit(&folder(&mixed), &format!("--offset o --activation exp --solver {solver}"));
    }
    none(&with_offset(|_| 1e300), "--offset o", &["the largest offset is 1e300", "its square overflows"]);
}

/// The loss falls by a few ten-thousandths on the way to infinity, along a direction that is almost flat.
#[test]
fn a_minimum_that_is_flat_and_not_reached() {
    let data = "x0,x1,x2,y,w\n\
        9994.7261087241986,78.498168078437629,-49.650266024852584,0.0038428672944262224,0.1\n\
        9994.8916785531201,-51.89278032105247,732.18943636599818,0.00019668574594951333,3\n\
        10009.954941289609,-107.24950001267746,-226.70202155559193,10.586147330730819,0\n\
        9996.0612377342604,-12.011582600879352,1152.6507492618853,0.0083079278326153964,1\n\
        10004.784918762434,53.37131581473794,1115.6006997555592,4.5333307444854372,3\n\
        10001.729737625858,62.015084400895418,1006.0410684365513,0.8315724064286758,3\n";
    let folder = Folder::with(&[("d.csv", data)]);
    for solver in ["lbfgs", "newton", "newton-cg"] {
        let run =
            folder.run(&format!("fit d.csv --target y --weights w --activation gelu --noise post --solver {solver}"));
        assert_eq!(run.code, Some(3), "{solver}: {}", run.stdout);
    }
}
