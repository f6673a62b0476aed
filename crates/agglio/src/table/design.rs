//! A *design* computes the covariates of a row from the columns that were read.

use super::term::{Domain, Transform};

/// A transformed number of the row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    /// Position of the number in the row.
    pub place: usize,
    pub transform: Transform,
}

/// The terms over the numbers of a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Design {
    terms: Vec<Vec<Piece>>,
    offset: Option<Vec<Piece>>,
    /// Whether the only covariate is a logarithm, or the offset if there is no covariate, so that log 0 = −∞ is a limit of
    /// the model and no fault.
    has_limit: bool,
}

/// The offset of a row, and whether its covariate, or its offset without covariates, is −∞.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Computed {
    pub offset: Option<f64>,
    pub at_limit: bool,
}

/// A number of the row that has no transformed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub place: usize,
    pub domain: Domain,
    /// Index of the term; none is the offset.
    pub term: Option<usize>,
}

impl Design {
    pub fn new(terms: Vec<Vec<Piece>>, offset: Option<Vec<Piece>>) -> Design {
        let is_log = |term: &Vec<Piece>| matches!(term.as_slice(), [piece] if piece.transform == Transform::LOGARITHM);
        let has_limit = match terms.as_slice() {
            [] => offset.as_ref().is_some_and(is_log),
            [only] => is_log(only),
            _ => false,
        };
        Design { terms, offset, has_limit }
    }

    /// Number of covariates.
    pub fn width(&self) -> usize {
        self.terms.len()
    }

    /// Whether offsets are computed.
    pub fn has_offset(&self) -> bool {
        self.offset.is_some()
    }

    /// Appends the covariates of a row to `values`. A row that does not count (its weight is zero) has no faults.
    ///
    /// # Errors
    /// For the first number that has no transformed value. Some covariates may have been appended then.
    pub fn compute(&self, row: &[f64], counts: bool, values: &mut Vec<f64>) -> Result<Computed, Misfit> {
        let mut at_limit = false;
        for (index, term) in self.terms.iter().enumerate() {
            let value = match product(term, row) {
                Ok(value) => value,
                Err(_) if !counts => 0.0,
                Err((place, _)) if self.is_limit(row.get(place).copied()) => {
                    at_limit = true;
                    f64::NEG_INFINITY
                }
                Err((place, domain)) => return Err(Misfit { place, domain, term: Some(index) }),
            };
            values.push(value);
        }
        let offset = match self.offset.as_ref().map(|pieces| product(pieces, row)) {
            Some(Err((place, _))) if counts && self.terms.is_empty() && self.is_limit(row.get(place).copied()) => {
                at_limit = true;
                Some(f64::NEG_INFINITY)
            }
            Some(Err((place, domain))) if counts => return Err(Misfit { place, domain, term: None }),
            Some(offset) => Some(offset.unwrap_or(0.0)),
            None => None,
        };
        Ok(Computed { offset, at_limit })
    }

    fn is_limit(&self, value: Option<f64>) -> bool {
        self.has_limit && value == Some(0.0)
    }

    /// Why a number at this position of a row has no transformed value, if it has none.
    pub fn domain_of(&self, place: usize, value: f64) -> Option<Domain> {
        let fault = |pieces: &Vec<Piece>| {
            let mut here = pieces.iter().filter(|piece| piece.place == place);
            here.find_map(|piece| piece.transform.apply(value).err())
        };
        let covariate = self.terms.iter().filter(|_| !self.is_limit(Some(value))).find_map(fault);
        let is_limit = self.terms.is_empty() && self.is_limit(Some(value));
        covariate.or_else(|| self.offset.as_ref().filter(|_| !is_limit).and_then(fault))
    }
}

fn product(pieces: &[Piece], row: &[f64]) -> Result<f64, (usize, Domain)> {
    let mut product = 1.0;
    for piece in pieces {
        let x = row.get(piece.place).copied().unwrap_or(0.0);
        product *= piece.transform.apply(x).map_err(|domain| (piece.place, domain))?;
    }
    let place = pieces.first().map_or(0, |piece| piece.place);
    if product.is_finite() { Ok(product) } else { Err((place, Domain::Overflow)) }
}
