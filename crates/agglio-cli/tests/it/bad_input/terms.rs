//! Formulas and terms that cannot be read, or do not suit the data.

use super::{Case, Group, case};

const DOSES: &str = "dose,age,y\n1,20,.1\n2,31,.3\n0,25,.2\n4,44,.7\n8,38,.9\n-1,30,.4\n";

/// A fit by a formula that must leave no file.
fn formula(input: &'static str, formula: &str) -> Case {
    case(input, format!("fit data.csv --formula {formula} --model new.json"))
}

/// A fit of doses, one of which is zero and one of which is negative.
fn doses(input: &'static str, words: &str) -> Case {
    case(input, format!("fit d.csv {words} --model new.json")).file("d.csv", DOSES)
}

pub fn group() -> Group {
    let cases = vec![
        case("a formula", "fit data.csv --formula y~x1^2+x2:x3-1"),
        formula("a formula without `~`", "y").refused(["it needs one `~`"]),
        formula("a formula without covariates", "y~").refused(["a term is missing"]),
        formula("a formula without a response", "~x1").refused(["a column is missing before `~`"]),
        formula("a transformed response", "log(y)~x1").refused(["choose φ instead (exp for log(y))"]),
        formula("a response that does not exist", "Y~x1").refused(["no column is called `Y`; did you mean `y`?"]),
        formula("neither covariates nor an intercept", "y~0").refused(["neither a covariate nor an intercept"]),
        formula("an intercept alone", "y~1").refused(["no covariate is left"]),
        formula("a category", "y~C(x1)").refused(["categories are not supported yet"]),
        formula("a function that does not exist", "y~sqr(x1)").refused(["did you mean `sqrt`?"]),
        formula("parentheses that are never closed", "y~log(x1").refused(["`)` is missing"]),
        formula("a sum in parentheses", "y~(x1+x2):x3").refused(["parentheses only follow a function"]),
        formula("a power as in Python", "y~x1**2").refused(["write a power with `^`"]),
        formula("a power of zero", "y~x1^0").refused(["a power is a number from -100 to 100"]),
        formula("a column times itself", "y~x1:x1").refused(["write a power, such as x^2"]),
        formula("a misspelt column in a term", "y~log(x11)").refused(["no column is called `x11`; did you mean `x1`?"]),
        formula("the response in a term", "y~log(y)").refused(["used as target and in the term `log(y)`"]),
        formula("a term twice", "y~x1:x2+x2:x1").refused(["the term `x2:x1` is used twice as a covariate"]),
        formula("a glob without a match", "y~lag*").refused(["matches `lag*`"]),
        formula("a term left out that is not there", "y~x1-log(x2)").refused(["is not among the covariates"]),
        formula("two offsets", "y~x1+offset(x2)+offset(x3)").refused(["two offsets"]),
        formula("an offset in the formula and as a flag", "y~x1+offset(x2) --offset x3")
            .refused(["leave out --offset"]),
        formula("a formula and a target", "y~x1 --target y").refused(["--formula", "--target"]),
        formula("a formula and --no-intercept", "y~x1 --no-intercept").refused(["--no-intercept"]),
        doses("the logarithm of zero", "--target y --features log(dose),age")
            .refused(["d.csv:4: column `dose`: `0` has no logarithm (in `log(dose)`) (one more such cell)"]),
        doses("the logarithm of a negative number", "--target y --features log(dose)")
            .refused(["d.csv:7: column `dose`: `-1` has no logarithm"]),
        doses("the square root of a negative number", "--target y --features sqrt(dose)")
            .refused(["d.csv:7: column `dose`: `-1` has no square root"]),
        doses("a negative power of zero", "--target y --features dose^-1")
            .refused(["d.csv:4: column `dose`: `0` has no negative power"]),
        doses("the logarithm of zero as an offset", "--target y --features age --offset log(dose)")
            .refused(["d.csv:4: column `dose`: `0` has no logarithm (in the offset)"]),
        case("a dose of zero", "fit d.csv --formula y~log(dose)")
            .file("d.csv", "dose,y\n1,.2\n2,.3\n0,.01\n4,.7\n8,.8\n"),
        case("an offset and an intercept alone", "fit d.csv --formula y~1+offset(log(dose))")
            .file("d.csv", "dose,y\n1,.2\n2,.4\n3,.4\n4,.6\n"),
    ];
    Group { title: "Formulas and terms", cases }
}
