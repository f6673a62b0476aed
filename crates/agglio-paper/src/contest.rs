//! A *contest*: several methods on one problem, tuned alike, from the same starts on the same data.

use crate::contestant::{Contestant, Role, Run};
use crate::error::Result;
use crate::figure::{Axis, Cell, Content, Line, Panel, Table};
use crate::goal::Goal;
use crate::grid::{self, Setting, logspace};
use crate::problem::Problem;
use crate::request::Request;
use crate::statistics::Spread;
use crate::track::{Course, Over};
use crate::tuning;

/// What one method has done.
#[derive(Debug)]
pub struct Entrant {
    /// Who.
    pub contestant: Contestant,
    /// The setting that was best on rows held out; empty for a method that the paper does not tune.
    pub setting: Setting,
    /// With this setting, a run for each seed.
    pub tuned: Vec<Run>,
    /// As it comes, a run for each seed; empty where there is nothing to tune.
    pub untuned: Vec<Run>,
}

/// Times that a run is made; the fastest counts, since whatever else the machine does only takes time.
fn repeats(request: &Request) -> usize {
    if request.quick { 1 } else { 2 }
}

/// Steps up to which each is marked.
const FEW: usize = 30;

/// Points of a curve.
const POINTS: usize = 160;

/// Holds a contest; `hear` is told what is being done.
///
/// # Errors
/// If a method cannot be run, or somebody wants it to end.
pub fn hold(
    problem: &dyn Problem,
    contestants: &[Contestant],
    request: &Request,
    hear: &dyn Fn(&str),
) -> Result<Vec<Entrant>> {
    contestants.iter().map(|contestant| enter(problem, contestant, request, hear)).collect()
}

fn enter(problem: &dyn Problem, contestant: &Contestant, request: &Request, hear: &dyn Fn(&str)) -> Result<Entrant> {
    hear(&format!("tuning {}", contestant.name));
    let setting = tuning::tuned(problem, contestant, request)?;
    hear(&format!("running {}", contestant.name));
    let tuned = runs(problem, contestant, &setting, request)?;
    let untuned = match contestant.settings().is_empty() {
        true => Vec::new(),
        false => runs(problem, contestant, &Setting::new(), request)?,
    };
    Ok(Entrant { contestant: *contestant, setting, tuned, untuned })
}

/// A run for each seed.
///
/// # Errors
/// As [`hold`].
pub fn runs(problem: &dyn Problem, contestant: &Contestant, setting: &Setting, request: &Request) -> Result<Vec<Run>> {
    let run = |seed: u64| -> Result<Run> {
        let data = problem.draw(seed)?;
        let once = || contestant.run(problem, &data, setting, seed, request);
        let again = (1..repeats(request)).map(|_| once());
        again.fold(once(), |fastest, run| Ok(faster(fastest?, run?)))
    };
    request.all_seeds().map(run).collect()
}

fn faster(one: Run, other: Run) -> Run {
    let seconds = |run: &Run| run.error.seconds.last().copied().unwrap_or(f64::INFINITY);
    if seconds(&other) < seconds(&one) { other } else { one }
}

impl Entrant {
    /// Its tuned runs' errors.
    pub fn errors(&self) -> Vec<&Course> {
        self.tuned.iter().map(|run| &run.error).collect()
    }

    /// When its tuned runs reach a goal, in seconds.
    pub fn reaches(&self, goal: &Goal) -> Spread {
        goal.reached(&self.tuned, Over::Seconds)
    }

    /// The faster of it tuned and as it comes: its name, and when it reaches a goal, in seconds.
    pub fn fastest(&self, goal: &Goal) -> (String, f64) {
        let [tuned, untuned] = [&self.tuned, &self.untuned].map(|runs| goal.reached(runs, Over::Seconds).median);
        match untuned < tuned {
            true => (format!("{}, untuned,", self.contestant.name), untuned),
            false => (self.contestant.name.into(), tuned),
        }
    }

    /// The errors that its tuned runs end with.
    pub fn finals(&self) -> Spread {
        Spread::of(self.tuned.iter().map(|run| run.error.last()))
    }
}

/// The one of a name.
pub fn of<'a>(entrants: &'a [Entrant], contestant: &Contestant) -> Option<&'a Entrant> {
    entrants.iter().find(|entrant| entrant.contestant.name == contestant.name)
}

/// What is measured over time and over passes, a curve for each method.
pub fn panels(problem: &dyn Problem, entrants: &[Entrant]) -> Vec<Panel> {
    let axis = |label: &str| Axis { label: label.into(), log: true };
    let panel = |over: Over, what: &str, label: &str| Panel {
        title: format!("by {what}"),
        x: axis(label),
        y: axis(problem.measured()),
        content: Content::Lines(entrants.iter().map(|entrant| line(entrant, over)).collect()),
    };
    vec![panel(Over::Seconds, "time", "seconds"), panel(Over::Passes, "passes", "passes over the rows")]
}

fn line(entrant: &Entrant, over: Over) -> Line {
    let dashed = entrant.contestant.role == Role::Baseline;
    let courses = entrant.errors();
    let few = courses.iter().all(|course| course.values.len() <= FEW);
    let line = if few { steps(&courses, over) } else { curve(&courses, over) };
    Line { name: entrant.contestant.name.into(), dashed, ..line }
}

/// A mark for each step: the median of the runs that take so many.
fn steps(courses: &[&Course], over: Over) -> Line {
    let most = courses.iter().map(|course| course.values.len()).max().unwrap_or(0);
    let median =
        |of: &dyn Fn(&Course) -> Option<f64>| Spread::of(courses.iter().filter_map(|course| of(course))).median;
    Line {
        x: (0..most).map(|step| median(&|course| course.over(over).get(step).copied())).collect(),
        y: (0..most).map(|step| median(&|course| course.values.get(step).copied())).collect(),
        marked: true,
        ..Line::default()
    }
}

/// The median of some courses, from the lowest to the highest.
pub fn curve(courses: &[&Course], over: Over) -> Line {
    let begins = courses.iter().filter_map(|course| course.over(over).first().copied()).fold(0.0, f64::max);
    let ends = courses.iter().filter_map(|course| course.over(over).last().copied()).fold(begins, f64::max);
    let mut line = Line::default();
    for x in logspace(begins.max(1e-9), ends.max(1e-9), POINTS) {
        // rounding must not put a point before the first or after the last
        let x = x.clamp(begins, ends);
        let spread = Spread::of(courses.iter().map(|course| course.at(x, over)));
        line.x.push(x);
        line.y.push(spread.median);
        line.low.push(spread.low);
        line.high.push(spread.high);
    }
    line
}

/// Time and passes to some errors, and the error at the end, a row for each method, as tuned and as it comes.
pub fn table(problem: &dyn Problem, entrants: &[Entrant], goals: &[Goal]) -> Table {
    let mut columns: Vec<String> = vec!["method".into(), "setting".into()];
    for Goal { words, .. } in goals {
        columns.extend([format!("ms to {words}"), format!("passes to {words}")]);
    }
    columns.push(format!("{} at the end", problem.measured()));
    let row = |entrant: &Entrant, setting: String, runs: &[Run]| {
        let mut cells = vec![Cell::Text(entrant.contestant.name.into()), Cell::Text(setting)];
        for goal in goals {
            cells.push(goal.reached(runs, Over::Seconds).times(1e3).into());
            cells.push(goal.reached(runs, Over::Passes).into());
        }
        cells.push(Spread::of(runs.iter().map(|run| run.error.last())).into());
        cells
    };
    let tuned = entrants.iter().map(|entrant| row(entrant, grid::named(&entrant.setting), &entrant.tuned));
    let untuned = entrants.iter().filter(|entrant| !entrant.untuned.is_empty());
    let untuned =
        untuned.map(|entrant| row(entrant, format!("untuned: {}", entrant.contestant.untuned()), &entrant.untuned));
    let title =
        "Time and passes until the error is so low, with noise until it stays so: median, lowest and highest over \
                 the seeds"
            .into();
    Table { title, columns, rows: tuned.chain(untuned).collect() }
}

impl From<Spread> for Cell {
    fn from(spread: Spread) -> Cell {
        let Spread { median, low, high } = spread;
        Cell::Range { median, low, high }
    }
}

/// What every contest is made with.
pub fn parameters(problem: &dyn Problem, request: &Request) -> Vec<(String, String)> {
    let seeds = format!("{} from {}", request.seeds, request.seed);
    let share = (100.0 * request.holdout()).round();
    [
        ("data", problem.described()),
        ("model", "no intercept, columns as they are; start 10·N(0, I)/√d".into()),
        ("seeds", seeds),
        ("minibatches", "50 rows for every method that has them".into()),
        (
            "tuning",
            format!(
                "the paper's grid and the values that the method comes with, by the loss on {share} % of the first seed's \
                 rows after {} epochs; where several fits are exact, after half as many, and so on",
                tuning::EPOCHS
            ),
        ),
        ("limit", format!("{} epochs", Contestant::EPOCHS)),
        ("projection and cap", request.projection().into()),
        ("time", format!("of the fit alone, one thread, the fastest of {} runs", repeats(request))),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into()
}
