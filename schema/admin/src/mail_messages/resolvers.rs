//! Operations on mail messages and the scopes that they require.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::time::Time;
use labs_mail::message::MailContent;
use uuid::Uuid;

use super::list::{BY_ID, MAIL_MESSAGES, MailMessageFilter, MailMessageRow, MailMessageSort};
use super::rules::{self, MailMessageAction, MailMessageState};
use super::store::{self, LockedMailRow};

/// A mail message in the outbox, without its content.
#[derive(serde::Serialize, OutputType)]
pub(super) struct MailMessage {
    /// UUID of the mail message, for use in paths.
    uuid: Uuid,
    /// Kind of mail message. Kinds may be added.
    kind: String,
    /// E-mail address of the recipient.
    recipient: String,
    /// Locale of the mail message.
    locale: String,
    /// Subject of the mail message. It never contains a secret.
    subject: String,
    /// Delivery state.
    state: MailMessageState,
    /// Number of delivery attempts since a staff member last retried the mail message.
    attempts: i32,
    /// Time of the next delivery attempt. Null unless the mail message is `QUEUED`.
    next_attempt_at: Option<Time>,
    /// Time when the mail message was handed over to the mail server. Null unless it is `SENT`.
    sent_at: Option<Time>,
    /// Error of the last delivery attempt. If the mail server quotes a token, the service removes the token.
    last_error: Option<String>,
    /// Time when the mail message was queued.
    created_at: Time,
    /// User that the mail message concerns.
    person_uuid: Option<Uuid>,
    /// Partner that the mail message concerns.
    partner_uuid: Option<Uuid>,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// Reason for the retry of a mail message.
#[derive(serde::Deserialize, InputType)]
pub(super) struct MailMessageRetry {
    /// Reason for the retry. Kept in the audit record. Only staff can read it.
    reason: Option<String>,
}

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![admin_mail_messages_list, admin_mail_messages_retry];

/// List mail messages.
#[operation(query, access = "labs.admin.operations", audit_partner = "partner_uuid")]
async fn admin_mail_messages_list(
    cx: &RequestContext,
    filter: Option<MailMessageFilter>,
    sort: Option<MailMessageSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<MailMessage>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = MAIL_MESSAGES.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = MAIL_MESSAGES.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(MailMessage::of(row, cx)))?.counted_list(total))
}

/// Retry a mail message.
#[operation(mutation, access = "labs.admin.operations:write", audit_target(MailMessage, "message_uuid"))]
async fn admin_mail_messages_retry(
    cx: &RequestContext,
    message_uuid: Uuid,
    body: Option<MailMessageRetry>,
) -> Result<MailMessage, Fault> {
    let locked = store::lock(&cx.db, message_uuid).await?.ok_or_else(err_not_found)?;
    note_target(cx, message_uuid, &locked);
    if let Some(reason) = body.and_then(|body| body.reason) {
        cx.note_reason(reason);
    }
    rules::after(locked.state, MailMessageAction::Retry)?;
    rules::ensure_sendable(locked.content_sealed.is_some(), locked.is_claimed, has_ended(cx, message_uuid, &locked)?)?;
    store::set_queued(&cx.db, message_uuid).await?;
    let queued = BY_ID.fetch_one(&cx.db, [message_uuid.into()]).await?.ok_or_else(err_not_found)?;
    Ok(MailMessage::of(queued, cx))
}

/// Whether the link in a mail message has expired. The service decrypts the content for this check and shows it to no
/// caller.
fn has_ended(cx: &RequestContext, message_uuid: Uuid, locked: &LockedMailRow) -> Result<bool, Fault> {
    let Some(sealed) = &locked.content_sealed else { return Ok(false) };
    let content = MailContent::open(&cx.services.key, message_uuid, sealed).map_err(|_| {
        Fault::conflict("This mail message cannot be decrypted with the service's master key, so it cannot be sent.")
    })?;
    Ok(matches!(content, MailContent::Asking { expires_at, .. } if expires_at <= cx.now.0))
}

fn note_target(cx: &RequestContext, message_uuid: Uuid, locked: &LockedMailRow) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::MailMessage),
        uuid: Some(message_uuid),
        label: Some(locked.subject.clone()),
        partner_uuid: locked.partner_uuid,
    });
}

fn err_not_found() -> Fault {
    Fault::not_found("mail message")
}

impl MailMessage {
    /// Converts a row to the representation for the caller.
    fn of(row: MailMessageRow, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.operations:write");
        Self {
            uuid: row.message_uuid,
            kind: row.kind,
            recipient: row.recipient,
            locale: row.locale,
            subject: row.subject,
            state: row.state,
            attempts: row.attempts,
            next_attempt_at: (row.state == MailMessageState::Queued).then_some(row.next_attempt_at),
            sent_at: row.sent_at,
            last_error: row.last_error.as_deref().map(rules::without_tokens),
            created_at: row.created_at,
            person_uuid: row.person_uuid,
            partner_uuid: row.partner_uuid,
            allowed_actions: if acts { rules::allowed_actions(row.state) } else { Vec::new() },
        }
    }
}
