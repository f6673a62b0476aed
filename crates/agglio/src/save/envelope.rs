//! An *envelope* is the outer form of a file that agglio reads back: JSON that begins with a format and a version, and
//! whose last line is a checksum of the lines before.

use std::fmt;

use crc::{CRC_64_XZ, Crc};
use serde::de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserializer, Serialize};
use serde_json::Value;

use crate::text::suggest::nearest;

/// The value of the field `format` in a model file.
pub(crate) const MODEL: &str = "agglio model";
/// The value of the field `format` in a checkpoint.
pub(crate) const CHECKPOINT: &str = "agglio checkpoint";

/// The text before the digits of the checksum.
const LABEL: &str = "\"checksum\": \"crc64:";
const DIGITS: usize = 16;
/// The text after the digits, up to the end of the file.
const END: &str = "\"\n}\n";

/// A kind of file.
pub(crate) struct Envelope {
    /// The value of the field `format`.
    pub format: &'static str,
    /// The word for such a file in messages, as in `model file`.
    pub kind: &'static str,
    /// The version that this program writes.
    pub version: u32,
    /// The fields of a version; none for a version that does not exist.
    pub fields: fn(u64) -> Option<Fields>,
}

/// The fields of a version, with `format` and `version`. Files of a version with the field `checksum` are checked.
pub(crate) struct Fields {
    pub required: &'static [&'static str],
    pub optional: &'static [&'static str],
}

impl Envelope {
    /// The text of a file with this content, a struct of the other fields.
    ///
    /// # Errors
    /// If the content cannot be serialised.
    pub fn seal(&self, content: &impl Serialize) -> serde_json::Result<String> {
        let fields = serde_json::to_string_pretty(content)?;
        let fields = fields.strip_prefix('{').and_then(|fields| fields.strip_suffix("\n}")).unwrap_or_default();
        let Envelope { format, version, .. } = self;
        let text = format!("{{\n  \"format\": \"{format}\",\n  \"version\": {version},{fields},\n  {LABEL}");
        let digits = digits(text.as_bytes());
        Ok(text + &digits + END)
    }

    /// The content of a file. The format and the version are checked first, then the checksum, then the content.
    ///
    /// # Errors
    /// In words that follow the name of the file.
    pub fn open<T: DeserializeOwned>(&self, text: &str) -> Result<T, String> {
        let mut head = Head::default();
        let read = head.deserialize(&mut serde_json::Deserializer::from_str(text));
        let Fields { required, optional } = self.check(&head, read.as_ref().err())?;
        if [required, optional].concat().contains(&"checksum") {
            require_checksum(text.as_bytes())?;
        }
        read.map_err(|why| self.refuse(why))?;
        self.require_fields(&head.fields, required, optional)?;
        serde_json::from_str(text).map_err(|why| self.refuse(why))
    }

    fn refuse(&self, why: impl fmt::Display) -> String {
        format!("not a {}: {why}", self.kind)
    }

    /// The fields of this version, if the file is of this kind and of a known version. `why` is the error that ended the
    /// reading.
    fn check(&self, head: &Head, why: Option<&serde_json::Error>) -> Result<Fields, String> {
        let or = |what: String| self.refuse(why.map_or(what, ToString::to_string));
        if head.format != self.format {
            return Err(match [MODEL, CHECKPOINT].into_iter().find(|other| head.format == **other) {
                Some(other) => self.refuse(format!("it is an {other}")),
                None => or(format!("it lacks \"format\": \"{}\"", self.format)),
            });
        }
        let version = &head.version;
        match version.as_u64().and_then(self.fields) {
            Some(fields) => Ok(fields),
            None if version.as_f64().is_some_and(|version| version > f64::from(self.version)) => {
                Err(format!("written by a newer agglio (format version {version}); upgrade agglio to read it"))
            }
            None => Err(or("unknown format version".to_owned())),
        }
    }

    fn require_fields(&self, found: &[String], required: &[&str], optional: &[&str]) -> Result<(), String> {
        let known = [required, optional].concat();
        if let Some(unknown) = found.iter().find(|name| !known.contains(&name.as_str())) {
            let meant = nearest(unknown, &known).map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default();
            return Err(self.refuse(format!("unknown field `{unknown}`{meant}")));
        }
        if let Some((_, twice)) = found.iter().enumerate().find(|&(i, name)| found[..i].contains(name)) {
            return Err(self.refuse(format!("the field `{twice}` occurs twice")));
        }
        match required.iter().find(|field| !found.iter().any(|name| name == *field)) {
            Some(missing) => Err(self.refuse(format!("missing field `{missing}`"))),
            None => Ok(()),
        }
    }
}

/// The format and version of a file of any kind, as far as it could be read, and the names of all its fields.
#[derive(Default)]
struct Head {
    format: Value,
    version: Value,
    fields: Vec<String>,
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

/// The CRC-64 of some bytes as sixteen digits.
pub(crate) fn digits(covered: &[u8]) -> String {
    format!("{:0DIGITS$x}", checksum(covered))
}

/// The CRC-64 of some bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    const CHECKSUM: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);
    CHECKSUM.checksum(bytes)
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
