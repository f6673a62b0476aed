//! A *plan* is a spec that has been checked, with every default filled in: how to fit, whatever the rows.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::activation::Activation;
use crate::error::Result;
use crate::oracle::PreimageBranch;
use crate::outcome::Noise;
use crate::rows::Scaling;
use crate::solver::Solver;
use crate::solver::preset::Settings;
use crate::spec::{Options, Restarts, Spec, Start};
use crate::theory::Course;

/// Options that have been checked.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) spec: Spec,
    pub(super) activation: Arc<dyn Activation>,
    pub(super) solver: Solver,
    pub(super) intercept: bool,
    pub(super) scaling: Scaling,
    pub(super) noise: Noise,
    /// Whether both places of the noise are fitted, so that they can be compared.
    pub(super) compares: bool,
    pub(super) settings: Settings,
    pub(super) branch: PreimageBranch,
    /// What solver `theory` does.
    pub(super) theory: Option<Course>,
    pub(super) epochs: usize,
    pub(super) tolerance: f64,
    pub(super) start: Start,
    pub(super) restarts: Restarts,
    pub(super) l2: f64,
    pub(super) threads: Option<usize>,
    pub(super) interrupt: Arc<AtomicBool>,
}

impl Options {
    /// Checks everything that can be checked without data.
    ///
    /// # Errors
    /// For a number outside its range, and for choices that do not go together, naming both.
    pub fn build(self) -> Result<Plan> {
        self.check()?;
        let (theory, spec) = (self.course()?, self.spec);
        Ok(Plan {
            // an explicit cap says where to end
            noise: spec.noise.filter(|_| spec.tau_max.is_none()).unwrap_or_default(),
            compares: spec.compares(),
            settings: settings(&spec),
            branch: spec.branch.unwrap_or_default(),
            theory,
            epochs: spec.epochs(),
            activation: self.activation,
            solver: spec.solver(),
            intercept: spec.intercept.unwrap_or(true),
            scaling: spec.scaling(),
            tolerance: spec.tolerance.unwrap_or(1e-10),
            start: spec.start.clone().unwrap_or_default(),
            restarts: spec.restarts.unwrap_or(Restarts::Count(0)),
            l2: spec.l2.unwrap_or(0.0),
            threads: spec.threads,
            interrupt: self.interrupt,
            spec,
        })
    }
}

impl Plan {
    /// The options that were given.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }
}

/// The numbers that the parts of the solver are made with.
fn settings(spec: &Spec) -> Settings {
    Settings {
        tau0: spec.tau0,
        beta: spec.beta.unwrap_or(1.05),
        tau_max: spec.last_temperature(),
        eta: spec.eta,
        mu: spec.mu.unwrap_or(0.9),
        betas: (spec.beta1.unwrap_or(0.9), spec.beta2.unwrap_or(0.99)),
        epsilon: spec.epsilon,
        decay: spec.decay,
        v0: spec.v0.unwrap_or_default(),
        passes: spec.passes,
        delta: spec.delta,
        batch: spec.batch,
        radius: spec.radius,
        seed: spec.seed.unwrap_or(0),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::spec::KEYS;

    /// Everything but the options as they were given.
    fn filled_in(options: Options) -> String {
        format!("{:?}", Plan { spec: Spec::default(), ..options.build().unwrap() })
    }

    #[test]
    fn defaults_are_those_of_the_table() {
        let is_value = |key: &&crate::spec::Key| key.set(&mut Spec::default(), key.default).is_ok();
        // left to the solver
        for key in KEYS.iter().filter(is_value).filter(|key| key.name != "passes") {
            let solver = Solver::ALL.into_iter().find(|&solver| key.is_for(solver)).unwrap();
            let activation = if key.name == "branch" { "silu" } else { "sigmoid" };
            let mut options = Options::new(crate::activation::named(activation).unwrap()).solver(solver);
            if solver == Solver::Theory {
                options = options.intercept(false).radius(1.0);
            }
            let given = options.clone().set(key.name, key.default).unwrap();
            assert_eq!(filled_in(options), filled_in(given), "{}", key.name);
        }
    }
}
