//! A *design* computes the covariates of a row from the columns that were read.

use super::part::Part;
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
    /// For each term, whether log 0 = −∞ is a limit of the model and no fault: the term is a logarithm, and the only covariate
    /// of every model that has it.
    limits: Vec<bool>,
    /// The same for the offset: it is a logarithm, and there is no covariate.
    offset_limit: bool,
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
    /// A design of these terms; with parts, those of several models.
    pub fn new(terms: Vec<Vec<Piece>>, offset: Option<Vec<Piece>>, parts: &[Part]) -> Design {
        let is_log = |term: &Vec<Piece>| matches!(term.as_slice(), [piece] if piece.transform == Transform::LOGARITHM);
        let is_alone = |index: usize| match parts {
            [] => terms.len() == 1,
            parts => parts.iter().all(|part| !part.uses(index) || part.has_only(index)),
        };
        let limits = terms.iter().enumerate().map(|(index, term)| is_log(term) && is_alone(index)).collect();
        let offset_limit = terms.is_empty() && offset.as_ref().is_some_and(is_log);
        Design { terms, offset, limits, offset_limit }
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
                Err((place, _)) if self.is_limit(index, row.get(place).copied()) => {
                    at_limit = true;
                    f64::NEG_INFINITY
                }
                Err((place, domain)) => return Err(Misfit { place, domain, term: Some(index) }),
            };
            values.push(value);
        }
        let offset = match self.offset.as_ref().map(|pieces| product(pieces, row)) {
            Some(Err((place, _))) if counts && self.offset_limit && row.get(place) == Some(&0.0) => {
                at_limit = true;
                Some(f64::NEG_INFINITY)
            }
            Some(Err((place, domain))) if counts => return Err(Misfit { place, domain, term: None }),
            Some(offset) => Some(offset.unwrap_or(0.0)),
            None => None,
        };
        Ok(Computed { offset, at_limit })
    }

    fn is_limit(&self, term: usize, value: Option<f64>) -> bool {
        self.limits.get(term) == Some(&true) && value == Some(0.0)
    }

    /// Why a number at this position of a row has no transformed value, if it has none.
    pub fn domain_of(&self, place: usize, value: f64) -> Option<Domain> {
        let fault = |pieces: &Vec<Piece>| {
            let mut here = pieces.iter().filter(|piece| piece.place == place);
            here.find_map(|piece| piece.transform.apply(value).err())
        };
        let terms = self.terms.iter().enumerate().filter(|(term, _)| !self.is_limit(*term, Some(value)));
        let covariate = terms.map(|(_, term)| term).find_map(fault);
        let is_limit = self.offset_limit && value == 0.0;
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
