//! *Bounded* reading loads a whole text file, such as a model, up to a maximum size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, Result};

/// The maximum size in bytes, which is more than the lines of a million coefficients need.
pub const LARGEST: u64 = 64 << 20;

/// Reads a UTF-8 file of at most [`LARGEST`] bytes.
///
/// # Errors
/// If the system cannot read the file, the file is larger (no memory is allocated then), or it is not UTF-8.
///
/// # Examples
///
/// ```
/// use agglio::text::bounded;
///
/// assert!(bounded::read("Cargo.toml".as_ref())?.contains("agglio"));
/// assert!(bounded::read("no such file".as_ref()).is_err());
/// # Ok::<(), agglio::Error>(())
/// ```
pub fn read(path: &Path) -> Result<String> {
    let bytes = read_bytes(path).map_err(|why| Error::file(path, why))?;
    String::from_utf8(bytes).map_err(|why| {
        let place = why.utf8_error().valid_up_to() + 1;
        Error::file(path, format!("it is not text: byte {place} is not UTF-8; is it another file, or was it changed?"))
    })
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_file() {
        require_small(meta.len(), "")?;
    }
    // devices and pipes have no length, and a file may grow while it is read
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    require_small(bytes.len() as u64, "at least ")?;
    Ok(bytes)
}

fn require_small(length: u64, at_least: &str) -> io::Result<()> {
    if length > LARGEST {
        let what = format!("it has {at_least}{length} bytes, and no such file has more than {LARGEST}; is it another?");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(())
}
