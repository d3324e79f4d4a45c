//! Audit records: the action of one staff call, its actor and its outcome.
//!
//! ```text
//!   (written in the transaction of its response) ──▶ RECORDED ──▶ SEALED
//!                                                         within a second
//! ```
//!
//! The engine writes the records ([`labs_core::engine`]) and the sealer chains them ([`labs_core::audit_chain`]).
//! This module only reads them. No code changes or deletes a record (docs/decisions/audit.md#audited-operations).

mod export;
mod list;
mod record;
mod resolvers;
mod store;
mod summary;
mod verification;

pub use list::STATEMENTS;
pub use record::{AuditActor, AuditRecord, AuditTarget};
pub use resolvers::OPERATIONS;
