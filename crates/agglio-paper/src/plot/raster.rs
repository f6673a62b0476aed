//! A *raster*: the pixels of a picture, with letters of a font that is part of the program.

use std::io;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels for one unit of the SVG, so that the picture is sharp on any screen.
const DENSITY: f32 = 2.0;

/// A PNG of an SVG.
pub fn png(svg: &str) -> io::Result<Vec<u8>> {
    let tree = Tree::from_str(svg, &options()).map_err(io::Error::other)?;
    let size = tree.size();
    let pixels = |length: f32| (length * DENSITY).ceil() as u32;
    let mut pixmap = Pixmap::new(pixels(size.width()), pixels(size.height()))
        .ok_or_else(|| io::Error::other("a picture has no pixels"))?;
    resvg::render(&tree, Transform::from_scale(DENSITY, DENSITY), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(io::Error::other)
}

/// The fonts of the machine are not looked at, so that every machine makes the same picture.
fn options() -> Options<'static> {
    let mut options = Options { font_family: "DejaVu Sans".into(), ..Options::default() };
    options.fontdb_mut().load_font_data(dejavu::sans::regular().to_vec());
    options
}
