//! The flags of a fit of *groups*.

use agglio::Curve;
use agglio::spec::Prove;
use agglio::text::escape::visible;
use anyhow::{Result, bail};
use clap::Args;

use super::FitArgs;
use super::shared::{Names, name, names};

/// Parameters of every curve, by the names that they have without one.
const COMMON: [&str; 6] = ["slope", "intercept", "lower", "upper", "offset", "scale"];

/// How the rows are divided into groups.
#[derive(Clone, Debug, Default, Args)]
pub struct GroupArgs {
    /// Fit each group of rows that have the same value in this column, with the same options, and print one CSV table with a
    /// row for each group
    #[arg(long, value_name = "COL", value_parser = name, help_heading = "Model")]
    pub by: Option<String>,
    /// With --by: parameters that all groups share, while the others are each group's own. Names: a covariate; slope (if there is
    /// one covariate); intercept; lower, upper, offset or scale if it is free; with --curve also the curve's parameters. Adds
    /// the F test against separate curves and, for parallel curves over log(x), relative potencies
    #[arg(long, value_name = "NAME,…", value_parser = names, help_heading = "Model")]
    pub share: Vec<Names>,
}

impl GroupArgs {
    /// The parameters that groups share, as the library calls them.
    ///
    /// # Errors
    /// If a parameter of the curve is not one that can be shared.
    pub fn shared(&self, curve: Option<Curve>) -> Result<Vec<String>> {
        let names = self.share.iter().flat_map(|names| &names.0);
        names.map(|name| curve.map_or_else(|| Ok(name.clone()), |curve| of_curve(curve, name))).collect()
    }
}

/// The library's name of a parameter of a curve, which may already be one.
fn of_curve(curve: Curve, name: &str) -> Result<String> {
    let own: Vec<&str> = curve.parameters().filter(|name| curve.shared_name(name).is_some()).collect();
    match curve.shared_name(name) {
        Some(name) => Ok(name.to_owned()),
        None if curve.parameters().any(|own| own == name) => bail!(
            "`{name}` of {curve} cannot be shared, because it depends on two coefficients; {} can",
            own.join(", ")
        ),
        None if COMMON.contains(&name) || name.contains('(') => Ok(name.to_owned()),
        None => bail!("{curve} has no parameter `{}`; {} can be shared", visible(name), own.join(", ")),
    }
}

/// Refuses flags that are about one fit.
///
/// # Errors
/// Names the flag.
pub fn require_table_only(args: &FitArgs) -> Result<()> {
    let proof = &args.proof.method.spec;
    let flags = [
        ("--model", args.model.is_some()),
        ("--trace", args.trace.is_some()),
        ("--truth", args.truth.is_some()),
        ("--checkpoint", args.checkpoint.is_some()),
        ("--resume", args.resume.is_some()),
        ("--prove", matches!(proof.prove, Some(Prove::Gap(_)))),
        ("--prove-seconds", proof.prove_seconds.is_some()),
    ];
    match flags.into_iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => bail!(
            "{flag} is about one fit, but --by makes one for each group: leave it out, or write the rows of one group to a \
             file and fit them without --by"
        ),
        None => Ok(()),
    }
}
