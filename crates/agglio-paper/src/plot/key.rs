//! A *key* gives every name in a figure its colour and its mark, the same in all panels, and draws them as a legend.

use kuva::plot::MarkerShape;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};

use super::scale::Scale;
use super::{GAP, LETTER, TICK, text};
use crate::figure::{Content, Figure, Line, Marks, Panel, Stroke};

/// Colours that stay apart for colour-blind eyes: Okabe and Ito's without yellow, Tol's wine, and four that are, without
/// red or green to tell them by, no nearer to any of these than Okabe and Ito's are to each other.
const COLOURS: [&str; 12] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255", "#5522FF", "#553300",
    "#77CC99", "#001166",
];
const MARKS: [MarkerShape; 4] = [MarkerShape::Circle, MarkerShape::Square, MarkerShape::Triangle, MarkerShape::Diamond];
/// Half the size of a mark.
pub const MARK: f64 = 4.0;
/// What marks mean, where there are such.
const OPEN: &str = "open marks: half of the fits or more are not certified";
const ZERO: &str = "▽ on the lower edge: exactly zero";
const ABOVE: &str = "△ on the upper edge: beyond it";
/// Length of a legend's line, the space before its name, and the height of a row.
const SAMPLE: f64 = 34.0;
const SPACE: f64 = 8.0;
const ROW: f64 = 22.0;

/// How a line looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    name: String,
    pub colour: &'static str,
    pub mark: MarkerShape,
    stroke: Stroke,
    marked: bool,
}

/// The entries in the order in which their names come, and what their marks mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    entries: Vec<Entry>,
    notes: Vec<&'static str>,
}

/// The dashes of a line; none of a solid one.
pub fn dashes(stroke: Stroke) -> Option<&'static str> {
    match stroke {
        Stroke::Solid => None,
        Stroke::Dashed => Some("7 4"),
        Stroke::Dotted => Some("2 3"),
        Stroke::DashDotted => Some("9 3 2 3"),
    }
}

impl Key {
    pub fn new(figure: &Figure) -> Key {
        let (mut entries, mut colours): (Vec<Entry>, usize) = (Vec::new(), 0);
        for line in figure.panels.iter().flat_map(|panel| lines(&panel.content)) {
            if entries.iter().any(|entry| entry.name == line.name) {
                continue;
            }
            let like = line.like.as_ref().and_then(|like| entries.iter().find(|entry| entry.name == *like));
            let colour = like.map(|like| like.colour);
            let place = if colour.is_some() { entries.len() } else { colours };
            colours += usize::from(colour.is_none());
            entries.push(Entry::new(line, place, colour));
        }
        Key { entries, notes: notes(figure) }
    }

    /// How the line of this name looks.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The names that a reader needs; a single line without a name needs none.
    fn shown(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !entry.name.is_empty())
    }

    fn entry_width(&self) -> f64 {
        let longest = self.shown().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
        SAMPLE + SPACE + longest as f64 * f64::from(TICK) * LETTER + 2.0 * GAP
    }

    /// Rows and columns of the legend: as many columns as fit, and no more than even rows need.
    fn shape(&self, width: f64) -> (usize, usize) {
        let count = self.shown().count();
        let fitting = (((width - 2.0 * GAP) / self.entry_width()) as usize).clamp(1, count.max(1));
        let rows = count.div_ceil(fitting);
        (rows, count.div_ceil(rows.max(1)))
    }

    /// The height of the legend of a picture so wide.
    pub fn height(&self, width: f64) -> f64 {
        let rows = self.shape(width).0 + self.notes.len();
        if rows == 0 { 0.0 } else { rows as f64 * ROW + GAP }
    }

    /// Draws the legend in the middle, from `top` down.
    pub fn draw(&self, scene: &mut Scene, top: f64) {
        let ((rows, columns), width) = (self.shape(scene.width), self.entry_width());
        let left = ((scene.width - columns as f64 * width) / 2.0 + GAP).max(GAP);
        for (i, entry) in self.shown().enumerate() {
            let (row, column) = (i / columns.max(1), i % columns.max(1));
            entry.draw(scene, left + column as f64 * width, top + (row as f64 + 0.5) * ROW + GAP / 2.0);
        }
        for (i, note) in self.notes.iter().enumerate() {
            let y = top + ((rows + i) as f64 + 0.5) * ROW + GAP / 2.0 + 0.36 * f64::from(TICK);
            scene.add(text(scene.width / 2.0, y, note, TICK, TextAnchor::Middle));
        }
    }
}

impl Entry {
    fn new(line: &Line, place: usize, colour: Option<&'static str>) -> Entry {
        let own = COLOURS.get(place % COLOURS.len()).copied().unwrap_or("#000000");
        let mark = MARKS.get(place % MARKS.len()).copied().unwrap_or_default();
        let marked = line.marks != Marks::None;
        Entry { name: line.name.clone(), colour: colour.unwrap_or(own), mark, stroke: line.stroke, marked }
    }

    fn draw(&self, scene: &mut Scene, x: f64, y: f64) {
        scene.add(Primitive::PolyLine {
            points: vec![(x, y), (x + SAMPLE, y)],
            stroke: Color::from(self.colour),
            stroke_width: 2.0,
            stroke_dasharray: dashes(self.stroke).map(str::to_owned),
        });
        if self.marked {
            scene.add(self.outline(x + SAMPLE / 2.0, y));
        }
        let baseline = y + 0.36 * f64::from(TICK);
        scene.add(text(x + SAMPLE + SPACE, baseline, &self.name, TICK, TextAnchor::Start));
    }

    /// The mark, as the panels have it.
    fn outline(&self, x: f64, y: f64) -> Primitive {
        let r = MARK;
        let d = match self.mark {
            MarkerShape::Square => format!("M{},{} h{w} v{w} h-{w} Z", x - r, y - r, w = 2.0 * r),
            MarkerShape::Triangle => {
                format!("M{x},{} L{},{b} L{},{b} Z", y - 1.02 * r, x - r, x + r, b = y + 0.68 * r)
            }
            MarkerShape::Diamond => {
                let r = 1.3 * r;
                format!("M{x},{} L{},{y} L{x},{} L{},{y} Z", y - r, x + r, y + r, x - r)
            }
            _ => return circle(x, y, self.colour),
        };
        let colour = Color::from(self.colour);
        let fill = Some(colour.clone());
        Primitive::Path(Box::new(PathData {
            d,
            fill,
            stroke: colour,
            stroke_width: 0.5,
            opacity: None,
            stroke_dasharray: None,
        }))
    }
}

fn circle(cx: f64, cy: f64, colour: &str) -> Primitive {
    let fill = Color::from(colour);
    Primitive::Circle { cx, cy, r: MARK, fill, fill_opacity: None, stroke: None, stroke_width: None }
}

fn lines(content: &Content) -> &[Line] {
    match content {
        Content::Lines(lines) => lines,
        Content::Surface(_) => &[],
    }
}

/// The legend of the marks of a figure.
fn notes(figure: &Figure) -> Vec<&'static str> {
    let has = |found: &dyn Fn(&Panel, &Line) -> bool| {
        figure.panels.iter().any(|panel| lines(&panel.content).iter().any(|line| found(panel, line)))
    };
    let open = has(&|_, line| line.marks != Marks::None && line.open.contains(&true));
    let zero = has(&|panel, line| {
        let scale = Scale::new(&panel.y, line.y.iter().copied());
        line.y.iter().any(|y| scale.is_below(*y))
    });
    let above = has(&|panel, line| {
        let scale = Scale::new(&panel.y, line.y.iter().copied());
        line.marks == Marks::All && line.y.iter().any(|y| scale.is_above(*y))
    });
    [(open, OPEN), (zero, ZERO), (above, ABOVE)].into_iter().filter_map(|(is, note)| is.then_some(note)).collect()
}
