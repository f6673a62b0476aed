//! The *lines* of a summary as people read them: a table of coefficients, and statistics of the whole fit.

use crate::inference::summary::INTERCEPT;
use crate::inference::{Covariance, Reading, Summary};
use crate::text::columns::columns;
use crate::text::escape::visible;
use crate::text::format;

/// Digits of a standard error and of the end of an interval.
const ERROR_DIGITS: usize = 4;
const END_DIGITS: usize = 5;

impl Summary {
    /// The parameters with standard errors, t, p and intervals; the intercept comes first.
    pub fn table(&self) -> String {
        let order: Vec<usize> = self.display_order();
        let pick = |of: &dyn Fn(usize) -> f64| order.iter().map(|&entry| of(entry)).collect::<Vec<f64>>();
        let estimates = self.estimates();
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let error = pick(&|entry| number(estimates.get(entry).and_then(|own| own.standard_error)));
        let t = pick(&|entry| number(estimates.get(entry).and_then(|own| own.t())));
        let p = pick(&|entry| number(estimates.get(entry).and_then(|own| own.p_value())));
        let end = |side: usize| pick(&|entry| number(self.intervals.get(entry).and_then(|ends| ends[side])));
        let dead: Vec<bool> = error.iter().map(|error| error.is_nan()).collect();
        let cells = [
            format::aligned(pick(&|entry| number(self.values.get(entry).copied()))),
            blank(format::aligned_to(error.iter().copied(), ERROR_DIGITS), &error, &dead),
            blank(t.iter().map(|t| decimal(*t)).collect(), &t, &dead),
            blank(p.iter().map(|p| decimal(*p)).collect(), &p, &dead),
            blank(format::aligned_to(end(0), END_DIGITS), &end(0), &dead),
            blank(format::aligned_to(end(1), END_DIGITS), &end(1), &dead),
        ];
        let names = order.iter().map(|&entry| self.names.get(entry).map(|name| visible(name)).unwrap_or_default());
        let tail = 0.5 * (1.0 - self.interval_level);
        let bounds = [format!("[{}", share(tail)), format!("{}]", share(1.0 - tail))];
        let header = ["column", "coefficient", "std. error", "t", "P>|t|", &bounds[0], &bounds[1]];
        let row = |(k, name): (usize, String)| {
            let numbers = cells.iter().map(|column| column.get(k).cloned().unwrap_or_default());
            std::iter::once(name).chain(numbers).collect()
        };
        columns(&header, &names.enumerate().map(row).collect::<Vec<Vec<String>>>())
    }

    /// Positions of the parameters in the order in which they are shown: the intercept first.
    pub fn display_order(&self) -> Vec<usize> {
        let intercept = self.intercept();
        intercept.into_iter().chain((0..self.names.len()).filter(|&entry| Some(entry) != intercept)).collect()
    }

    /// Statistics of the whole fit, as names and values. `pre`: they are those of the regression of φ⁻¹(y).
    pub fn statistics(&self, pre: bool) -> Vec<(&'static str, String)> {
        let own = &self.goodness;
        let of = if pre { " (of φ⁻¹(y))" } else { "" };
        let error = format!("{} on {} degrees of freedom{of}", format::short(own.sigma), own.df_residual);
        // none for samples that are too small for the correction
        let criteria = [("AIC", Some(own.aic)), ("AICc", own.aicc), ("BIC", Some(own.bic))];
        let criteria = criteria.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", tenths(value?))));
        vec![
            ("residual error", error),
            (
                "log-likelihood",
                format!("{}{of}; {}", tenths(own.log_likelihood), criteria.collect::<Vec<_>>().join(", ")),
            ),
            ("std. errors", self.kind_in_words()),
        ]
    }

    /// The kind of the standard errors, with its assumption.
    pub fn kind_in_words(&self) -> String {
        match (self.se, self.clusters) {
            (Covariance::Classical, _) => "classical: errors of equal variance".into(),
            (Covariance::Hessian, _) => "hessian: errors of equal variance, with the curvature of φ".into(),
            (Covariance::Cluster, Some(clusters)) => {
                format!("cluster: {clusters} clusters, t has {} degrees of freedom", self.df)
            }
            (kind, _) => format!("{kind}: robust to errors of unequal variance"),
        }
    }

    /// A reading with its interval, as in `3.05796 (std. error 0.1857, 95 % interval 2.694 to 3.471)`.
    pub fn reading(&self, reading: &Reading) -> String {
        let [low, high] = reading.interval.map(|end| format::digits(end, END_DIGITS));
        let error = reading.estimate.standard_error.map_or(String::new(), |error| format::digits(error, ERROR_DIGITS));
        let level = format::brief(100.0 * self.interval_level);
        format!("{} (std. error {error}, {level} % interval {low} to {high})", format::short(reading.estimate.value))
    }
}

/// The coefficients alone, with the intercept first.
pub fn plain_table(names: &[String], coefficients: &[f64], intercept: Option<f64>) -> String {
    let intercept = intercept.map(|value| (INTERCEPT.to_owned(), value));
    let named = names.iter().map(|name| visible(name)).zip(coefficients.iter().copied());
    let (names, values): (Vec<String>, Vec<f64>) = intercept.into_iter().chain(named).unzip();
    let rows = names.into_iter().zip(format::aligned(values)).map(|(name, value)| vec![name, value]);
    columns(&["column", "coefficient"], &rows.collect::<Vec<_>>())
}

/// Texts without those of numbers that do not exist; an open end is `open`, and a parameter without standard error has none.
fn blank(texts: Vec<String>, values: &[f64], dead: &[bool]) -> Vec<String> {
    let text = |((text, value), dead): ((String, &f64), &bool)| match (value.is_nan(), dead) {
        (false, _) => text,
        (true, true) => String::new(),
        (true, false) => "open".into(),
    };
    texts.into_iter().zip(values).zip(dead).map(text).collect()
}

/// Three decimals, as in the tables of statsmodels.
fn decimal(value: f64) -> String {
    if value.abs() < 1e5 { format!("{value:.3}") } else { format::brief(value) }
}

fn tenths(value: f64) -> String {
    if value.abs() < 1e7 { format!("{value:.1}") } else { format::short(value) }
}

/// A probability without the rounding errors of 1 − level.
fn share(value: f64) -> String {
    ((value * 1e9).round() / 1e9).to_string()
}
