//! A *contest*: several methods on one problem, tuned alike, from the same starts on the same data.

use agglio::Report;

use crate::contestant::{Contestant, Heat, Role, Run};
use crate::error::Result;
use crate::figure::{Axis, Cell, Content, Line, Marks, Panel, Stroke, Table};
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

/// Holds a contest, and reports its progress to `hear`.
///
/// # Errors
/// If a method cannot be run, or somebody wants it to end.
pub fn hold(
    problem: &dyn Problem,
    contestants: &[Contestant],
    request: &Request,
    hear: &dyn Fn(&str),
) -> Result<Vec<Entrant>> {
    let mut entrants: Vec<Entrant> = Vec::new();
    for contestant in contestants {
        entrants.push(match contestant.whole() {
            Some(whole) => ablate(problem, contestant, of(&entrants, &whole), request, hear)?,
            None => enter(problem, contestant, request, hear)?,
        });
    }
    Ok(entrants)
}

/// An ablation with the setting of its variant, which was there before it.
fn ablate(
    problem: &dyn Problem,
    contestant: &Contestant,
    whole: Option<&Entrant>,
    request: &Request,
    hear: &dyn Fn(&str),
) -> Result<Entrant> {
    hear(&format!("running {}", contestant.name));
    let setting = contestant.ablated(whole.map_or(&Setting::new(), |whole| &whole.setting));
    let tuned = runs(problem, contestant, &setting, request)?;
    Ok(Entrant { contestant: *contestant, setting, tuned, untuned: Vec::new() })
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

    /// The faster of it tuned and as it comes: its name, and when each seed reaches a goal, in seconds.
    pub fn fastest(&self, goal: &Goal) -> (String, Vec<f64>) {
        let [tuned, untuned] = [&self.tuned, &self.untuned].map(|runs| goal.arrivals(runs, Over::Seconds));
        let median = |times: &[f64]| Spread::of(times.iter().copied()).median;
        match median(&untuned) < median(&tuned) {
            true => (format!("{}, untuned,", self.contestant.name), untuned),
            false => (self.contestant.name.into(), tuned),
        }
    }

    /// When its tuned runs reach a goal, seed by seed.
    pub fn arrivals(&self, goal: &Goal, over: Over) -> Vec<f64> {
        goal.arrivals(&self.tuned, over)
    }

    /// The errors that its tuned runs end with.
    pub fn finals(&self) -> Spread {
        Spread::of(self.ends())
    }

    /// The error that each of its tuned runs ends with.
    pub fn ends(&self) -> Vec<f64> {
        self.tuned.iter().map(|run| run.error.last()).collect()
    }
}

/// The one of a name.
pub fn of<'a>(entrants: &'a [Entrant], contestant: &Contestant) -> Option<&'a Entrant> {
    entrants.iter().find(|entrant| entrant.contestant.name == contestant.name)
}

/// The error over time and over passes, with a curve for each method, and over epochs for the ablations.
pub fn panels(problem: &dyn Problem, entrants: &[Entrant]) -> Vec<Panel> {
    let is_ablation = |entrant: &&Entrant| entrant.contestant.whole().is_some();
    let whole = |entrant: &&Entrant| {
        entrants.iter().filter_map(|one| one.contestant.whole()).any(|of| of == entrant.contestant)
    };
    let most = Spread::of(entrants.iter().flat_map(|entrant| &entrant.tuned).map(|run| run.start)).high;
    let panel = |over: Over, title: &str, shown: Vec<&Entrant>| Panel {
        title: title.into(),
        x: Axis::new(over.words(), true),
        y: Axis {
            including: vec![most],
            most: most.is_finite().then_some(most),
            ..Axis::new(problem.measured(), true)
        },
        content: Content::Lines(shown.into_iter().map(|entrant| line(entrant, over)).collect()),
    };
    let methods = || entrants.iter().filter(|entrant| !is_ablation(entrant)).collect();
    let mut panels = vec![panel(Over::Seconds, "by time", methods()), panel(Over::Passes, "by passes", methods())];
    let ablations: Vec<&Entrant> = entrants.iter().filter(|entrant| is_ablation(entrant) || whole(entrant)).collect();
    if !ablations.is_empty() {
        panels.push(panel(Over::Epochs, "effect of the rise of τ, by epochs", ablations));
    }
    panels
}

fn line(entrant: &Entrant, over: Over) -> Line {
    let courses = entrant.errors();
    let few = courses.iter().all(|course| course.values.len() <= FEW);
    let mut line = if few { steps(&courses, over) } else { curve(&courses, over) };
    let like = match entrant.contestant {
        Contestant::SHORTENING_SGD => Some(Contestant::AGGLIO_SGD),
        contestant => contestant.whole(),
    };
    line.name = entrant.contestant.name.into();
    line.like = like.map(|like| like.name.into());
    line.stroke = match entrant.contestant.role {
        Role::Ours | Role::Competitor => Stroke::Solid,
        Role::Baseline => Stroke::Dashed,
        Role::Ablation(Heat::One) => Stroke::Dotted,
        Role::Ablation(Heat::Held) => Stroke::DashDotted,
    };
    // the last mark says how the fits ended
    line.open = vec![false; line.x.len()];
    if let Some(last) = line.open.last_mut() {
        *last = mostly_uncertified(entrant.tuned.iter().map(|run| &run.report));
    }
    line
}

/// Whether half of some fits or more are not certified.
pub fn mostly_uncertified<'a>(reports: impl IntoIterator<Item = &'a Report>) -> bool {
    let certified: Vec<bool> = reports.into_iter().map(|report| report.certificate.certified()).collect();
    2 * certified.iter().filter(|certified| !**certified).count() >= certified.len()
}

/// A mark for each step: the median of the runs, one that has ended staying where it is.
fn steps(courses: &[&Course], over: Over) -> Line {
    let most = courses.iter().map(|course| course.values.len()).max().unwrap_or(0);
    let stay = |values: &[f64], step: usize| values.get(step).or(values.last()).copied();
    let median =
        |of: &dyn Fn(&Course) -> Option<f64>| Spread::of(courses.iter().filter_map(|course| of(course))).median;
    Line {
        x: (0..most).map(|step| median(&|course| stay(course.over(over), step))).collect(),
        y: (0..most).map(|step| median(&|course| stay(&course.values, step))).collect(),
        marks: Marks::All,
        ..Line::default()
    }
}

/// The median of some courses, with their quartiles.
pub fn curve(courses: &[&Course], over: Over) -> Line {
    let begins = courses.iter().filter_map(|course| course.over(over).first().copied()).fold(0.0, f64::max);
    let ends = courses.iter().filter_map(|course| course.over(over).last().copied()).fold(begins, f64::max);
    let mut line = Line { marks: Marks::Last, ..Line::default() };
    for x in logspace(begins.max(1e-9), ends.max(1e-9), POINTS) {
        // rounding must not put a point before the first or after the last
        let x = x.clamp(begins, ends);
        let spread = Spread::of(courses.iter().map(|course| course.at(x, over)));
        line.x.push(x);
        line.y.push(spread.median);
        line.lower.push(spread.lower);
        line.upper.push(spread.upper);
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
        let Spread { median, low, high, .. } = spread;
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
