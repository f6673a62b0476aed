//! Numbers as text, and text that names something.

use agglio::Solver;
use agglio::activation::{NAMES, named};
use agglio::simulate::{Design, LabelNoise};
use agglio::text::format::{aligned, brief, exact, seconds, short};
use agglio::text::suggest::nearest;
use arbitrary::Unstructured;

/// Writes a double in every way there is, and reads the text behind it as everything that has a name.
pub fn numbers(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    let Ok(value) = bytes.arbitrary::<f64>() else { return };
    write(value);
    read(&String::from_utf8_lossy(bytes.take_rest()));
}

fn write(value: f64) {
    if value.is_finite() {
        assert_eq!(exact(value).parse().map(f64::to_bits), Ok(value.to_bits()), "{value:e}");
        assert_near(&short(value), value, 1e-5);
        assert_near(&brief(value), value, 1e-2);
    }
    assert!(!short(value).is_empty() && !brief(value).is_empty());
    let time = seconds(value);
    let full = ["1000 µs", "1000 ms", "60.0 s"].contains(&time.as_str()) || time.ends_with(" 60 s");
    assert!(!full, "{value:e} is {time}, which the next unit says better");
    assert_aligned(&[value, 1.5, -123.0, value * 1e-3, 1e9]);
}

/// What is read back is the number to so many digits; the largest doubles may be rounded to what is none.
fn assert_near(text: &str, value: f64, digits: f64) {
    let near = |read: f64| (read - value).abs() <= digits * value.abs() || read.is_infinite() && value.abs() > 1e308;
    assert!(text.parse().is_ok_and(near), "{value:e} is written as {text}");
}

fn assert_aligned(values: &[f64]) {
    let texts = aligned(values.iter().copied());
    assert_eq!(texts.len(), values.len());
    let mut after = texts.iter().filter_map(|text| text.find('.').map(|point| text.len() - point));
    let first = after.next();
    assert!(after.all(|other| Some(other) == first), "{texts:?}");
}

fn read(text: &str) {
    if let Ok(phi) = named(text) {
        let name = phi.name();
        assert!(named(&name).is_ok_and(|again| again.name() == name), "{text} is {name}");
    }
    if let Ok(solver) = text.parse::<Solver>() {
        assert_eq!(solver.name(), text);
    }
    if let Some(near) = nearest(text, NAMES) {
        assert!(NAMES.contains(&near), "{near} is no name");
    }
    // that neither panics is all there is to say without drawing
    let _ = (text.parse::<Design>(), text.parse::<LabelNoise>());
}
