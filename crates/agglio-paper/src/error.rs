//! The *error* type of the crate.

/// Why there is no figure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A fit could not be made.
    #[error(transparent)]
    Fit(#[from] agglio::Error),
    /// Somebody wanted it to end.
    #[error("interrupted")]
    Interrupted,
}

/// A figure, or why there is none.
pub type Result<T> = std::result::Result<T, Error>;
