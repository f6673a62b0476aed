//! A *plot* is the picture of a figure: its panels in rows and columns, with one legend for all.
//!
//! This module alone names the crate that draws.

mod curves;
mod key;
mod raster;
mod scale;
mod surface;

use std::io;

use kuva::backend::svg::SvgBackend;
use kuva::render::layout::{AxisLabelOverlap, Layout};
use kuva::render::plots::Plot;
use kuva::render::render::{Primitive, Scene, TextAnchor, render_multiple};

use crate::figure::{Content, Figure, Panel};
use key::Key;

/// Width and height of a single panel, of one of several panels, and of a surface.
const ALONE: (f64, f64) = (760.0, 460.0);
const BESIDE: (f64, f64) = (460.0, 380.0);
const SURFACE: (f64, f64) = (370.0, 360.0);
/// Space around and between panels.
const GAP: f64 = 12.0;
/// Sizes of letters, and the width of one that is wider than most.
const TITLE: u32 = 18;
const PANEL_TITLE: u32 = 14;
const LABEL: u32 = 13;
const TICK: u32 = 12;
const LETTER: f64 = 0.6;
/// The font by which texts were measured, then fonts that nearly every machine has.
const FONTS: &str = "DejaVu Sans, Verdana, Liberation Sans, Arial, sans-serif";

/// The picture as a separate file, with its title.
pub fn svg(figure: &Figure) -> String {
    let scene = scene(figure, true);
    let size = format!(r#" width="{}" height="{}""#, scene.width, scene.height);
    markup(&scene, figure, &size)
}

/// The picture as a part of a page, which says how wide it is and what it is called.
pub fn inline(figure: &Figure) -> String {
    markup(&scene(figure, false), figure, "")
}

/// The picture's natural width when it is part of a page.
pub fn width(figure: &Figure) -> f64 {
    Grid::new(figure).width()
}

/// The picture in pixels, two for each of the SVG, as a file of its own.
///
/// # Errors
/// If it cannot be encoded.
pub fn png(figure: &Figure) -> io::Result<Vec<u8>> {
    raster::png(&svg(figure)).map_err(|why| io::Error::other(format!("the picture of {}: {why}", figure.name)))
}

/// The SVG of a scene: one that can be stretched, is described to those who cannot see it, and shares no name with any
/// other figure of the same page.
fn markup(scene: &Scene, figure: &Figure, size: &str) -> String {
    let drawn = SvgBackend::new().render_scene(scene);
    // one weight of letters is enough, and the font that measures them has no other
    let body = drawn.split_once('>').map_or("", |(_, body)| body).replace(r#" font-weight="bold""#, "");
    let title = format!("<title>{}</title>", escape(&figure.title));
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}"{size} font-family="{FONTS}" fill="black" role="img">{title}{}"#,
        scene.width,
        scene.height,
        own_names(&body, figure.name),
    )
}

/// What is clipped is named by a counter of the whole process; here by the figure and its own count.
fn own_names(body: &str, name: &str) -> String {
    const PREFIX: &str = "kuva-clip-";
    let mut seen: Vec<&str> = Vec::new();
    let mut parts = body.split(PREFIX);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (id, rest) = part.split_at(digits);
        let place = seen.iter().position(|other| *other == id).unwrap_or_else(|| {
            seen.push(id);
            seen.len() - 1
        });
        text += &format!("{name}-clip-{place}{rest}");
    }
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Where panels go.
struct Grid {
    columns: usize,
    rows: usize,
    cell: (f64, f64),
}

impl Grid {
    fn new(figure: &Figure) -> Grid {
        let count = figure.panels.len().max(1);
        let columns = figure.columns.clamp(1, count);
        let surfaces = figure.panels.iter().any(|panel| matches!(panel.content, Content::Surface(_)));
        let cell = match count {
            _ if surfaces => SURFACE,
            1 => ALONE,
            _ => BESIDE,
        };
        Grid { columns, rows: count.div_ceil(columns), cell }
    }

    fn width(&self) -> f64 {
        self.columns as f64 * (self.cell.0 + GAP) + GAP
    }

    fn height(&self) -> f64 {
        self.rows as f64 * (self.cell.1 + GAP)
    }

    /// The upper left corner of a panel, below what is above the grid.
    fn corner(&self, place: usize, above: f64) -> (f64, f64) {
        let (row, column) = (place / self.columns, place % self.columns);
        (GAP + column as f64 * (self.cell.0 + GAP), above + row as f64 * (self.cell.1 + GAP))
    }
}

fn scene(figure: &Figure, titled: bool) -> Scene {
    let (grid, key) = (Grid::new(figure), Key::new(figure));
    let lines = if titled { wrap(&figure.title, grid.width() - 2.0 * GAP, TITLE) } else { Vec::new() };
    let above = GAP + lines.len() as f64 * f64::from(TITLE) * 1.4;
    let below = above + grid.height();
    let mut scene = Scene::new(grid.width(), (below + key.height(grid.width()) + GAP).ceil());
    for (i, line) in lines.iter().enumerate() {
        let y = GAP + (i as f64 * 1.4 + 1.0) * f64::from(TITLE);
        scene.add(text(grid.width() / 2.0, y, line, TITLE, TextAnchor::Middle));
    }
    for (place, panel) in figure.panels.iter().enumerate() {
        add(&mut scene, draw(panel, &key, grid.cell), grid.corner(place, above));
    }
    key.draw(&mut scene, below);
    scene
}

/// Puts a scene into another.
fn add(scene: &mut Scene, part: Scene, (x, y): (f64, f64)) {
    scene.defs.extend(part.defs);
    scene.add(Primitive::GroupStart { transform: Some(format!("translate({x},{y})")), title: None, extra_attrs: None });
    part.elements.into_iter().for_each(|element| scene.add(element));
    scene.add(Primitive::GroupEnd);
}

fn draw(panel: &Panel, key: &Key, cell: (f64, f64)) -> Scene {
    let (plots, layout) = match &panel.content {
        Content::Lines(lines) => curves::plots(panel, lines, key),
        Content::Surface(surface) => surface::plots(panel, surface),
    };
    // nothing at all to draw is drawn as empty axes
    let plots = if plots.is_empty() { vec![Plot::Line(kuva::plot::LinePlot::new())] } else { plots };
    let mut scene = render_multiple(plots, dress(layout, panel, cell));
    if matches!(panel.content, Content::Surface(_)) {
        scene.elements.iter_mut().for_each(surface::set_upright);
    }
    scene
}

/// What all panels have in common.
fn dress(layout: Layout, panel: &Panel, (width, height): (f64, f64)) -> Layout {
    let layout = match panel.title.is_empty() {
        true => layout,
        false => layout.with_title(panel.title.as_str()).with_title_wrap(letters(width - 2.0 * GAP, PANEL_TITLE)),
    };
    layout
        .with_width(width)
        .with_height(height)
        .with_title_size(PANEL_TITLE)
        .with_label_size(LABEL)
        .with_tick_size(TICK)
        .with_body_size(TICK)
        .with_x_label_wrap(letters(width - 100.0, LABEL))
        .with_y_label_wrap(letters(height - 120.0, LABEL))
        .with_x_label_overlap(AxisLabelOverlap::Thin)
}

fn text(x: f64, y: f64, content: &str, size: u32, anchor: TextAnchor) -> Primitive {
    Primitive::Text { x, y, content: content.to_owned(), size, anchor, rotate: None, bold: false, color: None }
}

/// Letters that fit into a width, rather too few than too many.
fn letters(width: f64, size: u32) -> usize {
    (width / (f64::from(size) * LETTER)).max(1.0) as usize
}

/// Words in lines that are no longer than a width; what an equals sign joins stays together.
fn wrap(text: &str, width: f64, size: u32) -> Vec<String> {
    const JOINED: &str = "\u{1}=\u{1}";
    let most = letters(width, size);
    let mut lines: Vec<String> = Vec::new();
    for word in text.replace(" = ", JOINED).split_whitespace().map(|word| word.replace(JOINED, " = ")) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < most => *line += &format!(" {word}"),
            _ => lines.push(word),
        }
    }
    lines
}
