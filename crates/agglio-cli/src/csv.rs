//! *CSV* as the program writes it: every cell is read back as it was, whichever delimiter the reader finds.

use std::borrow::Cow;

use agglio::text::format;
use serde_json::Value;

/// A text as a cell, in quotes if it would not be read back otherwise.
pub fn quoted(text: &str) -> Cow<'_, str> {
    match text.contains([',', '"', '\n', '\r', ';', '|', '\t']) || text.trim() != text {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

/// A value as a cell; what is missing is empty.
fn cell(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => "".into(),
        Value::String(text) => quoted(text),
        Value::Number(number) if number.is_f64() => number.as_f64().map(format::exact).unwrap_or_default().into(),
        other => other.to_string().into(),
    }
}

/// A line of texts, with its end.
pub fn header<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// A line of values, with its end.
pub fn line<'a>(values: impl IntoIterator<Item = &'a Value>) -> String {
    values.into_iter().map(cell).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_quoted_where_a_reader_would_split_them() {
        let cells = ["a", "a,b", "say \"no\"", " a", "two\nlines", "log(dose)"];
        assert_eq!(header(cells), "a,\"a,b\",\"say \"\"no\"\"\",\" a\",\"two\nlines\",log(dose)\n");
        let values = [json!(3), json!(0.1), json!(-2.5), json!(f64::NAN), json!(true), json!(-4), json!(" ;")];
        assert_eq!(line(&values), "3,0.10000000000000001,-2.5000000000000000,,true,-4,\" ;\"\n");
    }
}
