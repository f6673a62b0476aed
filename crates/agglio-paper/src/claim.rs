//! A *claim* is a sentence that can be true or false, of the paper or about it, with the number that a run gives it.

use serde::Serialize;

/// A sentence, and whether a run bears it out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// Where it comes from: a caption, a paragraph, the values of the published run, or beyond the paper.
    pub source: &'static str,
    /// What it says.
    pub statement: String,
    /// What was measured.
    pub measured: String,
    /// The number that decides.
    pub value: f64,
    /// What it must be at most or at least.
    pub bound: Bound,
    /// Why it may differ, where it is known to.
    pub remark: Option<String>,
}

/// What a value must keep to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At most so much.
    AtMost(f64),
    /// At least so much.
    AtLeast(f64),
}

impl Claim {
    /// A claim about a number that is described in words.
    pub fn new(
        source: &'static str,
        statement: impl Into<String>,
        measured: impl Into<String>,
        value: f64,
        bound: Bound,
    ) -> Claim {
        Claim { source, statement: statement.into(), measured: measured.into(), value, bound, remark: None }
    }

    /// Adds why it may differ.
    pub fn remark(mut self, remark: impl Into<String>) -> Claim {
        self.remark = Some(remark.into());
        self
    }

    /// Whether the number keeps to its bound; what is not a number keeps to none.
    pub fn held(&self) -> bool {
        match self.bound {
            Bound::AtMost(bound) => self.value <= bound,
            Bound::AtLeast(bound) => self.value >= bound,
        }
    }

    /// How many times over the number keeps to its bound: one is just enough, below one it fails.
    pub fn margin(&self) -> f64 {
        match self.bound {
            Bound::AtMost(bound) => bound / self.value,
            Bound::AtLeast(bound) => self.value / bound,
        }
    }
}
