//! *Curves*: lines with their bands and marks, as far as their points have a place on the axes.

use kuva::plot::{BandPlot, LinePlot, LineStyle, MarkerShape, ScatterPlot};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

use super::key::{Entry, Key, MARK, dashes};
use super::scale::Scale;
use crate::figure::{Line, Marks, Panel};

const STROKE: f64 = 2.0;
const OPACITY: f64 = 0.16;
/// The middle of an open mark, and how large it is as a share of the mark.
const WHITE: &str = "#ffffff";
const INNER: f64 = 0.6;
/// How far from an edge that stands for what has no place marks are, as a share of the axis.
const EDGE: f64 = 0.02;
/// Points nearer to each other than this share of the axes are drawn as one.
const FINEST: f64 = 0.001;

/// Everything on the axes of a panel; what is drawn first is below the rest.
pub fn plots(panel: &Panel, lines: &[Line], key: &Key) -> (Vec<Plot>, Layout) {
    let x = Scale::new(&panel.x, lines.iter().flat_map(|line| line.x.iter().copied()));
    let y = Scale::new(&panel.y, lines.iter().flat_map(heights));
    let styled = || lines.iter().filter_map(|line| Some((line, key.find(&line.name)?)));
    let mut plots: Vec<Plot> = styled().flat_map(|(line, entry)| bands(line, entry, (&x, &y))).collect();
    for (line, entry) in styled() {
        plots.extend(strokes(line, entry, (&x, &y)));
    }
    let layout =
        Layout::new(x.range(), y.range()).with_x_label(panel.x.label.as_str()).with_y_label(panel.y.label.as_str());
    (plots, y.along_y(x.along_x(layout)))
}

fn heights(line: &Line) -> impl Iterator<Item = f64> {
    line.y.iter().chain(&line.lower).chain(&line.upper).copied()
}

/// Several heights over one place of the horizontal axis.
type Points<const N: usize> = Vec<(f64, [f64; N])>;

/// Runs of neighbouring points that all have a place; a point that has none is a gap and not a bridge.
fn runs<const N: usize>(
    x: &[f64],
    heights: [&[f64]; N],
    (along, up): (&Scale, &Scale),
    place: impl Fn(f64) -> Option<f64>,
) -> Vec<Points<N>> {
    let mut runs: Vec<Points<N>> = vec![Vec::new()];
    for (i, x) in x.iter().enumerate() {
        let placed = heights.map(|column| column.get(i).and_then(|height| place(*height)));
        match (along.place(*x), all(placed)) {
            (Some(x), Some(heights)) => runs.iter_mut().last().map_or((), |run| run.push((x, heights))),
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs.iter_mut().for_each(|run| thin(run, (along, up)));
    runs
}

fn all<const N: usize>(values: [Option<f64>; N]) -> Option<[f64; N]> {
    values.iter().all(Option::is_some).then(|| values.map(Option::unwrap_or_default))
}

/// Leaves out points that nobody could tell from the one before them; the last one stays.
fn thin<const N: usize>(run: &mut Points<N>, (along, up): (&Scale, &Scale)) {
    let Some((last, mut kept)) = run.last().copied().zip(run.first().copied()) else { return };
    let mut first = true;
    run.retain(|point| {
        let moved = (along.share(point.0) - along.share(kept.0)).abs() > FINEST
            || point.1.iter().zip(&kept.1).any(|(a, b)| (up.share(*a) - up.share(*b)).abs() > FINEST);
        let keep = std::mem::take(&mut first) || moved;
        if keep {
            kept = *point;
        }
        keep
    });
    if run.last() != Some(&last) {
        run.push(last);
    }
}

fn bands(line: &Line, entry: &Entry, scales: (&Scale, &Scale)) -> Vec<Plot> {
    let band = |run: Points<2>| {
        let column = |side: usize| run.iter().map(move |(_, ends)| ends.get(side).copied().unwrap_or_default());
        let x = run.iter().map(|(x, _)| *x);
        Plot::Band(BandPlot::new(x, column(0), column(1)).with_color(entry.colour).with_opacity(OPACITY))
    };
    let place = |height: f64| scales.1.place_or_end(height);
    runs(&line.x, [&line.lower, &line.upper], scales, place).into_iter().map(band).collect()
}

fn strokes(line: &Line, entry: &Entry, scales: (&Scale, &Scale)) -> Vec<Plot> {
    let runs = runs(&line.x, [&line.y], scales, |height| scales.1.place(height));
    let style = dashes(line.stroke).map_or(LineStyle::Solid, |dashes| LineStyle::Custom(dashes.into()));
    let stroke = |run: &Points<1>| {
        let data = run.iter().map(|(x, [y])| (*x, *y));
        let plot = LinePlot::new().with_data(data).with_color(entry.colour).with_stroke_width(STROKE);
        Plot::Line(plot.with_line_style(style.clone()))
    };
    let mut plots: Vec<Plot> = runs.iter().map(stroke).collect();
    // a point without neighbours would not be seen as a line
    let alone = runs.iter().filter(|run| run.len() == 1 && line.marks == Marks::None).flatten();
    let alone = alone.map(|(x, [y])| (*x, *y)).collect();
    let [closed, open] = [false, true].map(|open| marks(line, scales, open));
    for points in [alone, closed] {
        plots.extend(scatter(points, entry, entry.mark, false));
    }
    plots.extend(scatter(open, entry, entry.mark, true));
    plots.extend(scatter(zeros(line, scales), entry, MarkerShape::TriangleDown, true));
    plots.extend(scatter(beyond(line, scales), entry, MarkerShape::Triangle, true));
    plots
}

/// The marked points that are open, or those that are not.
fn marks(line: &Line, (along, up): (&Scale, &Scale), open: bool) -> Vec<(f64, f64)> {
    let is_open = |i: usize| line.open.get(i).copied().unwrap_or(false);
    let points = marked(line).filter(|(i, _, y)| is_open(*i) == open && !up.is_above(*y));
    points.filter_map(|(_, x, y)| Some((along.place(x)?, up.place(y)?))).collect()
}

/// The points that have marks, with their numbers.
fn marked(line: &Line) -> impl Iterator<Item = (usize, f64, f64)> {
    let last = line.x.len().min(line.y.len()).saturating_sub(1);
    let is_marked = move |i: usize| match line.marks {
        Marks::None => false,
        Marks::All => true,
        Marks::Last => i == last,
    };
    let points = line.x.iter().zip(&line.y).enumerate().map(|(i, (x, y))| (i, *x, *y));
    points.filter(move |(i, _, _)| is_marked(*i))
}

/// Where marked points are above the end of the axis: on its upper edge.
fn beyond(line: &Line, (along, up): (&Scale, &Scale)) -> Vec<(f64, f64)> {
    let points = marked(line).filter(|(_, _, y)| up.is_above(*y));
    points.filter_map(|(_, x, _)| Some((along.place(x)?, up.at(1.0 - EDGE)))).collect()
}

/// Where errors are exactly zero on a logarithmic axis: on its lower edge.
fn zeros(line: &Line, (along, up): (&Scale, &Scale)) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (x, _) in line.x.iter().zip(&line.y).filter(|(_, y)| up.is_below(**y)) {
        let far = |x: f64, (last, _): &(f64, f64)| (along.share(x) - along.share(*last)).abs() > EDGE;
        if let Some(x) = along.place(*x).filter(|&x| points.last().is_none_or(|last| far(x, last))) {
            points.push((x, up.at(EDGE)));
        }
    }
    points
}

/// Marks; an open one has a white middle.
fn scatter(points: Vec<(f64, f64)>, entry: &Entry, mark: MarkerShape, open: bool) -> Vec<Plot> {
    let marks = |colour: &str, size: f64| {
        let plot = ScatterPlot::new().with_data(points.clone()).with_color(colour);
        Plot::Scatter(plot.with_size(size).with_marker(mark))
    };
    match (points.is_empty(), open) {
        (true, _) => Vec::new(),
        (false, false) => vec![marks(entry.colour, MARK)],
        (false, true) => vec![marks(entry.colour, MARK), marks(WHITE, INNER * MARK)],
    }
}
