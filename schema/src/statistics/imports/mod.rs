//! Imports of what the platform's API reports: each asks for some completed days, one after the other, the oldest first.
//!
//! ```text
//!   QUEUED ──start──▶ RUNNING ──succeed──▶ SUCCEEDED
//!                      │  ▲ └──fail──────▶ FAILED
//!                      └──┘ start: another replica goes on
//! ```
//!
//! One import is under way at a time, over all replicas. Every page of a day is read and judged before anything of that day
//! is written, and then all of it is, in one transaction. A day that fails leaves what was there, and a line in the ledger.
//!
//! | file | what it decides |
//! |---|---|
//! | `report` | whether what was answered has the form that was asked for (`contract/platform-statistics.yaml`) |
//! | `rules` | which days may be asked for, when an import goes on, and when it ends |
//! | `run` | the job: whoever is next, its lease, its end |
//! | `list` | the ledger |

mod list;
mod report;
mod resolvers;
mod rules;
mod run;
mod store;

pub(in crate::statistics) use list::STATEMENTS;
pub use report::{ImportError, ImportErrorCode};
pub(in crate::statistics) use resolvers::{ImportsMutation, ImportsQuery};
pub(crate) use rules::drawing;
pub(crate) use run::import_due;
pub use run::{PageAnswer, UsageSource};
