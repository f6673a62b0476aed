//! How fits end: never at a plateau called convergence, never with numbers that are not finite.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agglio::activation::named;
use agglio::fit::{Observer, Step};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Noise, Options, Restarts, Solver, Start, Status, StopReason};

use crate::bank::{self, Exception};

fn identity() -> Options {
    Options::new(named("identity").unwrap()).solver(Solver::Gd).intercept(false)
}

#[test]
fn a_step_that_is_too_long_ends_as_diverging_with_finite_numbers() {
    let data = bank::paper("identity", 200, 3, LabelNoise::Post(0.1, Shape::Gauss), 41);
    for variant in bank::variants() {
        // Adam and Yogi bound their steps themselves
        if matches!(variant.solver, Solver::Adam | Solver::Yogi) {
            continue;
        }
        let options = variant.options("identity", Start::Zero, 0).eta(1e6);
        let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
        assert_eq!(report.status(), Status::Diverging, "{variant:?}: {:?}", report.reason);
        assert!(report.loss.is_finite() && report.coefficients.iter().all(|w| w.is_finite()), "{variant:?}");
    }
}

#[test]
fn a_plateau_is_not_called_convergence() {
    // every row saturated on the wrong side, and no graduation to come back by
    let rows = Dense::new(vec![1.0, 2.0, 3.0, -1.0, -2.0, -3.0], 1, vec![0.9, 0.8, 0.95, 0.1, 0.2, 0.05]).unwrap();
    for distance in [-60.0, -800.0] {
        let start = Start::At { coefficients: vec![distance], intercept: 0.0 };
        let options =
            Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).intercept(false).tau0(1.0).start(start.clone());
        let report = options.build().unwrap().fit(&rows).unwrap();
        assert_eq!(report.status(), Status::Plateau, "{:?}", report.reason);
        // graduation does come back
        let graduated = Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).intercept(false).start(start);
        let report = graduated.build().unwrap().fit(&rows).unwrap();
        assert_eq!(report.status(), Status::Converged);
        assert!(report.coefficients[0] > 0.5);
    }
}

/// Far out every residual is 1 − y to the last digit: the loss has no digits left to fall by, and that is no optimum.
#[test]
fn a_plateau_at_rounding_is_not_called_convergence() {
    let rows = Dense::new(vec![1.0, 2.0, 3.0, 1.5, 2.5], 1, vec![0.9, 0.8, 0.95, 0.7, 0.6]).unwrap();
    for solver in [Solver::Gd, Solver::Lm, Solver::Newton, Solver::NewtonCg, Solver::Lbfgs] {
        for distance in [36.0, 38.0, 100.0] {
            let options = Options::new(named("sigmoid").unwrap()).solver(solver).intercept(false);
            let options = if solver == Solver::Gd { options.tau0(1.0) } else { options };
            let start = Start::At { coefficients: vec![distance], intercept: 0.0 };
            let report = options.start(start).build().unwrap().fit(&rows).unwrap();
            let arrived = report.certificate.certified() && report.coefficients[0] < 2.0;
            assert!(arrived || report.status() == Status::Plateau, "{solver} {distance}: {}", report.verdict());
        }
    }
}

#[test]
fn restarts_without_a_path_are_refused() {
    for options in [identity().tau_max(0.0), identity().noise(Noise::Pre)] {
        let why = options.solver(Solver::Auto).restarts(Restarts::Count(3)).build().unwrap_err().to_string();
        assert!(why.contains("restarts") && why.contains("last temperature of 0"), "{why}");
    }
}

/// Steps of a length that was asked for may bounce between flat parts, where every number is finite.
#[test]
fn steps_that_lead_uphill_end_as_diverging_with_advice() {
    let data = bank::paper("sigmoid", 200, 3, LabelNoise::Post(0.05, Shape::Gauss), 41);
    for variant in bank::variants() {
        if matches!(variant.solver, Solver::Adam | Solver::Yogi) {
            continue;
        }
        let options = variant.options("sigmoid", Start::Zero, 0).eta(1e6);
        let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
        assert_eq!((report.status(), report.reason), (Status::Diverging, StopReason::Overshot), "{variant:?}");
        assert!(report.warnings(&[]).iter().any(|warning| warning.contains("leave eta out")), "{variant:?}");
    }
}

#[test]
fn a_fit_without_steps_knows_the_loss_of_the_line_it_begins_with() {
    let data = bank::paper("sigmoid", 50, 3, LabelNoise::Post(0.1, Shape::Gauss), 45);
    let report = Options::new(named("sigmoid").unwrap()).epochs(0).build().unwrap().fit(&bank::rows(&data)).unwrap();
    assert_eq!((report.steps, report.certificate.linear_loss), (0, Some(report.loss)));
}

#[test]
fn no_epochs_return_the_start() {
    let data = bank::paper("sigmoid", 50, 3, LabelNoise::None, 42);
    let at = vec![0.5, -0.25, 2.0];
    let options = Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).intercept(false).epochs(0);
    let report = options.start(Start::At { coefficients: at.clone(), intercept: 0.0 }).build().unwrap();
    let report = report.fit(&bank::rows(&data)).unwrap();
    assert!(bank::largest_difference(&report.coefficients, &at) <= 1e-15);
    assert_eq!((report.status(), report.steps), (Status::IterationLimit, 0));
}

#[test]
fn an_exact_fit_is_one_at_the_limit_too() {
    let data = bank::paper("sigmoid", 200, 3, LabelNoise::None, 46);
    let fit = |epochs| {
        let options = Options::new(named("sigmoid").unwrap()).solver(Solver::Gd).intercept(false).epochs(epochs);
        options.build().unwrap().fit(&bank::rows(&data)).unwrap()
    };
    let free = fit(3000);
    assert_eq!(free.reason, StopReason::Rounding);
    // a few steps earlier the residuals are rounding already, and the rule still waits for a smaller gradient
    let limited = fit(free.steps - 10);
    assert_eq!((limited.reason, limited.status()), (StopReason::Rounding, Status::Converged));
    assert_eq!(limited.steps, free.steps - 10);
}

#[test]
fn a_tolerance_is_kept_and_can_be_loosened() {
    let data = bank::paper("softplus", 500, 5, LabelNoise::Post(0.1, Shape::Gauss), 43);
    let fit = |tolerance| {
        let options = Options::new(named("softplus").unwrap()).solver(Solver::Gd).tolerance(tolerance);
        options.build().unwrap().fit(&bank::rows(&data)).unwrap()
    };
    let (loose, tight) = (fit(1e-4), fit(1e-12));
    assert_eq!((loose.reason, tight.reason), (StopReason::Gradient, StopReason::Gradient));
    assert!(
        loose.certificate.relative_gradient.is_some_and(|g| g <= 1e-4)
            && tight.certificate.relative_gradient.is_some_and(|g| g <= 1e-12)
    );
    assert!(loose.passes < tight.passes);
}

#[test]
fn an_unreachable_tolerance_ends_where_rounding_does() {
    let data = bank::paper("softplus", 500, 5, LabelNoise::Post(0.1, Shape::Gauss), 43);
    let report = Options::new(named("softplus").unwrap()).solver(Solver::Gd).tolerance(0.0).build().unwrap();
    let report = report.fit(&bank::rows(&data)).unwrap();
    assert_eq!(report.reason, StopReason::Settled);
    assert!(report.certificate.relative_gradient.is_some_and(|g| g <= 1e-13));
}

#[test]
fn stochastic_fits_stop_at_a_loose_tolerance() {
    let data = bank::paper("softplus", 500, 5, LabelNoise::Post(0.1, Shape::Gauss), 44);
    for solver in [Solver::Sgd, Solver::Adam, Solver::Yogi] {
        let options = Options::new(named("softplus").unwrap()).solver(solver).tolerance(1e-2);
        let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
        assert_eq!(report.reason, StopReason::Gradient, "{solver}");
        assert!(report.certificate.relative_gradient.is_some_and(|g| g <= 1e-2), "{solver}");
    }
}

#[test]
fn a_ball_is_kept() {
    let data = bank::paper("identity", 200, 5, LabelNoise::None, 45);
    for variant in bank::variants() {
        let options = variant.options("identity", Start::Random(Some(10.0)), 0).radius(0.1).epochs(50);
        let report = options.scaling(agglio::rows::Scaling::None).build().unwrap().fit(&bank::rows(&data)).unwrap();
        let norm = report.coefficients.iter().map(|w| w * w).sum::<f64>().sqrt();
        assert!(norm <= 0.1 * (1.0 + 1e-12), "{variant:?}: {norm}");
    }
}

#[test]
fn an_observer_can_end_a_fit() {
    struct After(usize);
    impl Observer for After {
        fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
            if step.step == self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let data = bank::paper("identity", 200, 3, LabelNoise::Post(0.1, Shape::Gauss), 46);
    let report = identity().build().unwrap().fit_observed(&bank::rows(&data), &mut After(7)).unwrap();
    assert_eq!((report.status(), report.steps), (Status::Interrupted, 7));
    let mut observers: Vec<Box<dyn Observer + '_>> = vec![Box::new(After(9)), Box::new(After(3))];
    let report = identity().build().unwrap().fit_observed(&bank::rows(&data), &mut observers).unwrap();
    assert_eq!((report.status(), report.steps), (Status::Interrupted, 3));
}

/// Raises a flag after a number of steps.
struct Raise(usize, Arc<AtomicBool>);

impl Observer for Raise {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.1.fetch_or(step.step == self.0, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

#[test]
fn a_flag_ends_every_solver_with_what_it_has() {
    for (solver, noise, after) in Solver::ALL
        .into_iter()
        .flat_map(|solver| [Noise::Post, Noise::Pre].map(|noise| (solver, noise)))
        // the theory has nothing to say about SiLU
        .filter(|&(solver, noise)| (solver, noise) != (Solver::Linear, Noise::Post) && solver != Solver::Theory)
        .flat_map(|(solver, noise)| [0, 1, 3].map(|after| (solver, noise, after)))
    {
        let data = bank::paper("silu", 2000, 3, LabelNoise::Post(0.1, Shape::Gauss), 46);
        let flag = Arc::new(AtomicBool::new(after == 0));
        let options = Options::new(named("silu").unwrap()).solver(solver).noise(noise).interrupt(flag.clone());
        // labels below the dip have no preimage
        let Ok(report) = options.build().unwrap().fit_observed(&bank::rows(&data), &mut Raise(after, flag.clone()))
        else {
            continue;
        };
        let at = format!("{solver} {noise:?} after {after}");
        if flag.load(Ordering::Relaxed) {
            assert_eq!((report.status(), report.certificate.certified()), (Status::Interrupted, false), "{at}");
            assert!(report.passes < 40.0, "{at}: {} passes", report.passes);
        }
        assert!(report.coefficients.iter().all(|w| w.is_finite()) && report.loss.is_finite(), "{at}");
    }
}

#[test]
fn unbounded_slopes_are_refused_where_no_step_is_safe() {
    let exp = |solver| Options::new(named("exp").unwrap()).solver(solver);
    let refused = |solver: &Solver| matches!(bank::exception(*solver, "exp"), Some(Exception::Refused(_)));
    let (blind, seeing): (Vec<Solver>, Vec<Solver>) =
        Solver::ALL.into_iter().filter(|solver| *solver != Solver::Theory).partition(refused);
    for solver in blind {
        let error = exp(solver).build().unwrap_err().to_string();
        assert!(error.contains(solver.name()) && error.contains("`gd`"), "{error}");
        // a line has a slope
        assert!(exp(solver).noise(agglio::Noise::Pre).build().is_ok(), "{solver}");
        let given = if solver.is_adaptive() { exp(solver).epsilon(1e-8) } else { exp(solver).eta(1e-3) };
        let data = bank::paper("exp", 100, 3, LabelNoise::None, 47);
        assert!(given.epochs(2).build().unwrap().fit(&bank::rows(&data)).is_ok(), "{solver}");
    }
    for solver in seeing {
        assert!(exp(solver).build().is_ok(), "{solver}");
    }
}

/// Momentum swings, so its gradient may not fall for many steps; that is not yet the end.
#[test]
fn solvers_that_converge_linearly_reach_the_tolerance() {
    for (activation, seed) in
        bank::activations_with(|phi| phi.largest_slope().is_some()).flat_map(|a| (0..5).map(move |s| (a, s)))
    {
        let data = bank::paper(activation, 600, 4, LabelNoise::Post(0.05, Shape::Gauss), seed);
        for solver in Solver::paper().filter(|solver| solver.converges_linearly()) {
            let options = Options::new(named(activation).unwrap()).solver(solver);
            let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
            assert_eq!(
                report.reason,
                StopReason::Gradient,
                "{activation} by {solver}, seed {seed}: {}",
                report.verdict()
            );
        }
    }
}

/// A fit of several paths is over once one of them is ended from outside, whichever is the lowest.
#[test]
fn an_interrupt_ends_all_paths() {
    struct Third(usize);
    impl Observer for Third {
        fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
            self.0 += usize::from(step.step == 1);
            if self.0 == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let data = bank::paper("sigmoid", 300, 3, LabelNoise::Post(0.3, Shape::Gauss), 4);
    let many = Options::new(named("sigmoid").unwrap()).restarts(Restarts::Count(1000));
    for plan in [many, Options::new(named("sigmoid").unwrap()).solver(Solver::Multistart)] {
        let mut third = Third(0);
        let report = plan.build().unwrap().fit_observed(&bank::rows(&data), &mut third).unwrap();
        assert_eq!((report.status(), third.0), (Status::Interrupted, 3));
    }
}
