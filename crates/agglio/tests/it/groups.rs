//! Fits of groups: each is the fit of its rows alone, whatever the other groups and the threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use agglio::activation::named;
use agglio::groups::GroupFit;
use agglio::inference::Covariance;
use agglio::spec::{Entry, Pair};
use agglio::table::{Category, Table};
use agglio::{Options, Plan, Status};
use serde_json::Value;

const FREE: Pair = Pair(Entry::Free, Entry::Free);

fn plan(range: Option<Pair>, threads: usize) -> Plan {
    let options = Options::new(named("sigmoid").unwrap()).threads(threads);
    range.into_iter().fold(options, Options::range).build().unwrap()
}

/// Groups of 9, 10, 11 … points whose rows stand between each other, with weights. The first has a dose of zero.
fn curves(groups: usize) -> (Table, Category) {
    let mut table = Table { names: vec!["log(dose)".into()], weights: Some(Vec::new()), ..Table::default() };
    let mut category = Category { name: "g".into(), levels: Vec::new(), codes: Vec::new() };
    category.levels = (0..groups).map(|g| format!("g{g}")).collect();
    for k in 0..9 + groups {
        for g in (0..groups).filter(|g| k < 9 + g) {
            let x = if g == 0 && k == 2 { f64::NEG_INFINITY } else { -3.0 + 0.7 * k as f64 };
            let z = (1.1 + 0.1 * g as f64) * x - 0.3 * g as f64;
            let noise = 0.04 * (7.3 * (k * groups + g) as f64).sin();
            push(&mut table, &mut category, g as u32, x, 0.1 + 0.8 / (1.0 + (-z).exp()) + noise);
            table.at_limit += usize::from(x.is_infinite());
            if let Some(weights) = &mut table.weights {
                *weights.last_mut().unwrap() = 1.0 + 0.5 * (k as f64).cos();
            }
        }
    }
    (table, category)
}

fn push(table: &mut Table, category: &mut Category, code: u32, x: f64, y: f64) {
    table.values.push(x);
    table.labels.push(y);
    table.weights.iter_mut().for_each(|weights| weights.push(1.0));
    table.rows += 1;
    category.codes.push(code);
}

fn fit(plan: &Plan, (table, category): &(Table, Category)) -> Vec<GroupFit> {
    plan.fit_groups(table, category, Covariance::Classical, &|_| ()).unwrap()
}

/// Everything that a row of a table shows, with the bits of its numbers.
fn shown(fit: &GroupFit) -> String {
    let note = fit.note("`y`", &["log(dose)".into()]);
    let (level, observations) = (&fit.level, fit.observations);
    match &fit.curve {
        Err(why) => format!("{level} {observations} {why} {note:?}"),
        Ok(curve) => {
            let bits: Vec<(u64, Option<u64>)> = curve
                .parameters
                .iter()
                .chain(&curve.ec50)
                .map(|own| (own.value.to_bits(), own.standard_error.map(f64::to_bits)))
                .collect();
            let whole = [Some(curve.report.loss), curve.r_squared, curve.sigma].map(|number| number.map(f64::to_bits));
            let status = curve.report.status();
            format!("{level} {observations} {bits:?} {whole:?} {status} {} {note:?}", fit.certified())
        }
    }
}

/// The rows of one group.
fn alone((table, category): &(Table, Category), code: u32) -> Table {
    let rows: Vec<usize> = (0..table.rows).filter(|&row| category.codes[row] == code).collect();
    let pick = |column: &Vec<f64>| rows.iter().map(|&row| column[row]).collect::<Vec<f64>>();
    let values = pick(&table.values);
    Table {
        names: table.names.clone(),
        at_limit: values.iter().filter(|x| x.is_infinite()).count(),
        values,
        labels: pick(&table.labels),
        weights: table.weights.as_ref().map(pick),
        rows: rows.len(),
        ..Table::default()
    }
}

#[test]
fn a_group_is_fitted_as_if_it_were_alone() {
    let data = curves(7);
    for range in [None, Some(FREE)] {
        let plan = plan(range, 2);
        let fits = fit(&plan, &data);
        assert_eq!(fits.len(), 7);
        for (code, group) in fits.iter().enumerate() {
            let single = plan.fit(&alone(&data, code as u32).into_rows().unwrap()).unwrap();
            let curve = group.curve.as_ref().unwrap();
            assert_eq!(group.observations, 9 + code);
            assert_eq!(curve.report.coefficients[0].to_bits(), single.coefficients[0].to_bits());
            assert_eq!(curve.report.intercept.to_bits(), single.intercept.to_bits());
            assert_eq!(curve.report.loss.to_bits(), single.loss.to_bits());
            let inference = single.inference(Covariance::Classical).unwrap().unwrap();
            for (own, other) in curve.parameters.iter().zip(inference.estimates()) {
                assert!((own.value - other.value).abs() <= 1e-14 * other.value.abs());
                assert_eq!(own.standard_error, other.standard_error);
            }
            assert_eq!(curve.parameters.len(), if range.is_some() { 4 } else { 2 });
            let ec50 = inference.function(|beta| (-beta[1] / beta[0]).exp());
            let found = curve.ec50.unwrap();
            assert!((found.value / ec50.value - 1.0).abs() < 1e-14);
            assert!((found.standard_error.unwrap() / ec50.standard_error.unwrap() - 1.0).abs() < 1e-7);
        }
    }
}

#[test]
fn broken_groups_change_no_other_row() {
    for range in [None, Some(FREE)] {
        let mut data = curves(5);
        let plan = plan(range, 2);
        let before: Vec<String> = fit(&plan, &data).iter().map(shown).collect();
        data.1.levels.extend(["a one".into(), "g2 constant".into(), "z same dose".into(), "z weightless".into()]);
        push(&mut data.0, &mut data.1, 5, 0.3, 0.4);
        for k in 0..6 {
            push(&mut data.0, &mut data.1, 6, f64::from(k), 0.4);
            push(&mut data.0, &mut data.1, 7, 1.0, 0.1 * f64::from(k));
            push(&mut data.0, &mut data.1, 8, f64::from(k), 0.1 * f64::from(k));
            *data.0.weights.as_mut().unwrap().last_mut().unwrap() = 0.0;
        }
        let after = fit(&plan, &data);
        let levels: Vec<&str> = after.iter().map(|fit| fit.level.as_str()).collect();
        assert_eq!(levels, ["a one", "g0", "g1", "g2", "g2 constant", "g3", "g4", "z same dose", "z weightless"]);
        let others: Vec<String> = after.iter().filter(|fit| fit.level.len() == 2).map(shown).collect();
        assert_eq!(others, before);
        let note = |place: usize| after[place].note("`y`", &["log(dose)".into()]).unwrap_or_default();
        assert!(note(0).contains("1 row is not enough"), "{}", note(0));
        assert_eq!(note(4), "`y` is always 0.4: there is nothing to explain");
        assert!(note(7).contains("`log(dose)` is constant"), "{}", note(7));
        assert!(note(8).contains("all weights are zero"), "{}", note(8));
        assert_eq!((after[0].observations, after[8].observations), (1, 0));
        assert!(!after[0].certified() && !after[8].certified());
    }
}

#[test]
fn too_few_observations_are_a_reason() {
    let mut data = curves(1);
    data.1.levels.extend(["three".into(), "two".into()]);
    for (code, x, y) in [(1, 0.0, 0.1), (1, 1.0, 0.4), (1, 2.0, 0.6), (2, 0.0, 0.2), (2, 1.0, 0.4)] {
        push(&mut data.0, &mut data.1, code, x, y);
    }
    let notes = |plan: &Plan| fit(plan, &data).iter().map(|fit| fit.note("`y`", &[])).collect::<Vec<_>>();
    let four = notes(&plan(Some(FREE), 1));
    assert_eq!(four[1].as_deref(), Some("3 observations do not determine 4 parameters"));
    let two = notes(&plan(None, 1));
    assert_eq!((&two[0], &two[1]), (&None, &None));
    assert_eq!(two[2].as_deref(), Some("standard errors need more observations than coefficients"));
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    // one group is large enough for several leaves
    let mut data = curves(20);
    data.1.levels.push("large".into());
    for k in 0..3000 {
        let x = (1.7 * f64::from(k)).sin();
        push(&mut data.0, &mut data.1, 20, x, 1.0 / (1.0 + (0.3 - x).exp()) + 0.1 * (2.9 * f64::from(k)).cos());
    }
    let all = [1, 2, 3, 7].map(|threads| fit(&plan(Some(FREE), threads), &data).iter().map(shown).collect::<Vec<_>>());
    assert_eq!(all[0].len(), 21);
    all.iter().skip(1).for_each(|other| assert_eq!(*other, all[0]));
}

#[test]
fn levels_that_are_numbers_are_in_the_order_of_numbers() {
    let mut data = curves(4);
    let order = |data: &(Table, Category)| {
        let fits = fit(&plan(None, 1), data);
        fits.into_iter().map(|fit| (fit.level, fit.observations)).collect::<Vec<_>>()
    };
    data.1.levels = ["10", "9", "-1", "1e1"].map(str::to_owned).to_vec();
    let expected = [("-1", 11), ("9", 10), ("10", 9), ("1e1", 12)].map(|(level, rows)| (level.to_owned(), rows));
    assert_eq!(order(&data), expected);
    data.1.levels = ["10", "9", "x", "b"].map(str::to_owned).to_vec();
    let expected = [("10", 9), ("9", 10), ("b", 12), ("x", 11)].map(|(level, rows)| (level.to_owned(), rows));
    assert_eq!(order(&data), expected);
}

#[test]
fn an_interrupt_leaves_the_groups_that_were_finished() {
    let (flag, heard) = (Arc::new(AtomicBool::new(false)), AtomicUsize::new(0));
    let plan = Options::new(named("sigmoid").unwrap()).threads(1).interrupt(flag.clone()).build().unwrap();
    let (table, category) = curves(6);
    let stop = |done: usize| {
        heard.store(done, Ordering::Relaxed);
        flag.store(done == 4, Ordering::Relaxed);
    };
    let fits = plan.fit_groups(&table, &category, Covariance::Classical, &stop).unwrap();
    assert_eq!((fits.len(), heard.load(Ordering::Relaxed)), (4, 4));
    assert!(fits.iter().all(|fit| fit.curve.as_ref().is_ok_and(|curve| curve.report.status() == Status::Converged)));
}

#[test]
fn wrong_codes_and_checkpoints_are_refused() {
    let (table, mut category) = curves(2);
    let refused = |plan: &Plan, category: &Category| {
        plan.fit_groups(&table, category, Covariance::Classical, &|_| ()).map(|_| ()).unwrap_err().to_string()
    };
    let folder = tempfile::tempdir().unwrap();
    let saved = Options::new(named("sigmoid").unwrap()).checkpoint(folder.path().join("c")).build().unwrap();
    assert!(refused(&saved, &category).contains("`checkpoint`"));
    category.codes[1] = 2;
    assert!(refused(&plan(None, 1), &category).contains("row 2: no level has the code 2"));
    category.codes.pop();
    assert!(refused(&plan(None, 1), &category).contains("codes of groups for"));
}

#[test]
fn curves_are_those_of_scipy() {
    let golden: Value = serde_json::from_str(include_str!("golden/groups.json")).unwrap();
    let numbers = |value: &Value| value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
    let column = |name: &str| numbers(&golden["columns"][name]);
    let table = Table {
        names: vec!["log(dose)".into()],
        values: column("dose").into_iter().map(f64::ln).collect(),
        labels: column("y"),
        weights: Some(column("weight")),
        rows: column("y").len(),
        ..Table::default()
    };
    let codes: Vec<u32> = column("group").into_iter().map(|group| group as u32).collect();
    let category = Category { name: "group".into(), codes, levels: (0..12).map(|g| g.to_string()).collect() };
    let fits = fit(&plan(Some(FREE), 2), &(table, category));
    let expected = golden["fits"].as_array().unwrap();
    assert_eq!(fits.len(), expected.len());
    let close = |found: f64, expected: f64, digits: f64| {
        assert!((found - expected).abs() <= digits * expected.abs().max(1e-3), "{found} is not {expected}");
    };
    for (fit, expected) in fits.iter().zip(expected) {
        let curve = fit.curve.as_ref().unwrap();
        assert!(fit.certified(), "{}", fit.level);
        let [parameters, errors, ec50] = ["parameters", "standard_errors", "ec50"].map(|key| numbers(&expected[key]));
        for (own, (value, error)) in curve.parameters.iter().zip(parameters.iter().zip(errors)) {
            close(own.value, *value, 1e-6);
            close(own.standard_error.unwrap(), error, 1e-6);
        }
        close(curve.ec50.unwrap().value, ec50[0], 1e-6);
        close(curve.ec50.unwrap().standard_error.unwrap(), ec50[1], 1e-6);
        for (found, key) in [(Some(curve.report.loss), "loss"), (curve.sigma, "sigma"), (curve.r_squared, "r_squared")]
        {
            close(found.unwrap(), expected[key].as_f64().unwrap(), 1e-8);
        }
    }
}
