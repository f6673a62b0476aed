//! Groups that cannot be fitted, and flags that do not suit them.

use super::{Case, Group, case};

const CURVES: &str = "g,dose,y,loss\n\
    a,1,.1,1\na,2,.3,2\na,4,.4,3\na,8,.7,1\na,16,.8,2\n\
    b,1,.2,1\nb,2,.2,2\nb,4,.5,3\nb,8,.6,1\nb,16,.9,2\n";
const BROKEN: &str = "g,dose,y\na,1,.1\na,2,.3\na,4,.4\na,8,.7\na,16,.8\nb,1,.2\n";

fn groups(input: &'static str, words: &str) -> Case {
    case(input, format!("fit g.csv --formula y~log(dose) {words}")).file("g.csv", CURVES)
}

pub fn group() -> Group {
    let cases = vec![
        groups("a column of groups", "--by g"),
        case("a group of one row", "fit h.csv --formula y~log(dose) --by g").file("h.csv", BROKEN).fine(3),
        groups("a column of groups that does not exist", "--by G")
            .refused(["no column is called `G`; did you mean `g`?"]),
        groups("the response as groups", "--by y").refused(["`y` is the target: pass another column to --by"]),
        groups("the weights as groups", "--by g --weights g").refused(["`g` is the weights"]),
        groups("groups and a model file", "--by g --model new.json").refused(["--model is about one fit"]),
        groups("groups and a trace", "--by g --trace new.csv").refused(["--trace is about one fit"]),
        groups("groups and a checkpoint", "--by g --checkpoint new.ck").refused(["--checkpoint is about one fit"]),
        groups("groups and a proof", "--by g --prove").refused(["--prove is about one fit"]),
        groups("groups and the time of a proof", "--by g --prove-seconds 1")
            .refused(["--prove-seconds is about one fit"]),
        groups("groups and a resumed fit", "--by g --resume old.ck").refused(["--resume is about one fit"]),
        groups("groups by a column whose name the result has already", "--by loss")
            .refused(["two columns of the result would be called `loss`"]),
        groups("shared parameters without groups", "--share slope")
            .refused(["pass the column of the groups with --by"]),
        groups("a shared parameter that does not exist", "--by g --share slop").refused([
            "did you mean `slope`? the parameters that can be shared are `log(dose)`, `(intercept)` and `slope`",
        ]),
        groups("a shared asymptote that is fixed", "--by g --share upper --range 0,1")
            .refused(["`upper` is not fitted, so there is nothing to share"]),
        case("a row without a group", "fit h.csv --formula y~log(dose) --by g")
            .file("h.csv", "g,dose,y\na,1,.1\n,2,.3\na,4,.4\n")
            .refused(["h.csv:3: column `g`"]),
    ];
    Group { title: "Groups", cases }
}
