//! A first fit: a table in a `Vec`, a sigmoid, and no starting values.
//!
//! ```sh
//! cargo run --release -p agglio --example quickstart
//! ```

use agglio::{Options, Result, Status, activation::named, rows::Dense};

fn main() -> Result<()> {
    // dose and age of six patients, one row after the other, and the share of cells that responded
    let table = vec![0.0, 30.0, 1.0, 45.0, 2.0, 28.0, 3.0, 61.0, 4.0, 39.0, 5.0, 50.0];
    let response = vec![0.11, 0.32, 0.45, 0.81, 0.88, 1.0];
    let rows = Dense::new(table, 2, response)?;
    let report = Options::new(named("sigmoid")?).build()?.fit(&rows)?;
    println!("intercept {:.4}, dose and age {:.4?}", report.intercept, report.coefficients);
    println!("{}: {}", report.status(), report.verdict());

    // a response of exactly 1, which a sigmoid never reaches, is ordinary input
    assert_eq!(report.status(), Status::Converged);
    assert!(report.certificate.certified());
    Ok(())
}
