//! Simulations that cannot be.

use super::{Case, Group, case};

fn simulate(input: &'static str, words: &str) -> Case {
    case(input, format!("simulate -o new.csv {words}"))
}

/// A small table with further words.
fn small(input: &'static str, words: &str) -> Case {
    simulate(input, &format!("--rows 5 --features 2 --activation sigmoid {words}"))
}

pub fn group() -> Group {
    let cases = vec![
        simulate("no rows", "--rows 0 --features 2 --activation sigmoid").refused(["0 × 2"]),
        simulate("no covariates", "--rows 2 --features 0 --activation sigmoid").refused(["2 × 0"]),
        simulate("more rows than the memory holds", "--rows 1000000000000 --features 100000 --activation sigmoid")
            .refused(["memory"]),
        simulate("more rows than can be counted", "--rows 18446744073709551615 --features 2 --activation sigmoid")
            .refused(["memory"]),
        simulate("an activation that graduation does not change", "--rows 5 --features 2 --activation relu")
            .refused(["`relu`"]),
        small("a negative norm", "--norm -1").refused(["norm is -1"]),
        small("a correlation above 1", "--design corr:2").refused(["correlation is 2"]),
        small("a design that does not exist", "--design odd").refused(["design is `odd`"]),
        small("noise of a shape that does not exist", "--noise post:0.1:sign").refused(["noise is `post:0.1:sign`"]),
        small("a word as noise scale", "--noise pre:x").refused(["`x`", "number"]),
    ];
    Group { title: "Simulations", cases }
}
