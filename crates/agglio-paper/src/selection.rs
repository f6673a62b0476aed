//! A *selection* is what somebody asks for: names of figures, groups of them, or all.

use agglio::text::suggest::nearest;

use crate::catalogue::Entry;

/// The word for everything.
const ALL: &str = "all";

/// The entries that the words name, in the order of the catalogue and each once; no word is `all`. A word such as
/// `fig2` means `fig2a`, `fig2b` and so on.
///
/// # Errors
/// If a word names nothing, with the nearest name and all that there are.
pub fn select<'a>(entries: &'a [Entry], words: &[String]) -> Result<Vec<&'a Entry>, String> {
    if let Some(unknown) = words.iter().find(|word| !entries.iter().any(|entry| is_meant(entry.name, word))) {
        return Err(refusal(entries, unknown));
    }
    let chosen = |entry: &&Entry| words.is_empty() || words.iter().any(|word| is_meant(entry.name, word));
    Ok(entries.iter().filter(chosen).collect())
}

fn is_meant(name: &str, word: &str) -> bool {
    let is_member = |rest: &str| rest.len() <= 1 && rest.chars().all(|c| c.is_ascii_lowercase());
    word == ALL || name.strip_prefix(word).is_some_and(is_member)
}

fn refusal(entries: &[Entry], word: &str) -> String {
    let names: Vec<&str> = entries.iter().map(|entry| entry.name).chain([ALL]).collect();
    let meant = nearest(word, &names).map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default();
    format!("there is no figure `{}`{meant}; there are {}", agglio::text::escape::visible(word), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Figure;

    const ENTRIES: &[Entry] = &[entry("fig1"), entry("fig2a"), entry("fig2b"), entry("fig7b"), entry("table1")];

    const fn entry(name: &'static str) -> Entry {
        Entry { name, draw: |_, _| Ok(Figure { ..Figure::default() }) }
    }

    fn names(words: &[&str]) -> Result<Vec<&'static str>, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Ok(select(ENTRIES, &words)?.iter().map(|entry| entry.name).collect())
    }

    #[test]
    fn words_name_figures_groups_and_everything() {
        let everything = ["fig1", "fig2a", "fig2b", "fig7b", "table1"];
        assert_eq!(names(&[]).as_deref(), Ok(everything.as_slice()));
        assert_eq!(names(&["all"]).as_deref(), Ok(everything.as_slice()));
        assert_eq!(names(&["fig2"]).as_deref(), Ok(["fig2a", "fig2b"].as_slice()));
        assert_eq!(names(&["table1", "fig2b", "fig2b"]).as_deref(), Ok(["fig2b", "table1"].as_slice()));
    }

    #[test]
    fn a_word_that_names_nothing_is_refused_with_the_nearest() {
        let why = names(&["fig2c"]).err().unwrap_or_default();
        assert!(
            why.contains("`fig2c`") && why.contains("did you mean `fig2a`?") && why.contains("table1, all"),
            "{why}"
        );
        assert!(names(&["fig"]).is_err() && names(&[""]).is_err() && names(&["FIG1"]).is_err());
    }
}
