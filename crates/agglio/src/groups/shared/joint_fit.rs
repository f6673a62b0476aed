//! A *joint fit* of groups: the oracle over all of them, its starts, and the curves that come of it.

use crate::certificate::Certificate;
use crate::error::{Error, Result};
use crate::groups::curve::{Curve, Parameter};
use crate::groups::half::Half;
use crate::groups::parallel::in_parallel;
use crate::groups::shared::comparison::{self, Comparison};
use crate::groups::shared::potency;
use crate::groups::shared::refit::Refit;
use crate::groups::shared::space::{Linear, Space};
use crate::groups::shared::starts::{Side, Starts};
use crate::groups::shared::values::Values;
use crate::groups::{GroupFit, Sharing};
use crate::inference::{Available, Covariance, EndPoint, Inference};
use crate::oracle::{Batch, Driver, Embedding, Facts, Joint, Member, Oracle, Problem, Shard, WIDE};
use crate::outcome::Status;
use crate::plan::Plan;
use crate::race::Found;
use crate::report::Report;
use crate::rows::Rows;
use crate::table::Table;

/// Starts that are followed to their minimum: those of the lowest loss.
const FOLLOWED: usize = 4;

/// Everything that a joint fit needs.
pub(super) struct JointFit<'a> {
    plan: &'a Plan,
    table: &'a Table,
    sharing: &'a Sharing,
    separate: Vec<&'a GroupFit>,
    sides: Vec<Side>,
    rises: Vec<bool>,
    space: Space,
    pooled: Driver,
    whole: Option<Values>,
    oracle: Joint,
}

/// What comes of a joint fit.
pub(super) enum Joined {
    /// The curves of all groups, and the test of what they share.
    Curves(Vec<Curve>, std::result::Result<Comparison, String>),
    /// It has no minimum, and these groups are why: the others must be fitted without them.
    Without(Vec<(usize, Error)>),
}

impl<'a> JointFit<'a> {
    /// # Errors
    /// If the groups cannot be fitted jointly, with the reason.
    pub fn new(
        plan: &'a Plan,
        table: &'a Table,
        sharing: &'a Sharing,
        parts: Vec<(&'a GroupFit, &[usize])>,
    ) -> Result<JointFit<'a>> {
        let parameters = sharing.parameters(parts.len());
        if parameters > WIDE {
            return Err(Error::data(format!(
                "the joint fit of {} groups would have {parameters} parameters, and at most {WIDE} are possible: share more of \
                 them, or fit fewer groups",
                parts.len()
            )));
        }
        let all: Vec<usize> = parts.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
        let rows = table.only(&all).into_rows()?;
        let pooled = plan.oracle(&rows)?;
        if let Some(&dead) = pooled.facts().coordinates.dead_columns().first() {
            let name = table.names.get(dead).map(String::as_str).unwrap_or_default();
            return Err(Error::data(format!("`{name}` is constant or zero in all groups: leave it out")));
        }
        let space = Space::new(pooled.facts(), sharing.shares());
        let sides: Vec<Side> = parts.iter().filter_map(|(fit, rows)| side(plan, table, fit, rows)).collect();
        let rises = directions(&sides, sharing.shares(), space.layout.predictor_dim());
        let oracle = joint(plan, &space, pooled.facts(), &sides, &rises)?;
        let whole = plan.fit(&rows).ok().map(|fitted| Values::of(plan, fitted.report()));
        let separate = parts.into_iter().map(|(fit, _)| fit).collect();
        Ok(JointFit { plan, table, sharing, separate, sides, rises, space, pooled, whole, oracle })
    }

    /// The joint fit of the groups. None after an interrupt.
    pub fn result(&self, level: f64) -> Result<Option<Joined>> {
        let Some(mut found) = self.plan.rules().best_from(self.starts()?, &self.oracle)? else { return Ok(None) };
        let report = self.plan.report(&self.oracle, &mut found)?;
        if report.status() == Status::Interrupted {
            return Ok(None);
        }
        let certificate: &Certificate = &report.certificate;
        if !certificate.certified() {
            let groups = self.undetermined(&found.outcome.theta)?;
            // without any of them there would be no fit
            if !groups.is_empty() && groups.len() < self.sides.len() {
                return Ok(Some(Joined::Without(groups)));
            }
        }
        let end = EndPoint {
            outcome: &found.outcome,
            labels: found.labels,
            certified: certificate.certified(),
            restricted: false,
        };
        let inference = Inference::new(&self.oracle, end, Covariance::Classical)?;
        let comparison = match &inference {
            Ok(inference) => self.compare(inference),
            Err(reason) => Err(reason.to_string()),
        };
        Ok(Some(Joined::Curves(self.curves(&found, &report, &inference, level)?, comparison)))
    }

    /// The groups that do not determine their own parameters even if the shared ones have the values at θ.
    fn undetermined(&self, theta: &[f64]) -> Result<Vec<(usize, Error)>> {
        let members = self.oracle.members();
        let job = |index: usize| {
            let ((side, member), rises) = self.sides.get(index).zip(members.get(index)).zip(self.rises.get(index))?;
            let eta = member.embedding.eta(theta);
            let shared = self.space.shares.iter().enumerate();
            let fixed: Vec<Option<f64>> =
                shared.map(|(k, shared)| shared.then(|| self.space.parameter(k, &eta).0)).collect();
            Some(Refit::of(self.plan, &side.table, &fixed, *rises).filter(|refit| !refit.certified))
        };
        let refits = in_parallel(self.plan, self.sides.len(), &job)?;
        let reason = |refit: &Refit| {
            Error::data(format!(
                "its own parameters are not determined, so it is not in the joint fit: {}",
                refit.verdict
            ))
        };
        let all = refits.iter().enumerate();
        Ok(all.filter_map(|(index, refit)| Some((index, reason(refit.as_ref()?.as_ref()?)))).collect())
    }

    /// The starts of lowest loss, in the coordinates of θ.
    fn starts(&self) -> Result<Vec<Vec<f64>>> {
        let starts = Starts {
            plan: self.plan,
            sides: &self.sides,
            shares: &self.space.shares,
            rises: &self.rises,
            pooled: self.pooled.facts(),
            whole: self.whole.clone(),
        };
        let theta = |groups: Vec<Vec<f64>>| {
            let mut theta = vec![0.0; self.oracle.dim()];
            for (member, values) in self.oracle.members().iter().zip(groups) {
                let eta = self.space.eta(&values);
                member.embedding.entries().iter().zip(eta).for_each(|(&entry, eta)| theta[entry] = eta);
            }
            theta
        };
        let thetas: Vec<Vec<f64>> = starts.all()?.into_iter().map(theta).collect();
        let losses = self.oracle.losses(&thetas, 1.0, Batch::All)?;
        let mut ranked: Vec<(f64, Vec<f64>)> =
            losses.into_iter().zip(thetas).filter(|(loss, _)| loss.is_finite()).collect();
        ranked.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        ranked.dedup_by(|(a, _), (b, _)| a == b);
        Ok(ranked.into_iter().take(FOLLOWED).map(|(_, theta)| theta).collect())
    }

    fn compare(&self, inference: &Inference<'_>) -> std::result::Result<Comparison, String> {
        let weight = self.oracle.members().iter().map(|member| member.driver.facts().total_weight);
        let separate: Vec<(&GroupFit, f64)> = self.separate.iter().copied().zip(weight).collect();
        comparison::compare(inference.goodness(), &separate, self.oracle.facts().is_convex)
    }

    fn curves(
        &self,
        found: &Found,
        report: &Report,
        inference: &Available<Inference<'_>>,
        level: f64,
    ) -> Result<Vec<Curve>> {
        let (theta, inferred) = (&found.outcome.theta, inference.as_ref().ok());
        let half = Half::of(self.plan, self.table);
        let all = report.certificate.mean_loss;
        let curve = |member: &Member| {
            let eta = member.embedding.eta(theta);
            let linear: Vec<(f64, Linear)> =
                (0..self.space.shares.len()).map(|k| self.space.parameter(k, &eta)).collect();
            let gradients: Vec<Vec<f64>> =
                linear.iter().map(|(_, linear)| self.by_theta(&member.embedding, linear)).collect();
            let estimate = |(value, gradient): (f64, &Vec<f64>)| {
                let error =
                    |inference: &Inference<'_>| inference.function_with_gradient(value, gradient).standard_error;
                Parameter { value, standard_error: inferred.and_then(error) }
            };
            let own = self.report_of(member, theta, report, &linear);
            let reference = self.oracle.members().first().filter(|_| self.plan.has_potency(self.table, self.sharing));
            let potency = reference.map(|reference| {
                let both = [&member.embedding, &reference.embedding];
                potency::of(&self.space, theta, both, inferred.map(|inference| (inference, level)))
            });
            let curve = Curve {
                parameters: linear.iter().map(|(value, _)| *value).zip(&gradients).map(estimate).collect(),
                covariance: inferred.map(|inference| inference.covariance_of(&gradients)),
                ec50: None,
                potency: potency.transpose()?.flatten(),
                observations: self.oracle.facts().counted,
                r_squared: (all > 0.0).then(|| 1.0 - report.prediction_loss / all),
                sigma: inferred.map(|inference| inference.goodness().sigma),
                unavailable: inference.as_ref().err().copied(),
                report: own,
            };
            Ok(curve.with_ec50(half))
        };
        self.oracle.members().iter().map(curve).collect()
    }

    /// The derivative by θ of a parameter of a group, from its derivatives by η.
    fn by_theta(&self, embedding: &Embedding, linear: &Linear) -> Vec<f64> {
        let mut by_theta = vec![0.0; self.oracle.dim()];
        for (k, own) in linear.iter() {
            by_theta[embedding.entries()[*k]] += own;
        }
        by_theta
    }

    /// The report of the joint fit with the parameters of a group.
    fn report_of(&self, member: &Member, theta: &[f64], report: &Report, parameters: &[(f64, Linear)]) -> Report {
        let (layout, facts) = (self.space.layout, member.driver.facts());
        let value = |k: usize| parameters.get(k).map_or(0.0, |(value, _)| *value);
        Report {
            coefficients: (0..layout.coefficients).map(value).collect(),
            intercept: layout.intercept_entry().map_or(0.0, value),
            affine: self.plan.scale_at(facts, &member.embedding.apply(theta)),
            ..report.clone()
        }
    }
}

/// The rows of a group with its separate fit.
fn side(plan: &Plan, table: &Table, fit: &GroupFit, rows: &[usize]) -> Option<Side> {
    let curve = fit.curve.as_ref().ok()?;
    let (values, certified) = (Values::of(plan, &curve.report), curve.report.certificate.certified());
    Some(Side { table: table.only(rows), values, certified })
}

/// Whether φ is stretched with a positive factor in each group. Groups that share a coefficient have the direction of most, since
/// the sign of the coefficient means the same in all of them.
fn directions(sides: &[Side], shares: &[bool], predictor: usize) -> Vec<bool> {
    let falling = sides.iter().filter(|side| side.certified && !side.values.rises).count();
    let most = 2 * falling <= sides.iter().filter(|side| side.certified).count();
    let common = shares.iter().take(predictor).any(|shared| *shared);
    sides.iter().map(|side| if common || !side.certified { most } else { side.values.rises }).collect()
}

/// The oracle over all groups: each is the problem of the plan, in the units of the pooled rows.
fn joint(plan: &Plan, space: &Space, pooled: &Facts, sides: &[Side], rises: &[bool]) -> Result<Joint> {
    let problem =
        Problem { coordinates: Some(pooled.coordinates.clone()), scale: pooled.response.clone(), ..plan.problem() };
    let arrangement = space.arrange(sides.len());
    let member = |((side, entries), &rises): ((&Side, Vec<usize>), &bool)| -> Result<Member> {
        let rows = side.table.clone().into_rows()?;
        let driver = Driver::new(Box::new(Shard::new(rows.share())), &problem)?;
        let driver = driver.with_interrupt(plan.interrupt().clone());
        Ok(Member { driver, embedding: Embedding::new(entries, space.solver_rows(rises)) })
    };
    let members = sides.iter().zip(arrangement.entries).zip(rises).map(member).collect::<Result<_>>()?;
    Joint::new(members, pooled, arrangement.dims, plan.interrupt().clone())
}
