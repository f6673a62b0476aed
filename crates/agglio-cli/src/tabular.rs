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

/// The text of a table that begins at the left margin, within the width of a terminal: where it is too wide, columns move
/// closer together, and at last cells are broken into lines.
pub fn flush_left(table: &mut Table) -> String {
    let closer = [2, 1, 0].into_iter().map(|gap| {
        set_gap(table, gap);
        table.trim_fmt()
    });
    let fitting = closer.into_iter().find(|text| fits(text));
    fitting.unwrap_or_else(|| {
        set_gap(table, 1);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH).trim_fmt()
    })
}

/// The first of these tables that needs no broken cells, or the last of them.
pub fn first_that_fits(tables: impl IntoIterator<Item = Table>) -> String {
    let mut last = None;
    for mut table in tables {
        set_gap(&mut table, 0);
        let fits = fits(&table.trim_fmt());
        last = Some(flush_left(&mut table));
        if fits {
            break;
        }
    }
    last.unwrap_or_default()
}

/// Blanks between columns, beside the one that is always there.
fn set_gap(table: &mut Table, gap: u16) {
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == last { 0 } else { gap }));
    }
}

fn fits(text: &str) -> bool {
    text.lines().all(|line| line.chars().count() <= usize::from(WIDTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(columns: usize, width: usize) -> Table {
        let mut table = ruled((0..columns).map(|k| right(format!("c{k}"))));
        table.add_row((0..columns).map(|_| right("1".repeat(width))));
        table
    }

    #[test]
    fn tables_fit_a_terminal() {
        for (columns, width) in [(3, 8), (7, 10), (7, 11), (12, 10), (1, 300), (2, 300)] {
            let text = flush_left(&mut numbers(columns, width));
            assert!(fits(&text), "{columns} × {width}:\n{text}");
        }
        let long = pairs(&[("target", "x".repeat(300)), ("verdict", "a word ".repeat(40))]);
        assert!(fits(&long), "{long}");
    }

    #[test]
    fn columns_move_closer_before_cells_are_broken() {
        let lines = |columns: usize, width: usize| flush_left(&mut numbers(columns, width)).lines().count();
        assert_eq!([lines(3, 8), lines(7, 10)], [3, 3]);
        assert!(lines(12, 10) > 3);
        let first = first_that_fits([numbers(12, 10), numbers(7, 10), numbers(2, 2)]);
        assert!(first.contains("c6") && !first.contains("c7"), "{first}");
    }
}
