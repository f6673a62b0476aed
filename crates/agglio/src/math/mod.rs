//! The *mathematics* that nothing in it knows of data or models: linear algebra, Krylov spaces, random numbers, sums in a tree.

pub(crate) mod krylov;
pub(crate) mod linalg;
pub mod rng;
pub(crate) mod tree;
pub(crate) mod vector;
