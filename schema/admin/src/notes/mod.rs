//! Internal notes of staff about a partner. Partners never see them; the partner's part of the schema has no field for
//! them.
//!
//! Only the author changes a note. Other staff members read it and answer with a separate note.

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
