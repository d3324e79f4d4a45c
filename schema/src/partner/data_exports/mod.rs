//! Everything that a partner has here, as one archive: asked for, made in the background, kept for seven days.
//!
//! ```text
//!   QUEUED ──start──▶ RUNNING ──succeed──▶ SUCCEEDED ── seven days ──▶ its object is deleted
//!                      │  ▲ └──fail──────▶ FAILED
//!                      └──┘ start: the run that had it died
//! ```
//!
//! | file | what it decides |
//! |---|---|
//! | `kinds` | what goes into an archive, table by table |
//! | `withheld` | what does not, and why |
//! | `archive` | lines and pictures become one ZIP in the media store, while they are read |
//! | `list` | the list of archives, for the team and for staff |
//! | `run` | the job: whoever is next, its lease, its progress, its end |

mod archive;
mod kinds;
mod list;
mod resolvers;
mod rules;
mod run;
mod store;
mod withheld;

pub(in crate::partner) use list::STATEMENTS;
pub(crate) use list::{DataExportFilter, EXPORTS_FOR_STAFF, ExportRow, ExportsOf};
pub(crate) use resolvers::{DataExport, request};
pub(in crate::partner) use resolvers::{DataExportsMutation, DataExportsQuery};
pub(crate) use rules::drawing;
pub(crate) use run::export_due;
