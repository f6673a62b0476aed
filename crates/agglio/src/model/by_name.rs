//! *Coefficients* by name, in the order of the file.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Pairs of name and number. In JSON they are an object without duplicate names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ByName(pub Vec<(String, f64)>);

impl Serialize for ByName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for ByName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByName, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = ByName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("coefficients by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByName, A::Error> {
        let mut entries = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value();
            let value: f64 = value.map_err(|why| A::Error::custom(format!("the coefficient of `{name}`: {why}")))?;
            entries.push((name, value));
        }
        let coefficients = ByName(entries);
        coefficients.check().map_err(A::Error::custom)?;
        Ok(coefficients)
    }
}

impl ByName {
    /// Pairs each name with the number at the same position.
    pub fn new(names: &[String], values: &[f64]) -> Result<ByName, String> {
        if names.len() != values.len() {
            return Err(format!("there are {} names for {} coefficients", names.len(), values.len()));
        }
        let coefficients = ByName(names.iter().cloned().zip(values.iter().copied()).collect());
        coefficients.check()?;
        Ok(coefficients)
    }

    fn check(&self) -> Result<(), String> {
        let mut seen = HashSet::new();
        if let Some((name, _)) = self.0.iter().find(|(name, _)| !seen.insert(name)) {
            return Err(format!("there are two coefficients of `{name}`"));
        }
        match self.0.iter().find(|(_, value)| !value.is_finite()) {
            Some((name, _)) => Err(format!("the coefficient of `{name}` is not finite")),
            None => Ok(()),
        }
    }

    /// The numbers.
    pub fn values(&self) -> Vec<f64> {
        self.0.iter().map(|(_, value)| *value).collect()
    }
}
