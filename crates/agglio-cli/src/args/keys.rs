//! *Keys* of `--solver` that have no flag: those that make a method the one that its paper prints.

use clap::Args;

/// What may be typed after the solver's name and nowhere else.
#[derive(Clone, Debug, Default, Args)]
pub struct KeyArgs {
    /// `none` is a constant step and the last point, `stall` a step that shortens once the loss no longer falls
    #[arg(long, value_parser = decay)]
    pub decay: Option<bool>,
}

fn decay(typed: &str) -> Result<bool, &'static str> {
    match typed {
        "none" => Ok(false),
        "stall" => Ok(true),
        _ => Err("it is `none` or `stall`"),
    }
}
