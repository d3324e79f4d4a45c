//! A registration: how a company comes in, in one step.
//!
//! It makes the business partner, its first administrator and its subscription together. The administrator is
//! UNVERIFIED until the token from the mail proves the address; a registration whose token has ended is dropped
//! as if it never was. Whether an address was known before is told to nobody but its owner, by mail.
//!
//! ```text
//!  register ──▶ administrator UNVERIFIED ──token from the mail──▶ ACTIVE, the subscription begins
//!                 │           ▲
//!                 │           └── register again: takes its place, the first token is void
//!                 └── no token in force any more: dropped
//! ```

mod resolvers;
mod rules;
mod store;

pub(in crate::auth) use resolvers::RegistrationsMutation;
pub(crate) use store::expired_delete;

use uuid::Uuid;

use store::VerifiedRow;

use crate::actor::Actor;
use crate::auth::people::rules::State;
use crate::db::Db;
use crate::fault::Fault;
use crate::partner::events::{self, PartnerEvent};
use crate::subscription::changing;

/// Takes a person's address as proved without the token of the mail, which is void from now on. The person takes this
/// state, and their company's subscription begins.
pub(crate) async fn verify_without_token(db: &Db, person_uuid: Uuid, state: State, actor: Actor) -> Result<(), Fault> {
    store::tokens_set_void(db, person_uuid).await?;
    verify(db, person_uuid, state, actor).await?;
    Ok(())
}

/// An address is proved: the person takes this state, their company's subscription begins, and so does its history.
async fn verify(db: &Db, person_uuid: Uuid, state: State, actor: Actor) -> Result<VerifiedRow, Fault> {
    let verified = store::set_verified(db, person_uuid, state.name()).await?;
    changing::begin_anew(db, verified.partner_uuid).await?;
    let event = PartnerEvent::new(verified.partner_uuid, "REGISTERED", actor).about(person_uuid);
    events::insert(db, &event).await?;
    Ok(verified)
}

/// Makes a registration that nobody verified give way to whoever has just proved its address, and registrations of that
/// address wait until the transaction ends. Answers who else has the address.
pub(in crate::auth) async fn give_way(db: &Db, email_normalised: &str) -> Result<Option<Uuid>, Fault> {
    store::email_lock(db, email_normalised).await?;
    match store::holder_get(db, email_normalised).await? {
        Some(holder) if holder.is_pending => {
            store::pending_delete(db, holder.person_uuid).await?;
            Ok(None)
        }
        holder => Ok(holder.map(|holder| holder.person_uuid)),
    }
}
