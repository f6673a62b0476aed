//! *Examined* regions, for those who watch a search: where a region lies in the space of θ, and the test that excluded it.

use std::fmt;

use super::landscape::Landscape;
use super::region::{Kind, Region};
use super::small::{Vector, ZERO};

/// The test that excluded a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exclusion {
    /// (a) The smallest losses of all rows add up to more than the cut.
    CutOff,
    /// The same with the smallest loss of some rows together.
    Part,
    /// (b) A derivative is nowhere zero.
    Monotone,
    /// (c) The loss is concave along an axis.
    Concave,
    /// (d) A quadratic function below the loss is above the cut.
    Minorant,
    /// (e) The loss is convex, and the candidate is inside.
    Convex,
    /// (n) No step of Newton's method leads into the box.
    Newton,
    /// (r) The loss falls towards zero.
    Radial,
    /// It holds only mirror images of points of other regions.
    Mirrored,
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Exclusion::CutOff => "cut-off",
            Exclusion::Part => "part of the rows",
            Exclusion::Monotone => "monotone",
            Exclusion::Concave => "concave",
            Exclusion::Minorant => "minorant",
            Exclusion::Convex => "convex",
            Exclusion::Newton => "Newton",
            Exclusion::Radial => "radial",
            Exclusion::Mirrored => "mirrored",
        })
    }
}

/// A region that was examined: all points `s·(centre + Σ a_k·half_axes_k)` with |a_k| ≤ 1 and 1 ≤ s ≤ `stretch`.
///
/// Points are the coefficients and the intercept of θ, in the solver's coordinates. Free asymptotes are left out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Examined {
    /// Its middle; of a part of a cone, the middle of the side nearest to zero.
    pub centre: Vec<f64>,
    /// As many as the region has dimensions, for a part of a cone one fewer. They need not be along the axes of θ.
    pub half_axes: Vec<Vec<f64>>,
    /// 1 for a box. A part of a cone is stretched by this factor; it may be infinite.
    pub stretch: f64,
    /// The test that excluded it; none if it was left open, to be cut into halves.
    pub exclusion: Option<Exclusion>,
}

/// Regions that a search has examined, as it knows them.
#[derive(Clone, Copy)]
pub(super) struct Batch<'a> {
    pub landscape: &'a Landscape,
    pub regions: &'a [(Region, Option<Exclusion>)],
}

impl<'a> Batch<'a> {
    /// The regions in the coordinates of θ.
    pub fn iter(self) -> impl Iterator<Item = Examined> + use<'a> {
        self.regions.iter().map(move |(region, exclusion)| self.examined(region, *exclusion))
    }

    fn examined(self, region: &Region, exclusion: Option<Exclusion>) -> Examined {
        let (mut centre, mut radius, mut stretch) = (region.centre, region.radius, 1.0);
        if let Kind::Cone { axis, sign } = region.kind {
            let [near, far] = region.t(axis);
            (centre[axis], radius[axis]) = (f64::from(sign), 0.0);
            centre.iter_mut().chain(&mut radius).for_each(|entry| *entry /= far);
            stretch = far / near;
        }
        let theta = |v: &Vector| self.landscape.predictors_of(v);
        let axes = (0..region.predictors).filter(|&entry| radius[entry] > 0.0);
        let half_axis = |entry: usize| {
            let mut axis = ZERO;
            axis[entry] = radius[entry];
            theta(&axis)
        };
        Examined { centre: theta(&centre), half_axes: axes.map(half_axis).collect(), stretch, exclusion }
    }
}

impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
