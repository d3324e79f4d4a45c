//! Registration: a company becomes a partner in one step.
//!
//! A registration creates the partner, its first administrator and its subscription. The administrator is UNVERIFIED
//! until the address is verified with the token from the mail and the password of the registration. Both are required:
//! only the reader of the mail has the token, and only the author of the registration has the password. Therefore, an
//! attacker cannot get an account that another person confirms.
//!
//! Anyone may register an address, so one address can have several pending registrations. The first confirmed one ends
//! the others. A registration is deleted when its token expires. Only the owner of an address learns, by mail, whether
//! it was already known.
//!
//! ```text
//!  register ──▶ administrator UNVERIFIED ──token and password──▶ ACTIVE, the subscription begins
//!                 │
//!                 ├── another registration of the address is confirmed: dropped
//!                 └── the last token expired, or ten wrong passwords: dropped
//! ```

mod resolvers;
mod rules;
mod store;
mod validation;

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use crate::auth::people::rules::PersonState;
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use labs_subscription::changing;
pub(in crate::auth) use resolvers::OPERATIONS;
use store::VerifiedRow;
pub use store::delete_expired;

/// Verifies a user's address without the token of the mail, which becomes void. The user gets this state, the partner's
/// subscription begins, and other registrations of the address end.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if another user has already verified the address.
pub async fn verify_without_token(
    db: &Db,
    (person_uuid, email_normalised): (Uuid, &str),
    state: PersonState,
    actor: Actor,
) -> Result<(), Fault> {
    store::lock_email(db, email_normalised).await?;
    store::set_tokens_void(db, person_uuid).await?;
    verify(db, (person_uuid, email_normalised), state, actor).await?;
    Ok(())
}

/// Marks an address as verified: the user gets this state, and the partner's subscription and its history begin. The
/// caller has locked the address.
async fn verify(
    db: &Db,
    (person_uuid, email_normalised): (Uuid, &str),
    state: PersonState,
    actor: Actor,
) -> Result<VerifiedRow, Fault> {
    store::end_pending(db, email_normalised, Some(person_uuid)).await?;
    let verified = store::set_verified(db, person_uuid, state.name()).await?;
    changing::restart_period(db, verified.partner_uuid).await?;
    let event = PartnerEvent::new(verified.partner_uuid, PartnerEventKind::Registered, actor).with_subject(person_uuid);
    events::insert(db, &event).await?;
    Ok(verified)
}

/// Ends the pending registrations of an address that a user has verified by another method. Registrations of the
/// address wait until the transaction ends. Returns the user of the address.
pub(in crate::auth) async fn give_way(db: &Db, email_normalised: &str) -> Result<Option<Uuid>, Fault> {
    store::lock_email(db, email_normalised).await?;
    store::end_pending(db, email_normalised, None).await?;
    store::get_holder(db, email_normalised).await
}
