//! *Fuzz targets*: laws that the library and the program keep whatever bytes they are given.
//!
//! Each target is a function of bytes that panics where a law is broken. `cargo fuzz` looks for bytes that do that; the
//! tests of this package replay what it found worth keeping, which needs neither nightly nor `cargo fuzz`.

mod activation;
mod arguments;
mod csv;
mod fit;
mod model;
mod number;
mod numbers;
mod terms;

pub use activation::activation;
pub use arguments::arguments;
pub use csv::csv;
pub use fit::fit;
pub use model::model;
pub use numbers::numbers;
pub use terms::terms;

/// What a target does with bytes.
pub type Target = fn(&[u8]);

/// All targets, by the names of their binaries and corpora.
pub const TARGETS: &[(&str, Target)] = &[
    ("activation", activation),
    ("arguments", arguments),
    ("csv", csv),
    ("fit", fit),
    ("model", model),
    ("numbers", numbers),
    ("terms", terms),
];
