//! The weekly mail about the board, for whoever has the link out of it.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::core::engine::Engine;
use crate::core::fault::Fault;
use crate::engagement::weekly_mail;

/// Whether a link out of the mail bears this token. Nothing is changed.
#[must_use]
pub fn is_token(engine: &Engine, token: &str) -> bool {
    weekly_mail::is_token(engine.services(), token)
}

/// Ends the weekly mail for whose token this is; false for what is no token. Again it changes nothing.
///
/// # Errors
/// [`crate::Code::Unavailable`] while the database is away.
pub fn unsubscribe<'a>(engine: &'a Engine, token: &'a str) -> BoxFuture<'a, Result<bool, Fault>> {
    async move { weekly_mail::unsubscribe(engine.pool(), engine.services(), token).await }.boxed()
}
