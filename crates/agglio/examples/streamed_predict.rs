//! Predictions for a CSV file of any length: it is read piece by piece, and each piece takes the memory of the last one.
//!
//! `Csv::open` finds the columns by their names, in any order among others. Here `site` is not a feature and stays unread.
//!
//! ```sh
//! cargo run --release -p agglio --example streamed_predict
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use agglio::Options;
use agglio::activation::named;
use agglio::model::{Centre, Model};
use agglio::read::{Csv, Features, Selection};
use agglio::rows::Dense;

const ROWS: usize = 200_000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (input, output) = (folder.path().join("doses.csv"), folder.path().join("shares.csv"));
    write_table(&input)?;
    let model = model()?;

    // one thread reads about a megabyte at a time; each further one reads as much
    let selection = Selection { features: Features::Only(model.names()), ..Selection::default() };
    let mut pieces = Csv::new().threads(Some(1)).open(File::open(&input)?, &input, &selection)?;
    let mut shares = BufWriter::new(File::create(&output)?);
    let (mut piece, mut rows, mut most) = (pieces.table(), 0, 0);
    while pieces.append_to(&mut piece)? {
        for share in model.predict(&piece.values, None, Centre::Mean) {
            writeln!(shares, "{share}")?;
        }
        rows += piece.rows;
        most = most.max(piece.rows);
        piece.clear();
    }
    shares.into_inner()?;
    println!("{rows} predictions; at most {most} rows were in memory at a time");

    assert_eq!(rows, ROWS);
    assert_eq!(std::fs::read_to_string(&output)?.lines().count(), ROWS);
    assert!(most < ROWS / 2, "{most} rows in one piece");
    Ok(())
}

fn model() -> agglio::Result<Model> {
    let rows = Dense::new(vec![-2.0, -1.0, 0.0, 1.0, 2.0], 1, vec![0.1, 0.3, 0.4, 0.8, 0.85])?;
    Options::new(named("sigmoid")?).build()?.fit(&rows)?.model("share", &["dose".to_owned()])
}

/// Doses from −2 to 2, between two columns that the model does not need.
fn write_table(path: &Path) -> std::io::Result<()> {
    let mut table = BufWriter::new(File::create(path)?);
    writeln!(table, "site,dose,note")?;
    for i in 0..ROWS {
        writeln!(table, "{},{},none", i % 7, i as f64 / ROWS as f64 * 4.0 - 2.0)?;
    }
    table.flush()
}
