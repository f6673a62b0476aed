//! *Numbers* of figures as files that other programs read: they come back to the same bits.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::claim::{Bound, Claim};
use crate::figure::{Cell, Content, Figure, Line, Panel, Surface, Table};

/// One row for each point that is drawn; where nothing is drawn, one for each cell of the tables.
///
/// Columns: `panel,series,x,median,lower,upper`, with `y` after `x` where there are surfaces and quartiles last; or
/// `table,row,column,value,low,high`.
pub fn csv(figure: &Figure) -> String {
    if figure.panels.is_empty() {
        return tables(&figure.tables);
    }
    let flat = figure.panels.iter().all(|panel| matches!(panel.content, Content::Lines(_)));
    let mut text = String::from(if flat {
        "panel,series,x,median,lower,upper\n"
    } else {
        "panel,series,x,y,median,lower,upper\n"
    });
    for (place, panel) in figure.panels.iter().enumerate() {
        let name = panel_name(panel, place);
        match &panel.content {
            Content::Lines(lines) => lines.iter().for_each(|line| push_line(&mut text, &name, line, flat)),
            Content::Surface(surface) => push_surface(&mut text, &name, surface),
        }
    }
    text
}

fn panel_name(panel: &Panel, place: usize) -> String {
    if panel.title.is_empty() { (place + 1).to_string() } else { panel.title.clone() }
}

fn push_line(text: &mut String, panel: &str, line: &Line, flat: bool) {
    for (i, x) in line.x.iter().enumerate() {
        let columns = [&line.y, &line.lower, &line.upper].map(|column| cell(column.get(i)));
        let y = if flat { None } else { Some(String::new()) };
        let fields = [quoted(panel), quoted(&line.name), shortest(*x)].into_iter().chain(y).chain(columns);
        push_row(text, fields);
    }
}

fn push_surface(text: &mut String, panel: &str, surface: &Surface) {
    for (y, row) in surface.y.iter().zip(&surface.z) {
        for (x, z) in surface.x.iter().zip(row) {
            let place = [quoted(panel), quoted(&surface.label), shortest(*x), shortest(*y)];
            push_row(text, place.into_iter().chain([shortest(*z), String::new(), String::new()]));
        }
    }
}

fn tables(tables: &[Table]) -> String {
    let mut text = String::from("table,row,column,value,low,high\n");
    for table in tables {
        for (place, row) in table.rows.iter().enumerate() {
            for (column, cell) in table.columns.iter().zip(row) {
                let place = [quoted(&table.title), (place + 1).to_string(), quoted(column)];
                push_row(&mut text, place.into_iter().chain(fields(cell)));
            }
        }
    }
    text
}

fn fields(cell: &Cell) -> [String; 3] {
    match cell {
        Cell::Text(text) => [quoted(text), String::new(), String::new()],
        Cell::Number(value) => [shortest(*value), String::new(), String::new()],
        Cell::Range { median, low, high } => [median, low, high].map(|value| shortest(*value)),
    }
}

/// The whole figure as one object, with `verdict`, `held` and `margin` of its claims; a number that is not finite is null.
pub fn json(figure: &Figure) -> String {
    let mut value = serde_json::to_value(figure).unwrap_or_default();
    if let Some(claims) = value.get_mut("claims").and_then(Value::as_array_mut) {
        for (object, claim) in claims.iter_mut().zip(&figure.claims) {
            decide(object, claim);
        }
    }
    format!("{value}\n")
}

fn decide(object: &mut Value, claim: &Claim) {
    if let Some(object) = object.as_object_mut() {
        object.insert("verdict".into(), json!(claim.verdict().word()));
        object.insert("held".into(), json!(claim.held()));
        object.insert("margin".into(), json!(claim.margin()));
    }
}

/// The claims of several figures, a row each: those that failed first.
pub fn claims(figures: &[Figure]) -> String {
    let mut text =
        String::from("verdict,figure,source,statement,measured,value,bound,limit,lower,upper,margin,remark\n");
    for (figure, claim) in sorted(figures) {
        let (bound, limit) = match claim.bound {
            Bound::AtMost(limit) => ("at most", limit),
            Bound::AtLeast(limit) => ("at least", limit),
        };
        let words = [claim.verdict().word(), figure.name, claim.source, &claim.statement, &claim.measured].map(quoted);
        let [lower, upper] = claim.quartiles.map_or([String::new(), String::new()], |ends| ends.map(shortest));
        let numbers = [shortest(claim.value), bound.into(), shortest(limit), lower, upper, shortest(claim.margin())];
        let remark = quoted(claim.remark.as_deref().unwrap_or_default());
        push_row(&mut text, words.into_iter().chain(numbers).chain([remark]));
    }
    text
}

/// The claims of several figures by verdict, those that failed first, else in the order of the figures.
pub fn sorted(figures: &[Figure]) -> Vec<(&Figure, &Claim)> {
    let mut all: Vec<(&Figure, &Claim)> =
        figures.iter().flat_map(|figure| figure.claims.iter().map(move |claim| (figure, claim))).collect();
    all.sort_by_key(|(_, claim)| claim.verdict());
    all
}

fn push_row(text: &mut String, fields: impl Iterator<Item = String>) {
    // writing to a string cannot fail
    let _ = writeln!(text, "{}", fields.collect::<Vec<_>>().join(","));
}

fn cell(value: Option<&f64>) -> String {
    value.map(|value| shortest(*value)).unwrap_or_default()
}

/// The fewest digits that come back to the same bits, as the JSON beside it has them: with the 17 digits of
/// [`agglio::text::format::exact`] the two files would not look alike, and 0.1 would be 0.10000000000000001.
fn shortest(value: f64) -> String {
    format!("{value:?}")
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
