//! A registration: how a company comes in, in one step.
//!
//! It makes the business partner, its first administrator and its subscription together. The administrator is
//! UNVERIFIED until the address is proved: by the token from the mail, which its reader has, together with the password,
//! which whoever registered has. Neither opens anything alone, so that nobody gets an account that somebody else
//! confirms. Anybody may register an address, so several registrations of one may wait beside one another. The first that
//! is confirmed ends the others, and one whose token has ended is dropped as if it never was. Whether an address was known
//! before is told to nobody but its owner, by mail.
//!
//! ```text
//!  register ──▶ administrator UNVERIFIED ──token and password──▶ ACTIVE, the subscription begins
//!                 │
//!                 ├── another registration of the address is confirmed: dropped
//!                 └── no token in force any more, or ten wrong passwords: dropped
//! ```

mod judging;
mod resolvers;
mod rules;
mod store;

pub(crate) use judging::find_faults;
pub(in crate::auth) use resolvers::RegistrationsMutation;
pub(crate) use store::expired_delete;

use uuid::Uuid;

use store::VerifiedRow;

use crate::auth::people::rules::PersonState;
use crate::core::actor::Actor;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::subscription::changing;

/// Takes a person's address as proved without the token of the mail, which is void from now on. The person takes this
/// state, their company's subscription begins, and other registrations of the address end.
///
/// # Errors
/// [`crate::Code::Conflict`] when somebody else has proved the address by now.
pub(crate) async fn verify_without_token(
    db: &Db,
    (person_uuid, email_normalised): (Uuid, &str),
    state: PersonState,
    actor: Actor,
) -> Result<(), Fault> {
    store::email_lock(db, email_normalised).await?;
    store::tokens_set_void(db, person_uuid).await?;
    verify(db, (person_uuid, email_normalised), state, actor).await?;
    Ok(())
}

/// An address is proved: the person takes this state, their company's subscription begins, and so does its history. The
/// address is locked already.
async fn verify(
    db: &Db,
    (person_uuid, email_normalised): (Uuid, &str),
    state: PersonState,
    actor: Actor,
) -> Result<VerifiedRow, Fault> {
    store::waiting_end(db, email_normalised, Some(person_uuid)).await?;
    let verified = store::set_verified(db, person_uuid, state.name()).await?;
    changing::begin_anew(db, verified.partner_uuid).await?;
    let event = PartnerEvent::new(verified.partner_uuid, PartnerEventKind::Registered, actor).about(person_uuid);
    events::insert(db, &event).await?;
    Ok(verified)
}

/// Ends the registrations that wait under an address which somebody has just proved by another way, and registrations of
/// that address wait until the transaction ends. Answers who has the address.
pub(in crate::auth) async fn give_way(db: &Db, email_normalised: &str) -> Result<Option<Uuid>, Fault> {
    store::email_lock(db, email_normalised).await?;
    store::waiting_end(db, email_normalised, None).await?;
    store::holder_get(db, email_normalised).await
}
