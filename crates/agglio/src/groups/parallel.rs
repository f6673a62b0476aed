//! Jobs *in parallel*: one for each group.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;
use crate::math::tree;
use crate::plan::Plan;

/// The results of the jobs 0, 1, 2 … in this order, made on the threads of a plan. A job that returns none was interrupted, and
/// so are those after it.
///
/// This is a loop on each thread, not a rayon job for each group: a thread that waits for a part of its sums would otherwise
/// begin another job.
///
/// # Errors
/// If the threads cannot be started.
pub(super) fn in_parallel<T: Send + Sync>(
    plan: &Plan,
    jobs: usize,
    job: &(dyn Fn(usize) -> Option<T> + Sync),
) -> Result<Vec<Option<T>>> {
    let (results, next): (Vec<OnceLock<T>>, _) = ((0..jobs).map(|_| OnceLock::new()).collect(), AtomicUsize::new(0));
    let work = || {
        while !plan.is_interrupted() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = results.get(index) else { return };
            let Some(result) = job(index) else { return };
            // no job is taken twice
            let _ = place.set(result);
        }
    };
    let run = || match tree::in_pool() {
        true => drop(rayon::broadcast(|_| work())),
        false => work(),
    };
    match tree::pool(plan.threads())? {
        Some(pool) => pool.install(run),
        None => run(),
    }
    Ok(results.into_iter().map(OnceLock::into_inner).collect())
}
