//! Published pictures, for any client that has their URL.

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use labs_core::engine::Engine;
use labs_core::fault::Fault;

use crate::marketplace::public_pictures;

pub use crate::marketplace::public_pictures::PictureName;

/// Returns the bytes of a currently published picture; `None` if it is not published. Executes no SQL.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if this replica receives no change notifications, or the object storage does not
/// answer.
pub fn open<'a>(engine: &'a Engine, name: &'a PictureName) -> BoxFuture<'a, Result<Option<Bytes>, Fault>> {
    async move { public_pictures::open(engine.services(), name).await }.boxed()
}
