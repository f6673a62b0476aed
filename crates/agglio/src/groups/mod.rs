//! *Groups* are rows of one table that are fitted with the same plan, such as one curve for each compound: separately, or
//! with parameters that all of them share.

mod curve;
mod half;
mod parallel;
mod shared;
mod sharing;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, ErrorKind, Result};
use crate::groups::parallel::in_parallel;
use crate::inference::Covariance;
use crate::outcome::Status;
use crate::plan::Plan;
use crate::table::{Category, Table};
use crate::text::format::brief;

pub use curve::{Curve, Parameter, Potency};
pub use shared::{Comparison, Residuals, SharedFit};
pub use sharing::Sharing;

/// The fit of one group.
#[derive(Debug)]
#[non_exhaustive]
pub struct GroupFit {
    /// The level of the category that the rows share.
    pub level: String,
    /// Number of rows whose weight is not zero.
    pub observations: usize,
    /// The response, if it is the same number in all of these rows.
    pub constant: Option<f64>,
    /// The curve, or the reason why the rows cannot be fitted.
    pub curve: Result<Curve>,
}

impl GroupFit {
    /// The fit of these rows alone.
    fn of(plan: &Plan, table: &Table, level: &str, rows: &[usize], kind: Covariance) -> GroupFit {
        let table = table.only(rows);
        let counted = || {
            let weights = table.weights.iter().flatten().copied().map(Some).chain(std::iter::repeat(None));
            table.labels.iter().zip(weights).filter(|(_, weight)| *weight != Some(0.0)).map(|(label, _)| *label)
        };
        let (observations, first) = (counted().count(), counted().next());
        let constant = first.filter(|&first| counted().all(|label| label == first));
        let names = table.names.clone();
        let curve = Curve::fit(plan, table, kind).map_err(|why| why.with_names(&names));
        GroupFit { level: level.to_owned(), observations, constant, curve }
    }

    /// Whether the group has a certified fit.
    pub fn certified(&self) -> bool {
        self.curve.as_ref().is_ok_and(|curve| curve.report.certificate.certified())
    }

    /// Why the group has no curve, why its curve is not certified, or why it has no standard errors; none if it has all of
    /// them. `response` and `names` are the names of the response and of the covariates.
    pub fn note(&self, response: &str, names: &[String]) -> Option<String> {
        let curve = match &self.curve {
            Ok(curve) => curve,
            Err(why) => return Some(why.to_string()),
        };
        if let Some(value) = self.constant {
            return Some(format!("{response} is always {}: there is nothing to explain", brief(value)));
        }
        let (observations, parameters) = (curve.observations, curve.report.parameters);
        if observations < parameters {
            return Some(format!("{observations} observations do not determine {parameters} parameters"));
        }
        if let Some(dead) = curve.report.dead_warning(names) {
            return Some(dead);
        }
        match curve.report.certificate.certified() {
            false => Some(curve.report.verdict_on(response)),
            true => curve.unavailable.map(|reason| reason.to_string()),
        }
    }
}

impl Plan {
    /// Fits each level of a category separately, in parallel over the levels.
    ///
    /// Every group is fitted as if it were alone, so its result depends neither on the other groups nor on the number of
    /// threads. A group that cannot be fitted is part of the result. Groups are in the order of their levels: by number if
    /// every level is a number, else by text. `done` hears the number of groups so far. After an interrupt only the groups
    /// that were finished are returned.
    ///
    /// # Errors
    /// If the category does not have one code for each row, or the plan has a checkpoint, which is of one fit.
    ///
    /// ```
    /// use agglio::{Options, activation::named, inference::Covariance, table::{Category, Table}};
    ///
    /// let table = Table {
    ///     names: vec!["dose".into()],
    ///     values: vec![0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0],
    ///     labels: vec![0.1, 0.3, 0.5, 0.8, 0.9, 0.6, 0.5, 0.2],
    ///     rows: 8,
    ///     ..Table::default()
    /// };
    /// let levels = vec!["down".to_owned(), "up".to_owned()];
    /// let groups = Category { name: "gene".into(), codes: vec![1, 1, 1, 1, 0, 0, 0, 0], levels };
    /// let plan = Options::new(named("sigmoid")?).build()?;
    /// let fits = plan.fit_groups(&table, &groups, Covariance::Classical, &|_| ())?;
    /// assert_eq!(fits[0].level, "down");
    /// assert!(fits[0].curve.as_ref().is_ok_and(|curve| curve.report.coefficients[0] < 0.0));
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn fit_groups(
        &self,
        table: &Table,
        category: &Category,
        kind: Covariance,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<GroupFit>> {
        if self.is_saved() {
            let reason = "a checkpoint is the state of one fit; fit one group alone to save its state".to_owned();
            return Err(ErrorKind::Incompatible {
                one: "a fit of groups".into(),
                other: "`checkpoint`".into(),
                reason,
            }
            .into());
        }
        let groups = rows_by_level(category, table.rows)?;
        let (finished, plan) = (AtomicUsize::new(0), self.without_own_proofs());
        let job = |index: usize| {
            let (level, rows) = groups.get(index)?;
            let fit = GroupFit::of(&plan, table, level, rows, kind);
            // a fit that was cut short would pass for one that ended
            if fit.curve.as_ref().is_ok_and(|curve| curve.report.status() == Status::Interrupted) {
                return None;
            }
            done(finished.fetch_add(1, Ordering::Relaxed) + 1);
            Some(fit)
        };
        Ok(in_parallel(self, groups.len(), &job)?.into_iter().flatten().collect())
    }

    /// The names of a curve's parameters, for covariates of these names: covariates, intercept and free response scale.
    pub fn parameter_names(&self, covariates: &[String]) -> Vec<String> {
        let intercept = self.has_intercept().then(|| "(intercept)".to_owned());
        let response = self.spec().free_response().into_iter().map(str::to_owned);
        covariates.iter().cloned().chain(intercept).chain(response).collect()
    }
}

/// The rows of each level that has any, in the order of the levels. Rows stay in their order.
fn rows_by_level(category: &Category, rows: usize) -> Result<Vec<(&str, Vec<usize>)>> {
    let codes = category.codes.len();
    if codes != rows {
        return Err(Error::data(format!("there are {codes} codes of groups for {rows} rows")));
    }
    let mut groups: Vec<(&str, Vec<usize>)> =
        category.levels.iter().map(|level| (level.as_str(), Vec::new())).collect();
    for (row, &code) in category.codes.iter().enumerate() {
        match groups.get_mut(code as usize) {
            Some((_, rows)) => rows.push(row),
            None => return Err(Error::data(format!("row {}: no level has the code {code}", row + 1))),
        }
    }
    groups.retain(|(_, rows)| !rows.is_empty());
    let numbers: Option<Vec<f64>> =
        groups.iter().map(|(level, _)| level.parse().ok().filter(|number: &f64| number.is_finite())).collect();
    match numbers {
        Some(numbers) => {
            let mut numbered: Vec<_> = numbers.into_iter().zip(groups).collect();
            numbered.sort_by(|(a, (one, _)), (b, (other, _))| a.total_cmp(b).then_with(|| one.cmp(other)));
            Ok(numbered.into_iter().map(|(_, group)| group).collect())
        }
        None => {
            groups.sort_by_key(|(level, _)| *level);
            Ok(groups)
        }
    }
}
