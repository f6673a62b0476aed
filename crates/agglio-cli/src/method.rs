//! A *method*: the options of a fit as they were typed, by flags or after the solver's name.

use std::path::PathBuf;

use agglio::spec::{Group, Key};
use agglio::{Options, Solver, Spec, Start};
use anyhow::{Result, anyhow, bail};

use crate::{interrupt, threads};

/// Options that were typed. A start may be a file, which is read once the names of the covariates are known.
#[derive(Clone, Debug, Default)]
pub struct Method {
    pub spec: Spec,
    /// The coefficients file to start from.
    pub start: Option<PathBuf>,
}

impl Method {
    /// Whether a key may be typed after the solver's name.
    pub fn takes(key: &Key) -> bool {
        matches!(key.group, Group::Noise | Group::Method | Group::Paper) && key.name != "solver"
    }

    /// Gives an option by its key, as text.
    ///
    /// # Errors
    /// The allowed values.
    pub fn set(&mut self, key: &Key, text: &str) -> Result<(), String> {
        let is_file = key.name == "init" && !["zero", "random"].contains(&text.split(':').next().unwrap_or_default());
        if is_file {
            self.start = Some(text.into());
            return Ok(());
        }
        key.set(&mut self.spec, text)
    }

    pub fn has(&self, key: &str) -> bool {
        self.spec.has(key) || (key == "init" && self.start.is_some())
    }

    /// These options and others. No key is in both.
    #[must_use]
    pub fn and(mut self, other: &Method) -> Method {
        self.spec.update(&other.spec);
        self.start = self.start.or_else(|| other.start.clone());
        self
    }

    /// With a solver as it is typed: `gd:tau0=1,beta=1.1`.
    ///
    /// # Errors
    /// If the solver or a key does not exist, a value is not one, or a key is given twice.
    pub fn solved_by(self, typed: &str) -> Result<Method> {
        let (name, keys) = typed.split_once(':').unwrap_or((typed, ""));
        let mut named = Method::default();
        named.spec.solver = Some(name.parse::<Solver>()?);
        for pair in keys.split(',').filter(|pair| !pair.trim().is_empty()) {
            let (key, value) = parse(pair)?;
            let places = match (self.has(key.name), named.has(key.name)) {
                (true, _) => format!(", as `--{}` and after the solver's name", key.name),
                (_, true) => " after the solver's name".to_owned(),
                _ => String::new(),
            };
            if !places.is_empty() {
                bail!("{} is given twice{places}; leave one out", key.name);
            }
            let why = |why| anyhow!("solver `{typed}`: invalid value '{value}' for `{}`: {why}", key.name);
            named.set(key, value).map_err(why)?;
        }
        Ok(self.and(&named))
    }

    /// The library's options, checked as far as that needs no file.
    ///
    /// # Errors
    /// For the first option that is not allowed.
    pub fn options(&self) -> Result<Options> {
        let options = Options::from_spec(self.spec.clone())?.threads(threads::count(self.spec.threads));
        // any point will do to find out whether the solver takes one
        let point = self.start.as_ref().map(|_| Start::At { coefficients: Vec::new(), intercept: 0.0 });
        point.into_iter().fold(options.clone(), Options::start).build()?;
        Ok(options.interrupt(interrupt::flag()))
    }
}

/// `tau0=1`
fn parse(pair: &str) -> Result<(&'static Key, &str)> {
    let Some((name, value)) = pair.split_once('=') else {
        bail!("solver key `{pair}` has no value; write `{pair}=VALUE`")
    };
    Ok((Key::find(name.trim(), "solver key", Method::takes)?, value.trim()))
}
