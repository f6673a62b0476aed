//! The *estimates* of a curve's parameters, from whatever has those of its fit: a report, a summary, a model file or a group.

use super::parameter::{Entry, Parameter, Point};
use super::{Curve, LOWER, OFFSET, SCALE, UPPER};
use crate::groups;
use crate::inference::{Estimate, Intervals, Line, Summary};
use crate::model::Model;
use crate::report::{Report, Scale};

impl Curve {
    /// The values of its parameters.
    pub fn values(self, report: &Report) -> Vec<f64> {
        self.values_at(&report.coefficients, report.intercept, report.affine)
    }

    /// The values of its parameters at coefficients of a fit.
    pub fn values_at(self, coefficients: &[f64], intercept: f64, response: Scale) -> Vec<f64> {
        let Scale { offset, scale } = response;
        let (one, other) = (offset, offset + scale);
        let value = |entry: &Entry| match *entry {
            Entry::Slope => coefficients.first().copied().unwrap_or(f64::NAN),
            Entry::Intercept => intercept,
            LOWER => one.min(other),
            UPPER => one.max(other),
            OFFSET => offset,
            SCALE => scale,
        };
        let values: Vec<f64> = self.entries().iter().map(value).collect();
        let point = self.point(&values, response);
        self.table().iter().map(|(_, own)| own.at(&point).0).collect()
    }

    /// Its parameters with standard errors, by the delta method, and intervals of the level of the summary.
    ///
    /// A profile interval of the fit is one of a parameter that is a monotone function of it; [composite](Curve::composite)
    /// parameters have Wald intervals. Empty if the summary is not that of this curve.
    pub fn lines(self, summary: &Summary, response: Scale) -> Vec<Line<'static>> {
        if !self.is_of(summary) {
            return Vec::new();
        }
        let point = self.point(&summary.values, response);
        let line = |&(name, own): &(&'static str, Parameter)| {
            let (value, gradient) = own.at(&point);
            let found = summary.function(value, &gradient);
            let estimate = Estimate { standard_error: found.standard_error.filter(|error| *error > 0.0), ..found };
            let profile = own.interval(&point, &summary.intervals);
            let interval = profile.filter(|_| summary.interval_kind == Intervals::Profile);
            Line { name, estimate, interval: interval.unwrap_or_else(|| wald(&estimate, summary.interval_level)) }
        };
        self.table().iter().map(line).collect()
    }

    /// Its parameters in the fit of a group, with standard errors if the fit has them.
    pub fn of_group(self, group: &groups::Curve) -> Vec<groups::Parameter> {
        let values: Vec<f64> = group.parameters.iter().map(|own| own.value).collect();
        let point = self.point(&values, group.report.affine);
        let parameter = |(_, own): &(&str, Parameter)| {
            let (value, gradient) = own.at(&point);
            group.function(value, &gradient)
        };
        self.table().iter().map(parameter).collect()
    }

    /// Whether each of its parameters is the same in all groups that share these parameters of the fit.
    pub fn shares(self, sharing: &groups::Sharing) -> Vec<bool> {
        let entries = self.entries();
        let shared = |entry: &Entry| {
            let place = entries.iter().position(|own| own == entry);
            place.and_then(|place| sharing.shares().get(place)) == Some(&true)
        };
        self.table().iter().map(|(_, own)| own.entries().iter().all(shared)).collect()
    }

    fn point(self, values: &[f64], response: Scale) -> Point<'_> {
        Point { entries: self.entries(), values, rises: response.scale >= 0.0 }
    }

    /// Whether a summary has the parameters of the fit of this curve.
    fn is_of(self, summary: &Summary) -> bool {
        let slope = vec![Entry::Slope; summary.covariates];
        let intercept = summary.intercept().map(|_| Entry::Intercept);
        let response = summary.response.iter().map(|name| Entry::Response(*name));
        slope.into_iter().chain(intercept).chain(response).eq(self.entries())
    }
}

fn wald(estimate: &Estimate, level: f64) -> [Option<f64>; 2] {
    let interval = estimate.interval(level).ok().flatten();
    interval.map_or([None, None], |own| [own.lower, own.upper])
}

impl Model {
    /// The same model, of which is known that it is this curve.
    #[must_use]
    pub fn with_curve(self, curve: Curve) -> Model {
        self.called(curve.name())
    }

    /// The curve by name that was fitted; none if it was none, or one that this version does not know.
    pub fn curve(&self) -> Option<Curve> {
        self.curve_name()?.parse().ok()
    }
}
