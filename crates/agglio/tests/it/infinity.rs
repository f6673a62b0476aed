//! Optima at infinity, and points that only look like minima: none of them is certified.

use agglio::activation::named;
use agglio::rows::{Dense, Scaling};
use agglio::{Options, Report, Solver, Status};

use crate::bank;

fn fit(options: Options, rows: &Dense) -> Report {
    options.build().unwrap().fit(rows).unwrap().into_report()
}

fn sigmoid() -> Options {
    Options::new(named("sigmoid").unwrap())
}

/// Labels are zero on the left and one on the right, for every number of rows and under uneven weights too: shares of rows
/// are sums that rounding keeps off one.
#[test]
fn a_separable_table_is_never_certified() {
    for n in 2..=600_usize {
        let x: Vec<f64> = (0..n).map(|i| i as f64 - 0.5 * (n - 1) as f64).collect();
        let y: Vec<f64> = x.iter().map(|&x| f64::from(u8::from(x > 0.0))).collect();
        let rows = Dense::new(x, 1, y).unwrap();
        let report = fit(sigmoid(), &rows);
        assert_eq!(report.status(), Status::Diverging, "{n} rows: {}", report.verdict());
        let weights = (0..n).map(|i| 0.1 + (i * 7919 % 13) as f64 / 7.0).collect();
        let report = fit(sigmoid(), &rows.with_weights(weights).unwrap());
        assert!(!report.certificate.certified(), "{n} weighted rows: {}", report.verdict());
    }
}

/// Labels are the limits of φ, whichever they are: at 1/t the tails of arctan are the longest.
#[test]
fn a_table_that_any_bounded_activation_separates_is_never_certified() {
    for phi in bank::activations_with(|phi| phi.limits().0.is_finite() && phi.limits().1.is_finite()) {
        let phi = named(phi).unwrap();
        for n in 2..=60_usize {
            let x: Vec<f64> = (0..n).map(|i| i as f64 - 0.5 * (n - 1) as f64).collect();
            let y = x.iter().map(|&x| if x > 0.0 { phi.limits().1 } else { phi.limits().0 }).collect();
            let report = fit(Options::new(phi.clone()), &Dense::new(x, 1, y).unwrap());
            assert_eq!(report.status(), Status::Diverging, "{phi:?}, {n} rows: {}", report.verdict());
        }
    }
}

/// The saturating exponential has a limit at +∞ only: a category of ones, or of more, has an infinite coefficient. To the
/// left predictions fall without bound, so a category far below has a finite one.
#[test]
fn a_category_at_the_only_limit_of_a_curve_is_not_certified() {
    let phi = named("expm1").unwrap();
    let x = |i: usize| [3.0 * i as f64 / 39.0, f64::from(u8::from(i >= 30))];
    let finite = |i: usize| phi.value(x(i)[0]) + 0.02 * (7.0 * i as f64).sin();
    for solver in [Solver::Auto, Solver::Lm, Solver::Newton, Solver::Lbfgs, Solver::Gd] {
        for ones in [1.0, 1.2] {
            let label = |i: usize| if i >= 30 { ones } else { finite(i) };
            let rows = Dense::new((0..40).flat_map(x).collect(), 2, (0..40).map(label).collect()).unwrap();
            let report = fit(Options::new(phi.clone()).solver(solver), &rows);
            assert!(!report.certificate.certified(), "{solver}, {ones}: {}", report.verdict());
        }
    }
    for solver in [Solver::Auto, Solver::Lm, Solver::Newton] {
        let label = |i: usize| if i >= 30 { 1e5 * (finite(i) - 2.0) } else { finite(i) };
        let rows = Dense::new((0..40).flat_map(x).collect(), 2, (0..40).map(label).collect()).unwrap();
        let report = fit(Options::new(phi.clone()).solver(solver), &rows);
        assert!(report.certificate.certified(), "{solver}, far below: {}", report.verdict());
    }
}

/// One row of zeros can never saturate; all others do.
#[test]
fn a_row_of_zeros_does_not_hide_an_optimum_at_infinity() {
    let x = |i: usize| [(i * 7919 % 101) as f64 / 50.0 - 1.0, (i * 104_729 % 103) as f64 / 51.0 - 1.0];
    let mut values: Vec<f64> = (0..60).flat_map(x).collect();
    let mut labels: Vec<f64> = (0..60).map(|i| f64::from(u8::from(x(i)[0] + 2.0 * x(i)[1] > 0.0))).collect();
    values.extend([0.0, 0.0]);
    labels.push(0.5);
    let rows = Dense::new(values, 2, labels).unwrap();
    for solver in [Solver::Auto, Solver::Lm, Solver::Newton, Solver::Lbfgs, Solver::Multistart] {
        let report = fit(sigmoid().intercept(false).solver(solver), &rows);
        assert_eq!(report.status(), Status::Diverging, "{solver}: {}", report.verdict());
    }
}

/// The category of the last rows has only ones: its coefficient is infinite, all others are finite.
#[test]
fn a_category_of_ones_is_not_certified() {
    let x = |i: usize| [(i * 7919 % 101) as f64 / 50.0 - 1.0, f64::from(u8::from(i >= 390))];
    let noise = |i: usize| 0.05 * ((i * 31 % 7) as f64 - 3.0) / 3.0;
    let phi = named("sigmoid").unwrap();
    let label = |i: usize| if i >= 390 { 1.0 } else { phi.value(x(i)[0]) + noise(i) };
    let rows = Dense::new((0..400).flat_map(x).collect(), 2, (0..400).map(label).collect()).unwrap();
    for solver in [Solver::Auto, Solver::Lm, Solver::Newton, Solver::Lbfgs] {
        let report = fit(sigmoid().solver(solver), &rows);
        assert!(!report.certificate.certified(), "{solver}: {}", report.verdict());
    }
}

/// However early a fit stops on the way to infinity, it is not certified.
#[test]
fn a_loose_tolerance_does_not_certify_a_tail() {
    let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 3.0];
    let y = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0];
    let values = x.iter().enumerate().flat_map(|(i, x)| [*x, f64::from(u8::from(i >= 12))]).collect();
    let rows = Dense::new(values, 2, y.to_vec()).unwrap();
    for solver in [Solver::Auto, Solver::Lm, Solver::Newton, Solver::Gd, Solver::Lbfgs] {
        for tolerance in [1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10] {
            let report = fit(sigmoid().solver(solver).tolerance(tolerance), &rows);
            assert!(!report.certificate.certified(), "{solver} to {tolerance}: {}", report.verdict());
        }
    }
}

/// Rows and their mirror images have the same labels, so that w₂ = 0 is stationary. Ten of two hundred thousand rows are far
/// out, which a sample misses; over all rows w₂ = 0 is a saddle.
#[test]
fn a_saddle_of_few_rows_of_high_leverage_is_not_certified() {
    let phi = named("softplus").unwrap();
    let pairs = 100_000;
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for i in 0..pairs {
        let x = (i * 7919 % 1009) as f64 / 504.0 - 1.0;
        let far = i % 20_000 == 7;
        let e = if far { 1000.0 } else { (i * 104_729 % 997) as f64 / 498.0 - 1.0 };
        let y = if far { 9.0 } else { phi.value(x) + 0.05 * ((i * 31 % 7) as f64 - 3.0) };
        for sign in [1.0, -1.0] {
            values.extend([x, sign * e]);
            labels.push(y);
        }
    }
    let rows = Dense::new(values, 2, labels).unwrap();
    for solver in [Solver::Lbfgs, Solver::NewtonCg, Solver::Gd] {
        let options = Options::new(phi.clone()).solver(solver).scaling(Scaling::Standard).epochs(300);
        let report = fit(options, &rows);
        let at_saddle = report.coefficients[1].abs() < 1e-9;
        assert!(!(at_saddle && report.certificate.certified()), "{solver}: {}", report.verdict());
        if at_saddle {
            assert_eq!(report.certificate.curvature_rows, 2 * pairs, "{solver}");
        }
    }
}

/// Percentages under a sigmoid, and a response of which most is above its range.
#[test]
fn a_response_on_another_scale_is_told() {
    let x: Vec<f64> = (0..50).map(|i| f64::from(i) / 10.0 - 2.5).collect();
    let share = |x: &f64| named("sigmoid").unwrap().value(*x);
    for (factor, advice) in [(100.0, "divide"), (8.3, "divide")] {
        let labels = x.iter().map(|x| factor * share(x)).collect();
        let report = fit(sigmoid(), &Dense::new(x.clone(), 1, labels).unwrap());
        assert_eq!(report.status(), Status::WrongScale, "{factor}: {}", report.verdict());
        assert!(!report.certificate.certified() && report.verdict().contains(advice), "{}", report.verdict());
    }
    // labels at a bound are inside
    let labels = x.iter().map(|x| share(x).round()).collect();
    assert_ne!(fit(sigmoid(), &Dense::new(x.clone(), 1, labels).unwrap()).status(), Status::WrongScale);
    // below τ = 1 nothing is said of the scale
    let labels = x.iter().map(|x| 8.3 * share(x)).collect();
    let capped = fit(sigmoid().tau_max(0.5), &Dense::new(x, 1, labels).unwrap());
    assert_ne!(capped.status(), Status::WrongScale);
}

/// Only labels without a preimage are clipped below a cap, so that the end of the path is the truth.
#[test]
fn a_cap_between_zero_and_one_does_not_move_the_truth() {
    use agglio::simulate::{Design, Simulation};
    // so long that margins clip some labels, and no longer: a label next to a bound has few digits left
    for (activation, norm) in [("sigmoid", 5.0), ("tanh", 2.0), ("probit", 2.0), ("softplus", 5.0), ("silu", 5.0)] {
        let drawn = Simulation::new(named(activation).unwrap(), 1000, 20).design(Design::Normal).norm(norm).seed(3);
        let data = drawn.draw().unwrap();
        let rows = Dense::new(data.values.clone(), 20, data.labels.clone()).unwrap();
        for solver in [Solver::Auto, Solver::Gd] {
            let report = fit(Options::new(named(activation).unwrap()).solver(solver).tau_max(0.3), &rows);
            let off =
                report.coefficients.iter().zip(&data.truth).fold(0.0, |most: f64, (w, t)| most.max((w - t).abs()));
            assert!(off <= 1e-12, "{activation} by {solver}: {off:e}, {}", report.verdict());
        }
    }
}

/// Five rows with a finite minimum and a lower loss at infinity: a challenger that runs there does not agree with the minimum
/// that is kept.
#[test]
fn a_run_to_infinity_does_not_agree_with_a_finite_minimum() {
    let x = vec![-3.017941648597763, -2.079814072090126, -0.967360977989898, 0.0551637146826738, 1.0962315741989825];
    let y = vec![0.4389587785524115, 1.0219655590019479, 0.01679064649894232, 0.3051411406996358, -0.0976463637996558];
    let report = fit(Options::new(named("probit").unwrap()), &Dense::new(x, 1, y).unwrap());
    let certificate = &report.certificate;
    assert!(certificate.certified() && certificate.lower_at_infinity.is_some(), "{}", report.verdict());
    let (agreed, runs) = certificate.restarts.unwrap();
    assert!(agreed < runs, "{}", report.verdict());
}
