//! Every statement about tickets as the desk sees them.

use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// A ticket as the desk is shown it.
pub(super) struct TicketRow {
    pub(super) ticket_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) company_name: String,
    pub(super) subject: String,
    pub(super) topic: String,
    pub(super) app_uuid: Option<Uuid>,
    pub(super) app_slug: Option<String>,
    pub(super) state: String,
    pub(super) state_changed_at: Time,
    pub(super) priority: String,
    /// Its place in the queue: the smaller, the sooner.
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

/// What the queue is narrowed to.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) state: Option<Vec<String>>,
    pub(super) priority: Option<Vec<String>>,
    pub(super) topic: Option<Vec<String>>,
    pub(super) assignee_uuid: Option<Vec<Uuid>>,
    pub(super) assigned: Option<bool>,
    pub(super) partner_uuid: Option<Vec<Uuid>>,
    pub(super) q: Option<String>,
    pub(super) created_at_from: Option<Time>,
    pub(super) created_at_until: Option<Time>,
}

/// In which order tickets come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The most urgent first, and of those the oldest.
    Queue,
    OldestFirst,
    NewestFirst,
}

impl TicketRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.urgency), json!(self.created_at), json!(self.ticket_uuid)]
    }
}

macro_rules! tickets {
    ($window:ident, $db:ident, $filter:ident, $tail:literal) => {
        paged!(
            $window,
            $db,
            TicketRow,
            r#"select ticket_uuid as "ticket_uuid!", partner_uuid as "partner_uuid!", company_name as "company_name!",
                   subject as "subject!", topic as "topic!", app_uuid, app_slug, state as "state!",
                   state_changed_at as "state_changed_at!", priority as "priority!", urgency as "urgency!", assignee_uuid,
                   assignee_name, opened_by as "opened_by!", opened_by_name, messages_count as "messages_count!",
                   last_message_at as "last_message_at!", waiting_since,
                   created_at as "created_at!", updated_at as "updated_at!"
              from support_desk_shown
             where ($4::text[] is null or state = any($4)) and ($5::text[] is null or priority = any($5))
               and ($6::text[] is null or topic = any($6)) and ($7::uuid[] is null or assignee_uuid = any($7))
               and ($8::boolean is null or (assignee_uuid is not null) = $8)
               and ($9::uuid[] is null or partner_uuid = any($9))
               and ($10::text is null or strpos(lower(subject), lower($10)) > 0
                   or strpos(lower(company_name), lower($10)) > 0)
               and ($11::timestamptz is null or created_at >= $11) and ($12::timestamptz is null or created_at < $12)"#
                + $tail,
            $window.key::<i16>(0)?,
            $window.key::<Time>(1)? as Option<Time>,
            $window.key::<Uuid>(2)?,
            $filter.state.as_deref(),
            $filter.priority.as_deref(),
            $filter.topic.as_deref(),
            $filter.assignee_uuid.as_deref(),
            $filter.assigned,
            $filter.partner_uuid.as_deref(),
            $filter.q,
            $filter.created_at_from as Option<Time>,
            $filter.created_at_until as Option<Time>,
        )
    };
}

/// A page of the queue.
pub(super) async fn page(db: &Db, filter: &Filter, order: Order, window: &Window) -> Result<Vec<TicketRow>, Fault> {
    Ok(match order {
        Order::Queue => tickets!(window, db, filter, "
            and (urgency, created_at, ticket_uuid) > (coalesce($1, (-1)::smallint), coalesce($2, '-infinity'::timestamptz), coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid))
          order by urgency, created_at, ticket_uuid"),
        Order::OldestFirst => tickets!(window, db, filter, "
            and $1::smallint is not distinct from $1
            and (created_at, ticket_uuid) > (coalesce($2, '-infinity'::timestamptz), coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid))
          order by created_at, ticket_uuid"),
        Order::NewestFirst => tickets!(window, db, filter, "
            and $1::smallint is not distinct from $1
            and (created_at, ticket_uuid) < (coalesce($2, 'infinity'::timestamptz), coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by created_at desc, ticket_uuid desc"),
    }?)
}

/// How many tickets the filter finds.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from support_desk_shown
            where ($1::text[] is null or state = any($1)) and ($2::text[] is null or priority = any($2))
              and ($3::text[] is null or topic = any($3)) and ($4::uuid[] is null or assignee_uuid = any($4))
              and ($5::boolean is null or (assignee_uuid is not null) = $5)
              and ($6::uuid[] is null or partner_uuid = any($6))
              and ($7::text is null or strpos(lower(subject), lower($7)) > 0
                  or strpos(lower(company_name), lower($7)) > 0)
              and ($8::timestamptz is null or created_at >= $8) and ($9::timestamptz is null or created_at < $9)"#,
        filter.state.as_deref(),
        filter.priority.as_deref(),
        filter.topic.as_deref(),
        filter.assignee_uuid.as_deref(),
        filter.assigned,
        filter.partner_uuid.as_deref(),
        filter.q,
        filter.created_at_from as Option<Time>,
        filter.created_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A ticket.
pub(super) async fn get(db: &Db, ticket_uuid: Uuid) -> Result<Option<TicketRow>, Fault> {
    Ok(sqlx::query_as!(
        TicketRow,
        r#"select ticket_uuid as "ticket_uuid!", partner_uuid as "partner_uuid!", company_name as "company_name!",
                  subject as "subject!", topic as "topic!", app_uuid, app_slug, state as "state!",
                  state_changed_at as "state_changed_at!", priority as "priority!", urgency as "urgency!", assignee_uuid,
                  assignee_name, opened_by as "opened_by!", opened_by_name, messages_count as "messages_count!",
                  last_message_at as "last_message_at!", waiting_since,
                  created_at as "created_at!", updated_at as "updated_at!"
             from support_desk_shown
            where ticket_uuid = $1"#,
        ticket_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A message or a note.
pub(super) struct EntryRow {
    pub(super) entry_uuid: Uuid,
    /// Which side wrote it; of a note, the support.
    pub(super) side: String,
    pub(super) author_uuid: Uuid,
    pub(super) author_name: Option<String>,
    pub(super) body: String,
    pub(super) created_at: Time,
}

/// What both sides wrote in a ticket, the first first.
pub(super) async fn messages(db: &Db, ticket_uuid: Uuid) -> Result<Vec<EntryRow>, Fault> {
    Ok(sqlx::query_as!(
        EntryRow,
        r#"select m.message_uuid as entry_uuid, m.side, m.author_uuid, coalesce(p.name, c.name) as author_name, m.body,
                  m.created_at
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

/// What the desk noted for itself about a ticket, the first first.
pub(super) async fn notes(db: &Db, ticket_uuid: Uuid) -> Result<Vec<EntryRow>, Fault> {
    Ok(sqlx::query_as!(
        EntryRow,
        r#"select n.note_uuid as entry_uuid, 'SUPPORT' as "side!", n.author_uuid,
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

/// A ticket held for a change.
pub(super) struct HeldRow {
    pub(super) partner_uuid: Uuid,
    pub(super) company_name: String,
    pub(super) subject: String,
    pub(super) state: String,
    pub(super) priority: String,
    pub(super) messages_count: i32,
    pub(super) notes_count: i32,
    pub(super) opened_by: Uuid,
    pub(super) assignee_uuid: Option<Uuid>,
}

/// Holds a ticket until the transaction ends.
pub(super) async fn lock(db: &Db, ticket_uuid: Uuid) -> Result<Option<HeldRow>, Fault> {
    Ok(sqlx::query_as!(
        HeldRow,
        r#"select t.partner_uuid, partner.company_name, t.subject, t.state, t.priority, t.messages_count,
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

/// Whether a partner was erased. It is asked once a ticket is held: an erasure takes the tickets after the partner, so
/// whatever is written before is taken away by it.
pub(super) async fn is_erased(db: &Db, partner_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from partner where partner_uuid = $1 and state = 'ERASED') as "is_erased!""#,
        partner_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Notes something about a ticket that is held.
pub(super) async fn note_insert(
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

/// Gives a ticket that is held another priority.
pub(super) async fn set_priority(db: &Db, ticket_uuid: Uuid, priority: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update support_ticket set priority = $2, updated_at = labs_now() where ticket_uuid = $1",
        ticket_uuid,
        priority
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Gives a ticket that is held to somebody, or to nobody.
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

/// Whether somebody of the staff can sign in and holds one of these scopes.
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
