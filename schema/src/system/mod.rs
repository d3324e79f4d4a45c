//! Operations about the service itself, without business data.

mod me;

use crate::core::engine::roots;

roots! {
    /// Queries of the module.
    pub(crate) struct SystemQuery(me::MeQuery);
}
