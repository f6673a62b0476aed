//! The *shape* of an activation: the points between which φ and its derivatives are monotone. It gives their exact ranges
//! over any interval, from which proofs about the loss are made.

use super::Activation;

/// A function of one variable that is monotone between its turning points.
#[derive(Clone, Debug, PartialEq)]
pub struct PiecewiseMonotone {
    /// The turning points in ascending order, and the function there.
    turns: Vec<(f64, f64)>,
    /// The limits at −∞ and +∞.
    limits: [f64; 2],
    /// The size of terms that cancel, at most; zero if none do.
    terms: f64,
}

impl PiecewiseMonotone {
    /// A function with these turning points, in ascending order, and these limits at −∞ and +∞.
    pub fn new(function: impl Fn(f64) -> f64, turns: &[f64], limits: [f64; 2]) -> PiecewiseMonotone {
        PiecewiseMonotone { turns: turns.iter().map(|&at| (at, function(at))).collect(), limits, terms: 0.0 }
    }

    /// A function that is computed as a sum of terms up to this size, which cancel where it is small. Its rounding error is then
    /// relative to them.
    #[must_use]
    pub fn with_terms(self, terms: f64) -> PiecewiseMonotone {
        PiecewiseMonotone { terms, ..self }
    }

    /// The turning points in ascending order, and the function there.
    pub fn turns(&self) -> &[(f64, f64)] {
        &self.turns
    }

    /// The limits at −∞ and +∞.
    pub fn limits(&self) -> [f64; 2] {
        self.limits
    }

    /// The largest of the finite values at turning points and in the limits, and of terms that cancel; zero without any.
    pub(crate) fn size(&self) -> f64 {
        let values = self.turns.iter().map(|(_, value)| value.abs()).chain(self.limits.map(f64::abs));
        values.filter(|value| value.is_finite()).fold(self.terms, f64::max)
    }

    /// The same function times a constant, plus a constant. Both are finite.
    #[must_use]
    pub fn affine(&self, offset: f64, scale: f64) -> PiecewiseMonotone {
        // 0·∞ would be NaN
        let image = |value: f64| if scale == 0.0 { offset } else { offset + scale * value };
        PiecewiseMonotone {
            turns: self.turns.iter().map(|&(at, value)| (at, image(value))).collect(),
            limits: self.limits.map(image),
            terms: scale.abs() * self.terms,
        }
    }

    /// The function at one end of an interval: the limit if the end is infinite.
    pub fn end(&self, at: f64, function: impl Fn(f64) -> f64) -> f64 {
        let [left, right] = self.limits;
        if at.is_finite() {
            function(at)
        } else if at < 0.0 {
            left
        } else {
            right
        }
    }

    /// The smallest and the largest value between `from` and `to`, where the function is `ends`. Either may be infinite; the
    /// value there is the limit ([`end`](PiecewiseMonotone::end)).
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

impl Shape {
    /// The shape of `phi`, from the turning points and the limits of each of the four functions.
    pub fn new(
        phi: &(impl Activation + ?Sized),
        value: (&[f64], [f64; 2]),
        derivative: (&[f64], [f64; 2]),
        second_derivative: (&[f64], [f64; 2]),
        radial_derivative: (&[f64], [f64; 2]),
    ) -> Shape {
        let with = |function: &dyn Fn(f64) -> f64, (turns, limits)| PiecewiseMonotone::new(function, turns, limits);
        Shape {
            value: with(&|z| phi.value(z), value),
            derivative: with(&|z| phi.derivative(z), derivative),
            second_derivative: with(&|z| phi.second_derivative(z), second_derivative),
            radial_derivative: with(&|z| z * phi.derivative(z), radial_derivative),
        }
    }

    /// The shape of `offset + scale·φ`. Both are finite.
    #[must_use]
    pub fn affine(&self, offset: f64, scale: f64) -> Shape {
        Shape {
            value: self.value.affine(offset, scale),
            derivative: self.derivative.affine(0.0, scale),
            second_derivative: self.second_derivative.affine(0.0, scale),
            radial_derivative: self.radial_derivative.affine(0.0, scale),
        }
    }
}
