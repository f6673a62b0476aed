//! *Curves*: lines with their bands and marks, as far as their points have a place on the axes.

use kuva::plot::{BandPlot, LinePlot, LineStyle, ScatterPlot};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

use super::key::{DASHES, Entry, Key, MARK};
use super::scale::Scale;
use crate::figure::{Line, Panel};

const STROKE: f64 = 2.0;
const OPACITY: f64 = 0.16;
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
    line.y.iter().chain(&line.low).chain(&line.high).copied()
}

/// Several heights over one place of the horizontal axis.
type Points<const N: usize> = Vec<(f64, [f64; N])>;

/// Runs of neighbouring points that all have a place; a point that has none is a gap and not a bridge.
fn runs<const N: usize>(x: &[f64], heights: [&[f64]; N], (along, up): (&Scale, &Scale)) -> Vec<Points<N>> {
    let mut runs: Vec<Points<N>> = vec![Vec::new()];
    for (i, x) in x.iter().enumerate() {
        let placed = heights.map(|column| column.get(i).and_then(|height| up.place(*height)));
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
    runs(&line.x, [&line.low, &line.high], scales).into_iter().map(band).collect()
}

fn strokes(line: &Line, entry: &Entry, scales: (&Scale, &Scale)) -> Vec<Plot> {
    let runs = runs(&line.x, [&line.y], scales);
    let style = if line.dashed { LineStyle::Custom(DASHES.into()) } else { LineStyle::Solid };
    let stroke = |run: &Points<1>| {
        let plot = LinePlot::new().with_data(points(run)).with_color(entry.colour).with_stroke_width(STROKE);
        Plot::Line(plot.with_line_style(style.clone()))
    };
    let marks = runs.iter().filter(|run| line.marked || run.len() == 1).flat_map(points);
    let marks = ScatterPlot::new().with_data(marks.collect::<Vec<_>>()).with_color(entry.colour).with_size(MARK);
    let mut plots: Vec<Plot> = runs.iter().map(stroke).collect();
    if !marks.data.is_empty() {
        plots.push(Plot::Scatter(marks.with_marker(entry.mark)));
    }
    plots
}

fn points(run: &Points<1>) -> impl Iterator<Item = (f64, f64)> {
    run.iter().map(|(x, [y])| (*x, *y))
}
