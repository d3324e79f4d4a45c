//! Functions of groups that REST calls in addition to operations. They are not part of the schema.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use labs_media::name::PictureName;

use super::Engine;
use crate::fault::Fault;

/// Result of a call.
pub type Calling<'a, T> = BoxFuture<'a, Result<T, Fault>>;

/// Functions of groups that REST calls in addition to operations.
#[derive(Clone, Copy)]
pub struct GroupCalls {
    /// Returns the bytes of a currently published image; `None` if it is not published. Executes no SQL. Fails with
    /// [`crate::Code::Unavailable`] if this replica receives no change notifications, or the object storage does not
    /// answer.
    pub open_picture: for<'a> fn(&'a Engine, &'a PictureName) -> Calling<'a, Option<Bytes>>,
    /// Whether an unsubscribe link of the weekly e-mail about the board contains this token. Changes nothing.
    pub is_unsubscribe_token: fn(&Engine, &str) -> bool,
    /// Ends the weekly e-mail about the board for the token's user; false for an invalid token. Idempotent. Fails with
    /// [`crate::Code::Unavailable`] if the database does not answer.
    pub unsubscribe: for<'a> fn(&'a Engine, &'a str) -> Calling<'a, bool>,
}
