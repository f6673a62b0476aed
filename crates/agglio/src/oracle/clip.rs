//! A *clip* keeps labels away from the bounds of the range of φ by a margin. It has no effect at τ = 1.

use serde::{Deserialize, Serialize};

use crate::activation::{Activation, Preimages, Range};
use crate::oracle::facts::Measured;
use crate::oracle::labels::MARGIN;

/// An interval to which labels are clipped, and the interval of their preimages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Clip {
    lowest: f64,
    highest: f64,
    least_preimage: f64,
    greatest_preimage: f64,
    /// Labels in this range have a preimage and are not clipped.
    spared: Option<Range>,
}

impl Clip {
    pub const NONE: Clip = Clip {
        lowest: f64::NEG_INFINITY,
        highest: f64::INFINITY,
        least_preimage: f64::NEG_INFINITY,
        greatest_preimage: f64::INFINITY,
        spared: None,
    };

    fn new(activation: &dyn Activation, epsilon: f64) -> Clip {
        let range = activation.range();
        let (lowest, highest) = (range.lo + epsilon, range.hi - epsilon);
        let preimage = |bound: f64| match activation.preimages(bound) {
            Preimages::One(z) if !range.attained => Some(z),
            _ => None,
        };
        // a response scale below zero turns an increasing activation round
        let falls = activation.derivative(0.0) < 0.0;
        let ends = if falls { (preimage(highest), preimage(lowest)) } else { (preimage(lowest), preimage(highest)) };
        Clip {
            lowest,
            highest,
            least_preimage: ends.0.unwrap_or(f64::NEG_INFINITY),
            greatest_preimage: ends.1.unwrap_or(f64::INFINITY),
            spared: None,
        }
    }

    /// A clip to the range of φ with the margin of the path, relative to the width of the range, or to one if that is infinite.
    pub fn of_width_one(activation: &dyn Activation) -> Clip {
        let Range { lo, hi, attained } = activation.range();
        let width = if (hi - lo).is_finite() { hi - lo } else { 1.0 };
        Clip::new(activation, if attained { 0.0 } else { MARGIN * width })
    }

    /// The same clip for labels outside `range` only. Their stored preimages are already those of the clipped labels.
    pub fn sparing(self, range: Range) -> Clip {
        let (least_preimage, greatest_preimage) = (f64::NEG_INFINITY, f64::INFINITY);
        Clip { least_preimage, greatest_preimage, spared: Some(range), ..self }
    }

    /// Whether the clip changes a label with positive weight.
    pub fn changes(&self, measured: &Measured) -> bool {
        [measured.smallest, measured.largest].into_iter().any(|y| y.is_finite() && self.apply(y) != y)
    }

    pub fn apply(&self, y: f64) -> f64 {
        if self.spared.is_some_and(|range| range.contains(y)) { y } else { y.clamp(self.lowest, self.highest) }
    }

    pub fn apply_to_preimage(&self, z: f64) -> f64 {
        z.clamp(self.least_preimage, self.greatest_preimage)
    }
}

/// The clips of the margins that change a label, the widest first. If some margin changes none, the narrowest is last.
pub(super) fn clips(activation: &dyn Activation, measured: &Measured, margins: &[f64]) -> Vec<Clip> {
    let range = activation.range();
    let width = if range.attained { 0.0 } else { width(range, measured) };
    let narrowest = margins.last().map(|margin| Clip::new(activation, margin * width));
    if range.attained {
        return narrowest.into_iter().collect();
    }
    let all = margins.iter().map(|margin| Clip::new(activation, margin * width));
    let clips: Vec<Clip> = all.filter(|clip| clip.changes(measured)).collect();
    let clips_all = clips.len() == margins.len();
    clips.into_iter().chain(narrowest.filter(|_| !clips_all)).collect()
}

/// The length to which a margin is relative: the width of the range or, if that is infinite, the spread of the labels.
fn width(range: Range, measured: &Measured) -> f64 {
    if (range.hi - range.lo).is_finite() {
        return range.hi - range.lo;
    }
    if range.lo == f64::NEG_INFINITY && range.hi == f64::INFINITY {
        return 0.0;
    }
    let (spread, size) = (measured.counted.variance().sqrt(), measured.label_size());
    [spread, size].into_iter().find(|&s| s > 0.0 && s.is_finite()).unwrap_or(1.0)
}
