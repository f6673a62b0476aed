//! The functions between `Plan::fit` and the first product of a row with θ.

use std::backtrace::Backtrace;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};

use agglio::activation::named;
use agglio::rows::{Addition, Dense, Rows, Run};
use agglio::{Options, Solver};

/// Maximum number of functions from `Plan::fit` to the kernel, with both: twelve calls.
const MOST: usize = 13;

/// The backtrace of the last panic.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Dense rows whose kernel panics at the first product for an estimator. The backtrace of the panic has every call.
#[derive(Clone, Debug)]
struct Tripwire(Dense);

impl Rows for Tripwire {
    fn share(&self) -> Arc<dyn Rows> {
        Arc::new(self.clone())
    }

    fn gather(&self, order: &[usize]) -> Arc<dyn Rows> {
        self.0.gather(order)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn width(&self) -> usize {
        self.0.width()
    }

    fn can_centre(&self) -> bool {
        self.0.can_centre()
    }

    fn dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        match Backtrace::force_capture().to_string().contains("Estimator>::estimate") {
            // the vector is longer than a row
            true => self.0.dots(run, centre, &vec![0.0; v.len() + 64], z),
            false => self.0.dots(run, centre, v, z),
        }
    }

    fn square_dots(&self, run: &Run<'_>, centre: &[f64], v: &[f64], z: &mut [f64]) {
        self.0.square_dots(run, centre, v, z);
    }

    fn add_rows(&self, run: &Run<'_>, centre: &[f64], additions: &mut [Addition<'_>]) {
        self.0.add_rows(run, centre, additions);
    }

    fn add_rows_and_squares(&self, run: &Run<'_>, pivot: &[f64], centre: &[f64], additions: [Addition<'_>; 2]) {
        self.0.add_rows_and_squares(run, pivot, centre, additions);
    }

    fn add_products(&self, run: &Run<'_>, centre: &[f64], a: &[f64], h: &mut [f64], scratch: &mut Vec<f64>) {
        self.0.add_products(run, centre, a, h, scratch);
    }

    fn labels(&self, run: &Run<'_>, y: &mut [f64]) {
        self.0.labels(run, y);
    }

    fn weights(&self, run: &Run<'_>, weight: &mut [f64]) {
        self.0.weights(run, weight);
    }

    fn offsets(&self, run: &Run<'_>, offset: &mut [f64]) {
        self.0.offsets(run, offset);
    }
}

/// The functions of the library in a backtrace, outermost first, from `Plan::fit` to the kernel. Closures are not
/// listed.
fn calls(backtrace: &str) -> Vec<&str> {
    let frames = backtrace.lines().filter_map(|line| line.trim_start().split_once(": ")).map(|(_, name)| name);
    let own = frames.filter(|name| name.trim_start_matches('<').starts_with("agglio::") && !name.contains("{{closure"));
    let mut calls: Vec<&str> = own.collect();
    calls.reverse();
    let first = calls.iter().position(|name| name.ends_with("Plan::fit")).unwrap_or(0);
    let last = calls.iter().position(|name| name.contains("::rows::kernel::")).unwrap_or(calls.len() - 1);
    calls[first..=last].to_vec()
}

#[test]
#[ignore = "only in the dev profile, which inlines nothing: make calls"]
fn a_fit_reaches_the_rows_in_few_calls() {
    panic::set_hook(Box::new(|_| *LAST.lock().unwrap() = Backtrace::force_capture().to_string()));
    let table: Vec<f64> = (0..600).map(|i| f64::from(i * i % 601) / 300.0 - 1.0).collect();
    let labels = table.chunks(3).map(|x| 0.5 + 0.2 * x[0] - 0.1 * x[1] + 0.05 * x[2]).collect();
    let rows = Tripwire(Dense::new(table, 3, labels).unwrap());
    let chains = [Solver::Auto, Solver::Gd].map(|solver| {
        let plan = Options::new(named("sigmoid").unwrap()).solver(solver).build().unwrap();
        assert!(panic::catch_unwind(AssertUnwindSafe(|| plan.fit(&rows).is_ok())).is_err());
        (solver, std::mem::take(&mut *LAST.lock().unwrap()))
    });
    drop(panic::take_hook());
    for (solver, backtrace) in &chains {
        let calls = calls(backtrace);
        println!("solver {solver}: {} calls", calls.len() - 1);
        calls.iter().enumerate().for_each(|(i, name)| println!("{i:4}  {name}"));
        assert!(calls.len() <= MOST, "solver {solver}");
    }
}
