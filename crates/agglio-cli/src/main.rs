//! The `agglio` program: fits `y ≈ φ(xᵀw + b)` to a table, without starting values.

use std::process::ExitCode;

fn main() -> ExitCode {
    agglio_cli::run(std::env::args_os())
}
