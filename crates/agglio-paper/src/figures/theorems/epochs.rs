//! The theorem on stochastic steps: where each of the *epochs* of Algorithm 2 ends.

use agglio::simulate::LabelNoise;
use agglio::text::format::brief;
use agglio::theory::INCREMENT;
use agglio::theory::trial::Ended;

use super::{D, N, Part, measured, promised, setting, trial};
use crate::claim::{Bound, Claim};
use crate::error::Result;
use crate::figure::{Axis, Cell, Content, Panel, Table};
use crate::request::Request;

/// Epochs that are watched, and rows in a minibatch.
const EPOCHS: usize = 60;
const BATCH: usize = 50;
/// A first look needs no more data sets.
const QUICK_SEEDS: usize = 1;

/// `thm:conv-sgd-sigmoid` with the stopping time of its proof.
pub fn stochastic(request: &Request, hear: &dyn Fn(&str)) -> Result<Part> {
    hear("the theorem on stochastic steps");
    let setting = setting(1.0, LabelNoise::None)?.on_sample(N, D)?;
    let seeds = request.all_seeds().take(if request.quick { QUICK_SEEDS } else { usize::MAX });
    let run = |seed| Ok(trial(1.0, LabelNoise::None, N, seed)?.epochs(&setting, EPOCHS, BATCH)?);
    let runs: Vec<Vec<Ended>> = seeds.map(run).collect::<Result<_>>()?;
    let goal = |end: &Ended| end.epoch.radius / INCREMENT;
    let worst = runs.iter().flatten().map(|end| end.distance / goal(end)).fold(0.0, f64::max);
    let at = |epoch: usize| runs.iter().filter_map(move |run| run.get(epoch));
    let x: Vec<f64> = (1..=EPOCHS).map(|epoch| epoch as f64).collect();
    let name = "Algorithm 2, R = 1";
    let far = (0..EPOCHS).map(|epoch| at(epoch).map(|end| end.distance).fold(0.0, f64::max)).collect();
    let goals = (0..EPOCHS).map(|epoch| at(epoch).map(goal).fold(0.0, f64::max)).collect();
    let panel = Panel {
        title: "Stochastic steps, at the end of each epoch, R = 1".into(),
        x: Axis::new("epoch", false),
        y: Axis::new("‖w − w*‖", true),
        content: Content::Lines(vec![measured(name, &x, far), promised("promised, Algorithm 2", name, &x, goals)]),
    };
    let claim = Claim::new(
        "theorem on stochastic steps",
        "every epoch of Algorithm 2, ended as in the proof, ends within r/β of w*, R = 1",
        format!("the worst of {} epochs ends at {} of that", runs.iter().flatten().count(), brief(worst)),
        worst,
        Bound::AtMost(1.0),
    );
    Ok(Part { panels: vec![panel], tables: vec![table(&runs)], claims: vec![claim] })
}

fn table(runs: &[Vec<Ended>]) -> Table {
    let first = runs.first().map_or(&[][..], Vec::as_slice);
    let row = |(place, end): (usize, &Ended)| {
        let numbers = [place as f64 + 1.0, end.epoch.tau, end.epoch.steps, end.steps as f64, end.distance];
        numbers.into_iter().chain([end.epoch.radius / INCREMENT]).map(Cell::Number).collect()
    };
    let columns = ["epoch", "τ", "I_t", "steps taken", "‖w − w*‖", "promised"].map(String::from).into();
    let title = format!("Algorithm 2, minibatches of {BATCH}, the first seed: steps by the theorem and steps taken");
    Table { title, columns, rows: first.iter().enumerate().step_by(10).map(row).collect() }
}
