//! Password reset with a token from a mail, and password change with the current password.
//!
//! ```text
//!  request ──▶ token in a mail (an hour) ──token and new password──▶ reset: every session ends
//!  change (current and new password) ──▶ changed: every other session ends
//! ```
//!
//! A reset request reveals nothing: known and unknown addresses get the same response and cost the same work.

mod resolvers;
mod rules;
mod store;

pub(in crate::auth) use resolvers::OPERATIONS;
pub(in crate::auth) use rules::new_password;

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_crypto::secret::SecretKind;
use labs_mail::message::{Asking, MailContent};
use labs_mail::outbox;
use labs_mail::outbox::Recipient;
use uuid::Uuid;

use crate::auth::attempts;
use crate::auth::sessions::end_all;

/// Mails a user a token that sets a new password, on request of staff. Only the reader of the mail sees the token.
///
/// # Errors
/// [`labs_core::Code::RateLimited`] if the address got too many of these mails.
pub async fn mail_reset(cx: &RequestContext, to: &Recipient) -> Result<(), Fault> {
    let remaining = outbox::remaining_for(cx, &to.email, &[RESET_MAIL]).await?;
    if remaining.left == 0 {
        return Err(rules::err_too_many_mails(remaining.budget, remaining.wait_seconds));
    }
    let token = SecretKind::OneTime.issue();
    let expires_at = cx.now.plus_seconds(rules::RESET_SECONDS);
    store::insert_token(&cx.db, to.person_uuid, &token.digest, expires_at).await?;
    let about = Asking::ResetPassword { name: to.name.clone() };
    outbox::queue(cx, to, &MailContent::with_token(about, token.text, expires_at.0)).await
}

/// Sets a user's password without a token, for the command line: the operator controls the database. Mailed tokens that
/// could set a password are void, every session ends, and failed attempts are forgotten.
///
/// # Errors
/// If the database does not answer.
pub async fn reset(db: &Db, person_uuid: Uuid, email_normalised: &str, hash: &str) -> Result<(), Fault> {
    store::set_reset(db, person_uuid, hash).await?;
    end_all(db, person_uuid, None, "PASSWORD_RESET").await?;
    attempts::forget_password(db, email_normalised).await
}

/// Mail kind of a reset.
const RESET_MAIL: &str = "RESET_PASSWORD";
