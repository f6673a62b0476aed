//! *Starts* of a joint fit: values of the shared parameters from several sources, each with the best own parameters of every
//! group for them.

use crate::error::Result;
use crate::groups::parallel::in_parallel;
use crate::groups::shared::refit::Refit;
use crate::groups::shared::values::{Values, median, response};
use crate::oracle::Facts;
use crate::plan::Plan;
use crate::table::Table;

/// Most groups whose own values of the shared parameters are tried for all.
const SINGLE: usize = 4;
/// Most refits of single groups, and fewest candidates even if these need more.
const REFITS: usize = 3000;
const FEWEST: usize = 4;

/// The data of a group, and its separate fit.
pub(super) struct Side {
    pub table: Table,
    /// Its parameters if it is fitted alone.
    pub values: Values,
    /// Whether that fit is certified.
    pub certified: bool,
}

/// What starts are made from.
pub(super) struct Starts<'a> {
    pub plan: &'a Plan,
    pub sides: &'a [Side],
    pub shares: &'a [bool],
    /// The direction of φ in each group.
    pub rises: &'a [bool],
    /// The facts about the rows of all groups, and the fit that does not tell them apart.
    pub pooled: &'a Facts,
    pub whole: Option<Values>,
}

/// Parameters that have a value, and those that have none.
type Partial = Vec<Option<f64>>;

impl Starts<'_> {
    /// The parameters of each group at each start.
    pub fn all(&self) -> Result<Vec<Vec<Vec<f64>>>> {
        let mut starts = Vec::new();
        for candidate in self.candidates() {
            starts.extend(self.complete(candidate)?);
        }
        Ok(starts)
    }

    /// Values of the shared parameters: medians over the groups, those of the fit that does not tell the groups apart, asymptotes
    /// outside all responses, and those of single groups.
    fn candidates(&self) -> Vec<Partial> {
        let certified: Vec<&Side> = self.sides.iter().filter(|side| side.certified).collect();
        let all: Vec<&Side> = self.sides.iter().collect();
        let typical = if certified.is_empty() { &all } else { &certified };
        let mut candidates =
            vec![self.shared(|k| median(typical.iter().map(|side| side.values.parameters[k]).collect()))];
        let only = |values: &Values| self.shared(|k| values.parameters.get(k).copied());
        candidates.extend(self.whole.as_ref().map(only));
        candidates.extend(self.outside());
        candidates.extend(typical.iter().take(SINGLE).map(|side| only(&side.values)));
        let mut different: Vec<Partial> = Vec::new();
        for candidate in candidates {
            if !different.contains(&candidate) {
                different.push(candidate);
            }
        }
        different.truncate((REFITS / (2 * self.sides.len().max(1))).max(FEWEST));
        different
    }

    /// A value for each shared parameter.
    fn shared(&self, value: impl Fn(usize) -> Option<f64>) -> Partial {
        let own = |(k, shared): (usize, &bool)| if *shared { value(k) } else { None };
        self.shares.iter().enumerate().map(own).collect()
    }

    /// The first response scales of a fit of all rows, of which the asymptotes lie somewhat outside the responses.
    fn outside(&self) -> Vec<Partial> {
        let predictor = self.pooled.layout.predictor_dim();
        if !self.shares.iter().skip(predictor).any(|shared| *shared) {
            return Vec::new();
        }
        let mut theta = self.pooled.layout.zero();
        let at = |entries: Vec<f64>| {
            self.pooled.layout.response_mut(&mut theta).copy_from_slice(&entries);
            let scale = self.plan.scale_at(self.pooled, &theta);
            let values = response(self.plan, scale, scale.scale >= 0.0);
            self.shared(|k| values.get(k.checked_sub(predictor)?).copied())
        };
        self.pooled.response.iter().flat_map(|response| response.starts()).map(at).collect()
    }

    /// The parameters of each group: first the missing shared ones, which are medians over refits, then the own ones.
    fn complete(&self, mut candidate: Partial) -> Result<Option<Vec<Vec<f64>>>> {
        let lacks = |candidate: &Partial| self.shares.iter().zip(candidate).any(|(shared, v)| *shared && v.is_none());
        let mut before = vec![None; self.sides.len()];
        if lacks(&candidate) {
            before = self.refits(&candidate)?;
            let certified = before.iter().flatten().any(|refit| refit.certified);
            let typical = || before.iter().flatten().filter(|refit| refit.certified || !certified);
            let middle = |k: usize| median(typical().map(|refit| refit.parameters[k]).collect());
            let filled = self.shared(|k| candidate[k].or_else(|| middle(k)));
            candidate = filled;
        }
        if lacks(&candidate) {
            return Ok(None);
        }
        let refits = self.refits(&candidate)?;
        let group = |((side, refit), before): ((&Side, &Option<Refit>), &Option<Refit>)| {
            let own = refit.as_ref().or(before.as_ref()).map_or(&side.values.parameters, |refit| &refit.parameters);
            own.iter().zip(&candidate).map(|(own, shared)| shared.unwrap_or(*own)).collect()
        };
        Ok(Some(self.sides.iter().zip(&refits).zip(&before).map(group).collect()))
    }

    fn refits(&self, fixed: &Partial) -> Result<Vec<Option<Refit>>> {
        let job = |index: usize| {
            let (side, rises) = self.sides.get(index).zip(self.rises.get(index))?;
            Some(Refit::of(self.plan, &side.table, fixed, *rises))
        };
        Ok(in_parallel(self.plan, self.sides.len(), &job)?.into_iter().map(Option::flatten).collect())
    }
}
