//! Inviting somebody: the row, the token and the mail in one transaction.

use uuid::Uuid;

use super::rules::{self, Action, InvitationState, after};
use super::store::{self, NewRow};
use crate::core::crypto::secret::{SecretKind, SecretText};
use crate::core::db::Db;
use crate::core::email::EmailAddress;
use crate::core::entitlement::Allowance;
use crate::core::fault::Fault;
use crate::core::mail::message::{Asking, Letter};
use crate::core::outbox;
use crate::core::outbox::Addressee;
use crate::core::principal::Role;
use crate::core::services::Services;
use crate::core::time::Time;

/// Who is invited, into which team, by whom.
pub(crate) struct NewInvitation<'a> {
    /// UUID of the object.
    pub(crate) invitation_uuid: Uuid,
    /// The team.
    pub(crate) partner_uuid: Uuid,
    /// Somebody of the team; none where staff or a program invite.
    pub(crate) inviter_uuid: Option<Uuid>,
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
/// [`crate::Code::Conflict`] when the address is in the team or invited already, or the company is not active;
/// [`crate::Code::NotFound`] when whoever invites is not of the team.
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
        return Err(rules::is_member());
    }
    let expired = after(InvitationState::Pending, Action::Expire)?;
    store::overdue_expire(db, partner_uuid, email.normalised(), expired).await?;
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
    rules::may_invite(&names.partner_state)?;
    let mail = Mail { partner_uuid, email: email.as_str(), role: new.role.name(), locale: new.locale };
    mail.queue(db, services, message_uuid, names.company_name, names.inviter_name, (token.text, expires_at)).await
}

/// The mail of an invitation.
pub(super) struct Mail<'a> {
    pub(super) partner_uuid: Uuid,
    pub(super) email: &'a str,
    pub(super) role: &'a str,
    pub(super) locale: &'a str,
}

impl Mail<'_> {
    pub(super) async fn queue(
        self,
        db: &Db,
        services: &Services,
        message_uuid: Uuid,
        company: String,
        inviter: Option<String>,
        (token, until): (SecretText, Time),
    ) -> Result<(), Fault> {
        let to = Addressee {
            person_uuid: None,
            partner_uuid: Some(self.partner_uuid),
            email: self.email.to_owned(),
            name: self.email.to_owned(),
            locale: self.locale.to_owned(),
        };
        let role = self.role.to_owned();
        let letter = Letter::asking(Asking::Invitation { company, inviter, role }, token, until.0);
        outbox::queue_by(db, services, message_uuid, &to, &letter).await
    }
}
