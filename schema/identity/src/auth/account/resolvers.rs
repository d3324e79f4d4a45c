//! Resolvers of the caller's own account.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::email::EmailAddress;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::principal::PrincipalType;
use labs_core::time::Time;

use super::address;
use super::list::OWN_EVENTS;
use super::rules::{self, AccountChange};
use super::store;
use super::view::Account;
use crate::auth::security_events::{PersonEvents, SecurityEvent, SecurityEventFilter};
use crate::auth::sessions::{OwnSession, load_own, require_fresh};

/// Fields to change. Omitted fields keep their values.
#[derive(serde::Deserialize, InputType)]
pub(super) struct AccountUpdate {
    /// Full name of the user, in one line. 1 to 120 characters. A name that looks like the platform or its staff is
    /// rejected with `NAME_IMITATES`, unless the user is a staff member.
    name: Option<String>,
    /// Language of e-mails to the user, if a translation exists.
    locale: Option<String>,
    /// IANA name of the time zone.
    time_zone: Option<String>,
    /// Whether the user receives the weekly e-mail about the board. Each of these e-mails contains a link to
    /// unsubscribe.
    board_mail: Option<bool>,
    /// Whether the user receives an e-mail when the partner has used 80 % of its daily budget.
    quota_mail: Option<bool>,
}

/// The new e-mail address.
#[derive(serde::Deserialize, InputType)]
pub(super) struct EmailChangeRequest {
    /// Address to sign in with after the confirmation. It must differ from the current address.
    email: String,
}

/// Token from an e-mail about an address change.
#[derive(serde::Deserialize, InputType)]
pub(super) struct EmailChangeTokenInput {
    /// Token from the e-mail, unchanged.
    token: String,
}

/// Receipt for the requested change.
#[derive(serde::Serialize, OutputType)]
pub(super) struct EmailChangeReceipt {
    /// The service sends one e-mail to the new address and one to the old address.
    status: &'static str,
    /// The new address, as in the request.
    email: String,
    /// Seconds until the token sent to the new address expires.
    expires_in: i64,
}

/// The confirmed address change.
#[derive(serde::Serialize, OutputType)]
pub(super) struct EmailChanged {
    /// Result of the confirmation.
    status: &'static str,
    /// Address to sign in with from now on.
    email: String,
    /// Time when the new address became effective.
    changed_at: Time,
}

/// The stopped or reverted address change.
#[derive(serde::Serialize, OutputType)]
pub(super) struct EmailChangeCancelled {
    /// Result of the cancellation.
    status: &'static str,
    /// Address to sign in with: the address before the change.
    email: String,
}

/// Operations of this file.
pub(in crate::auth) const OPERATIONS: &[Operation] = operations![
    auth_account_get,
    auth_account_list_security_events,
    auth_account_update,
    auth_account_change_email,
    auth_account_confirm_email,
    auth_account_cancel_email_change,
];

/// Get the caller's account.
#[operation(query, access = "auth.account")]
async fn auth_account_get(cx: &RequestContext) -> Result<Account, Fault> {
    load_account(cx, &load_own(cx)?).await
}

/// List the caller's security events.
#[operation(query, access = "auth.account")]
async fn auth_account_list_security_events(
    cx: &RequestContext,
    filter: Option<SecurityEventFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<SecurityEvent>, Fault> {
    let events = PersonEvents { person_uuid: load_own(cx)?.person_uuid, filter: filter.unwrap_or_default() };
    Ok(OWN_EVENTS.page(cx, &events, &PageRequest::new(None, limit, cursor)).await?.list())
}

/// Update the caller's account.
#[operation(mutation, access = "auth.account:write")]
async fn auth_account_update(cx: &RequestContext, body: AccountUpdate) -> Result<Account, Fault> {
    let own = load_own(cx)?;
    let AccountUpdate { name, locale, time_zone, board_mail, quota_mail } = body;
    let is_of_partner = cx.principal()?.kind == PrincipalType::PartnerUser;
    let time_zone = time_zone.map(|name| rules::known_time_zone(&name)).transpose()?;
    let change = AccountChange { name, locale, time_zone, board_mail, quota_mail };
    let change = rules::normalize(change, is_of_partner)?;
    rules::ensure_own_mails(&change, is_of_partner)?;
    store::set_profile(&cx.db, own.person_uuid, &change).await?;
    load_account(cx, &own).await
}

/// Request an e-mail address change.
#[operation(mutation, access = "auth.account:write")]
async fn auth_account_change_email(cx: &RequestContext, body: EmailChangeRequest) -> Result<EmailChangeReceipt, Fault> {
    let own = require_fresh(cx).await?;
    let email = EmailAddress::parse(&body.email)
        .map_err(|problem| Fault::field("/email", "FORMAT", format!("This address cannot be used: {problem}.")))?;
    address::request_change(cx, &own, &email).await?;
    let expires_in = address::rules::CONFIRM_SECONDS;
    Ok(EmailChangeReceipt { status: "CONFIRMATION_SENT", email: body.email, expires_in })
}

/// Confirm an e-mail address change.
#[operation(mutation, access = "public")]
async fn auth_account_confirm_email(cx: &RequestContext, body: EmailChangeTokenInput) -> Result<EmailChanged, Fault> {
    let (email, changed_at) = address::confirm(cx, &body.token).await?;
    Ok(EmailChanged { status: "EMAIL_CHANGED", email, changed_at })
}

/// Cancel an e-mail address change.
#[operation(mutation, access = "public")]
async fn auth_account_cancel_email_change(
    cx: &RequestContext,
    body: EmailChangeTokenInput,
) -> Result<EmailChangeCancelled, Fault> {
    let email = address::cancel(cx, &body.token).await?;
    Ok(EmailChangeCancelled { status: "EMAIL_CHANGE_CANCELLED", email })
}

async fn load_account(cx: &RequestContext, own: &OwnSession) -> Result<Account, Fault> {
    store::get(&cx.db, own.person_uuid).await?.map(Account::from).ok_or_else(|| Fault::not_found("account"))
}
