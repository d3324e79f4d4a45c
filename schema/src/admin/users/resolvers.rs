//! What may be asked about people across partners, and by whom.

mod types;

use async_graphql::{Context, Object};
use uuid::Uuid;

use super::list::{ANYBODY, OF_A_TEAM, SECURITY_EVENTS, SESSIONS, ShownUsers, USERS, UserFilter, UserSort};
use super::rules::{self, not_found};
use super::store::{self, HeldRow};
use crate::access::{access, audit_partner, audit_target, batched};
use crate::actor::Actor;
use crate::admin::reason::{Reason, Remark};
use crate::ask::{Ask, Asking, Target};
use crate::auth::account::{address, person_name};
use crate::auth::people::addressee_get;
use crate::auth::people::rules::PersonAction;
use crate::auth::security_events::{LedgerEntry, PersonEvents, SecurityEvent, SecurityEventFilter};
use crate::auth::sessions::OpenSession;
use crate::auth::{attempts, invitations, mfa, passwords, registrations, sessions};
use crate::fault::{Fault, FieldError};
use crate::keep::email::EmailAddress;
use crate::list::{Bound, PageRequest};
use crate::mail::message::SecurityEvent as Notified;
use crate::outbox;
use crate::page::CountedList;
use crate::partner::team::{Hand, Team};

pub(super) use types::User;
use types::UserUpdate;

/// Reads of people.
#[derive(Default)]
pub(crate) struct UsersQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl UsersQuery {
    /// People across partners.
    #[graphql(
        directive = access::apply("labs.admin.users".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_users_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<UserFilter>,
        sort: Option<UserSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<User>>, Fault> {
        let ask = ctx.ask();
        let shown = ShownUsers { with_staff: shows_staff(ask)?, filter: filter.unwrap_or_default() };
        let rows = USERS.page(ask, &shown, &PageRequest::new(sort, limit, cursor)).await?;
        ask.answer_list(rows.counted_list(USERS.total(&ask.db, &shown, include_total).await?))
    }

    /// One person.
    #[graphql(
        directive = access::apply("labs.admin.users".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into()),
        directive = batched::apply()
    )]
    async fn admin_users_get(&self, ctx: &Context<'_>, user_uuid: Uuid) -> Result<Option<User>, Fault> {
        ctx.ask().answer(found(ctx.ask(), user_uuid).await?)
    }

    /// Where a person is signed in.
    #[graphql(
        directive = access::apply("labs.admin.users".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into())
    )]
    async fn admin_users_list_sessions(
        &self,
        ctx: &Context<'_>,
        user_uuid: Uuid,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<OpenSession>>, Fault> {
        let ask = ctx.ask();
        seen(ask, user_uuid).await?;
        let rows = SESSIONS.page(ask, &user_uuid, &PageRequest::new(None, limit, cursor)).await?;
        ask.answer_list(rows.counted_list(SESSIONS.total(&ask.db, &user_uuid, include_total).await?))
    }

    /// A person's ledger: sign-ins, failures, changes of passwords, factors, addresses and sessions.
    #[graphql(
        directive = access::apply("labs.admin.users".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into())
    )]
    async fn admin_users_list_security_events(
        &self,
        ctx: &Context<'_>,
        user_uuid: Uuid,
        filter: Option<SecurityEventFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<SecurityEvent>>, Fault> {
        let ask = ctx.ask();
        seen(ask, user_uuid).await?;
        let events = PersonEvents { person_uuid: user_uuid, filter: filter.unwrap_or_default() };
        let rows = SECURITY_EVENTS.page(ask, &events, &PageRequest::new(None, limit, cursor)).await?;
        ask.answer_list(rows.counted_list(SECURITY_EVENTS.total(&ask.db, &events, include_total).await?))
    }
}

/// Writes of people.
#[derive(Default)]
pub(crate) struct UsersMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl UsersMutation {
    /// Changes a person's name, or begins a change of their address.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into())
    )]
    async fn admin_users_update(
        &self,
        ctx: &Context<'_>,
        user_uuid: Uuid,
        body: UserUpdate,
    ) -> Result<Option<User>, Fault> {
        let (ask, mut errors) = (ctx.ask(), Vec::new());
        let user = held(ask, user_uuid).await?;
        let name = kept(body.name.map(|name| person_name(&name, "/name")), &mut errors);
        let email = kept(body.email.map(|email| parsed(&email)), &mut errors);
        if !errors.is_empty() {
            return Err(Fault::invalid(errors));
        }
        if let Some(name) = name {
            store::set_name(&ask.db, user_uuid, &name).await?;
        }
        if let Some(email) = email.filter(|email| email.normalised() != user.email_normalised) {
            rules::active(&user.state)?;
            address::request_by_staff(ask, user_uuid, user.partner_uuid, &email).await?;
        }
        ask.answer(found(ask, user_uuid).await?)
    }

    /// Shuts an account: no sign-in, and its sessions end.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into())
    )]
    async fn admin_users_lock(&self, ctx: &Context<'_>, user_uuid: Uuid, body: Reason) -> Result<Option<User>, Fault> {
        let ask = ctx.ask();
        body.note(ask);
        let user = held(ask, user_uuid).await?;
        let state = rules::moved(&user.state, PersonAction::Lock, user.was_suspended)?;
        store::set_state(&ask.db, user_uuid, state.name(), user.state == "SUSPENDED").await?;
        cut_off(ask, &user, "ACCOUNT_LOCKED").await?;
        if let Some(partner_uuid) = user.partner_uuid {
            // The reason is for the audit record; the partner reads that the invitations are gone.
            let team = Team::named(ask, partner_uuid).await?;
            invitations::revoke_sent_by(ask, team, user_uuid, None, Hand::staff(ask, None)).await?;
        }
        outbox::queue_notice(ask, user_uuid, Notified::AccountLocked).await?;
        ask.answer(found(ask, user_uuid).await?)
    }

    /// Lets somebody try again, after a lock by staff or after failed tries.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into())
    )]
    async fn admin_users_unlock(
        &self,
        ctx: &Context<'_>,
        user_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<User>, Fault> {
        let ask = ctx.ask();
        Remark::note(body, ask);
        let user = held(ask, user_uuid).await?;
        let had_failures = attempts::forget(&ask.db, &user.email_normalised, user_uuid).await?;
        if user.state == "LOCKED" || !had_failures {
            let state = rules::moved(&user.state, PersonAction::Unlock, user.was_suspended)?;
            store::set_state(&ask.db, user_uuid, state.name(), false).await?;
            outbox::queue_notice(ask, user_uuid, Notified::AccountUnlocked).await?;
        }
        event(&user, "ACCOUNT_UNLOCKED").write(ask).await?;
        ask.answer(found(ask, user_uuid).await?)
    }

    /// Takes an address as proved where mail cannot reach the person.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into())
    )]
    async fn admin_users_verify_email(
        &self,
        ctx: &Context<'_>,
        user_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<User>, Fault> {
        let ask = ctx.ask();
        body.note(ask);
        let user = held(ask, user_uuid).await?;
        let state = rules::moved(&user.state, PersonAction::Verify, user.was_suspended)?;
        let proved = (user_uuid, user.email_normalised.as_str());
        registrations::verify_without_token(&ask.db, proved, state, Actor::of(ask.principal()?)).await?;
        event(&user, "EMAIL_VERIFIED").write(ask).await?;
        ask.answer(found(ask, user_uuid).await?)
    }

    /// Mails a person a token with which they set a new password.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into())
    )]
    async fn admin_users_send_password_reset(
        &self,
        ctx: &Context<'_>,
        user_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<User>, Fault> {
        let ask = ctx.ask();
        Remark::note(body, ask);
        let user = held(ask, user_uuid).await?;
        rules::active(&user.state)?;
        rules::settled(address::open_by_staff(ask, user_uuid).await?)?;
        let to = addressee_get(&ask.db, user_uuid).await?.ok_or_else(not_found)?;
        passwords::mail_reset(ask, &to).await?;
        event(&user, "PASSWORD_RESET_REQUESTED").write(ask).await?;
        ask.answer(found(ask, user_uuid).await?)
    }

    /// Takes a person's second factor away when device and recovery codes are lost.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into())
    )]
    async fn admin_users_reset_mfa(
        &self,
        ctx: &Context<'_>,
        user_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<User>, Fault> {
        let ask = ctx.ask();
        body.note(ask);
        let user = held(ask, user_uuid).await?;
        rules::settled(address::open_by_staff(ask, user_uuid).await?)?;
        if !mfa::take_away(&ask.db, user_uuid).await? {
            return Err(Fault::conflict("No second factor is in force, so the password alone lets this person in."));
        }
        cut_off(ask, &user, "SECOND_FACTOR_RESET").await?;
        outbox::queue_notice(ask, user_uuid, Notified::SecondFactorReset).await?;
        ask.answer(found(ask, user_uuid).await?)
    }

    /// Ends one session of a person.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply("session".into(), "session_uuid".into())
    )]
    async fn admin_users_end_session(
        &self,
        ctx: &Context<'_>,
        user_uuid: Uuid,
        session_uuid: Uuid,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        let user = held(ask, user_uuid).await?;
        if !sessions::own_set_ended(&ask.db, user_uuid, session_uuid, "ENDED_BY_STAFF").await? {
            return Err(Fault::not_found("session of this user"));
        }
        event(&user, "SESSION_ENDED_BY_STAFF").within(session_uuid).write(ask).await?;
        ask.answer(true)
    }

    /// Ends every session of a person.
    #[graphql(
        directive = access::apply("labs.admin.users:write".into()),
        directive = audit_target::apply("user".into(), "user_uuid".into())
    )]
    async fn admin_users_sign_out(
        &self,
        ctx: &Context<'_>,
        user_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<User>, Fault> {
        let ask = ctx.ask();
        Remark::note(body, ask);
        let user = held(ask, user_uuid).await?;
        sessions::all_set_ended(&ask.db, user_uuid, None, "SIGNED_OUT_BY_STAFF").await?;
        event(&user, "SIGNED_OUT_BY_STAFF").write(ask).await?;
        ask.answer(found(ask, user_uuid).await?)
    }
}

/// Ends whatever is open to somebody but the way back to a former address. Their ledger says by what.
async fn cut_off(ask: &Ask, user: &HeldRow, kind: &str) -> Result<(), Fault> {
    store::tokens_set_void(&ask.db, user.person_uuid).await?;
    sessions::all_set_ended(&ask.db, user.person_uuid, None, kind).await?;
    event(user, kind).write(ask).await
}

/// Something that staff did to a person, for that person's ledger.
const fn event<'a>(user: &HeldRow, kind: &'a str) -> LedgerEntry<'a> {
    LedgerEntry::new(kind, true).about(user.person_uuid, user.partner_uuid).by_staff()
}

fn parsed(email: &str) -> Result<EmailAddress, FieldError> {
    EmailAddress::parse(email)
        .map_err(|problem| FieldError::at("/email", "FORMAT", format!("This cannot be used: {problem}.")))
}

/// What was sent and can be used; what cannot is told with everything else that is wrong.
fn kept<T>(sent: Option<Result<T, FieldError>>, errors: &mut Vec<FieldError>) -> Option<T> {
    sent.and_then(|sent| sent.map_err(|error| errors.push(error)).ok())
}

fn shows_staff(ask: &Ask) -> Result<bool, Fault> {
    Ok(rules::shows_staff(ask.principal()?.scopes))
}

/// The person as they are now, named to the audit record.
async fn found(ask: &Ask, person_uuid: Uuid) -> Result<User, Fault> {
    let shown = if shows_staff(ask)? {
        ANYBODY.one(&ask.db, [person_uuid.into()]).await?
    } else {
        OF_A_TEAM.one(&ask.db, [person_uuid.into(), Bound::Nothing]).await?
    };
    let user = shown.ok_or_else(not_found)?;
    note(ask, person_uuid, &user.name, user.partner_uuid);
    Ok(user)
}

/// That there is such a person, named to the audit record.
async fn seen(ask: &Ask, person_uuid: Uuid) -> Result<(), Fault> {
    let (name, partner_uuid) = store::name_get(&ask.db, person_uuid, shows_staff(ask)?).await?.ok_or_else(not_found)?;
    note(ask, person_uuid, &name, partner_uuid);
    Ok(())
}

/// The person held for a change, named to the audit record.
async fn held(ask: &Ask, person_uuid: Uuid) -> Result<HeldRow, Fault> {
    let row = store::lock(&ask.db, person_uuid).await?.ok_or_else(not_found)?;
    note(ask, person_uuid, &row.name, row.partner_uuid);
    rules::changeable(row.is_staff, ask.principal()?.scopes)?;
    Ok(row)
}

fn note(ask: &Ask, person_uuid: Uuid, name: &str, partner_uuid: Option<Uuid>) {
    let (kind, label) = (Some("USER".to_owned()), Some(name.to_owned()));
    ask.note_target(Target { kind, uuid: Some(person_uuid), label, partner_uuid });
}
