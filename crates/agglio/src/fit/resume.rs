//! To *resume* a fit is to continue it from saved bytes, with the same bits as if it had not been interrupted.
//!
//! The bytes hold the state of the loop, its stop rule and the four parts with their settings. The oracle is not among them.

use crate::error::{Error, Result};
use crate::fit::state::LoopState;
use crate::fit::{FitLoop, Stop};
use crate::oracle::Oracle;
use crate::save::encoding::{decode, encode};
use crate::solver::Method;

impl<'o> FitLoop<'o> {
    /// Whether a stage has just ended and the next one has been entered. Here a checkpoint may be written.
    pub fn begins_stage(&self) -> bool {
        self.state.begins_stage()
    }

    /// Everything that the next steps depend on, but for the oracle.
    ///
    /// # Errors
    /// If a part cannot be saved.
    pub fn save(&self) -> Result<Vec<u8>> {
        encode(&(&self.state, &self.stop, &self.p, self.method.save()?))
    }

    /// Continues a fit that was saved. `oracle` and `method` are made as for the saved fit. Nothing is asked here.
    ///
    /// # Errors
    /// If the bytes are not those of a fit of this dimension by this method.
    pub fn resume(oracle: &'o dyn Oracle, mut method: Method, bytes: &[u8]) -> Result<FitLoop<'o>> {
        let (state, stop, p, parts): (LoopState, Stop, Vec<f64>, [Vec<u8>; 4]) = decode(bytes)?;
        if !state.has_dim(oracle.dim()) || p.len() != oracle.dim() {
            return Err(Error::data("the saved fit has another number of coefficients"));
        }
        method.restore(&parts)?;
        Ok(FitLoop { oracle, method, stop, state, p })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::sync::Arc;

    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::activation::{Activation, named};
    use crate::fit::{Outcome, Silent};
    use crate::math::linalg::Symmetric;
    use crate::oracle::{Batch, Driver, Hessian, Problem, Query, Shard, Want};
    use crate::rows::{Dense, Rows};
    use crate::simulate::{LabelNoise, Shape, Simulation};
    use crate::solver::direction::{Direction, FixedCurvature, GaussNewtonBfgs, LevenbergMarquardt, Point, V0};
    use crate::solver::estimator::{Full, MatchingLoss};
    use crate::solver::linear_system::LinearSystem;
    use crate::solver::preset::{self, Course, Settings};
    use crate::solver::schedule::{Adaptive, Constant};
    use crate::solver::step::{self, Improvement};
    use crate::solver::{Ball, Family, Keep, Solver};
    use crate::theory::{self, Algorithm, Setting, Statement};

    const ACTIVATIONS: [&str; 3] = ["sigmoid", "softplus", "silu"];
    /// Most stages of a run.
    const STAGES: usize = 60;
    const RADIUS: f64 = 1.5;

    /// A few stages below the last temperature, and many at it.
    fn settings() -> Settings {
        Settings {
            tau0: None,
            beta: 1.5,
            tau_max: 1.0,
            eta: None,
            mu: 0.9,
            betas: (0.9, 0.99),
            epsilon: None,
            decay: None,
            v0: V0::Zero,
            passes: Some(1),
            delta: None,
            batch: None,
            radius: None,
            seed: 3,
        }
    }

    fn oracle(
        activation: &str,
        rows: usize,
        columns: usize,
        problem: impl Fn(Arc<dyn Activation>) -> Problem,
    ) -> Driver {
        let phi = named(activation).unwrap();
        let noise = LabelNoise::Post(0.05, Shape::Truncated);
        let data = Simulation::new(phi.clone(), rows, columns).norm(2.0).noise(noise).seed(5).draw().unwrap();
        let rows = Dense::new(data.values, columns, data.labels).unwrap();
        Driver::new(Box::new(Shard::new(rows.share())), &problem(phi)).unwrap()
    }

    /// A run of the loop: a method that can be made again and again, and where it starts.
    struct Run<'r> {
        oracle: &'r dyn Oracle,
        method: &'r dyn Fn() -> Method,
        stop: Stop,
    }

    impl<'r> Run<'r> {
        fn new(oracle: &'r dyn Oracle, method: &'r dyn Fn() -> Method) -> Run<'r> {
            Run { oracle, method, stop: Stop::new(1e-12, STAGES) }
        }

        fn begin(&self) -> FitLoop<'r> {
            FitLoop::begin(self.oracle, (self.method)(), start(self.oracle), self.stop.clone()).unwrap()
        }

        /// Runs to the end, and passes the loop through `at_stage` where a stage begins.
        fn end(&self, mut at_stage: impl FnMut(FitLoop<'r>) -> FitLoop<'r>) -> Outcome {
            let mut run = self.begin();
            loop {
                if let Some(ending) = run.step(&mut Silent).unwrap() {
                    return run.end(ending).unwrap();
                }
                run = if run.begins_stage() { at_stage(run) } else { run };
            }
        }

        /// Continues from these bytes, which asks nothing.
        fn resume(&self, bytes: &[u8]) -> FitLoop<'r> {
            let method = (self.method)();
            let visited = self.oracle.visited();
            let run = FitLoop::resume(self.oracle, method, bytes).unwrap();
            assert_eq!(self.oracle.visited(), visited);
            run
        }

        /// The lowest temperature of a stage after the first.
        fn lowest_temperature(&self) -> f64 {
            let mut lowest = f64::INFINITY;
            self.end(|run| {
                lowest = lowest.min(run.state.stage.tau);
                run
            });
            lowest
        }

        /// The bytes at the beginning of each stage, and those of the outcome.
        fn undisturbed(&self) -> (Vec<Vec<u8>>, Vec<u8>) {
            let mut states = Vec::new();
            let outcome = self.end(|run| {
                states.push(run.save().unwrap());
                run
            });
            (states, encode(&outcome).unwrap())
        }

        /// Whether a run that is saved and restored at every stage goes through the same states to the same end.
        fn survives(&self) -> bool {
            let (states, whole) = self.undisturbed();
            assert!(states.len() >= 2, "{} stages", states.len());
            let (mut stage, mut same) = (0, true);
            let outcome = self.end(|run| {
                let bytes = run.save().unwrap();
                same &= states.get(stage) == Some(&bytes);
                stage += 1;
                self.resume(&bytes)
            });
            same && stage == states.len() && encode(&outcome).unwrap() == whole
        }
    }

    /// A point at which neither the loss nor its gradient is special.
    fn start(oracle: &dyn Oracle) -> Vec<f64> {
        let dim = oracle.dim();
        (0..dim).map(|j| if j % 2 == 0 { 1.0 } else { -1.5 } / (dim as f64).sqrt()).collect()
    }

    /// Solvers whose method is that of a run of the loop.
    fn solvers() -> impl Iterator<Item = Solver> {
        Solver::ALL.into_iter().filter(|solver| !matches!(solver.family(), Family::Linear | Family::Theory))
    }

    #[test]
    fn every_solver_continues_with_the_same_bits() {
        for activation in ACTIVATIONS {
            let oracle = oracle(activation, 300, 4, Problem::new);
            for (solver, radius) in solvers().flat_map(|solver| [None, Some(RADIUS)].map(|radius| (solver, radius))) {
                let method = || solver.method(&Settings { radius, ..settings() }, &oracle, &start(&oracle)).unwrap();
                assert!(Run::new(&oracle, &method).survives(), "{activation} by {solver}, {radius:?}");
            }
        }
    }

    #[test]
    fn the_default_path_continues_with_the_same_bits() {
        let mut retreats = 0;
        for (activation, columns) in ACTIVATIONS.iter().flat_map(|a| [4, 40, 70, 1001].map(|columns| (a, columns))) {
            let oracle = oracle(activation, 600, columns, Problem::new);
            let sample = Batch::Part { key: 7, start: 0, len: 400 };
            for (samples, line) in [(vec![Batch::All], false), (vec![sample, Batch::All], true)] {
                let line = line.then(|| curvature(&oracle, samples[0])).flatten();
                let course = Course::graduated(samples).with_line(line);
                let method = || preset::path(&settings(), &oracle, course.clone());
                let run = Run { stop: Stop::new(1e-12, 12), ..Run::new(&oracle, &method) };
                assert!(run.survives(), "{activation}, {columns} columns, {course:?}");
                retreats += usize::from(run.lowest_temperature() < 1.0);
            }
        }
        assert!(retreats > 0);
    }

    /// The curvature at τ = 0, where it is formed.
    fn curvature(oracle: &dyn Oracle, rows: Batch) -> Option<Symmetric> {
        let query = Query::at(vec![0.0; oracle.dim()], 0.0, rows, Want::Curvature(Hessian::GaussNewton));
        if oracle.is_wide() { None } else { oracle.ask(&query).unwrap().model().unwrap().into_matrix() }
    }

    #[test]
    fn the_runs_of_a_race_continue_with_the_same_bits() {
        let mut choices = 0;
        for activation in ACTIVATIONS {
            let oracle = oracle(activation, 300, 4, Problem::new);
            let ball = Some(Ball { radius: RADIUS, layout: oracle.facts().layout });
            let system = || Arc::new(LinearSystem::new(Batch::All, curvature(&oracle, Batch::All), ball));
            let linear = || Method {
                schedule: Box::new(Adaptive::new(0.0, vec![Batch::All]).staying()),
                estimator: Box::new(Full),
                direction: Box::new(FixedCurvature(system())),
                step: Box::new(Improvement { share: -1.0 }),
                ball: None,
                keep: Keep::Last,
            };
            let reweighted = || Method {
                schedule: Box::new(Constant { tau: 1.0, steps: 1 }),
                estimator: Box::new(MatchingLoss),
                direction: Box::new(LevenbergMarquardt::new(Hessian::GaussNewton)),
                step: Box::new(step::Constant(0.5)),
                ball,
                keep: Keep::Best,
            };
            assert!(Run::new(&oracle, &reweighted).survives(), "{activation}");
            // without a second preimage one step is enough
            if Run::new(&oracle, &linear).undisturbed().0.len() >= 2 {
                assert!(Run::new(&oracle, &linear).survives(), "{activation}");
                choices += 1;
            }
        }
        assert!(choices > 0);
    }

    #[test]
    fn the_algorithms_of_the_theory_continue_with_the_same_bits() {
        for (activation, algorithm) in ACTIVATIONS.iter().flat_map(|a| [Algorithm::One, Algorithm::Two].map(|n| (a, n)))
        {
            let phi = named(activation).unwrap();
            let Ok(setting) = Setting::new(phi.as_ref(), 2.0, LabelNoise::None, Some(4)) else { continue };
            let oracle = oracle(activation, 300, 4, Problem::plain);
            let course = theory::Course { setting, algorithm, statement: Statement::Printed };
            let method = || course.method(&oracle, 20, None, 3).unwrap();
            let run = Run { stop: Stop::new(1e-12, 4), ..Run::new(&oracle, &method) };
            assert!(run.survives(), "{activation}, {algorithm:?}");
        }
    }

    /// With the parts as they were at the start of the fit, it ends elsewhere: each of these remembers something.
    #[test]
    fn a_part_that_is_not_restored_changes_the_result() {
        let oracle = oracle("sigmoid", 300, 4, Problem::new);
        for solver in [Solver::Adam, Solver::Momentum, Solver::Svrg, Solver::Saga, Solver::Lbfgs] {
            let method = || solver.method(&settings(), &oracle, &start(&oracle)).unwrap();
            let run = Run { stop: Stop::new(1e-12, 6), ..Run::new(&oracle, &method) };
            let (_, whole) = run.undisturbed();
            let outcome = run.end(|at| {
                let mut resumed = run.resume(&at.save().unwrap());
                resumed.method.restore(&run.begin().method.save().unwrap()).unwrap();
                resumed
            });
            assert_ne!(encode(&outcome).unwrap(), whole, "{solver}");
        }
    }

    /// A direction with momentum whose saved form lacks a field.
    #[derive(Clone, Debug, Default, Serialize, Deserialize)]
    struct Forgetful {
        #[serde(skip)]
        velocity: Vec<f64>,
    }

    impl Direction for Forgetful {
        fn displace(&mut self, size: f64, here: &Point<'_>, p: &mut [f64]) -> Result<f64> {
            self.velocity.resize(p.len(), 0.0);
            self.velocity.iter_mut().zip(&here.known.gradient).for_each(|(v, g)| *v = 0.5 * *v - size * g);
            p.copy_from_slice(&self.velocity);
            Ok(1.0)
        }
    }

    #[test]
    fn a_forgotten_field_is_found() {
        let oracle = oracle("sigmoid", 300, 4, Problem::new);
        let gd = || Solver::Gd.method(&settings(), &oracle, &start(&oracle)).unwrap();
        let forgetful = || Method { direction: Box::new(Forgetful::default()), ..gd() };
        assert!(!Run::new(&oracle, &forgetful).survives());
    }

    #[test]
    fn bytes_of_another_fit_are_refused() {
        let [four, five] = [4, 5].map(|columns| oracle("sigmoid", 300, columns, Problem::new));
        let adam = |oracle: &dyn Oracle| Solver::Adam.method(&settings(), oracle, &start(oracle)).unwrap();
        let method = || adam(&four);
        let bytes = Run::new(&four, &method).begin().save().unwrap();
        let refusal = |oracle, method, bytes| FitLoop::resume(oracle, method, bytes).err().unwrap().to_string();
        assert!(refusal(&five, adam(&five), &bytes).ends_with("another number of coefficients"));
        let other = Method { direction: Box::new(GaussNewtonBfgs::default()), ..method() };
        assert!(refusal(&four, other, &bytes).contains("do not have the expected form"));
        for length in 0..bytes.len() {
            assert!(FitLoop::resume(&four, method(), &bytes[..length]).is_err(), "{length} bytes");
        }
    }
}
