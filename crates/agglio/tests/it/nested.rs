//! Several models of one table: columns that are read once, and rows that are complete for all of them.

use std::path::Path;

use agglio::inference::{Covariance, f_test};
use agglio::nested::Structure;
use agglio::read::{Csv, Missing, Part, Selection, Table};
use agglio::table::Formula;
use agglio::{Options, Result, activation::named};

const TEXT: &str = "a,b,c,y\n1,2,3,0.1\n2,NA,1,0.4\n3,1,0,0.3\n4,5,2,0.9\n5,3,7,NA\n6,2,NA,0.7\n7,9,4,0.8\n2,6,8,0.5\n";

fn selection(formulas: &[&str]) -> Result<Selection> {
    let each = formulas.iter().map(|text| Formula::parse(text).map(|formula| formula.selection()));
    Selection::of_all(&each.collect::<Result<Vec<_>>>()?)
}

fn read(text: &str, formulas: &[&str]) -> Result<Table> {
    Csv::new().missing(Missing::Drop).read(text.as_bytes(), Path::new("d.csv"), &selection(formulas)?)
}

#[test]
fn equal_terms_are_one_column() {
    let table = read(TEXT, &["y ~ a + b:a", "y ~ a*b", "y ~ log(a) + offset(b)", "y ~ . - c"]).unwrap();
    assert_eq!(table.names, ["a", "b:a", "b", "log(a)"]);
    let part = |covariates: &[usize], offset| Part { covariates: covariates.to_vec(), offset };
    assert_eq!(table.parts, [part(&[0, 1], None), part(&[0, 2, 1], None), part(&[3], Some(2)), part(&[0, 2], None)]);
}

/// A row that one of the models cannot use is dropped for all, and otherwise each model has the table that it would read alone.
#[test]
fn parts_are_the_tables_of_their_models() {
    let formulas = ["y ~ a + b:a", "y ~ a*b + c", "y ~ log(a) + offset(sqrt(b))"];
    let table = read(TEXT, &formulas).unwrap();
    assert_eq!((table.rows, table.dropped), (5, 3));
    let complete: String = TEXT.lines().filter(|line| !line.contains("NA")).map(|line| format!("{line}\n")).collect();
    for (formula, part) in formulas.iter().zip(&table.parts) {
        let alone = Formula::parse(formula).unwrap().selection();
        let alone = Csv::new().read(complete.as_bytes(), Path::new("d.csv"), &alone).unwrap();
        let own = table.part(part);
        assert_eq!(
            (&own.values, &own.offsets, &own.labels),
            (&alone.values, &alone.offsets, &alone.labels),
            "{formula}"
        );
        assert_eq!((own.rows, own.names.len()), (alone.rows, alone.names.len()));
    }
}

/// log 0 is a limit of a model with this covariate alone, also if another model has the column itself, but not beside another
/// covariate.
#[test]
fn the_logarithm_of_zero_is_a_limit_of_each_model() {
    let text = "x,z,y\n0,1,0.1\n1,2,0.5\n4,1,0.8\n9,3,0.9\n";
    let table = read(text, &["y ~ log(x)", "y ~ x", "y ~ 1 + offset(log(x))"]).unwrap();
    let at_limit: Vec<usize> = table.parts.iter().map(|part| table.part(part).at_limit).collect();
    assert_eq!((table.at_limit, at_limit), (1, vec![1, 0, 1]));
    table.parts.iter().for_each(|part| drop(table.part(part).into_rows().unwrap()));
    for formulas in [["y ~ log(x)", "y ~ log(x) + z"], ["y ~ x", "y ~ x + offset(log(x))"]] {
        let refused = read(text, &formulas).unwrap_err().to_string();
        assert!(refused.contains("d.csv") && refused.contains("no logarithm"), "{refused}");
    }
}

#[test]
fn models_of_different_responses_are_refused() {
    let refused = selection(&["y ~ a", "b ~ a"]).unwrap_err().to_string();
    assert!(refused.contains("`y` and `b`"), "{refused}");
    let one = Formula::parse("y ~ a").unwrap().selection();
    let weighted = Selection { weights: Some("c".into()), ..one.clone() };
    assert!(Selection::of_all(&[one, weighted]).is_err());
}

#[test]
fn the_deviance_of_least_squares_is_that_of_the_f_test() {
    let table = read(TEXT, &["y ~ a", "y ~ a + b"]).unwrap();
    let plan = Options::new(named("sigmoid").unwrap()).build().unwrap();
    let [small, large] = [0, 1].map(|k| &table.parts[k]);
    assert!(Structure::new(&plan, large).contains(&Structure::new(&plan, small)));
    let deviance = |part: &Part| {
        let fitted = plan.fit(&table.part(part).into_rows().unwrap()).unwrap();
        fitted.inference(Covariance::Classical).unwrap().unwrap().deviance()
    };
    let [small, large] = [deviance(small), deviance(large)];
    let test = f_test([small.deviance, small.df_residual as f64], [large.deviance, large.df_residual as f64]).unwrap();
    let own = small.f_test(&large).unwrap();
    assert_eq!(own.distribution, test.distribution);
    assert!((own.statistic - test.statistic).abs() < 1e-12 * test.statistic);
    assert!(small.has_likelihood && small.likelihood_ratio_test(&large).unwrap().is_some());
    // a model is not larger than itself
    assert!(large.f_test(&small).is_err() && large.f_test(&large).is_err());
    assert!(large.likelihood_ratio_test(&large).is_err());
}
