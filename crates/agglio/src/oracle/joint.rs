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
        let facts = Facts { layout, coordinates, response: None, ..pooled.clone() };
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
            member.driver.ask(&Query { batch: Batch::All, ask: ask(member), labels: query.labels })
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
