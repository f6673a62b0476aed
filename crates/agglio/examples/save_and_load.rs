//! A model in a file: saved, loaded again, and with the same predictions to the last bit.
//!
//! The file is JSON with a checksum, the same that `agglio fit --model` writes and `agglio predict` reads. It appears whole
//! or not at all, and one that exists is replaced only on request.
//!
//! ```sh
//! cargo run --release -p agglio --example save_and_load
//! ```

use agglio::activation::named;
use agglio::model::{Centre, Model};
use agglio::rows::Dense;
use agglio::{Options, Result};

fn main() -> Result<()> {
    let dose = vec![-2.0, -1.0, 0.0, 1.0, 2.0];
    let rows = Dense::new(dose.clone(), 1, vec![0.1, 0.3, 0.4, 0.8, 0.85])?;
    let fitted = Options::new(named("sigmoid")?).build()?.fit(&rows)?;

    // by these names the model finds its columns in other tables
    let model = fitted.model("share", &["dose".to_owned()])?;

    let path = std::env::temp_dir().join(format!("agglio-example-{}.json", std::process::id()));
    model.save(&path, true)?;
    let loaded = Model::load(&path)?;
    let refused = model.save(&path, false);
    // the file is not needed any more, and a system that cleans up itself may have been quicker
    std::fs::remove_file(&path).ok();

    let predictions = loaded.predict(&dose, None, Centre::Mean);
    for (dose, share) in dose.iter().zip(&predictions) {
        println!("dose {dose:4}: share {share:.4}");
    }
    assert_eq!(predictions, model.predict(&dose, None, Centre::Mean));
    let own = fitted.predict(&rows, Centre::Mean)?;
    assert!(own.iter().zip(&predictions).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!((loaded.names(), loaded.target()), (vec!["dose".to_owned()], "share"));
    assert!(refused.is_err(), "a file was replaced without being asked to");
    Ok(())
}
