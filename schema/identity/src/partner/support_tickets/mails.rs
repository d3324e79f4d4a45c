//! Mail messages about a support ticket: to the partner, to the desk, and to one staff member of the desk.

use labs_core::context::RequestContext;
use labs_core::email::EmailAddress;
use labs_core::fault::Fault;
use labs_mail::message::{MailContent, Notice, Ticket, TicketEvent};
use labs_mail::outbox;
use labs_mail::outbox::Recipient;
use uuid::Uuid;

use super::store;

/// Support ticket that the mail messages are about.
pub(in crate::partner) struct TicketMails<'a> {
    pub(in crate::partner) ticket_uuid: Uuid,
    pub(in crate::partner) partner_uuid: Uuid,
    pub(in crate::partner) company_name: &'a str,
    pub(in crate::partner) subject: &'a str,
    /// UUID of the user or machine client that created the support ticket.
    pub(in crate::partner) opened_by: Uuid,
    /// UUID of the assigned staff member of the desk.
    pub(in crate::partner) assignee_uuid: Option<Uuid>,
}

/// Notifies the user who opened the ticket, or the team's administrators if that user cannot receive mail.
pub(in crate::partner) async fn notify_team(
    cx: &RequestContext,
    about: &TicketMails<'_>,
    event: TicketEvent,
) -> Result<(), Fault> {
    let path = format!("/v1/partner/{}/support-tickets/{}", about.partner_uuid, about.ticket_uuid);
    for to in store::team_addressees(&cx.db, about.partner_uuid, about.opened_by).await? {
        outbox::queue(cx, &to, &about.compose_mail(&to, &path, event)).await?;
    }
    Ok(())
}

/// Notifies the assignee, or the desk's address. Without either, no mail is sent; the queue still contains the ticket.
pub(in crate::partner) async fn notify_desk(
    cx: &RequestContext,
    about: &TicketMails<'_>,
    event: TicketEvent,
) -> Result<(), Fault> {
    let colleague = match about.assignee_uuid {
        Some(assignee_uuid) => store::get_colleague(&cx.db, assignee_uuid).await?,
        None => None,
    };
    let to = match colleague {
        Some(colleague) => Some(colleague),
        None => desk(cx).await?,
    };
    let Some(to) = to else { return Ok(()) };
    outbox::queue_about(cx, about.partner_uuid, &to, &about.compose_mail(&to, &about.desk_path(), event)).await
}

/// Notifies one staff member of the desk.
pub(in crate::partner) async fn notify_person(
    cx: &RequestContext,
    about: &TicketMails<'_>,
    person_uuid: Uuid,
    event: TicketEvent,
) -> Result<(), Fault> {
    let Some(to) = store::get_colleague(&cx.db, person_uuid).await? else { return Ok(()) };
    outbox::queue_about(cx, about.partner_uuid, &to, &about.compose_mail(&to, &about.desk_path(), event)).await
}

impl TicketMails<'_> {
    fn compose_mail(&self, to: &Recipient, path: &str, event: TicketEvent) -> MailContent {
        MailContent::Telling(Notice::Ticket(Ticket {
            name: to.name.clone(),
            company: self.company_name.to_owned(),
            subject: self.subject.to_owned(),
            path: path.to_owned(),
            event,
        }))
    }

    fn desk_path(&self) -> String {
        format!("/v1/support-desk/tickets/{}", self.ticket_uuid)
    }
}

/// Loads the desk's address from the settings.
async fn desk(cx: &RequestContext) -> Result<Option<Recipient>, Fault> {
    let Some(setting) = store::get_desk_email(&cx.db).await? else { return Ok(None) };
    let Ok(email) = EmailAddress::parse(&setting) else {
        tracing::warn!(
            "the setting support_desk_email is not an e-mail address, so the support desk receives no e-mail"
        );
        return Ok(None);
    };
    let (email, name) = (email.as_str().to_owned(), "Support".to_owned());
    Ok(Some(Recipient { person_uuid: None, partner_uuid: None, email, name, locale: "en".to_owned() }))
}
