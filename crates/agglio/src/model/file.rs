//! A *model file* is a fitted model in an envelope: JSON whose last line is a checksum of the lines before.

use serde::{Deserialize, Serialize};

use super::by_name::ByName;
use crate::inference::Summary;
use crate::oracle::Loss;
use crate::report::Scale;
use crate::save::envelope::{Envelope, Fields, MODEL};

const ENVELOPE: Envelope = Envelope { format: MODEL, kind: "model file", version: 3, fields };

/// The fields of every version.
const FIELDS: [&str; 14] = [
    "format",
    "version",
    "activation",
    "target",
    "offset",
    "intercept",
    "coefficients",
    "noise",
    "tau",
    "deviation",
    "loss",
    "status",
    "solver",
    "rows",
];

/// Version 1 has no checksum and no number of columns, version 2 no scale of the response and no inference.
fn fields(version: u64) -> Option<Fields> {
    match version {
        1 => Some(Fields { required: &FIELDS, optional: &[] }),
        2 => Some(Fields { required: &FIELDS, optional: &["columns", "checksum"] }),
        3 => Some(Fields {
            required: &FIELDS,
            optional: &["columns", "curve", "affine", "criterion", "inference", "checksum"],
        }),
        _ => None,
    }
}

/// The content of a model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct File {
    pub activation: String,
    pub target: String,
    pub offset: Option<String>,
    /// Number of columns of the table, if they had no names.
    pub columns: Option<usize>,
    /// The name of the curve, if it was fitted by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<String>,
    /// The scale of the response; none if it is that of the activation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affine: Option<Scale>,
    pub intercept: f64,
    pub coefficients: ByName,
    pub noise: String,
    pub tau: f64,
    pub deviation: Option<f64>,
    /// The loss that was minimised; left out for least squares.
    #[serde(default, skip_serializing_if = "is_default")]
    pub criterion: Loss,
    /// None if it overflows.
    pub loss: Option<f64>,
    pub status: String,
    pub solver: String,
    pub rows: usize,
    /// Covariance and intervals; none if the fit had no standard errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inference: Option<Summary>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl File {
    /// The text of the file.
    pub fn text(&self) -> String {
        // strings, finite numbers and maps can always be serialised
        ENVELOPE.seal(self).unwrap_or_default()
    }

    /// Parses the text of a file of this version or an older one.
    pub fn parse(text: &str) -> Result<File, String> {
        ENVELOPE.open(text)
    }
}
