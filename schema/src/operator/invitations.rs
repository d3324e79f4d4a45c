//! Invitations that the operator sends in the name of somebody of a team.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::record::{Act, Said};
use crate::auth::invitations::{NewInvitation as Row, invite};
use crate::core::audit_target::AuditTargetKind;
use crate::core::email::EmailAddress;
use crate::core::fault::Fault;
use crate::core::principal::Role;
use crate::core::services::Services;

/// An invitation to be.
#[derive(Clone, Debug)]
pub struct NewInvitation {
    /// The team.
    pub partner_uuid: Uuid,
    /// Somebody of the team, who invites.
    pub inviter_uuid: Uuid,
    /// The address that the mail goes to.
    pub email: String,
    /// The role to be.
    pub role: Role,
    /// The language of the mail.
    pub locale: String,
}

/// Invites somebody into a team and sends the mail. Answers the invitation's id.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] for an address that cannot be; [`crate::Code::EntitlementExceeded`] when the plan
/// allows no more people; [`crate::Code::Conflict`] when the address is in the team or invited already;
/// [`crate::Code::NotFound`] when whoever invites is not of the team; [`crate::Code::Unavailable`].
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
    let said = Said {
        operation: "invitation_create",
        target_kind: AuditTargetKind::Invitation,
        target_uuid: invitation_uuid,
        target_label: email.as_str(),
        partner_uuid: Some(new.partner_uuid),
        parameters: json!({ "role": new.role.name() }),
    };
    act.commit(&said).await?;
    Ok(invitation_uuid)
}
