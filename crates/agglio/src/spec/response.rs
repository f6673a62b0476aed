//! The *response scale* as a user gives it: the asymptotes of a bounded activation, or the offset and the scale of any.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::activation::{Activation, Affine};
use crate::error::{Error, Result};
use crate::oracle::FreeResponse;
use crate::spec::Spec;
use crate::spec::check::refuse;

/// A number that is given, or one that is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry {
    /// It is fitted.
    Free,
    /// It has this value.
    Fixed(f64),
}

/// Two entries: the lower and the upper asymptote, or the offset and the scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair(pub Entry, pub Entry);

impl FromStr for Pair {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Pair, ()> {
        let entry = |text: &str| match text.trim() {
            "free" => Ok(Entry::Free),
            number => number.parse().map(Entry::Fixed).map_err(drop),
        };
        let (first, second) = text.split_once(',').ok_or(())?;
        Ok(Pair(entry(first)?, entry(second)?))
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = |entry: Entry| match entry {
            Entry::Free => "free".to_owned(),
            Entry::Fixed(value) => value.to_string(),
        };
        write!(f, "{},{}", entry(self.0), entry(self.1))
    }
}

impl Pair {
    /// Whether its numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        [self.0, self.1].into_iter().all(|entry| !matches!(entry, Entry::Fixed(value) if !value.is_finite()))
    }

    /// Whether one of its entries is fitted.
    pub fn is_free(&self) -> bool {
        [self.0, self.1].contains(&Entry::Free)
    }
}

/// `y ≈ a + b·ψ(z)`, `ψ = offset + scale·φ`
///
/// The activation ψ that a fit sees, and what is left free.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub activation: Arc<dyn Activation>,
    pub free: FreeResponse,
    /// ψ as a function of the user's φ.
    offset: f64,
    scale: f64,
}

impl Response {
    fn new(phi: &Arc<dyn Activation>, offset: f64, scale: f64, free: FreeResponse) -> Response {
        let activation = match (offset, scale) {
            (0.0, 1.0) => phi.clone(),
            _ => Arc::new(Affine::new(phi.clone(), offset, scale)),
        };
        Response { activation, free, offset, scale }
    }

    /// The offset and the scale in front of the user's φ, for those in front of ψ.
    pub fn user(&self, (a, b): (f64, f64)) -> (f64, f64) {
        (a + b * self.offset, b * self.scale)
    }
}

impl Spec {
    /// Whether the response scale has an entry that is fitted.
    pub fn has_free_response(&self) -> bool {
        [self.range, self.affine].iter().flatten().any(Pair::is_free)
    }

    /// The names of the entries of the response scale that are fitted.
    pub fn free_response(&self) -> Vec<&'static str> {
        let both = [(self.range, ["lower", "upper"]), (self.affine, ["offset", "scale"])];
        let entries = both.into_iter().filter_map(|(pair, names)| Some((pair?, names)));
        let named = entries.flat_map(|(Pair(first, second), names)| [first, second].into_iter().zip(names));
        named.filter(|(entry, _)| *entry == Entry::Free).map(|(_, name)| name).collect()
    }

    /// The response scale of a fit with this activation.
    ///
    /// # Errors
    /// If the asymptotes of an unbounded activation are given, or the data can never identify what is free.
    pub(crate) fn response(&self, phi: &Arc<dyn Activation>) -> Result<Response> {
        let name = format!("activation `{}`", phi.name());
        refuse(
            self.range.is_some() && self.affine.is_some(),
            "`range`",
            "`affine`",
            "both set the scale of the response: give one",
        )?;
        let response = match (self.range, self.affine) {
            (Some(range), _) => asymptotes(phi, range)?,
            (None, Some(affine)) => affine_response(phi, affine)?,
            (None, None) => Response::new(phi, 0.0, 1.0, FreeResponse::default()),
        };
        let FreeResponse { offset, scale, .. } = response.free;
        let key = if self.range.is_some() { "`range`" } else { "`affine`" };
        refuse(
            self.intercept != Some(false) && !phi.tells_apart(offset, scale),
            &name,
            &format!(
                "{key} `{}` together with an intercept",
                self.range.or(self.affine).map_or(String::new(), |p| p.to_string())
            ),
            "they change the response in the same way, so no data can tell them apart; fix an entry, or leave the intercept out",
        )?;
        Ok(response)
    }
}

fn affine_response(phi: &Arc<dyn Activation>, Pair(offset, scale): Pair) -> Result<Response> {
    if scale == Entry::Fixed(0.0) {
        return Err(Error::parameter("affine", "a scale of 0", "the scale must not be 0"));
    }
    let free = FreeResponse { offset: offset == Entry::Free, scale: scale == Entry::Free, ..FreeResponse::default() };
    Ok(match (offset, scale) {
        (Entry::Fixed(a), Entry::Fixed(b)) => Response::new(phi, a, b, free),
        (Entry::Free, Entry::Fixed(b)) => Response::new(phi, 0.0, b, free),
        (Entry::Fixed(a), Entry::Free) => Response::new(phi, 0.0, 1.0, FreeResponse { fixed_offset: a, ..free }),
        (Entry::Free, Entry::Free) => Response::new(phi, 0.0, 1.0, free),
    })
}

fn asymptotes(phi: &Arc<dyn Activation>, Pair(low, high): Pair) -> Result<Response> {
    let (left, right) = phi.limits();
    refuse(
        !(right - left).is_finite(),
        &format!("activation `{}`", phi.name()),
        "`range`",
        "it is not bounded on both sides; use `affine` to set an offset and a scale",
    )?;
    if let (Entry::Fixed(low), Entry::Fixed(high)) = (low, high)
        && low >= high
    {
        return Err(Error::parameter(
            "range",
            Pair(Entry::Fixed(low), Entry::Fixed(high)),
            "the first number must be below the second",
        ));
    }
    let scale = FreeResponse { scale: true, increasing: true, asymptotes: true, ..FreeResponse::default() };
    Ok(match (low, high) {
        (Entry::Fixed(low), Entry::Fixed(high)) => {
            let b = (high - low) / (right - left);
            Response::new(phi, low - b * left, b, FreeResponse::default())
        }
        (Entry::Fixed(low), Entry::Free) => Response::new(phi, -left, 1.0, FreeResponse { fixed_offset: low, ..scale }),
        (Entry::Free, Entry::Fixed(high)) => {
            Response::new(phi, -right, 1.0, FreeResponse { fixed_offset: high, ..scale })
        }
        (Entry::Free, Entry::Free) => Response::new(
            phi,
            0.0,
            1.0,
            FreeResponse { offset: true, scale: true, asymptotes: true, ..FreeResponse::default() },
        ),
    })
}
