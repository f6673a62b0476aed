//! The paper's *grids*: the values that it tunes each method over.
//!
//! Reference: the section on experiments, "Hyperparameter Ranges" (`sec:exps`).

use agglio::text::format::brief;
use agglio::{Options, Solver};

/// A key of a solver with the values that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The name of an option, one of [`agglio::spec::KEYS`].
    pub key: &'static str,
    /// In the paper's order.
    pub values: Vec<f64>,
}

/// One value for each key; empty for a solver as it comes.
pub type Setting = Vec<(&'static str, f64)>;

/// A key as it is written in formulas.
pub fn symbol(key: &str) -> &str {
    match key {
        "eta" => "η",
        "tau0" => "τ₀",
        "beta" => "β",
        _ => key,
    }
}

/// The axes of a solver's grid, if the paper has one for it; `plain` is without graduation.
pub fn axes(solver: Solver, plain: bool) -> Option<Vec<Axis>> {
    use Solver::{Adam, Gd, Gradopt, Momentum, Nesterov, Ngd, Saga, Sgd, Svrg, Yogi};
    let axis = |key, values| Axis { key, values };
    let eta = |from, to, count| axis("eta", linspace(from, to, count));
    let tau0 = || axis("tau0", vec![0.1, 0.01, 0.001, 0.0001]);
    let beta = || axis("beta", linspace(1.01, 2.0, 5));
    let epsilon = || axis("epsilon", vec![1e-3, 1e-5, 1e-8]);
    let decay = |key, count| axis(key, linspace(0.01, 0.9, count));
    Some(match solver {
        Gd | Sgd | Svrg | Saga | Momentum | Nesterov => vec![eta(1.0, 500.0, 10), tau0(), beta()],
        Adam | Yogi if plain => vec![eta(0.01, 0.2, 5), decay("beta1", 5), decay("beta2", 5), epsilon()],
        // the paper does not say: its grids for AGGLIO and for Adam together, thinned, since they would be 7500 settings
        Adam | Yogi => {
            let beta = axis("beta", linspace(1.01, 2.0, 2));
            vec![eta(0.01, 0.2, 5), tau0(), beta, decay("beta1", 3), decay("beta2", 3), epsilon()]
        }
        Ngd => vec![eta(0.01, 10.0, 20)],
        Gradopt => vec![eta(1.0, 400.0, 20)],
        _ => return None,
    })
}

/// What momentum and Nesterov are tuned over in the figures, where the paper has neither: its grid for AGGLIO with two
/// increments, and three μ.
pub fn accelerated(solver: Solver) -> Option<Vec<Axis>> {
    let mut axes = axes(solver, false)?;
    axes.retain(|axis| axis.key != "beta");
    axes.push(Axis { key: "beta", values: linspace(1.01, 2.0, 2) });
    axes.push(Axis { key: "mu", values: linspace(0.1, 0.9, 3) });
    Some(axes)
}

/// `count` values from one to the other in equal steps as numpy has them, both ends included.
pub fn linspace(from: f64, to: f64, count: usize) -> Vec<f64> {
    let step = (to - from) / count.saturating_sub(1).max(1) as f64;
    spaced(from, to, count, |i| from + i as f64 * step)
}

/// `count` values from one to the other in equal ratios, both ends included.
pub fn logspace(from: f64, to: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    spaced(from, to, count, |i| ratio(from, to, i as f64 / last))
}

/// What lies between two numbers when their logarithms are shared out; their ratio may overflow.
pub fn ratio(from: f64, to: f64, share: f64) -> f64 {
    from.powf(1.0 - share) * to.powf(share)
}

/// Rounding must not move the ends.
fn spaced(from: f64, to: f64, count: usize, between: impl Fn(usize) -> f64) -> Vec<f64> {
    let value = |i: usize| match i {
        0 => from,
        i if i + 1 == count => to,
        i => between(i),
    };
    (0..count).map(value).collect()
}

/// All settings of a grid, the last key changing fastest.
pub fn settings(axes: &[Axis]) -> Vec<Setting> {
    axes.iter().fold(vec![Setting::new()], |settings, axis| {
        let with = |setting: &Setting, value| setting.iter().copied().chain([(axis.key, value)]).collect();
        settings.iter().flat_map(|setting| axis.values.iter().map(move |&value| with(setting, value))).collect()
    })
}

/// Options with a setting's values.
///
/// # Errors
/// If a key is not an option.
pub fn apply(options: Options, setting: &Setting) -> agglio::Result<Options> {
    setting.iter().try_fold(options, |options, (key, value)| options.set(key, &value.to_string()))
}

/// A setting in words: its keys with three digits each.
pub fn named(setting: &Setting) -> String {
    let keys: Vec<String> = setting.iter().map(|(key, value)| format!("{key}={}", brief(*value))).collect();
    if keys.is_empty() { "default".into() } else { keys.join(",") }
}
