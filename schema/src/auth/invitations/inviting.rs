//! Inviting somebody: the row, the token and the mail in one transaction.

use uuid::Uuid;

use super::rules::{self, Action, State, after};
use super::store::{self, NewRow};
use crate::auth::people::Addressee;
use crate::db::Db;
use crate::entitlement::Allowance;
use crate::fault::Fault;
use crate::keep::email::EmailAddress;
use crate::keep::secret::SecretKind;
use crate::mail::message::{Asking, Letter};
use crate::outbox;
use crate::principal::Role;
use crate::services::Services;
use crate::time::Time;

/// Who is invited, into which team, by whom.
pub(crate) struct NewInvitation<'a> {
    /// Its id.
    pub(crate) invitation_uuid: Uuid,
    /// The team.
    pub(crate) partner_uuid: Uuid,
    /// Somebody of the team.
    pub(crate) inviter_uuid: Uuid,
    /// The address that the mail goes to.
    pub(crate) email: &'a EmailAddress,
    /// The role to be; whoever invites has no lower one.
    pub(crate) role: Role,
    /// The language of the mail.
    pub(crate) locale: &'a str,
}

/// Invites an address into a team. `message_uuid` is the mail's id. Whether the address has an account elsewhere makes
/// no difference here: that is told to whoever reads its mail.
///
/// # Errors
/// [`crate::Code::EntitlementExceeded`] when the plan allows no more people, invited ones included;
/// [`crate::Code::Conflict`] when the address is in the team or invited already; [`crate::Code::NotFound`] when
/// whoever invites is not of the team.
pub(crate) async fn invite(
    db: &Db,
    services: &Services,
    now: Time,
    message_uuid: Uuid,
    new: &NewInvitation<'_>,
) -> Result<(), Fault> {
    let (partner_uuid, email) = (new.partner_uuid, new.email);
    let allowance = Allowance::lock_of(db, partner_uuid, "team_members").await?;
    if store::is_member(db, partner_uuid, email.normalised()).await? {
        return Err(Fault::conflict("Somebody of this address is in the team already."));
    }
    let expired = after(State::Pending, Action::Expire)?;
    store::overdue_expire(db, partner_uuid, email.normalised(), expired.name()).await?;
    let used = store::member_count(db, partner_uuid).await? + store::pending_count(db, partner_uuid).await?;
    allowance.check(used, 1)?;
    let token = SecretKind::OneTime.issue();
    let expires_at = now.plus_seconds(rules::INVITATION_SECONDS);
    let row = NewRow {
        invitation_uuid: new.invitation_uuid,
        partner_uuid,
        email: email.as_str(),
        email_normalised: email.normalised(),
        role: new.role.name(),
        locale: new.locale,
        invited_by: new.inviter_uuid,
        token_sha256: &token.digest,
        expires_at,
    };
    let names = store::insert(db, &row).await?.ok_or_else(|| Fault::not_found("member of this team"))?;
    let to = Addressee {
        person_uuid: None,
        partner_uuid: Some(partner_uuid),
        email: email.as_str().to_owned(),
        name: email.as_str().to_owned(),
        locale: new.locale.to_owned(),
    };
    let (company, inviter, role) = (names.company_name, names.inviter_name, new.role.name().to_owned());
    let letter = Letter::asking(Asking::Invitation { company, inviter, role }, token.text, expires_at.0);
    outbox::queue_by(db, services, message_uuid, &to, &letter).await
}
