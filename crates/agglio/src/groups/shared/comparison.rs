//! The *comparison* of curves that share parameters with separate curves: the test of parallelism.

use crate::groups::GroupFit;
use crate::inference::{Goodness, Test, f_test};
use crate::text::join::enumerated;

/// The F test of shared parameters against parameters of each group.
///
/// ```text
/// F = ((RSS_shared − RSS_separate)/(df_shared − df_separate)) / (RSS_separate/df_separate)
/// ```
///
/// Reference: Finney (1978), chapter 4; Motulsky and Christopoulos (2004), chapter 27.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// The test of the hypothesis that the groups share these parameters.
    pub test: Test,
    /// The residuals of the joint fit.
    pub shared: Residuals,
    /// The residuals of all separate fits together.
    pub separate: Residuals,
}

/// A residual sum of squares and its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residuals {
    /// Σ ω r².
    pub sum: f64,
    /// n − p.
    pub df: f64,
}

/// Compares a joint fit with the separate fits of its groups, each with the sum of its weights. An error says why that cannot be
/// done.
pub(super) fn compare(joint: &Goodness, separate: &[(&GroupFit, f64)], convex: bool) -> Result<Comparison, String> {
    if convex {
        return Err("the test is about squares, and the loss is a likelihood".into());
    }
    let alone: Vec<&GroupFit> = separate.iter().map(|(fit, _)| *fit).filter(|fit| !fit.certified()).collect();
    if !alone.is_empty() {
        let names = enumerated(alone.iter().map(|fit| format!("`{}`", fit.level)));
        return Err(format!("the test needs a certified separate fit of each group, but {names} has none"));
    }
    let residuals = |(fit, weight): &(&GroupFit, f64)| {
        let report = fit.curve.as_ref().map(|curve| &curve.report).ok();
        let df = report.map_or(0.0, |report| fit.observations as f64 - report.parameters as f64);
        Residuals { sum: report.map_or(0.0, |report| report.loss * weight), df }
    };
    let separate = separate
        .iter()
        .map(residuals)
        .fold(Residuals { sum: 0.0, df: 0.0 }, |sum, own| Residuals { sum: sum.sum + own.sum, df: sum.df + own.df });
    let shared = Residuals { sum: joint.residual_sum, df: joint.df_residual as f64 };
    if shared.df <= separate.df {
        return Err("separate curves do not have more parameters".into());
    }
    let test = f_test([shared.sum, shared.df], [separate.sum, separate.df]);
    let test = test.map_err(|_| "separate curves leave no residuals to compare with".to_owned())?;
    Ok(Comparison { test, shared, separate })
}
