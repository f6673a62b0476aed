//! A *region* is a part of the space that a search covers: a box, or a part of a cone that may reach to infinity.

use std::cmp::Ordering;

use super::small::{MOST, Vector, ZERO};

/// Where the entries of a region lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Each within `radius` of `centre`.
    Box,
    /// v = ψ/t, where ψ is `sign` along the axis. `centre` and `radius` are those of t along the axis, and of ψ along the
    /// others. t = 0 is infinity.
    Cone { axis: usize, sign: i8 },
}

/// A box or a part of a cone, with a lower bound of the loss in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub kind: Kind,
    pub centre: Vector,
    pub radius: Vector,
    /// A lower bound of the loss.
    pub lower: f64,
    /// The number of the region. Of equal bounds the region that was made first is examined first.
    pub number: u64,
    /// The entry along which it is halved next.
    pub split: usize,
    /// Half of the largest t of a whole cone.
    pub first: f64,
    /// Number of entries of v; the others are of the response scale.
    pub predictors: usize,
}

impl Region {
    /// A box that is a single point. The first `predictors` entries are those of v.
    pub fn point(centre: Vector, predictors: usize) -> Region {
        Region { kind: Kind::Box, centre, radius: ZERO, lower: 0.0, number: 0, split: 0, first: 1.0, predictors }
    }

    /// The smallest and the largest t of a cone.
    pub fn t(&self, axis: usize) -> [f64; 2] {
        [(self.centre[axis] - self.radius[axis]).max(0.0), self.centre[axis] + self.radius[axis]]
    }

    /// Both ends of an entry.
    pub fn ends(&self, entry: usize) -> [f64; 2] {
        [self.centre[entry] - self.radius[entry], self.centre[entry] + self.radius[entry]]
    }

    /// Whether a point is in a box.
    pub fn contains(&self, point: &Vector) -> bool {
        let inside = |j: usize| (point[j] - self.centre[j]).abs() <= self.radius[j];
        self.kind == Kind::Box && (0..MOST).all(inside)
    }

    /// The distance from zero to a cone, in its largest entry; zero for a box.
    pub fn distance(&self) -> f64 {
        match self.kind {
            Kind::Box => 0.0,
            Kind::Cone { axis, .. } => 1.0 / self.t(axis)[1],
        }
    }

    /// The point in the middle.
    pub fn middle(&self) -> Vector {
        let mut middle = self.centre;
        if let Kind::Cone { axis, sign } = self.kind {
            let t = middle[axis];
            middle[axis] = f64::from(sign);
            middle.iter_mut().take(self.predictors).for_each(|v| *v /= t);
        }
        middle
    }

    /// Both halves.
    pub fn halves(&self) -> [Region; 2] {
        [-1.0, 1.0].map(|side| {
            let mut half = *self;
            half.radius[self.split] *= 0.5;
            half.centre[self.split] += side * half.radius[self.split];
            half
        })
    }
}

/// The region that is examined first is the greatest: that of the smallest bound.
impl Ord for Region {
    fn cmp(&self, other: &Region) -> Ordering {
        other.lower.total_cmp(&self.lower).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Region {
    fn partial_cmp(&self, other: &Region) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Region {
    fn eq(&self, other: &Region) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Region {}
