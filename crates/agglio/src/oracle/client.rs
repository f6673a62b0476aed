//! A *client* is the view of an oracle that one of several runs has: it has its own labels, responses, row count and interrupt.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::Result;
use crate::oracle::{Answer, Facts, LabelChoice, Oracle, Query, Responses, given_up};

/// An oracle for one run.
pub(crate) struct OracleClient<'a> {
    oracle: &'a dyn Oracle,
    labels: LabelChoice,
    responses: Responses<'a>,
    /// The row count of this run, if it is separate from that of the oracle.
    visited: Option<AtomicU64>,
    interrupt: Option<&'a AtomicBool>,
}

impl<'a> OracleClient<'a> {
    /// The oracle with these graduated labels.
    pub fn new(oracle: &'a dyn Oracle, labels: LabelChoice) -> OracleClient<'a> {
        OracleClient { oracle, labels, responses: Responses::Observed, visited: None, interrupt: None }
    }

    /// The same for other responses.
    pub fn answering_for(self, responses: Responses<'a>) -> OracleClient<'a> {
        OracleClient { responses, ..self }
    }

    /// A query of this run.
    fn own<'q>(&'q self, query: &Query<'q>) -> Query<'q> {
        query.clone().with_labels(self.labels).with_responses(&self.responses)
    }

    /// A client with its own row count and interrupt flag, for a run parallel to others. The count starts at that of
    /// the oracle, because a single run would have made the same queries.
    pub fn beside_others(self, interrupt: &'a AtomicBool) -> OracleClient<'a> {
        let visited = Some(AtomicU64::new(self.oracle.visited()));
        OracleClient { visited, interrupt: Some(interrupt), ..self }
    }

    /// Counts rows that were read for this run.
    pub fn count(&self, rows: usize) {
        if let Some(visited) = &self.visited {
            visited.fetch_add(rows as u64, Ordering::Relaxed);
        }
    }

    fn count_query(&self, query: &Query<'_>) {
        self.count(query.points() * query.batch.len(self.rows()));
    }
}

impl Oracle for OracleClient<'_> {
    fn facts(&self) -> &Facts {
        self.oracle.facts()
    }

    fn ask(&self, query: &Query<'_>) -> Result<Answer> {
        if let Some(nothing) = given_up(self, query) {
            return Ok(nothing);
        }
        let query = self.own(query);
        self.count_query(&query);
        self.oracle.ask(&query)
    }

    fn ask_all(&self, queries: &[Query<'_>]) -> Result<Vec<Answer>> {
        let queries: Vec<Query<'_>> = queries.iter().map(|query| self.own(query)).collect();
        queries.iter().for_each(|query| self.count_query(query));
        self.oracle.ask_all(&queries)
    }

    fn labels(&self) -> LabelChoice {
        self.labels
    }

    fn predictor_dim(&self) -> usize {
        self.oracle.predictor_dim()
    }

    fn visited(&self) -> u64 {
        self.visited.as_ref().map_or_else(|| self.oracle.visited(), |visited| visited.load(Ordering::Relaxed))
    }

    fn add_visited(&self, rows: u64) {
        match &self.visited {
            Some(visited) => drop(visited.fetch_add(rows, Ordering::Relaxed)),
            None => self.oracle.add_visited(rows),
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.map_or_else(|| self.oracle.is_interrupted(), |flag| flag.load(Ordering::Relaxed))
    }
}
