//! A *figure* is a set of panels, with their numbers and the claims that these decide.

use serde::Serialize;

use crate::claim::Claim;

/// A figure or table of the paper, as a run has made it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figure {
    /// The name that it is asked for by, such as `fig2a`.
    pub name: &'static str,
    /// A short title.
    pub title: String,
    /// A caption of a few sentences.
    pub caption: String,
    /// The parameters of the run, by name.
    pub parameters: Vec<(String, String)>,
    /// The panels, from left to right.
    pub panels: Vec<Panel>,
    /// Number of panels in a row.
    pub columns: usize,
    /// Plain numbers.
    pub tables: Vec<Table>,
    /// The claims, of the paper and beyond it.
    pub claims: Vec<Claim>,
    /// How long it took.
    pub seconds: f64,
}

/// One pair of axes with its content.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    /// What stands above it.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis; of a surface, the second horizontal one.
    pub y: Axis,
    /// The content.
    pub content: Content,
}

/// An axis with its unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Axis {
    /// Quantity and unit.
    pub label: String,
    /// Whether equal distances are equal ratios.
    pub log: bool,
    /// Numbers that must have a place on it, whatever is drawn, so that panels can be compared.
    pub including: Vec<f64>,
    /// The upper end; larger values are cut off.
    pub most: Option<f64>,
}

impl Axis {
    /// An axis that covers the content.
    pub fn new(label: impl Into<String>, log: bool) -> Axis {
        Axis { label: label.into(), log, ..Axis::default() }
    }
}

/// The content of a panel.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Curves over the horizontal axis.
    Lines(Vec<Line>),
    /// A height over a plane.
    Surface(Surface),
}

/// A curve: the median of several runs, with a band between their quartiles where there are any.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// Its name in the legend; the same name has the same colour in every panel of a figure.
    pub name: String,
    /// The line whose colour it has, where it has none for itself.
    pub like: Option<String>,
    /// Where.
    pub x: Vec<f64>,
    /// The median there. On a logarithmic axis an exact zero is a mark on the lower edge.
    pub y: Vec<f64>,
    /// The lower quartile, or nothing.
    pub lower: Vec<f64>,
    /// The upper quartile, or nothing.
    pub upper: Vec<f64>,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Which points are marked.
    pub marks: Marks,
    /// Of which points the mark is open, since the fits are not certified; nothing is none.
    pub open: Vec<bool>,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stroke {
    /// A method of the paper.
    #[default]
    Solid,
    /// A method, or a bound, that is not in the paper.
    Dashed,
    /// A method of the paper without graduation.
    Dotted,
    /// A method of the paper at one low temperature.
    DashDotted,
}

/// Which points of a line are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Marks {
    /// None: a curve.
    #[default]
    None,
    /// All: few values that were chosen, or few steps.
    All,
    /// The last, where a fit ends.
    Last,
}

/// Heights over a grid.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Surface {
    /// Coordinates along the first axis.
    pub x: Vec<f64>,
    /// Coordinates along the second axis.
    pub y: Vec<f64>,
    /// Heights, a row for each y.
    pub z: Vec<Vec<f64>>,
    /// The quantity of the height.
    pub label: String,
}

/// Plain numbers in rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// The quantity of the values.
    pub title: String,
    /// What stands above the columns.
    pub columns: Vec<String>,
    /// As many cells as columns in each.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number; one that is not finite means "never".
    Number(f64),
    /// The median of several runs, the lowest and the highest.
    Range {
        /// The middle one.
        median: f64,
        /// The lowest.
        low: f64,
        /// The highest.
        high: f64,
    },
}
