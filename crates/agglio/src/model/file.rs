//! A *model file* is a JSON file whose last line is a checksum of the lines before.

use std::fmt;

use crc::{CRC_64_XZ, Crc};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::by_name::ByName;
use crate::text::suggest::nearest;

/// The value of the field `format` in a model file.
pub(super) const FORMAT: &str = "agglio model";
/// The version that this program writes.
pub(super) const VERSION: u32 = 2;
/// The text before the digits of the checksum.
const LABEL: &str = "\"checksum\": \"crc64:";
const DIGITS: usize = 16;
/// The text after the digits, up to the end of the file.
const END: &str = "\"\n}\n";
const CHECKSUM: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// The fields of every version.
const FIELDS: [&str; 14] = [
    "format",
    "version",
    "activation",
    "target",
    "offset",
    "intercept",
    "coefficients",
    "noise",
    "tau",
    "deviation",
    "loss",
    "status",
    "solver",
    "rows",
];
/// The additional fields of version 2.
const FIELDS_2: [&str; 2] = ["columns", "checksum"];

/// The content of a model file without the checksum, which is added to the text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct File {
    pub format: String,
    pub version: u32,
    pub activation: String,
    pub target: String,
    pub offset: Option<String>,
    /// Number of columns of the table, if they had no names.
    pub columns: Option<usize>,
    pub intercept: f64,
    pub coefficients: ByName,
    pub noise: String,
    pub tau: f64,
    pub deviation: Option<f64>,
    /// None if it overflows.
    pub loss: Option<f64>,
    pub status: String,
    pub solver: String,
    pub rows: usize,
}

impl File {
    /// The text of the file.
    pub fn text(&self) -> String {
        // strings, finite numbers and maps can always be serialised
        let fields = serde_json::to_string_pretty(self).unwrap_or_default();
        let mut text = fields.strip_suffix("\n}").unwrap_or_default().to_owned();
        text.push_str(",\n  ");
        text.push_str(LABEL);
        let digits = digits(text.as_bytes());
        text + &digits + END
    }

    /// Parses the text of a file. The format and the version are checked first, then the checksum, then the content.
    pub fn parse(text: &str) -> Result<File, String> {
        let mut head = Head::default();
        let read = head.deserialize(&mut serde_json::Deserializer::from_str(text));
        let known = head.check(read.as_ref().err())?;
        if known.contains(&"checksum") {
            require_checksum(text.as_bytes())?;
        }
        read.map_err(no_model)?;
        require_fields(&head.fields, &known)?;
        let file: File = serde_json::from_str(text).map_err(no_model)?;
        // an older file is written back in the current version
        Ok(File { version: VERSION, ..file })
    }
}

fn no_model(why: impl fmt::Display) -> String {
    format!("not a model file: {why}")
}

/// The format and version of a file of any version, as far as it could be read, and the names of all its fields.
#[derive(Default)]
struct Head {
    format: Value,
    version: Value,
    fields: Vec<String>,
}

impl Head {
    /// The fields of this version, if the file is a model of a known version. `why` is the error that ended the
    /// reading.
    fn check(&self, why: Option<&serde_json::Error>) -> Result<Vec<&'static str>, String> {
        let or = |what: String| no_model(why.map_or(what, ToString::to_string));
        if self.format != FORMAT {
            return Err(or(format!("it lacks \"format\": \"{FORMAT}\"")));
        }
        match self.version.as_u64() {
            Some(1) => Ok(FIELDS.to_vec()),
            Some(2) => Ok([FIELDS.as_slice(), &FIELDS_2].concat()),
            _ if self.version.as_f64().is_some_and(|version| version > f64::from(VERSION)) => {
                let newer = &self.version;
                Err(format!("written by a newer agglio (format version {newer}); upgrade agglio to read it"))
            }
            _ => Err(or("unknown format version".to_owned())),
        }
    }
}

impl<'de> DeserializeSeed<'de> for &mut Head {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Head {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "format" if self.format.is_null() => self.format = map.next_value()?,
                "version" if self.version.is_null() => self.version = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
            self.fields.push(name);
        }
        Ok(())
    }
}

fn digits(covered: &[u8]) -> String {
    format!("{:0DIGITS$x}", CHECKSUM.checksum(covered))
}

/// Checks the checksum. It compares the digits as text, so that only one spelling is valid.
fn require_checksum(text: &[u8]) -> Result<(), String> {
    let parts = text.strip_suffix(END.as_bytes()).and_then(|text| text.split_last_chunk::<DIGITS>());
    match parts {
        Some((covered, found)) if covered.ends_with(LABEL.as_bytes()) && digits(covered).as_bytes() == found => Ok(()),
        _ => {
            Err("checksum mismatch: the file was changed or is incomplete; fit again, or use an unchanged copy".into())
        }
    }
}

fn require_fields(found: &[String], known: &[&str]) -> Result<(), String> {
    if let Some(unknown) = found.iter().find(|name| !known.contains(&name.as_str())) {
        let meant = nearest(unknown, known).map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default();
        return Err(no_model(format!("unknown field `{unknown}`{meant}")));
    }
    if let Some((_, twice)) = found.iter().enumerate().find(|&(i, name)| found[..i].contains(name)) {
        return Err(no_model(format!("the field `{twice}` occurs twice")));
    }
    match FIELDS.iter().find(|field| !found.iter().any(|name| name == *field)) {
        Some(missing) => Err(no_model(format!("missing field `{missing}`"))),
        None => Ok(()),
    }
}
