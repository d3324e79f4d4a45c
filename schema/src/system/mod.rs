//! Operations about the service itself, without business data.

mod me;

use labs_core::engine::roots;

roots! {
    /// Queries of the module.
    pub(crate) struct SystemQuery(me::MeQuery);
}
