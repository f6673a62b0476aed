//! A small fit, in any way, of any numbers.

mod laws;
mod problem;

use arbitrary::Unstructured;
use problem::Problem;

/// Fits a small problem: it is refused with a word, or its report keeps the laws.
pub fn fit(data: &[u8]) {
    // bytes do not run out: zeros follow
    let Ok(problem) = Problem::draw(&mut Unstructured::new(data)) else { return };
    let fitted = problem.rows().and_then(|rows| problem.options.clone().build()?.fit(&rows));
    match fitted {
        Ok(report) => laws::check(&problem, &report),
        Err(why) => assert!(!why.to_string().is_empty(), "{problem:?}"),
    }
}
