//! The *oracle* answers the queries of a solver: at (θ, τ), over some rows, it returns the loss, the gradient and the
//! curvature.
//!
//! ```text
//! L̂_τ(θ) = (1/n) Σ_i ω_i (φ̂_τ(z_i) − y_i^τ)²,        z_i = x_iᵀw + b + offset_i
//! ```
//!
//! The weights ω have mean one. At τ = 1 the squares may be another [`Loss`]. L̂_τ is the graduated objective of the paper divided by γ(τ)²; at τ = 1 it is the loss
//! of the user. A [`Shard`] holds rows and answers with [`PartialSums`], and the [`Driver`] merges the sums of all
//! shards. Threads, files and machines use the same merge.

mod answer;
mod baseline;
mod client;
mod clip;
mod density;
mod driver;
mod embedding;
mod facts;
mod frame;
mod joint;
mod labels;
mod layout;
mod loss;
mod many;
mod meat;
mod message;
mod neighbourhood;
mod partial_sums;
mod partition;
mod preimage_pass;
mod projection;
mod query;
mod read_ahead;
mod response;
mod response_pass;
mod row_pass;
mod sample;
mod scratch;
mod shard;
mod stream;
mod wild;

use std::borrow::Cow;

use crate::error::Result;
pub use crate::math::tree::LEAF;
pub use answer::{
    Answer, ConstantModel, Curvature, Departure, Gradient, Known, MeanSlope, Meat, Mixture, Model, NormalEquations,
    Value,
};
pub use baseline::Baseline;
pub(crate) use client::OracleClient;
pub use driver::{Driver, Problem};
pub(crate) use embedding::Embedding;
pub use facts::{Facts, Measured, Spread, Traits};
pub use frame::Frame;
pub(crate) use joint::{Joint, Member};
pub use labels::{MARGIN, MARGINS, PreimageChoice, Tally};
pub use layout::Layout;
pub use loss::{Loss, Objective};
pub(crate) use many::MultiQuery;
pub use message::{Reply, Request};
pub(crate) use neighbourhood::Neighbourhood;
pub use partial_sums::{ClusterScore, PartialSums, Weighted};
pub use partition::Partition;
pub use projection::Projection;
pub use query::{
    Ask, At, Batch, Ends, Hessian, LabelChoice, Margin, Memory, PreimageBranch, Query, ResponseChoice, Responses, Want,
    Weighting,
};
pub use response::{FreeResponse, ResponseName, ResponseParameter, ResponseScale};
pub use shard::{Shard, Shards};
pub use stream::Stream;

/// Up to this number of entries of θ, forming and solving with the d×d curvature is cheaper than conjugate gradients.
pub(crate) const WIDE: usize = 1000;

/// Answers queries about all rows of a problem, wherever they are stored.
pub trait Oracle: Sync {
    /// The facts about the rows and φ that are known before any query.
    fn facts(&self) -> &Facts;

    /// Answers a query. An answer that is not finite is not an error.
    ///
    /// # Errors
    /// If rows are lost or cannot be read.
    fn ask(&self, query: &Query<'_>) -> Result<Answer>;

    /// Answers several queries in as few passes over the rows as possible. Each query counts as a pass.
    ///
    /// # Errors
    /// As [`Oracle::ask`].
    fn ask_all(&self, queries: &[Query<'_>]) -> Result<Vec<Answer>>;

    /// The graduated labels for queries without a choice. Default: [`LabelChoice::default`].
    fn labels(&self) -> LabelChoice {
        LabelChoice::default()
    }

    /// Number of rows visited so far, over all queries.
    fn visited(&self) -> u64;

    /// Counts rows that were visited before a fit was resumed.
    fn add_visited(&self, rows: u64);

    /// Whether the caller has asked to stop. Iterations of several queries then end early. Default: no.
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

    /// Number of entries of θ that linear predictors depend on. They come first; the others are of the response scale.
    fn predictor_dim(&self) -> usize {
        self.facts().layout.predictor_dim()
    }

    /// Whether θ has too many entries to form the d×d curvature.
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

    /// Root mean square of z − φ⁻¹(y), the distance between the predictors at θ and the preimages of the labels.
    ///
    /// # Errors
    /// As [`Oracle::ask`].
    fn rms_preimage_error(&self, theta: &[f64]) -> Result<f64> {
        // at τ = 0 the residual is φ′(0)·(z − φ⁻¹(y))
        let value = self.ask(&Query::at(theta, 0.0, Batch::All, Want::Loss))?.value()?;
        Ok(value.unpenalised.sqrt() / self.facts().activation.derivative_at_zero)
    }

    /// The loss of the predictions at θ. With `sigma`, the predictions are means under noise before φ.
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

/// If the run is interrupted, the answer to a product with the curvature: NaN, which ends iterations that ask for many
/// products.
fn given_up(oracle: &dyn Oracle, query: &Query<'_>) -> Option<Answer> {
    let product = matches!(&query.ask, Ask::At(At { want: Want::CurvatureTimes(..), .. }));
    (product && oracle.is_interrupted()).then(|| Answer::Product(vec![f64::NAN; oracle.dim()]))
}
