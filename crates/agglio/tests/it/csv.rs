//! CSV files as people have them: every way to write one is read, and what is not one is refused with its place.

use std::io::Read;
use std::path::Path;

use agglio::read::{Csv, Features, Missing, Selection, Table};

fn read(text: &str, selection: &Selection) -> Result<Table, String> {
    Csv::new().read(text.as_bytes(), Path::new("data.csv"), selection).map_err(|error| error.to_string())
}

fn target(name: &str) -> Selection {
    Selection { target: Some(name.into()), ..Selection::default() }
}

#[test]
fn columns_play_the_parts_they_are_given() {
    let text = "a,b,y,w,o\n1,2,0.5,3,0.1\n4,5,0.25,6,0.2\n";
    let selection = Selection { weights: Some("w".into()), offset: Some("o".into()), ..target("y") };
    let table = read(text, &selection).unwrap();
    assert_eq!(table.names, ["a", "b"]);
    assert_eq!(table.values, [1.0, 2.0, 4.0, 5.0]);
    assert_eq!(
        (table.labels, table.weights, table.offsets),
        (vec![0.5, 0.25], Some(vec![3.0, 6.0]), Some(vec![0.1, 0.2]))
    );
    let only = Selection { features: Features::Only(vec!["o".into(), "a".into()]), ..target("y") };
    assert_eq!(read(text, &only).unwrap().values, [0.1, 1.0, 0.2, 4.0]);
    let except = Selection { features: Features::Except(vec!["o".into(), "a".into()]), ..target("y") };
    assert_eq!(read(text, &except).unwrap().names, ["b", "w"]);
}

#[test]
fn files_of_every_system_are_read() {
    for text in
        ["\u{feff}a,y\n1,2\n3,4\n", "a,y\r\n1,2\r\n3,4\r\n", "a,y\n1,2\n3,4", "\"a\", y\n\" 1\",2\n\n3 ,\"4\"\n"]
    {
        let table = read(text, &target("y")).unwrap();
        assert_eq!((table.values, table.labels), (vec![1.0, 3.0], vec![2.0, 4.0]), "{text:?}");
    }
}

#[test]
fn bad_files_are_refused_with_their_place() {
    let cases = [
        ("", "no rows"),
        ("a,y\n", "no rows: there is only a header"),
        ("a,y\n1,2\n3\n", "data.csv:3: 1 field, but the header has 2 (at byte 8)"),
        ("a,y\n1,abc\n", "data.csv:2: column `y`: `abc` is not a number"),
        ("a,y\n1,\n", "missing value"),
        ("a,y\nNA,1\n", "missing value"),
        ("a,y\n1,2\nnan,1\n", "data.csv:3: column `a`: `nan` is not finite"),
        ("a,y\n-Infinity,1\n", "not finite"),
        ("a,y\n1e400,1\n", "overflows"),
        ("a,a,y\n1,2,3\n", "two columns are called `a`"),
        ("a,,y\n1,2,3\n", "column 2 has no name"),
        ("a,z\n1,2\n", "no column is called `y`"),
        ("y\n1\n", "no covariate is left"),
    ];
    for (text, what) in cases {
        let error = read(text, &target("y")).unwrap_err();
        assert!(error.contains(what), "{text:?}: {error}");
    }
    let long = format!("a,y\n{},1\n", "x".repeat(1000));
    assert!(read(&long, &target("y")).unwrap_err().len() < 200);
    assert!(read("height,y\n1,2\n", &target("hieght")).unwrap_err().contains("did you mean `height`?"));
    let twice = Selection { features: Features::Only(vec!["y".into()]), ..target("y") };
    assert!(read("a,y\n1,2\n", &twice).unwrap_err().contains("as target and as a covariate"));
    let again = Selection { features: Features::Only(vec!["a".into(), "a".into()]), ..target("y") };
    assert!(read("a,y\n1,2\n", &again).unwrap_err().contains("twice as a covariate"));
}

#[test]
fn delimiters_are_found_or_asked_for() {
    for text in ["a;b;y\n1;2;3\n", "a\tb\ty\n1\t2\t3\n", "a|b|y\n1|2|3\n", "\n \n\"a\",\"b\",y\n1,2,3\n"] {
        let table = read(text, &target("y")).unwrap();
        assert_eq!((table.values, table.labels), (vec![1.0, 2.0], vec![3.0]), "{text:?}");
    }
    // commas in quotes and in decimals are fewer than what separates
    let table = read("\"a,b,c,d\";z;y\n1;2;3\n", &target("y")).unwrap();
    assert_eq!(table.names, ["a,b,c,d", "z"]);
    let asked = Csv::new().delimiter(Some(b':')).read(&b"a:y\n1:2\n"[..], Path::new("d"), &target("y")).unwrap();
    assert_eq!(asked.labels, [2.0]);
    assert!(read("a y\n1 2\n", &target("y")).unwrap_err().contains("delimiter"));
    assert!(read("a;b;y\n1,5;2;3\n", &target("y")).unwrap_err().contains("write decimals with a point"));
}

#[test]
fn lines_are_counted_whatever_ends_them_and_whatever_is_between() {
    for (text, place) in [
        ("a,y\n\n\n1,2\n\n1,x\n", "data.csv:6: column `y`: `x`"),
        ("a,y\r\n\r\n1,2\r\n1,x\r\n", "data.csv:4: column `y`: `x`"),
        ("a,y\r1,2\r\r1,x", "data.csv:4: column `y`: `x`"),
        ("a,t,y\n1,\"two\nlines\",2\n1,z,x\n", "data.csv:4: column `y`: `x`"),
        ("a,y\n1,2\n\"1,2\n3,4\n5,6\n", "data.csv:3: a double quote is opened and never closed"),
        ("a,y\n1,2\n\"1\"2,3\n", "data.csv:3: there is text after a closing quote"),
    ] {
        let selection = Selection { features: Features::Only(vec!["a".into()]), ..target("y") };
        let error = read(text, &selection).unwrap_err();
        assert!(error.contains(place), "{text:?}: {error}");
    }
}

#[test]
fn bad_cells_are_counted() {
    let text = "a,b,y\n1,2,3\n1,inf,nan\n1,x,3\n-inf,2,inf\n";
    let error = read(text, &target("y")).unwrap_err();
    assert!(error.contains("data.csv:3: column `b`: `inf` is not finite"), "{error}");
    assert!(error.contains("(2 more such cells);"), "{error}");
    let error = read("city,y\nParis,1\nRome,2\n", &target("y")).unwrap_err();
    assert!(
        error.contains("nor is any other cell of the column") && error.ends_with("leave it out of the covariates"),
        "{error}"
    );
    // a line that is broken after the first bad cell does not hide it
    let error = read("a,y\n1,inf\n\"", &target("y")).unwrap_err();
    assert!(error.contains("data.csv:2: column `y`"), "{error}");
}

#[test]
fn rows_with_missing_values_are_dropped_on_request() {
    let text = "a,t,w,y\n1,NA,1,2\n,x,1,3\n4,x,null,5\n6,x,1,?\n7,,2,8\nnan,x,1,1\n";
    let selection =
        Selection { weights: Some("w".into()), features: Features::Except(vec!["t".into()]), ..target("y") };
    let csv = Csv::new().missing(Missing::Drop);
    let table = csv.read(text.as_bytes(), Path::new("d"), &selection).unwrap();
    assert_eq!((table.rows, table.dropped), (2, 4));
    assert_eq!((table.values, table.labels, table.weights), (vec![1.0, 7.0], vec![2.0, 8.0], Some(vec![1.0, 2.0])));
    for (text, what) in [("a,y\n1,inf\n", "not finite"), ("a,y\n1,x\n", "not a number"), ("a,y\n1,NA\n", "all 1 have")]
    {
        let error = csv.read(text.as_bytes(), Path::new("d"), &target("y")).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn columns_without_names_are_numbered() {
    let csv = Csv::new().header(false);
    let table = csv.read(&b"1,2,3\n4,5,6\n"[..], Path::new("d"), &target("2")).unwrap();
    assert_eq!((table.names, table.labels), (vec!["1".to_owned(), "3".to_owned()], vec![2.0, 5.0]));
    assert_eq!((table.values, table.columns), (vec![1.0, 3.0, 4.0, 6.0], 3));
    let in_order = |columns| Selection {
        features: Features::InOrder { names: vec!["1".into(), "3".into()], columns },
        ..Selection::default()
    };
    let read = |text: &str, columns| csv.read(text.as_bytes(), Path::new("d"), &in_order(columns));
    assert_eq!(read("1,2,3\n", Some(3)).unwrap().values, [1.0, 3.0]);
    assert_eq!(read("1,3\n", Some(3)).unwrap().values, [1.0, 3.0]);
    for (text, columns) in [("1,2,3\n", None), ("1,2,3,4\n", Some(3)), ("1\n", Some(3))] {
        let error = read(text, columns).unwrap_err().to_string();
        assert!(error.contains("but the model has 2 covariates"), "{error}");
    }
}

#[test]
fn endless_and_enormous_input_ends_with_a_word() {
    let read = |source: &mut dyn Read| {
        Csv::new().memory(1 << 20).read(source, Path::new("d"), &target("y")).unwrap_err().to_string()
    };
    assert!(read(&mut std::io::repeat(0)).contains("d:1: the line is longer than 16 MB"));
    assert!(read(&mut std::io::repeat(b'\n')).contains("blank lines"));
    assert!(read(&mut std::io::repeat(b',')).contains("d:1: the line has more than 1048576 fields"));
    assert!(read(&mut std::io::repeat(b'"')).contains("d:1: the line is longer than 16 MB"));
    assert!(read(&mut b"a,y\n1,\"".chain(std::io::repeat(b'\n'))).contains("d:2: a double quote is opened"));
    assert!(read(&mut b"a,y\n".chain(Endless(b"1,2\n"))).contains("the free memory holds only"));
    let error = read(&mut b"a,y\n1,1\n1,x\n".chain(Endless(b"1,x\n")));
    assert!(error.contains("(at least ") && error.contains(" more such cells)"), "{error}");
}

/// The same bytes again and again, a piece at a time.
struct Endless(&'static [u8]);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let whole = buffer.chunks_exact_mut(self.0.len());
        let pieces = whole.map(|piece| piece.copy_from_slice(self.0)).count();
        Ok(pieces * self.0.len())
    }
}

#[test]
fn files_of_other_kinds_are_recognised() {
    for (bytes, what) in [
        (&b"\x1f\x8b\x08rest"[..], "compressed input is not supported"),
        (b"\x28\xb5\x2f\xfdrest", "compressed input is not supported"),
        (b"PK\x03\x04rest", "compressed input is not supported"),
        (b"PAR1rest", "Parquet"),
        (b"\x93NUMPYrest", "NumPy"),
        (b"\xff\xfea\0,\0", "UTF-16"),
        (b"gr\xf6\xdfe,y\n1,2\n", "`gr\\xf6\\xdfe`, is not UTF-8"),
    ] {
        let error = Csv::new().read(bytes, Path::new("d"), &target("y")).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}
