//! Tests of everything from a figure's values to what people see.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod boston;
mod browser;
mod fig1;
mod files;
mod markup;
mod numbers;
mod page;
mod plot;
mod runs;
mod samples;
