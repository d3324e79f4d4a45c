//! Data exports: all data of a partner as one archive, requested by a caller, created in the background, kept for seven
//! days.
//!
//! ```text
//!   QUEUED ──start──▶ RUNNING ──succeed──▶ SUCCEEDED ── seven days ──▶ its object is deleted
//!                      │  ▲ └──fail──────▶ FAILED
//!                      └──┘ start: the previous run died
//! ```
//!
//! | file | content |
//! |---|---|
//! | `store/kinds` | the exported tables |
//! | `withheld` | the excluded data, with reasons |
//! | `archive` | streaming of lines and images into one ZIP file in the object storage |
//! | `list` | the list of data exports, for the team and for staff |
//! | `run` | the job: next export, lease, progress, end |

mod archive;
mod list;
mod resolvers;
mod rules;
mod run;
mod store;
mod withheld;

pub(in crate::partner) use list::STATEMENTS;
pub use list::{DataExportFilter, EXPORTS_FOR_STAFF, ExportRow, ExportsOf};
pub(in crate::partner) use resolvers::OPERATIONS;
pub use resolvers::{DataExport, request};
pub use rules::draw_states;
pub use run::export_due;
