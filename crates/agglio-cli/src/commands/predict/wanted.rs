//! What is *wanted* of each row: a response, a linear predictor or a covariate, and perhaps its interval.

use agglio::model::{Centre, Inverse, Model, Of, Prediction};
use agglio::read::Table;
use agglio::text::escape::visible;
use anyhow::Result;

use super::overflow_warning;
use crate::args::PredictArgs;

/// The numbers of a row.
pub enum Wanted<'a> {
    Response { model: &'a Model, centre: Centre },
    Interval { model: &'a Model, centre: Centre, of: Of, level: f64 },
    Linear { model: &'a Model },
    LinearInterval { model: &'a Model, level: f64 },
    Covariate(Inverse<'a>),
}

impl<'a> Wanted<'a> {
    /// What flags ask of a model.
    ///
    /// # Errors
    /// If it has no covariance for an interval, or no inverse.
    pub fn new(args: &PredictArgs, model: &'a Model) -> Result<Wanted<'a>> {
        if args.inverse {
            return Ok(Wanted::Covariate(model.inverse(args.interval.unwrap_or(Of::Confidence), args.level())?));
        }
        if args.interval.is_some() {
            model.require_inference()?;
        }
        let (level, centre) = (args.level(), if args.median { Centre::Median } else { Centre::Mean });
        Ok(match (args.linear, args.interval) {
            (false, None) => Wanted::Response { model, centre },
            (false, Some(of)) => Wanted::Interval { model, centre, of, level },
            (true, None) => Wanted::Linear { model },
            (true, Some(_)) => Wanted::LinearInterval { model, level },
        })
    }

    /// The names of the numbers.
    pub fn names(&self) -> Vec<&str> {
        let first = if let Wanted::Covariate(inverse) = self { inverse.column() } else { "prediction" };
        match self {
            Wanted::Response { .. } | Wanted::Linear { .. } => vec![first],
            _ => vec![first, "std_error", "lower", "upper"],
        }
    }

    /// The numbers of the rows of a table, row by row. Those of a row that has none are NaN.
    ///
    /// # Errors
    /// As the model.
    pub fn numbers(&self, table: &Table) -> Result<Vec<f64>> {
        let (values, offsets) = (table.values.as_slice(), table.offsets.as_deref());
        Ok(match self {
            Wanted::Response { model, centre } => model.predict(values, offsets, *centre),
            Wanted::Linear { model } => model.predictors(values, offsets),
            Wanted::Interval { model, centre, of, level } => {
                flat(model.predict_intervals((values, offsets), *centre, *of, *level)?.into_iter().map(Some))
            }
            Wanted::LinearInterval { model, level } => {
                flat(model.linear_intervals((values, offsets), *level)?.into_iter().map(Some))
            }
            Wanted::Covariate(inverse) => flat(inverse.predict(&table.labels, offsets)),
        })
    }

    /// Whether a row may have no numbers, which are empty cells then.
    pub fn has_gaps(&self) -> bool {
        matches!(self, Wanted::Covariate(_))
    }

    /// What must be said about rows whose first number is not finite.
    pub fn warning(&self, not_finite: usize, rows: usize) -> Option<String> {
        match self {
            Wanted::Covariate(inverse) => (not_finite > 0).then(|| {
                let column = visible(inverse.column());
                format!(
                    "{not_finite} of {rows} responses are at or beyond an asymptote of the curve, where no `{column}` has them; \
                     their cells are empty"
                )
            }),
            _ => overflow_warning(not_finite, rows),
        }
    }
}

fn flat(predictions: impl IntoIterator<Item = Option<Prediction>>) -> Vec<f64> {
    let numbers = |own: Prediction| [own.value, own.standard_error, own.interval[0], own.interval[1]];
    predictions.into_iter().flat_map(|own| own.map_or([f64::NAN; 4], numbers)).collect()
}
