//! `effects`: a model and a table in, average marginal effects out.

use std::process::ExitCode;

use agglio::inference::{Estimate, Interval, Line, Summary, estimates_table};
use agglio::model::Model;
use agglio::read::Selection;
use agglio::text::escape::visible;
use anyhow::Result;
use serde_json::{Map, Value, json};

use super::{columns_of, read_model};
use crate::args::{EffectsArgs, FitFormat};
use crate::print::{self, pretty};
use crate::source::Source;
use crate::tabular::pairs;
use crate::{broom, interrupt, output};

/// The effects of a model, with everything that is printed about them.
struct Effects<'a> {
    model: &'a Model,
    summary: &'a Summary,
    names: Vec<String>,
    estimates: Vec<Estimate>,
    level: f64,
    rows: usize,
    weights: Option<&'a str>,
}

pub fn run(args: &EffectsArgs) -> Result<ExitCode> {
    let source = Source::new(&args.data, args.csv)?;
    let model = read_model(&args.model)?;
    let mut effects = model.marginal_effects()?;
    let summary = model.require_inference()?;
    let selection = Selection { weights: args.weights.clone(), ..columns_of(&model, args.csv)? };
    source.read_with(&selection, args.quiet, |pieces| {
        let mut table = pieces.table();
        while pieces.append_to(&mut table)? {
            interrupt::check()?;
            effects.add((&table.values, table.offsets.as_deref()), table.weights.as_deref());
            table.clear();
        }
        Ok(())
    })?;
    let (overflown, rows, names) = (effects.overflown(), effects.rows(), model.names());
    let warning = (overflown > 0).then(|| format!("{overflown} of {rows} slopes are infinite or NaN (overflow)"));
    print::warnings(warning.as_slice(), args.quiet);
    let (estimates, weights) = (effects.estimates()?, args.weights.as_deref());
    let effects = Effects { model: &model, summary, names, estimates, level: args.level, rows, weights };
    output::print(&match args.format {
        FitFormat::Json => effects.json()?,
        FitFormat::Tidy { json } => broom::estimates(&effects.lines()?).text(json)?,
        _ => effects.table()?,
    })?;
    Ok(ExitCode::SUCCESS)
}

impl Effects<'_> {
    fn lines(&self) -> Result<Vec<Line<'_>>> {
        let ends = |own: Option<Interval>| own.map(|own| [own.lower, own.upper]).unwrap_or_default();
        let line = |(name, estimate): (_, &Estimate)| {
            Ok(Line { name, estimate: *estimate, interval: ends(estimate.interval(self.level)?) })
        };
        self.names.iter().map(String::as_str).zip(&self.estimates).map(line).collect()
    }

    fn table(&self) -> Result<String> {
        let weights = self.weights.map_or(String::new(), |weights| format!(", weighted by `{}`", visible(weights)));
        let target = visible(self.model.target());
        let lines = pairs(&[
            ("effect", format!("change of `{target}` for each unit of the covariate, mean over the rows{weights}")),
            ("rows", self.rows.to_string()),
            ("std. errors", self.summary.kind_in_words()),
        ]);
        Ok(format!("{}\n\n{lines}", estimates_table(["column", "effect"], &self.lines()?, self.level)))
    }

    fn json(&self) -> Result<String> {
        let effect = |Line { name, estimate, interval }: Line<'_>| {
            let object = json!({
                "effect": estimate.value,
                "standard_error": estimate.standard_error,
                "t": estimate.t(),
                "p_value": estimate.p_value(),
                "interval": interval,
            });
            (name.to_owned(), object)
        };
        let effects: Map<String, Value> = self.lines()?.into_iter().map(effect).collect();
        pretty(&json!({
            "effects": effects,
            "target": self.model.target(),
            "se": self.summary.se.name(),
            "df": self.summary.df,
            "interval_level": self.level,
            "weights": self.weights,
            "rows": self.rows,
            "version": env!("CARGO_PKG_VERSION"),
        }))
    }
}
