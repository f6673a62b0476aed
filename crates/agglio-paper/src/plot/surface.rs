//! A *surface*: heights over a plane, seen from the side.

use kuva::plot::{ColorMap, Surface3DPlot};
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::{Primitive, TextAnchor};

use super::scale::{LARGEST, power_of_ten};
use crate::figure::{Panel, Surface};

/// From where it is seen, in degrees.
const AZIMUTH: f64 = -55.0;
const ELEVATION: f64 = 25.0;
/// Room for the labels around the box.
const LEFT: f64 = 22.0;
const RIGHT: f64 = 46.0;
const ABOVE: f64 = 34.0;
const BELOW: f64 = 22.0;

/// The surface, or nothing where it is not a grid of two by two heights at least.
pub fn plots(panel: &Panel, surface: &Surface) -> (Vec<Plot>, Layout) {
    let layout = Layout::new((0.0, 1.0), (0.0, 1.0)).with_force_margins(LEFT, RIGHT).with_force_margins_y(ABOVE, BELOW);
    if !is_grid(surface) {
        return (Vec::new(), Layout::new((0.0, 1.0), (0.0, 1.0)));
    }
    let exponent = exponent(surface);
    let unit = 10_f64.powi(exponent);
    let label = match exponent {
        0 => surface.label.clone(),
        _ => format!("{} in {}", surface.label, power_of_ten(exponent)),
    };
    let scaled = surface
        .z
        .iter()
        .map(|row| row.iter().map(|z| if is_height(*z) { z / unit } else { f64::NAN }).collect())
        .collect();
    let plot = Surface3DPlot::new(scaled)
        .with_x_coords(surface.x.clone())
        .with_y_coords(surface.y.clone())
        .with_x_label(panel.x.label.as_str())
        .with_y_label(panel.y.label.as_str())
        .with_z_label(label)
        .with_z_colormap(ColorMap::Viridis)
        .with_wireframe_color("#44444480")
        .with_wireframe_width(0.3)
        .with_grid_lines(4)
        .with_azimuth(AZIMUTH)
        .with_elevation(ELEVATION);
    (vec![Plot::Surface3D(plot)], layout)
}

/// Numbers beside the vertical axis are read more easily, and stand in each other's way less, when they do not lie on
/// their sides.
pub fn set_upright(element: &mut Primitive) {
    if let Primitive::Text { content, rotate, anchor, .. } = element
        && rotate.is_some_and(|angle| angle.abs() > 85.0)
        && content.parse::<f64>().is_ok()
    {
        (*rotate, *anchor) = (None, TextAnchor::Start);
    }
}

fn is_grid(surface: &Surface) -> bool {
    let (columns, rows) = (surface.x.len(), surface.y.len());
    let is_whole = surface.z.len() == rows && surface.z.iter().all(|row| row.len() == columns);
    let is_placed = surface.x.iter().chain(&surface.y).all(|place| place.abs() <= LARGEST);
    is_whole && is_placed && rows > 1 && columns > 1 && surface.z.iter().flatten().any(|z| is_height(*z))
}

/// Heights that are greater would overflow when they are compared.
fn is_height(z: f64) -> bool {
    z.abs() <= LARGEST
}

/// The power of ten that makes labels of the heights short; 0 where they are.
fn exponent(surface: &Surface) -> i32 {
    let highest = surface.z.iter().flatten().filter(|z| is_height(**z)).fold(0.0, |most: f64, z| most.max(z.abs()));
    match highest.log10().floor() as i32 {
        -1..=2 => 0,
        _ if highest < 1.0 / LARGEST => 0,
        exponent => exponent,
    }
}
