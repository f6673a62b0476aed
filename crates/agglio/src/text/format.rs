//! *Numbers* as text: exact for files, short for readers.

use std::fmt::Write;

/// The number with 17 significant digits, which give the same bits when read back. Without an exponent where possible.
pub fn exact(value: f64) -> String {
    let mut text = String::with_capacity(26);
    push_exact(&mut text, value);
    text
}

/// As [`exact`], appended to a text, so that one buffer can serve many numbers.
pub fn push_exact(text: &mut String, value: f64) {
    if value.is_finite() {
        push_significant(text, value, 17);
    } else {
        text.push_str(&value.to_string());
    }
}

/// The number with six significant digits.
pub fn short(value: f64) -> String {
    digits(value, 6)
}

/// The number with this number of significant digits.
pub fn digits(value: f64, digits: usize) -> String {
    // adding zero turns −0 into 0
    if value.is_finite() { significant(value + 0.0, digits) } else { "not finite".into() }
}

/// The number with three significant digits, without trailing zeros.
pub fn brief(value: f64) -> String {
    let text = significant(value, 3);
    let (digits, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned() + exponent,
        false => text,
    }
}

fn significant(value: f64, digits: usize) -> String {
    let mut text = String::new();
    push_significant(&mut text, value, digits);
    text
}

fn push_significant(text: &mut String, value: f64, digits: usize) {
    if value.is_sign_negative() {
        text.push('-');
    }
    let begun = text.len();
    // writing to a string cannot fail
    let _ = write!(text, "{:.*e}", digits - 1, value.abs());
    move_point(text, begun);
}

/// `1.2345e-2` → `0.012345`: moves the decimal point, unless that would need extra zeros on the right.
fn move_point(text: &mut String, begun: usize) {
    let Some(end) = text.rfind('e') else { return };
    let digits = end - begun - 1;
    match text[end + 1..].parse::<i32>() {
        Ok(exponent @ -5..=-1) => {
            text.truncate(end);
            text.remove(begun + 1);
            text.insert_str(begun, &"0.0000"[..exponent.unsigned_abs() as usize + 1]);
        }
        Ok(exponent @ 0..) if (exponent as usize) < digits => {
            text.truncate(end);
            text.remove(begun + 1);
            if exponent as usize + 1 < digits {
                text.insert(begun + 1 + exponent as usize, '.');
            }
        }
        _ => {}
    }
}

/// Numbers in [`short`] form, padded on the right so that their decimal points align when they are right-aligned.
pub fn aligned(values: impl IntoIterator<Item = f64>) -> Vec<String> {
    aligned_to(values, 6)
}

/// As [`aligned`], with this number of significant digits.
pub fn aligned_to(values: impl IntoIterator<Item = f64>, count: usize) -> Vec<String> {
    let texts: Vec<String> = values.into_iter().map(|value| digits(value, count)).collect();
    let after_point = |text: &String| text.find('.').map_or(0, |point| text.len() - point);
    let most = texts.iter().map(after_point).max().unwrap_or(0);
    texts.iter().map(|text| format!("{text}{}", " ".repeat(most - after_point(text)))).collect()
}

/// A time in seconds, in a suitable unit after rounding, so that 60 s is never shown instead of 1 min.
pub fn seconds(value: f64) -> String {
    match value {
        v if (v * 1e6).round() < 1e3 => format!("{:.0} µs", v * 1e6),
        v if (v * 1e3).round() < 1e3 => format!("{:.0} ms", v * 1e3),
        v if (v * 10.0).round() < 600.0 => format!("{v:.1} s"),
        v => format!("{:.0} min {:.0} s", (v.round() / 60.0).floor(), v.round() % 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_numbers_read_back_and_have_17_digits() {
        for value in [0.0, -0.0, 1.0, -0.1, 1e-5, 9.999e-6, 123456.789, 1e16, 1e17, 5e-324, f64::MAX, 2.0_f64.sqrt()] {
            let text = exact(value);
            assert_eq!(text.parse().map(f64::to_bits), Ok(value.to_bits()), "{text}");
            let mantissa = text.split('e').next().unwrap_or_default().trim_start_matches(['-', '0', '.']);
            let digits = mantissa.chars().filter(char::is_ascii_digit).count();
            assert!(value == 0.0 || digits == 17, "{text}");
        }
        assert_eq!(exact(0.1), "0.10000000000000001");
        assert_eq!(exact(f64::INFINITY), "inf");
    }

    #[test]
    fn short_numbers_keep_six_digits() {
        assert_eq!(short(0.040_637_72), "0.0406377");
        assert_eq!(short(-123_456.7), "-123457");
        assert_eq!(short(1_234_567.0), "1.23457e6");
        assert_eq!(short(1.5e-9), "1.50000e-9");
        assert_eq!(short(-0.0), "0.00000");
    }

    #[test]
    fn brief_numbers_have_no_zeros_at_their_end() {
        let texts = [0.0, 0.1, -2.5, 123.4, 1234.5, 4.4e-16, 1e-15, 0.012_345].map(brief);
        assert_eq!(texts, ["0", "0.1", "-2.5", "123", "1.23e3", "4.4e-16", "1e-15", "0.0123"]);
    }

    #[test]
    fn points_stand_below_each_other() {
        assert_eq!(aligned([1.5, -0.25, 123_456.0]), ["1.50000 ", "-0.250000", "123456       "]);
    }

    #[test]
    fn times_are_rounded_before_they_get_a_unit() {
        let times = [0.000_999_6, 0.999_7, 59.94, 59.96, 119.7, 3600.0].map(seconds);
        assert_eq!(times, ["1 ms", "1.0 s", "59.9 s", "1 min 0 s", "2 min 0 s", "60 min 0 s"]);
    }
}
