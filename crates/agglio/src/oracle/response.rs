//! The *response scale* a + b·φ(z): the free ones of its two entries are part of θ.
//!
//! At τ = 1 the loss is quadratic in a and b. Every answer there is about the best a and b for the given w (variable
//! projection), which the value of the answer contains. For τ < 1 they stay as they are in θ.
//!
//! Reference: Golub and Pereyra (1973), Kaufman (1975).

use serde::{Deserialize, Serialize};

use crate::activation::{Activation, Preimages};
use crate::oracle::clip::Clip;
use crate::oracle::facts::Measured;
use crate::oracle::layout::Layout;

/// The distances of first asymptotes from the responses, relative to the range of these.
const DISTANCES: [f64; 3] = [0.02, 0.1, 0.5];
/// The first scales of an activation that is not bounded on both sides, relative to the range of the responses.
const STEEPNESS: [f64; 3] = [0.1, 1.0, 10.0];
/// If the response is this close to constant in φ, only its mean is determined.
const DEGENERATE: f64 = 1e-14;

/// The entries of the response scale that a problem leaves free. What is fixed belongs to the activation, except an offset
/// beside a free scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FreeResponse {
    /// Whether a is free.
    pub offset: bool,
    /// Whether b is free.
    pub scale: bool,
    /// a, if only b is free.
    pub fixed_offset: f64,
    /// Whether b is above zero.
    pub increasing: bool,
    /// Whether the user speaks of asymptotes instead of offset and scale.
    pub asymptotes: bool,
}

/// The meaning of a free entry of the response scale for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResponseName {
    /// The lower asymptote.
    Lower,
    /// The upper asymptote.
    Upper,
    /// a.
    Offset,
    /// b.
    Scale,
}

impl ResponseName {
    /// The name as users know it.
    pub fn name(self) -> &'static str {
        match self {
            ResponseName::Lower => "lower",
            ResponseName::Upper => "upper",
            ResponseName::Offset => "offset",
            ResponseName::Scale => "scale",
        }
    }
}

/// A parameter of the response scale in the units of the response: a linear function of α and β.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResponseParameter {
    /// Its meaning.
    pub name: ResponseName,
    /// Its value.
    pub value: f64,
    /// Its derivatives by α and β.
    pub gradient: [f64; 2],
}

/// The free entries of the response scale, in units of the responses.
///
/// ```text
/// a = shift + offset_unit·α,    b = scale_unit·β
/// ```
///
/// α and β are entries of θ if they are free. Otherwise α = 0 or β = 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResponseScale {
    /// Which of a and b are free.
    free: [bool; 2],
    shift: f64,
    unit: f64,
    /// The limits of φ at −∞ and +∞, if the user speaks of asymptotes.
    asymptotes: Option<(f64, f64)>,
    /// The clip of responses on the scale of φ, for τ < 1.
    clip: Clip,
    /// (α, β) of each start.
    starts: Vec<[f64; 2]>,
}

/// The response scale at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ResponseAt {
    /// a.
    pub offset: f64,
    /// b.
    pub scale: f64,
    /// The derivatives of the response by α, and by β divided by φ.
    pub units: [f64; 2],
}

impl ResponseScale {
    /// The response scale of a problem, from measurements of the responses; none if nothing is free.
    pub(super) fn of(free: FreeResponse, activation: &dyn Activation, measured: &Measured) -> Option<ResponseScale> {
        if !free.offset && !free.scale {
            return None;
        }
        let spread = measured.largest - measured.smallest;
        let unit = if spread > 0.0 && spread.is_finite() { spread } else { 1.0 };
        let shift = if free.offset { measured.labels.mean } else { free.fixed_offset };
        let mut scale = ResponseScale {
            free: [free.offset, free.scale],
            shift,
            unit,
            asymptotes: free.asymptotes.then(|| activation.limits()),
            clip: Clip::of_width_one(activation),
            starts: Vec::new(),
        };
        let bounds = (measured.smallest, measured.largest);
        let starts = starts(free, activation, bounds, unit);
        scale.starts = starts.into_iter().map(|(a, b)| scale.entries(a, b)).collect();
        Some(scale)
    }

    /// α and β for a and b.
    fn entries(&self, a: f64, b: f64) -> [f64; 2] {
        [(a - self.shift) / self.unit, if self.free[1] { b / self.unit } else { 1.0 }]
    }

    /// Whether a and b are free.
    pub fn free(&self) -> [bool; 2] {
        self.free
    }

    /// The free entries of θ at each start.
    pub fn starts(&self) -> impl ExactSizeIterator<Item = Vec<f64>> + '_ {
        self.starts.iter().map(|start| start.iter().zip(self.free).filter(|(_, free)| *free).map(|(v, _)| *v).collect())
    }

    /// a and b at these free entries of θ, for the activation of the problem.
    pub fn user(&self, entries: &[f64]) -> (f64, f64) {
        let at = self.at(entries);
        (at.offset, at.scale)
    }

    /// The limits of φ at −∞ and +∞, if both asymptotes are free.
    pub(crate) fn free_asymptotes(&self) -> Option<(f64, f64)> {
        self.asymptotes.filter(|_| self.free == [true, true])
    }

    /// A response in the units of α.
    pub(crate) fn in_units(&self, response: f64) -> f64 {
        (response - self.shift) / self.unit
    }

    /// The response of a number in the units of α, and the response that one unit is.
    pub(crate) fn of_units(&self, number: f64) -> (f64, f64) {
        (self.shift + self.unit * number, self.unit)
    }

    /// The free parameters in the user's words, one for each free entry of θ.
    pub fn parameters(&self, entries: &[f64]) -> Vec<ResponseParameter> {
        let ResponseAt { offset, scale, units } = self.at(entries);
        let Some((left, right)) = self.asymptotes else {
            let offset = ResponseParameter { name: ResponseName::Offset, value: offset, gradient: [units[0], 0.0] };
            let scale = ResponseParameter { name: ResponseName::Scale, value: scale, gradient: [0.0, units[1]] };
            return [offset, scale].into_iter().zip(self.free).filter(|(_, free)| *free).map(|(own, _)| own).collect();
        };
        let at = |name, limit: f64| {
            let gradient = [if self.free[0] { units[0] } else { 0.0 }, units[1] * limit];
            ResponseParameter { name, value: offset + scale * limit, gradient }
        };
        let (below, above) = if scale > 0.0 { (left, right) } else { (right, left) };
        let both = [at(ResponseName::Lower, below), at(ResponseName::Upper, above)];
        // one that is fixed depends on neither entry
        both.into_iter().filter(|own| own.gradient != [0.0, 0.0]).collect()
    }

    /// The derivatives of a and b by the free entries of θ: a = … + `0`·α, b = `1`·β.
    pub fn units(&self) -> [f64; 2] {
        [self.unit, if self.free[1] { self.unit } else { 1.0 }]
    }

    /// α and β of these free entries of θ. With β = 0 no response would depend on w, so it counts as one.
    pub(super) fn read(&self, entries: &[f64]) -> [f64; 2] {
        let mut entries = entries.iter().copied();
        let alpha = if self.free[0] { entries.next().unwrap_or(0.0) } else { 0.0 };
        let beta = if self.free[1] { entries.next().filter(|beta| *beta != 0.0).unwrap_or(1.0) } else { 1.0 };
        [alpha, beta]
    }

    pub(super) fn at(&self, entries: &[f64]) -> ResponseAt {
        let [alpha, beta] = self.read(entries);
        let units = self.units();
        ResponseAt { offset: self.shift + units[0] * alpha, scale: units[1] * beta, units }
    }

    pub(super) fn at_start(&self, index: usize) -> ResponseAt {
        let [alpha, beta] = self.starts.get(index).copied().unwrap_or([0.0, 1.0]);
        let units = self.units();
        ResponseAt { offset: self.shift + units[0] * alpha, scale: units[1] * beta, units }
    }

    /// Σ ω (a + bφ − y)² at the best a and b.
    pub(super) fn least_squares(&self, value: &[f64], label: &[f64], weight: &[f64]) -> f64 {
        let rows = || value.iter().zip(label).zip(weight).filter(|(_, weight)| **weight > 0.0);
        let sum = |term: &dyn Fn(f64, f64) -> f64| rows().map(|((v, y), weight)| weight * term(*v, *y)).sum::<f64>();
        let total = sum(&|_, _| 1.0);
        let (mean, centre) = match self.free[0] {
            true => (sum(&|v, _| v) / total, sum(&|_, y| y) / total),
            false => (0.0, self.shift),
        };
        if !self.free[1] {
            return sum(&|v, y| (v - mean - (y - centre)).powi(2));
        }
        let (square, product) = (sum(&|v, _| (v - mean).powi(2)), sum(&|v, y| (v - mean) * (y - centre)));
        let b = if square > 0.0 { product / square } else { 0.0 };
        let loss = sum(&|v, y| (b * (v - mean) - (y - centre)).powi(2));
        if loss.is_nan() { f64::INFINITY } else { loss }
    }

    /// The preimage of a response on this scale, clipped so that it is finite, and the response less the clipped one.
    pub(super) fn preimage(&self, at: ResponseAt, activation: &dyn Activation, y: f64) -> (f64, f64) {
        let own = (y - at.offset) / at.scale;
        let clipped = self.clip.apply(own);
        let preimage = match activation.preimages(clipped) {
            Preimages::One(z) | Preimages::Two { right: z, .. } => z,
            Preimages::None => 0.0,
        };
        (preimage, own - clipped)
    }
}

/// a and b of each start: asymptotes somewhat outside the responses.
fn starts(free: FreeResponse, activation: &dyn Activation, (low, high): (f64, f64), spread: f64) -> Vec<(f64, f64)> {
    let range = activation.range();
    let below = DISTANCES.map(|share| low - share * spread);
    let above = DISTANCES.map(|share| high + share * spread);
    let bounded = (range.hi - range.lo).is_finite();
    let both = free.offset && free.scale;
    let mut pairs = Vec::new();
    match (bounded, free.offset, free.scale) {
        (true, true, true) => {
            for (lo, hi) in below.into_iter().flat_map(|lo| above.map(|hi| (lo, hi))) {
                let b = (hi - lo) / (range.hi - range.lo);
                pairs.push((lo - b * range.lo, b));
                pairs.push((lo + b * range.hi, -b));
            }
        }
        // a scale of one: the range of φ must be that of the responses
        (_, true, false) => {
            if range.lo.is_finite() {
                pairs.extend(below.map(|lo| (lo - range.lo, 1.0)));
            }
            if range.hi.is_finite() {
                pairs.extend(above.map(|hi| (hi - range.hi, 1.0)));
            }
            if pairs.is_empty() {
                pairs.push((0.5 * (low + high) - activation.value(0.0), 1.0));
            }
        }
        (true, false, _) => {
            let a = free.fixed_offset;
            let far = |bound: f64, limit: f64| if limit == 0.0 { None } else { Some((a, (bound - a) / limit)) };
            for bound in above.into_iter().chain(below) {
                pairs.extend([far(bound, range.hi), far(bound, range.lo)].into_iter().flatten());
            }
        }
        (false, _, _) => {
            let sizes = STEEPNESS.map(|size| size * spread);
            for b in sizes.into_iter().flat_map(|b| [b, -b]) {
                let (lo, hi) = if b > 0.0 { (b * range.lo, b * range.hi) } else { (b * range.hi, b * range.lo) };
                match (both, lo.is_finite(), hi.is_finite()) {
                    (false, ..) => pairs.push((free.fixed_offset, b)),
                    (true, true, _) => pairs.extend(below.map(|bound| (bound - lo, b))),
                    (true, _, true) => pairs.extend(above.map(|bound| (bound - hi, b))),
                    (true, false, false) => pairs.push((0.5 * (low + high), b)),
                }
            }
        }
    }
    // a + bφ(z) = a′ − bφ(−z) if φ is odd about its centre
    let one_sign = free.increasing || (both && activation.centre().is_some());
    pairs.retain(|&(_, b)| b != 0.0 && b.is_finite() && (b > 0.0 || !one_sign));
    if pairs.is_empty() {
        pairs.push((if free.offset { low } else { free.fixed_offset }, spread));
    }
    pairs
}

/// Sums over the rows that determine the best a and b, divided by the number of rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResponseBlock {
    /// Means of ω, ωφ, ωφ².
    pub squares: [f64; 3],
    /// Means of ωr and ωrφ.
    pub residuals: [f64; 2],
}

impl ResponseBlock {
    /// Number of sums.
    pub const LEN: usize = 5;

    pub fn of(sums: &[f64], mean: f64) -> ResponseBlock {
        let at = |k: usize| sums.get(k).map_or(0.0, |sum| sum * mean);
        ResponseBlock { squares: [at(0), at(1), at(2)], residuals: [at(3), at(4)] }
    }

    /// Half of the curvature in the free entries: the block of JᵀJ/n for α and β.
    pub fn curvature(&self, units: [f64; 2]) -> [[f64; 2]; 2] {
        let [ones, values, squares] = self.squares;
        let cross = units[0] * units[1] * values;
        [[units[0] * units[0] * ones, cross], [cross, units[1] * units[1] * squares]]
    }

    /// Half of the gradient in α and β.
    pub fn gradient(&self, units: [f64; 2]) -> [f64; 2] {
        [units[0] * self.residuals[0], units[1] * self.residuals[1]]
    }

    /// The displacement of α and β to the best ones, and the decrease of the loss.
    pub fn step(&self, units: [f64; 2], free: [bool; 2]) -> ([f64; 2], f64) {
        let ([[aa, ab], [_, bb]], [ga, gb]) = (self.curvature(units), self.gradient(units));
        let alone = |g: f64, h: f64| if h > 0.0 { -g / h } else { 0.0 };
        let step = match free {
            [true, true] => {
                let determinant = aa * bb - ab * ab;
                match determinant > DEGENERATE * aa * bb {
                    true => [(ab * gb - bb * ga) / determinant, (ab * ga - aa * gb) / determinant],
                    false => [alone(ga, aa), 0.0],
                }
            }
            [true, false] => [alone(ga, aa), 0.0],
            [false, true] => [0.0, alone(gb, bb)],
            [false, false] => [0.0, 0.0],
        };
        let quadratic = step[0] * (aa * step[0] + ab * step[1]) + step[1] * (ab * step[0] + bb * step[1]);
        let decrease = -(2.0 * (step[0] * ga + step[1] * gb) + quadratic);
        if decrease.is_finite() { (step, decrease.max(0.0)) } else { ([0.0, 0.0], 0.0) }
    }
}

impl Layout {
    /// Puts the best response scale of an answer into θ.
    pub fn adopt(&self, theta: &mut [f64], best: Option<[f64; 2]>) {
        let Some(best) = best else { return };
        let free = best.into_iter().zip(self.response).filter(|(_, free)| *free).map(|(entry, _)| entry);
        self.response_mut(theta).iter_mut().zip(free).for_each(|(entry, best)| *entry = best);
    }
}
