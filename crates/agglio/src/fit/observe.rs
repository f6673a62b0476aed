//! *Observers* watch a fit from outside: progress bars, traces, interrupts, the distance to a known truth.

use std::ops::ControlFlow;

use crate::prove::Progress;
use crate::rows::Coordinates;

/// One step of the loop, as it was taken.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The step's number in the fit, from 1.
    pub step: usize,
    /// The stage's number, from 0.
    pub stage: usize,
    /// The temperature τ.
    pub tau: f64,
    /// Number of rows of the estimate.
    pub rows: usize,
    /// Rows visited so far, divided by n, over all queries.
    pub passes: f64,
    /// L̂_τ at the point the step left, over the rows asked.
    pub loss: f64,
    /// ‖∇L̂_τ‖ there, as estimated.
    pub gradient: f64,
    /// Share of saturated rows, by weight, at the point that the step left; 0 if it is not known.
    pub saturated: f64,
    /// Whether the trial was kept.
    pub accepted: bool,
    /// θ after the step, in the solver's coordinates.
    pub theta: &'a [f64],
    pub(super) coordinates: &'a Coordinates,
}

impl Step<'_> {
    /// w after the step, in the user's units and without the intercept.
    ///
    /// ```
    /// use agglio::{Options, activation::named, fit::{Step, Watch}, rows::Dense, simulate::Simulation};
    ///
    /// let data = Simulation::new(named("sigmoid")?, 500, 3).draw()?;
    /// let rows = Dense::new(data.values, 3, data.labels)?;
    /// let mut last = Vec::new();
    /// let mut watch = Watch(|step: &Step<'_>| last = step.coefficients());
    /// let fitted = Options::new(named("sigmoid")?).build()?.fit_observed(&rows, &mut watch)?;
    /// assert!(last.iter().zip(&fitted.coefficients).all(|(step, end)| (step - end).abs() < 1e-9));
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn coefficients(&self) -> Vec<f64> {
        self.coordinates.to_user(self.theta).0
    }
}

/// Is told of every step, and may end the fit.
pub trait Observer: Send {
    /// Called after each step. `Break` ends the fit as interrupted, at the best point so far.
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()>;

    /// Called now and then during the search of a proof. `Break` ends the search, and the fit stands. Default: it goes on.
    fn proof(&mut self, _progress: &Progress<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn step(&mut self, _step: &Step<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Several observers in turn; any of them may end the fit.
impl Observer for Vec<Box<dyn Observer + '_>> {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.iter_mut().try_for_each(|observer| observer.step(step))
    }

    fn proof(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.iter_mut().try_for_each(|observer| observer.proof(progress))
    }
}

/// A closure is an observer.
#[derive(Debug)]
pub struct Watch<F>(pub F);

impl<F: FnMut(&Step<'_>) + Send> Observer for Watch<F> {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        (self.0)(step);
        ControlFlow::Continue(())
    }
}
