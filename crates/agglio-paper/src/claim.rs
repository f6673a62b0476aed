//! A *claim* is a sentence that can be true or false, of the paper or about it, with the number that a run gives it.

use serde::Serialize;

use crate::statistics::Spread;

/// A sentence, and the number that decides it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// Where it comes from: a caption, a paragraph, a theorem, the values of the published run, or beyond the paper.
    pub source: &'static str,
    /// The sentence.
    pub statement: String,
    /// The measured quantity, in words.
    pub measured: String,
    /// The number that decides.
    pub value: f64,
    /// The bound on the number.
    pub bound: Bound,
    /// The quartiles of the number over the seeds, where it compares two things that may tie.
    pub quartiles: Option<[f64; 2]>,
    /// Whether no run could decide otherwise, since the claim follows from how the number is computed.
    pub by_construction: bool,
    /// Why it may differ, where it is known to.
    pub remark: Option<String>,
}

/// The kind of bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At most so much.
    AtMost(f64),
    /// At least so much.
    AtLeast(f64),
}

/// The verdict of a run on a claim, in the order in which claims are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The number does not keep to its bound.
    Failed,
    /// A tie: the bound lies within the middle half of the seeds, or there is no number.
    Undecided,
    /// The number keeps to its bound.
    Held,
    /// The claim is true by construction, and is not counted.
    Given,
}

impl Verdict {
    /// All of them, in order.
    pub const ALL: [Verdict; 4] = [Verdict::Failed, Verdict::Undecided, Verdict::Held, Verdict::Given];

    /// One word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Failed => "failed",
            Verdict::Undecided => "undecided",
            Verdict::Held => "held",
            Verdict::Given => "by construction",
        }
    }
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
        Claim {
            source,
            statement: statement.into(),
            measured: measured.into(),
            value,
            bound,
            quartiles: None,
            by_construction: false,
            remark: None,
        }
    }

    /// Makes it a comparison over the seeds, which may tie: it is undecided where the bound lies within the quartiles.
    pub fn over(mut self, seeds: Spread) -> Claim {
        self.quartiles = Some([seeds.lower, seeds.upper]);
        self
    }

    /// Marks it as true by construction.
    pub fn by_construction(mut self) -> Claim {
        self.by_construction = true;
        self
    }

    /// Adds why it may differ.
    pub fn remark(mut self, remark: impl Into<String>) -> Claim {
        self.remark = Some(remark.into());
        self
    }

    /// The verdict of the number.
    pub fn verdict(&self) -> Verdict {
        let (limit, keeps) = match self.bound {
            Bound::AtMost(limit) => (limit, self.value <= limit),
            Bound::AtLeast(limit) => (limit, self.value >= limit),
        };
        let ties = self.quartiles.is_some_and(|[lower, upper]| lower <= limit && limit <= upper);
        match () {
            () if self.value.is_nan() || limit.is_nan() => Verdict::Undecided,
            () if self.by_construction && keeps => Verdict::Given,
            () if ties => Verdict::Undecided,
            () if keeps => Verdict::Held,
            () => Verdict::Failed,
        }
    }

    /// Whether the number keeps to its bound, and not by a tie.
    pub fn held(&self) -> bool {
        self.verdict() == Verdict::Held
    }

    /// How many times over the number keeps to its bound: one is just enough, below one it does not. Not a number where the
    /// two have different signs, or the bound is zero.
    pub fn margin(&self) -> f64 {
        let (margin, bound) = match self.bound {
            // a number that is twice as far below zero keeps to a negative bound twice over
            Bound::AtMost(bound) if bound < 0.0 => (self.value / bound, bound),
            Bound::AtMost(bound) => (bound / self.value, bound),
            Bound::AtLeast(bound) => (self.value / bound, bound),
        };
        if margin < 0.0 || bound == 0.0 { f64::NAN } else { margin }
    }
}

/// How many claims got each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Those that held.
    pub held: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that tied.
    pub undecided: usize,
}

impl Tally {
    /// Of these claims; those that are true by construction are not counted.
    pub fn of<'a>(claims: impl IntoIterator<Item = &'a Claim>) -> Tally {
        let mut tally = Tally::default();
        for claim in claims {
            match claim.verdict() {
                Verdict::Held => tally.held += 1,
                Verdict::Failed => tally.failed += 1,
                Verdict::Undecided => tally.undecided += 1,
                Verdict::Given => (),
            }
        }
        tally
    }

    /// How many there are.
    pub fn all(self) -> usize {
        self.held + self.failed + self.undecided
    }
}
