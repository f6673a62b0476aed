//! A *clip* keeps labels off the bounds of the range of φ, by a margin that matters only on the way to τ = 1.

use crate::activation::{Activation, Preimages, Range};

/// Labels kept some way off the bounds of the range, and their preimages with them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clip {
    lowest: f64,
    highest: f64,
    least_preimage: f64,
    greatest_preimage: f64,
    /// Labels in this range have a preimage and are left alone.
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
        let ends = (preimage(lowest), preimage(highest));
        Clip {
            lowest,
            highest,
            least_preimage: ends.0.unwrap_or(f64::NEG_INFINITY),
            greatest_preimage: ends.1.unwrap_or(f64::INFINITY),
            spared: None,
        }
    }

    /// The same for labels outside `range` alone, whose preimages are those of the clipped labels already.
    pub fn sparing(self, range: Range) -> Clip {
        let (least_preimage, greatest_preimage) = (f64::NEG_INFINITY, f64::INFINITY);
        Clip { least_preimage, greatest_preimage, spared: Some(range), ..self }
    }

    pub fn apply(&self, y: f64) -> f64 {
        if self.spared.is_some_and(|range| range.contains(y)) { y } else { y.clamp(self.lowest, self.highest) }
    }

    pub fn apply_to_preimage(&self, z: f64) -> f64 {
        z.clamp(self.least_preimage, self.greatest_preimage)
    }
}

/// The clips of those margins that make a difference; where none does, of the narrowest.
pub(super) fn clips(activation: &dyn Activation, y: &[f64], margins: &[f64]) -> Vec<Clip> {
    let range = activation.range();
    let width = if range.attained { 0.0 } else { width(range.lo, range.hi, y) };
    let narrowest = margins.last().map(|margin| Clip::new(activation, margin * width));
    if range.attained {
        return narrowest.into_iter().collect();
    }
    let all = margins.iter().map(|margin| Clip::new(activation, margin * width));
    let clips: Vec<Clip> = all.filter(|clip| y.iter().any(|&y| clip.apply(y) != y)).collect();
    let clips_all = clips.len() == margins.len();
    clips.into_iter().chain(narrowest.filter(|_| !clips_all)).collect()
}

/// What ε is relative to.
fn width(lo: f64, hi: f64, y: &[f64]) -> f64 {
    if (hi - lo).is_finite() {
        return hi - lo;
    }
    if lo == f64::NEG_INFINITY && hi == f64::INFINITY {
        return 0.0;
    }
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let spread = (y.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / y.len() as f64).sqrt();
    let size = y.iter().fold(0.0_f64, |size, y| size.max(y.abs()));
    [spread, size].into_iter().find(|&s| s > 0.0 && s.is_finite()).unwrap_or(1.0)
}
