//! A *joint* oracle puts several problems together whose parameters are entries, or linear functions of entries, of one θ.
//!
//! Each member has its own rows and its own oracle. The loss is the mean over the rows of all members, by weight. Sums are
//! merged in the order of the members, so the bits do not depend on the number of threads.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};
use crate::math::linalg::Symmetric;
use crate::oracle::embedding::Embedding;
use crate::oracle::{
    Answer, Ask, At, Batch, Curvature, Driver, Facts, Gradient, Hessian, Layout, Meat, Model, NormalEquations, Oracle,
    Query, ResponseChoice, Value, Want, Weighting,
};
use crate::rows::Coordinates;

/// An oracle over members that share entries of θ.
///
/// Entries that linear predictors depend on come first, then those of the response scales. A part of the rows is answered over
/// all of them, which is exact.
pub(crate) struct Joint {
    members: Vec<Member>,
    facts: Facts,
    predictor: usize,
    interrupt: Arc<AtomicBool>,
}

/// One of the problems.
pub(crate) struct Member {
    pub driver: Driver,
    pub embedding: Embedding,
}

impl Joint {
    /// The problem of these members. `pooled` are the facts about all of their rows; `predictor` is the number of entries that
    /// linear predictors depend on, and `dim` that of all.
    ///
    /// # Errors
    /// None in practice: the units of θ are those of the members.
    pub fn new(
        members: Vec<Member>,
        pooled: &Facts,
        [predictor, dim]: [usize; 2],
        interrupt: Arc<AtomicBool>,
    ) -> Result<Joint> {
        let layout = Layout { coefficients: dim, intercept: false, response: [false; 2] };
        let coordinates = Coordinates::new(None, Vec::new(), dim, false, false)?;
        let facts = Facts { layout, coordinates, response: None, bounds_curvature: false, ..pooled.clone() };
        Ok(Joint { members, facts, predictor, interrupt })
    }

    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The share of a member in all weights.
    fn share(&self, member: &Member) -> f64 {
        member.driver.facts().total_weight / self.facts.total_weight
    }

    /// Each member's answer to a query about its own θ.
    fn each<'q>(&'q self, query: &'q Query<'_>, ask: impl Fn(&Member) -> Ask<'q>) -> Result<Vec<Answer>> {
        let own = |member: &'q Member| {
            member.driver.ask(&Query { labels: query.labels, ..Query::new(Batch::All, ask(member)) })
        };
        self.members.iter().map(own).collect()
    }

    fn at<'q>(&'q self, query: &'q Query<'_>, at: &'q At<'_>, want: &Want<'q>) -> Result<Vec<Answer>> {
        self.each(query, |member| {
            let want = match want {
                Want::CurvatureTimes(hessian, v) => {
                    Want::CurvatureTimes(*hessian, Cow::Owned(member.embedding.apply(v)))
                }
                want => want.clone(),
            };
            // the best response scale of a member is not that of the others
            let (theta, response) = (Cow::Owned(member.embedding.apply(&at.theta)), ResponseChoice::AsGiven);
            Ask::At(At { theta, want, response, objective: at.objective, tau: at.tau, memory: at.memory.clone() })
        })
    }

    fn value(&self, values: impl Iterator<Item = Value>) -> Value {
        let zero = Value { rows: self.facts.rows, ..Value::default() };
        self.members.iter().zip(values).fold(zero, |sum, (member, own)| {
            let share = self.share(member);
            Value {
                loss: sum.loss + share * own.loss,
                unpenalised: sum.unpenalised + share * own.unpenalised,
                square: sum.square + share * own.square,
                label_square: sum.label_square + share * own.label_square,
                largest_square: sum.largest_square.max(share * own.largest_square),
                ..sum
            }
        })
    }

    fn vector<'v>(&self, vectors: impl Iterator<Item = &'v [f64]>) -> Vec<f64> {
        let mut sum = vec![0.0; self.dim()];
        for (member, own) in self.members.iter().zip(vectors) {
            member.embedding.add_gradient(self.share(member), own, &mut sum);
        }
        sum
    }

    /// The weighted sum of second derivatives, or none if one is missing.
    fn matrix<'m>(
        &self,
        matrices: impl Iterator<Item = Option<&'m Symmetric>>,
        factor: impl Fn(&Member) -> f64,
    ) -> Option<Symmetric> {
        let mut sum = Symmetric::zero(self.dim());
        for (member, own) in self.members.iter().zip(matrices) {
            member.embedding.add_matrix(factor(member), own?, &mut sum);
        }
        Some(sum)
    }

    fn gradient(&self, answers: Vec<Answer>) -> Result<Gradient> {
        let own: Vec<Gradient> = answers.into_iter().map(Answer::gradient).collect::<Result<_>>()?;
        let value = self.value(own.iter().map(|own| own.value));
        let gradient = self.vector(own.iter().map(|own| own.gradient.as_slice()));
        Ok(Gradient { value, gradient, remembered: Vec::new() })
    }

    /// Loss, gradient, norms and curvature. A column of J may be that of several entries of a member, so the norms need the
    /// Gauss–Newton curvature.
    fn model(&self, query: &Query<'_>, at: &At<'_>) -> Result<Model> {
        let models = |hessian| -> Result<Vec<Model>> {
            self.at(query, at, &Want::Curvature(hessian))?.into_iter().map(Answer::model).collect()
        };
        let curvature = |own: &[Model]| self.matrix(own.iter().map(Model::matrix), |member| self.share(member));
        let own = models(Hessian::GaussNewton)?;
        let squares = curvature(&own);
        let matrix = match at.want {
            Want::Curvature(Hessian::Full) => {
                curvature(&models(Hessian::Full)?).map(|matrix| Curvature { matrix, hessian: Hessian::Full })
            }
            Want::Curvature(hessian) => squares.clone().map(|matrix| Curvature { matrix, hessian }),
            _ => None,
        };
        let norm = |j: usize| squares.as_ref().map_or(f64::NAN, |matrix| (0.5 * matrix.at(j, j)).max(0.0).sqrt());
        let saturated = self.members.iter().zip(&own).map(|(member, own)| self.share(member) * own.saturated).sum();
        let value = self.value(own.iter().map(|own| own.first_order.value));
        let gradient = self.vector(own.iter().map(|own| own.first_order.gradient.as_slice()));
        Ok(Model {
            first_order: Gradient { value, gradient, remembered: Vec::new() },
            column_norms: (0..self.dim()).map(norm).collect(),
            saturated,
            curvature: matrix,
        })
    }

    fn meat(&self, query: &Query<'_>, theta: &[f64], tau: f64) -> Result<Meat> {
        let answers = self.each(query, |member| Ask::Meat {
            theta: Cow::Owned(member.embedding.apply(theta)),
            tau,
            weighting: Weighting::Plain,
        })?;
        let own: Vec<Meat> = answers.into_iter().map(Answer::meat).collect::<Result<_>>()?;
        let square = self.members.iter().zip(&own).map(|(member, own)| self.share(member) * own.square).sum();
        // weights are squared in the meat
        let factor =
            |member: &Member| self.share(member).powi(2) * self.facts.rows as f64 / member.driver.rows() as f64;
        let matrix = self.matrix(own.iter().map(|own| Some(&own.matrix)), factor);
        Ok(Meat {
            square,
            bread: self.matrix(own.iter().map(|own| own.bread.as_ref()), |member| self.share(member)),
            matrix: matrix.unwrap_or_else(|| Symmetric::zero(self.dim())),
            clusters: 0,
            largest_leverage: 0.0,
        })
    }

    fn normal_matrix(&self, query: &Query<'_>) -> Result<NormalEquations> {
        let answers = self.each(query, |_| Ask::NormalEquations { matrix: true, choices: Vec::new() })?;
        let own: Vec<NormalEquations> = answers.into_iter().map(Answer::normal_equations).collect::<Result<_>>()?;
        let matrix = self.matrix(own.iter().map(|own| own.matrix.as_ref()), |member| self.share(member));
        Ok(NormalEquations { matrix, right_sides: Vec::new() })
    }
}

impl Oracle for Joint {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn ask(&self, query: &Query<'_>) -> Result<Answer> {
        match &query.ask {
            Ask::At(at) => Ok(match &at.want {
                Want::Loss => {
                    let own: Vec<Value> =
                        self.at(query, at, &Want::Loss)?.into_iter().map(Answer::value).collect::<Result<_>>()?;
                    Answer::Value(self.value(own.into_iter()))
                }
                Want::Gradient => Answer::Gradient(self.gradient(self.at(query, at, &Want::Gradient)?)?),
                Want::Stationarity | Want::Curvature(_) => Answer::Model(self.model(query, at)?),
                want @ Want::CurvatureTimes(..) => {
                    let own: Vec<Vec<f64>> =
                        self.at(query, at, want)?.into_iter().map(Answer::product).collect::<Result<_>>()?;
                    Answer::Product(self.vector(own.iter().map(Vec::as_slice)))
                }
            }),
            Ask::Meat { theta, tau, weighting: Weighting::Plain } => Ok(Answer::Meat(self.meat(query, theta, *tau)?)),
            Ask::NormalEquations { matrix: true, choices } if choices.is_empty() => {
                Ok(Answer::NormalEquations(self.normal_matrix(query)?))
            }
            _ => Err(Error::data("a joint oracle was asked for more than sums at a point")),
        }
    }

    fn ask_all(&self, queries: &[Query<'_>]) -> Result<Vec<Answer>> {
        queries.iter().map(|query| self.ask(query)).collect()
    }

    fn predictor_dim(&self) -> usize {
        self.predictor
    }

    fn visited(&self) -> u64 {
        self.members.iter().map(|member| member.driver.visited()).sum()
    }

    fn add_visited(&self, rows: u64) {
        self.members.first().into_iter().for_each(|member| member.driver.add_visited(rows));
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::activation::named;
    use crate::oracle::{FreeResponse, Problem, Shard};
    use crate::rows::{Dense, Rows};

    /// Rows with weights of two covariates; the parts do not have the same number of rows, nor of weight.
    fn rows(range: std::ops::Range<u32>) -> Dense {
        let x = range.clone().flat_map(|k| [f64::from(k * 37 % 60) / 20.0 - 1.5, (0.7 * f64::from(k)).sin()]).collect();
        let y = range.clone().map(|k| f64::from(k * 11 % 30) / 10.0).collect();
        let weights = range.map(|k| 1.0 + f64::from(k % 5)).collect();
        Dense::new(x, 2, y).unwrap().with_weights(weights).unwrap()
    }

    /// The same problem twice: over all rows, and over three parts that share every parameter.
    fn both() -> (Driver, Joint) {
        let free = FreeResponse { offset: true, scale: true, asymptotes: true, ..FreeResponse::default() };
        let problem = Problem { response: free, ..Problem::new(named("probit").unwrap()) };
        let whole = problem.on(&rows(0..60)).unwrap();
        let facts = whole.facts().clone();
        let problem =
            Problem { coordinates: Some(facts.coordinates.clone()), scale: facts.response.clone(), ..problem };
        let member = |range| {
            let driver = Driver::new(Box::new(Shard::new(rows(range).share())), &problem).unwrap();
            let same = (0..5).map(|k| vec![(k, 1.0)]).collect();
            Member { driver, embedding: Embedding::new((0..5).collect(), same) }
        };
        let members = vec![member(0..13), member(13..40), member(40..60)];
        let joint = Joint::new(members, &facts, [3, 5], Arc::default()).unwrap();
        (whole, joint)
    }

    fn close(found: &[f64], expected: &[f64]) {
        let size = expected.iter().fold(1e-3, |most: f64, e| most.max(e.abs()));
        assert_eq!(found.len(), expected.len());
        found.iter().zip(expected).for_each(|(f, e)| assert!((f - e).abs() <= 1e-12 * size, "{found:?} {expected:?}"));
    }

    fn entries(matrix: &Symmetric) -> Vec<f64> {
        (0..matrix.order()).flat_map(|i| (0..=i).map(move |j| matrix.at(i, j))).collect()
    }

    #[test]
    fn parts_that_share_everything_are_the_whole() {
        let ((whole, joint), theta) = (both(), [0.4, -0.7, 0.2, 0.1, 0.9]);
        for (tau, hessian) in [(1.0, Hessian::GaussNewton), (1.0, Hessian::Full), (0.0, Hessian::GaussNewton)] {
            let ask = |oracle: &dyn Oracle, want| {
                let Ask::At(at) = Query::at(&theta[..], tau, Batch::All, want).ask else { panic!("not at a point") };
                let at = At { response: ResponseChoice::AsGiven, ..at };
                oracle.ask(&Query::new(Batch::All, Ask::At(at))).unwrap()
            };
            let models = [&whole as &dyn Oracle, &joint].map(|oracle| {
                let model = ask(oracle, Want::Curvature(hessian)).model().unwrap();
                let product = ask(oracle, Want::CurvatureTimes(hessian, Cow::Borrowed(&theta))).product().unwrap();
                let value = model.value;
                let numbers = [value.loss, value.square, value.label_square, value.unpenalised, model.saturated];
                (model.gradient.clone(), entries(model.matrix().unwrap()), product, numbers, model.column_norms.clone())
            });
            let [expected, found] = models;
            close(&found.0, &expected.0);
            close(&found.1, &expected.1);
            close(&found.3, &expected.3);
            // at τ = 0 the response scale has no columns of J, but a curvature that keeps the matrix regular
            let columns = if tau == 0.0 { 3 } else { 5 };
            close(&found.2[..columns], &expected.2[..columns]);
            close(&found.4[..columns], &expected.4[..columns]);
            let values = [&whole as &dyn Oracle, &joint].map(|oracle| ask(oracle, Want::Loss).value().unwrap());
            close(&[values[1].loss, values[1].largest_square], &[values[0].loss, values[0].largest_square]);
            let gradients =
                [&whole as &dyn Oracle, &joint].map(|oracle| ask(oracle, Want::Gradient).gradient().unwrap());
            close(&gradients[1].gradient, &gradients[0].gradient);
        }
        let meat = |oracle: &dyn Oracle| {
            let ask = Ask::Meat { theta: Cow::Borrowed(&theta), tau: 1.0, weighting: Weighting::Plain };
            let meat = oracle.ask(&Query::new(Batch::All, ask)).unwrap().meat().unwrap();
            (meat.square, entries(&meat.bread.unwrap()), entries(&meat.matrix))
        };
        let (found, expected) = (meat(&joint), meat(&whole));
        close(&[found.0], &[expected.0]);
        close(&found.1, &expected.1);
        close(&found.2, &expected.2);
    }

    #[test]
    fn derivatives_by_shared_and_mixed_entries_are_those_of_the_loss() {
        let (_, Joint { members, facts, .. }) = both();
        // the first two entries are shared; the third row mixes two entries
        let embed = |k: usize, member: Member| {
            let rows = vec![
                vec![(0, 1.0)],
                vec![(1, 1.0)],
                vec![(2, 1.0), (0, 0.5), (3, -0.2)],
                vec![(3, 1.0)],
                vec![(4, 1.0)],
            ];
            let entries = [0, 1, 2 + 3 * k, 3 + 3 * k, 4 + 3 * k];
            Member { embedding: Embedding::new(entries.to_vec(), rows), ..member }
        };
        let members = members.into_iter().enumerate().map(|(k, member)| embed(k, member)).collect();
        let joint = Joint::new(members, &facts, [5, 11], Arc::default()).unwrap();
        let theta: Vec<f64> = (0..11).map(|k| 0.5 + 0.3 * f64::from(k).sin()).collect();
        let model = |theta: &[f64]| {
            let query = Query::at(theta.to_vec(), 1.0, Batch::All, Want::Curvature(Hessian::Full));
            joint.ask(&query).unwrap().model().unwrap()
        };
        let here = model(&theta);
        for j in 0..11 {
            let moved = |step: f64| {
                let mut theta = theta.clone();
                theta[j] += step;
                model(&theta)
            };
            let (up, down) = (moved(1e-4), moved(-1e-4));
            let slope = (up.loss - down.loss) / 2e-4;
            assert!((slope - here.gradient[j]).abs() < 1e-7, "{j}: {slope} {}", here.gradient[j]);
            for i in 0..11 {
                let second = (up.gradient[i] - down.gradient[i]) / 2e-4;
                let expected = here.matrix().unwrap().at(i, j);
                assert!((second - expected).abs() < 1e-6, "{i} {j}: {second} {expected}");
            }
        }
    }
}
