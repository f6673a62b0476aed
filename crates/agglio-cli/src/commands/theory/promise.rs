//! The *promises* of the theory: constants around the true model, temperatures, steps and errors.

use agglio::theory::{Approach, Caps, Epoch, Errors, INCREMENT, MOST_STEPS, Perturbation, Setting};
use serde::Serialize;

use super::Theory;
use crate::tabular::{flush_left, pairs, right, ruled};
use agglio::text::format::{brief, short};

/// Halvings of r that are shown.
const HALVINGS: i32 = 8;
/// Distances to which steps are counted.
const GOALS: [f64; 3] = [1e-3, 1e-6, 1e-12];
/// Epochs of Algorithm 2 that are looked at.
const EPOCHS: usize = 60;
/// A cap below which there is no graduation left to speak of.
const COLDEST: f64 = 1e-3;

/// All of it, in the scale of the paper's L_τ.
#[derive(Debug, Serialize)]
pub struct Promise {
    design: &'static str,
    /// ς, as the theory takes it.
    noise_scale: Option<f64>,
    path: Vec<Leg>,
    /// None without noise.
    caps: Option<CapsOfNoise>,
    tau_max: f64,
    /// To distances from w*; none with noise, which no step leads to.
    steps: Option<Vec<Goal>>,
    /// With noise, the steps that lead towards w* for certain; none without, and if they are over five million.
    approach: Option<Towards>,
    /// Of single rows, where the number of features is known and labels are without noise.
    epochs: Option<Vec<EpochOfRows>>,
    errors: Option<ErrorsOfNoise>,
}

#[derive(Debug, Serialize)]
struct Leg {
    r: f64,
    tau: f64,
    lambda: f64,
    smoothness: f64,
    ratio: f64,
    beta: f64,
    eta: f64,
    printed_smoothness: f64,
}

#[derive(Debug, Serialize)]
struct CapsOfNoise {
    convexity: f64,
    smoothness: f64,
}

/// Steps to a distance; none if they are over five million.
#[derive(Debug, Serialize)]
struct Goal {
    distance: f64,
    steps: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Towards {
    steps: usize,
    distance: f64,
}

#[derive(Debug, Serialize)]
struct EpochOfRows {
    r: f64,
    tau: f64,
    eta: f64,
    steps: f64,
}

#[derive(Debug, Serialize)]
struct ErrorsOfNoise {
    capped: Option<f64>,
    rate: f64,
}

impl Promise {
    pub fn new(setting: &Setting, rows: Option<usize>, features: Option<usize>) -> Promise {
        let (design, noise_scale) = match setting.noise() {
            Perturbation::None => ("N(0, I)", None),
            Perturbation::Pre(scale) => ("N(0, I)", Some(scale)),
            Perturbation::Post(width) => ("N(0, I)/√d", Some(width)),
        };
        let caps = setting.caps();
        let errors = rows.zip(features).and_then(|(rows, features)| setting.errors(rows, features));
        let towards = |Approach { steps, radius }| Towards { steps, distance: radius };
        Promise {
            design,
            noise_scale,
            path: (0..HALVINGS).map(|k| leg(setting, 2.0 * setting.radius() * 0.5_f64.powi(k))).collect(),
            caps: noise_scale.map(|_| {
                let Caps { convexity, smoothness } = caps;
                CapsOfNoise { convexity, smoothness }
            }),
            tau_max: caps.strictest(),
            steps: noise_scale.is_none().then(|| goals(setting)),
            approach: setting.approach().map(towards),
            epochs: features.filter(|_| noise_scale.is_none()).map(|features| epochs(setting, features)),
            errors: errors.map(|Errors { capped, rate, .. }| ErrorsOfNoise { capped, rate }),
        }
    }

    /// The setting in words, the constants as a table, and what follows from them.
    pub fn table(&self, theory: &Theory) -> String {
        let mut table = ruled(["r", "τ_r", "λ", "Λ", "λ/Λ", "β", "η", "printed Λ"].map(right));
        for leg in &self.path {
            let brief = [leg.r, leg.tau, leg.lambda, leg.smoothness, leg.ratio].map(brief);
            let [eta, printed] = [leg.eta, leg.printed_smoothness].map(self::brief);
            table.add_row(brief.into_iter().chain([short(leg.beta), eta, printed]).map(right));
        }
        let mut follows = self.cap_words();
        follows.extend(self.step_words());
        follows.extend(self.approach_words());
        follows.extend(self.epoch_words());
        follows.extend(self.error_words());
        format!("{}\n{}\n\n{}", self.setting_words(theory), flush_left(&mut table), pairs(&borrowed(&follows)))
    }

    fn setting_words(&self, theory: &Theory) -> String {
        let Theory { activation, radius, .. } = theory;
        let noise = match self.noise_scale {
            None => "none".to_owned(),
            Some(scale) => format!("{}; ς = {} in the theory", theory.noise, brief(scale)),
        };
        let of = match (theory.rows, theory.features) {
            (Some(rows), Some(features)) => format!("a sample of {rows} rows and {features} covariates"),
            _ => "the population; pass --rows and --features for those of a sample".into(),
        };
        pairs(&[
            ("activation", activation.clone()),
            ("covariates", format!("{}, assumed", self.design)),
            ("true model", format!("‖w*‖ ≤ R = {radius}; the start is at most 2R away")),
            ("noise", noise),
            ("constants of", of),
            ("in the scale of", "the paper's L_τ".into()),
        ])
    }

    fn cap_words(&self) -> Vec<(String, String)> {
        let Some(caps) = &self.caps else { return Vec::new() };
        let [convexity, smoothness, last] = [caps.convexity, caps.smoothness, self.tau_max].map(brief);
        let vacuous = if self.is_cold() { ": almost no graduation is left" } else { "" };
        vec![
            ("caps on τ".into(), format!("{convexity} for convexity, {smoothness} for smoothness")),
            ("τ_max".into(), format!("{last}{vacuous}")),
            ("steps lead to".into(), "the minimum at τ_max, which differs from w* because of the noise".into()),
        ]
    }

    fn is_cold(&self) -> bool {
        self.tau_max < COLDEST
    }

    fn step_words(&self) -> impl Iterator<Item = (String, String)> {
        let words = |goal: &Goal| (format!("steps to r ≤ {:e}", goal.distance), steps_in_words(goal.steps));
        self.steps.iter().flatten().map(words)
    }

    /// How far steps lead towards w* where there is noise.
    fn approach_words(&self) -> Option<(String, String)> {
        self.noise_scale?;
        let words = match &self.approach {
            Some(Towards { steps: 0, .. }) => "none: noise may exceed the progress of the first step".to_owned(),
            Some(Towards { steps, distance }) => {
                format!("{steps}, to r ≤ {}; closer to w*, noise may exceed their progress", brief(*distance))
            }
            None => steps_in_words(None),
        };
        Some(("steps promised".into(), words))
    }

    fn epoch_words(&self) -> Option<(String, String)> {
        let (first, last) = (self.epochs.as_ref()?.first()?, self.epochs.as_ref()?.last()?);
        let [from, to] = [first.steps, last.steps].map(|steps| format!("{steps:.0e}"));
        let vacuous = if last.steps > MOST_STEPS as f64 { ": too many for use" } else { "" };
        let words =
            format!("I_t = {from} single rows in the first of {EPOCHS} epochs with β = {INCREMENT}, {to} in the last");
        Some(("Algorithm 2".into(), words + vacuous))
    }

    fn error_words(&self) -> Vec<(String, String)> {
        let Some(errors) = &self.errors else { return Vec::new() };
        let beyond = "no bound: it lies outside the ball in which the loss is known to be convex";
        let capped = errors.capped.map_or(beyond.to_owned(), |capped| format!("at most {}", brief(capped)));
        vec![
            ("error at τ_max".into(), capped),
            ("ς√(d/n)".into(), format!("{}, the rate without a cap (its constant is unknown)", brief(errors.rate))),
        ]
    }
}

fn steps_in_words(steps: Option<usize>) -> String {
    steps.map_or(format!("over {MOST_STEPS}: too many for use"), |steps| steps.to_string())
}

fn goals(setting: &Setting) -> Vec<Goal> {
    GOALS.iter().zip(setting.steps(&GOALS)).map(|(&distance, steps)| Goal { distance, steps }).collect()
}

fn borrowed(rows: &[(String, String)]) -> Vec<(&str, String)> {
    rows.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
}

fn leg(setting: &Setting, r: f64) -> Leg {
    let tau = setting.temperature(r, 1.0);
    let unit = setting.gamma(tau).powi(2);
    let constants = setting.constants(r, tau);
    let next = setting.temperature(r * (-0.5 * constants.ratio()).exp(), tau);
    Leg {
        r,
        tau,
        lambda: unit * constants.convexity,
        smoothness: unit * constants.smoothness,
        ratio: constants.ratio(),
        beta: next / tau,
        eta: 1.0 / (unit * constants.smoothness),
        printed_smoothness: unit * setting.printed(r, tau).smoothness,
    }
}

fn epochs(setting: &Setting, features: usize) -> Vec<EpochOfRows> {
    let shown = |epoch: &Epoch| {
        let unit = setting.gamma(epoch.tau).powi(2);
        EpochOfRows { r: epoch.radius, tau: epoch.tau, eta: epoch.eta / unit, steps: epoch.steps }
    };
    setting.epochs(EPOCHS, |r, _| setting.sphere(r, features)).iter().map(shown).collect()
}
