//! Creates an invitation: the row, the token and the mail in one transaction.

use labs_core::db::Db;
use labs_core::email::EmailAddress;
use labs_core::entitlement::Allowance;
use labs_core::fault::Fault;
use labs_core::principal::Role;
use labs_core::services::Services;
use labs_core::time::Time;
use labs_crypto::secret::{SecretKind, SecretText};
use labs_mail::message::{Asking, MailContent};
use labs_mail::outbox;
use labs_mail::outbox::Recipient;
use uuid::Uuid;

use super::rules::{self, InvitationAction, InvitationState, next_state};
use super::store::{self, NewRow};

/// A new invitation: the invited address, the team and the inviter.
pub struct NewInvitation<'a> {
    /// UUID of the invitation.
    pub invitation_uuid: Uuid,
    /// Partner that the team belongs to.
    pub partner_uuid: Uuid,
    /// Inviting team member; none if staff or a machine client invites.
    pub inviter_uuid: Option<Uuid>,
    /// Address of the mail.
    pub email: &'a EmailAddress,
    /// Offered role; the inviter's own role is not lower.
    pub role: Role,
    /// Language of the mail.
    pub locale: &'a str,
}

/// Invites an address into a team. `message_uuid` is the id of the mail. It makes no difference here whether the
/// address has an account elsewhere: only the reader of the mail learns this.
///
/// # Errors
/// [`labs_core::Code::EntitlementExceeded`] if the tier allows no more team members, counting pending invitations;
/// [`labs_core::Code::Conflict`] if the address is already in the team or invited, or the partner is not active;
/// [`labs_core::Code::NotFound`] if the inviter is not in the team.
pub async fn invite(
    db: &Db,
    services: &Services,
    now: Time,
    message_uuid: Uuid,
    new: &NewInvitation<'_>,
) -> Result<(), Fault> {
    let (partner_uuid, email) = (new.partner_uuid, new.email);
    let allowance = Allowance::lock_of(db, partner_uuid, "team_members").await?;
    if store::is_member(db, partner_uuid, email.normalised()).await? {
        return Err(rules::err_is_member());
    }
    let expired = next_state(InvitationState::Pending, InvitationAction::Expire)?;
    store::expire_overdue(db, partner_uuid, email.normalised(), expired).await?;
    let used = store::count_members(db, partner_uuid).await? + store::count_pending(db, partner_uuid).await?;
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
    rules::ensure_may_invite(&names.partner_state)?;
    let mail = Mail { partner_uuid, email: email.as_str(), role: new.role.name(), locale: new.locale };
    mail.queue(db, services, message_uuid, names.company_name, names.inviter_name, (token.text, expires_at)).await
}

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
        let to = Recipient {
            person_uuid: None,
            partner_uuid: Some(self.partner_uuid),
            email: self.email.to_owned(),
            name: self.email.to_owned(),
            locale: self.locale.to_owned(),
        };
        let role = self.role.to_owned();
        let content = MailContent::with_token(Asking::Invitation { company, inviter, role }, token, until.0);
        outbox::queue_by(db, services, message_uuid, &to, &content).await
    }
}
