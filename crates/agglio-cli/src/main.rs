//! The `agglio` program: fits `y ≈ φ(xᵀw)` from a table, without a starting guess.

use std::process::ExitCode;

fn main() -> ExitCode {
    agglio_cli::run(std::env::args_os())
}
