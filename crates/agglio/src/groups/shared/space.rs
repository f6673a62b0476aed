//! The *space* of a group's parameters: η, in units that are the same for all groups, so that two groups share a parameter if
//! they have the same entry.

use crate::oracle::{Facts, Layout, ResponseScale};
use crate::rows::Coordinates;

/// A number as a linear function of entries of η: their indices and factors.
pub(super) type Linear = Vec<(usize, f64)>;

/// The units of η, which has an entry for each parameter: coefficients, intercept and free response scale.
///
/// Coefficients are those of standardised columns. An intercept that is shared is that of the user; one that is not belongs to
/// centred columns. If both asymptotes are free, they are the entries, in place of offset and scale.
#[derive(Clone, Debug)]
pub(super) struct Space {
    pub layout: Layout,
    pub shares: Vec<bool>,
    coordinates: Coordinates,
    response: Option<ResponseScale>,
    /// The user's coefficient, and the change of the user's intercept, for each unit of a coefficient of η.
    units: Vec<(f64, f64)>,
}

/// The entries of θ that each group has.
pub(super) struct Arrangement {
    /// For each group the entry of θ of each parameter.
    pub entries: Vec<Vec<usize>>,
    /// Number of entries that linear predictors depend on, which come first, and of all.
    pub dims: [usize; 2],
}

impl Space {
    /// The space of the groups of which these are the facts about all rows.
    pub fn new(pooled: &Facts, shares: &[bool]) -> Space {
        let Facts { layout, coordinates, response, .. } = pooled.clone();
        let unit = |entry: usize| {
            let (coefficients, intercept) = coordinates.to_user(&layout.unit(entry));
            (coefficients.get(entry).copied().unwrap_or(0.0), if layout.intercept { intercept } else { 0.0 })
        };
        let units = (0..layout.coefficients).map(unit).collect();
        Space { layout, shares: shares.to_vec(), coordinates, response, units }
    }

    /// θ of this number of groups: predictors first, and of these the shared entries first.
    pub fn arrange(&self, groups: usize) -> Arrangement {
        let (mut entries, mut next) = (vec![vec![0; self.shares.len()]; groups], 0);
        let mut dims = [0; 2];
        let predictor = self.layout.predictor_dim();
        for (part, end) in [0..predictor, predictor..self.shares.len()].into_iter().zip(&mut dims) {
            let (shared, own): (Vec<usize>, Vec<usize>) = part.partition(|&k| self.is_shared(k));
            for k in shared {
                entries.iter_mut().for_each(|group| group[k] = next);
                next += 1;
            }
            for group in &mut entries {
                for &k in &own {
                    group[k] = next;
                    next += 1;
                }
            }
            *end = next;
        }
        Arrangement { entries, dims }
    }

    fn is_shared(&self, parameter: usize) -> bool {
        self.shares.get(parameter).copied().unwrap_or(false)
    }

    /// Whether the user's intercept is an entry.
    fn shares_intercept(&self) -> bool {
        self.layout.intercept_entry().is_some_and(|entry| self.is_shared(entry))
    }

    /// θ in the coordinates of the solver as functions of η. `rises` says whether φ is stretched with a positive factor, so that
    /// its limit at −∞ belongs to the lower asymptote.
    pub fn solver_rows(&self, rises: bool) -> Vec<Linear> {
        let mut rows: Vec<Linear> = (0..self.layout.dim()).map(|k| vec![(k, 1.0)]).collect();
        if let Some(entry) = self.layout.intercept_entry().filter(|_| self.shares_intercept()) {
            let shifts = self.units.iter().enumerate().filter(|(_, (_, shift))| *shift != 0.0);
            rows[entry].extend(shifts.map(|(j, (_, shift))| (j, -shift)));
        }
        if let Some((left, right)) = self.response.as_ref().and_then(ResponseScale::free_asymptotes) {
            let (below, above) = if rises { (left, right) } else { (right, left) };
            let (lower, upper, width) = (self.layout.predictor_dim(), self.layout.predictor_dim() + 1, above - below);
            rows[lower] = vec![(lower, above / width), (upper, -below / width)];
            rows[upper] = vec![(lower, -1.0 / width), (upper, 1.0 / width)];
        }
        rows
    }

    /// The value of a parameter in the user's units, and its derivatives by η.
    pub fn parameter(&self, parameter: usize, eta: &[f64]) -> (f64, Linear) {
        if let Some((scale, _)) = self.units.get(parameter) {
            return (scale * eta[parameter], vec![(parameter, *scale)]);
        }
        if self.layout.intercept_entry() == Some(parameter) {
            let mut gradient = vec![(parameter, 1.0)];
            if !self.shares_intercept() {
                gradient.extend(self.units.iter().enumerate().map(|(j, (_, shift))| (j, *shift)));
            }
            return (gradient.iter().map(|&(j, factor)| factor * eta[j]).sum(), gradient);
        }
        let (Some(response), own) = (&self.response, parameter - self.layout.predictor_dim()) else {
            return (f64::NAN, Vec::new());
        };
        if response.free_asymptotes().is_some() {
            let (value, unit) = response.of_units(eta[parameter]);
            return (value, vec![(parameter, unit)]);
        }
        // offset and scale: each is a function of its own entry
        let Some(own) = response.parameters(self.layout.response(eta)).into_iter().nth(own) else {
            return (f64::NAN, Vec::new());
        };
        let factor = own.gradient.into_iter().find(|g| *g != 0.0).unwrap_or(0.0);
        (own.value, vec![(parameter, factor)])
    }

    /// η of parameters in the user's units.
    pub fn eta(&self, values: &[f64]) -> Vec<f64> {
        let (predictor, plain) = (self.layout.predictor_dim(), self.layout.coefficients);
        let intercept = self.layout.intercept_entry().and_then(|entry| values.get(entry)).copied().unwrap_or(0.0);
        let mut eta = self.coordinates.from_user(&values[..plain], intercept);
        if self.shares_intercept() {
            eta[plain] = intercept;
        }
        let Some(response) = &self.response else { return eta };
        let both = response.free_asymptotes().is_some();
        let ones = vec![1.0; values.len() - predictor];
        let at_one = response.parameters(&ones);
        for (value, own) in values[predictor..].iter().zip(at_one) {
            let factor = own.gradient.into_iter().find(|g| *g != 0.0).unwrap_or(1.0);
            eta.push(if both { response.in_units(*value) } else { 1.0 + (value - own.value) / factor });
        }
        eta
    }
}
