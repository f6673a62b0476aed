//! Files that are no table, or not quite.

use std::process::Command;

use super::{Case, Group, case};
use crate::Folder;

/// A fit of `d.csv` with this text.
fn table(input: &'static str, text: impl AsRef<[u8]>) -> Case {
    case(input, "fit d.csv --target y").file("d.csv", text)
}

/// The same with a cell in the second row of column `b`.
fn cell(input: &'static str, cell: &str) -> Case {
    table(input, format!("a,b,y\n1,2,0.5\n2,{cell},0.1\n3,5,0.3\n"))
}

/// A table that is as it should be, to be disguised.
const GOOD: &str = "a,b,y\n1,2,0.5\n2,1,0.1\n3,5,0.3\n4,4,0.9\n5,7,0.2\n6,1,0.4\n";

pub fn group() -> Group {
    let mut cases = files();
    cases.extend(cells());
    cases.extend(shapes());
    cases.extend(dialects());
    Group { title: "Files and CSV", cases }
}

fn files() -> Vec<Case> {
    vec![
        case("path missing", "fit nowhere.csv --target y").refused(["nowhere.csv: No such file"]),
        case("a folder", "fit . --target y").refused(["directory"]),
        case("a link to itself", "fit loop.csv --target y").prepare(link_to_itself).refused(["symbolic link"]),
        case("an empty pipe", "fit pipe --target y").prepare(pipe).refused(["pipe: no rows"]),
        case("an endless file of zeros", "fit /dev/zero --target y")
            .refused(["/dev/zero:1: the line is longer than 16 MB"]),
        case("the null device", "fit /dev/null --target y").refused(["/dev/null: no rows"]),
        case("standard input", "fit - --target y").stdin(GOOD),
        case("empty standard input", "fit - --target y").refused(["standard input: no rows"]),
        table("0 bytes", "").refused(["d.csv: no rows"]),
        table("blank lines only", "\n\n  \n").refused(["d.csv: no rows"]),
        table("a header only", "a,b,y\n").refused(["d.csv: no rows: there is only a header"]),
        table("one row", "a,b,y\n1,2,3\n").refused(["d.csv: 1 row is not enough"]),
        case("one row to predict", "predict model.json d.csv").file("d.csv", "x1,x2,x3\n1,2,3\n"),
        table("compressed", b"\x1f\x8b\x08\0\0\0\0\0").refused(["compressed input is not supported"]),
        case("compressed, by its name", "fit d.csv.gz --target y").refused(["d.csv.gz", "compressed"]),
        table("a spreadsheet", b"PK\x03\x04rest").refused(["spreadsheet", "export it as CSV"]),
        case("a spreadsheet, by its name", "fit d.xlsx --target y").refused(["d.xlsx", "only CSV is read"]),
        case("Parquet, by its name", "fit d.parquet --target y").refused(["d.parquet", "only CSV is read"]),
        table("Parquet under another name", b"PAR1rest").refused(["a Parquet file"]),
        case("NumPy, by its name", "fit D.NPY --target y").refused(["D.NPY", "only CSV is read"]),
        case("LIBSVM, by its name", "fit d.svm --target y").refused(["d.svm", "only CSV is read"]),
        table("UTF-16", b"\xff\xfea\0,\0y\0\n\0").refused(["UTF-16", "save it as UTF-8"]),
        table("a header in Latin-1", b"gr\xf6\xdfe,y\n1,2\n").refused(["`gr\\xf6\\xdfe`", "is not UTF-8"]),
        table("bytes that are not text", [0x80; 200]).refused(["`\\x80\\x80", "is not UTF-8"]),
    ]
}

fn cells() -> Vec<Case> {
    vec![
        cell("an empty cell", "").refused(["d.csv:3: column `b`: `` is a missing value", "--missing drop"]),
        cell("`NA`", "NA").refused(["d.csv:3: column `b`: `NA` is a missing value"]),
        cell("`null`", "null").refused(["`null` is a missing value"]),
        cell("`?`", "?").refused(["`?` is a missing value"]),
        case("missing values, to be dropped", "fit d.csv --target y --missing drop")
            .file("d.csv", format!("{GOOD}7,NA,0.1\n,1,0.2\n"))
            .warned(0, ["2 of 8 rows have a missing value and were dropped"]),
        case("nothing left after dropping", "fit d.csv --target y --missing drop")
            .file("d.csv", "a,y\n1,\n,2\n")
            .refused(["no rows are left: all 2 have a missing value"]),
        case("missing values in a column that is not used", "fit d.csv --target y --drop b")
            .file("d.csv", GOOD.replace("1,2,", "1,,")),
        cell("`nan`", "nan").refused(["`nan` is not finite"]),
        table("`inf` in several cells", "a,b,y\n1,2,0.5\n2,inf,0.1\n3,-Infinity,inf\n")
            .refused(["d.csv:3: column `b`: `inf` is not finite", "(2 more such cells)"]),
        case("`inf`, to be dropped", "fit d.csv --target y --missing drop")
            .file("d.csv", "a,y\n1,inf\n2,1\n")
            .refused(["`inf` is not finite"]),
        cell("text", "abc").refused(["d.csv:3: column `b`: `abc` is not a number", "--drop"]),
        table("a decimal comma", "a;b;y\n1;2;0.5\n2;1,5;0.1\n")
            .refused(["`1,5` is not a number; write decimals with a point"]),
        table("decimal commas everywhere", "a;b;y\n1,5;2,5;0,3\n2,5;1,5;0,1\n")
            .refused(["write decimals with a point", "(5 more such cells)"]),
        cell("a thousands separator", "1_000").refused(["`1_000` is not a number", "no separator between thousands"]),
        cell("a hexadecimal number", "0x10").refused(["`0x10` is not a number"]),
        table("a response column of text", "a,y\n1,no\n2,yes\n")
            .refused(["column `y`: `no` is not a number, nor", "encode"]),
        case("text to predict", "predict model.json d.csv")
            .file("d.csv", "x1,x2,x3\n1,2,abc\n")
            .refused(["`abc` is not a number"]),
        cell("true or false", "TRUE").refused(["write 1 for true and 0 for false"]),
        cell("too large for a double", "1e400").refused(["`1e400` overflows a double"]),
        cell("a control character", "\u{1b}[2J").refused(["`\\u{1b}[2J` is not a number"]),
        table("a long text", format!("a,y\n{},1\n", "x".repeat(1000))).refused(["xxx…` is not a number"]),
        table("a column of text", "city,y\nParis,0.1\nRome,0.4\nOslo,0.3\n")
            .refused(["column `city`: `Paris` is not a number, nor is any other cell", "--drop city"]),
    ]
}

fn shapes() -> Vec<Case> {
    vec![
        table("a row too short", "a,b,y\n1,2,0.5\n2,0.1\n")
            .refused(["d.csv:3: 2 fields, but the header has 3 (at byte 14)"]),
        table("a row too long", "a,b,y\n1,2,0.5\n2,3,0.1,4\n").refused(["d.csv:3: 4 fields, but the header has 3"]),
        table("an open quote", "a,b,y\n1,2,0.5\n\"2,3,0.1\n3,4,0.2\n").refused(["d.csv:3: a double quote is opened"]),
        table("text after a quote", "a,b,y\n1,\"2\"3,0.5\n").refused(["d.csv:2: there is text after a closing quote"]),
        table("the same name twice", "a,a,y\n1,2,0.5\n").refused(["two columns are called `a`"]),
        table("a column without a name", "a,,y\n1,2,0.5\n").refused(["column 2 has no name"]),
        table("row numbers without a column name", ",a,y\n0,2,0.5\n").refused(["column 1 has no name", "a row number"]),
        table("a line that never ends", "1".repeat(17 << 20)).refused(["d.csv:1: the line is longer than 16 MB"]),
        table("two million commas", ",".repeat(2_000_000)).refused(["d.csv:1: the line has more than 1048576 fields"]),
    ]
}

fn dialects() -> Vec<Case> {
    vec![
        table("a byte-order mark", format!("\u{feff}{GOOD}")),
        table("lines that end in CRLF", GOOD.replace('\n', "\r\n")),
        table("lines that end in CR", GOOD.replace('\n', "\r")),
        table("no line end after the last line", GOOD.trim_end()),
        table("quotes and spaces", GOOD.replace("1,2,0.5", " \"1\" , 2,\"0.5\" ").replace("a,b,y", "\"a\", \"b\" ,y")),
        table("blank lines between", GOOD.replace('\n', "\n\n")),
        table("semicolons", GOOD.replace(',', ";")),
        table("tabs", GOOD.replace(',', "\t")),
        case("colons, with --delimiter", "fit d.csv --target y --delimiter :").file("d.csv", GOOD.replace(',', ":")),
        table("spaces between fields", GOOD.replace(',', " ")).refused(["the only column is `a b y`", "--delimiter"]),
        case("a digit as delimiter", "fit d.csv --target y --delimiter 1").refused(["one character such as"]),
        case("no header", "fit d.csv --target 3 --no-header").file("d.csv", GOOD.replace("a,b,y\n", "")),
        case("no header, and --no-header is not given", "fit d.csv --target 0.5")
            .file("d.csv", GOOD.replace("a,b,y\n", ""))
            .warned(0, ["all column names are numbers", "--no-header"]),
        case("a header, but --no-header is given", "fit d.csv --target 3 --no-header")
            .file("d.csv", GOOD)
            .refused(["d.csv:1: column `1`: `a`"]),
    ]
}

fn link_to_itself(folder: &Folder) {
    std::os::unix::fs::symlink("loop.csv", folder.path("loop.csv")).unwrap();
}

/// A pipe that somebody opens and closes.
fn pipe(folder: &Folder) {
    let path = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    std::thread::spawn(move || std::fs::OpenOptions::new().write(true).open(path));
}
