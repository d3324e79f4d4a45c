//! Statements for support tickets at the desk.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use crate::partner::support_tickets::{SupportMessageSide, SupportTicketPriority, SupportTicketState, SupportTopic};

/// A support ticket, for the desk.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct TicketRow {
    pub(super) ticket_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) company_name: String,
    pub(super) subject: String,
    pub(super) topic: SupportTopic,
    pub(super) app_uuid: Option<Uuid>,
    pub(super) app_slug: Option<String>,
    pub(super) state: SupportTicketState,
    pub(super) state_changed_at: Time,
    pub(super) priority: SupportTicketPriority,
    /// Sort key of the queue: lower values first.
    pub(super) urgency: i16,
    pub(super) assignee_uuid: Option<Uuid>,
    pub(super) assignee_name: Option<String>,
    pub(super) opened_by: Uuid,
    pub(super) opened_by_name: Option<String>,
    pub(super) messages_count: i32,
    pub(super) last_message_at: Time,
    pub(super) waiting_since: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// A message or a note.
pub(super) struct EntryRow {
    pub(super) entry_uuid: Uuid,
    /// Side that wrote it; for a note, the support.
    pub(super) side: SupportMessageSide,
    pub(super) author_uuid: Uuid,
    pub(super) author_name: Option<String>,
    pub(super) body: String,
    pub(super) created_at: Time,
}

/// Loads the messages of both sides, oldest first.
pub(super) async fn messages(db: &Db, ticket_uuid: Uuid) -> Result<Vec<EntryRow>, Fault> {
    Ok(sqlx::query_as!(
        EntryRow,
        r#"select m.message_uuid as entry_uuid, m.side as "side: SupportMessageSide", m.author_uuid,
                  coalesce(p.name, c.name) as author_name, m.body, m.created_at
             from support_message as m
             left join person as p on p.person_uuid = m.author_uuid
             left join machine_client as c on c.client_uuid = m.author_uuid
            where m.ticket_uuid = $1
            order by m.created_at, m.message_uuid"#,
        ticket_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Loads the internal notes of a ticket, oldest first.
pub(super) async fn notes(db: &Db, ticket_uuid: Uuid) -> Result<Vec<EntryRow>, Fault> {
    Ok(sqlx::query_as!(
        EntryRow,
        r#"select n.note_uuid as entry_uuid, 'SUPPORT' as "side!: SupportMessageSide", n.author_uuid,
                  coalesce(p.name, c.name) as author_name, n.body, n.created_at
             from support_note as n
             left join person as p on p.person_uuid = n.author_uuid
             left join machine_client as c on c.client_uuid = n.author_uuid
            where n.ticket_uuid = $1
            order by n.created_at, n.note_uuid"#,
        ticket_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// A support ticket locked for a change.
pub(super) struct LockedTicketRow {
    pub(super) partner_uuid: Uuid,
    pub(super) company_name: String,
    pub(super) subject: String,
    pub(super) state: SupportTicketState,
    pub(super) priority: SupportTicketPriority,
    pub(super) messages_count: i32,
    pub(super) notes_count: i32,
    pub(super) opened_by: Uuid,
    pub(super) assignee_uuid: Option<Uuid>,
}

/// Locks a ticket until the transaction ends.
pub(super) async fn lock(db: &Db, ticket_uuid: Uuid) -> Result<Option<LockedTicketRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedTicketRow,
        r#"select t.partner_uuid, partner.company_name, t.subject, t.state as "state: SupportTicketState",
                  t.priority as "priority: SupportTicketPriority", t.messages_count,
                  (select count(*) from support_note as n where n.ticket_uuid = t.ticket_uuid)::integer as "notes_count!",
                  t.opened_by, t.assignee_uuid
             from support_ticket as t join partner using (partner_uuid)
            where t.ticket_uuid = $1
              for no key update of t"#,
        ticket_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Whether a partner was erased. Call it only after the ticket is locked: an erasure processes the tickets after the
/// partner, so it also erases everything written before.
pub(super) async fn is_erased(db: &Db, partner_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from partner where partner_uuid = $1 and state = 'ERASED') as "is_erased!""#,
        partner_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Inserts a note about a locked ticket.
pub(super) async fn insert_note(
    db: &Db,
    ticket_uuid: Uuid,
    note_uuid: Uuid,
    author_uuid: Uuid,
    body: &str,
) -> Result<(), Fault> {
    sqlx::query!(
        "with touched as (update support_ticket set updated_at = labs_now() where ticket_uuid = $1)
         insert into support_note (note_uuid, ticket_uuid, author_uuid, body) values ($2, $1, $3, $4)",
        ticket_uuid,
        note_uuid,
        author_uuid,
        body
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets the priority of a locked ticket.
pub(super) async fn set_priority(db: &Db, ticket_uuid: Uuid, priority: SupportTicketPriority) -> Result<(), Fault> {
    sqlx::query!(
        "update support_ticket set priority = $2, updated_at = labs_now() where ticket_uuid = $1",
        ticket_uuid,
        priority.name()
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets or clears the assignee of a locked ticket.
pub(super) async fn set_assignee(db: &Db, ticket_uuid: Uuid, assignee_uuid: Option<Uuid>) -> Result<(), Fault> {
    sqlx::query!(
        "update support_ticket set assignee_uuid = $2, updated_at = labs_now() where ticket_uuid = $1",
        ticket_uuid,
        assignee_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Whether a staff member can sign in and holds one of these scopes.
pub(super) async fn is_colleague(db: &Db, person_uuid: Uuid, scopes: &[String]) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (
             select from person as p
               join staff_role_grant as g using (person_uuid)
               join staff_role as r using (role_code)
              where p.person_uuid = $1 and p.kind = 'STAFF_USER' and p.state = 'ACTIVE' and r.scopes && $2
           ) as "is_colleague!""#,
        person_uuid,
        scopes
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Whether at least one of 250 among the newest support tickets has the longest word of a search in its subject or in
/// the name of its partner. True for a search without words, which matches everything.
pub(super) async fn is_common_text(db: &Db, text: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) filter (where folded(newest.subject) ~ (select coalesce((sought_patterns($1))[1], '')) or exists (
                      select from partner as p
                       where p.partner_uuid = newest.partner_uuid
                         and folded(p.company_name) ~ (select coalesce((sought_patterns($1))[1], ''))))
                  * 250 >= count(*) as "is_common!"
             from (select partner_uuid, subject from support_ticket
                    order by created_at desc, ticket_uuid desc limit 1000) as newest"#,
        text
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
