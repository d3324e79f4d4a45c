//! Operations about the service itself, without business data.

mod me;

use labs_core::operation::Operation;

/// Operations of the group.
pub(crate) const OPERATIONS: &[&[Operation]] = &[me::OPERATIONS];
