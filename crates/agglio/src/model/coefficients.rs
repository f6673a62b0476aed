//! *Coefficients* by column name: the starting point of a fit, or the true model of a simulation.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::by_name::ByName;
use crate::error::{Error, Result};
use crate::text::escape;

/// Intercept and coefficients by column name: a true model, or a start.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficients {
    /// The intercept.
    pub intercept: f64,
    /// Coefficients by column name.
    pub coefficients: Vec<(String, f64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CoefficientsFile {
    #[serde(default)]
    intercept: f64,
    coefficients: ByName,
}

impl Coefficients {
    /// The coefficients as JSON.
    pub fn to_json(&self) -> String {
        let file = CoefficientsFile { intercept: self.intercept, coefficients: ByName(self.coefficients.clone()) };
        let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads coefficients from JSON. Errors name `path`.
    ///
    /// # Errors
    /// If the text is not `{"intercept": b, "coefficients": {name: value}}` with finite numbers and distinct names.
    pub fn from_json(text: &str, path: &Path) -> Result<Coefficients> {
        let wrong = |why: serde_json::Error| format!("not a coefficients file: {}", escape::ends(&why.to_string()));
        let file: CoefficientsFile = serde_json::from_str(text).map_err(|why| Error::file(path, wrong(why)))?;
        Ok(Coefficients { intercept: file.intercept, coefficients: file.coefficients.0 })
    }

    /// The coefficients in the order of `names`.
    ///
    /// # Errors
    /// If the names of the coefficients are not exactly `names`.
    pub fn in_order(&self, names: &[String], path: &Path) -> Result<Vec<f64>> {
        let known: HashSet<&String> = names.iter().collect();
        if let Some((extra, _)) = self.coefficients.iter().find(|(name, _)| !known.contains(name)) {
            return Err(Error::file(path, format!("it has a coefficient for `{extra}`, which is not a covariate")));
        }
        let values: HashMap<&String, f64> = self.coefficients.iter().map(|(name, value)| (name, *value)).collect();
        let missing = |name: &String| Error::file(path, format!("it has no coefficient for the covariate `{name}`"));
        names.iter().map(|name| values.get(name).copied().ok_or_else(|| missing(name))).collect()
    }
}
