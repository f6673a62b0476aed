//! *Numbers* from bytes: mostly small, often odd, sometimes any double.

use arbitrary::{Result, Unstructured};

/// Numbers at which something happens: bounds of ranges and turns of activations, and the ends of the doubles.
const ODD: [f64; 40] = [
    0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    -0.0,
    1e-300,
    -1e-300,
    1e300,
    -1e300,
    1e-150,
    -1e-150,
    1e150,
    -1e150,
    5e-324,
    -5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::MIN,
    f64::EPSILON,
    -f64::EPSILON,
    1.0 - f64::EPSILON,
    1.0 + f64::EPSILON,
    1e-8,
    1e8,
    -1e8,
    1e16,
    -1e16,
    1e-16,
    1e-20,
    1e20,
    -0.278_464_542_761_073_8,
    -0.169_971_200_747_375,
    710.0,
    -745.0,
    40.0,
    -40.0,
    1e4,
    1e-4,
];

/// Stands for any double, whose bits follow.
const ANY: u8 = ODD.len() as u8;

/// The next number: one byte for an odd or a small one, nine for any other.
pub fn number(bytes: &mut Unstructured<'_>) -> Result<f64> {
    let byte: u8 = bytes.arbitrary()?;
    Ok(match ODD.get(usize::from(byte)) {
        Some(&odd) => odd,
        None if byte == ANY => bytes.arbitrary()?,
        None => (f64::from(byte) - 148.0) / 32.0,
    })
}

/// The next `count` numbers.
pub fn numbers(bytes: &mut Unstructured<'_>, count: usize) -> Result<Vec<f64>> {
    (0..count).map(|_| number(bytes)).collect()
}
