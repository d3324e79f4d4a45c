//! Weekly mail about the board, for the holder of its unsubscribe link.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use labs_core::engine::Engine;
use labs_core::fault::Fault;

use crate::engagement::weekly_mail;

/// Whether the unsubscribe link contains this token. Changes nothing.
#[must_use]
pub fn is_token(engine: &Engine, token: &str) -> bool {
    weekly_mail::is_token(engine.services(), token)
}

/// Ends the weekly mail of the token's user; false for an invalid token. Idempotent.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub fn unsubscribe<'a>(engine: &'a Engine, token: &'a str) -> BoxFuture<'a, Result<bool, Fault>> {
    async move { weekly_mail::unsubscribe(engine.pool(), engine.services(), token).await }.boxed()
}
