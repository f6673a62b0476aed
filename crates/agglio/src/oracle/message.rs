//! *Messages* between a driver and a holder of rows elsewhere: everything that [`Shards`] is asked, as data.

use serde::{Deserialize, Serialize};

use crate::activation::Range;
use crate::error::Result;
use crate::oracle::facts::Measured;
use crate::oracle::frame::Frame;
use crate::oracle::labels::Tally;
use crate::oracle::partial_sums::PartialSums;
use crate::oracle::query::Query;
use crate::oracle::shard::Shards;

/// What a holder of rows is asked to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request<'a> {
    /// [`Shards::measure`].
    Measure {
        /// The values that φ takes.
        range: Range,
        /// Whether moments of the columns are wanted.
        columns: bool,
    },
    /// [`Shards::prepare`].
    Prepare(Box<Frame>),
    /// [`Shards::answer`].
    Answer(Vec<Query<'a>>),
    /// [`Shards::answer_one`].
    AnswerOne(Query<'a>),
}

/// What it replies.
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
    /// Carries the request out.
    ///
    /// # Errors
    /// Those of the holder.
    pub fn carry_out(&self, shards: &mut dyn Shards) -> Result<Reply> {
        Ok(match self {
            Request::Measure { range, columns } => Reply::Measured(Box::new(shards.measure(*range, *columns)?)),
            Request::Prepare(frame) => Reply::Prepared(shards.prepare(frame)?),
            Request::Answer(queries) => Reply::Answered(shards.answer(queries)?),
            Request::AnswerOne(query) => Reply::Answered(vec![shards.answer_one(query)?]),
        })
    }
}
