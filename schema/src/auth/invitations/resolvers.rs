//! What may be asked of invitations by whoever holds their token.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use serde_json::json;
use uuid::Uuid;

use super::rules::{self, Action, Holder, Joining, after};
use super::sending::revoke_left_behind;
use super::store::{self, InvitationRow, NewMember};
use crate::access::access;
use crate::actor::Actor;
use crate::ask::{Ask, Asking};
use crate::auth::account::person_name;
use crate::auth::passwords::new_password;
use crate::auth::registrations::give_way;
use crate::auth::security_events::SecurityEvent;
use crate::auth::sessions::{all_set_ended, busy};
use crate::entitlement::Allowance;
use crate::fault::Fault;
use crate::keep::secret::{SecretKind, SecretText};
use crate::partner::events::{self, PartnerEvent};
use crate::principal::Role;
use crate::time::Time;
use crate::words::Word as _;

/// As whom the invited person would join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum InvitationAccount {
    /// As a new person: accepting takes a name and a password.
    New,
    /// As the person that the address belongs to: accepting takes neither.
    Existing,
    /// Not at all: the address belongs to a member of a team, or of the staff.
    Elsewhere,
}

/// An invitation, as its holder is shown it.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(name = "HeldInvitation", rename_fields = "snake_case")]
pub(crate) struct HeldInvitation {
    /// The company that invites.
    company_name: String,
    /// Who invites; null when that person is gone.
    inviter_name: Option<String>,
    /// The address that is invited, to sign in with.
    email: String,
    /// The role offered.
    role: Role,
    /// As whom the person would join.
    account: InvitationAccount,
    /// Until when it can be answered.
    expires_at: Time,
}

/// The person is in the team.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AcceptedInvitation {
    /// `ACCEPTED`.
    status: &'static str,
    /// The business partner.
    partner_uuid: Uuid,
    /// The person.
    user_uuid: Uuid,
    /// The address to sign in with.
    email: String,
    /// The role in the team.
    role: Role,
}

/// The person does not join.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct DeclinedInvitation {
    /// `DECLINED`.
    status: &'static str,
}

/// A token out of an invitation.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct InvitationTokenInput {
    /// As the mail has it.
    token: String,
}

/// A token out of an invitation, with what a new person needs.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct InvitationAcceptance {
    /// As the mail has it.
    token: String,
    /// Full name, of a new person.
    name: Option<String>,
    /// The password to sign in with, of a new person.
    password: Option<String>,
    /// The language of mails; that of the invitation when none is named.
    locale: Option<String>,
}

/// Reads of invitations.
#[derive(Default)]
pub(crate) struct InvitationsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl InvitationsQuery {
    /// Shows an invitation to whoever holds its token.
    #[graphql(directive = access::apply("public".into()))]
    async fn auth_invitations_inspect(
        &self,
        ctx: &Context<'_>,
        body: InvitationTokenInput,
    ) -> Result<Option<HeldInvitation>, Fault> {
        let ask = ctx.ask();
        let digest = SecretKind::OneTime.digest(&body.token).ok_or_else(rules::void_token)?;
        let row = store::get(&ask.db, &digest).await?.ok_or_else(rules::void_token)?;
        let account = match joining(&row) {
            Joining::New => InvitationAccount::New,
            Joining::Existing => InvitationAccount::Existing,
            Joining::Elsewhere => InvitationAccount::Elsewhere,
        };
        ask.answer(HeldInvitation {
            company_name: row.company_name,
            inviter_name: row.inviter_name,
            email: row.email,
            role: role(&row.role)?,
            account,
            expires_at: row.expires_at,
        })
    }
}

/// Writes of invitations.
#[derive(Default)]
pub(crate) struct InvitationsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl InvitationsMutation {
    /// Takes the token from the mail: the person is in the team.
    #[graphql(directive = access::apply("public".into()))]
    async fn auth_invitations_accept(
        &self,
        ctx: &Context<'_>,
        body: InvitationAcceptance,
    ) -> Result<Option<AcceptedInvitation>, Fault> {
        let ask = ctx.ask();
        let digest = SecretKind::OneTime.digest(&body.token).ok_or_else(rules::void_token)?;
        let row = store::get(&ask.db.aside(), &digest).await?.ok_or_else(rules::void_token)?;
        rules::open_team(&row.partner_state)?;
        // Judged and hashed before the token is consumed: what is refused costs no new mail.
        let newcomer = newcomer(ask, &row, body).await?;
        let used = store::token_set_used(&ask.db, &digest).await?;
        let (invitation_uuid, partner_uuid, state) = used.ok_or_else(rules::void_token)?;
        let state = after(state, Action::Accept).map_err(|_| rules::void_token())?;
        let allowance = Allowance::lock_of(&ask.db, partner_uuid, "team_members").await?;
        allowance.check(store::member_count(&ask.db, partner_uuid).await?, 1)?;
        let user_uuid = join(ask, &row, newcomer.as_ref()).await?;
        store::set_answered(&ask.db, invitation_uuid, state, Some(user_uuid)).await?;
        let event = SecurityEvent::new("INVITATION_ACCEPTED", true);
        event.about(user_uuid, Some(partner_uuid)).write(ask).await?;
        let role = role(&row.role)?;
        let joined = PartnerEvent::new(partner_uuid, "MEMBER_JOINED", Actor::partner_user(user_uuid)).about(user_uuid);
        let detail = json!({ "invitation_uuid": invitation_uuid, "role": row.role });
        events::insert(&ask.db, &joined.telling(detail)).await?;
        ask.answer(AcceptedInvitation { status: "ACCEPTED", partner_uuid, user_uuid, email: row.email, role })
    }

    /// Takes the token from the mail: the person does not join.
    #[graphql(directive = access::apply("public".into()))]
    async fn auth_invitations_decline(
        &self,
        ctx: &Context<'_>,
        body: InvitationTokenInput,
    ) -> Result<Option<DeclinedInvitation>, Fault> {
        let ask = ctx.ask();
        let digest = SecretKind::OneTime.digest(&body.token).ok_or_else(rules::void_token)?;
        let used = store::token_set_used(&ask.db, &digest).await?;
        let (invitation_uuid, partner_uuid, state) = used.ok_or_else(rules::void_token)?;
        let state = after(state, Action::Decline).map_err(|_| rules::void_token())?;
        store::set_answered(&ask.db, invitation_uuid, state, None).await?;
        let mut event = SecurityEvent::new("INVITATION_DECLINED", true);
        event.partner_uuid = Some(partner_uuid);
        event.by_stranger().write(ask).await?;
        ask.answer(DeclinedInvitation { status: "DECLINED" })
    }
}

/// A new person, ready to be written.
struct Newcomer {
    name: String,
    locale: String,
    password_hash: String,
}

/// The new person that an invitation makes; `None` when it takes over one that is there.
async fn newcomer(ask: &Ask, row: &InvitationRow, body: InvitationAcceptance) -> Result<Option<Newcomer>, Fault> {
    let joining = joining(row);
    if joining == Joining::Elsewhere {
        return Err(rules::elsewhere());
    }
    let mut errors = rules::given(joining, body.name.is_some(), body.password.is_some());
    let (Some(name), Some(password)) = (body.name, body.password) else {
        return if errors.is_empty() { Ok(None) } else { Err(Fault::invalid(errors)) };
    };
    let name = person_name(&name, "/name").map_err(|error| errors.push(error));
    let password = SecretText::new(password);
    let known_as = name.as_deref().unwrap_or_default();
    let judged = ask.services.passwords.check_rule(password.clone(), &row.email, known_as).await.map_err(busy)?;
    errors.extend(new_password("/password", &judged.err().unwrap_or_default()));
    match name {
        Ok(name) if errors.is_empty() => {
            let password_hash = ask.services.passwords.hash(password).await.map_err(busy)?;
            let locale = body.locale.unwrap_or_else(|| row.locale.clone());
            Ok(Some(Newcomer { name, locale, password_hash }))
        }
        _ => Err(Fault::invalid(errors)),
    }
}

/// Makes the person, or moves the one that is there. Whoever came in between by another door is not overrun.
async fn join(ask: &Ask, row: &InvitationRow, newcomer: Option<&Newcomer>) -> Result<Uuid, Fault> {
    let holder_uuid = give_way(&ask.db, &row.email_normalised).await?;
    let (user_uuid, has_joined) = match (newcomer, holder_uuid) {
        (Some(newcomer), None) => {
            let (name, locale) = (newcomer.name.as_str(), newcomer.locale.as_str());
            let person_uuid = ask.new_uuid();
            let new = NewMember { person_uuid, name, locale, password_hash: &newcomer.password_hash };
            (person_uuid, store::member_insert(&ask.db, row.invitation_uuid, &new).await?)
        }
        (None, Some(person_uuid)) => {
            all_set_ended(&ask.db, person_uuid, None, "INVITATION_ACCEPTED").await?;
            revoke_left_behind(ask, person_uuid).await?;
            (person_uuid, store::member_move(&ask.db, row.invitation_uuid, person_uuid).await?)
        }
        _ => return Err(rules::elsewhere()),
    };
    if has_joined { Ok(user_uuid) } else { Err(rules::elsewhere()) }
}

fn joining(row: &InvitationRow) -> Joining {
    rules::joining(row.holder_state.as_deref().map(|state| Holder {
        state,
        is_in_team: row.holder_partner_uuid == Some(row.partner_uuid),
        partner_state: row.holder_partner_state.as_deref(),
    }))
}

fn role(name: &str) -> Result<Role, Fault> {
    Role::read(name).ok_or_else(|| Fault::internal(format!("an invitation with the role {name}")))
}
