//! Columns that are not there, or asked for twice.

use super::{Case, Group, case};

/// Words after `fit data.csv --target y` that must leave no file.
fn fit(input: &'static str, words: &str) -> Case {
    case(input, format!("fit data.csv --target y {words} --model new.json --trace new.csv"))
}

pub fn group() -> Group {
    let missing = case("no target", "fit data.csv");
    let cases = vec![
        missing.refused(["--target"]),
        case("a target in another case", "fit data.csv --target Y")
            .refused(["no column is called `Y`; did you mean `y`?"]),
        case("a target that does not exist", "fit data.csv --target label")
            .refused(["the columns are `x1`, `x2`, `x3`, `y`"]),
        case("a target named twice", "fit data.csv --target y --target x1").refused(["--target", "multiple times"]),
        fit("a misspelt covariate", "--features x1,x22").refused(["no column is called `x22`; did you mean `x2`?"]),
        fit("the same covariate twice", "--features x1,x1").refused(["column `x1` is used twice as a covariate"]),
        case("names with a comma or a quote in them", r#"fit d.csv --target y --features "a,b","c""d",e"#).file(
            "d.csv",
            "\"a,b\",\"c\"\"d\",e,f,y\n1,2,1,Ada,0.1\n2,1,3,Bob,0.4\n3,4,5,Cyd,0.5\n5,3,2,Dan,0.9\n2,2,2,Eve,.4\n",
        ),
        case("a column of text whose name looks like a flag", "fit d.csv --target y")
            .file("d.csv", "x,-c,y\n1,q,.1\n2,r,.5\n3,s,.7\n")
            .refused(["--drop=-c"]),
        case("the same column, dropped as the message says", "fit d.csv --target y --drop=-c")
            .file("d.csv", "x,-c,y\n1,q,.1\n2,r,.5\n3,s,.7\n"),
        fit("an empty name", "--features x1,").refused(["a name is empty"]),
        fit("a quoted name without a closing quote", r#"--features x1,"x2"#).refused(["must end with one"]),
        fit("text after a quoted name", r#"--drop "x1"x2"#).refused(["followed by a comma"]),
        fit("the target as a covariate", "--features x1,y")
            .refused(["column `y` is used as target and as a covariate"]),
        fit("a dropped column that does not exist", "--drop z9").refused(["no column is called `z9`"]),
        fit("the target dropped", "--drop y").refused(["`y` is the target", "--drop"]),
        fit("all columns dropped", "--drop x1,x2,x3").refused(["no covariate is left"]),
        fit("--features and --drop", "--drop x1 --features x2").refused(["--drop", "--features"]),
        fit("the target as weights", "--weights y").refused(["column `y` is used as target and as weights"]),
        fit("an offset that does not exist", "--offset z").refused(["no column is called `z`"]),
        case("a column to predict is missing", "predict model.json d.csv -o p.csv")
            .file("d.csv", "x1,x3\n1,2\n")
            .refused(["no column is called `x2`; did you mean"]),
        case("a column to predict has another name", "predict model.json d.csv -o p.csv")
            .file("d.csv", "x1,height,x3\n1,2,3\n")
            .refused(["no column is called `x2`"]),
        case("columns to predict in another order, and extra columns", "predict model.json d.csv")
            .file("d.csv", "x3,name,x1,x2\n1,Ada,2,3\n"),
        case("a file to score without the response", "score model.json d.csv")
            .file("d.csv", "x1,x2,x3\n1,2,3\n")
            .refused(["no column is called `y`"]),
        case("too few columns without names", "predict model.json d.csv --no-header")
            .file("d.csv", "1,2\n")
            .refused(["2 columns, but the model has 3 covariates"]),
        case("a file to score without a header", "score model.json d.csv --no-header")
            .file("d.csv", "1,2,3,0.5\n")
            .refused(["the model knows its columns by name"]),
        case("columns without names, in the model's order", "predict model.json d.csv --no-header")
            .file("d.csv", "1,2,3\n"),
    ];
    Group { title: "Columns", cases }
}
