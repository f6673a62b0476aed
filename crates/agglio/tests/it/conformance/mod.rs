//! The conformance suite passes everything of ours, and fails what is broken on purpose.

mod activations;
mod oracles;
mod rows;

use agglio::conformance::Failure;

/// Each mutant breaks the law it is made for, and no law is without a mutant.
#[track_caller]
fn assert_caught(laws: impl Iterator<Item = &'static str>, caught: &[(&str, Result<(), Failure>, &str)]) {
    for (mutant, result, law) in caught {
        match result {
            Ok(()) => panic!("`{mutant}` conforms"),
            Err(failure) => assert_eq!(failure.law, *law, "`{mutant}`: {failure}"),
        }
    }
    for law in laws {
        assert!(caught.iter().any(|(_, _, broken)| *broken == law), "no mutant breaks this law: {law}");
    }
}
