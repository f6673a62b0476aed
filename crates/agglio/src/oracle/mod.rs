//! The *oracle* answers the only question a solver asks: at (θ, τ), over these rows, what are loss, gradient and curvature?
//!
//! ```text
//! L̂_τ(θ) = (1/n) Σ_i ω_i (φ̂_τ(z_i) − y_i^τ)²,        z_i = x_iᵀw + b + offset_i
//! ```
//!
//! with weights ω of mean one. It is the graduated objective of the paper divided by γ(τ)², and the user's own loss at
//! τ = 1. [`Shard`]s hold rows and answer with [`PartialSums`]; the [`Driver`] merges these. Threads, files and machines
//! are therefore the same fold.

mod answer;
mod baseline;
mod client;
mod clip;
mod density;
mod driver;
mod facts;
mod frame;
mod labels;
mod layout;
mod loss;
mod many;
mod message;
mod partial_sums;
mod partition;
mod projection;
mod query;
mod row_pass;
mod shard;

use std::borrow::Cow;

use crate::error::Result;
pub use crate::math::tree::LEAF;
pub use answer::{
    Answer, ConstantModel, Curvature, Departure, Gradient, Known, Mixture, Model, NormalEquations, Value,
};
pub use baseline::Baseline;
pub(crate) use client::OracleClient;
pub use driver::{Driver, Problem};
pub use facts::{Facts, Measured, Spread, Traits};
pub use frame::Frame;
pub use labels::{MARGIN, MARGINS, PreimageChoice, Tally};
pub use layout::Layout;
pub use loss::Objective;
pub(crate) use many::MultiQuery;
pub use message::{Reply, Request};
pub use partial_sums::{PartialSums, Weighted};
pub use partition::Partition;
pub use projection::Projection;
pub use query::{Ask, At, Batch, Ends, Hessian, LabelChoice, Margin, Memory, PreimageBranch, Query, Want};
pub use shard::{Shard, Shards};

/// Entries of θ up to which forming the d×d curvature and solving with it costs less than the products with vectors that
/// conjugate gradients would ask for instead.
pub(crate) const WIDE: usize = 1000;

/// Answers questions about all rows of a problem, wherever they are held.
pub trait Oracle: Sync {
    /// What is known of the rows and of φ before anything is asked.
    fn facts(&self) -> &Facts;

    /// Answers a question. An answer that is not finite is no error.
    ///
    /// # Errors
    /// If rows are lost or cannot be read.
    fn ask(&self, query: &Query<'_>) -> Result<Answer>;

    /// Answers several questions, in as few visits of the rows as it takes. A row counts as visited once for each.
    ///
    /// # Errors
    /// As [`Oracle::ask`].
    fn ask_all(&self, queries: &[Query<'_>]) -> Result<Vec<Answer>>;

    /// The graduated labels of questions that choose none. Default: the default ones.
    fn labels(&self) -> LabelChoice {
        LabelChoice::default()
    }

    /// Rows visited so far, by everything.
    fn visited(&self) -> u64;

    /// Whether somebody outside wants an end: what takes several questions is left unfinished then. Default: no.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// Number of rows, n.
    fn rows(&self) -> usize {
        self.facts().rows
    }

    /// Number of entries of θ.
    fn dim(&self) -> usize {
        self.facts().layout.dim()
    }

    /// Whether θ has so many entries that their d×d curvature is never to be formed.
    fn is_wide(&self) -> bool {
        self.dim() > WIDE
    }

    /// L̂_τ over these rows at several points.
    ///
    /// # Errors
    /// As [`Oracle::ask`].
    fn losses(&self, thetas: &[Vec<f64>], tau: f64, batch: Batch) -> Result<Vec<f64>> {
        let queries: Vec<Query<'_>> = thetas.iter().map(|theta| Query::at(theta, tau, batch, Want::Loss)).collect();
        self.ask_all(&queries)?.into_iter().map(|answer| Ok(answer.value()?.loss)).collect()
    }

    /// The curvature at (θ, τ) over these rows times a vector.
    ///
    /// # Errors
    /// As [`Oracle::ask`].
    fn curvature_times(&self, theta: &[f64], tau: f64, batch: Batch, hessian: Hessian, v: &[f64]) -> Result<Vec<f64>> {
        let want = Want::CurvatureTimes(hessian, Cow::Borrowed(v));
        self.ask(&Query::at(theta, tau, batch, want))?.product()
    }

    /// Root mean square of z − φ⁻¹(y): how far the predictors at θ are from those that the labels ask for.
    ///
    /// # Errors
    /// As [`Oracle::ask`].
    fn rms_preimage_error(&self, theta: &[f64]) -> Result<f64> {
        // at τ = 0 the residual is φ′(0)·(z − φ⁻¹(y))
        let value = self.ask(&Query::at(theta, 0.0, Batch::All, Want::Loss))?.value()?;
        Ok(value.unpenalised.sqrt() / self.facts().activation.slope)
    }

    /// The loss of a model's predictions at θ: means under noise before φ of this standard deviation, where there is one.
    ///
    /// # Errors
    /// As [`Oracle::ask`].
    fn prediction_loss(&self, theta: &[f64], sigma: Option<f64>) -> Result<f64> {
        match sigma {
            None => Ok(self.ask(&Query::at(theta, 1.0, Batch::All, Want::Loss))?.value()?.unpenalised),
            Some(sigma) => {
                self.ask(&Query::new(Batch::All, Ask::MeanLoss { theta: Cow::Borrowed(theta), sigma }))?.number()
            }
        }
    }
}

/// The answer to somebody who is to end and asks for a product with the curvature: one that is not finite, at which
/// iterations give up that ask for many in a row.
fn given_up(oracle: &dyn Oracle, query: &Query<'_>) -> Option<Answer> {
    let product = matches!(&query.ask, Ask::At(At { want: Want::CurvatureTimes(..), .. }));
    (product && oracle.is_interrupted()).then(|| Answer::Product(vec![f64::NAN; oracle.dim()]))
}
