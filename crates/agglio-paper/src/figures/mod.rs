//! *Figures* of the paper, a file each: data, runs, and the claims that they decide.

mod field;
pub mod fig1;
pub mod fig2;
pub mod fig3;
pub mod fig4;
pub mod fig5;
pub mod fig6;
pub mod fig6c;
pub mod fig7;
mod preimage;
mod sweep;
pub mod table1;
pub mod theorems;
