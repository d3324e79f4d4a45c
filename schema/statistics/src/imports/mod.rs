//! Imports of statistics from the platform's API. Each import requests some completed days one after the other, oldest
//! first.
//!
//! ```text
//!   QUEUED ──start──▶ RUNNING ──succeed──▶ SUCCEEDED
//!                      │  ▲ └──fail──────▶ FAILED
//!                      └──┘ start: another replica continues
//! ```
//!
//! One import runs at a time, across all replicas. Every page of a day is read and checked before any figure of that
//! day is written; then all figures are written in one transaction. A failed day keeps the existing figures and adds an
//! import run with the error.
//!
//! | file | content |
//! |---|---|
//! | `report` | checks that a response has the required form (`contract/platform-statistics.yaml`) |
//! | `rules` | days that may be requested, and when an import continues or ends |
//! | `run` | the job: claims an import, renews its lease, ends it |
//! | `list` | the import runs |

mod list;
mod report;
mod resolvers;
mod rules;
mod run;
mod store;

pub(crate) use list::STATEMENTS;
pub use report::{ImportError, ImportErrorCode};
pub(crate) use resolvers::OPERATIONS;
pub use rules::draw_states;
pub use run::{PageAnswer, UsageSource, import_due};
