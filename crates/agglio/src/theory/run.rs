//! A *run* of the theory is one of its two algorithms, as parts for the loop of [`crate::fit`].

use crate::solver::direction::Steepest;
use crate::solver::estimator::{Estimator, Full, Minibatch, MinibatchFullLoss, Shuffle};
use crate::solver::schedule::{Planned, PlannedStage};
use crate::solver::{Keep, Method, step};
use crate::theory::{Epoch, Leg};

/// Algorithm 1: one full gradient step for each leg.
pub fn descent(legs: &[Leg]) -> Method {
    let stages = legs.iter().map(|leg| PlannedStage { tau: leg.tau, steps: 1, enough: 0.0 });
    method(stages.collect(), legs.iter().map(|leg| leg.eta).collect(), Box::new(Full))
}

/// Algorithm 2: minibatch steps in each epoch, which ends at the stopping time of the proof.
pub fn stochastic(epochs: &[Epoch], shuffle: Shuffle) -> Method {
    let stage = |epoch: &Epoch| PlannedStage { tau: epoch.tau, steps: epoch.steps as usize, enough: epoch.enough };
    let sizes = epochs.iter().map(|epoch| epoch.eta).collect();
    method(epochs.iter().map(stage).collect(), sizes, Box::new(MinibatchFullLoss(Minibatch(shuffle))))
}

fn method(stages: Vec<PlannedStage>, sizes: Vec<f64>, estimator: Box<dyn Estimator>) -> Method {
    Method {
        schedule: Box::new(Planned(stages)),
        estimator,
        direction: Box::new(Steepest),
        step: Box::new(step::Planned::new(sizes)),
        ball: None,
        keep: Keep::Last,
    }
}
