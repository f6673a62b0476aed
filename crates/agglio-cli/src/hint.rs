//! A *hint* of the library as a flag of the program.

use agglio::error::Hint;
use agglio::text::escape;
use anyhow::Error;

/// An error with its causes in one line.
pub fn words(why: &Error) -> String {
    let text = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<agglio::Error>() {
        Some(why) => format!("{}{}", why.kind(), why.hint().map(flag).unwrap_or_default()),
        None => cause.to_string(),
    };
    why.chain().map(text).collect::<Vec<_>>().join(": ")
}

/// The end of the sentence that an error is.
fn flag(hint: &Hint) -> String {
    match hint {
        Hint::DropRows => " (for `fit`: --missing drop)".into(),
        Hint::DropColumn(name) if !can_be_typed(name) => String::new(),
        Hint::DropColumn(name) if name.starts_with('-') => format!(" with --drop={name}"),
        Hint::DropColumn(name) => format!(" with --drop {name}"),
        Hint::NameCovariate(name) if !can_be_typed(name) => " with --features".into(),
        Hint::NameCovariate(name) if name.starts_with('-') => format!(", for example with --features={name}"),
        Hint::NameCovariate(name) => format!(", for example with --features {name}"),
        Hint::NoHeader => "; if there is no header, pass --no-header".into(),
        Hint::Delimiter => ", or pass --delimiter".into(),
        Hint::StandardErrors => "; fit it again: `fit` gives the reason in the line `std. errors`".into(),
        other => other.to_string(),
    }
}

/// Whether a shell, and the flag itself, read a name as it stands.
fn can_be_typed(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    name.chars().all(is_plain) && name.len() <= escape::LONGEST
}
