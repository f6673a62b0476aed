//! *Escaping* makes external text, such as a cell or the name of a column, safe for a message: it is shortened, and
//! characters that would move the cursor of a terminal are escaped.

/// Maximum number of bytes of a cell or a name in a message.
pub const LONGEST: usize = 64;

/// Escapes control characters, white space other than a space, and characters without width.
///
/// # Examples
///
/// ```
/// assert_eq!(agglio::text::escape::visible("größe\u{1b}[2J"), "größe\\u{1b}[2J");
/// ```
pub fn visible(text: &str) -> String {
    text.chars().map(|c| if is_hidden(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

fn is_hidden(c: char) -> bool {
    let has_no_width = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_control() || has_no_width || (c.is_whitespace() && c != ' ')
}

/// The first 64 bytes of any text, escaped.
pub(crate) fn short(text: &[u8]) -> String {
    let most = text.len().min(LONGEST);
    // do not cut inside a character, which has at most four bytes
    let begins_letter = |&end: &usize| text.get(end).is_none_or(|byte| byte & 0xC0 != 0x80);
    let end = (most.saturating_sub(3)..=most).rev().find(begins_letter).unwrap_or(most);
    let mut quote = String::new();
    for chunk in text[..end].utf8_chunks() {
        quote.push_str(&visible(chunk.valid()));
        quote.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    if end < text.len() {
        quote.push('…');
    }
    quote
}

/// The start and the end of a message that may quote a whole file.
pub(crate) fn ends(message: &str) -> String {
    const START: usize = 200;
    const END: usize = 80;
    let length = message.chars().count();
    if length <= START + END {
        return message.to_owned();
    }
    let start: String = message.chars().take(START).collect();
    let end: String = message.chars().skip(length - END).collect();
    format!("{start} … {end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_harmless() {
        assert_eq!(short("größe\u{1b}[2J".as_bytes()), "größe\\u{1b}[2J");
        assert_eq!(short(b"\xff\n"), "\\xff\\n");
        assert_eq!(short("a\u{a0}\u{202e}\u{feff}é b".as_bytes()), "a\\u{a0}\\u{202e}\\u{feff}é b");
        let long = short("ö".repeat(100).as_bytes());
        assert_eq!(long, "ö".repeat(32) + "…");
        assert_eq!(short(&[0x80; 100]), "\\x80".repeat(64) + "…");
        let message = ends(&("ä".repeat(500) + "end"));
        assert!(message.starts_with("ää") && message.ends_with("end"), "{message}");
        assert_eq!(message.chars().count(), 283);
    }
}
