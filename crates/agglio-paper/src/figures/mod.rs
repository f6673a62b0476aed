//! *Figures* of the paper, a file each: data, runs, and the claims that they decide.

pub mod fig1;
