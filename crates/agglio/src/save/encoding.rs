//! An *encoding* is a value as bytes. It keeps every bit of the numbers, also of NaN and of infinities.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// The bytes of a value.
///
/// # Errors
/// If the value cannot be written, which happens only with hand-written implementations of `Serialize`.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|why| Error::data(format!("a value cannot be saved: {why}")))
}

/// The value of these bytes.
///
/// # Errors
/// If they are not exactly the bytes of a value of this type.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let no_value = |why: &str| Error::data(format!("saved bytes do not have the expected form: {why}"));
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok(_) => Err(no_value("there are too many")),
        Err(why) => Err(no_value(&why.to_string())),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_bit_of_a_number_is_kept(bits in prop::collection::vec(any::<u64>(), 0..20)) {
            let numbers: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
            let found: Vec<f64> = decode(&encode(&numbers).unwrap()).unwrap();
            prop_assert_eq!(found.iter().map(|found| found.to_bits()).collect::<Vec<_>>(), bits);
        }

        #[test]
        fn any_bytes_are_a_value_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(value) = decode::<(Vec<f64>, Option<Vec<u8>>)>(&bytes) {
                prop_assert!(encode(&value).unwrap().len() <= bytes.len());
            }
        }
    }

    #[test]
    fn missing_and_additional_bytes_are_refused() {
        let bytes = encode(&(1.0, vec![2_u64, 3])).unwrap();
        assert!(decode::<(f64, Vec<u64>)>(&bytes[1..]).is_err());
        let error = decode::<(f64, Vec<u64>)>(&[&bytes[..], &[0]].concat()).unwrap_err();
        assert!(error.to_string().ends_with("there are too many"), "{error}");
    }
}
