//! The integration tests, in one binary so that the library is linked once.

mod derivatives;
