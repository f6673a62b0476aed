//! The *mathematics* without data or models: linear algebra, Krylov methods, distributions, random numbers, and sums
//! in a tree.

pub mod distribution;
pub(crate) mod incomplete;
pub(crate) mod krylov;
pub(crate) mod linalg;
pub mod rng;
pub(crate) mod tree;
pub(crate) mod vector;
