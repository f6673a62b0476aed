//! `fit --by`: a table in, a table of curves out.

use std::process::ExitCode;

use agglio::inference::{Covariance, Intervals};
use agglio::read::{Selection, Table};
use anyhow::{Result, bail};

use super::fit::{NOT_CERTIFIED, show, table_warnings};
use crate::args::{FitArgs, FitFormat, require_table_only};
use crate::curves::{Common, Curves};
use crate::plan::{self, FitPlan};
use crate::source::Source;
use crate::{interrupt, print, progress};

pub fn run(args: &FitArgs, by: &str) -> Result<ExitCode> {
    let selection = check(args, by)?;
    let plan = FitPlan::new(Source::of(&args.table)?, selection, args.method()?)?;
    let table = plan.source.read(&plan.selection, args.run.quiet)?;
    interrupt::hold();
    let mut warnings = plan.warnings.clone();
    warnings.extend(table_warnings(&table, plan.source.no_header));
    let (curves, groups) = fit(args, &plan, &table)?;
    if interrupt::is_caught() && curves.len() < groups {
        warnings.push(format!("interrupted: {} of {groups} groups were fitted", curves.len()));
    }
    print::warnings(&warnings, args.run.quiet);
    // a table of rows has no place for a test of all of them
    if !matches!(args.format, Some(FitFormat::Json | FitFormat::Table)) {
        print::notes(&curves.summary(), args.run.quiet);
    }
    show(&match args.format {
        None | Some(FitFormat::Tidy { json: false }) => curves.csv(),
        Some(FitFormat::Json) => curves.json()?,
        Some(FitFormat::Table) => curves.table(),
        Some(FitFormat::Tidy { json: true }) => curves.rows()?,
        Some(FitFormat::Glance { .. } | FitFormat::Augment { .. }) => String::new(),
    })?;
    Ok(match curves.certified() {
        _ if interrupt::is_caught() => interrupt::exit_code(),
        true => ExitCode::SUCCESS,
        false => ExitCode::from(NOT_CERTIFIED),
    })
}

/// Checks the flags, and adds the column of the groups to the selection.
///
/// # Errors
/// For bad usage.
pub fn check(args: &FitArgs, by: &str) -> Result<Selection> {
    if matches!(args.format, Some(FitFormat::Glance { .. } | FitFormat::Augment { .. })) {
        bail!("glance and augment are of one fit: use table, json or tidy with --by");
    }
    let answer = &args.answer;
    let asks = answer.intervals != Intervals::Wald || !answer.ec.is_empty() || !answer.test.is_empty();
    if answer.se.is_some() || asks {
        bail!("--se, --intervals, --ec and --test are for one fit: leave them out with --by");
    }
    require_table_only(args)?;
    let shared = args.groups.shared(args.table.curve)?;
    if answer.level.is_some() && shared.is_empty() {
        bail!("--level is for intervals, and a table of groups has those of relative potencies only (--share)");
    }
    if !shared.is_empty() {
        args.method()?.options()?.build()?.require_sharing(&shared)?;
    }
    let selection = plan::selection(&args.table)?;
    let parts =
        [(&selection.target, "the target"), (&selection.weights, "the weights"), (&selection.offset, "the offset")];
    for (part, role) in parts {
        if part.as_deref() == Some(by) {
            bail!("`{by}` is {role}: pass another column to --by");
        }
    }
    Ok(Selection { categories: vec![by.to_owned()], ..selection })
}

/// The curves, and the number of groups.
fn fit(args: &FitArgs, plan: &FitPlan, table: &Table) -> Result<(Curves, usize)> {
    let Some(category) = table.categories.first().filter(|_| table.rows > 0) else { bail!("no rows are left to fit") };
    let fits = plan.for_table(&table.names, table.rows)?;
    let shared = args.groups.shared(args.table.curve)?;
    let sharing = (!shared.is_empty()).then(|| fits.sharing(&table.names, &shared)).transpose()?;
    let columns = Curves::columns(&category.name, table, &fits, args.table.curve, sharing)?;
    let groups = category.levels.len();
    let bar = progress::searching(groups, args.run.quiet);
    let done = |done: usize| bar.set_position(done as u64);
    let made = match columns.sharing() {
        None => fits.fit_groups(table, category, Covariance::usual(plan.spec.loss()), &done).map(|made| (made, None)),
        Some(sharing) => fits.fit_groups_sharing(table, category, sharing, args.answer.level(), &done).map(|made| {
            let (level, reference) = (args.answer.level(), made.reference);
            let common = Common { level, reference, comparison: made.comparison };
            (made.groups, Some(common))
        }),
    };
    bar.finish_and_clear();
    let (made, common) = made.map_err(|why| plan.source.blame(why.with_names(&table.names)))?;
    Ok((Curves::new(columns, made, common, plan.target(), &table.names), groups))
}
