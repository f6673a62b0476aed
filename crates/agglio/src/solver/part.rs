//! A *part* of a solver can be saved and restored, so that a fit can go on in another process.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Result;
use crate::save::encoding::{decode, encode};

/// The memory of a schedule, estimator, direction or step rule as bytes.
///
/// Every type that derives `Serialize` and `Deserialize` is a part. The derived form must contain every field that the
/// next step depends on: a restored part continues with the same bits.
/// The bytes do not name their fields, so the attributes `flatten`, `untagged` and `skip_serializing_if` cannot be used.
///
/// # Examples
///
/// ```
/// use agglio::solver::Part;
/// use agglio::solver::direction::Momentum;
///
/// let mut part = Momentum::new(0.5);
/// part.restore(&Momentum::new(0.9).save()?)?;
/// assert_eq!(part.mu, 0.9);
/// assert!(part.restore(b"other bytes").is_err());
/// # Ok::<(), agglio::Error>(())
/// ```
pub trait Part: Debug + Send {
    /// Everything that it remembers.
    ///
    /// # Errors
    /// If it cannot be written, which happens only with hand-written implementations of `Serialize`.
    fn save(&self) -> Result<Vec<u8>>;

    /// Replaces it by a saved part of the same type.
    ///
    /// # Errors
    /// If the bytes are not those of a part of this type. It is then unchanged.
    fn restore(&mut self, bytes: &[u8]) -> Result<()>;
}

impl<T: Serialize + DeserializeOwned + Debug + Send> Part for T {
    fn save(&self) -> Result<Vec<u8>> {
        encode(self)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        *self = decode(bytes)?;
        Ok(())
    }
}
