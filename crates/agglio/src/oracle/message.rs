//! *Messages* are the calls of [`Shards`] and their results as data, for a shard in another process.

use serde::{Deserialize, Serialize};

use crate::activation::Range;
use crate::error::Result;
use crate::oracle::facts::Measured;
use crate::oracle::frame::Frame;
use crate::oracle::labels::Tally;
use crate::oracle::partial_sums::PartialSums;
use crate::oracle::query::Query;
use crate::oracle::shard::Shards;

/// A call to a shard.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request<'a> {
    /// [`Shards::measure`].
    Measure {
        /// The range of φ.
        range: Range,
        /// Whether to compute the moments of the columns.
        columns: bool,
    },
    /// [`Shards::prepare`].
    Prepare(Box<Frame>),
    /// [`Shards::answer`].
    Answer(Vec<Query<'a>>),
    /// [`Shards::answer_one`].
    AnswerOne(Query<'a>),
}

/// The reply to a [`Request`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// To [`Request::Measure`].
    Measured(Box<Measured>),
    /// To [`Request::Prepare`].
    Prepared(Tally),
    /// To [`Request::Answer`] and [`Request::AnswerOne`].
    Answered(Vec<PartialSums>),
}

impl Request<'_> {
    /// Executes the request.
    ///
    /// # Errors
    /// Those of the shard.
    pub fn carry_out(&self, shards: &mut dyn Shards) -> Result<Reply> {
        Ok(match self {
            Request::Measure { range, columns } => Reply::Measured(Box::new(shards.measure(*range, *columns)?)),
            Request::Prepare(frame) => Reply::Prepared(shards.prepare(frame)?),
            Request::Answer(queries) => Reply::Answered(shards.answer(queries)?),
            Request::AnswerOne(query) => Reply::Answered(vec![shards.answer_one(query)?]),
        })
    }
}
