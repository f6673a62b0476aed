//! The flags of the *answer*: which standard errors, intervals and tests a fit prints.

use agglio::inference::{Covariance, Intervals, Resampling};
use clap::Args;

use super::shared::number;

#[derive(Clone, Debug, Args)]
pub struct AnswerArgs {
    /// Standard errors. classical: errors of equal variance; hessian: the same, with the full Hessian in place of the Gauss–Newton
    /// matrix; hc0, hc1, hc2, hc3: robust to unequal variances; cluster:COL: robust to correlation within the groups of a
    /// column; bootstrap[:B[:wild]]: from B refits (default 1000) to rows drawn with replacement or, with :wild, to fitted values
    /// plus residuals with random signs; none [default: classical; hc0 for --loss bernoulli]
    #[arg(long, value_name = "KIND", value_parser = se, help_heading = "Inference")]
    pub se: Option<Se>,
    /// Confidence intervals of the coefficients. wald: estimate ± t·standard error; profile: from the profile likelihood, which
    /// takes refits; it need not be symmetric
    #[arg(long, value_name = "wald|profile", default_value = "wald", value_parser = intervals, help_heading = "Inference")]
    pub intervals: Intervals,
    /// Confidence level of the intervals [default: 0.95]
    #[arg(long, value_name = "L", value_parser = level, help_heading = "Inference")]
    pub level: Option<f64>,
    /// Effective doses, such as 10,50,90 (one covariate only): the x at which the curve is P percent of the way from its asymptote
    /// at small x to its asymptote at large x
    #[arg(long, value_name = "P,…", value_delimiter = ',', value_parser = percent, help_heading = "Inference")]
    pub ec: Vec<f64>,
    /// Test a linear hypothesis about the coefficients, such as 'x1 = x2' or '2*x1 - x2 = 0, x3 = 1'; may be repeated
    #[arg(long, value_name = "HYPOTHESIS", value_parser = hypothesis, help_heading = "Inference")]
    pub test: Vec<String>,
}

impl AnswerArgs {
    /// The confidence level of the intervals.
    pub fn level(&self) -> f64 {
        self.level.unwrap_or(0.95)
    }
}

/// The kind of standard errors as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Se {
    None,
    Of(Covariance),
    /// Clusters by this column.
    Cluster(String),
    /// This number of refits to samples of the data.
    Bootstrap(u32, Resampling),
}

/// Refits of a bootstrap.
const REPLICATES: u32 = 1000;
const MOST_REPLICATES: u32 = 1_000_000;

fn se(typed: &str) -> Result<Se, String> {
    let (kind, column) = typed.split_once(':').map_or((typed, None), |(kind, column)| (kind, Some(column)));
    let kind = kind.to_ascii_lowercase();
    match (kind.as_str(), column.map(str::trim)) {
        ("none", None) => Ok(Se::None),
        ("cluster", Some(column)) if !column.is_empty() => Ok(Se::Cluster(column.to_owned())),
        ("cluster", _) => Err("name the column of the clusters, as in cluster:firm".into()),
        ("bootstrap", None) => Ok(Se::Bootstrap(REPLICATES, Resampling::Pairs)),
        ("bootstrap", Some(draws)) => bootstrap(draws),
        (kind, None) => match Covariance::named(kind) {
            Some(kind) => Ok(Se::Of(kind)),
            None => Err("it must be classical, hessian, hc0, hc1, hc2, hc3, cluster:COL, bootstrap or none".into()),
        },
        (kind, Some(_)) => Err(format!("only cluster takes a column, not `{kind}`")),
    }
}

/// The number of refits, and perhaps `:wild`.
fn bootstrap(draws: &str) -> Result<Se, String> {
    let (count, resampling) = match draws.split_once(':') {
        None => (draws, Resampling::Pairs),
        Some((count, "wild")) => (count, Resampling::Wild),
        Some(_) => return Err("only `wild` may follow the number of refits, as in bootstrap:1000:wild".into()),
    };
    match count.parse() {
        Ok(count) if (2..=MOST_REPLICATES).contains(&count) => Ok(Se::Bootstrap(count, resampling)),
        _ => Err("the number of refits must be between 2 and 1000000, as in bootstrap:1000".into()),
    }
}

fn intervals(typed: &str) -> Result<Intervals, &'static str> {
    match typed {
        "wald" => Ok(Intervals::Wald),
        "profile" => Ok(Intervals::Profile),
        _ => Err("it must be `wald` or `profile`"),
    }
}

/// A confidence level.
pub(super) fn level(typed: &str) -> Result<f64, &'static str> {
    number(typed).ok().filter(|level| *level > 0.0 && *level < 1.0).ok_or("it must be between 0 and 1, as in 0.95")
}

fn percent(typed: &str) -> Result<f64, &'static str> {
    number(typed.trim()).ok().filter(|p| *p > 0.0 && *p < 100.0).ok_or("it must be a percentage between 0 and 100")
}

fn hypothesis(typed: &str) -> Result<String, &'static str> {
    match typed.split_once('=') {
        Some((left, right)) if !left.trim().is_empty() && !right.trim().is_empty() => Ok(typed.to_owned()),
        _ => Err("a hypothesis is an equation, such as 'x1 = x2' or 'x1 = 0.5'"),
    }
}
