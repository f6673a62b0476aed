//! The *page* about a run: all figures with their claims, numbers and parameters in one file that needs no other.

use std::io;

use agglio::text::format;
use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

use crate::claim::{Claim, Tally, Verdict};
use crate::figure::{Cell, Figure, Table};
use crate::{numbers, plot, words};

const TEMPLATE: &str = include_str!("../templates/index.html");
/// How small a picture may become before it is scrolled instead: its letters are still readable then.
const SMALLEST: f64 = 0.7;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The figures that were finished.
    pub figures: &'a [Figure],
    /// The command, the versions and the machine.
    pub facts: &'a [(String, String)],
    /// Why there is not all that was asked for.
    pub gap: Option<&'a str>,
}

impl Page<'_> {
    /// The page.
    ///
    /// # Errors
    /// None that a user could cause.
    pub fn html(&self) -> io::Result<String> {
        let mut environment = Environment::new();
        environment.add_template("index.html", TEMPLATE).map_err(io::Error::other)?;
        let template = environment.get_template("index.html").map_err(io::Error::other)?;
        template.render(Serde(self.view())).map_err(io::Error::other)
    }

    fn view(&self) -> View<'_> {
        let seconds = self.figures.iter().map(|figure| figure.seconds).sum();
        let open = numbers::sorted(self.figures).into_iter();
        let open = open.filter(|(_, claim)| matches!(claim.verdict(), Verdict::Failed | Verdict::Undecided));
        View {
            outcome: words::outcome(words::tally(self.figures)),
            open: open.map(|(figure, claim)| Open { name: figure.name, claim: Judged::new(claim) }).collect(),
            figures: self.figures.iter().map(Section::new).collect(),
            facts: self.facts,
            gap: self.gap,
            time: format::seconds(seconds),
        }
    }
}

/// The page as the template sees it.
#[derive(Serialize)]
struct View<'a> {
    outcome: String,
    open: Vec<Open<'a>>,
    figures: Vec<Section<'a>>,
    facts: &'a [(String, String)],
    gap: Option<&'a str>,
    time: String,
}

/// A claim that did not hold, with the figure that it is about.
#[derive(Serialize)]
struct Open<'a> {
    name: &'a str,
    claim: Judged<'a>,
}

/// A figure as the template sees it.
#[derive(Serialize)]
struct Section<'a> {
    name: &'a str,
    title: &'a str,
    caption: &'a str,
    parameters: &'a [(String, String)],
    picture: Option<Picture>,
    tables: Vec<Grid<'a>>,
    claims: Vec<Judged<'a>>,
    held: String,
    failed: usize,
    undecided: usize,
    time: String,
}

#[derive(Serialize)]
struct Picture {
    svg: String,
    least: f64,
    natural: f64,
}

#[derive(Serialize)]
struct Grid<'a> {
    title: &'a str,
    columns: Vec<Written>,
    rows: Vec<Vec<Written>>,
}

/// A cell or what stands above a column, and whether it goes where numbers do.
#[derive(Serialize)]
struct Written {
    parts: Vec<String>,
    number: bool,
}

#[derive(Serialize)]
struct Judged<'a> {
    verdict: &'static str,
    class: &'static str,
    statement: &'a str,
    source: &'a str,
    measured: &'a str,
    value: String,
    bound: String,
    margin: String,
    remark: Option<&'a str>,
}

impl<'a> Section<'a> {
    fn new(figure: &'a Figure) -> Section<'a> {
        let tally = Tally::of(&figure.claims);
        let claims = numbers::sorted(std::slice::from_ref(figure));
        Section {
            name: figure.name,
            title: &figure.title,
            caption: &figure.caption,
            parameters: &figure.parameters,
            picture: Picture::new(figure),
            tables: figure.tables.iter().map(Grid::new).collect(),
            claims: claims.into_iter().map(|(_, claim)| Judged::new(claim)).collect(),
            held: words::held(figure),
            failed: tally.failed,
            undecided: tally.undecided,
            time: format::seconds(figure.seconds),
        }
    }
}

impl Picture {
    /// A figure may be nothing but tables.
    fn new(figure: &Figure) -> Option<Picture> {
        let natural = plot::width(figure);
        let drawn = !figure.panels.is_empty();
        drawn.then(|| Picture { svg: plot::inline(figure), least: (SMALLEST * natural).round(), natural })
    }
}

impl<'a> Grid<'a> {
    fn new(table: &'a Table) -> Grid<'a> {
        let numbers: Vec<bool> = (0..table.columns.len()).map(|place| has_numbers(table, place)).collect();
        let row = |cells: &mut dyn Iterator<Item = Vec<String>>| -> Vec<Written> {
            cells.zip(&numbers).map(|(parts, number)| Written { parts, number: *number }).collect()
        };
        let columns = row(&mut table.columns.iter().map(|name| vec![name.clone()]));
        let rows = table.rows.iter().map(|cells| row(&mut cells.iter().map(words::cell))).collect();
        Grid { title: &table.title, columns, rows }
    }
}

/// A column with a number is one of numbers: what else is in it says why there is none.
fn has_numbers(table: &Table, place: usize) -> bool {
    table.rows.iter().filter_map(|row| row.get(place)).any(|cell| !matches!(cell, Cell::Text(_)))
}

impl<'a> Judged<'a> {
    fn new(claim: &'a Claim) -> Judged<'a> {
        let verdict = claim.verdict();
        Judged {
            verdict: verdict.word(),
            class: match verdict {
                Verdict::Failed => "no",
                Verdict::Held => "yes",
                Verdict::Undecided | Verdict::Given => "open",
            },
            statement: &claim.statement,
            source: claim.source,
            measured: &claim.measured,
            value: words::value(claim.value),
            bound: words::bound(claim.bound),
            margin: words::margin(claim.margin()),
            remark: claim.remark.as_deref(),
        }
    }
}
