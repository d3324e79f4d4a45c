//! Statements for a partner's support tickets, and statements that both sides use.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use labs_core::time::Time;
use labs_mail::outbox::Recipient;
use uuid::Uuid;

use super::rules::{SupportTicketPriority, SupportTicketState};
use super::types::{SupportMessageSide, SupportTopic};

/// A message from one side to the other.
pub(super) struct MessageRow {
    pub(super) message_uuid: Uuid,
    pub(super) side: SupportMessageSide,
    pub(super) author_uuid: Uuid,
    pub(super) author_name: Option<String>,
    pub(super) body: String,
    pub(super) created_at: Time,
}

/// Loads the messages of one of a partner's tickets, oldest first. Names are included only for authors of the partner.
pub(super) async fn messages(db: &Db, owner: Owner, ticket_uuid: Uuid) -> Result<Vec<MessageRow>, Fault> {
    Ok(sqlx::query_as!(
        MessageRow,
        r#"select m.message_uuid, m.side as "side: SupportMessageSide", m.author_uuid,
                  coalesce(p.name, c.name) as author_name, m.body, m.created_at
             from support_ticket as t
             join support_message as m on m.ticket_uuid = t.ticket_uuid
             left join person as p on p.person_uuid = m.author_uuid and p.partner_uuid = t.partner_uuid
             left join machine_client as c on c.client_uuid = m.author_uuid and c.partner_uuid = t.partner_uuid
            where t.partner_uuid = $1 and t.ticket_uuid = $2
            order by m.created_at, m.message_uuid"#,
        owner.uuid(),
        ticket_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Locks a partner until the transaction ends, so that concurrent transactions that open tickets count each other's
/// tickets. Returns the company's name, and whether the partner has priority support.
pub(super) async fn lock_partner(db: &Db, owner: Owner) -> Result<(String, bool), Fault> {
    let row = sqlx::query!(
        r#"select company_name, exists (select from partner_entitlement($1, labs_now())
                                         where feature_code = 'priority_support' and value = 'true') as "is_first!"
             from partner
            where partner_uuid = $1
              for no key update"#,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    Ok((row.company_name, row.is_first))
}

/// Counts a partner's tickets that wait for either side.
pub(super) async fn count_open(db: &Db, owner: Owner) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from support_ticket
            where partner_uuid = $1 and state in ('OPEN', 'WAITING_ON_PARTNER')"#,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Whether the app belongs to the partner.
pub(super) async fn owns_app(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from app where app_uuid = $2 and partner_uuid = $1) as "owns!""#,
        owner.uuid(),
        app_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A support ticket to create.
pub(super) struct NewTicket<'a> {
    pub(super) ticket_uuid: Uuid,
    pub(super) subject: &'a str,
    pub(super) topic: SupportTopic,
    pub(super) app_uuid: Option<Uuid>,
    pub(super) priority: SupportTicketPriority,
    pub(super) opened_by_kind: &'a str,
    pub(super) opened_by: Uuid,
}

/// Inserts a ticket without messages.
pub(super) async fn insert(db: &Db, owner: Owner, new: &NewTicket<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into support_ticket
             (ticket_uuid, partner_uuid, subject, topic, app_uuid, priority, opened_by_kind, opened_by)
         values ($2, $1, $3, $4, $5, $6, $7, $8)",
        owner.uuid(),
        new.ticket_uuid,
        new.subject,
        new.topic.name(),
        new.app_uuid,
        new.priority.name(),
        new.opened_by_kind,
        new.opened_by,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// A partner's support ticket, locked for a change.
pub(super) struct LockedTicketRow {
    pub(super) subject: String,
    pub(super) state: SupportTicketState,
    pub(super) messages_count: i32,
    pub(super) opened_by: Uuid,
    pub(super) assignee_uuid: Option<Uuid>,
    pub(super) company_name: String,
}

/// Locks one of a partner's tickets until the transaction ends.
pub(super) async fn lock(db: &Db, owner: Owner, ticket_uuid: Uuid) -> Result<Option<LockedTicketRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedTicketRow,
        r#"select t.subject, t.state as "state: SupportTicketState", t.messages_count, t.opened_by, t.assignee_uuid,
                  partner.company_name
             from support_ticket as t join partner using (partner_uuid)
            where partner_uuid = $1 and t.ticket_uuid = $2
              for no key update of t"#,
        owner.uuid(),
        ticket_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A message to add to a ticket.
pub(in crate::partner) struct Message<'a> {
    pub(in crate::partner) message_uuid: Uuid,
    pub(in crate::partner) ticket_uuid: Uuid,
    pub(in crate::partner) side: SupportMessageSide,
    pub(in crate::partner) author_uuid: Uuid,
    pub(in crate::partner) body: &'a str,
}

/// Inserts a message into a locked ticket, and returns its time.
pub(in crate::partner) async fn insert_message(db: &Db, message: &Message<'_>) -> Result<Time, Fault> {
    Ok(sqlx::query_scalar!(
        r#"with counted as (
             update support_ticket
                set messages_count = messages_count + 1, last_message_at = labs_now(), updated_at = labs_now()
              where ticket_uuid = $2
           )
           insert into support_message (message_uuid, ticket_uuid, side, author_uuid, body) values ($1, $2, $3, $4, $5)
           returning created_at as "created_at: Time""#,
        message.message_uuid,
        message.ticket_uuid,
        message.side.name(),
        message.author_uuid,
        message.body,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Sets the state of a locked ticket. If it already has this state, nothing changes, so the start of a wait stays the
/// same.
pub(in crate::partner) async fn set_state(db: &Db, ticket_uuid: Uuid, state: SupportTicketState) -> Result<(), Fault> {
    sqlx::query!(
        "update support_ticket
            set state = $2, state_changed_at = labs_now(), updated_at = labs_now(),
                waiting_since = case when $2 = 'OPEN' then labs_now() end
          where ticket_uuid = $1 and state <> $2",
        ticket_uuid,
        state.name()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Loads the recipients in a partner's team for a mail about a ticket: the user who opened it, or the administrators if
/// a machine client or an inactive user opened it.
pub(super) async fn team_addressees(db: &Db, partner_uuid: Uuid, opened_by: Uuid) -> Result<Vec<Recipient>, Fault> {
    Ok(sqlx::query_as!(
        Recipient,
        r#"with author as (
             select person_uuid from person where person_uuid = $2 and partner_uuid = $1 and state = 'ACTIVE'
           )
           select person_uuid as "person_uuid?", partner_uuid, email, name, locale from person
            where partner_uuid = $1 and state = 'ACTIVE'
              and case when exists (select from author) then person_uuid = $2 else role = 'ADMINISTRATOR' end
            order by created_at, person_uuid
            limit 20"#,
        partner_uuid,
        opened_by
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Loads the mail recipient data of a staff member of the desk; `None` if they cannot sign in.
pub(super) async fn get_colleague(db: &Db, person_uuid: Uuid) -> Result<Option<Recipient>, Fault> {
    Ok(sqlx::query_as!(
        Recipient,
        r#"select person_uuid as "person_uuid?", partner_uuid, email, name, locale from person
            where person_uuid = $1 and kind = 'STAFF_USER' and state = 'ACTIVE'"#,
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Loads the desk's address, if the operator has configured one.
pub(super) async fn get_desk_email(db: &Db) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select value #>> '{}' from service_setting where key = 'support_desk_email'")
        .fetch_optional(&mut *db.conn().await?)
        .await?
        .flatten())
}
