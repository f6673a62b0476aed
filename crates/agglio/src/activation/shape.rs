//! The *shape* of an activation: the points between which φ and its derivatives are monotone. It gives their exact ranges
//! over any interval, from which proofs about the loss are made.

/// A function of one variable that is monotone between its turning points.
#[derive(Clone, Debug, PartialEq)]
pub struct PiecewiseMonotone {
    /// The turning points in ascending order, and the function there.
    turns: Vec<(f64, f64)>,
    /// The limits at −∞ and +∞.
    limits: [f64; 2],
}

impl PiecewiseMonotone {
    /// A function with these turning points, in ascending order, and these limits at −∞ and +∞.
    pub fn new(function: impl Fn(f64) -> f64, turns: &[f64], limits: [f64; 2]) -> PiecewiseMonotone {
        PiecewiseMonotone { turns: turns.iter().map(|&at| (at, function(at))).collect(), limits }
    }

    /// The turning points in ascending order, and the function there.
    pub fn turns(&self) -> &[(f64, f64)] {
        &self.turns
    }

    /// The limits at −∞ and +∞.
    pub fn limits(&self) -> [f64; 2] {
        self.limits
    }

    /// The same function times a constant, plus a constant.
    #[must_use]
    pub fn affine(&self, offset: f64, scale: f64) -> PiecewiseMonotone {
        let image = |value: f64| offset + scale * value;
        PiecewiseMonotone {
            turns: self.turns.iter().map(|&(at, value)| (at, image(value))).collect(),
            limits: self.limits.map(image),
        }
    }

    /// The smallest and the largest value between `from` and `to`, where the function is `ends`. Either may be infinite; the
    /// value there is the limit.
    pub fn range(&self, [from, to]: [f64; 2], ends: [f64; 2]) -> [f64; 2] {
        let inside = self.turns.iter().filter(|(at, _)| from < *at && *at < to).map(|(_, value)| *value);
        inside.fold([ends[0].min(ends[1]), ends[0].max(ends[1])], |[lo, hi], value| [lo.min(value), hi.max(value)])
    }
}

/// Where φ, φ′, φ″ and z·φ′(z) are monotone.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// φ. Its turning points are zeros of φ′.
    pub value: PiecewiseMonotone,
    /// φ′. Its turning points are zeros of φ″.
    pub derivative: PiecewiseMonotone,
    /// φ″. Its turning points are zeros of φ‴.
    pub second_derivative: PiecewiseMonotone,
    /// z·φ′(z), the derivative of φ(z) by the logarithm of z. Its turning points are zeros of φ′ + zφ″.
    pub radial_derivative: PiecewiseMonotone,
}
