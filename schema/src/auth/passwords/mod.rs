//! A password: reset with a token from a mail, or changed by whoever knows it.
//!
//! ```text
//!  request ──▶ token in a mail (an hour) ──token and new password──▶ reset: every session ends
//!  change (current and new password) ──▶ changed: every other session ends
//! ```
//!
//! Who asks for a reset learns nothing: known and unknown addresses are answered alike and cost the same work.

mod resolvers;
mod rules;
mod store;

pub(in crate::auth) use resolvers::PasswordsMutation;
pub(in crate::auth) use rules::new_password;

use crate::core::context::RequestContext;
use crate::core::crypto::secret::SecretKind;
use crate::core::fault::Fault;
use crate::core::mail::message::{Asking, Letter};
use crate::core::outbox;
use crate::core::outbox::Addressee;

/// Mails a person whom staff help a token that sets a new password. Nobody but its reader ever sees it.
///
/// # Errors
/// [`crate::Code::RateLimited`] when the address got too many of them.
pub(crate) async fn mail_reset(cx: &RequestContext, to: &Addressee) -> Result<(), Fault> {
    if outbox::room_for(cx, &to.email, &[RESET_MAIL]).await? == 0 {
        return Err(rules::too_many_mails());
    }
    let token = SecretKind::OneTime.issue();
    let expires_at = cx.now.plus_seconds(rules::RESET_SECONDS);
    store::token_insert(&cx.db, to.person_uuid, &token.digest, expires_at).await?;
    let about = Asking::ResetPassword { name: to.name.clone() };
    outbox::queue(cx, to, &Letter::asking(about, token.text, expires_at.0)).await
}

/// The mail about a reset.
const RESET_MAIL: &str = "RESET_PASSWORD";
