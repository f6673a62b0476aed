//! A *unit* is a power of two by which numbers are divided if their squares would overflow or underflow a double.
//!
//! The division is exact.

use std::ops::RangeInclusive;

/// Sizes whose squares can be summed, multiplied and divided without overflow or underflow.
pub(super) const TAME: RangeInclusive<f64> = 1e-50..=1e50;

/// The unit for numbers whose largest absolute value is `most`: one if it is in [`TAME`].
pub(super) fn unit(most: f64) -> f64 {
    if most == 0.0 || TAME.contains(&most) { 1.0 } else { power_of_two(most) }
}

/// The largest power of two that is not above `number`, or the smallest positive normal number if `number` is below it.
pub(super) fn power_of_two(number: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(number.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

/// Divides each of `width` columns by its unit. Returns the units, or an empty vector if all of them are one.
pub(super) fn divide_columns(values: &mut [f64], width: usize) -> Vec<f64> {
    let mut most = vec![0.0_f64; width];
    for row in values.chunks_exact(width) {
        most.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(x.abs()));
    }
    let units: Vec<f64> = most.into_iter().map(unit).collect();
    if units.iter().all(|&unit| unit == 1.0) {
        return Vec::new();
    }
    divide_by(values, &units);
    units
}

/// Divides each column by its unit.
pub(super) fn divide_by(values: &mut [f64], units: &[f64]) {
    for row in values.chunks_exact_mut(units.len()) {
        row.iter_mut().zip(units).for_each(|(x, unit)| *x /= unit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_two_about_the_largest() {
        for most in [1e200, 1e-200, f64::MAX, 1e308, f64::MIN_POSITIVE, 5e-324, 1e-310] {
            let unit = unit(most);
            assert_eq!(unit.to_bits() & 0x000f_ffff_ffff_ffff, 0, "{most}");
            assert!(TAME.contains(&(most / unit)) && most / unit * unit == most, "{most}: {unit}");
        }
        assert_eq!([0.0, 1.0, 1e-50, 1e50].map(unit), [1.0; 4]);
    }
}
