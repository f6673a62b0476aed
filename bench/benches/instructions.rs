//! *Instructions* that a few kernels and whole fits execute, as callgrind counts them.
//!
//! A count is the same on a busy machine as on an idle one, so a change of one per cent shows. It is no time: what waits
//! for memory costs nothing here. Callgrind knows no AVX-512, so wider processors are counted by their AVX2 code.
//!
//! ```sh
//! make instructions
//! ```
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]
#![allow(missing_docs, reason = "what the macros make has none")]

mod problem;

use std::hint::black_box;

use agglio::activation::{Activation, Sigmoid, named};
use agglio::oracle::{Answer, Batch, Driver, Hessian, Oracle, Query, Want};
use agglio::rows::Dense;
use agglio::{Fitted, Options, Plan, Solver};
use gungraun::{library_benchmark, library_benchmark_group, main};

use problem::NOISE;

/// An oracle and where it is asked.
struct Question {
    oracle: Driver,
    theta: Vec<f64>,
}

impl Question {
    fn ask(&self, want: Want<'_>) -> Answer {
        self.oracle.ask(&Query::at(black_box(&self.theta), 1.0, Batch::All, want)).unwrap()
    }
}

/// A fit and its data.
struct Fitting {
    plan: Plan,
    rows: Dense,
}

/// Is never freed, so that freeing it is not counted; neither is the first answer, for which the kernels find out what
/// processor this is.
fn question(rows: usize, width: usize) -> &'static Question {
    let rows = Box::leak(Box::new(table(rows, width)));
    let oracle = problem::oracle(rows).unwrap();
    let theta = problem::point(&oracle);
    let question = Box::leak(Box::new(Question { oracle, theta }));
    question.ask(Want::Curvature(Hessian::GaussNewton));
    question
}

fn fitting(options: Options, rows: usize, width: usize) -> &'static Fitting {
    let plan = options.intercept(false).threads(1).build().unwrap();
    let fitting = Box::leak(Box::new(Fitting { plan, rows: table(rows, width) }));
    fitting.plan.fit(&fitting.rows).unwrap();
    fitting
}

fn default() -> Options {
    Options::new(named("sigmoid").unwrap())
}

/// 20 epochs of steps that visit few rows: what a step costs beside its rows shows here.
fn minibatches() -> Options {
    default().solver(Solver::Sgd).batch(50).epochs(20)
}

fn table(rows: usize, width: usize) -> Dense {
    let data = problem::draw(rows, width, NOISE).unwrap();
    Dense::new(data.values, width, data.labels).unwrap()
}

/// Predictors, and room for values and slopes.
fn columns() -> &'static mut [Vec<f64>; 3] {
    let z = problem::predictors();
    let room = vec![0.0; z.len()];
    let columns = Box::leak(Box::new([z, room.clone(), room]));
    respond(columns);
    columns
}

fn respond([z, value, slope]: &mut [Vec<f64>; 3]) {
    Sigmoid.respond_with_derivative(black_box(z), value, slope);
}

#[library_benchmark]
#[bench::of_1000x50(question(1000, 50))]
fn gradient(question: &'static Question) -> Answer {
    question.ask(Want::Gradient)
}

#[library_benchmark]
#[bench::of_1000x50(question(1000, 50))]
fn curvature(question: &'static Question) -> Answer {
    question.ask(Want::Curvature(Hessian::GaussNewton))
}

#[library_benchmark]
#[bench::of_1024(columns())]
fn sigmoid(columns: &'static mut [Vec<f64>; 3]) {
    respond(black_box(columns));
}

#[library_benchmark]
#[bench::of_200x5(fitting(default(), 200, 5))]
#[bench::of_1000x50(fitting(default(), 1000, 50))]
fn auto(fitting: &'static Fitting) -> Fitted {
    fitting.plan.fit(black_box(&fitting.rows)).unwrap()
}

#[library_benchmark]
#[bench::of_1000x50(fitting(minibatches(), 1000, 50))]
fn sgd(fitting: &'static Fitting) -> Fitted {
    fitting.plan.fit(black_box(&fitting.rows)).unwrap()
}

library_benchmark_group!(name = kernels, benchmarks = [gradient, curvature, sigmoid]);
library_benchmark_group!(name = fits, benchmarks = [auto, sgd]);
main!(library_benchmark_groups = [kernels, fits]);
