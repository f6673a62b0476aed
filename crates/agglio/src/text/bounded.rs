//! *Bounded* reading loads a whole text file, such as a model, up to a maximum size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, Result};

/// The maximum size in bytes, which is more than the lines of a million coefficients need.
pub const LARGEST: u64 = 64 << 20;

/// Reads a UTF-8 file of at most [`LARGEST`] bytes. Errors call it by its `kind`, as in `model file`.
///
/// # Errors
/// If the system cannot read the file, the file is larger (no memory is allocated then), or it is not UTF-8.
///
/// # Examples
///
/// ```
/// use agglio::text::bounded;
///
/// assert!(bounded::read("Cargo.toml".as_ref(), "manifest")?.contains("agglio"));
/// assert!(bounded::read("no such file".as_ref(), "manifest").is_err());
/// # Ok::<(), agglio::Error>(())
/// ```
pub fn read(path: &Path, kind: &str) -> Result<String> {
    read_up_to(LARGEST, path, kind)
}

/// As [`read`], with another maximum size in bytes.
///
/// # Errors
/// As [`read`].
pub fn read_up_to(largest: u64, path: &Path, kind: &str) -> Result<String> {
    let bytes = read_bytes(largest, path, kind).map_err(|why| Error::file(path, why))?;
    String::from_utf8(bytes).map_err(|why| {
        let place = why.utf8_error().valid_up_to() + 1;
        Error::file(path, format!("byte {place} is not UTF-8: not a {kind}, or damaged"))
    })
}

fn read_bytes(largest: u64, path: &Path, kind: &str) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_file() {
        require_small(largest, meta.len(), kind)?;
    }
    // devices and pipes have no length, and a file may grow while it is read
    let mut bytes = Vec::new();
    file.take(largest + 1).read_to_end(&mut bytes)?;
    require_small(largest, bytes.len() as u64, kind)?;
    Ok(bytes)
}

fn require_small(largest: u64, length: u64, kind: &str) -> io::Result<()> {
    if length > largest {
        let what = format!("larger than {} MiB: not a {kind}", largest >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(())
}
