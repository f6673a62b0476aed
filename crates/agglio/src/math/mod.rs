//! The *mathematics* without data or models: linear algebra, Krylov methods, random numbers, and sums in a tree.

pub(crate) mod krylov;
pub(crate) mod linalg;
pub mod rng;
pub(crate) mod tree;
pub(crate) mod vector;
