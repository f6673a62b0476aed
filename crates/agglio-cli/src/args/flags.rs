//! *Flags* of the options of a fit, from the library's table of keys.

use std::marker::PhantomData;

use agglio::Solver;
use agglio::solver::Family;
use agglio::spec::{Group, KEYS, Key};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command, FromArgMatches};

use crate::method::Method;
use crate::tabular::pairs;

/// The gap of a proof if none is given.
const GAP: &str = "1e-6";

/// Options that are given as flags; `K` says which keys have one.
#[derive(Clone, Debug)]
pub struct Flags<K> {
    pub method: Method,
    keys: PhantomData<K>,
}

/// Some of the keys.
pub trait Keys {
    fn have(key: &Key) -> bool;
}

/// Those of the model that have a value.
#[derive(Clone, Debug)]
pub struct ModelKeys;
/// Those of one solver.
#[derive(Clone, Debug)]
pub struct SolverKeys;
/// Those that several solvers share.
#[derive(Clone, Debug)]
pub struct SharedKeys;
/// Those of the proof.
#[derive(Clone, Debug)]
pub struct ProofKeys;
/// Those that change no model.
#[derive(Clone, Debug)]
pub struct RunKeys;

impl Keys for ModelKeys {
    fn have(key: &Key) -> bool {
        key.group == Group::Model && key.name != "intercept"
    }
}

impl Keys for SolverKeys {
    fn have(key: &Key) -> bool {
        Method::takes(key) && key.group != Group::Paper
    }
}

impl Keys for SharedKeys {
    fn have(key: &Key) -> bool {
        key.group == Group::Noise || ["init", "scaling", "radius"].contains(&key.name)
    }
}

impl Keys for ProofKeys {
    fn have(key: &Key) -> bool {
        key.group == Group::Proof
    }
}

impl Keys for RunKeys {
    fn have(key: &Key) -> bool {
        // the program reads no rows block by block yet
        key.group == Group::Run && key.name != "stream"
    }
}

impl<K: Keys> clap::Args for Flags<K> {
    fn augment_args(command: Command) -> Command {
        command.args(KEYS.iter().filter(|key| K::have(key)).map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<K: Keys> FromArgMatches for Flags<K> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Flags { method: Method::default(), keys: PhantomData };
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for key in KEYS.iter().filter(|key| K::have(key)) {
            if let Some(text) = matches.get_one::<String>(key.name) {
                self.method.set(key, text).map_err(|why| clap::Error::raw(ErrorKind::ValueValidation, why))?;
            }
        }
        Ok(())
    }
}

fn flag(key: &'static Key) -> Arg {
    let read = move |text: &str| Method::default().set(key, text).map(|()| text.to_owned());
    let heading = match key.group {
        Group::Model => "Model",
        Group::Noise => "Noise",
        Group::Method | Group::Paper => "Method",
        Group::Proof => "Proof",
        Group::Run => "Run",
    };
    // a start may also be a file
    let value = if key.name == "init" { "zero|random[:S]|W.json" } else { key.value };
    // two numbers, the first of which may be negative
    let is_pair = ["range", "affine"].contains(&key.name);
    let arg = Arg::new(key.name).long(key.name).value_name(value).value_parser(read).help_heading(heading);
    match key.name {
        // without a value it is the usual one
        "prove" => arg.num_args(0..=1).require_equals(true).default_missing_value(GAP),
        _ => arg.allow_hyphen_values(is_pair),
    }
}

/// A command with the help that is made from tables.
///
/// A command line is read without it: to make it takes longer than to read.
pub fn explained(command: Command) -> Command {
    let command = if command.get_name() == "fit" { command.after_help(below()) } else { command };
    command.mut_args(|arg| match explanation(&arg) {
        Some(help) => arg.help(help),
        None => arg,
    })
}

/// The help of an argument that has none of its own.
fn explanation(arg: &Arg) -> Option<String> {
    match arg.get_id().as_str() {
        _ if arg.get_help().is_some() => None,
        "solver" => Some(solvers()),
        id => KEYS.iter().find(|key| key.name == id).map(help),
    }
}

/// The help of a key, the solvers that take it (if not all do), and its default.
fn help(key: &Key) -> String {
    // a start may also be a file
    let text =
        if key.name == "init" { key.help.replace("a point", "a coefficients file") } else { key.help.to_owned() };
    format!("{text}{} [default: {}]", solvers_of(key), key.default)
}

fn solvers_of(key: &Key) -> String {
    let (with, without): (Vec<Solver>, Vec<Solver>) = Solver::ALL.into_iter().partition(|&solver| key.is_for(solver));
    if without.is_empty() {
        return String::new();
    }
    let (with, without) = (format!(" (only for {})", names(&with)), format!(" (not for {})", names(&without)));
    if with.len() < without.len() { with } else { without }
}

/// The names of solvers; the paper's variants under one name if all are there.
fn names(solvers: &[Solver]) -> String {
    let all = Solver::paper().all(|solver| solvers.contains(&solver));
    let rest = solvers.iter().filter(|solver| !(all && solver.is_graduated())).map(|solver| solver.name());
    all.then_some("the paper's variants").into_iter().chain(rest).collect::<Vec<_>>().join(", ")
}

/// The solvers by family, as `--solver` is explained.
fn solvers() -> String {
    let of = |family| {
        let members = Solver::ALL.into_iter().filter(|solver| solver.family() == family).map(Solver::name);
        members.collect::<Vec<_>>().join(", ")
    };
    let [auto, graduated, plain] = [Family::Adaptive, Family::Graduated, Family::Plain].map(of);
    let [linear, theory] = [Family::Linear, Family::Theory].map(of);
    format!(
        "{auto}; the paper's variants: {graduated}; without graduation: {plain}; {linear}: only the stage at τ = 0; \
         {theory}: as in the paper's theorems. key=value after the name has the same effect as --key value; keys without a \
         flag are listed below"
    )
}

/// The text below the flags: the keys without a flag, and the solvers one by one.
fn below() -> String {
    let keys = KEYS.iter().filter(|key| key.group == Group::Paper);
    let keys: Vec<(String, String)> = keys.map(|key| (format!("{}={}", key.name, key.value), help(key))).collect();
    let solvers: Vec<(String, String)> =
        Solver::ALL.into_iter().map(|solver| (solver.name().to_owned(), solver.about().to_owned())).collect();
    format!(
        "Keys of --solver that have no flag; they run methods exactly as in their papers:\n{}\nSolvers:\n{}",
        list(&keys),
        list(&solvers).trim_end()
    )
}

fn list(rows: &[(String, String)]) -> String {
    pairs(&rows.iter().map(|(name, text)| (name.as_str(), text.clone())).collect::<Vec<_>>())
}
