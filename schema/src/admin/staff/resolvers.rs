//! What may be asked about internal people, and by whom.

mod types;

use async_graphql::{Context, Object};
use uuid::Uuid;

use super::list::{MEMBER, STAFF, StaffFilter, StaffSort};
use super::rules::{self, StaffAction, StaffState};
use super::store::{self, HeldRow};
use crate::access::{access, audit_target, batched};
use crate::admin::granters;
use crate::admin::reason::{Reason, Remark};
use crate::ask::{Ask, Asking, Target};
use crate::auth::mfa;
use crate::auth::people::addressee_get;
use crate::auth::security_events::LedgerEntry;
use crate::auth::sessions::all_set_ended;
use crate::fault::{Fault, FieldError};
use crate::keep::email::EmailAddress;
use crate::keep::secret::SecretKind;
use crate::list::PageRequest;
use crate::mail::message::{Asking as AskingFor, Letter, SecurityEvent as Notified};
use crate::outbox;
use crate::page::CountedList;
use crate::principal::PrincipalType;
use crate::scope::ScopeSet;

use types::{StaffCreate, StaffMember, StaffRolesPut, StaffUpdate};

/// Reads of internal people.
#[derive(Default)]
pub(crate) struct StaffQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl StaffQuery {
    /// Everybody who runs the service.
    #[graphql(directive = access::apply("labs.admin.staff".into()))]
    async fn admin_staff_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<StaffFilter>,
        sort: Option<StaffSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<StaffMember>>, Fault> {
        let (ask, filter) = (ctx.ask(), filter.unwrap_or_default());
        let rows = STAFF.page(ask, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        let total = STAFF.total(&ask.db, &filter, include_total).await?;
        ask.answer_list(rows.map(|row| Ok(StaffMember::from(row)))?.counted_list(total))
    }

    /// One of them, with what they reach.
    #[graphql(
        directive = access::apply("labs.admin.staff".into()),
        directive = audit_target::apply("staff".into(), "staff_uuid".into()),
        directive = batched::apply()
    )]
    async fn admin_staff_get(&self, ctx: &Context<'_>, staff_uuid: Uuid) -> Result<Option<StaffMember>, Fault> {
        ctx.ask().answer(load_member(ctx.ask(), staff_uuid).await?)
    }
}

/// Writes of internal people.
#[derive(Default)]
pub(crate) struct StaffMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl StaffMutation {
    /// Invites somebody by mail and grants them roles.
    #[graphql(directive = access::apply("labs.admin.staff:write".into()))]
    async fn admin_staff_create(&self, ctx: &Context<'_>, body: StaffCreate) -> Result<Option<StaffMember>, Fault> {
        let (ask, mut errors) = (ctx.ask(), Vec::new());
        let name = rules::name(&body.name, &mut errors);
        let email = address(&body.email, &mut errors);
        let known = store::roles_lock(&ask.db, &body.roles).await?;
        let granted = rules::grantable(&body.roles, &known, &[], ask.principal()?.scopes);
        let (email, codes) = match (email, granted) {
            (Some(email), Ok(codes)) if errors.is_empty() => (email, codes),
            (_, granted) => {
                errors.extend(granted.err().into_iter().flat_map(|fault| fault.parts().errors.clone()));
                return Err(Fault::invalid(errors));
            }
        };
        let person_uuid = ask.new_uuid();
        store::insert(&ask.db, person_uuid, &email, &name, body.locale.as_deref().unwrap_or("en")).await?;
        store::roles_put(&ask.db, person_uuid, &codes, granter(ask)?).await?;
        invite(ask, person_uuid).await?;
        event(ask, person_uuid, "INVITED").await?;
        ask.answer_created(person_uuid, load_member(ask, person_uuid).await?)
    }

    /// Changes a colleague's name or address.
    #[graphql(
        directive = access::apply("labs.admin.staff:write".into()),
        directive = audit_target::apply("staff".into(), "staff_uuid".into())
    )]
    async fn admin_staff_update(
        &self,
        ctx: &Context<'_>,
        staff_uuid: Uuid,
        body: StaffUpdate,
    ) -> Result<Option<StaffMember>, Fault> {
        let (ask, mut errors) = (ctx.ask(), Vec::new());
        let member = lock_member(ask, staff_uuid).await?;
        let name = body.name.map(|name| rules::name(&name, &mut errors));
        let email = body.email.map(|email| address(&email, &mut errors));
        if !errors.is_empty() {
            return Err(Fault::invalid(errors));
        }
        if let Some(name) = name {
            store::set_name(&ask.db, staff_uuid, &name).await?;
        }
        if let Some(email) = email.flatten() {
            move_to(ask, staff_uuid, &member, &email).await?;
        }
        ask.answer(load_member(ask, staff_uuid).await?)
    }

    /// Replaces the roles that a colleague holds.
    #[graphql(
        directive = access::apply("labs.admin.staff:write".into()),
        directive = audit_target::apply("staff".into(), "staff_uuid".into())
    )]
    async fn admin_staff_put_roles(
        &self,
        ctx: &Context<'_>,
        staff_uuid: Uuid,
        body: StaffRolesPut,
    ) -> Result<Option<StaffMember>, Fault> {
        let ask = ctx.ask();
        let before = granters::lock(&ask.db).await?;
        let member = lock_member(ask, staff_uuid).await?;
        let own = "Nobody changes their own roles. Ask a colleague who may.";
        rules::not_oneself(ask.principal()?.uuid, staff_uuid, own)?;
        let known = store::roles_lock(&ask.db, &[body.roles.as_slice(), &member.role_codes].concat()).await?;
        let own = ask.principal()?.scopes;
        let codes = rules::grantable(&body.roles, &known, &member.role_codes, own)?;
        rules::takeable(&codes, &known, &member.role_codes, own)?;
        if codes != member.role_codes {
            store::roles_put(&ask.db, staff_uuid, &codes, granter(ask)?).await?;
            granters::remain(&ask.db, &before).await?;
            event(ask, staff_uuid, "ROLES_CHANGED").await?;
        }
        ask.answer(load_member(ask, staff_uuid).await?)
    }

    /// Shuts a colleague out: sessions end, nothing that was mailed opens anything.
    #[graphql(
        directive = access::apply("labs.admin.staff:write".into()),
        directive = audit_target::apply("staff".into(), "staff_uuid".into())
    )]
    async fn admin_staff_disable(
        &self,
        ctx: &Context<'_>,
        staff_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<StaffMember>, Fault> {
        let ask = ctx.ask();
        body.note(ask);
        let before = granters::lock(&ask.db).await?;
        let member = lock_member(ask, staff_uuid).await?;
        let state = rules::after(member.state, StaffAction::Disable, member.has_accepted)?;
        covers(ask, &member)?;
        store::set_state(&ask.db, staff_uuid, state).await?;
        granters::remain(&ask.db, &before).await?;
        cut_off(ask, staff_uuid, "ACCOUNT_LOCKED").await?;
        outbox::queue_notice(ask, staff_uuid, Notified::AccountLocked).await?;
        ask.answer(load_member(ask, staff_uuid).await?)
    }

    /// Lets a colleague in again.
    #[graphql(
        directive = access::apply("labs.admin.staff:write".into()),
        directive = audit_target::apply("staff".into(), "staff_uuid".into())
    )]
    async fn admin_staff_enable(
        &self,
        ctx: &Context<'_>,
        staff_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<StaffMember>, Fault> {
        let ask = ctx.ask();
        Remark::note(body, ask);
        let member = lock_member(ask, staff_uuid).await?;
        let state = rules::after(member.state, StaffAction::Enable, member.has_accepted)?;
        covers(ask, &member)?;
        store::set_state(&ask.db, staff_uuid, state).await?;
        event(ask, staff_uuid, "ACCOUNT_UNLOCKED").await?;
        if state == StaffState::Invited {
            invite(ask, staff_uuid).await?;
        } else {
            outbox::queue_notice(ask, staff_uuid, Notified::AccountUnlocked).await?;
        }
        ask.answer(load_member(ask, staff_uuid).await?)
    }

    /// Takes a colleague's second factor away, so that they enrol another.
    #[graphql(
        directive = access::apply("labs.admin.staff:write".into()),
        directive = audit_target::apply("staff".into(), "staff_uuid".into())
    )]
    async fn admin_staff_reset_mfa(
        &self,
        ctx: &Context<'_>,
        staff_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<StaffMember>, Fault> {
        let ask = ctx.ask();
        body.note(ask);
        let member = lock_member(ask, staff_uuid).await?;
        let own = "Nobody takes their own second factor away here. Use a recovery code, or ask a colleague.";
        rules::not_oneself(ask.principal()?.uuid, staff_uuid, own)?;
        covers(ask, &member)?;
        if !mfa::take_away(&ask.db, staff_uuid).await? {
            return Err(Fault::conflict("No second factor is in force. They enrol one when they next sign in."));
        }
        cut_off(ask, staff_uuid, "SECOND_FACTOR_RESET").await?;
        outbox::queue_notice(ask, staff_uuid, Notified::SecondFactorReset).await?;
        ask.answer(load_member(ask, staff_uuid).await?)
    }

    /// Ends every session of a colleague.
    #[graphql(
        directive = access::apply("labs.admin.staff:write".into()),
        directive = audit_target::apply("staff".into(), "staff_uuid".into())
    )]
    async fn admin_staff_sign_out(
        &self,
        ctx: &Context<'_>,
        staff_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<StaffMember>, Fault> {
        let ask = ctx.ask();
        Remark::note(body, ask);
        lock_member(ask, staff_uuid).await?;
        all_set_ended(&ask.db, staff_uuid, None, "SIGNED_OUT_BY_STAFF").await?;
        event(ask, staff_uuid, "SIGNED_OUT_BY_STAFF").await?;
        ask.answer(load_member(ask, staff_uuid).await?)
    }
}

/// Gives a colleague another address. Whoever is invited still is so anew, even at the same address; everybody else is
/// told at both addresses and signs in again.
async fn move_to(ask: &Ask, person_uuid: Uuid, member: &HeldRow, email: &EmailAddress) -> Result<(), Fault> {
    let is_invited = member.state == StaffState::Invited;
    if member.email == email.as_str() && !is_invited {
        return Ok(());
    }
    let own = "Nobody changes their own address here. POST /v1/auth/account:change-email proves the new one first.";
    rules::not_oneself(ask.principal()?.uuid, person_uuid, own)?;
    covers(ask, member)?;
    if is_invited {
        store::set_email(&ask.db, person_uuid, email).await?;
        return invite(ask, person_uuid).await;
    }
    outbox::queue_notice(ask, person_uuid, Notified::EmailChanged).await?;
    store::set_email(&ask.db, person_uuid, email).await?;
    outbox::queue_notice(ask, person_uuid, Notified::EmailChanged).await?;
    cut_off(ask, person_uuid, "EMAIL_CHANGED").await
}

/// Ends whatever is open to somebody: nothing that was mailed opens anything, and every session ends. Their ledger says
/// by what.
async fn cut_off(ask: &Ask, person_uuid: Uuid, kind: &str) -> Result<(), Fault> {
    store::tokens_set_void(&ask.db, person_uuid).await?;
    all_set_ended(&ask.db, person_uuid, None, kind).await?;
    event(ask, person_uuid, kind).await
}

/// Mails a token with which the person sets a password. It takes the place of any before.
async fn invite(ask: &Ask, person_uuid: Uuid) -> Result<(), Fault> {
    let to = addressee_get(&ask.db, person_uuid).await?.ok_or_else(not_found)?;
    let token = SecretKind::OneTime.issue();
    let expires_at = ask.now.plus_seconds(rules::INVITATION_SECONDS);
    store::invitation_put(&ask.db, person_uuid, &token.digest, expires_at).await?;
    let about = AskingFor::StaffInvitation { name: to.name.clone(), inviter: ask.principal()?.label.clone() };
    outbox::queue(ask, &to, &Letter::asking(about, token.text, expires_at.0)).await
}

/// Refuses to reach into the account of somebody who may do more than the caller, or to shut it.
fn covers(ask: &Ask, member: &HeldRow) -> Result<(), Fault> {
    rules::covers(ask.principal()?.scopes, ScopeSet::parse(member.scopes.iter().map(String::as_str)))
}

/// Who grants: the calling person. A program is no person.
fn granter(ask: &Ask) -> Result<Option<Uuid>, Fault> {
    let principal = ask.principal()?;
    Ok((principal.kind == PrincipalType::StaffUser).then_some(principal.uuid))
}

/// Writes what was done to somebody into their ledger.
async fn event(ask: &Ask, person_uuid: Uuid, kind: &str) -> Result<(), Fault> {
    LedgerEntry::new(kind, true).about(person_uuid, None).by_staff().write(ask).await
}

fn address(text: &str, errors: &mut Vec<FieldError>) -> Option<EmailAddress> {
    let parsed = EmailAddress::parse(text);
    if let Err(problem) = &parsed {
        errors.push(FieldError::at("/email", "FORMAT", format!("This cannot be used: {problem}.")));
    }
    parsed.ok()
}

/// The person as they are now, named to the audit record.
async fn load_member(ask: &Ask, person_uuid: Uuid) -> Result<StaffMember, Fault> {
    let row = MEMBER.one(&ask.db, [person_uuid.into()]).await?.ok_or_else(not_found)?;
    note(ask, person_uuid, &row.name);
    Ok(row.into())
}

/// The person held for a change, named to the audit record.
async fn lock_member(ask: &Ask, person_uuid: Uuid) -> Result<HeldRow, Fault> {
    let row = store::lock(&ask.db, person_uuid).await?.ok_or_else(not_found)?;
    note(ask, person_uuid, &row.name);
    Ok(row)
}

fn note(ask: &Ask, person_uuid: Uuid, name: &str) {
    let (kind, label) = (Some("STAFF_MEMBER".to_owned()), Some(name.to_owned()));
    ask.note_target(Target { kind, uuid: Some(person_uuid), label, partner_uuid: None });
}

fn not_found() -> Fault {
    Fault::not_found("staff member")
}
