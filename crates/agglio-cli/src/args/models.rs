//! *Models* to compare: the flags of a table, one of which is given once for each model.

use agglio::Curve;
use agglio::spec::Key;
use agglio::table::Formula;
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

/// The models of a command line, at least one.
#[derive(Clone, Debug)]
pub struct Models(pub Vec<Model>);

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
        let count = |flag: &&str| matches.get_raw(flag).map_or(0, Iterator::count);
        let repeated: Vec<&str> = REPEATABLE.into_iter().filter(|flag| count(flag) > 1).collect();
        let models = match repeated.as_slice() {
            [] => return Ok(Models(vec![Model { typed: None, table }])),
            ["formula"] => values::<Formula>(matches, "formula").map(|value| table.with_formula(value)).collect(),
            ["curve"] => values::<Curve>(matches, "curve").map(|value| table.with_curve(value)).collect(),
            [flag] => {
                let texts = values::<String>(matches, flag);
                texts.map(|text| table.with_key(flag, &text)).collect::<Result<Vec<TableArgs>, _>>().map_err(invalid)?
            }
            [one, other, ..] => {
                return Err(invalid(format!("--{one} and --{other} are both repeated: only one of them may be")));
            }
        };
        let typed = repeated.iter().flat_map(|flag| texts(matches, flag));
        Ok(Models(
            typed.zip::<Vec<TableArgs>>(models).map(|(text, table)| Model { typed: Some(text), table }).collect(),
        ))
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

fn invalid(why: String) -> clap::Error {
    clap::Error::raw(ErrorKind::ValueValidation, format!("{why}\n"))
}

impl TableArgs {
    fn with_formula(&self, formula: Formula) -> TableArgs {
        TableArgs { formula: Some(formula), ..self.clone() }
    }

    fn with_curve(&self, curve: Curve) -> TableArgs {
        TableArgs { curve: Some(curve), ..self.clone() }
    }

    fn with_key(&self, name: &str, text: &str) -> Result<TableArgs, String> {
        let mut table = self.clone();
        let key = Key::find(name, "option", |_| true).map_err(|why| why.to_string())?;
        table.model.method.set(key, text)?;
        Ok(table)
    }
}
