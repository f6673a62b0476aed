//! Tables that are odd as a problem.

use super::{Case, Group, case};
use crate::BEYOND;

fn table(input: &'static str, text: impl AsRef<[u8]>) -> Case {
    case(input, "fit d.csv --target y").file("d.csv", text)
}

fn weighted(input: &'static str, weights: [&str; 4]) -> Case {
    let [a, b, c, d] = weights;
    let text = format!("a,n,y\n1,{a},0.5\n2,{b},0.4\n3,{c},0.1\n5,{d},0.3\n");
    case(input, "fit d.csv --target y --weights n").file("d.csv", text)
}

pub fn group() -> Group {
    let rows = |line: fn(u32) -> String| (0..30).map(line).collect::<String>();
    let cases = vec![
        table("a constant target", "a,b,y\n1,2,0.5\n2,1,0.5\n3,5,0.5\n4,1,0.5\n")
            .warned(0, ["the response is always 0.5"]),
        table("all responses at a bound", "a,y\n1,1\n2,1\n3,1\n5,1\n").warned(3, ["the response is always 1"]),
        table("responses at and beyond the bounds", BEYOND).warned(0, ["4 of 8 values of `y` are at or outside"]),
        case("responses beyond the bounds, with noise before φ", "fit d.csv --target y --noise pre")
            .file("d.csv", BEYOND)
            .refused(["4 of 8 responses are at or outside", "`post`"]),
        case("responses beyond the bounds, with the quasi-likelihood", "fit d.csv --target y --loss bernoulli")
            .file("d.csv", BEYOND)
            .refused(["shares from 0 to 1", "`squares`"]),
        case("responses with two preimages", "fit d.csv --target y --activation silu --noise post")
            .file("d.csv", "a,y\n1,-0.2\n2,0.4\n3,-0.1\n-1,1.5\n-2,2.5\n0,0.7\n")
            .warned(0, ["two preimages"]),
        table("separable responses", "a,y\n-2,0\n-1,0\n-0.5,0\n0.5,1\n1,1\n2,1\n").warned(3, ["at or outside"]),
        table("a column twice", "a,b,y\n1,1,0.5\n2,2,0.1\n3,3,0.3\n4,4,0.9\n5,5,0.2\n").warned(3, ["`a` and `b`"]),
        table("fewer rows than columns", "a,b,c,y\n1,4,2,0.5\n2,1,7,0.1\n3,3,1,0.3\n").warned(3, ["do not determine"]),
        table("a constant column", "a,b,y\n1,7,0.5\n2,7,0.1\n3,7,0.3\n4,7,0.9\n").warned(0, ["`b`"]),
        table("a column of zeros", "a,b,y\n1,0,0.5\n2,0,0.1\n3,0,0.3\n4,0,0.9\n").warned(0, ["`b`"]),
        table("the same row many times", "a,y\n1,0.5\n1,0.5\n1,0.5\n1,0.5\n").warned(0, ["`a`"]),
        weighted("a negative weight", ["1", "-1", "1", "1"]).refused(["d.csv:3: column `n`: `-1` is negative"]),
        weighted("a weight of NaN", ["1", "nan", "1", "1"]).refused(["column `n`: `nan` is not finite"]),
        weighted("weights of zero", ["0", "0", "0", "0"]).refused(["weights"]),
        weighted("a weight of zero", ["1", "0", "1", "2"]),
        table(
            "a column that varies too little",
            rows(|i| {
                let begin = if i == 0 { "a,y\n" } else { "" };
                format!("{begin}{},{}\n", 1e10 + f64::from(i) * 0.01, 0.2 + 0.01 * f64::from(i * i % 7))
            }),
        )
        .warned(0, ["`a`: the values vary by less than 1e-8 of their mean"]),
        case("a fit that runs out of epochs", "fit data.csv --target y --solver gd --epochs 3").fine(3),
    ];
    Group { title: "Data as a problem", cases }
}
