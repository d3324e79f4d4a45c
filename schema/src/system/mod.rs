//! The service itself: no business data.

mod me;

use crate::core::engine::roots;

roots! {
    /// What can be read of the group.
    pub(crate) struct SystemQuery(me::MeQuery);
}
