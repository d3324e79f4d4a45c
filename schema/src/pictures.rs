//! Pictures of what is on show, for whoever has their address.

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::core::engine::Engine;
use crate::core::fault::Fault;
use crate::marketplace::public_pictures;

pub use crate::marketplace::public_pictures::PictureName;

/// The bytes of a picture that is on show now; `None` where nothing on show has it. It costs no statement.
///
/// # Errors
/// [`crate::Code::Unavailable`] while this replica does not hear of changes, or the store is away.
pub fn open<'a>(engine: &'a Engine, name: &'a PictureName) -> BoxFuture<'a, Result<Option<Bytes>, Fault>> {
    async move { public_pictures::open(engine.services(), name).await }.boxed()
}
