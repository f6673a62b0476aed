//! `theory`: the promises of the paper for a setting, and whether they hold on data.

mod data;
mod promise;

use std::process::ExitCode;
use std::sync::Arc;

use agglio::activation::{Activation, named};
use agglio::simulate::LabelNoise;
use agglio::theory::Setting;
use anyhow::{Result, bail};
use serde::Serialize;

use crate::args::{Format, TheoryArgs};
use crate::{output, print};
use data::Checked;
use promise::Promise;

/// The object of `theory --format json`. λ, Λ and η are those of the paper's L_τ.
#[derive(Debug, Serialize)]
struct Theory {
    activation: String,
    radius: f64,
    noise: String,
    rows: Option<usize>,
    features: Option<usize>,
    /// None for an activation without constants.
    promise: Option<Promise>,
    check: Option<Checked>,
    version: &'static str,
}

pub fn run(args: &TheoryArgs) -> Result<ExitCode> {
    let asked = Asked::new(args)?;
    let checked = args.check.as_deref().zip(args.target.as_deref());
    let checked = checked.map(|(file, target)| data::check(&asked, file, target)).transpose()?;
    let (rows, features) = match &checked {
        Some(checked) => (Some(checked.rows), Some(checked.features)),
        None => (args.rows, args.features),
    };
    let setting = asked.setting(rows, features)?;
    let theory = Theory {
        activation: asked.activation.name(),
        radius: args.radius,
        noise: args.noise.clone(),
        promise: setting.map(|setting| Promise::new(&setting, rows, features)),
        rows,
        features,
        check: checked,
        version: env!("CARGO_PKG_VERSION"),
    };
    output::print(&match args.format {
        Format::Table => theory.table(),
        Format::Json => print::pretty(&theory)?,
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Checks the flags.
///
/// # Errors
/// For bad usage.
pub fn check(args: &TheoryArgs) -> Result<()> {
    let asked = Asked::new(args)?;
    match args.check {
        // the rest needs the size of the data
        Some(_) => Ok(()),
        None => asked.setting(args.rows, args.features).map(drop),
    }
}

/// The flags with their names looked up.
struct Asked<'a> {
    args: &'a TheoryArgs,
    activation: Arc<dyn Activation>,
    noise: LabelNoise,
}

impl Asked<'_> {
    fn new(args: &TheoryArgs) -> Result<Asked<'_>> {
        let asked = Asked { args, activation: named(&args.activation)?, noise: args.noise.parse()? };
        if !asked.is_covered() && args.check.is_none() {
            bail!(
                "the theory has constants only for sigmoid, softplus and leaky-softplus, not for `{}`; pass --check DATA \
                 --target Y to measure eigenvalues on data",
                args.activation
            );
        }
        if !(args.radius > 0.0 && args.radius.is_finite()) {
            bail!("radius is {}; it must be finite and above 0", args.radius);
        }
        Ok(asked)
    }

    fn is_covered(&self) -> bool {
        self.activation.envelope().is_some()
    }

    /// The setting for as many rows and features as are known; none for an activation without constants.
    fn setting(&self, rows: Option<usize>, features: Option<usize>) -> Result<Option<Setting>> {
        if !self.is_covered() {
            return Ok(None);
        }
        let setting = Setting::new(self.activation.as_ref(), self.args.radius, self.noise, features)?;
        Ok(Some(match rows.zip(features) {
            Some((rows, features)) => setting.on_sample(rows, features)?,
            None => setting,
        }))
    }
}

impl Theory {
    fn table(&self) -> String {
        let promise = self.promise.as_ref().map(|promise| promise.table(self));
        let check = self.check.as_ref().map(Checked::table);
        promise.into_iter().chain(check).collect::<Vec<_>>().join("\n")
    }
}
