//! Rows that are read block by block: every answer has the bits of the same rows in memory, memory is bounded, and faults and
//! interrupts in the middle of a pass end the fit.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use agglio::activation::{Range, named};
use agglio::error::ErrorKind;
use agglio::fit::Silent;
use agglio::inference::Covariance;
use agglio::model::Model;
use agglio::oracle::{
    Batch, Driver, Frame, Hessian, Measured, Oracle, PartialSums, Problem, Query, Shard, Shards, Stream, Tally, Want,
};
use agglio::read::{Cache, CacheWriter, Layout};
use agglio::rows::{Blocks, Columns, Cut, Dense, Rows};
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Error, Fitted, Noise, Options, Report, Restarts, Result, Solver, conformance};
use serde::Serialize;

use crate::bank;

fn table(activation: &str, rows: usize, width: usize) -> Dense {
    bank::rows(&bank::paper(activation, rows, width, LabelNoise::Post(0.05, Shape::Gauss), 3))
}

/// The same rows with weights, offsets and clusters.
fn with_columns(rows: Dense) -> Dense {
    let n = rows.len();
    let weights = (0..n).map(|i| if i % 7 == 0 { 0.0 } else { 0.5 + (i % 4) as f64 }).collect();
    let offsets = (0..n).map(|i| (i % 3) as f64 * 0.1).collect();
    let clusters = (0..n).map(|i| (i * i % 37) as u32).collect();
    rows.with_weights(weights).unwrap().with_offsets(offsets).unwrap().with_clusters(clusters).unwrap()
}

fn stream(rows: &dyn Rows, block_rows: usize) -> Stream {
    Stream::new(Arc::new(Cut::new(rows, block_rows).unwrap())).unwrap()
}

/// A table in memory and as a stream, which must agree in every bit of everything that they are asked.
#[derive(Debug)]
struct Both {
    memory: Shard,
    stream: Stream,
    asked: Arc<AtomicUsize>,
}

impl Both {
    fn new(rows: &dyn Rows, stream: Stream) -> Both {
        Both { memory: Shard::new(rows.share()), stream, asked: Arc::default() }
    }

    #[track_caller]
    fn agree<T: Serialize + std::fmt::Debug>(&self, memory: T, stream: T) -> T {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let bytes = |value: &T| postcard::to_stdvec(value).unwrap();
        assert!(bytes(&memory) == bytes(&stream), "{memory:?}\n{stream:?}");
        stream
    }
}

impl Shards for Both {
    fn rows_here(&self) -> usize {
        self.stream.rows_here()
    }

    fn measure(&self, range: Range, columns: bool) -> Result<Measured> {
        Ok(self.agree(self.memory.measure(range, columns)?, self.stream.measure(range, columns)?))
    }

    fn prepare(&mut self, frame: &Frame) -> Result<Tally> {
        let (memory, stream) = (self.memory.prepare(frame)?, self.stream.prepare(frame)?);
        Ok(self.agree(memory, stream))
    }

    fn answer(&self, queries: &[Query<'_>]) -> Result<Vec<PartialSums>> {
        Ok(self.agree(self.memory.answer(queries)?, self.stream.answer(queries)?))
    }

    fn answer_one(&self, query: &Query<'_>) -> Result<PartialSums> {
        Ok(self.agree(self.memory.answer_one(query)?, self.stream.answer_one(query)?))
    }
}

/// Fits both, and asks for the standard errors of every kind.
fn fit_both(options: Options, both: Both) -> Fitted {
    let asked = both.asked.clone();
    let fitted = options.build().unwrap().fit_shards(Box::new(both), &mut Silent).unwrap();
    for kind in Covariance::ALL {
        if let Ok(inference) = fitted.inference(kind).unwrap() {
            assert!(inference.estimates().iter().any(|estimate| estimate.standard_error.is_some()), "{kind}");
        }
    }
    assert!(asked.load(Ordering::Relaxed) > 5);
    fitted
}

fn options(activation: &str) -> Options {
    Options::new(named(activation).unwrap())
}

#[test]
fn blocks_of_every_size_have_the_bits_of_the_table() {
    for leaves in [1, 2, 3, 5, 7, 8, 11] {
        for rows in [1024 * leaves, 1024 * leaves - 1023, 1024 * leaves - 300] {
            let table = table("sigmoid", rows.max(40), 3);
            for block in [1024, 2048, 4096, 16384] {
                let fitted = fit_both(options("sigmoid").epochs(6), Both::new(&table, stream(&table, block)));
                assert_eq!(fitted.rows, rows.max(40));
            }
        }
    }
}

#[test]
fn every_activation_and_solver_has_the_bits_of_the_table() {
    for activation in bank::activations() {
        let table = with_columns(table(activation, 5000, 4));
        fit_both(options(activation).epochs(8), Both::new(&table, stream(&table, 1024)));
    }
    let table = table("silu", 6000, 4);
    let full = Solver::ALL.into_iter().filter(|solver| !solver.uses_batches());
    for solver in full.filter(|solver| ![Solver::Linear, Solver::Theory].contains(solver)) {
        fit_both(options("silu").solver(solver).epochs(5), Both::new(&table, stream(&table, 2048)));
    }
    let noisy = [
        options("silu").noise(Noise::Auto),
        options("silu").l2(0.01),
        options("silu").set("affine", "free,free").unwrap(),
    ];
    for options in noisy {
        fit_both(options, Both::new(&table, stream(&table, 2048)));
    }
}

#[test]
fn tables_of_every_kind_have_their_bits() {
    let data = bank::paper("sigmoid", 5000, 3, LabelNoise::Post(0.05, Shape::Gauss), 9);
    let single = data.values.iter().map(|&x| x as f32).collect();
    let single = Dense::new_f32(single, 3, data.labels.clone()).unwrap();
    // squares that overflow, a mean far from the first rows, a constant column
    let odd = |i: usize, x: f64| match i % 3 {
        0 => 1e200 * x,
        1 if i < 3 * 1024 => 1e9 + x,
        1 => -1e9 + x,
        _ => 3.0,
    };
    let odd = data.values.iter().enumerate().map(|(i, &x)| odd(i, x)).collect();
    let odd = Dense::new(odd, 3, data.labels.clone()).unwrap();
    assert!(!odd.units().is_empty());
    let dose: Vec<f64> = (0..5000).map(|i| (i % 9) as f64).collect();
    let limited = Dense::new(dose.clone(), 1, data.labels.clone()).unwrap();
    let limited = limited.with_limits(&dose.iter().map(|dose| *dose == 0.0).collect::<Vec<_>>()).unwrap();
    for (k, table) in [single, odd, limited].iter().enumerate() {
        let options = if k == 1 { options("sigmoid").epochs(10) } else { options("sigmoid") };
        fit_both(options, Both::new(table, stream(table, 1024)));
    }
    // the mean of the first rows is not representative
    let far = (0..5000).map(|i| if i < 1024 { 1e9 + data.values[i] } else { data.values[i] }).collect();
    let far = Dense::new(far, 1, data.labels).unwrap().with_weights(vec![2.0; 5000]).unwrap();
    fit_both(options("sigmoid").epochs(5), Both::new(&far, stream(&far, 1024)));
}

/// The default solver begins on samples; restarts take random halves and quarters of the rows.
#[test]
fn samples_have_the_bits_of_the_table_in_any_room() {
    let table = with_columns(table("sigmoid", 40_000, 2));
    let mut reads = Vec::new();
    for room in [1, 3000 * 24, Stream::ROOM] {
        let counted = Arc::new(Counted::new(&table, 4096));
        let stream = Stream::new(counted.clone()).unwrap().with_room(room);
        let fitted = fit_both(options("sigmoid").restarts(Restarts::Count(2)), Both::new(&table, stream));
        assert!(fitted.certificate().certified());
        reads.push(counted.reads.load(Ordering::Relaxed));
    }
    assert!(reads[0] > reads[1] && reads[1] > reads[2], "{reads:?}");
    let oracle = |room: usize| {
        Driver::new(Box::new(stream(&table, 4096).with_room(room)), &Problem::new(named("sigmoid").unwrap())).unwrap()
    };
    let memory = Problem::new(named("sigmoid").unwrap()).on(&table).unwrap();
    for room in [1, 3000 * 24, Stream::ROOM] {
        let oracle = oracle(room);
        for (start, len) in [(0, 2000), (100, 5000), (0, 40_000), (39_999, 10), (40_000, 10), (7, 0)] {
            let query = Query::at(
                &[0.3, -0.2, 0.1][..],
                0.5,
                Batch::Part { key: 5, start, len },
                Want::Curvature(Hessian::Full),
            );
            let [one, other] = [&memory, &oracle].map(|oracle| oracle.ask(&query).unwrap().model().unwrap());
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{start} {len}");
        }
    }
}

#[test]
fn a_stream_conforms_as_an_oracle() {
    for activation in ["sigmoid", "silu"] {
        let table = with_columns(table(activation, 2500, 4));
        let problem = Problem { margins: vec![0.1, 0.01], ..Problem::new(named(activation).unwrap()) };
        let driver = Driver::new(Box::new(stream(&table, 1024)), &problem).unwrap();
        conformance::oracle(&driver).unwrap_or_else(|failure| panic!("{activation}: {failure}"));
    }
}

/// Wild bootstrap samples draw a sign for each row, whatever holds it.
#[test]
fn a_wild_bootstrap_has_the_bits_of_the_table() {
    let table = table("sigmoid", 9000, 2);
    let plan = options("sigmoid").build().unwrap();
    let whole = plan.fit(&table).unwrap();
    let streamed = plan.fit_shards(Box::new(stream(&table, 1024)), &mut Silent).unwrap();
    let query = |fitted: &Fitted, batch: Batch| {
        let responses = agglio::oracle::Responses::Wild { key: 9, theta: fitted.outcome().theta.clone().into() };
        let query = Query::at(&[0.1, 0.2, 0.3][..], 1.0, batch, Want::Gradient).with_responses(&responses);
        fitted.oracle().ask(&query).unwrap().gradient().unwrap()
    };
    for batch in [Batch::All, Batch::Part { key: 5, start: 100, len: 3000 }] {
        assert_eq!(query(&whole, batch), query(&streamed, batch));
    }
}

/// Blocks that count how often they are read and how many are in memory, and that fail, wait or panic where they are told to.
#[derive(Debug)]
struct Counted {
    cut: Cut,
    reads: AtomicUsize,
    live: Mutex<Vec<Weak<dyn Rows>>>,
    most: AtomicUsize,
    fault: Fault,
}

/// What happens at a read.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    Error(usize),
    Panic(usize),
    Wait(Duration),
}

impl Counted {
    fn new(rows: &dyn Rows, block_rows: usize) -> Counted {
        Counted::with(rows, block_rows, Fault::None)
    }

    fn with(rows: &dyn Rows, block_rows: usize, fault: Fault) -> Counted {
        let cut = Cut::new(rows, block_rows).unwrap();
        Counted { cut, reads: AtomicUsize::new(0), live: Mutex::default(), most: AtomicUsize::new(0), fault }
    }
}

impl Blocks for Counted {
    fn rows(&self) -> usize {
        self.cut.rows()
    }

    fn block_rows(&self) -> usize {
        self.cut.block_rows()
    }

    fn row_bytes(&self) -> usize {
        self.cut.row_bytes()
    }

    fn read(&self, block: usize) -> Result<Arc<dyn Rows>> {
        let reads = self.reads.fetch_add(1, Ordering::Relaxed) + 1;
        match self.fault {
            Fault::Error(read) if reads == read => return Err(lost(block)),
            Fault::Panic(read) if reads == read => panic!("the decoder of the test panics"),
            Fault::Wait(time) => thread::sleep(time),
            _ => {}
        }
        let rows = self.cut.read(block)?;
        let mut live = self.live.lock().unwrap();
        live.push(Arc::downgrade(&rows));
        live.retain(|rows| rows.strong_count() > 0);
        self.most.fetch_max(live.len(), Ordering::Relaxed);
        Ok(rows)
    }
}

fn lost(block: usize) -> Error {
    ErrorKind::File { file: "table.bin".into(), what: format!("block {block} is lost") }.into()
}

#[test]
fn at_most_three_blocks_are_in_memory() {
    let table = table("sigmoid", 60_000, 2);
    let blocks = Arc::new(Counted::new(&table, 1024));
    let plan = options("sigmoid").stream(true).build().unwrap();
    plan.fit_shards(Box::new(Stream::new(blocks.clone()).unwrap()), &mut Silent).unwrap();
    let most = blocks.most.load(Ordering::Relaxed);
    assert!((2..=3).contains(&most), "{most}");
    // no thread is left behind with a block
    assert!(blocks.live.lock().unwrap().iter().all(|rows| rows.strong_count() == 0));
}

/// The result of some work, which must come within 20 seconds: a thread that waits for ever fails the test.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(Duration::from_secs(20)).expect("the fit has not ended")
}

fn bits(report: &Report) -> Vec<u64> {
    let numbers = [report.intercept, report.loss, report.passes];
    report.coefficients.iter().chain(&numbers).map(|number| number.to_bits()).collect()
}

/// Wherever a block is lost, the fit ends with its error, and goes on from its checkpoint with the bits of a fit that has not
/// lost it.
#[test]
fn a_lost_block_ends_the_fit_and_the_checkpoint_continues_it() {
    let table = table("sigmoid", 9000, 3);
    let folder = tempfile::tempdir().unwrap();
    // the fingerprint of the rows in a checkpoint takes two passes
    let saved =
        |options: Options| options.checkpoint(folder.path().join("whole")).build().unwrap().fit(&table).unwrap();
    let whole = saved(options("sigmoid").solver(Solver::Gd).epochs(40));
    let mut resumed = 0;
    for read in [1, 8, 20, 33, 57, 150, 301] {
        let file = folder.path().join(format!("{read}.checkpoint"));
        let (blocks, path) = (Arc::new(Counted::with(&table, 1024, Fault::Error(read))), file.clone());
        let why = in_time(move || {
            let plan = options("sigmoid").solver(Solver::Gd).epochs(40).checkpoint(path).build().unwrap();
            plan.fit_shards(Box::new(Stream::new(blocks).unwrap()), &mut Silent).unwrap_err()
        });
        assert_eq!(why.to_string(), lost((read - 1) % 9).to_string());
        if file.exists() {
            let plan = options("sigmoid").solver(Solver::Gd).epochs(40).resume(&file).build().unwrap();
            let again = plan.fit_shards(Box::new(stream(&table, 2048)), &mut Silent).unwrap();
            assert_eq!(bits(&again), bits(&whole), "after read {read}");
            resumed += 1;
        }
    }
    // before, there is nothing to be saved
    assert_eq!(resumed, 3);
}

#[test]
fn a_reader_that_panics_is_an_error() {
    let table = table("sigmoid", 9000, 3);
    let blocks = Arc::new(Counted::with(&table, 1024, Fault::Panic(25)));
    let why = in_time(move || {
        let plan = options("sigmoid").build().unwrap();
        plan.fit_shards(Box::new(Stream::new(blocks).unwrap()), &mut Silent).unwrap_err()
    });
    assert!(why.to_string().starts_with("rows ") && why.to_string().ends_with("their reader has panicked"), "{why}");
}

#[test]
fn an_interrupt_ends_a_long_pass_within_a_second() {
    let table = table("sigmoid", 50_000, 2);
    let blocks = Arc::new(Counted::with(&table, 1024, Fault::Wait(Duration::from_millis(30))));
    let folder = tempfile::tempdir().unwrap();
    let (flag, file) = (Arc::new(AtomicBool::new(false)), folder.path().join("fit.checkpoint"));
    let (own, path, source) = (flag.clone(), file.clone(), blocks.clone());
    let fit = thread::spawn(move || {
        let plan = options("sigmoid").interrupt(own).checkpoint(path).build().unwrap();
        let ended = plan.fit_shards(Box::new(Stream::new(source).unwrap()), &mut Silent).map(|_| ());
        (ended, Instant::now())
    });
    // after the passes that measure and prepare the rows, and the two of their fingerprint
    while blocks.reads.load(Ordering::Relaxed) < 4 * 49 + 10 {
        thread::sleep(Duration::from_millis(5));
    }
    let set = Instant::now();
    flag.store(true, Ordering::Relaxed);
    let (ended, at) = fit.join().unwrap();
    assert!(matches!(ended.unwrap_err().kind(), ErrorKind::Interrupted));
    assert!(at - set < Duration::from_secs(1), "{:?}", at - set);
    let again = options("sigmoid").resume(&file).build().unwrap().fit(&table).unwrap();
    let whole = options("sigmoid").checkpoint(folder.path().join("whole")).build().unwrap().fit(&table).unwrap();
    assert_eq!(bits(&again), bits(&whole));
}

/// Where passes are short, an interrupted fit is reported as in memory.
#[test]
fn an_interrupt_of_short_passes_ends_with_the_best_point() {
    let table = table("sigmoid", 5000, 2);
    let flag = Arc::new(AtomicBool::new(true));
    let plan = options("sigmoid").interrupt(flag).build().unwrap();
    let fitted = plan.fit_shards(Box::new(stream(&table, 1024)), &mut Silent).unwrap();
    assert_eq!(fitted.status(), plan.fit(&table).unwrap().status());
    assert!(!fitted.certificate().certified());
}

#[test]
fn choices_that_need_all_rows_in_memory_are_refused() {
    let refusal = |options: Options| options.stream(true).build().unwrap_err().to_string();
    for solver in Solver::ALL.into_iter().filter(|solver| solver.uses_batches()) {
        let why = refusal(options("sigmoid").solver(solver));
        assert!(why.starts_with(&format!("`stream` does not take the minibatches of solver `{solver}`: ")), "{why}");
    }
    assert!(refusal(options("sigmoid").solver(Solver::Ngd).batch(20)).contains("solver `ngd`"));
    let theory = options("sigmoid").solver(Solver::Theory).set("algorithm", "2").unwrap();
    assert!(refusal(theory.radius(1.0).intercept(false)).contains("solver `theory`"));
    assert!(refusal(options("sigmoid").set("prove", "1e-3").unwrap()).contains("`stream` does not take `prove`"));
    options("sigmoid").solver(Solver::Ngd).stream(true).build().unwrap();
    options("sigmoid").solver(Solver::Sgd).stream(false).build().unwrap();
    // rows that turn out to be a stream
    let table = table("sigmoid", 2000, 2);
    let sgd = options("sigmoid").solver(Solver::Sgd).build().unwrap();
    let why = sgd.fit_shards(Box::new(stream(&table, 1024)), &mut Silent).unwrap_err();
    assert!(why.to_string().starts_with("`stream` does not take the minibatches of solver `sgd`"), "{why}");
    let fitted = options("sigmoid").build().unwrap().fit_shards(Box::new(stream(&table, 1024)), &mut Silent).unwrap();
    let query = Query::at(&[0.0; 3][..], 1.0, Batch::Resample { key: 1 }, Want::Loss);
    let why = fitted.oracle().ask(&query).unwrap_err().to_string();
    assert!(why.contains("`stream` does not take a bootstrap of the rows"), "{why}");
    assert!(Cut::new(&table, 1000).is_err() && Cut::new(&table, 3072).is_err() && Cut::new(&table, 0).is_err());
}

/// A table in a temporary file, pushed in parts of any length.
fn cached(data: &Columns, layout: Layout, block_rows: usize, parts: &[usize]) -> Cache {
    let mut writer = CacheWriter::with_blocks(&std::env::temp_dir(), layout, block_rows).unwrap();
    let (mut first, mut parts) = (0, parts.iter().cycle());
    while first < data.labels.len() {
        let rows = first..data.labels.len().min(first + parts.next().unwrap());
        let numbers = |column: &[f64], width: usize| match column.is_empty() {
            true => Vec::new(),
            false => column[width * rows.start..width * rows.end].to_vec(),
        };
        let part = Columns {
            values: numbers(&data.values, layout.width),
            labels: numbers(&data.labels, 1),
            weights: numbers(&data.weights, 1),
            offsets: numbers(&data.offsets, 1),
            clusters: if data.clusters.is_empty() { Vec::new() } else { data.clusters[rows.clone()].to_vec() },
        };
        writer.push(part).unwrap();
        first = rows.end;
    }
    writer.finish().unwrap()
}

#[test]
fn a_temporary_file_has_the_bits_of_the_table() {
    let data = bank::paper("sigmoid", 9000, 3, LabelNoise::Post(0.05, Shape::Gauss), 5);
    let n = data.labels.len();
    let columns = Columns { values: data.values, labels: data.labels, ..Columns::default() };
    let more = Columns {
        weights: (0..n).map(|i| 1e-9 * (i % 5) as f64).collect(),
        offsets: (0..n).map(|i| 0.1 * (i % 3) as f64).collect(),
        clusters: (0..n).map(|i| (i % 31) as u32).collect(),
        ..columns.clone()
    };
    let huge = columns.values.iter().enumerate().map(|(i, x)| if i % 3 == 1 { 1e180 * x } else { *x }).collect();
    let huge = Columns { values: huge, ..columns.clone() };
    for (data, parts) in [(columns, vec![700, 1, 3000]), (more, vec![1024]), (huge, vec![9000])] {
        let table = Dense::new(data.values.clone(), 3, data.labels.clone()).unwrap();
        let (mut table, mut layout) = (table, Layout { width: 3, ..Layout::default() });
        if !data.weights.is_empty() {
            table = table.with_weights(data.weights.clone()).unwrap().with_offsets(data.offsets.clone()).unwrap();
            table = table.with_clusters(data.clusters.clone()).unwrap();
            layout = Layout { width: 3, weights: true, offsets: true, clusters: true };
        }
        for block_rows in [1024, 4096, layout.block_rows()] {
            let stream = Stream::new(Arc::new(cached(&data, layout, block_rows, &parts))).unwrap();
            fit_both(options("sigmoid"), Both::new(&table, stream));
        }
    }
}

#[test]
fn rows_that_no_table_has_are_not_cached() {
    let layout = Layout { width: 1, weights: true, ..Layout::default() };
    let writer = || CacheWriter::new(&std::env::temp_dir(), layout).unwrap();
    let rows = |x: f64, y: f64, weight: f64| Columns {
        values: vec![1.0, x],
        labels: vec![0.5, y],
        weights: vec![1.0, weight],
        ..Columns::default()
    };
    let refusal = |columns: Columns| writer().push(columns).unwrap_err().to_string();
    assert_eq!(refusal(rows(f64::NAN, 0.5, 1.0)), "covariates: row 2 has NaN; every number must be finite");
    assert_eq!(refusal(rows(1.0, f64::INFINITY, 1.0)), "labels: row 2 has inf; every number must be finite");
    assert_eq!(refusal(rows(1.0, 0.5, -1.0)), "the weight of row 2 is negative");
    assert!(refusal(Columns { offsets: vec![0.0; 2], ..rows(1.0, 0.5, 1.0) }).contains("other lengths"));
    assert!(writer().finish().unwrap_err().to_string().contains("0 rows"));
    let mut weightless = writer();
    weightless.push(Columns { weights: vec![0.0; 2], ..rows(1.0, 0.5, 1.0) }).unwrap();
    assert_eq!(weightless.finish().unwrap_err().to_string(), "all weights are zero");
    let nowhere = std::env::temp_dir().join("agglio-no-such-folder");
    assert!(CacheWriter::new(&nowhere, layout).unwrap_err().to_string().contains("agglio-no-such-folder"));
    assert!(CacheWriter::with_blocks(&std::env::temp_dir(), layout, 1000).is_err());
}

/// Blocks that are not those of one table.
#[test]
fn blocks_that_do_not_belong_together_are_refused() {
    #[derive(Debug)]
    struct Wrong(Cut, Cut);
    impl Blocks for Wrong {
        fn rows(&self) -> usize {
            self.0.rows()
        }
        fn block_rows(&self) -> usize {
            self.0.block_rows()
        }
        fn row_bytes(&self) -> usize {
            8
        }
        fn read(&self, block: usize) -> Result<Arc<dyn Rows>> {
            if block < 2 { self.0.read(block) } else { self.1.read(block) }
        }
    }
    let cut = |rows, width| Cut::new(&table("sigmoid", rows, width), 1024).unwrap();
    let plan = options("sigmoid").build().unwrap();
    let refusal = |wrong: Wrong| {
        plan.fit_shards(Box::new(Stream::new(Arc::new(wrong)).unwrap()), &mut Silent).unwrap_err().to_string()
    };
    assert!(refusal(Wrong(cut(4000, 2), cut(4000, 3))).contains("differ in their columns"));
    assert_eq!(refusal(Wrong(cut(4000, 2), cut(2500, 2))), "rows 2049 to 3072 could not be read: a block has 452 rows");
}

#[test]
fn a_model_is_resumed_on_further_rows_in_fewer_passes() {
    for (activation, rows) in [("sigmoid", 4000), ("softplus", 3000), ("silu", 5000)] {
        let data = bank::paper(activation, rows, 4, LabelNoise::Post(0.05, Shape::Gauss), 11);
        let some = rows * 4 / 5;
        let first = Dense::new(data.values[..4 * some].to_vec(), 4, data.labels[..some].to_vec()).unwrap();
        let all = bank::rows(&data);
        let plan = options(activation).build().unwrap();
        let model = Model::try_from(&plan.fit(&first).unwrap()).unwrap();
        let (warm, cold) = (plan.resume(&model, &all).unwrap(), plan.fit(&all).unwrap());
        assert!(warm.passes < 0.7 * cold.passes, "{activation}: {} {}", warm.passes, cold.passes);
        assert!(warm.certificate().certified());
        assert!(bank::largest_difference(&warm.coefficients, &cold.coefficients) <= 1e-7, "{activation}");
        // by name, from a stream
        let names: Vec<String> = ["x1", "x2", "x3", "x4"].map(String::from).into();
        let plan = plan.resuming(&model, Some(&names)).unwrap();
        let streamed = plan.fit_shards(Box::new(stream(&all, 1024)), &mut Silent).unwrap();
        assert_eq!(bits(&streamed), bits(&warm));
    }
}

#[test]
fn columns_are_resumed_by_name() {
    let data = bank::paper("sigmoid", 3000, 2, LabelNoise::Post(0.05, Shape::Gauss), 4);
    let swapped = data.values.chunks(2).flat_map(|row| [row[1], row[0]]).collect();
    let swapped = Dense::new(swapped, 2, data.labels.clone()).unwrap();
    let plan = options("sigmoid").build().unwrap();
    let names = ["a".to_owned(), "b".to_owned()];
    let model = plan.fit(&bank::rows(&data)).unwrap().model("y", &names).unwrap();
    let other = plan.resuming(&model, Some(&[names[1].clone(), names[0].clone()])).unwrap().fit(&swapped).unwrap();
    let again = plan.resume(&model, &bank::rows(&data)).unwrap();
    let turned: Vec<f64> = other.coefficients.iter().rev().copied().collect();
    assert!(bank::largest_difference(&turned, &again.coefficients) <= 1e-9);
    assert_eq!(other.steps, again.steps);
    let why = plan.resuming(&model, Some(&["a".to_owned(), "c".to_owned()])).unwrap_err().to_string();
    assert!(why.contains("`b`"), "{why}");
}

/// From a start that leads elsewhere, the fit is the one without it.
#[test]
fn a_model_of_other_data_does_not_spoil_a_fit() {
    let table = table("sigmoid", 2000, 3);
    let plan = options("sigmoid").build().unwrap();
    let start = options("sigmoid").solver(Solver::Lm).set("init", "at:0,-4000,-4000,-4000").unwrap();
    let far = start.build().unwrap().fit(&table).unwrap();
    let names = ["a", "b", "c"].map(String::from);
    let model = far.model("y", &names).unwrap();
    let (warm, cold) = (plan.resume(&model, &table).unwrap(), plan.fit(&table).unwrap());
    assert!(warm.certificate().certified());
    assert!(warm.loss <= cold.loss * (1.0 + 1e-9));
}

#[test]
fn a_model_of_another_problem_is_not_resumed() {
    let table = table("sigmoid", 1500, 2);
    let plan = options("sigmoid").build().unwrap();
    let model = Model::try_from(&plan.fit(&table).unwrap()).unwrap();
    let refusal = |options: Options| options.build().unwrap().resume(&model, &table).unwrap_err().to_string();
    assert!(refusal(options("probit")).contains("the model has the activation `sigmoid`"));
    assert!(refusal(options("sigmoid").set("loss", "bernoulli").unwrap()).contains("another loss"));
    assert!(refusal(options("sigmoid").set("affine", "0,2").unwrap()).contains("offset 0 and scale 1"));
    assert!(refusal(options("sigmoid").intercept(false)).contains("has an intercept"));
    assert!(refusal(options("sigmoid").noise(Noise::Pre)).contains("last temperature of 0"));
    assert!(refusal(options("sigmoid").solver(Solver::Irls)).contains("solver `irls`"));
    assert!(refusal(options("sigmoid").set("init", "random").unwrap()).contains("leave `init` out"));
    let wide = self::table("sigmoid", 1500, 3);
    let why = plan.resume(&model, &wide).unwrap_err().to_string();
    assert_eq!(why, "the start has 2 coefficients, but the data has 3 covariates");
    // a free response scale is found for any coefficients
    let free = options("sigmoid").set("affine", "0,free").unwrap().build().unwrap();
    assert!(free.resume(&model, &table).unwrap().certificate().certified());
}
