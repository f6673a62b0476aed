//! The *truth* is a file of known coefficients, to which the distance of a fit is measured.

use std::path::{Path, PathBuf};

use agglio::model::Coefficients;
use anyhow::Result;

use crate::plan::COEFFICIENTS_FILE;
use crate::source;

/// Known coefficients by name.
#[derive(Debug)]
pub struct Truth {
    path: PathBuf,
    coefficients: Coefficients,
}

impl Truth {
    /// Reads the file.
    ///
    /// # Errors
    /// If it cannot be read, or is not a coefficients file.
    pub fn read(path: &Path) -> Result<Truth> {
        let coefficients = Coefficients::from_json(&source::read_text(path, COEFFICIENTS_FILE)?, path)?;
        Ok(Truth { path: path.to_owned(), coefficients })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The coefficients of these covariates.
    ///
    /// # Errors
    /// If the file has coefficients of other covariates.
    pub fn in_order(&self, names: &[String]) -> Result<Vec<f64>> {
        Ok(self.coefficients.in_order(names, &self.path)?)
    }
}

/// `‖w − w*‖`, without the intercept
pub fn distance(w: &[f64], truth: &[f64]) -> f64 {
    w.iter().zip(truth).map(|(w, truth)| (w - truth) * (w - truth)).sum::<f64>().sqrt()
}
