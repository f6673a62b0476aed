//! *Signatures*: the first bytes by which files that are not CSV give themselves away.

/// First bytes, what the file is, and what to do.
const SIGNATURES: [(&[u8], &str); 13] = [
    (b"\x1f\x8b", "compressed (gzip); compressed input is not supported, unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd); compressed input is not supported, unpack it first"),
    (b"BZh", "compressed (bzip2); compressed input is not supported, unpack it first"),
    (b"\xfd7zXZ", "compressed (xz); compressed input is not supported, unpack it first"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet; compressed input is not supported, export it as CSV"),
    (b"\xd0\xcf\x11\xe0", "a spreadsheet; export it as CSV"),
    (b"PAR1", "a Parquet file; only CSV is read so far"),
    (b"ARROW1", "an Arrow file; only CSV is read so far"),
    (b"\x93NUMPY", "a NumPy file; only CSV is read so far"),
    (b"\xff\xfe", "UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text; save it as UTF-8"),
    (b"%PDF", "a PDF file; only CSV is read so far"),
    (b"\x7fELF", "a program; only CSV is read so far"),
];

/// What a file is that begins with these bytes, if that is known not to be CSV.
pub fn recognise(beginning: &[u8]) -> Option<&'static str> {
    SIGNATURES.iter().find(|(bytes, _)| beginning.starts_with(bytes)).map(|(_, what)| *what)
}
