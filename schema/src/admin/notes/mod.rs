//! What staff note about a partner for one another. No partner ever reads it; there is no field for it on their side.
//!
//! A note belongs to its author: others read it, and answer with one of their own.

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{NotesMutation, NotesQuery};
