//! *Decimal* numbers are parsed to the nearest double. The result is that of the standard library, but the end of the
//! number need not be known in advance.

/// Number of decimal digits that always fit into 64 bits.
const MOST_DIGITS: usize = 19;
/// Exponents of ten for which 128 bits of a power of five decide every rounding. With at most [`MOST_DIGITS`] digits
/// these numbers neither overflow nor underflow.
const SMALLEST: i64 = -27;
const LARGEST: i64 = 55;
const POWERS: usize = (LARGEST - SMALLEST + 1) as usize;
/// Number of mantissa bits that a double stores.
const MANTISSA: u32 = 52;
const BIAS: i64 = 1023;

/// The upper 128 bits of 5^q, rounded up if q is negative.
static FIVES: [u128; POWERS] = fives();

/// Parses the number at the start of a text. Returns it with its length in bytes, or none if this parser does not cover
/// it; the text may then still start with a number.
pub fn leading(text: &[u8]) -> Option<(f64, usize)> {
    let start = usize::from(text.first() == Some(&b'-'));
    let (mut mantissa, mut at) = digits(text, start, 0);
    let (mut count, mut exponent) = (at - start, 0);
    if text.get(at) == Some(&b'.') {
        let point = at + 1;
        (mantissa, at) = digits(text, point, mantissa);
        count += at - point;
        exponent = -((at - point) as i64);
    }
    if count == 0 || (count > MOST_DIGITS && significant(text.get(start..at)?) > MOST_DIGITS) {
        return None;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        let power;
        (power, at) = power_of_ten(text, at + 1)?;
        exponent += power;
    }
    let magnitude = nearest(mantissa, exponent)?;
    Some((if start == 1 { -magnitude } else { magnitude }, at))
}

/// Appends the digits from `at` on to `value`. Returns the result and the position after them. More digits than 64 bits
/// can hold make the result meaningless.
fn digits(text: &[u8], mut at: usize, mut value: u64) -> (u64, usize) {
    while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let chunk = u64::from_le_bytes(*eight);
        if !are_digits(chunk) {
            break;
        }
        value = value.wrapping_mul(100_000_000).wrapping_add(eight_digits(chunk));
        at += 8;
    }
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (value, at)
}

/// Whether all eight bytes are digits: the upper half of each byte is 3, also after six is added.
fn are_digits(chunk: u64) -> bool {
    let high = chunk & 0xf0f0_f0f0_f0f0_f0f0;
    let above_nine = chunk.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0;
    high == 0x3030_3030_3030_3030 && above_nine == 0x3030_3030_3030_3030
}

/// The number of eight digits, the first of which is the lowest byte. It joins digits to pairs, fours and all eight.
fn eight_digits(chunk: u64) -> u64 {
    let ones = chunk & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = (ones.wrapping_mul((10 << 8) + 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul((100 << 16) + 1) >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul((10_000 << 32) + 1) >> 32
}

/// Number of significant digits: leading zeros do not count.
fn significant(number: &[u8]) -> usize {
    let zeros = number.iter().take_while(|&&byte| byte == b'0' || byte == b'.').count();
    number.iter().skip(zeros).filter(|&&byte| byte != b'.').count()
}

/// The power of ten that is written from `at` on, and the position after it; none if it has more than four digits.
fn power_of_ten(text: &[u8], at: usize) -> Option<(i64, usize)> {
    let negative = text.get(at) == Some(&b'-');
    let begin = at + usize::from(negative || text.get(at) == Some(&b'+'));
    let (power, end) = digits(text, begin, 0);
    // more digits could overflow
    let power = (1..=4).contains(&(end - begin)).then_some(power as i64)?;
    Some((if negative { -power } else { power }, end))
}

/// The double nearest to w·10^q; ties go to the even one. It is the algorithm of Eisel and Lemire ("Number parsing at a
/// gigabyte per second", 2021), for the powers for which it never needs a fallback.
fn nearest(w: u64, q: i64) -> Option<f64> {
    if w == 0 {
        return Some(0.0);
    }
    let five = *FIVES.get(usize::try_from(q - SMALLEST).ok()?)?;
    let zeros = w.leading_zeros();
    let product = upper_product(w << zeros, five);
    let (upper, lower) = ((product >> 64) as u64, product as u64);
    let top = (upper >> 63) as u32;
    let shift = top + 64 - MANTISSA - 3;
    let mut mantissa = upper >> shift;
    // a tie between two doubles goes to the even one
    if lower <= 1 && (-4..=23).contains(&q) && mantissa & 3 == 1 && mantissa << shift == upper {
        mantissa &= !1;
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    // ⌊q·log2(10)⌋
    let power = ((q * 217_706) >> 16) + 63 + i64::from(top) - i64::from(zeros);
    // rounding up to the next power of two carries into the exponent
    let bits = (((power + BIAS) as u64) << MANTISSA) + (mantissa - (1 << MANTISSA));
    Some(f64::from_bits(bits))
}

/// The upper 128 bits of w·five. The lower half of `five` is used only if it could cause a carry.
fn upper_product(w: u64, five: u128) -> u128 {
    const UNDECIDED: u128 = u64::MAX as u128 >> (MANTISSA + 3);
    let first = u128::from(w) * (five >> 64);
    if (first >> 64) & UNDECIDED != UNDECIDED {
        return first;
    }
    first + ((u128::from(w) * (five & u128::from(u64::MAX))) >> 64)
}

const fn fives() -> [u128; POWERS] {
    let mut fives = [0; POWERS];
    let mut q = SMALLEST;
    while q <= LARGEST {
        fives[(q - SMALLEST) as usize] =
            if q < 0 { reciprocal(5_u128.pow(-q as u32)) } else { upper(5_u128.pow(q as u32)) };
        q += 1;
    }
    fives
}

/// Shifts the number left until its highest bit is set.
const fn upper(number: u128) -> u128 {
    number << number.leading_zeros()
}

/// The upper 128 bits of 1/number, rounded up, by long division; `number` is below 2^64 and no power of two.
const fn reciprocal(number: u128) -> u128 {
    let (mut quotient, mut remainder) = (0_u128, 1_u128);
    while quotient.leading_zeros() > 0 {
        remainder *= 2;
        quotient *= 2;
        if remainder >= number {
            remainder -= number;
            quotient += 1;
        }
    }
    quotient + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is read is what the standard library reads, to the bit.
    fn assert_exact(text: &str) {
        if let Some((value, bytes)) = leading(text.as_bytes()) {
            let theirs = text[..bytes].parse().map(f64::to_bits);
            assert_eq!(Ok(value.to_bits()), theirs, "{text}");
        }
    }

    #[test]
    fn long_powers_are_left_to_others() {
        for power in ["9223372036854775808", "-9223372036854775808", "40000000000000000000000000000000", "00001", ""] {
            assert_eq!(leading(format!("1e{power}").as_bytes()), None, "{power}");
        }
    }

    #[test]
    fn common_numbers_are_read_here() {
        for text in [
            "0",
            "-0",
            "1",
            "-12.5",
            ".5",
            "5.",
            "0.10000000000000001",
            "-1234.5678901234567",
            "0.000012345678901234567",
            "1.2345678901234567e-10",
            "1e23",
            "9007199254740993",
            "9999999999999999999",
            "123456789012345678e37",
        ] {
            assert_eq!(leading(text.as_bytes()).map(|(_, bytes)| bytes), Some(text.len()), "{text}");
            assert_exact(text);
        }
        for text in ["", "-", ".", "e5", "+1", "1e", "1e-", "1e99999", "1e56", "1e-28", "12345678901234567890", "nan"] {
            assert_eq!(leading(text.as_bytes()), None, "{text}");
        }
        assert_eq!(leading(b"12,3"), Some((12.0, 2)));
        assert_eq!(leading(b"1.5x"), Some((1.5, 3)));
    }

    /// Halves between neighbours, one digit above and below them, and numbers just below a power of two.
    #[test]
    fn hard_numbers_are_rounded_as_they_should_be() {
        for shift in 0..11 {
            for base in [1_u64 << 53, (1 << 53) + 2, (1 << 54) - 2, (1 << 54) - 4, 0x3a_bcde_f012_3456] {
                let half = (base << shift) + (1 << shift);
                for w in [half - 1, half, half + 1, u64::MAX >> shift, (u64::MAX >> shift) - (512 >> shift)] {
                    (-27..=40).for_each(|q| assert_exact(&format!("{w}e{q}")));
                    assert_exact(&w.to_string());
                }
            }
        }
        // halves that only the last bit of a quotient shows: odd·2^k / 5^q
        for q in 1..=27_u32 {
            let five = 5_u128.pow(q);
            for odd in (0..2000).map(|i| (1_u128 << 53) + 2 * i + 1) {
                let bits = 128 - (odd * five).leading_zeros();
                let w = (odd * five) >> bits.saturating_sub(63);
                (-1_i128..=1).for_each(|by| assert_exact(&format!("{}e-{q}", w.saturating_add_signed(by))));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn any_double_reads_back(bits in any::<u64>(), digits in 0..20_usize) {
            let value = f64::from_bits(bits);
            assert_exact(&format!("{value:e}"));
            assert_exact(&format!("{value:.digits$e}"));
        }

        #[test]
        fn doubles_of_common_size_read_back(mantissa in -1.0..1.0_f64, scale in -9..9_i32, digits in 0..20_usize) {
            let value = mantissa * 10_f64.powi(scale);
            assert_exact(&value.to_string());
            assert_exact(&format!("{value:.digits$}"));
            assert_exact(&format!("{value:.16e}"));
        }

        #[test]
        fn any_digits_are_exact(w in any::<u64>(), q in -30..60_i32) {
            assert_exact(&format!("{w}e{q}"));
        }

        #[test]
        fn any_text_is_read_as_by_the_standard_library(text in "-?[0-9]{0,20}\\.?[0-9]{0,20}([eE][-+]?[0-9]{0,3})?[-+.eEx,]?") {
            assert_exact(&text);
        }
    }
}
