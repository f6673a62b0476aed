//! The *catalogue* knows every figure by its name.

use crate::error::Result;
use crate::figure::Figure;
use crate::figures::{fig1, fig2, fig3, fig4, fig5, fig6, fig6c, fig7, table1, theorems};
use crate::request::Request;

/// A function that makes a figure; it reports its progress to the second argument.
pub type Draw = fn(&Request, &dyn Fn(&str)) -> Result<Figure>;

/// A figure that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Makes it; how long that took is for the caller to say.
    pub draw: Draw,
}

/// All figures, in the paper's order, and its theorems.
pub const CATALOGUE: &[Entry] = &[
    entry("fig1", fig1::draw),
    entry("fig2a", fig2::a),
    entry("fig2b", fig2::b),
    entry("fig2c", fig2::c),
    entry("fig3a", fig3::a),
    entry("fig3b", fig3::b),
    entry("fig3c", fig3::c),
    entry("fig4a", fig4::a),
    entry("fig4b", fig4::b),
    entry("fig4c", fig4::c),
    entry("fig5a", fig5::a),
    entry("fig5b", fig5::b),
    entry("fig5c", fig5::c),
    entry("fig6a", fig6::a),
    entry("fig6b", fig6::b),
    entry("fig6c", fig6c::c),
    entry("fig7a", fig7::a),
    entry("fig7b", fig7::b),
    entry("table1", table1::draw),
    entry("theorems", theorems::draw),
];

const fn entry(name: &'static str, draw: Draw) -> Entry {
    Entry { name, draw }
}
