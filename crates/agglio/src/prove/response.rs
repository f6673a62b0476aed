//! The *response* A + B·φ of a landscape, whose free entries are searched for within bounds.

use super::Unprovable;
use crate::activation::Activation;
use crate::oracle::Facts;

/// Free asymptotes are searched for within this number of ranges of the labels around them.
pub(super) const ASYMPTOTES_WITHIN: f64 = 10.0;

/// `α + β·φ`: the factor of a free entry of the response scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Term {
    pub alpha: f64,
    pub beta: f64,
}

impl Term {
    /// |α| + |β|·φ.
    pub fn absolute(self) -> Term {
        Term { alpha: self.alpha.abs(), beta: self.beta.abs() }
    }

    /// |α| + |β·φ|.
    #[inline(always)]
    pub fn size(self, phi: f64) -> f64 {
        self.alpha.abs() + (self.beta * phi).abs()
    }

    /// The sum with `factor` times another term.
    pub fn plus(self, other: Term, factor: f64) -> Term {
        Term { alpha: self.alpha + factor * other.alpha, beta: self.beta + factor * other.beta }
    }
}

/// The response A + B·φ, with its free entries.
#[derive(Clone, Debug)]
pub(super) struct Response {
    /// The part without a free entry.
    pub fixed: Term,
    /// The factors of the free entries.
    pub free: Vec<Term>,
    /// The values between which they are searched for.
    pub bounds: Vec<[f64; 2]>,
    /// Whether both asymptotes are free and φ is point-symmetric, so that only the first one being the lower is searched.
    pub is_mirrored: bool,
}

impl Response {
    /// The free entries for a and b in a + b·φ.
    pub fn entries(&self, a: f64, b: f64) -> Vec<f64> {
        match self.free.as_slice() {
            [first, second] => {
                // a = Σ α_m·ρ_m and b = Σ β_m·ρ_m
                let determinant = first.alpha * second.beta - second.alpha * first.beta;
                vec![
                    (a * second.beta - b * second.alpha) / determinant,
                    (b * first.alpha - a * first.beta) / determinant,
                ]
            }
            [Term { alpha: 0.0, beta }] => vec![b / beta],
            [Term { alpha, .. }] => vec![a / alpha],
            _ => Vec::new(),
        }
    }
}

/// The response of a fit, or why it cannot be searched. Free entries are in units of the range of the labels.
pub(super) fn response(facts: &Facts, activation: &dyn Activation) -> std::result::Result<Response, Unprovable> {
    let mut response = in_user_units(facts, activation)?;
    let (low, high) = facts.label_bounds;
    for Term { alpha, beta } in &mut response.free {
        (*alpha, *beta) = (*alpha * (high - low), *beta * (high - low));
    }
    response.bounds.iter_mut().flatten().for_each(|bound| *bound /= high - low);
    Ok(response)
}

fn in_user_units(facts: &Facts, activation: &dyn Activation) -> std::result::Result<Response, Unprovable> {
    let one = Term { alpha: 0.0, beta: 1.0 };
    let Some(scale) = &facts.response else {
        return Ok(Response { fixed: one, free: Vec::new(), bounds: Vec::new(), is_mirrored: false });
    };
    let (left, right) = activation.limits();
    let width = right - left;
    if !width.is_finite() {
        return Err(Unprovable::UnboundedScale);
    }
    let [lowest, highest] = asymptotes_within(facts);
    let (a, b) = scale.user(&vec![1.0; facts.layout.response.iter().filter(|free| **free).count()]);
    Ok(match scale.free() {
        [true, true] => Response {
            fixed: Term::default(),
            free: vec![
                Term { alpha: right / width, beta: -1.0 / width },
                Term { alpha: -left / width, beta: 1.0 / width },
            ],
            bounds: vec![[lowest, highest]; 2],
            is_mirrored: activation.centre().is_some(),
        },
        // the offset is free, and both asymptotes are within
        [true, false] => Response {
            fixed: Term { alpha: 0.0, beta: b },
            free: vec![Term { alpha: 1.0, beta: 0.0 }],
            bounds: vec![[lowest - (b * left).min(b * right), highest - (b * left).max(b * right)]],
            is_mirrored: false,
        },
        // the scale is free, and the asymptote that is not at the offset is within
        _ => {
            let limit = if left.abs() > right.abs() { left } else { right };
            let ends = [(lowest - a) / limit, (highest - a) / limit];
            Response {
                fixed: Term { alpha: a, beta: 0.0 },
                free: vec![one],
                bounds: vec![[ends[0].min(ends[1]), ends[0].max(ends[1])]],
                is_mirrored: false,
            }
        }
    })
}

/// The interval in which free asymptotes are searched for.
pub(super) fn asymptotes_within(facts: &Facts) -> [f64; 2] {
    let (low, high) = facts.label_bounds;
    [low - ASYMPTOTES_WITHIN * (high - low), high + ASYMPTOTES_WITHIN * (high - low)]
}
