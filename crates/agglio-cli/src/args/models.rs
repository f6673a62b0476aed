//! *Models* to compare: the flags of a table, one of which is given once for each model.

use agglio::Curve;
use agglio::spec::Key;
use agglio::table::Formula;
use anyhow::bail;
use clap::error::ErrorKind;
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::shared::TableArgs;

/// The flags that say what the model is. One of them may be repeated.
const REPEATABLE: [&str; 4] = ["formula", "curve", "range", "affine"];

/// A model as it was typed, and the flags of its table.
#[derive(Clone, Debug)]
pub struct Model {
    /// The value of the flag that is repeated; none if there is only this model.
    pub typed: Option<String>,
    pub table: TableArgs,
}

/// The models of a command line.
#[derive(Clone, Debug)]
pub struct Models {
    /// At least one.
    models: Vec<Model>,
    /// The flags that are repeated.
    repeated: Vec<&'static str>,
}

impl Models {
    /// The models, at least one.
    ///
    /// # Errors
    /// If two flags are repeated.
    pub fn each(&self) -> anyhow::Result<&[Model]> {
        match self.repeated.as_slice() {
            [one, other, ..] => bail!("--{one} and --{other} are both repeated, but only one of them may be"),
            _ => Ok(&self.models),
        }
    }
}

impl Args for Models {
    fn augment_args(command: Command) -> Command {
        let repeatable = |command: Command, flag| command.mut_arg(flag, |arg| arg.action(ArgAction::Append));
        REPEATABLE.into_iter().fold(TableArgs::augment_args(command), repeatable)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Models {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Models, clap::Error> {
        let table = TableArgs::from_arg_matches(matches)?;
        let repeated: Vec<&str> = REPEATABLE.into_iter().filter(|flag| texts(matches, flag).count() > 1).collect();
        let models = match repeated.first() {
            None => vec![Model { typed: None, table }],
            Some(flag) => {
                let tables = table.with_each(flag, matches)?;
                let named = |(text, table)| Model { typed: Some(text), table };
                texts(matches, flag).zip(tables).map(named).collect()
            }
        };
        Ok(Models { models, repeated })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Models::from_arg_matches(matches)?;
        Ok(())
    }
}

fn values<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, flag: &str) -> impl Iterator<Item = T> {
    matches.get_many::<T>(flag).into_iter().flatten().cloned()
}

/// The values of a flag as they were typed.
fn texts(matches: &ArgMatches, flag: &str) -> impl Iterator<Item = String> {
    matches.get_raw(flag).into_iter().flatten().map(|text| text.to_string_lossy().trim().to_owned())
}

impl TableArgs {
    /// The same table once for each value of a flag.
    fn with_each(&self, flag: &str, matches: &ArgMatches) -> Result<Vec<TableArgs>, clap::Error> {
        let of_key = |text: String| {
            let mut table = self.clone();
            let key = Key::find(flag, "option", |_| true).map_err(|why| why.to_string());
            let set = key.and_then(|key| table.model.method.set(key, &text));
            set.map(|()| table).map_err(|why| clap::Error::raw(ErrorKind::ValueValidation, why))
        };
        match flag {
            "formula" => Ok(values::<Formula>(matches, flag).map(|value| self.with_formula(value)).collect()),
            "curve" => Ok(values::<Curve>(matches, flag).map(|value| self.with_curve(value)).collect()),
            _ => values::<String>(matches, flag).map(of_key).collect(),
        }
    }

    fn with_formula(&self, formula: Formula) -> TableArgs {
        TableArgs { formula: Some(formula), ..self.clone() }
    }

    fn with_curve(&self, curve: Curve) -> TableArgs {
        TableArgs { curve: Some(curve), ..self.clone() }
    }
}
