//! A *shared* fit: one joint fit of all groups, in which some parameters are the same for all of them.

mod comparison;
mod joint_fit;
mod potency;
mod refit;
mod space;
mod starts;
mod values;

use crate::error::{Error, Result};
use crate::groups::{GroupFit, Sharing, rows_by_level};
use crate::inference::Covariance;
use crate::outcome::Status;
use crate::plan::Plan;
use crate::table::{Category, Table};
use crate::text::format::brief;
use joint_fit::{Joined, JointFit};

pub use comparison::{Comparison, Residuals};

/// The fits of groups that share parameters.
#[derive(Debug)]
#[non_exhaustive]
pub struct SharedFit {
    /// A curve for each group, in the order of the levels. Loss, R², σ̂ and the certificate are those of the joint fit, and so
    /// are the numbers of shared parameters. A group that is not part of it has the reason in place of a curve.
    pub groups: Vec<GroupFit>,
    /// The level against which [potencies](crate::groups::Curve::potency) are measured, if there are any: the first of the joint
    /// fit.
    pub reference: Option<String>,
    /// The test of the shared parameters against separate curves, or why there is none.
    pub comparison: std::result::Result<Comparison, String>,
}

impl Plan {
    /// Fits all levels of a category jointly: some parameters are the same for all of them, the others are each level's own.
    ///
    /// It needs no starts: they come from the separate fits, and from fits with values of the shared parameters held fixed. A
    /// group without a curve of its own, such as one whose doses reach only a part of it, takes what it lacks from the others.
    /// A group that cannot be fitted, or does not determine its own parameters, is left out and changes no bit of the result.
    /// Standard errors are classical, with one σ̂ for all groups; `level` is that of the intervals of potencies. `done` hears the number of separate fits so far. After an
    /// interrupt there are no groups.
    ///
    /// # Errors
    /// As [`Plan::fit_groups`], if a covariate is constant in all groups, or if there are more than 1000 parameters.
    ///
    /// ```
    /// use agglio::{Options, activation::named, table::{Category, Table}};
    ///
    /// let table = Table {
    ///     names: vec!["log(dose)".into()],
    ///     values: vec![-1.0, 0.0, 1.0, 2.0, -1.0, 0.0, 1.0, 2.0],
    ///     labels: vec![0.1, 0.3, 0.5, 0.8, 0.3, 0.6, 0.7, 0.9],
    ///     rows: 8,
    ///     ..Table::default()
    /// };
    /// let levels = vec!["standard".to_owned(), "test".to_owned()];
    /// let drugs = Category { name: "drug".into(), codes: vec![0, 0, 0, 0, 1, 1, 1, 1], levels };
    /// let plan = Options::new(named("sigmoid")?).build()?;
    /// let sharing = plan.sharing(&table.names, &["slope".into()])?;
    /// let fit = plan.fit_groups_sharing(&table, &drugs, &sharing, 0.95, &|_| ())?;
    /// let slope = |group: usize| fit.groups[group].curve.as_ref().map(|curve| curve.report.coefficients[0]).ok();
    /// assert_eq!(slope(0), slope(1));
    /// let potency = fit.groups[1].curve.as_ref().ok().and_then(|curve| curve.potency);
    /// assert!(potency.is_some_and(|potency| potency.value > 2.0));
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn fit_groups_sharing(
        &self,
        table: &Table,
        category: &Category,
        sharing: &Sharing,
        level: f64,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<SharedFit> {
        let separate = self.fit_groups(table, category, Covariance::Classical, done)?;
        let nothing = |groups, why: &str| SharedFit { groups, reference: None, comparison: Err(why.into()) };
        if self.is_interrupted() {
            return Ok(nothing(Vec::new(), "the fit was interrupted"));
        }
        let (rows, plan) = (rows_by_level(category, table.rows)?, self.without_own_proofs());
        let mut reasons: Vec<Option<Error>> = separate.iter().map(|fit| left_out(fit, sharing, &table.names)).collect();
        loop {
            let kept: Vec<usize> =
                (0..separate.len()).filter(|&k| reasons[k].is_none() && separate[k].curve.is_ok()).collect();
            if kept.is_empty() {
                return Ok(nothing(with_reasons(separate, reasons), "no group can be fitted"));
            }
            let parts = kept.iter().filter_map(|&k| Some((separate.get(k)?, rows.get(k)?.1.as_slice()))).collect();
            let joint = JointFit::new(&plan, table, sharing, parts)?;
            let (curves, comparison) = match self.install(table.rows, || joint.result(level))?? {
                None => return Ok(nothing(Vec::new(), "the fit was interrupted")),
                Some(Joined::Curves(curves, comparison)) => (curves, comparison),
                Some(Joined::Without(groups)) => {
                    groups.into_iter().for_each(|(index, why)| reasons[kept[index]] = Some(why));
                    continue;
                }
            };
            let reference = kept.first().filter(|_| self.has_potency(table, sharing));
            let reference = reference.map(|&k| separate[k].level.clone());
            let mut groups = with_reasons(separate, reasons);
            for (&k, curve) in kept.iter().zip(curves) {
                groups[k].curve = Ok(curve);
            }
            return Ok(SharedFit { groups, reference, comparison });
        }
    }
}

/// Groups that are left out, each with its reason in place of a curve.
fn with_reasons(separate: Vec<GroupFit>, reasons: Vec<Option<Error>>) -> Vec<GroupFit> {
    let out = |(fit, reason): (GroupFit, Option<Error>)| match reason {
        Some(why) => GroupFit { curve: Err(why), ..fit },
        None => fit,
    };
    separate.into_iter().zip(reasons).map(out).collect()
}

/// Why a group whose rows can be read is not part of the joint fit, if it is not: it does not determine its own parameters.
fn left_out(fit: &GroupFit, sharing: &Sharing, names: &[String]) -> Option<Error> {
    let (report, own) = (&fit.curve.as_ref().ok()?.report, sharing.own());
    if let Some(value) = fit.constant {
        let value = brief(value);
        return Some(Error::data(format!("the response is always {value}: there is nothing to explain")));
    }
    if fit.observations < own {
        return Some(Error::data(format!("{} observations do not determine {own} parameters", fit.observations)));
    }
    let is_own = |&entry: &usize| sharing.shares().get(entry) == Some(&false);
    if let Some(name) = report.dead_columns.iter().find(|entry| is_own(entry)).and_then(|&entry| names.get(entry)) {
        return Some(Error::data(format!("`{name}` is constant: the group does not determine its coefficient")));
    }
    let unidentified = &report.certificate.unidentified;
    let collinear = report.status() == Status::NotIdentified && unidentified.iter().all(is_own);
    collinear.then(|| Error::data(format!("not identified: {}", report.verdict())))
}
