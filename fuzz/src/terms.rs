//! A formula over named columns.

use agglio::table::{Features, Formula, Item, Selection, Table};

/// The numbers of every column: some that terms cannot take, too.
const COLUMNS: [[f64; 3]; 4] = [[1.0, 2.5, 1e3], [0.0, 1.0, 7.0], [-1.0, 0.5, 2.0], [1e-3, 1e300, 4.0]];

/// Reads the first line as a formula, as an item and as a selection over columns with the names of the other lines: what is
/// read has a text that is read back, and what is computed has as many numbers as its shape says.
pub fn terms(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default();
    let columns: Vec<(&str, &[f64])> = lines.take(16).zip(COLUMNS.iter().cycle().map(|c| c.as_slice())).collect();
    if let Ok(item) = Item::parse(first) {
        assert_eq!(Item::parse(&item.to_string()).ok().as_ref(), Some(&item), "{item}");
    }
    for features in [Features::Only(vec![first.to_owned()]), Features::Exactly(vec![first.to_owned()])] {
        let selection = Selection { features, ..Selection::default() };
        check(selection.table(&columns));
    }
    if let Ok(formula) = Formula::parse(first) {
        assert_eq!(Formula::parse(&formula.to_string()).ok().as_ref(), Some(&formula), "{formula}");
        let (table, again) = (formula.table(&columns), Formula::parse(&formula.to_string()));
        assert_eq!(table.as_ref().ok(), again.and_then(|formula| formula.table(&columns)).as_ref().ok());
        check(table);
    }
}

fn check(table: agglio::Result<Table>) {
    match table {
        Ok(table) => {
            assert_eq!(table.values.len(), table.rows * table.names.len(), "{table:?}");
            let infinite = table.values.iter().filter(|value| !value.is_finite()).count();
            assert_eq!(infinite, table.at_limit, "{table:?}");
        }
        Err(why) => assert!(!why.to_string().trim().is_empty(), "refused without a word"),
    }
}
