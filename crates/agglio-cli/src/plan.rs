//! A *plan* is what the flags come to: everything looked up, opened and checked that can be before data is read.

use std::path::{Path, PathBuf};

use agglio::model::Coefficients;
use agglio::read::{Features, Selection};
use agglio::rows::Scaling;
use agglio::{Noise, Options, Plan, Solver, Start, activation};
use anyhow::{Result, bail};

use crate::args::{self, FitArgs, Format, KeyArgs, MethodArgs, Names, TableArgs};
use crate::output::{self, Output};
use crate::solver_keys::Typed;
use crate::source::{self, Source};
use crate::{interrupt, memory, solver_keys, threads};

/// All that `fit` needs.
#[derive(Debug)]
pub struct FitPlan {
    pub source: Source,
    pub selection: Selection,
    /// The target's column.
    pub target: String,
    /// The activation as typed.
    pub activation: String,
    pub solver: Solver,
    /// The last temperature.
    pub cap: f64,
    pub intercept: bool,
    /// The file has no line of names.
    pub no_header: bool,
    pub model: Option<Output>,
    pub trace: Option<Output>,
    pub format: Format,
    pub seed: u64,
    pub quiet: bool,
    /// What the user should know before anything has been read.
    pub warnings: Vec<String>,
    options: Options,
    start: Option<(PathBuf, Coefficients)>,
    batch: Option<usize>,
    threads: usize,
}

impl FitPlan {
    /// Checks flags against each other, against the library and against the file system.
    ///
    /// # Errors
    /// For the first thing that cannot be.
    pub fn new(args: FitArgs) -> Result<FitPlan> {
        let Checked { solver, method, options, selection, start } = check(&args)?;
        let start = start.map(weights_file).transpose()?;
        let output = |path: &Option<PathBuf>| path.as_ref().map(|path| Output::new(path, args.force)).transpose();
        let plan = FitPlan {
            source: Source::new(&args.table.data, args.table.csv)?
                .missing(args.table.missing)
                .threads(args.run.threads),
            selection,
            model: output(&args.model)?,
            trace: output(&args.trace)?,
            target: args.table.target,
            activation: args.table.activation,
            solver,
            cap: cap(solver, &method),
            intercept: !args.table.no_intercept,
            no_header: args.table.csv.no_header,
            format: args.format,
            seed: args.run.seed,
            quiet: args.run.quiet,
            warnings: threads_warning(args.run.threads).into_iter().chain(start_warning(solver, &method)).collect(),
            options,
            start,
            batch: method.batch,
            threads: threads::count(args.run.threads),
        };
        plan.require_distinct_files()?;
        Ok(plan)
    }

    fn require_distinct_files(&self) -> Result<()> {
        let start = self.start.as_ref().map(|(path, _)| path.as_path());
        let inputs: Vec<&Path> = self.source.file().into_iter().chain(start).collect();
        output::require_distinct([&self.model, &self.trace].into_iter().flatten(), &inputs)
    }

    /// The library's plan, now that the features' names and the number of rows are known.
    ///
    /// # Errors
    /// If the starting point is not one of these features, or the fit would ask for more memory than there is.
    pub fn for_table(&self, names: &[String], rows: usize) -> Result<Plan> {
        let start = |(path, weights): &(PathBuf, Coefficients)| -> Result<Start> {
            Ok(Start::At { coefficients: weights.in_order(names, path)?, intercept: weights.intercept })
        };
        let plan = set(self.options.clone(), self.start.as_ref().map(start).transpose()?, Options::start).build()?;
        self.require_memory(plan.memory(rows, names.len()), names.len())?;
        Ok(plan)
    }

    fn require_memory(&self, needed: u64, columns: usize) -> Result<()> {
        let free = memory::available(self.threads);
        if needed <= free {
            return Ok(());
        }
        let ([needed, free], solver) = ([needed, free].map(|bytes| bytes.div_ceil(1 << 20)), self.solver);
        let instead = match columns > 1000 {
            true => ", or solver `newton-cg` or `lbfgs`",
            false if self.threads > 1 => ", or --threads 1",
            false => "",
        };
        bail!(
            "solver `{solver}` forms the curvature of {columns} columns, which takes {needed} MB, and {free} MB are free; \
             give it more memory or fewer columns{instead}"
        );
    }

    /// A word on a minibatch of more rows than there are.
    pub fn batch_warning(&self, rows: usize) -> Option<String> {
        let batch = self.batch.filter(|&batch| batch > rows)?;
        Some(format!("a batch of {batch} is more than the {rows} rows; every batch is all of them"))
    }
}

/// What flags come to before any file is looked at.
pub struct Checked {
    solver: Solver,
    method: MethodArgs,
    options: Options,
    selection: Selection,
    /// The weights file to start from.
    start: Option<PathBuf>,
}

/// Checks flags against each other and against the library.
///
/// # Errors
/// For the first thing that cannot be.
pub fn check(args: &FitArgs) -> Result<Checked> {
    let Typed { solver, method, keys } = solver_keys::parse(&args.solver, args.method.clone())?;
    let (options, start) = start(method.place.init.as_deref(), printed(options(args, solver, &method)?, &keys))?;
    // what is wrong without data is said without reading any
    options.clone().build()?;
    Ok(Checked { solver, method, options, selection: selection(&args.table)?, start })
}

/// The last temperature, as far as the flags tell it.
fn cap(solver: Solver, method: &MethodArgs) -> f64 {
    let linear = method.noise.noise == Some(Noise::Pre) && solver != Solver::Theory;
    method.noise.tau_max.unwrap_or(if linear { 0.0 } else { 1.0 })
}

/// Applies what was given and leaves the rest at the library's defaults.
fn set<T>(options: Options, value: Option<T>, setter: fn(Options, T) -> Options) -> Options {
    match value {
        Some(value) => setter(options, value),
        None => options,
    }
}

fn options(args: &FitArgs, solver: Solver, method: &MethodArgs) -> Result<Options> {
    let scaling = method.place.scaling.map(|scaling| match scaling {
        args::Scaling::Standard => Scaling::Standard,
        args::Scaling::None => Scaling::None,
    });
    let options = Options::new(activation::named(&args.table.activation)?);
    let options = options.solver(solver).intercept(!args.table.no_intercept).seed(args.run.seed);
    let options = options.interrupt(interrupt::flag());
    let options = options.threads(threads::count(args.run.threads));
    let options = set(options, method.noise.noise, Options::noise);
    let options = set(options, method.noise.tau_max, Options::tau_max);
    let options = set(options, method.tau0, Options::tau0);
    let options = set(options, method.beta, Options::beta);
    let options = set(options, method.eta, Options::eta);
    let options = set(options, method.mu, Options::mu);
    let options = set(options, method.beta1, Options::beta1);
    let options = set(options, method.beta2, Options::beta2);
    let options = set(options, method.epsilon, Options::epsilon);
    let options = set(options, method.delta, Options::delta);
    let options = set(options, method.batch, Options::batch);
    let options = set(options, method.epochs, Options::epochs);
    let options = set(options, method.tol, Options::tolerance);
    let options = set(options, scaling, Options::scaling);
    let options = set(options, method.place.radius, Options::radius);
    let options = set(options, method.restarts, Options::restarts);
    Ok(set(options, method.l2, Options::l2))
}

/// What only keys can give.
fn printed(options: Options, keys: &KeyArgs) -> Options {
    let options = set(options, keys.decay, Options::decay);
    let options = set(options, keys.v0, Options::v0);
    let options = set(options, keys.passes, Options::passes);
    let options = set(options, keys.branch, Options::branch);
    let options = set(options, keys.algorithm, Options::algorithm);
    let options = set(options, keys.sigma, Options::sigma);
    set(options, keys.constants, Options::constants)
}

fn threads_warning(asked: Option<usize>) -> Option<String> {
    let too_many = asked.filter(|&asked| asked > threads::MOST)?;
    Some(format!("{too_many} threads are too many; {} are used", threads::MOST))
}

fn start_warning(solver: Solver, method: &MethodArgs) -> Option<String> {
    let ignored = method.place.init.as_ref().filter(|_| solver == Solver::Auto)?;
    Some(format!("--init {ignored} is ignored: solver `auto` needs no start"))
}

/// `zero`, `random[:S]`, or a weights file that waits for the features' names.
fn start(typed: Option<&str>, options: Options) -> Result<(Options, Option<PathBuf>)> {
    let random = |scale| (options.clone().start(Start::Random(scale)), None);
    match typed {
        None | Some("zero") => Ok((options, None)),
        Some("random") => Ok(random(None)),
        Some(typed) => match typed.strip_prefix("random:").map(str::parse) {
            Some(Ok(scale)) => Ok(random(Some(scale))),
            Some(Err(_)) => bail!("init is `{typed}`; after `random:` comes a number"),
            None => Ok((options, Some(PathBuf::from(typed)))),
        },
    }
}

fn weights_file(path: PathBuf) -> Result<(PathBuf, Coefficients)> {
    if !path.exists() {
        let typed = path.display();
        bail!("init is `{typed}`; it is zero, random[:S] or a weights file, and there is no such file");
    }
    let weights = Coefficients::from_json(&source::read_text(&path)?, &path)?;
    Ok((path, weights))
}

fn selection(table: &TableArgs) -> Result<Selection> {
    let all = |typed: &[Names]| typed.iter().flat_map(|names| names.0.clone()).collect::<Vec<String>>();
    let (only, except) = (all(&table.features), all(&table.drop));
    let parts = [Some(&table.target), table.weights.as_ref(), table.offset.as_ref()];
    if let Some(name) = except.iter().find(|name| parts.contains(&Some(name))) {
        bail!("column `{name}` is dropped and asked for; it is never a feature, so --drop need not name it");
    }
    let features = match (only.is_empty(), except.is_empty()) {
        (false, _) => Features::Only(only),
        (true, false) => Features::Except(except),
        (true, true) => Features::All,
    };
    let (target, weights, offset) = (Some(table.target.clone()), table.weights.clone(), table.offset.clone());
    Ok(Selection { target, features, weights, offset })
}
