//! The integration tests, in one binary so that the library is linked once.

mod bank;
mod derivatives;
mod labels;
mod laws;
mod noisy;
mod oracle;
mod recovery;
mod reproducibility;
mod schedules;
mod sources;
mod stops;
