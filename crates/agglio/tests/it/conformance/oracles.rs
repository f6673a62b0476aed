//! Oracles under the suite.

use std::sync::atomic::{AtomicUsize, Ordering};

use agglio::activation::named;
use agglio::conformance;
use agglio::oracle::{
    Answer, Ask, At, Batch, Driver, Facts, Hessian, LabelChoice, Margin, Memory, Objective, Oracle, Partition,
    PreimageBranch, Problem, Query, Shard, Want, Weighting,
};
use agglio::rows::{Dense, Rows, Scaling};
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Result, Symmetric};

use super::assert_caught;
use crate::bank;

/// The problems that oracles are made of: with and without intercept, scaling, penalty, weights and offsets.
fn problems(activation: &str) -> Vec<Problem> {
    let problem = Problem::new(named(activation).unwrap());
    vec![
        Problem { margins: vec![0.1, 0.01], ..problem.clone() },
        Problem { scaling: Scaling::None, intercept: false, ..problem.clone() },
        Problem { l2: 0.3, ..problem },
    ]
}

fn table(activation: &str, n: usize) -> Dense {
    let data = bank::paper(activation, n, 4, LabelNoise::Post(0.05, Shape::Gauss), 1);
    let weights = (0..n).map(|i| 0.5 + (i % 4) as f64).collect();
    let offsets = (0..n).map(|i| (i % 3) as f64 * 0.1).collect();
    let clusters = (0..n).map(|i| (i * i % 11) as u32).collect();
    let rows = bank::rows(&data).with_weights(weights).unwrap().with_offsets(offsets).unwrap();
    rows.with_clusters(clusters).unwrap()
}

#[track_caller]
fn assert_conforms(oracle: &dyn Oracle, case: &str) {
    conformance::oracle(oracle).unwrap_or_else(|failure| panic!("{case}: {failure}"));
}

#[test]
fn the_driver_over_one_shard_conforms_for_every_activation() {
    for activation in bank::activations() {
        for (i, problem) in problems(activation).iter().enumerate() {
            assert_conforms(&problem.on(&table(activation, 90)).unwrap(), &format!("{activation}, problem {i}"));
        }
    }
}

/// More rows than a leaf has, labels beyond the range, rows without weight, few rows, and more columns than rows.
#[test]
fn the_driver_conforms_on_tables_of_every_kind() {
    let problem = &problems("sigmoid")[0];
    assert_conforms(&problem.on(&table("sigmoid", 2500)).unwrap(), "many rows");
    assert_conforms(&problem.on(&table("sigmoid", 3)).unwrap(), "few rows");
    let data = bank::paper("sigmoid", 60, 3, LabelNoise::Post(0.8, Shape::Gauss), 2);
    let weights = (0..60).map(|i| f64::from(u8::from(i % 7 != 0))).collect();
    assert_conforms(&problem.on(&bank::rows(&data).with_weights(weights).unwrap()).unwrap(), "labels beyond the range");
    let single = data.values.iter().map(|&x| x as f32).collect();
    assert_conforms(&problem.on(&Dense::new_f32(single, 3, data.labels.clone()).unwrap()).unwrap(), "single precision");
    // a column that carries nothing, and one with a large mean
    let values = data.values.chunks(3).flat_map(|x| [x[0], 2.5, 1e6 + x[2]]).collect();
    assert_conforms(&problem.on(&Dense::new(values, 3, data.labels).unwrap()).unwrap(), "uneven columns");
    let wide = bank::paper("silu", 8, 20, LabelNoise::Post(0.05, Shape::Gauss), 2);
    assert_conforms(&problems("silu")[0].on(&bank::rows(&wide)).unwrap(), "more columns than rows");
    let very_wide = bank::paper("silu", 30, 1001, LabelNoise::Post(0.05, Shape::Gauss), 2);
    assert_conforms(&problems("silu")[2].on(&bank::rows(&very_wide)).unwrap(), "a curvature that is never formed");
}

#[test]
fn partitions_conform() {
    for (activation, cuts) in
        [("sigmoid", vec![0, 90]), ("silu", vec![0, 20, 21, 90]), ("softplus", vec![0, 40, 50, 60, 75, 90])]
    {
        let rows = bank::paper(activation, 90, 4, LabelNoise::Post(0.05, Shape::Gauss), 1);
        let shard = |span: &[usize]| {
            let (from, to) = (span[0], span[1]);
            let part = Dense::new(rows.values[4 * from..4 * to].to_vec(), 4, rows.labels[from..to].to_vec()).unwrap();
            Shard::new(part.share()).beginning_at(from)
        };
        for problem in problems(activation) {
            let shards = Partition::new(cuts.windows(2).map(shard).collect()).unwrap();
            let case = format!("{activation} in {} parts", cuts.len() - 1);
            assert_conforms(&Driver::new(Box::new(shards), &problem).unwrap(), &case);
        }
    }
}

/// An oracle with one fault.
struct Broken {
    inner: Driver,
    facts: Facts,
    fault: &'static str,
    calls: AtomicUsize,
}

impl Broken {
    fn new(fault: &'static str) -> Broken {
        let problem = Problem { l2: 0.3, margins: vec![0.1, 0.01], ..Problem::new(named("silu").unwrap()) };
        let inner = problem.on(&table("silu", 90)).unwrap();
        let mut facts = inner.facts().clone();
        match fault {
            "a baseline of something else" => facts.baseline.loss *= 1.01,
            "labels that are too few" => facts.label_bounds = (0.0, 0.01),
            _ => {}
        }
        Broken { inner, facts, fault, calls: AtomicUsize::new(0) }
    }

    fn penalty_matrix(&self, matrix: &mut Symmetric, sign: f64) {
        (0..self.facts.layout.coefficients)
            .for_each(|j| matrix.set(j, j, matrix.at(j, j) + sign * 2.0 * self.facts.l2));
    }

    /// The question that is answered in the place of another.
    fn question<'a>(&self, query: &Query<'a>) -> Query<'a> {
        let mut query = query.clone();
        match (self.fault, &mut query.ask) {
            ("a batch that repeats itself", _) => {
                if let Batch::Part { start, .. } = &mut query.batch {
                    *start = 0;
                }
            }
            ("labels without margins", _) if query.labels.is_none() => {
                query.labels = Some(LabelChoice { margin: Margin::None, branch: PreimageBranch::Left });
            }
            ("Gauss and Newton in every place", Ask::At(At { want: Want::CurvatureTimes(hessian, _), .. })) => {
                *hessian = Hessian::GaussNewton;
            }
            ("half of a product", Ask::At(At { want: Want::CurvatureTimes(_, v), .. }))
            | (
                "half of a product by Gauss and Newton",
                Ask::At(At { want: Want::CurvatureTimes(Hessian::GaussNewton, v), .. }),
            ) => {
                v.to_mut().iter_mut().skip(1).for_each(|v| *v = 0.0);
            }
            ("no matching loss", Ask::At(at)) => at.objective = Objective::Loss,
            ("memory that is only renewed", Ask::At(at)) if at.memory != Memory::Unused => at.memory = Memory::Renew,
            ("scores of rows, not of clusters", Ask::Meat { weighting, .. }) if *weighting == Weighting::Clusters => {
                *weighting = Weighting::Plain;
            }
            ("leverages that are ignored", Ask::Meat { weighting: Weighting::Leverage { power, .. }, .. }) => {
                *power = 0;
            }
            ("means without noise", Ask::MeanLoss { sigma, .. }) => *sigma = 0.0,
            _ => {}
        }
        query
    }

    fn spoil(&self, query: &Query<'_>, answer: Answer) -> Answer {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        let Ask::At(at) = &query.ask else { return self.spoil_other(answer) };
        match (self.fault, answer) {
            ("a value in the place of a gradient", Answer::Gradient(gradient)) => Answer::Value(gradient.value),
            ("a loss of its own", Answer::Model(mut model)) => {
                model.loss *= 1.0 + 1e-8;
                Answer::Model(model)
            }
            ("a gradient of half the loss", Answer::Gradient(mut gradient)) => {
                gradient.gradient.iter_mut().for_each(|g| *g *= 0.5);
                Answer::Gradient(gradient)
            }
            ("a gradient of half the loss", Answer::Model(mut model)) => {
                model.gradient.iter_mut().for_each(|g| *g *= 0.5);
                Answer::Model(model)
            }
            ("norms without their root", Answer::Model(mut model)) => {
                model.column_norms.iter_mut().for_each(|norm| *norm *= *norm);
                Answer::Model(model)
            }
            ("a matrix without penalty", Answer::Model(mut model)) => {
                if let Some(curvature) = &mut model.curvature {
                    self.penalty_matrix(&mut curvature.matrix, -1.0);
                }
                Answer::Model(model)
            }
            ("a loss without penalty", Answer::Value(mut value)) => {
                value.loss = value.unpenalised;
                Answer::Value(value)
            }
            ("no penalty at all", Answer::Value(mut value)) => {
                value.loss = value.unpenalised;
                Answer::Value(value)
            }
            ("no penalty at all", Answer::Gradient(mut gradient)) => {
                gradient.loss = gradient.unpenalised;
                self.add_penalty(&mut gradient.gradient, &at.theta, -f64::from(u8::from(at.memory == Memory::Unused)));
                Answer::Gradient(gradient)
            }
            ("no penalty at all", Answer::Model(mut model)) => {
                model.loss = model.unpenalised;
                self.add_penalty(&mut model.gradient, &at.theta, -1.0);
                Answer::Model(model)
            }
            ("no penalty at all", Answer::Product(mut product)) => {
                if let Want::CurvatureTimes(_, v) = &at.want {
                    self.add_penalty(&mut product, v, -1.0);
                }
                Answer::Product(product)
            }
            ("memory in the order of the rows", Answer::Gradient(mut gradient)) => {
                gradient.remembered.reverse();
                Answer::Gradient(gradient)
            }
            ("a clock", Answer::Value(mut value)) => {
                value.largest_square *= 1.0 + (calls % 100) as f64 * 1e-15;
                Answer::Value(value)
            }
            (_, answer) => answer,
        }
    }

    fn add_penalty(&self, vector: &mut [f64], theta: &[f64], sign: f64) {
        let w = self.facts.layout.coefficients(theta);
        vector.iter_mut().zip(w).for_each(|(g, w)| *g += sign * 2.0 * self.facts.l2 * w);
    }

    fn spoil_other(&self, answer: Answer) -> Answer {
        match (self.fault, answer) {
            ("no penalty at all" | "normal equations without penalty", Answer::NormalEquations(mut equations)) => {
                equations.matrix.iter_mut().for_each(|matrix| self.penalty_matrix(matrix, -1.0));
                Answer::NormalEquations(equations)
            }
            ("half of the meat", Answer::Meat(mut meat)) => {
                let order = meat.matrix.order();
                (0..order).for_each(|i| (0..=i).for_each(|j| meat.matrix.set(i, j, 0.5 * meat.matrix.at(i, j))));
                Answer::Meat(meat)
            }
            ("half of the derivative of the slope", Answer::MeanSlope(mut slope)) => {
                slope.gradient.iter_mut().for_each(|g| *g *= 0.5);
                Answer::MeanSlope(slope)
            }
            ("a slope of its own", Answer::MeanSlope(mut slope)) => {
                slope.value += 0.1;
                Answer::MeanSlope(slope)
            }
            (_, answer) => answer,
        }
    }
}

impl Oracle for Broken {
    fn facts(&self) -> &Facts {
        &self.facts
    }
    fn ask(&self, query: &Query<'_>) -> Result<Answer> {
        let asked = self.question(query);
        Ok(self.spoil(query, self.inner.ask(&asked)?))
    }
    fn ask_all(&self, queries: &[Query<'_>]) -> Result<Vec<Answer>> {
        let asked: Vec<Query<'_>> = queries.iter().map(|query| self.question(query)).collect();
        let answers = self.inner.ask_all(&asked)?.into_iter().zip(queries);
        let mut answers: Vec<Answer> = answers.map(|(answer, query)| self.spoil(query, answer)).collect();
        if self.fault == "answers in another order" {
            let last = answers.len() - 1;
            (0..last)
                .filter(|i| std::mem::discriminant(&answers[*i]) == std::mem::discriminant(&answers[i + 1]))
                .collect::<Vec<_>>()
                .into_iter()
                .for_each(|i| answers.swap(i, i + 1));
        }
        Ok(answers)
    }
    fn visited(&self) -> u64 {
        match self.fault {
            "visits of questions" => self.calls.load(Ordering::Relaxed) as u64,
            _ => self.inner.visited(),
        }
    }
    fn add_visited(&self, rows: u64) {
        self.inner.add_visited(rows);
    }
}

#[test]
fn every_law_of_an_oracle_can_fail() {
    let types = "answers have the type, the shape and the rows of their questions";
    let gradient = "the gradient is the derivative of the loss";
    let curvature = "the full curvature is the derivative of the gradient";
    let memory = "memory answers with coefficients and with differences to them";
    let meat = "bread and meat are sums over the rows of a sandwich";
    let slope = "the mean slope is that of the matching loss, with its derivative";
    let mutants = [
        ("a value in the place of a gradient", types),
        ("a loss of its own", "what is asked for beside the loss does not change it"),
        ("a loss without penalty", "what is asked for beside the loss does not change it"),
        ("a gradient of half the loss", gradient),
        ("Gauss and Newton in every place", curvature),
        ("no matching loss", "the matching loss is least squares without the derivative"),
        ("norms without their root", "the column norms are the diagonal of the Gauss–Newton curvature"),
        ("a matrix without penalty", "the column norms are the diagonal of the Gauss–Newton curvature"),
        ("half of a product", curvature),
        ("half of a product by Gauss and Newton", "the curvature times a vector is the product"),
        ("no penalty at all", "the penalty is λ‖w‖² in loss and gradient, and on no intercept"),
        ("normal equations without penalty", "the normal equations are the problem at τ = 0"),
        ("labels without margins", "labels do not matter at τ = 1, and default labels are those of the oracle"),
        ("a batch that repeats itself", "batches that part the rows merge to all rows"),
        ("memory that is only renewed", memory),
        ("memory in the order of the rows", memory),
        ("answers in another order", "several questions have the answers of each, in their order"),
        ("a clock", "an answer does not depend on what was asked before"),
        ("visits of questions", "every row that a question visits is counted"),
        ("half of the meat", meat),
        ("leverages that are ignored", meat),
        ("scores of rows, not of clusters", "scores of clusters are gradients"),
        ("half of the derivative of the slope", slope),
        ("a slope of its own", slope),
        ("labels that are too few", "the facts are those of the answers"),
        ("a baseline of something else", "the baseline is the best model without covariates"),
        ("means without noise", "the losses of predictions agree with each other"),
    ];
    let caught = mutants.map(|(fault, law)| (fault, conformance::oracle(&Broken::new(fault)), law));
    assert_caught(conformance::oracle_laws(), &caught);
}
