//! The *text* of a spec: an object with a string or a number for each option that is given.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Spec;

/// A value in a file.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Typed {
    Whole(u64),
    Number(f64),
    Flag(bool),
    Text(String),
}

impl From<String> for Typed {
    fn from(text: String) -> Typed {
        // or a name that looks like a number would come back as another text
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && number.to_string() == text);
        match (text.parse::<u64>().ok().filter(|whole| whole.to_string() == text), number, text.parse()) {
            (Some(whole), _, _) => Typed::Whole(whole),
            (_, Some(number), _) => Typed::Number(number),
            (_, _, Ok(flag)) => Typed::Flag(flag),
            _ => Typed::Text(text),
        }
    }
}

impl From<Typed> for String {
    fn from(typed: Typed) -> String {
        match typed {
            Typed::Whole(whole) => whole.to_string(),
            Typed::Number(number) => number.to_string(),
            Typed::Flag(flag) => flag.to_string(),
            Typed::Text(text) => text,
        }
    }
}

impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.given().map(|(key, value)| (key.name, Typed::from(value))))
    }
}

impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Spec, D::Error> {
        let mut spec = Spec::default();
        for (key, value) in BTreeMap::<String, Typed>::deserialize(deserializer)? {
            spec.set(&key, &String::from(value)).map_err(D::Error::custom)?;
        }
        Ok(spec)
    }
}
