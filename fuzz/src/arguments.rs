//! The words of a command line.

use std::ffi::OsString;

/// Checks bytes as the words of a command line, one a line: no words make the program panic, and it says something
/// about those that it refuses.
pub fn arguments(data: &[u8]) {
    let words = data.split(|&byte| byte == b'\n').map(word);
    if let Err(why) = agglio_cli::check(std::iter::once("agglio".into()).chain(words)) {
        assert!(!why.trim().is_empty(), "refused without a word");
    }
}

/// A word need not be text.
#[cfg(unix)]
fn word(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn word(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
