//! An audit record: what one call of staff did, who called, and how it ended.
//!
//! ```text
//!   (written in the transaction of its answer) ──▶ RECORDED ──▶ SEALED
//!                                                       within a second
//! ```
//!
//! The engine writes them ([`crate::core::engine`]) and the sealer chains them ([`crate::core::audit_chain`]); here they are only
//! read. Nothing changes or deletes one (docs/decisions.md#audit).

mod export;
mod list;
mod record;
mod resolvers;
mod store;
mod summary;
mod verification;

pub(in crate::admin) use list::STATEMENTS;
pub(crate) use record::{AuditActor, AuditRecord, AuditTarget};
pub(in crate::admin) use resolvers::AuditRecordsQuery;
