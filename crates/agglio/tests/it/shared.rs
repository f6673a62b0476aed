//! Joint fits of groups that share parameters, against scipy, and what groups that cannot take part change: nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agglio::activation::named;
use agglio::groups::{GroupFit, Parameter, SharedFit};
use agglio::inference::Covariance;
use agglio::spec::{Entry, Pair};
use agglio::table::{Category, Table};
use agglio::{Options, Plan, Status};
use serde_json::Value;

const FREE: Pair = Pair(Entry::Free, Entry::Free);
const LEVEL: f64 = 0.9;

fn options(activation: &str, range: Option<Pair>) -> Options {
    range.into_iter().fold(Options::new(named(activation).unwrap()), Options::range)
}

fn plan() -> Plan {
    options("sigmoid", Some(FREE)).build().unwrap()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn fit(plan: &Plan, (table, category): &(Table, Category), shared: &[&str]) -> SharedFit {
    let sharing = plan.sharing(&table.names, &names(shared)).unwrap();
    plan.fit_groups_sharing(table, category, &sharing, LEVEL, &|_| ()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn golden() -> Value {
    serde_json::from_str(include_str!("golden/shared.json")).unwrap()
}

/// The columns of a golden case, over log(dose).
fn data(columns: &Value) -> (Table, Category) {
    let column = |name: &str| numbers(&columns[name]);
    let table = Table {
        names: vec!["log(dose)".into()],
        values: column("dose").into_iter().map(f64::ln).collect(),
        rows: column("y").len(),
        labels: column("y"),
        weights: columns["weight"].is_array().then(|| column("weight")),
        ..Table::default()
    };
    let codes: Vec<u32> = column("group").into_iter().map(|group| group as u32).collect();
    let levels = (0..=codes.iter().max().copied().unwrap()).map(|level| level.to_string()).collect();
    (table, Category { name: "group".into(), codes, levels })
}

fn close(found: f64, expected: f64, digits: f64) {
    assert!((found - expected).abs() <= digits * expected.abs().max(1e-3), "{found} is not {expected}");
}

fn is(found: Parameter, value: f64, error: f64) {
    close(found.value, value, 1e-6);
    close(found.standard_error.unwrap(), error, 1e-6);
}

/// Everything that a row of a table shows, with the bits of its numbers.
fn shown(fit: &GroupFit) -> String {
    let note = fit.note("`y`", &["log(dose)".into()]);
    let curve = match &fit.curve {
        Err(why) => return format!("{} {} {why} {note:?}", fit.level, fit.observations),
        Ok(curve) => curve,
    };
    let bits = |own: &Parameter| (own.value.to_bits(), own.standard_error.map(f64::to_bits));
    let numbers: Vec<_> = curve.parameters.iter().chain(&curve.ec50).map(bits).collect();
    let potency = curve.potency.map(|own| (own.value.to_bits(), own.interval.map(|ends| ends.map(f64::to_bits))));
    let whole = [Some(curve.report.loss), curve.r_squared, curve.sigma].map(|number| number.map(f64::to_bits));
    format!("{} {} {numbers:?} {potency:?} {whole:?} {} {note:?}", fit.level, fit.observations, curve.report.status())
}

fn rows(fit: &SharedFit) -> Vec<String> {
    fit.groups.iter().map(shown).collect()
}

fn certified(fit: &SharedFit) -> bool {
    fit.groups.iter().all(GroupFit::certified)
}

#[test]
fn shared_curves_are_those_of_scipy() {
    for case in golden()["cases"].as_array().unwrap() {
        let shared: Vec<&str> = case["shared"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let data = data(&case["columns"]);
        let found = fit(&plan(), &data, &shared);
        assert!(certified(&found), "{shared:?} {:?}", rows(&found));
        let fits = case["fits"].as_array().unwrap();
        assert_eq!(found.groups.len(), fits.len());
        for (group, expected) in found.groups.iter().zip(fits) {
            let curve = group.curve.as_ref().unwrap();
            let [values, errors, ec50] = ["parameters", "standard_errors", "ec50"].map(|key| numbers(&expected[key]));
            for (own, (value, error)) in curve.parameters.iter().zip(values.iter().zip(errors)) {
                is(*own, *value, error);
            }
            is(curve.ec50.unwrap(), ec50[0], ec50[1]);
            close(curve.report.loss, case["loss"].as_f64().unwrap(), 1e-8);
            close(curve.sigma.unwrap(), case["sigma"].as_f64().unwrap(), 1e-8);
            if expected["potency"].is_array() {
                let (potency, expected) = (curve.potency.unwrap(), numbers(&expected["potency"]));
                let ends = potency.interval.unwrap();
                let found = [potency.value, potency.standard_error.unwrap(), ends[0], ends[1]];
                found.into_iter().zip(expected).for_each(|(found, expected)| close(found, expected, 1e-6));
            }
        }
        let has_potency = shared == ["slope", "lower", "upper"];
        assert_eq!(found.reference.as_deref(), has_potency.then_some("0"));
        if case["test"].is_array() {
            let (test, comparison) = (numbers(&case["test"]), found.comparison.unwrap());
            close(comparison.test.statistic, test[0], 1e-6);
            close(comparison.shared.df - comparison.separate.df, test[1], 0.0);
            close(comparison.separate.df, test[2], 0.0);
            close(comparison.test.p_value, test[3], 1e-5);
            close(comparison.shared.sum, test[4], 1e-8);
            close(comparison.separate.sum, test[5], 1e-8);
        }
    }
}

#[test]
fn parallel_lines_have_potencies() {
    let golden = golden();
    let (line, data) = (&golden["line"], data(&golden["line"]["columns"]));
    let found = fit(&options("identity", None).build().unwrap(), &data, &["slope"]);
    let (values, errors) = (numbers(&line["parameters"]), numbers(&line["standard_errors"]));
    for (k, group) in found.groups.iter().enumerate() {
        let curve = group.curve.as_ref().unwrap();
        is(curve.parameters[0], values[0], errors[0]);
        is(curve.parameters[1], values[1 + k], errors[1 + k]);
        assert!(curve.ec50.is_none());
        let potency = curve.potency.unwrap();
        match line["potencies"].get(k.wrapping_sub(1)).map(numbers) {
            None => assert_eq!((potency.value, potency.interval), (1.0, None)),
            Some(expected) => {
                let ends = potency.interval.unwrap();
                let own = [potency.value, potency.standard_error.unwrap(), ends[0], ends[1]];
                own.into_iter().zip(expected).for_each(|(own, expected)| close(own, expected, 1e-8));
            }
        }
    }
}

#[test]
fn a_partial_curve_takes_its_asymptotes_from_the_others() {
    let golden = golden();
    let cases = golden["cases"].as_array().unwrap();
    let case = cases.iter().find(|case| case["test"].is_null() && case["shared"][1] == "upper").unwrap();
    let data = data(&case["columns"]);
    // its doses end before the middle of the curve, so alone it takes noise for an upper asymptote
    let alone = plan().fit_groups(&data.0, &data.1, Covariance::Classical, &|_| ()).unwrap();
    assert!(alone[2].curve.as_ref().unwrap().parameters[3].value < 40.0);
    let found = fit(&plan(), &data, &["slope", "upper"]);
    assert!(certified(&found));
    let upper = |group: usize| found.groups[group].curve.as_ref().unwrap().parameters[3];
    assert_eq!(upper(2), upper(0));
    assert!(upper(2).value > 80.0 && upper(2).standard_error.unwrap() < 2.0);
}

/// Three curves of nine points with the same slope, and their rows between each other.
fn curves() -> (Table, Category) {
    let mut data = (
        Table { names: vec!["log(dose)".into()], ..Table::default() },
        Category { name: "g".into(), levels: names(&["a", "b", "c"]), codes: Vec::new() },
    );
    for k in 0..9 {
        for g in 0..3_u32 {
            let x = -3.0 + 0.8 * f64::from(k);
            let noise = 0.02 * (7.3 * f64::from(k * 3 + g)).sin();
            push(&mut data, g, x, 0.1 + 0.8 / (1.0 + (f64::from(g) - 1.0 - 1.2 * x).exp()) + noise);
        }
    }
    data
}

fn push((table, category): &mut (Table, Category), code: u32, x: f64, y: f64) {
    table.values.push(x);
    table.labels.push(y);
    table.rows += 1;
    category.codes.push(code);
}

/// The curves with another group of these points.
fn with(level: &str, points: &[(f64, f64)]) -> (Table, Category) {
    let mut data = curves();
    data.1.levels.push(level.into());
    points.iter().for_each(|&(x, y)| push(&mut data, 3, x, y));
    data
}

#[test]
fn a_group_that_cannot_be_fitted_changes_no_bit() {
    let noise = |k: i32| 0.02 * (4.1 * f64::from(k)).sin();
    let spread: Vec<f64> = (0..9).map(|k| -3.0 + 0.8 * f64::from(k)).collect();
    let at = |y: &dyn Fn(usize) -> f64| (0..9).map(|k| (spread[k], y(k))).collect::<Vec<_>>();
    let constant = at(&|_| 0.5);
    let single: Vec<_> = (0..6).map(|k| (1.0, 0.3 + noise(k))).collect();
    // it stays below what the others have for a lower asymptote, so its EC50 is infinite
    let flat = at(&|k| 0.02 + noise(k as i32));
    // a step between two doses has an infinite slope
    let step = at(&|k| if k < 4 { 0.1 } else { 0.9 });
    for (shared, level, points, reason) in [
        (&["slope", "lower", "upper"][..], "one", &constant[..1], "1 row is not enough"),
        (&["slope", "lower", "upper"], "const", &constant, "the response is always 0.5"),
        (&["lower", "upper"], "single", &single, "`log(dose)` is constant"),
        (&["slope"], "two", &step[3..5], "2 observations do not determine 3 parameters"),
        (&["slope", "lower", "upper"], "flat", &flat, "its own parameters are not determined"),
        (&["lower", "upper"], "step", &step, "its own parameters are not determined"),
    ] {
        let (before, after) = (fit(&plan(), &curves(), shared), fit(&plan(), &with(level, points), shared));
        assert!(certified(&before), "{shared:?} {:?}", rows(&before));
        assert_eq!(rows(&before), rows(&after)[..3], "{level}");
        assert_eq!(before.comparison, after.comparison, "{level}");
        let note = after.groups[3].note("`y`", &["log(dose)".into()]).unwrap();
        assert!(after.groups[3].curve.is_err() && note.starts_with(reason), "{level}: {note}");
    }
}

#[test]
fn a_dose_alone_has_an_ec50_if_the_curve_is_shared() {
    let points: Vec<_> = (0..4).map(|k| (0.4, 0.5 + 0.01 * f64::from(k))).collect();
    let found = fit(&plan(), &with("single", &points), &["slope", "lower", "upper"]);
    assert!(certified(&found), "{:?}", rows(&found));
    let ec50 = found.groups[3].curve.as_ref().unwrap().ec50.unwrap();
    assert!((ec50.value.ln() - 0.4).abs() < 0.2 && ec50.standard_error.unwrap() < 0.2, "{ec50:?}");
    // it has no separate fit that could be compared
    assert!(found.comparison.unwrap_err().contains("`single`"));
}

#[test]
fn every_group_of_broken_ones_has_its_reason() {
    let mut data = curves();
    data.0.labels.fill(0.5);
    let found = fit(&plan(), &data, &["slope"]);
    assert!(found.groups.len() == 3 && found.groups.iter().all(|fit| fit.curve.is_err()));
    assert!(found.reference.is_none() && found.comparison.unwrap_err().contains("no group"));
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let golden = golden();
    let data = data(&golden["cases"][4]["columns"]);
    let all = [1, 2, 3].map(|threads| {
        let plan = options("sigmoid", Some(FREE)).threads(threads).build().unwrap();
        rows(&fit(&plan, &data, &["slope", "lower", "upper"]))
    });
    assert!(all[0].len() == 20 && all[1] == all[0] && all[2] == all[0]);
}

#[test]
fn one_group_shares_with_nobody() {
    let mut data = curves();
    data.1.codes.fill(0);
    let (joint, alone) = (fit(&plan(), &data, &["slope"]), plan().fit(&data.0.clone().into_rows().unwrap()).unwrap());
    let curve = joint.groups[0].curve.as_ref().unwrap();
    close(curve.report.loss, alone.report().loss, 1e-10);
    assert!(joint.comparison.is_err());
}

#[test]
fn other_models_share_parameters_too() {
    // offset and scale, an unbounded φ, no intercept, a likelihood, two covariates, fixed asymptotes
    let mut data = curves();
    let affine = |pair| Options::new(named("softplus").unwrap()).affine(pair);
    let half_fixed = Pair(Entry::Fixed(0.1), Entry::Free);
    let cases: [(Options, &[&str], usize); 6] = [
        (affine(half_fixed), &["scale"], 1 + 2 * 3),
        (options("probit", Some(half_fixed)), &["upper", "slope"], 2 + 3),
        (options("gompertz", Some(FREE)), &["lower", "upper"], 2 + 2 * 3),
        (options("sigmoid", Some(Pair(Entry::Fixed(0.0), Entry::Fixed(1.0)))), &["(intercept)"], 1 + 3),
        (options("sigmoid", Some(FREE)).intercept(false), &["lower", "upper"], 2 + 3),
        (options("sigmoid", None).set("loss", "bernoulli").unwrap(), &["slope"], 1 + 3),
    ];
    for (options, shared, parameters) in cases {
        let found = fit(&options.build().unwrap(), &data, shared);
        let curves: Vec<_> = found.groups.iter().map(|group| group.curve.as_ref().unwrap()).collect();
        assert!(certified(&found), "{shared:?} {:?}", rows(&found));
        assert!(curves.iter().all(|curve| curve.report.parameters == parameters), "{shared:?}");
        assert!(curves.iter().flat_map(|curve| &curve.parameters).all(|own| own.standard_error.is_some()));
        // the parameter has the same bits in every group
        let place = |name: &str| match name {
            "slope" => 0,
            "(intercept)" => 1,
            _ => curves[0].parameters.len() - 1,
        };
        let value = |group: usize| curves[group].parameters[place(shared[shared.len() - 1])].value;
        assert_eq!((value(0), value(1)), (value(1), value(2)));
    }
    // a second covariate
    data.0.names.push("age".into());
    data.0.values = data.0.values.iter().enumerate().flat_map(|(k, &x)| [x, (2.3 * k as f64).cos()]).collect();
    let found = fit(&plan(), &data, &["age", "lower", "upper"]);
    assert!(certified(&found) && found.groups[0].curve.as_ref().unwrap().report.parameters == 3 + 2 * 3);
}

#[test]
fn names_are_checked() {
    let (plan, dose) = (plan(), names(&["log(dose)"]));
    let shares = |shared: &[&str]| plan.sharing(&dose, &names(shared)).unwrap().shares().to_vec();
    assert_eq!(shares(&["slope"]), shares(&["log(dose)"]));
    assert_eq!(shares(&["intercept", "upper"]), [false, true, false, true]);
    assert_eq!(shares(&["(intercept)"]), [false, true, false, false]);
    let refused = |plan: &Plan, covariates: &[&str], shared: &[&str]| {
        plan.sharing(&names(covariates), &names(shared)).unwrap_err().to_string()
    };
    let unknown = refused(&plan, &["log(dose)"], &["slop"]);
    assert!(unknown.contains("did you mean `slope`?") && unknown.contains("`upper` and `slope`"), "{unknown}");
    // with two covariates there is no single slope
    assert!(refused(&plan, &["a", "b"], &["slope"]).contains("are `a`, `b`, `(intercept)`, `lower` and `upper`"));
    assert!(refused(&plan, &["a"], &["offset"]).contains("`offset` is not fitted"));
    assert!(refused(&plan, &["a"], &[]).contains("must name a parameter"));
    let bare = options("sigmoid", None).intercept(false).build().unwrap();
    assert!(refused(&bare, &["a"], &["intercept"]).contains("can be shared are `a` and `slope`"));
    for (key, value) in [("solver", "lm"), ("noise", "pre"), ("l2", "0.1"), ("radius", "2"), ("tau-max", "0.5")] {
        let plan = options("sigmoid", None).set(key, value).unwrap().build().unwrap();
        let why = refused(&plan, &["a"], &["slope"]);
        assert!(why.starts_with("a parameter that groups share does not take"), "{why}");
    }
}

#[test]
fn too_many_parameters_and_constant_columns_are_refused() {
    let mut data = curves();
    data.1.levels = (0..400).map(|g| g.to_string()).collect();
    data.0.values.clear();
    data.0.labels.clear();
    (data.0.rows, data.1.codes) = (0, Vec::new());
    for g in 0..400 {
        for k in 0..5 {
            let x = f64::from(k) - 2.0;
            push(&mut data, g, x, 1.0 / (1.0 + (-x).exp()) + 0.01 * (3.1 * f64::from(g as i32 + k)).sin());
        }
    }
    let refused = |data: &(Table, Category), shared: &[&str]| {
        let plan = plan();
        let sharing = plan.sharing(&data.0.names, &names(shared)).unwrap();
        plan.fit_groups_sharing(&data.0, &data.1, &sharing, LEVEL, &|_| ()).map(|_| ()).unwrap_err().to_string()
    };
    assert!(refused(&data, &["slope"]).contains("the joint fit of 400 groups would have 1201 parameters"));
    let mut data = curves();
    data.0.values.fill(1.0);
    assert!(refused(&data, &["slope"]).contains("`log(dose)` is constant or zero in all groups"));
}

#[test]
fn an_interrupted_fit_has_no_groups() {
    let flag = Arc::new(AtomicBool::new(false));
    let plan = options("sigmoid", Some(FREE)).threads(1).interrupt(flag.clone()).build().unwrap();
    let (table, category) = curves();
    let sharing = plan.sharing(&table.names, &names(&["slope"])).unwrap();
    let stop = |done: usize| flag.store(done == 3, Ordering::Relaxed);
    let found = plan.fit_groups_sharing(&table, &category, &sharing, LEVEL, &stop).unwrap();
    assert!(found.groups.is_empty() && found.comparison.is_err());
    flag.store(false, Ordering::Relaxed);
    let again = plan.fit_groups_sharing(&table, &category, &sharing, LEVEL, &|_| ()).unwrap();
    let status = |fit: &GroupFit| fit.curve.as_ref().unwrap().report.status();
    assert!(again.groups.iter().all(|fit| status(fit) == Status::Converged));
}
