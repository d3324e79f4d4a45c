//! Resolvers of invitations for the holder of the token.

use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::describe::{InputType, OutputType};
use labs_core::entitlement::Allowance;
use labs_core::fault::{Fault, FieldError};
use labs_core::operation::{Operation, operation, operations};
use labs_core::principal::Role;
use labs_core::services::Services;
use labs_core::time::Time;
use labs_core::words::{Word as _, words};
use labs_crypto::secret::{SecretKind, SecretText};
use serde_json::{Value, json};
use uuid::Uuid;

use super::rules::{self, AddressHolder, InvitationAction, JoinMode, next_state};
use super::sending::revoke_left_behind;
use super::store::{self, InvitationRow, NewMember};
use crate::auth::account::partner_person_name;
use crate::auth::passwords::new_password;
use crate::auth::registrations::give_way;
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};
use crate::auth::sessions::{end_all, err_busy};
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};

words! {
    /// Account with which the invited user would join.
    pub enum InvitationAccount {
        /// As a new user. Accepting requires a name and a password.
        New = "NEW",
        /// As the user that the address belongs to, whose company is closed. Accepting takes neither a name nor a
        /// password.
        Existing = "EXISTING",
        /// Joining is not possible. The address belongs to a member of a team, and a user belongs to only one team.
        Elsewhere = "ELSEWHERE",
    }
}

/// An invitation, as shown to the holder of its token.
#[derive(serde::Serialize, OutputType)]
pub(super) struct HeldInvitation {
    /// Name of the inviting company.
    company_name: String,
    /// Name of the user who sent the invitation. Null if staff or a machine client sent it, or if the user no longer
    /// exists.
    inviter_name: Option<String>,
    /// Invited e-mail address. The user signs in with it.
    email: String,
    /// Offered role.
    role: Role,
    /// How the invited user would join.
    account: InvitationAccount,
    /// Time until which the invitation can be answered.
    expires_at: Time,
}

/// The accepted invitation. The user is a member of the team.
#[derive(serde::Serialize, OutputType)]
pub(super) struct AcceptedInvitation {
    /// Result of the acceptance.
    status: &'static str,
    /// UUID of the partner, for the paths under `/v1/partner/{partner_uuid}`.
    partner_uuid: Uuid,
    /// UUID of the user.
    user_uuid: Uuid,
    /// E-mail address to sign in with.
    email: String,
    /// Role of the user in the team.
    role: Role,
}

/// The declined invitation. The invited user does not join the team.
#[derive(serde::Serialize, OutputType)]
pub(super) struct DeclinedInvitation {
    /// Result of the refusal.
    status: &'static str,
}

/// Token from an invitation.
#[derive(serde::Deserialize, InputType)]
pub(super) struct InvitationTokenInput {
    /// Token from the e-mail, unchanged.
    token: String,
}

/// Token from an invitation, with the data that a new user needs.
#[derive(serde::Deserialize, InputType)]
pub(super) struct InvitationAcceptance {
    /// Token from the e-mail, unchanged.
    token: String,
    /// Full name of the user. Required for a new user; omit it for an existing user.
    name: Option<String>,
    /// Password to sign in with, 12 to 256 characters of any kind. Required for a new user; omit it for an existing
    /// user, who keeps the current password.
    password: Option<String>,
    /// Language of e-mails to a new user, if a translation exists. The locale of the invitation by default.
    locale: Option<String>,
}

/// Operations of this file.
pub(in crate::auth) const OPERATIONS: &[Operation] =
    operations![auth_invitations_inspect, auth_invitations_accept, auth_invitations_decline];

/// Inspect an invitation.
#[operation(query, access = "public")]
async fn auth_invitations_inspect(cx: &RequestContext, body: InvitationTokenInput) -> Result<HeldInvitation, Fault> {
    let digest = SecretKind::OneTime.digest(&body.token).ok_or_else(rules::err_void_token)?;
    let row = store::get(&cx.db, &digest).await?.ok_or_else(rules::err_void_token)?;
    let account = match join_mode(&row) {
        JoinMode::New => InvitationAccount::New,
        JoinMode::Existing => InvitationAccount::Existing,
        JoinMode::Elsewhere => InvitationAccount::Elsewhere,
    };
    Ok(HeldInvitation {
        company_name: row.company_name,
        inviter_name: row.inviter_name,
        email: row.email,
        role: role(&row.role)?,
        account,
        expires_at: row.expires_at,
    })
}

/// Accept an invitation.
#[operation(mutation, access = "public", find_faults = find_faults)]
async fn auth_invitations_accept(cx: &RequestContext, body: InvitationAcceptance) -> Result<AcceptedInvitation, Fault> {
    let digest = SecretKind::OneTime.digest(&body.token);
    // The acceptance is validated and the password hashed before the token is consumed. A rejected request
    // therefore leaves the token valid.
    let (row, newcomer) = to_invited_person(cx, digest.as_ref(), body).await?;
    let digest = digest.ok_or_else(rules::err_void_token)?;
    let used = store::set_token_used(&cx.db, &digest).await?;
    let (invitation_uuid, partner_uuid, state) = used.ok_or_else(rules::err_void_token)?;
    let state = next_state(state, InvitationAction::Accept).map_err(|_| rules::err_void_token())?;
    let allowance = Allowance::lock_of(&cx.db, partner_uuid, "team_members").await?;
    allowance.check(store::count_members(&cx.db, partner_uuid).await?, 1)?;
    let user_uuid = join(cx, &row, newcomer.as_ref()).await?;
    store::set_answered(&cx.db, invitation_uuid, state, Some(user_uuid)).await?;
    let event = NewSecurityEvent::new(SecurityEventKind::InvitationAccepted, true);
    event.with_subject(user_uuid, Some(partner_uuid)).write(cx).await?;
    let role = role(&row.role)?;
    let joined = PartnerEvent::new(partner_uuid, PartnerEventKind::MemberJoined, Actor::partner_user(user_uuid))
        .with_subject(user_uuid);
    let detail = json!({ "invitation_uuid": invitation_uuid, "role": row.role });
    events::insert(&cx.db, &joined.with_detail(detail)).await?;
    Ok(AcceptedInvitation { status: "ACCEPTED", partner_uuid, user_uuid, email: row.email, role })
}

/// Decline an invitation.
#[operation(mutation, access = "public")]
async fn auth_invitations_decline(
    cx: &RequestContext,
    body: InvitationTokenInput,
) -> Result<DeclinedInvitation, Fault> {
    let digest = SecretKind::OneTime.digest(&body.token).ok_or_else(rules::err_void_token)?;
    let used = store::set_token_used(&cx.db, &digest).await?;
    let (invitation_uuid, partner_uuid, state) = used.ok_or_else(rules::err_void_token)?;
    let state = next_state(state, InvitationAction::Decline).map_err(|_| rules::err_void_token())?;
    store::set_answered(&cx.db, invitation_uuid, state, None).await?;
    let mut event = NewSecurityEvent::new(SecurityEventKind::InvitationDeclined, true);
    event.partner_uuid = Some(partner_uuid);
    event.by_outsider().write(cx).await?;
    Ok(DeclinedInvitation { status: "DECLINED" })
}

/// A validated new user.
struct InvitedPerson {
    name: String,
    locale: String,
    password_hash: String,
}

/// Returns the invitation and the new user that accepting creates; no new user if it moves an existing one.
async fn to_invited_person(
    cx: &RequestContext,
    digest: Option<&[u8; 32]>,
    body: InvitationAcceptance,
) -> Result<(InvitationRow, Option<InvitedPerson>), Fault> {
    let input = AcceptInput { name: body.name.as_deref(), password: body.password.as_deref() };
    let judged =
        validate_acceptance(&cx.services, &cx.db.outside_transaction(), digest.map(<[u8; 32]>::as_slice), &input)
            .await?;
    let Some(row) = judged.row else { return Err(Fault::invalid(judged.errors)) };
    rules::ensure_open_team(&row.partner_state)?;
    if join_mode(&row) == JoinMode::Elsewhere {
        return Err(rules::err_member_elsewhere());
    }
    if !judged.errors.is_empty() {
        return Err(Fault::invalid(judged.errors));
    }
    let (Some(name), Some(password)) = (judged.name, body.password) else { return Ok((row, None)) };
    let password_hash = cx.services.passwords.hash(SecretText::new(password)).await.map_err(err_busy)?;
    let locale = body.locale.unwrap_or_else(|| row.locale.clone());
    Ok((row, Some(InvitedPerson { name, locale, password_hash })))
}

/// User data in an acceptance.
struct AcceptInput<'a> {
    name: Option<&'a str>,
    password: Option<&'a str>,
}

/// Result of validating an acceptance.
struct ValidatedAcceptance {
    /// The invitation, if its token is valid.
    row: Option<InvitationRow>,
    /// The validated name of the new user.
    name: Option<String>,
    errors: Vec<FieldError>,
}

/// Validates an acceptance. The data of a new user is validated even if the token is void.
async fn validate_acceptance(
    services: &Services,
    db: &Db,
    digest: Option<&[u8]>,
    input: &AcceptInput<'_>,
) -> Result<ValidatedAcceptance, Fault> {
    let row = match digest {
        Some(digest) => store::get(db, digest).await?,
        None => None,
    };
    let joins_as = row.as_ref().map(join_mode);
    let mut errors = match joins_as {
        Some(join_mode) => rules::find_missing(join_mode, input.name.is_some(), input.password.is_some()),
        None => rules::err_void_token().errors().to_vec(),
    };
    if joins_as.is_some_and(|join_mode| join_mode != JoinMode::New) {
        return Ok(ValidatedAcceptance { row, name: None, errors });
    }
    let name = input.name.map(|name| partner_person_name(name, "/name")).transpose();
    let name = name.map_err(|error| errors.push(error)).unwrap_or_default();
    if let Some(password) = input.password {
        let email = row.as_ref().map_or("", |row| row.email.as_str());
        let known_as = name.as_deref().unwrap_or_default();
        let judged =
            services.passwords.check_rule(SecretText::new(password), email, known_as).await.map_err(err_busy)?;
        errors.extend(new_password("/password", &judged.err().unwrap_or_default()));
    }
    Ok(ValidatedAcceptance { row, name, errors })
}

/// Returns the faults that these rules find in an acceptance that the contract already rejects.
///
/// # Errors
/// [`labs_core::Code::Unavailable`]
async fn find_faults(services: &Services, db: &Db, body: &Value) -> Result<Vec<FieldError>, Fault> {
    let text = |name| body.get(name).and_then(Value::as_str);
    let digest = text("token").and_then(|token| SecretKind::OneTime.digest(token));
    let input = AcceptInput { name: text("name"), password: text("password") };
    Ok(validate_acceptance(services, db, digest.as_ref().map(<[u8; 32]>::as_slice), &input).await?.errors)
}

/// Creates the user, or moves the existing one. If the address got an account in the meantime, the request fails
/// instead of overwriting it.
async fn join(cx: &RequestContext, row: &InvitationRow, newcomer: Option<&InvitedPerson>) -> Result<Uuid, Fault> {
    let holder_uuid = give_way(&cx.db, &row.email_normalised).await?;
    let (user_uuid, has_joined) = match (newcomer, holder_uuid) {
        (Some(newcomer), None) => {
            let (name, locale) = (newcomer.name.as_str(), newcomer.locale.as_str());
            let person_uuid = cx.new_uuid();
            let new = NewMember { person_uuid, name, locale, password_hash: &newcomer.password_hash };
            (person_uuid, store::insert_member(&cx.db, row.invitation_uuid, &new).await?)
        }
        (None, Some(person_uuid)) => {
            end_all(&cx.db, person_uuid, None, "INVITATION_ACCEPTED").await?;
            revoke_left_behind(cx, person_uuid).await?;
            (person_uuid, store::move_member(&cx.db, row.invitation_uuid, person_uuid).await?)
        }
        _ => return Err(rules::err_member_elsewhere()),
    };
    if has_joined { Ok(user_uuid) } else { Err(rules::err_member_elsewhere()) }
}

fn join_mode(row: &InvitationRow) -> JoinMode {
    rules::join_mode(row.holder_state.as_deref().map(|state| AddressHolder {
        state,
        is_in_team: row.holder_partner_uuid == Some(row.partner_uuid),
        partner_state: row.holder_partner_state.as_deref(),
    }))
}

fn role(name: &str) -> Result<Role, Fault> {
    Role::read(name).ok_or_else(|| Fault::internal(format!("an invitation with the role {name}")))
}
