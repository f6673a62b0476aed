//! The settings that a search *found*, with their scores: the best ones as a table, or all as JSON.

use std::cmp::Ordering;

use agglio::text::escape::visible;
use agglio::text::format;
use agglio::tune::{self, MeanLoss, Score};
use anyhow::Result;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{HOLDOUT, with_key};
use crate::args::TuneArgs;
use crate::grid::Setting;
use crate::tabular::{first_that_fits, flush_left, left, right, ruled};
use crate::{interrupt, print};

/// Settings that a table shows.
const SHOWN: usize = 10;
/// The numbers of a setting, those that matter most first.
const NUMBERS: [&str; 4] = ["held-out loss", "training loss", "passes", "time"];
/// Letters of a value that is shown as it is.
const LEGIBLE: usize = 7;

/// A setting, and the solver with it as a user would type it.
pub struct Candidate {
    pub solver: String,
    setting: Setting,
}

/// A model that the settings are compared with.
pub struct Beside {
    pub rows: usize,
    pub mean: MeanLoss,
    /// None if an interrupt came before.
    pub auto: Option<Score>,
}

/// The settings of a search in the grid's order, with the scores of those that were tried.
pub struct Found {
    candidates: Vec<(Candidate, Option<Score>)>,
    best: Option<usize>,
    beside: Beside,
    /// How rows were held out.
    split: (&'static str, Value),
    seed: u64,
    seconds: f64,
    pub warnings: Vec<String>,
}

/// A setting in JSON.
#[derive(Serialize)]
struct Line<'a> {
    solver: &'a str,
    settings: Map<String, Value>,
    #[serde(flatten)]
    scored: Scored,
}

/// A score in JSON; nothing but null in place of numbers that there are none of.
#[derive(Serialize)]
struct Scored {
    loss: Option<f64>,
    training_loss: Option<f64>,
    passes: Option<f64>,
    seconds: Option<f64>,
    status: String,
}

impl Candidate {
    pub fn new(solver: &str, setting: Setting) -> Candidate {
        let text = setting.iter().fold(solver.to_owned(), |text, (key, value)| with_key(&text, key, value));
        Candidate { solver: text, setting }
    }

    /// How errors call it.
    pub fn name(&self) -> String {
        format!("setting `{}`", self.solver)
    }

    fn settings(&self) -> Map<String, Value> {
        let value = |typed: &String| typed.parse::<f64>().ok().filter(|number| number.is_finite());
        let pair = |(key, typed): &(String, String)| (key.clone(), value(typed).map_or(json!(typed), Value::from));
        self.setting.iter().map(pair).collect()
    }
}

impl Found {
    pub fn new(
        args: &TuneArgs,
        candidates: Vec<Candidate>,
        scores: Vec<Option<Score>>,
        beside: Beside,
        seconds: f64,
        mut warnings: Vec<String>,
    ) -> Found {
        let best = tune::best(&scores);
        let tried = scores.iter().flatten().count();
        if interrupt::is_caught() {
            warnings.push(format!("interrupted: {tried} of {} settings were tried", scores.len()));
        } else {
            let best = best.and_then(|best| scores.get(best)?.as_ref());
            warnings.extend(doubt(&scores, best, &beside.mean));
        }
        let split = match args.folds {
            Some(folds) => ("folds", json!(folds)),
            None => ("holdout", json!(args.holdout.unwrap_or(HOLDOUT))),
        };
        let candidates = candidates.into_iter().zip(scores).collect();
        Found { candidates, best, beside, split, seed: args.run.seed(), seconds, warnings }
    }

    /// The setting of the lowest loss among those that can be recommended, of the fewest passes where several reach it.
    pub fn best(&self) -> Option<(&Candidate, &Score)> {
        let (candidate, score) = self.candidates.get(self.best?)?;
        Some((candidate, score.as_ref()?))
    }

    /// The best settings, one per line, the models that they are compared with, and the winner in the form for `fit --solver`.
    pub fn table(&self) -> String {
        let scored = self.candidates.iter().enumerate();
        let mut ranked: Vec<(usize, &Candidate, &Score)> =
            scored.filter_map(|(place, (candidate, score))| Some((place, candidate, score.as_ref()?))).collect();
        // stable, so that the first in the grid stays the first of equals; those that cannot be recommended come last
        let rank = |place: usize, score: &Score| (Some(place) != self.best, !score.is_eligible(), score.loss);
        ranked.sort_by(|one, other| rank(one.0, one.2).partial_cmp(&rank(other.0, other.2)).unwrap_or(Ordering::Equal));
        let keys = self.candidates.first().into_iter().flat_map(|(candidate, _)| &candidate.setting);
        let keys: Vec<String> = keys.map(|(key, _)| visible(key)).collect();
        // where keys are many, there is no room for all numbers beside them; the losses matter most
        let tables = (1..=NUMBERS.len()).rev().map(|count| {
            let header = keys.iter().map(right).chain(NUMBERS.iter().take(count).map(right)).chain([left("status")]);
            let mut table = ruled(header);
            let shown = ranked.iter().take(SHOWN);
            table.add_rows(shown.map(|(_, candidate, score)| cells(candidate, score, count)));
            table
        });
        let winner = self.best().map(|(best, _)| format!("\nbest: {}\n", visible(&best.solver)));
        format!("{}\n\n{}\n{}", first_that_fits(tables), self.beside(), winner.unwrap_or_default())
    }

    /// The losses that a setting is to be compared with, and those of the best.
    fn beside(&self) -> String {
        let mut table = ruled([left("model")].into_iter().chain(NUMBERS.map(right)).chain([left("status")]));
        let MeanLoss { loss, training_loss } = self.beside.mean;
        table.add_row([left("mean response"), right(format::short(loss)), right(format::short(training_loss))]);
        let fits = [("solver auto", self.beside.auto.as_ref()), ("best setting", self.best().map(|(_, score)| score))];
        for (name, score) in fits {
            let cells = score.map_or(vec![left(""); 4], |score| numbers_of(score).to_vec());
            let none = if name == "solver auto" { "interrupted" } else { "none" };
            let status = score.map_or(none.to_owned(), |score| score.status.to_string());
            table.add_row([left(name)].into_iter().chain(cells).chain([left(status)]).collect::<Vec<_>>());
        }
        flush_left(&mut table)
    }

    /// The search as one JSON object; a number that is not finite is null.
    ///
    /// # Errors
    /// Never, as far as known: all keys are text.
    pub fn json(&self) -> Result<String> {
        let best = self
            .best()
            .map(|(best, score)| json!({"solver": best.solver, "settings": best.settings(), "loss": score.loss}));
        let candidates: Vec<Line<'_>> =
            self.candidates.iter().map(|(candidate, score)| Line::new(candidate, score.as_ref())).collect();
        let mut object = Map::new();
        let (how, held_out) = &self.split;
        object.insert("best".into(), json!(best));
        let MeanLoss { loss, training_loss } = self.beside.mean;
        object.insert("mean".into(), json!({"loss": loss, "training_loss": training_loss}));
        object.insert("auto".into(), serde_json::to_value(Scored::new(self.beside.auto.as_ref()))?);
        object.insert("candidates".into(), serde_json::to_value(candidates)?);
        object.insert((*how).into(), held_out.clone());
        object.insert("seed".into(), json!(self.seed));
        object.insert("rows".into(), json!(self.beside.rows));
        object.insert("seconds".into(), json!(self.seconds));
        object.insert("warnings".into(), json!(self.warnings));
        object.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
        print::pretty(&object)
    }
}

impl<'a> Line<'a> {
    fn new(candidate: &'a Candidate, score: Option<&Score>) -> Line<'a> {
        Line { solver: &candidate.solver, settings: candidate.settings(), scored: Scored::new(score) }
    }
}

impl Scored {
    fn new(score: Option<&Score>) -> Scored {
        Scored {
            loss: score.map(|score| score.loss),
            training_loss: score.map(|score| score.training_loss),
            passes: score.map(|score| score.passes),
            seconds: score.map(|score| score.seconds),
            status: score.map_or("interrupted".into(), |score| score.status.to_string()),
        }
    }
}

/// The setting, the first `count` of its numbers, and how it ended.
fn cells(candidate: &Candidate, score: &Score, count: usize) -> Vec<comfy_table::Cell> {
    let keys = candidate.setting.iter().map(|(_, value)| right(visible(&legible(value))));
    keys.chain(numbers_of(score).into_iter().take(count)).chain([left(score.status)]).collect()
}

fn numbers_of(score: &Score) -> [comfy_table::Cell; 4] {
    [
        right(format::short(score.loss)),
        right(format::short(score.training_loss)),
        right(format!("{:.0}", score.passes)),
        right(format::seconds(score.seconds)),
    ]
}

/// Why no setting is recommended, or why the best is of no use.
fn doubt(scores: &[Option<Score>], best: Option<&Score>, mean: &MeanLoss) -> Option<String> {
    let finite = scores.iter().flatten().any(|score| score.loss.is_finite());
    match best {
        None if !finite => Some("no setting has a finite loss: try smaller step lengths (eta)".into()),
        None => Some(
            "no setting is recommended: each ended on a plateau, or fits its training rows no better than a constant; try \
             other values, or solver `auto`"
                .into(),
        ),
        Some(best) if best.loss >= mean.loss => {
            Some("the best setting predicts the held-out rows no better than the mean response".into())
        }
        Some(_) => None,
    }
}

/// A value with fewer digits, where there are many.
fn legible(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if value.len() > LEGIBLE => format::brief(number),
        _ => value.to_owned(),
    }
}
