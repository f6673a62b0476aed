//! *Columns* of words and numbers that fit a terminal.

/// Widest line, for the narrowest terminal that people use.
const WIDTH: usize = 80;
/// The first column is never narrower than this.
const NARROWEST: usize = 8;

/// A table with a line below its header. The first column is of words, the others are of numbers. Where it is too wide, columns
/// move closer together, and at last long words are broken into lines.
pub fn columns(header: &[&str], rows: &[Vec<String>]) -> String {
    let len = |text: &str| text.chars().count();
    let cell = |row: &[String], j: usize| row.get(j).map_or(0, |text| len(text));
    let mut widths: Vec<usize> = header
        .iter()
        .enumerate()
        .map(|(j, text)| rows.iter().fold(len(text), |most, row| most.max(cell(row, j))))
        .collect();
    let gaps = header.len().saturating_sub(1);
    let total = |widths: &[usize], gap: usize| widths.iter().sum::<usize>() + gaps * gap;
    let gap = [3, 2].into_iter().find(|gap| total(&widths, *gap) <= WIDTH).unwrap_or(1);
    let over = total(&widths, gap).saturating_sub(WIDTH);
    if let Some(first) = widths.first_mut() {
        *first = first.saturating_sub(over).max(NARROWEST.min(*first));
    }
    let mut text = line(&widths, gap, header.iter().copied());
    text.push('\n');
    text.push_str(&"─".repeat(total(&widths, gap)));
    for row in rows {
        let first: Vec<char> = row.first().map(|name| name.chars().collect()).unwrap_or_default();
        let mut pieces =
            first.chunks(widths.first().copied().unwrap_or(1).max(1)).map(|piece| piece.iter().collect::<String>());
        let beginning = pieces.next().unwrap_or_default();
        text.push('\n');
        text.push_str(&line(
            &widths,
            gap,
            std::iter::once(beginning.as_str()).chain(row.iter().skip(1).map(String::as_str)),
        ));
        for piece in pieces {
            text.push('\n');
            text.push_str(&piece);
        }
    }
    text
}

fn line<'a>(widths: &[usize], gap: usize, cells: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for (j, (cell, &width)) in cells.zip(widths).enumerate() {
        match j {
            0 => text.push_str(&format!("{cell:<width$}")),
            _ => text.push_str(&format!("{}{cell:>width$}", " ".repeat(gap))),
        }
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_a_terminal() {
        for (name, count) in [(3, 2), (30, 6), (300, 6)] {
            let row: Vec<String> =
                std::iter::once("x".repeat(name)).chain((0..count).map(|_| "1.2345678".into())).collect();
            let header: Vec<&str> = (0..=count).map(|_| "title").collect();
            let text = columns(&header, &[row]);
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
            assert_eq!(text.matches('x').count(), name, "{text}");
        }
    }
}
