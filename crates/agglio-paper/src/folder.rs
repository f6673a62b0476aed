//! The *folder* that a run leaves: the files of each figure, and a page about all of them.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use agglio::save::{Draft, publish};

use crate::figure::Figure;
use crate::page::Page;
use crate::{numbers, plot};

/// The name of the page.
pub const PAGE: &str = "index.html";
/// The name of the file with the claims of all figures.
pub const CLAIMS: &str = "claims.csv";

/// A folder that was found fit to be written to. Files of the names that it writes are replaced, others left alone.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder at `path`, which is made if there is none.
    ///
    /// # Errors
    /// If there is something else, or it cannot be made or written to.
    pub fn open(path: &Path) -> io::Result<Folder> {
        if fs::metadata(path).is_ok_and(|meta| !meta.is_dir()) {
            return Err(at(path, &io::Error::new(ErrorKind::NotADirectory, "it is a file; name a folder")));
        }
        fs::create_dir_all(path).map_err(|why| at(path, &why))?;
        let folder = Folder(path.to_owned());
        // what could not be written now could not be written after minutes of work either
        folder.draft(PAGE).map(drop)?;
        Ok(folder)
    }

    /// Where the page is.
    pub fn page(&self) -> PathBuf {
        self.0.join(PAGE)
    }

    /// Writes the files of a figure: all of them, or none.
    ///
    /// # Errors
    /// If the system says no, with the file.
    pub fn put(&self, figure: &Figure) -> io::Result<()> {
        let name = |ending: &str| format!("{}.{ending}", figure.name);
        self.write(&[
            (name("svg"), plot::svg(figure).into_bytes()),
            (name("png"), plot::png(figure)?),
            (name("csv"), numbers::csv(figure).into_bytes()),
            (name("json"), numbers::json(figure).into_bytes()),
        ])
    }

    /// Writes the page and the claims of all figures.
    ///
    /// # Errors
    /// If the system says no, with the file.
    pub fn finish(&self, page: &Page<'_>) -> io::Result<()> {
        let claims = numbers::claims(page.figures).into_bytes();
        self.write(&[(PAGE.into(), page.html()?.into_bytes()), (CLAIMS.into(), claims)])
    }

    fn write(&self, files: &[(String, Vec<u8>)]) -> io::Result<()> {
        let mut drafts = Vec::new();
        for (name, bytes) in files {
            let mut draft = self.draft(name)?;
            draft.write_all(bytes).map_err(|why| at(&self.0.join(name), &why))?;
            drafts.push(draft);
        }
        publish(drafts).map_err(io::Error::other)
    }

    fn draft(&self, name: &str) -> io::Result<Draft> {
        let path = self.0.join(name);
        Draft::new(&path, true).map_err(|why| at(&path, &why))
    }
}

fn at(path: &Path, why: &io::Error) -> io::Error {
    io::Error::new(why.kind(), format!("{}: {why}", path.display()))
}
