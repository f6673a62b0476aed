//! Covariates that are computed from columns, in files and in memory, and columns of text.

use std::path::Path;

use agglio::read::{Csv, Features, Missing, Selection, Table};
use agglio::table::Formula;
use serde_json::Value;

fn read(text: &str, selection: &Selection) -> Result<Table, String> {
    Csv::new().read(text.as_bytes(), Path::new("data.csv"), selection).map_err(|error| error.to_string())
}

fn only(terms: &[&str]) -> Selection {
    let features = Features::Only(terms.iter().map(|&term| term.to_owned()).collect());
    Selection { target: Some("y".into()), features, ..Selection::default() }
}

fn formula(text: &str) -> Selection {
    Formula::parse(text).unwrap().selection()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// In a file and in memory; see `golden/designs.py`.
#[test]
fn designs_are_those_of_patsy() {
    let golden: Value = serde_json::from_str(include_str!("golden/designs.json")).unwrap();
    let names = ["a", "b", "dose", "y"];
    let columns = names.map(|name| numbers(&golden["columns"][name]));
    let named: Vec<(&str, &[f64])> = names.into_iter().zip(columns.iter().map(Vec::as_slice)).collect();
    let row = |i: usize| columns.iter().map(|column| column[i].to_string()).collect::<Vec<_>>().join(",") + "\n";
    let text = "a,b,dose,y\n".to_owned() + &(0..12).map(row).collect::<String>();
    for case in golden["cases"].as_array().unwrap() {
        let formula = Formula::parse(case["formula"].as_str().unwrap()).unwrap();
        assert_eq!(formula.intercept(), case["intercept"].as_bool().unwrap(), "{formula}");
        let table = formula.table(&named).unwrap();
        assert_eq!(table, read(&text, &formula.selection()).unwrap());
        assert_eq!(table.labels, columns[3]);
        let design = case["design"].as_object().unwrap();
        assert_eq!(table.names.len(), design.len(), "{formula}: {:?}", table.names);
        for (j, name) in table.names.iter().enumerate() {
            let found = table.values.iter().skip(j).step_by(table.names.len());
            for (found, expected) in found.zip(numbers(&design[name])) {
                assert!((found - expected).abs() <= 4e-16 * expected.abs(), "{formula} {name}: {found} {expected}");
            }
        }
    }
}

#[test]
fn the_exact_header_comes_before_the_term() {
    let text = "x,log(x),a:b,a,b,y\n1,7,8,2,3,0\n2,9,10,4,5,1\n";
    let table = read(text, &only(&["log(x)", "a:b", "log(x):x", " log( x ) "]));
    assert_eq!(table.unwrap_err(), "data.csv: column `log(x)` is used twice as a covariate");
    let table = read(text, &only(&["log(x)", "a : b", "log(x):x", "`log(x)`:b"])).unwrap();
    assert_eq!(table.names, ["log(x)", "a:b", "log(x):x", "`log(x)`:b"]);
    assert_eq!(table.values[..4], [7.0, 8.0, 7.0, 21.0]);
    // a name in backticks is never a term
    let error = read("x,y\n1,0\n", &only(&["`log(x)`"])).unwrap_err();
    assert_eq!(error, "data.csv: no column is called `log(x)`; the columns are `x`, `y`");
    let table = read("a-b,y\n4,0\n9,1\n", &only(&["a-b", "sqrt(`a-b`)"])).unwrap();
    assert_eq!((table.names[1].as_str(), table.values), ("sqrt(`a-b`)", vec![4.0, 2.0, 9.0, 3.0]));
    // and the names of a model are found again
    let names = Selection { features: Features::Exactly(table.names), ..Selection::default() };
    assert_eq!(read("a-b\n16\n", &names).unwrap().values, [16.0, 4.0]);
}

#[test]
fn patterns_leave_out_columns_with_another_role() {
    let text = "lag1,lag2,lag_y,lag_w,lag_o,z\n1,2,3,4,5,6\n1,2,3,4,5,6\n";
    let selection = |terms: &[&str]| Selection {
        target: Some("lag_y".into()),
        weights: Some("lag_w".into()),
        offset: Some("log(lag_o)".into()),
        ..only(terms)
    };
    assert_eq!(read(text, &selection(&["lag*"])).unwrap().names, ["lag1", "lag2"]);
    assert_eq!(read(text, &selection(&["lag2", "*", "lag2:z"])).unwrap().names, ["lag2", "lag1", "z", "lag2:z"]);
    assert_eq!(read(text, &selection(&["."])).unwrap().names, ["lag1", "lag2", "z"]);
    let table = read(text, &formula("lag_y ~ . - lag* + z^2")).unwrap();
    assert_eq!(table.names, ["z", "z^2"]);
    assert_eq!(read(text, &selection(&["log(lag_o)", "z"])).unwrap().offsets, Some(vec![5_f64.ln(); 2]));
}

#[test]
fn what_cannot_be_selected_is_refused_with_the_reason() {
    let text = "dose,age,y\n1,2,0\n3,4,1\n";
    for (terms, why) in [
        (&["log(dsoe)"][..], "no column is called `dsoe`; did you mean `dose`?"),
        (&["dose:ag"], "no column is called `ag`; did you mean `age`?"),
        (&["agee"], "no column is called `agee`; did you mean `age`?"),
        (&["x+z"], "no column is called `x+z`"),
        (&["lag*"], "no column that could be a covariate matches `lag*`"),
        (&["C(age)"], "categories are not supported yet"),
        (&["log(y)"], "column `y` is used as target and in the term `log(y)`"),
        (&["y"], "column `y` is used as target and as a covariate"),
        (&["age", "age"], "column `age` is used twice as a covariate"),
        (&["age:dose", "dose:age"], "the term `dose:age` is used twice as a covariate"),
        (&["log(dose"], "`)` is missing"),
    ] {
        let error = read(text, &only(terms)).unwrap_err();
        assert!(error.starts_with("data.csv: ") && error.contains(why), "{terms:?}: {error}");
    }
    let error = read(text, &formula("y ~ 1")).unwrap_err();
    assert!(error.contains("no covariate is left"), "{error}");
}

#[test]
fn numbers_that_a_term_cannot_take_are_refused_with_their_place() {
    let text = "dose,age,y\n1,2,0\n0,-4,1\n-2,9,1\n0,1,1\n";
    for (selection, error) in [
        (
            only(&["log(dose)", "age"]),
            "data.csv:3: column `dose`: `0` has no logarithm (in `log(dose)`) (2 more such cells); correct it, remove the row, or use the column without log",
        ),
        (only(&["log(dose)"]), "data.csv:4: column `dose`: `-2` has no logarithm (in `log(dose)`); correct it"),
        (only(&["dose:sqrt(age)"]), "data.csv:3: column `age`: `-4` has no square root (in `dose:sqrt(age)`); correct"),
        (only(&["age^0.5"]), "data.csv:3: column `age`: `-4` is negative and has no fractional power (in `age^0.5`)"),
        (
            only(&["dose^-2"]),
            "data.csv:3: column `dose`: `0` has no negative power (in `dose^-2`) (one more such cell)",
        ),
        (formula("y ~ age + offset(log(dose))"), "data.csv:3: column `dose`: `0` has no logarithm (in the offset)"),
    ] {
        let found = read(text, &selection).unwrap_err();
        assert!(found.starts_with(error), "{found}");
    }
    let error = read("a,y\n1,0\n1e200,1\n", &only(&["a^2"])).unwrap_err();
    assert!(error.starts_with("data.csv:3: column `a`: `1e200` overflows a double in its term (in `a^2`)"), "{error}");
    let columns: [(&str, &[f64]); 2] = [("dose", &[1.0, -2.0]), ("y", &[0.0, 1.0])];
    let error = only(&["log(dose)"]).table(&columns).unwrap_err().to_string();
    assert!(error.starts_with("row 2: column `dose`: -2 has no logarithm (in `log(dose)`); correct it"), "{error}");
}

#[test]
fn a_dose_of_zero_is_a_limit_if_the_logarithm_is_alone() {
    let text = "dose,w,y\n1,1,0\n0,1,1\n0,0,1\n";
    let table = read(text, &only(&["log(dose)"])).unwrap();
    assert_eq!((table.values, table.at_limit), (vec![0.0, f64::NEG_INFINITY, f64::NEG_INFINITY], 2));
    // a row without weight has no fault and no limit
    let weighted = Selection { weights: Some("w".into()), ..only(&["log(dose)"]) };
    let table = read(text, &weighted).unwrap();
    assert_eq!((table.values, table.at_limit), (vec![0.0, f64::NEG_INFINITY, 0.0], 1));
    let weighted = Selection { weights: Some("w".into()), ..only(&["log(dose)", "dose"]) };
    assert_eq!(read("dose,w,y\n1,1,0\n-9,0,1\n", &weighted).unwrap().values, [0.0, 1.0, 0.0, -9.0]);
    assert!(read(text, &only(&["log(dose)^2"])).unwrap_err().contains("has no logarithm"));
}

#[test]
fn rows_with_missing_values_are_dropped_before_terms_are_computed() {
    let csv = Csv::new().missing(Missing::Drop);
    let text = "a,b,y\n1,2,0\n-1,,1\n3,4,1\n";
    let table = csv.read(text.as_bytes(), Path::new("d.csv"), &only(&["log(a):b"])).unwrap();
    assert_eq!((table.rows, table.dropped, table.values), (2, 1, vec![0.0, 3_f64.ln() * 4.0]));
}

#[test]
fn text_columns_are_categories_with_sorted_levels() {
    let selection = Selection { categories: vec!["site".into(), "dose".into()], ..only(&["dose"]) };
    let text = "site,dose,y\nzürich,1,0\nbern,1.0,1\n\"zürich\",1,1\nnone,10,0\n";
    let table = read(text, &selection).unwrap();
    assert_eq!((table.names, table.values), (vec!["dose".into()], vec![1.0, 1.0, 1.0, 10.0]));
    let [site, dose] = &table.categories[..] else { panic!("{:?}", table.categories) };
    assert_eq!(
        (site.name.as_str(), &site.levels[..], &site.codes[..]),
        ("site", &["bern".into(), "none".into(), "zürich".into()][..], &[2, 0, 2, 1][..])
    );
    // numbers are levels by their text
    assert_eq!((&dose.levels[..], &dose.codes[..]), (&["1".into(), "1.0".into(), "10".into()][..], &[0, 1, 0, 2][..]));
    // and no covariates unless they are named
    let all = Selection { features: Features::All, ..selection.clone() };
    assert!(read(text, &all).unwrap_err().contains("no covariate is left"));
    let error = read("site,dose,y\nNA,1,0\n", &selection).unwrap_err();
    assert!(error.starts_with("data.csv:2: column `site`: `NA` is a missing value"), "{error}");
    let bytes = b"site,dose,y\n\xff,1,0\n";
    let error = Csv::new().read(&bytes[..], Path::new("d.csv"), &selection).unwrap_err().to_string();
    assert!(error.starts_with("d.csv:2: column `site`: `\\xff` is not UTF-8"), "{error}");
}

#[test]
fn categories_do_not_depend_on_threads_or_on_dropped_rows() {
    let line = |i: usize| format!("s{},{},{}\n", (i * 7919) % 1013, i % 5, if i % 11 == 3 { "NA" } else { "1" });
    let text = (0..60_000).fold("site,dose,y\n".to_owned(), |text, i| text + &line(i)) + "gone,NA,NA\n\"q\",1,1\n";
    let selection = Selection { categories: vec!["site".into()], ..only(&["dose"]) };
    let read = |threads| {
        let csv = Csv::new().missing(Missing::Drop).threads(Some(threads));
        csv.read(text.as_bytes(), Path::new("d.csv"), &selection).unwrap()
    };
    let one = read(1);
    let site = &one.categories[0];
    assert!(site.levels.is_sorted() && site.levels.len() == 1014 && site.codes.len() == one.rows);
    assert!(!site.levels.contains(&"gone".to_owned()));
    assert_eq!(site.levels[site.codes[1] as usize], "s828");
    for threads in [2, 3] {
        assert!(read(threads) == one);
    }
}

#[test]
fn files_without_names_need_all_columns_of_a_model_with_terms() {
    let order = |names: &[&str], columns| {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        Selection { features: Features::InOrder { names, columns }, ..Selection::default() }
    };
    let read = |text: &str, selection: &Selection| {
        let csv = Csv::new().header(false);
        csv.read(text.as_bytes(), Path::new("d.csv"), selection).map(|t| t.values).map_err(|why| why.to_string())
    };
    assert_eq!(read("1,2\n", &order(&["log(1)", "2^2"], Some(2))), Ok(vec![0.0, 4.0]));
    assert!(read("1,2,3\n", &order(&["log(1)", "2^2"], Some(2))).unwrap_err().contains("fitted to 2 columns"));
    assert!(read("1,2\n", &order(&["log(a)", "b"], None)).unwrap_err().contains("give the file a header"));
    assert_eq!(read("1,2\n", &order(&["a", "b"], None)), Ok(vec![1.0, 2.0]));
}
