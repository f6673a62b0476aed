//! Pictures: well formed, complete, the same every time, and of anything.

use std::collections::HashSet;

use agglio_paper::figure::{Content, Figure, Line, Marks};
use agglio_paper::plot;

use crate::markup::Markup;
use crate::samples;

fn names(figure: &Figure) -> Vec<&str> {
    let lines = figure.panels.iter().filter_map(|panel| match &panel.content {
        Content::Lines(lines) => Some(lines),
        Content::Surface(_) => None,
    });
    let mut names: Vec<&str> = lines.flatten().map(|line| line.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn pictures_are_well_formed_and_name_every_line_once() {
    for figure in samples::all() {
        let svg = plot::svg(&figure);
        let markup = Markup::parse(&svg);
        for name in names(&figure) {
            assert_eq!(svg.matches(&format!(">{}<", escape(name))).count(), 1, "{name} in {}", figure.name);
        }
        let title = figure.title.split_whitespace().next().unwrap_or_default();
        assert!(markup.text.contains(title), "{title}");
        for label in
            figure.panels.iter().filter(|panel| names(&figure) != [""] && has_data(panel)).map(|panel| &panel.x.label)
        {
            assert!(markup.text.contains(label.as_str()), "{label} in {}", figure.name);
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", figure.name);
    }
}

fn has_data(panel: &agglio_paper::figure::Panel) -> bool {
    !matches!(&panel.content, Content::Surface(surface) if surface.z.len() < 2 || surface.y.is_empty())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[test]
fn pictures_can_be_stretched() {
    for figure in samples::all() {
        let (alone, inline) = (plot::svg(&figure), plot::inline(&figure));
        assert!(alone.contains(" viewBox=\"0 0 ") && alone.contains(" width=\""));
        let root = inline.split('>').next().unwrap();
        assert!(root.contains(" viewBox=\"0 0 ") && !root.contains("width=") && !root.contains("height="), "{root}");
        let least: f64 = root.split("viewBox=\"0 0 ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert_eq!(least, plot::width(&figure));
    }
}

#[test]
fn the_same_figure_is_the_same_picture() {
    let [first, second] = [(), ()].map(|()| samples::all());
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(plot::svg(first), plot::svg(second));
        assert_eq!(plot::png(first).unwrap(), plot::png(second).unwrap());
    }
}

#[test]
fn pixels_are_twice_the_picture() {
    for figure in samples::all() {
        let (svg, png) = (plot::svg(&figure), plot::png(&figure).unwrap());
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        let size = |from: usize| f64::from(u32::from_be_bytes(png[from..from + 4].try_into().unwrap()));
        let wide = format!(r#"width="{}" height="{}""#, size(16) / 2.0, size(20) / 2.0);
        assert!(svg.contains(&wide), "{wide} in {}", figure.name);
    }
}

#[test]
fn a_name_has_one_colour_in_all_panels() {
    let svg = plot::svg(&samples::stress());
    // three lines and a sample in the legend, each of three bands in the same colour
    for colour in ["#0072b2", "#882255"] {
        let count = |what: &str| svg.to_lowercase().matches(&format!("{what}=\"{colour}\"")).count();
        assert_eq!((count("stroke"), count("fill")), (4, 3), "{colour}");
    }
}

#[test]
fn twelve_lines_have_twelve_colours() {
    let markup = Markup::parse(&plot::svg(&samples::stress()));
    let bands = markup.elements.iter().filter(|(name, _)| name == "path").flat_map(|(_, attributes)| attributes);
    let fills = bands.filter(|(key, value)| key == "fill" && value.starts_with('#'));
    let colours: HashSet<&str> = fills.map(|(_, value)| value.as_str()).collect();
    assert_eq!(colours.len(), 12, "{colours:?}");
}

/// The places of a polygon's corners are of no interest, but its colour and number are.
fn count(svg: &str, fill: &str) -> usize {
    svg.to_lowercase().matches(&format!("fill=\"{fill}\"")).count()
}

#[test]
fn uncertified_fits_have_open_marks_and_the_legend_says_so() {
    let with = |open: Vec<bool>| {
        let mut figure = samples::alone();
        if let Content::Lines(lines) = &mut figure.panels[0].content {
            let line = Line {
                x: vec![1.0, 2.0, 3.0],
                y: vec![3.0, 2.0, 1.0],
                lower: vec![],
                upper: vec![],
                ..lines[0].clone()
            };
            lines[0] = Line { marks: Marks::All, open, ..line };
        }
        plot::svg(&figure)
    };
    let note = "open marks: half of the fits or more are not certified";
    let (closed, open) = (with(vec![]), with(vec![false, true, true]));
    assert!(!closed.contains(note) && open.contains(note));
    // two marks have a white middle
    assert_eq!(count(&open, "#ffffff"), count(&closed, "#ffffff") + 2);
}

#[test]
fn exact_zeros_are_marked_and_an_axis_ends_where_it_must() {
    let with = |y: Vec<f64>, most: Option<f64>| {
        let mut figure = samples::alone();
        let panel = &mut figure.panels[0];
        panel.y.most = most;
        panel.content = Content::Lines(vec![Line {
            name: "line".into(),
            x: vec![1.0, 2.0, 3.0],
            y,
            marks: Marks::All,
            ..Line::default()
        }]);
        plot::svg(&figure)
    };
    let [zero, above] = ["exactly zero", "on the upper edge"];
    let whole = with(vec![1e-3, 1e-9, 1e-16], None);
    assert!(!whole.contains(zero) && !whole.contains(above));
    assert!(with(vec![1e-3, 0.0, 1e-16], None).contains(zero));
    let cut = with(vec![1e9, 1e-9, 1e-16], Some(1e-3));
    assert!(cut.contains(above) && !cut.contains("10⁹") && cut.contains("10⁻⁶"), "{cut}");
    assert!(with(vec![1e9, 1e-9, 1e-16], None).contains("10⁸") || with(vec![1e9, 1e-9, 1e-16], None).contains("10⁵"));
}

#[test]
fn a_line_may_have_the_colour_of_another() {
    let figure = samples::everything();
    let svg = plot::svg(&figure).to_lowercase();
    let dotted = svg.matches("stroke-dasharray=\"2 3\"").count();
    let blue = svg.split('<').filter(|tag| tag.contains("#0072b2") && tag.contains("2 3")).count();
    assert!(dotted > 0 && dotted == blue, "{dotted} dotted lines, {blue} of them in the colour of GD");
}

#[test]
fn many_points_that_nobody_can_tell_apart_are_drawn_as_few() {
    let mut figure = samples::alone();
    if let Some(Content::Lines(lines)) = figure.panels.first_mut().map(|panel| &mut panel.content) {
        let line = &mut lines[0];
        line.x = (1..=200_000).map(f64::from).collect();
        line.y = line.x.iter().map(|x| 1e-3 * x.sqrt()).collect();
        (line.lower, line.upper) = (line.y.clone(), line.y.clone());
    }
    let length = plot::svg(&figure).len();
    assert!(length < 100_000, "{length} bytes");
}

#[test]
fn any_number_can_be_drawn() {
    let values =
        [0.0, -0.0, 5e-324, 1e-300, 1e-16, 1.0, 1e16, 1e300, f64::MAX, -f64::MAX, -1.0, f64::NAN, f64::INFINITY];
    for first in values {
        for second in values {
            for figure in [samples::of_lines(&[first, second]), samples::of_surface(first, second)] {
                let svg = plot::svg(&figure);
                Markup::parse(&svg);
                assert!(!svg.contains("NaN") && !svg.contains(">inf<"), "{first} {second}: {svg}");
                assert!(svg.len() < 100_000, "{first} {second}: {} bytes", svg.len());
            }
        }
    }
}
