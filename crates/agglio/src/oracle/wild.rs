//! A *wild* bootstrap sample: the rows of the table, with responses that are predictions plus residuals of random signs.

use crate::math::rng::sign;
use crate::oracle::frame::Frame;
use crate::oracle::response::ResponseAt;
use crate::oracle::row_pass::RowPass;
use crate::rows::{Predictor, Run};

/// The predictions at a point, and the key of the signs.
pub(super) struct Wild {
    key: u64,
    at: Predictor,
    /// The response scale at the point, if it has a free entry.
    response: Option<ResponseAt>,
}

impl Wild {
    pub fn new(key: u64, theta: &[f64], frame: &Frame) -> Wild {
        let response = frame.response.as_ref();
        let response = response.map(|scale| scale.at(theta.get(frame.coordinates.dim()..).unwrap_or_default()));
        Wild { key, at: frame.coordinates.predictor(theta), response }
    }
}

impl RowPass<'_> {
    /// Replaces a graduated label y by ŷ − (y − ŷ) where the sign of its row is negative.
    pub(super) fn redraw(&self, wild: &Wild, tau: f64, run: &Run<'_>, label: &mut [f64], [z, value]: [&mut [f64]; 2]) {
        value.fill(0.0);
        if self.rows.has_offsets() {
            self.rows.offsets(run, value);
        }
        self.predict(&wild.at, run, value, z);
        self.place_limits(run, &wild.at.v, z);
        self.respond(tau, false, z, value, &mut []);
        if let Some(ResponseAt { offset, scale, .. }) = wild.response {
            // below τ = 1 values have no offset
            let offset = if tau < 1.0 { 0.0 } else { offset };
            value.iter_mut().for_each(|value| *value = offset + scale * *value);
        }
        for (i, (label, value)) in label.iter_mut().zip(value).enumerate() {
            // the same for a row, whatever shard holds it
            if sign(wild.key, self.prepared.held.row(run.row(i))) < 0.0 {
                *label = *value - (*label - *value);
            }
        }
    }
}
