//! The *frame* of a problem: everything beside its own rows that a holder of rows must know to answer.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::activation::{Activation, Preimages, named};
use crate::oracle::clip::Clip;
use crate::oracle::query::Margin;
use crate::rows::Coordinates;

/// The activation, the solver's coordinates and the margins of labels. It is made once, of facts about all rows.
///
/// Only an activation that has a name here can be sent to another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Frame {
    #[serde(serialize_with = "write_name", deserialize_with = "read_name")]
    pub(super) activation: Arc<dyn Activation>,
    pub(super) coordinates: Coordinates,
    /// One for each margin that makes a difference, the widest first.
    pub(super) clips: Vec<Clip>,
    /// The narrowest of them, by which labels without a preimage get one.
    pub(super) narrowest: Clip,
    /// A last temperature between 0 and 1, at which the fit ends.
    pub(super) tau_max: Option<f64>,
    /// The unit of all weights.
    pub(super) weight_unit: f64,
    /// Number of all rows.
    pub(super) rows: usize,
}

impl Frame {
    /// The clip that a margin stands for.
    pub(super) fn clip(&self, margin: Margin) -> Clip {
        match margin {
            Margin::Nth(index) => self.clips.get(index).copied().unwrap_or(Clip::NONE),
            Margin::None => Clip::NONE,
        }
    }

    /// A z so far to the left that φ(z) is next to zero, where φ falls to zero on the left of a minimum.
    pub(super) fn far_left(&self) -> Option<f64> {
        match self.activation.preimages(0.01 * self.activation.range().lo) {
            Preimages::Two { left, .. } => Some(left),
            _ => None,
        }
    }

    /// Where φ has its minimum, if it has one.
    pub(super) fn argmin(&self) -> Option<f64> {
        match self.activation.preimages(self.activation.range().lo) {
            Preimages::One(argmin) => Some(argmin),
            _ => None,
        }
    }
}

fn write_name<S: Serializer>(activation: &Arc<dyn Activation>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&activation.name())
}

fn read_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<dyn Activation>, D::Error> {
    named(&String::deserialize(deserializer)?).map_err(de::Error::custom)
}
