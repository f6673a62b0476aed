//! *Tables* for people: columns of words and numbers, without frames.

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// Widest line of a summary, for the narrowest terminal that people use.
const WIDTH: u16 = 80;

/// Names with their values, which are broken into lines where they are long.
pub fn pairs(rows: &[(&str, String)]) -> String {
    let mut table = Table::new();
    table.load_style(TableStyle::new()).set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    table.add_rows(rows.iter().map(|(name, value)| [*name, value.as_str()]));
    flush_left(&mut table) + "\n"
}

/// A table with a line below its header.
pub fn ruled(header: impl IntoIterator<Item = Cell>) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(header.into_iter().collect::<Vec<_>>());
    table
}

/// A cell of words.
pub fn left(text: impl ToString) -> Cell {
    Cell::new(text)
}

/// A cell of a number.
pub fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// The text of a table that begins at the left margin.
pub fn flush_left(table: &mut Table) -> String {
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 2));
    });
    table.trim_fmt()
}
