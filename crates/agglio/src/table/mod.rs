//! A *table* is the data of a model: response, covariates, weights, offsets and categories, row by row.
//!
//! [`Selection`] and [`Formula`] say which columns are used, and as what. Covariates and offsets are columns or [`Term`]s,
//! which are computed from columns, such as `log(dose)` and `a:b`.

mod category;
mod columns;
mod covariates;
mod design;
mod formula;
mod item;
mod names;
mod part;
mod scanner;
mod selection;
#[allow(clippy::module_inception, reason = "the noun of the module")]
mod table;
mod term;
mod verbatim;

pub use category::Category;
pub(crate) use category::Levels;
pub(crate) use columns::Columns;
pub(crate) use design::{Computed, Design, Misfit};
pub use formula::Formula;
pub use item::Item;
pub use part::Part;
pub use selection::{Features, Selection, Sole};
pub use table::Table;
pub(crate) use term::Domain;
pub use term::{Factor, Function, Term, Transform, quoted};
pub use verbatim::Verbatim;
