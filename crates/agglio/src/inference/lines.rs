//! The *lines* of a summary as people read them: a table of coefficients, and statistics of the whole fit.

use crate::inference::summary::INTERCEPT;
use crate::inference::{Covariance, Estimate, Reading, Resampling, Summary};
use crate::text::columns::columns;
use crate::text::escape::visible;
use crate::text::format;

/// Digits of a standard error and of the end of an interval.
const ERROR_DIGITS: usize = 4;
const END_DIGITS: usize = 5;
/// The heads of the names and values of coefficients.
const COEFFICIENTS: [&str; 2] = ["column", "coefficient"];

impl Summary {
    /// The parameters with their intervals; the intercept comes first.
    pub fn lines(&self) -> Vec<Line<'_>> {
        let estimates = self.estimates();
        let line = |entry: usize| {
            let (name, interval) = (self.names.get(entry)?, *self.intervals.get(entry)?);
            Some(Line { name, estimate: *estimates.get(entry)?, interval })
        };
        self.display_order().into_iter().filter_map(line).collect()
    }

    /// The parameters with standard errors, t, p and intervals; the intercept comes first.
    pub fn table(&self) -> String {
        estimates_table(COEFFICIENTS, &self.lines(), self.interval_level)
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
            (Covariance::Bootstrap { replicates, resampling, .. }, _) => {
                let how = match resampling {
                    Resampling::Pairs => "rows drawn with replacement",
                    Resampling::Wild => "residuals of random signs (wild)",
                };
                format!("bootstrap: {replicates} refits, {how}; robust to errors of unequal variance")
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

/// An estimate with its name, as a line of a table.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// What is estimated.
    pub name: &'a str,
    /// The estimate.
    pub estimate: Estimate,
    /// The ends of its confidence interval; an open end is none.
    pub interval: [Option<f64>; 2],
}

/// Estimates with standard errors, t, p and intervals of a confidence level. The heads are those of the first two columns.
pub fn estimates_table(heads: [&str; 2], lines: &[Line<'_>], level: f64) -> String {
    let pick = |of: &dyn Fn(&Estimate) -> Option<f64>| -> Vec<f64> {
        lines.iter().map(|line| of(&line.estimate).unwrap_or(f64::NAN)).collect()
    };
    let end = |side: usize| lines.iter().map(|line| line.interval[side].unwrap_or(f64::NAN)).collect::<Vec<f64>>();
    let (error, t, p) = (pick(&|own| own.standard_error), pick(&Estimate::t), pick(&Estimate::p_value));
    let dead: Vec<bool> = error.iter().map(|error| error.is_nan()).collect();
    let cells = [
        format::aligned(pick(&|own| Some(own.value))),
        blank(format::aligned_to(error.iter().copied(), ERROR_DIGITS), &error, &dead),
        blank(t.iter().map(|t| decimal(*t)).collect(), &t, &dead),
        blank(p.iter().map(|p| decimal(*p)).collect(), &p, &dead),
        blank(format::aligned_to(end(0), END_DIGITS), &end(0), &dead),
        blank(format::aligned_to(end(1), END_DIGITS), &end(1), &dead),
    ];
    let tail = 0.5 * (1.0 - level);
    let bounds = [format!("[{}", share(tail)), format!("{}]", share(1.0 - tail))];
    let header = [heads[0], heads[1], "std. error", "t", "P>|t|", &bounds[0], &bounds[1]];
    let row = |(k, line): (usize, &Line<'_>)| {
        let numbers = cells.iter().map(|column| column.get(k).cloned().unwrap_or_default());
        std::iter::once(visible(line.name)).chain(numbers).collect()
    };
    columns(&header, &lines.iter().enumerate().map(row).collect::<Vec<Vec<String>>>())
}

/// The coefficients alone, with the intercept first.
pub fn plain_table(names: &[String], coefficients: &[f64], intercept: Option<f64>) -> String {
    let intercept = intercept.map(|value| (INTERCEPT.to_owned(), value));
    let named = names.iter().map(|name| visible(name)).zip(coefficients.iter().copied());
    let (names, values): (Vec<String>, Vec<f64>) = intercept.into_iter().chain(named).unzip();
    values_table(COEFFICIENTS, names, values)
}

/// Numbers with their names, below two heads.
pub fn values_table(heads: [&str; 2], names: Vec<String>, values: Vec<f64>) -> String {
    let rows = names.into_iter().zip(format::aligned(values)).map(|(name, value)| vec![name, value]);
    columns(&heads, &rows.collect::<Vec<_>>())
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
