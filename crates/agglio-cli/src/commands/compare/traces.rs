//! *Traces* are the files of `compare --trace`: one for each contender, named after it.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Contender;
use crate::interrupt;
use crate::output::{Output, require_distinct};

/// Longest name of a file, without its number and extension.
const LONGEST: usize = 100;

/// Where the traces go; no output for a contender without one.
#[derive(Debug)]
pub struct Traces(Vec<Option<Output>>);

impl Traces {
    /// The traces in a folder, which is made if it does not exist.
    ///
    /// # Errors
    /// If a file cannot be written there, exists and may not be replaced, or is also an input.
    pub fn new(folder: Option<&Path>, contenders: &[Contender], force: bool, inputs: &[&Path]) -> Result<Traces> {
        let Some(folder) = folder else { return Ok(Traces(contenders.iter().map(|_| None).collect())) };
        interrupt::shield(|| fs::create_dir_all(folder))?.with_context(|| folder.display().to_string())?;
        let names = file_names(contenders.iter().map(|contender| contender.name.as_str()));
        let outputs = names.iter().map(|name| Output::new(&folder.join(name), force)).collect::<Result<Vec<_>>>()?;
        require_distinct(&outputs, inputs)?;
        Ok(Traces(outputs.into_iter().map(Some).collect()))
    }

    pub fn outputs(&self) -> impl Iterator<Item = Option<&Output>> {
        self.0.iter().map(Option::as_ref)
    }
}

/// A different file name for each text: its letters, digits and `._=`, with a dash for anything else.
fn file_names<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    let unique = |text: &str| {
        let stem = stem(text);
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        // some systems do not tell capitals apart
        let name = [stem.clone()].into_iter().chain(numbered).find(|name| seen.insert(name.to_lowercase()));
        format!("{}.csv", name.unwrap_or(stem))
    };
    texts.map(unique).collect()
}

fn stem(text: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || "._=".contains(c);
    let parts: Vec<&str> = text.split(|c| !is_kept(c)).filter(|part| !part.is_empty()).collect();
    let stem: String = parts.join("-").trim_start_matches(['.', '-']).chars().take(LONGEST).collect();
    if stem.is_empty() { "model".to_owned() } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_names_that_every_system_takes() {
        let texts =
            ["auto", "sgd:batch=20;tol=1e-2", "AUTO", "auto", "y ~ log(dose)", "../x", "~", "0,free", "-1,free"];
        let expected =
            ["auto", "sgd-batch=20-tol=1e-2", "AUTO-2", "auto-3", "y-log-dose", "x", "model", "0-free", "1-free"];
        let names = file_names(texts.into_iter());
        assert_eq!(names, expected.map(|name| format!("{name}.csv")));
        assert!(file_names([&*"é".repeat(500)].into_iter())[0].len() < 255);
    }
}
