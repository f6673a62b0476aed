//! The integration tests, in one binary so that the library is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod auto;
mod ball;
mod bank;
mod benches;
mod calls;
mod certificates;
mod certified;
mod checkpoints;
mod competitors;
mod conformance;
mod constant;
mod csv;
mod derivatives;
mod distributions;
mod faulty;
mod groups;
mod hard;

mod inference;
mod infinity;
mod labels;
mod laws;
mod lockstep;
mod means;
mod models;
mod noise_choice;
mod noisy;
mod oracle;
mod printed;
mod recorder;
mod recovery;
mod reproducibility;
mod response;
mod save;
mod schedules;
mod shards;
mod simulations;
mod sources;
mod spec;
mod stops;
mod terms;
mod theory;
mod tuning;
mod wide;
