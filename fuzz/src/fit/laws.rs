//! *Laws* that every report keeps.

use agglio::activation::{Activation, named};
use agglio::model::{Centre, Model, Origin};
use agglio::{Report, Solver, Status, StopReason};

use super::problem::Problem;

/// Panics if the report breaks a law.
pub fn check(problem: &Problem, report: &Report) {
    let laws = [
        ("coefficients are finite, one a column", has_coefficients(problem, report)),
        ("the temperature is one", (0.0..=1.0).contains(&report.tau)),
        ("losses are numbers and not negative", has_losses(report)),
        ("the certificate has no NaN", has_certificate(report)),
        ("nothing converges to what is not finite", is_honest(report)),
        (
            "a column that carries nothing has no coefficient",
            report.dead_columns.iter().all(|&j| report.coefficients[j] == 0.0),
        ),
        (
            "the report has words",
            !report.verdict().is_empty() && report.warnings(&[]).iter().all(|word| !word.is_empty()),
        ),
        ("the default solver is no worse than no features", beats_baseline(problem, report)),
    ];
    for (law, holds) in laws {
        assert!(holds, "broken: {law}\n{problem:#?}\n{report:#?}");
    }
    check_loss(problem, report);
    check_model(problem, report);
}

fn has_coefficients(problem: &Problem, report: &Report) -> bool {
    report.coefficients.len() == problem.width
        && report.coefficients.iter().all(|w| w.is_finite())
        && report.intercept.is_finite()
        && (problem.intercept || report.intercept == 0.0)
}

fn has_losses(report: &Report) -> bool {
    let deviation = report.sigma.is_none_or(|s| s >= 0.0);
    report.loss >= 0.0 && report.path_loss >= 0.0 && deviation && report.passes.is_finite()
}

fn has_certificate(report: &Report) -> bool {
    let certificate = &report.certificate;
    let told = [certificate.relative_gradient, certificate.smallest_eigenvalue, certificate.linear_loss];
    let all = told.into_iter().flatten().chain([certificate.baseline_loss, certificate.saturated]);
    // what is said of an overflow is of no use to anybody
    !report.loss.is_finite() || all.into_iter().all(|x| !x.is_nan())
}

fn is_honest(report: &Report) -> bool {
    let converged = report.status() == Status::Converged || report.certificate.certified();
    !converged || (report.loss.is_finite() && report.path_loss.is_finite())
}

/// The model without features is among those that are fitted, and solver `auto` looks at it where its intercept is finite
/// and it is not cut short.
fn beats_baseline(problem: &Problem, report: &Report) -> bool {
    let ended = report.tau == 1.0 && report.reason != StopReason::Limit;
    let looked = problem.solver == Solver::Auto && problem.intercept && problem.free && ended;
    let largest = problem.labels.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    let rounding = (1e-12 * largest).powi(2) + f64::MIN_POSITIVE;
    !looked
        || report.labels_without_preimage > 0
        || report.loss <= report.certificate.baseline_loss * (1.0 + 1e-9) + rounding
}

/// The loss is that of the coefficients, as far as rounding lets one say so.
fn check_loss(problem: &Problem, report: &Report) {
    let Ok(phi) = named(problem.activation) else { return };
    let rows: Vec<Row> = (0..problem.labels.len()).map(|row| Row::of(problem, report, phi.as_ref(), row)).collect();
    // relative to the largest, which may be so small that a product with it is nothing
    let most = rows.iter().fold(0.0, |most: f64, row| most.max(row.weight));
    let mean = |of: fn(&Row) -> f64| {
        let terms = rows.iter().map(|row| (row.weight / most * of(row), row.weight / most));
        let (sum, total) = terms.fold((0.0, 0.0), |(sum, total), (term, weight)| (sum + term, total + weight));
        sum / total
    };
    let (loss, slack) = (mean(|row| row.square), mean(|row| row.slack));
    let unknown = !loss.is_finite() || !slack.is_finite() || loss < 1e-290;
    let near = (report.loss - loss).abs() <= slack + 1e-9 * loss;
    assert!(unknown || near, "the loss is {loss:e} ± {slack:e}\n{problem:#?}\n{report:#?}");
}

/// What a row adds to the loss, and how much of that rounding may change.
struct Row {
    weight: f64,
    square: f64,
    slack: f64,
}

impl Row {
    fn of(problem: &Problem, report: &Report, phi: &dyn Activation, row: usize) -> Row {
        let x = &problem.values[row * problem.width..][..problem.width];
        // the smallest coefficients keep no digits
        let lost = 5e-324 * x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let terms =
            x.iter().zip(&report.coefficients).map(|(x, w)| x * w).chain([report.intercept, problem.offset(row)]);
        let (z, size) = terms.fold((0.0, 0.0), |(z, size), term| (z + term, size + term.abs()));
        // centred columns are subtracted from each other's multiples, so rounding is of the largest of them
        let shift = 1e-12 * (size + centred_size(problem, report)) + lost * x.len() as f64;
        let value = phi.value(z);
        let change = [z - shift, z + shift].map(|z| (phi.value(z) - value).abs());
        let change = change[0].max(change[1]) + 1e-14 * (value.abs() + problem.labels[row].abs());
        let residual = value - problem.labels[row];
        Row {
            weight: problem.weight(row),
            square: residual * residual,
            slack: (2.0 * residual.abs() + change) * change,
        }
    }
}

fn centred_size(problem: &Problem, report: &Report) -> f64 {
    let term = |(at, x): (usize, &f64)| (x * report.coefficients[at % problem.width]).abs();
    problem.values.iter().enumerate().map(term).fold(0.0, f64::max)
}

/// The model reads back as it was written, and predicts numbers.
fn check_model(problem: &Problem, report: &Report) {
    let names: Vec<String> = (1..=problem.width).map(|j| format!("x{j}")).collect();
    let (offset, solver) = (problem.offsets.as_ref().map(|_| "o"), problem.solver.name());
    let origin = Origin { activation: problem.activation, solver, target: "y", offset, names: &names, columns: None };
    let told = |why: &dyn std::fmt::Display| format!("{why}\n{problem:#?}\n{report:#?}");
    let model = match Model::new(report, &origin) {
        Ok(model) => model,
        // a deviation may overflow with the loss
        Err(why) => return assert!(!report.path_loss.is_finite(), "{}", told(&why)),
    };
    let text = model.to_json();
    let again = Model::from_json(&text, "m.json".as_ref()).unwrap_or_else(|why| panic!("{}", told(&why)));
    assert_eq!(again.to_json(), text);
    for centre in [Centre::Mean, Centre::Median] {
        let [first, second] = [&model, &again].map(|m| m.predict(&problem.values, problem.offsets.as_deref(), centre));
        let same = first.iter().zip(&second).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "{}", told(&"a model that was read predicts differently"));
        let nan = first.iter().enumerate().find(|(row, y)| y.is_nan() && is_finite(problem, report, *row));
        assert!(nan.is_none(), "{}", told(&format!("a prediction is NaN: {centre:?} {nan:?}")));
    }
}

/// Whether the predictor of a row is finite.
fn is_finite(problem: &Problem, report: &Report, row: usize) -> bool {
    let x = problem.values[row * problem.width..][..problem.width].iter();
    let z: f64 = x.zip(&report.coefficients).map(|(x, w)| x * w).sum();
    (z + report.intercept + problem.offset(row)).is_finite()
}
