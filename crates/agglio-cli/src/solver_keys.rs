//! *Solver keys*: `--solver gd:tau0=1,beta=1.1`, where a key is the flag of the same name, or has no flag.

use agglio::Solver;
use agglio::text::suggest::nearest;
use anyhow::{Result, bail};
use clap::{CommandFactory, Parser};

use crate::args::{KeyArgs, MethodArgs, NoiseArgs, PlaceArgs};

/// What a key can be.
#[derive(Debug, Parser)]
struct Keys {
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    rest: KeyArgs,
}

/// A solver with its settings, whether these were given as flags or as keys.
#[derive(Debug)]
pub struct Typed {
    pub solver: Solver,
    pub method: MethodArgs,
    /// Settings that only keys can give.
    pub keys: KeyArgs,
}

/// The solver and all that was said about the method, whether as flags or as keys.
///
/// # Errors
/// If the solver or a key does not exist, a value is not one, or something is said in both ways.
pub fn parse(typed: &str, flags: MethodArgs) -> Result<Typed> {
    let (name, keys) = typed.split_once(':').unwrap_or((typed, ""));
    let solver = name.parse()?;
    let keys = keys.split(',').filter(|key| !key.trim().is_empty());
    let words: Vec<String> = keys.map(as_flag).collect::<Result<_>>()?;
    let keys = Keys::try_parse_from(std::iter::once(name.to_owned()).chain(words));
    let keys = keys.map_err(|why| anyhow::anyhow!("solver `{typed}`: {}", first_line(&why)))?;
    Ok(Typed { solver, method: merge(flags, keys.method)?, keys: keys.rest })
}

/// `tau0=1` → `--tau0=1`
fn as_flag(key: &str) -> Result<String> {
    let Some((name, value)) = key.split_once('=') else {
        bail!("solver key `{key}` has no value; write `{key}=VALUE`")
    };
    let (name, value) = (name.trim(), value.trim());
    let command = Keys::command();
    let known: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
    match (known.contains(&name), nearest(name, &known)) {
        (true, _) => Ok(format!("--{name}={value}")),
        (false, Some(near)) => bail!("no solver key is called `{name}`; did you mean `{near}`?"),
        (false, None) => bail!("no solver key is called `{name}`; there are {}", known.join(", ")),
    }
}

fn first_line(why: &clap::Error) -> String {
    let text = why.to_string();
    let line = text.lines().next().unwrap_or_default();
    as_key(line.strip_prefix("error: ").unwrap_or(line))
}

/// `for '--tau0 <T>': why` → `for `tau0`: why`, since a key need not have a flag.
fn as_key(line: &str) -> String {
    let parts = line.split_once("'--").and_then(|(before, rest)| {
        let (flag, after) = rest.split_once('\'')?;
        let name = flag.split([' ', '=']).next()?;
        Some(format!("{before}`{name}`{after}"))
    });
    parts.unwrap_or_else(|| line.to_owned())
}

fn merge(flags: MethodArgs, keys: MethodArgs) -> Result<MethodArgs> {
    Ok(MethodArgs {
        noise: NoiseArgs {
            noise: either("noise", flags.noise.noise, keys.noise.noise)?,
            tau_max: either("tau-max", flags.noise.tau_max, keys.noise.tau_max)?,
        },
        tau0: either("tau0", flags.tau0, keys.tau0)?,
        beta: either("beta", flags.beta, keys.beta)?,
        eta: either("eta", flags.eta, keys.eta)?,
        mu: either("mu", flags.mu, keys.mu)?,
        beta1: either("beta1", flags.beta1, keys.beta1)?,
        beta2: either("beta2", flags.beta2, keys.beta2)?,
        epsilon: either("epsilon", flags.epsilon, keys.epsilon)?,
        delta: either("delta", flags.delta, keys.delta)?,
        batch: either("batch", flags.batch, keys.batch)?,
        epochs: either("epochs", flags.epochs, keys.epochs)?,
        tol: either("tol", flags.tol, keys.tol)?,
        place: PlaceArgs {
            init: either("init", flags.place.init, keys.place.init)?,
            scaling: either("scaling", flags.place.scaling, keys.place.scaling)?,
            radius: either("radius", flags.place.radius, keys.place.radius)?,
        },
        restarts: either("restarts", flags.restarts, keys.restarts)?,
        l2: either("l2", flags.l2, keys.l2)?,
    })
}

fn either<T>(name: &str, flag: Option<T>, key: Option<T>) -> Result<Option<T>> {
    match (flag, key) {
        (Some(_), Some(_)) => bail!("{name} is given twice, as `--{name}` and after the solver's name; leave one out"),
        (flag, key) => Ok(flag.or(key)),
    }
}
