//! Invitations that the operator sends on behalf of a team member.

use labs_core::audit_target::AuditTargetKind;
use labs_core::email::EmailAddress;
use labs_core::fault::Fault;
use labs_core::principal::Role;
use labs_core::services::Services;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::record::{Act, AuditText};
use labs_identity::auth::invitations::{NewInvitation as Row, invite};

/// An invitation to create.
#[derive(Clone, Debug)]
pub struct NewInvitation {
    /// UUID of the partner whose team is joined.
    pub partner_uuid: Uuid,
    /// UUID of the team member who invites.
    pub inviter_uuid: Uuid,
    /// E-mail address of the invitee.
    pub email: String,
    /// Role to grant.
    pub role: Role,
    /// Language of the mail.
    pub locale: String,
}

/// Invites a user to a team and sends the mail. Returns the invitation's id.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] for an invalid address; [`labs_core::Code::EntitlementExceeded`] if the tier
/// allows no more team members; [`labs_core::Code::Conflict`] if the address is already in the team or invited;
/// [`labs_core::Code::NotFound`] if the inviter is not in the team; [`labs_core::Code::Unavailable`] if the database
/// does not answer.
pub async fn invitation_create(pool: &PgPool, services: &Services, new: NewInvitation) -> Result<Uuid, Fault> {
    let email = EmailAddress::parse(&new.email)
        .map_err(|problem| Fault::field("/email", "FORMAT", format!("This address cannot be used: {problem}.")))?;
    let act = Act::begin(pool, services);
    let invitation_uuid = act.new_uuid();
    let row = Row {
        invitation_uuid,
        partner_uuid: new.partner_uuid,
        inviter_uuid: Some(new.inviter_uuid),
        email: &email,
        role: new.role,
        locale: &new.locale,
    };
    invite(&act.db, services, act.now, act.new_uuid(), &row).await?;
    let audit_text = AuditText {
        operation: "invitation_create",
        target_kind: AuditTargetKind::Invitation,
        target_uuid: invitation_uuid,
        target_label: email.as_str(),
        partner_uuid: Some(new.partner_uuid),
        parameters: json!({ "role": new.role.name() }),
    };
    act.commit(&audit_text).await?;
    Ok(invitation_uuid)
}
