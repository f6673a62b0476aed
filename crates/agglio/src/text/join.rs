//! A *list* of names in a message: all of them, or the first few and the number of the others.

/// Number of names that are listed.
const SHOWN: usize = 12;

/// The first few names, and the number of the others.
pub(crate) fn first_few(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(SHOWN);
    let shown = names.take(SHOWN).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// As [`first_few`], with `and` before the last.
pub(crate) fn enumerated(names: impl ExactSizeIterator<Item = String>) -> String {
    match names.len() {
        2..=SHOWN => joined(&names.collect::<Vec<_>>(), "and"),
        _ => first_few(names),
    }
}

/// `a`, `b` and `c`, with another word in the place of `and`
pub(crate) fn quoted<'a>(words: impl IntoIterator<Item = &'a str>, and: &str) -> String {
    joined(&words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>(), and)
}

fn joined(words: &[String], and: &str) -> String {
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {and} {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_listed_and_the_rest_counted() {
        let list = |count: usize| first_few((0..count).map(|k| (k + 1).to_string()));
        assert_eq!((quoted(["a"], "or"), quoted(["a", "b", "c"], "or")), ("`a`".into(), "`a`, `b` or `c`".into()));
        assert_eq!(list(2), "1, 2");
        assert_eq!(list(12), "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12");
        assert_eq!(list(100_000), "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 99988 more");
    }
}
