//! A table as a file.

use std::path::Path;

use agglio::read::{Csv, Features, Missing, Selection};

/// Most memory that the numbers of a table may take here.
const MEMORY: u64 = 1 << 16;

/// Reads bytes as a table: what is accepted has as many finite numbers as its shape says.
pub fn csv(data: &[u8]) {
    // the first byte is how to read the rest
    let (how, data) = data.split_first().map_or((0, data), |(how, rest)| (*how, rest));
    for selection in selections(how) {
        let table = match dialect(how).read(data, Path::new("table.csv"), &selection) {
            Ok(table) => table,
            Err(why) => {
                assert!(why.to_string().starts_with("table.csv:"), "{why}");
                continue;
            }
        };
        let rows = table.rows;
        assert!(table.dropped == 0 || how & 1 == 1, "{table:?}");
        assert!(rows > 0 && table.values.len() == rows * table.names.len(), "{table:?}");
        assert_eq!(table.labels.len(), if selection.target.is_some() { rows } else { 0 }, "{table:?}");
        for (column, asked) in [(&table.weights, &selection.weights), (&table.offsets, &selection.offset)] {
            assert_eq!(column.as_ref().map(Vec::len), asked.as_ref().map(|_| rows), "{table:?}");
        }
        for category in &table.categories {
            assert!(category.codes.len() == rows && category.levels.is_sorted(), "{table:?}");
            assert!(category.codes.iter().all(|&code| (code as usize) < category.levels.len()), "{table:?}");
        }
        let all = [&table.values, &table.labels].into_iter().chain(&table.weights).chain(&table.offsets);
        assert!(all.flatten().all(|value| value.is_finite()), "{table:?}");
    }
}

fn dialect(how: u8) -> Csv {
    let missing = if how & 1 == 1 { Missing::Drop } else { Missing::Error };
    let delimiter =
        [None, Some(b','), Some(b';'), Some(b'\t'), Some(b'|'), None, None, None][usize::from(how >> 2 & 7)];
    Csv::new().missing(missing).header(how & 2 == 0).delimiter(delimiter).memory(MEMORY)
}

/// Every part that a column can play; the names are short so that they are soon found.
fn selections(how: u8) -> [Selection; 7] {
    let names = if how & 2 == 0 { ["a", "b", "y", "w", "o"] } else { ["1", "2", "3", "4", "5"] };
    let [a, b, y, weights, offset] = names.map(str::to_owned);
    let (target, weights, offset) = (Some(y), Some(weights), Some(offset));
    let in_order = Features::InOrder { names: vec![b.clone(), a.clone()], columns: Some(4) };
    [
        Selection::default(),
        Selection { target: target.clone(), ..Selection::default() },
        Selection {
            target: target.clone(),
            weights: weights.clone(),
            offset: offset.clone(),
            features: Features::Only(vec![a.clone(), b.clone()]),
            ..Selection::default()
        },
        Selection { target: target.clone(), features: Features::Except(vec![a.clone()]), ..Selection::default() },
        Selection {
            target: target.clone(),
            weights,
            offset: offset.map(|offset| format!("sqrt({offset})")),
            features: Features::Only(vec![format!("log({a})"), format!("{a}:{b}^-1")]),
            ..Selection::default()
        },
        Selection { target, features: Features::Only(vec![b]), categories: vec![a], ..Selection::default() },
        Selection { features: in_order, ..Selection::default() },
    ]
}
