//! The *frame* of a problem is the data that a shard needs, in addition to its rows, to answer queries.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::activation::{Activation, Preimages, far_left, named};
use crate::oracle::clip::Clip;
use crate::oracle::loss::Loss;
use crate::oracle::query::{LabelChoice, Margin};
use crate::oracle::response::ResponseScale;
use crate::rows::Coordinates;

/// The activation, the loss, the coordinates of the solver and the label margins. It is computed once, from facts about all rows.
///
/// It can be sent to another process only if the activation has a name in [`named`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Frame {
    #[serde(serialize_with = "write_name", deserialize_with = "read_name")]
    pub(super) activation: Arc<dyn Activation>,
    /// The loss at τ = 1.
    pub(super) loss: Loss,
    pub(super) coordinates: Coordinates,
    /// One clip for each margin in use, the widest first.
    pub(super) clips: Vec<Clip>,
    /// The narrowest clip, which defines the preimage of a label that has none.
    pub(super) narrowest: Clip,
    /// The graduated labels for queries without a choice.
    pub(super) labels: LabelChoice,
    /// The free entries of the response scale, if there are any.
    pub(super) response: Option<ResponseScale>,
    /// A last temperature between 0 and 1, at which the fit ends.
    pub(super) tau_max: Option<f64>,
    /// The unit of all weights.
    pub(super) weight_unit: f64,
    /// The mean of all weights, in that unit.
    pub(super) mean_weight: f64,
    /// Number of all rows.
    pub(super) rows: usize,
}

impl Frame {
    /// The clip of a margin.
    pub(super) fn clip(&self, margin: Margin) -> Clip {
        match margin {
            Margin::Nth(index) => self.clips.get(index).copied().unwrap_or(Clip::NONE),
            Margin::None => Clip::NONE,
        }
    }

    /// The left preimage of a value that lies between the limit of φ at −∞ and its minimum, at 1 % of the way. None if φ is
    /// monotone.
    pub(super) fn far_left(&self) -> Option<f64> {
        far_left(self.activation.as_ref())
    }

    /// The argument of the minimum of φ, if there is one.
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
