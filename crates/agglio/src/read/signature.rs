//! A *signature* is the sequence of first bytes by which a file that is not CSV can be recognised.

/// The first bytes, the kind of file, and what to do.
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

/// Describes a file that begins with the signature of another format than CSV.
pub fn recognise(beginning: &[u8]) -> Option<&'static str> {
    SIGNATURES.iter().find(|(bytes, _)| beginning.starts_with(bytes)).map(|(_, what)| *what)
}
