//! Rows in several places: shards behind byte messages answer with the same bits as shards in this thread, whichever of them
//! are lost and replaced on the way.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use agglio::activation::{Range, named};
use agglio::fit::Silent;
use agglio::inference::Covariance;
use agglio::math::rng::Permutation;
use agglio::oracle::{
    Batch, Frame, Hessian, Measured, Oracle, PartialSums, Partition, Problem, Query, Reply, Request, Shard, Shards,
    Tally, Want,
};
use agglio::rows::{Dense, Rows};
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Error, Fitted, Noise, Options, Plan, Report, Restarts, Result, Solver};
use proptest::prelude::*;

use crate::bank;

/// Messages that a worker answers before it is lost.
const LIFETIME: usize = 3;

/// A worker: a thread that holds a shard and knows nothing but the bytes that it is sent.
#[derive(Debug)]
struct Worker {
    requests: Sender<Vec<u8>>,
    replies: Receiver<Vec<u8>>,
}

impl Worker {
    fn start(rows: Dense, first: usize, lifetime: usize) -> Worker {
        let (requests, inbox) = channel::<Vec<u8>>();
        let (outbox, replies) = channel();
        thread::spawn(move || {
            let mut shard = Shard::new(rows.share()).beginning_at(first);
            for message in inbox.iter().take(lifetime) {
                let request: Request<'_> = postcard::from_bytes(&message).unwrap();
                let reply = request.carry_out(&mut shard).unwrap();
                if outbox.send(postcard::to_stdvec(&reply).unwrap()).is_err() {
                    break;
                }
            }
        });
        Worker { requests, replies }
    }

    /// None if the worker is lost.
    fn ask(&self, request: &Request<'_>) -> Option<Reply> {
        self.requests.send(postcard::to_stdvec(request).unwrap()).ok()?;
        postcard::from_bytes(&self.replies.recv().ok()?).ok()
    }
}

/// A shard elsewhere, which is started again from its rows and its frame where it is lost.
#[derive(Debug)]
struct Remote {
    rows: Dense,
    first: usize,
    lifetime: usize,
    state: Mutex<(Worker, Option<Frame>)>,
    /// How often a worker was lost.
    lost: Arc<Mutex<usize>>,
}

impl Remote {
    fn new(rows: Dense, first: usize, lifetime: usize, lost: Arc<Mutex<usize>>) -> Remote {
        let worker = Worker::start(rows.clone(), first, lifetime);
        Remote { rows, first, lifetime, state: Mutex::new((worker, None)), lost }
    }

    fn ask(&self, request: &Request<'_>) -> Reply {
        let (worker, frame) = &mut *self.state.lock().unwrap();
        loop {
            if let Some(reply) = worker.ask(request) {
                if let Request::Prepare(new) = request {
                    *frame = Some((**new).clone());
                }
                return reply;
            }
            *self.lost.lock().unwrap() += 1;
            *worker = Worker::start(self.rows.clone(), self.first, self.lifetime);
            if let Some(frame) = frame {
                worker.ask(&Request::Prepare(Box::new(frame.clone()))).unwrap();
            }
        }
    }
}

impl Shards for Remote {
    fn measure(&self, range: Range, columns: bool) -> Result<Measured> {
        match self.ask(&Request::Measure { range, columns }) {
            Reply::Measured(measured) => Ok(*measured),
            reply => panic!("{reply:?}"),
        }
    }

    fn prepare(&mut self, frame: &Frame) -> Result<Tally> {
        match self.ask(&Request::Prepare(Box::new(frame.clone()))) {
            Reply::Prepared(tally) => Ok(tally),
            reply => panic!("{reply:?}"),
        }
    }

    fn answer(&self, queries: &[Query<'_>]) -> Result<Vec<PartialSums>> {
        match self.ask(&Request::Answer(queries.to_vec())) {
            Reply::Answered(sums) => Ok(sums),
            reply => panic!("{reply:?}"),
        }
    }

    fn answer_one(&self, query: &Query<'_>) -> Result<PartialSums> {
        match self.ask(&Request::AnswerOne(query.clone())) {
            Reply::Answered(sums) => Ok(sums.into_iter().next().unwrap()),
            reply => panic!("{reply:?}"),
        }
    }
}

/// A table that is cut into parts of unequal length, each with its first row's place.
struct Cut(Vec<(usize, Dense)>);

impl Cut {
    fn new(activation: &str, rows: usize, parts: usize, weighted: bool) -> Cut {
        let data = bank::paper(activation, rows, 4, LabelNoise::Post(0.05, Shape::Gauss), 3);
        let bound = |k: usize| rows * k * (k + 1) / (parts * (parts + 1));
        let part = |k: usize| {
            let (from, to) = (bound(k), bound(k + 1));
            let table = Dense::new(data.values[4 * from..4 * to].to_vec(), 4, data.labels[from..to].to_vec()).unwrap();
            // weights of every part are in units of their own
            let weight = |i: usize| (k + 1) as f64 * (0.5 + (i % 3) as f64);
            let table = match weighted {
                true => table.with_weights((from..to).map(weight).collect()).unwrap(),
                false => table,
            };
            (from, table)
        };
        Cut((0..parts).map(part).collect())
    }

    fn local(&self) -> Box<dyn Shards> {
        let shard = |(first, rows): &(usize, Dense)| Shard::new(rows.share()).beginning_at(*first);
        Box::new(Partition::new(self.0.iter().map(shard).collect()).unwrap())
    }

    /// The parts behind messages; all workers but the last are lost again and again.
    fn remote(&self, lost: &Arc<Mutex<usize>>) -> Box<dyn Shards> {
        let last = self.0.len() - 1;
        let remote = |(k, (first, rows)): (usize, &(usize, Dense))| {
            let lifetime = if k == last { usize::MAX } else { LIFETIME + k };
            Remote::new(rows.clone(), *first, lifetime, lost.clone())
        };
        Box::new(Partition::new(self.0.iter().enumerate().map(remote).collect()).unwrap())
    }
}

fn bits(report: &Report) -> Vec<u64> {
    let numbers = [report.intercept, report.loss, report.path_loss, report.passes];
    report.coefficients.iter().chain(&numbers).map(|number| number.to_bits()).collect()
}

fn plans(activation: &str) -> Vec<Plan> {
    let options = || Options::new(named(activation).unwrap());
    // two need labels inside the range
    let solvers = Solver::ALL.into_iter().filter(|solver| ![Solver::Linear, Solver::Theory].contains(solver));
    let several = solvers.map(|solver| options().solver(solver).epochs(5));
    let auto = [options(), options().noise(Noise::Auto), options().restarts(Restarts::Count(3)), options().l2(0.01)];
    several.chain(auto).map(|options| options.build().unwrap()).collect()
}

#[test]
fn shards_behind_messages_give_the_same_bits_though_all_but_one_are_lost() {
    for (activation, rows, weighted) in [("sigmoid", 900, true), ("silu", 400, false), ("softplus", 5000, false)] {
        let cut = Cut::new(activation, rows, 4, weighted);
        for plan in plans(activation) {
            let lost = Arc::new(Mutex::new(0));
            let here = plan.fit_shards(cut.local(), &mut Silent).unwrap();
            let there = plan.fit_shards(cut.remote(&lost), &mut Silent).unwrap();
            assert_eq!(bits(&here), bits(&there), "{activation}: {plan:?}");
            assert_eq!(here.status(), there.status());
            assert!(*lost.lock().unwrap() >= 3, "hardly anything was lost");
        }
    }
}

/// A cluster may have rows in several parts.
#[test]
fn standard_errors_of_shards_behind_messages_have_the_same_bits() {
    for (rows, weighted) in [(900, true), (5000, false)] {
        let mut cut = Cut::new("sigmoid", rows, 4, weighted);
        for (from, part) in &mut cut.0 {
            let codes = (0..part.len()).map(|i| ((*from + i) % 37) as u32).collect();
            *part = part.clone().with_clusters(codes).unwrap();
        }
        let (plan, lost) = (Options::new(named("sigmoid").unwrap()).build().unwrap(), Arc::new(Mutex::new(0)));
        let here = plan.fit_shards(cut.local(), &mut Silent).unwrap();
        let there = plan.fit_shards(cut.remote(&lost), &mut Silent).unwrap();
        for kind in Covariance::ALL {
            let bits = |fitted: &Fitted| {
                let inference = fitted.inference(kind).unwrap().unwrap();
                let effects = inference.marginal_effects().unwrap().unwrap();
                let numbers = inference.estimates().into_iter().chain(effects);
                numbers.map(|estimate| estimate.standard_error.unwrap().to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(bits(&here), bits(&there), "{kind}");
        }
    }
}

#[test]
fn a_table_in_parts_is_the_table() {
    for (activation, rows) in [("sigmoid", 900), ("gelu", 700), ("exp", 300)] {
        let cut = Cut::new(activation, rows, 3, false);
        let data = bank::paper(activation, rows, 4, LabelNoise::Post(0.05, Shape::Gauss), 3);
        let plan = Options::new(named(activation).unwrap()).build().unwrap();
        let whole = plan.fit(&bank::rows(&data)).unwrap();
        let parts = plan.fit_shards(cut.local(), &mut Silent).unwrap();
        assert_eq!((whole.status(), whole.passes), (parts.status(), parts.passes), "{activation}");
        assert!(bank::largest_difference(&whole.coefficients, &parts.coefficients) <= 1e-11, "{activation}");
    }
}

#[test]
fn parts_with_other_columns_are_refused() {
    let rows = |width: usize| Dense::new(vec![0.5; 4 * width], width, vec![0.1, 0.2, 0.3, 0.4]).unwrap();
    let parts = [rows(2), rows(3)].map(|rows| Shard::new(rows.share())).into();
    let shards = Box::new(Partition::new(parts).unwrap());
    let refused: Error =
        Options::new(named("sigmoid").unwrap()).build().unwrap().fit_shards(shards, &mut Silent).unwrap_err();
    assert!(refused.to_string().contains("differ in their columns"), "{refused}");
    assert!(Partition::<Shard>::new(Vec::new()).is_err());
}

#[test]
fn one_holder_of_all_rows_is_the_local_oracle() {
    let data = bank::paper("silu", 3000, 3, LabelNoise::Post(0.05, Shape::Gauss), 5);
    let (rows, problem) = (bank::rows(&data), Problem::new(named("silu").unwrap()));
    let one = Partition::new(vec![Shard::new(rows.share())]).unwrap();
    let oracles = [problem.on(&rows).unwrap(), agglio::oracle::Driver::new(Box::new(one), &problem).unwrap()];
    let theta = [0.3, -0.2, 0.5, 0.1];
    for batch in [Batch::All, Batch::Part { key: 7, start: 10, len: 1500 }] {
        let [a, b] = [0, 1].map(|k: usize| {
            let query = Query::at(&theta[..], 0.4, batch, Want::Curvature(Hessian::Full));
            oracles[k].ask(&query).unwrap().model().unwrap()
        });
        assert_eq!(a, b);
    }
}

proptest! {
    /// Every holder of rows can tell where its rows stand in a permutation.
    #[test]
    fn positions_undo_permutations(key: u64, len in 1usize..5000, at in 0usize..5000) {
        let permutation = Permutation::new(key, len);
        let position = at % len;
        prop_assert_eq!(permutation.position(permutation.at(position)), position);
        prop_assert_eq!(permutation.at(permutation.position(position)), position);
    }
}
