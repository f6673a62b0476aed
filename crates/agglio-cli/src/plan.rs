//! A *plan* is the result of checking the flags: names are looked up, and files other than the data are read.

use std::path::{Path, PathBuf};

use agglio::model::Coefficients;
use agglio::read::{Features, Selection};
use agglio::{Options, Plan, Solver, Spec, Start};
use anyhow::{Result, bail};

use crate::answer::Question;
use crate::args::{Names, TableArgs};
use crate::method::Method;
use crate::source::{self, Source};
use crate::truth::Truth;
use crate::{memory, threads};

/// A file with a start, or with the true model.
pub const COEFFICIENTS_FILE: &str = "coefficients file";

/// A table, and how to fit it.
#[derive(Debug)]
pub struct FitPlan {
    pub source: Source,
    pub selection: Selection,
    pub spec: Spec,
    /// What is asked beyond the coefficients.
    pub question: Question,
    /// Warnings that need no data.
    pub warnings: Vec<String>,
    options: Options,
    start: Option<(PathBuf, Coefficients)>,
    truth: Option<Truth>,
}

impl FitPlan {
    /// Checks a method, and reads the file that it starts from.
    ///
    /// # Errors
    /// For the first option that is not allowed.
    pub fn new(source: Source, selection: Selection, method: Method) -> Result<FitPlan> {
        let (options, warnings) = (method.options()?, warnings(&method));
        let Method { spec, start } = method;
        let source = source.threads(spec.threads);
        let (question, start) = (Question::default(), start.map(coefficients_file).transpose()?);
        Ok(FitPlan { source, selection, spec, question, warnings, options, start, truth: None })
    }

    /// The same with the file of the true coefficients.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn knowing(self, truth: Option<&Path>) -> Result<FitPlan> {
        Ok(FitPlan { truth: truth.map(Truth::read).transpose()?, ..self })
    }

    /// The true coefficients of these covariates, if they are known.
    ///
    /// # Errors
    /// If the file has coefficients of other covariates.
    pub fn truth(&self, names: &[String]) -> Result<Option<Vec<f64>>> {
        self.truth.as_ref().map(|truth| truth.in_order(names)).transpose()
    }

    /// The same with this question. A column of clusters is read too.
    #[must_use]
    pub fn asking(mut self, question: Question) -> FitPlan {
        self.selection.categories.extend(question.cluster.clone());
        FitPlan { question, ..self }
    }

    /// The same with checkpoints to one file, continued from another.
    ///
    /// # Errors
    /// If that is no checkpoint of a fit with these options.
    pub fn saved_to(mut self, checkpoint: Option<&Path>, resume: Option<&Path>) -> Result<FitPlan> {
        self.options = checkpoint.into_iter().fold(self.options, Options::checkpoint);
        self.options = resume.into_iter().fold(self.options, Options::resume);
        // a start waits for the features' names
        if self.start.is_none() {
            self.options.clone().build()?;
        }
        Ok(self)
    }

    /// The target's column.
    pub fn target(&self) -> &str {
        self.selection.target.as_deref().unwrap_or_default()
    }

    /// The files that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        let start = self.start.as_ref().map(|(path, _)| path.as_path());
        self.source.file().into_iter().chain(start).chain(self.truth.as_ref().map(Truth::path)).collect()
    }

    /// The library's plan, now that the features' names and the number of rows are known.
    ///
    /// # Errors
    /// If the starting point is not one of these features, or the fit would ask for more memory than there is.
    pub fn for_table(&self, names: &[String], rows: usize) -> Result<Plan> {
        let mut options = self.options.clone();
        if let Some((path, weights)) = &self.start {
            let coefficients = weights.in_order(names, path)?;
            options = options.start(Start::At { coefficients, intercept: weights.intercept });
        }
        let plan = options.build()?;
        self.require_memory(plan.memory(rows, names.len()), names.len())?;
        Ok(plan)
    }

    fn require_memory(&self, needed: u64, columns: usize) -> Result<()> {
        let threads = threads::count(self.spec.threads);
        let free = memory::available(threads);
        if needed <= free {
            return Ok(());
        }
        let ([needed, free], solver) = ([needed, free].map(|bytes| bytes.div_ceil(1 << 20)), self.spec.solver());
        let instead = match columns > 1000 {
            true => ", or solver `newton-cg` or `lbfgs`",
            false if threads > 1 => ", or --threads 1",
            false => "",
        };
        bail!(
            "solver `{solver}` needs {needed} MB for the Hessian of {columns} columns, but only {free} MB are free; use more \
             memory, or fewer columns{instead}"
        );
    }

    /// A warning of a minibatch of more rows than there are.
    pub fn batch_warning(&self, rows: usize) -> Option<String> {
        let batch = self.spec.batch.filter(|&batch| batch > rows)?;
        Some(format!("a batch of {batch} rows is larger than the data ({rows} rows); every batch is all rows"))
    }
}

fn warnings(method: &Method) -> Vec<String> {
    let spec = &method.spec;
    let too_many = spec.threads.filter(|&asked| asked > threads::MOST);
    let threads = too_many.map(|asked| format!("{asked} threads are too many; {} threads are used", threads::MOST));
    let typed = || method.start.as_ref().map(|path| path.display().to_string()).or(spec.get("init").ok().flatten());
    let ignored = typed().filter(|_| spec.solver() == Solver::Auto);
    let start = ignored.map(|start| format!("--init {start} is ignored: solver `auto` needs no start"));
    threads.into_iter().chain(start).collect()
}

fn coefficients_file(path: PathBuf) -> Result<(PathBuf, Coefficients)> {
    if !path.exists() {
        let typed = path.display();
        bail!("init is `{typed}`; it must be zero, random[:S] or a coefficients file, and this file does not exist");
    }
    let weights = Coefficients::from_json(&source::read_text(&path, COEFFICIENTS_FILE)?, &path)?;
    Ok((path, weights))
}

/// The columns of a table that are used.
///
/// # Errors
/// If one is dropped and asked for, or there are two offsets.
pub fn selection(table: &TableArgs) -> Result<Selection> {
    let selection = columns(table)?;
    match table.curve {
        Some(curve) if table.formula.as_ref().is_some_and(|formula| !formula.intercept()) => {
            bail!("the curve {curve} needs the intercept: remove `- 1` or `+ 0` from the formula")
        }
        Some(curve) => Ok(curve.selection(selection)?),
        None => Ok(selection),
    }
}

/// The roles of the columns, as they were typed.
fn columns(table: &TableArgs) -> Result<Selection> {
    let (weights, offset) = (table.weights.clone(), table.offset.clone());
    if let Some(formula) = &table.formula {
        if offset.is_some() && formula.offset().is_some() {
            bail!("the formula has an offset: leave out --offset");
        }
        let selection = formula.selection();
        return Ok(Selection { weights, offset: selection.offset.or(offset), ..selection });
    }
    let all = |typed: &[Names]| typed.iter().flat_map(|names| names.0.clone()).collect::<Vec<String>>();
    let (only, except) = (all(&table.features), all(&table.drop));
    let parts = [table.target.as_ref(), weights.as_ref(), offset.as_ref()];
    let roles = ["the target", "the weights", "the offset"];
    for (part, role) in parts.into_iter().zip(roles) {
        if let Some(name) = part.filter(|part| except.contains(part)) {
            bail!("`{name}` is {role} and never a covariate: remove it from --drop");
        }
    }
    let features = match (only.is_empty(), except.is_empty()) {
        (false, _) => Features::Only(only),
        (true, false) => Features::Except(except),
        (true, true) => Features::All,
    };
    Ok(Selection { target: table.target.clone(), features, weights, offset, ..Selection::default() })
}
