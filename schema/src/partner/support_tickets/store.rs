//! Every statement about a partner's tickets, and those that both sides run.

use serde_json::json;
use uuid::Uuid;

use crate::auth::people::Addressee;
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::principal::Owner;
use crate::time::Time;

/// A ticket as its partner is shown it.
pub(super) struct TicketRow {
    pub(super) ticket_uuid: Uuid,
    pub(super) subject: String,
    pub(super) topic: String,
    pub(super) app_uuid: Option<Uuid>,
    pub(super) app_slug: Option<String>,
    pub(super) state: String,
    pub(super) state_changed_at: Time,
    pub(super) priority: String,
    pub(super) opened_by: Uuid,
    pub(super) opened_by_name: Option<String>,
    pub(super) messages_count: i32,
    pub(super) last_message_at: Time,
    pub(super) created_at: Time,
}

/// What the list is narrowed to.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) state: Option<Vec<String>>,
    pub(super) topic: Option<Vec<String>>,
    pub(super) app_uuid: Option<Vec<Uuid>>,
    pub(super) q: Option<String>,
}

/// In which order tickets come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    NewestFirst,
    OldestFirst,
    ByLastMessage,
}

impl TicketRow {
    /// The cursor's keys under this order.
    pub(super) fn keys(&self, order: Order) -> Keys {
        let first = if order == Order::ByLastMessage { self.last_message_at } else { self.created_at };
        vec![json!(first), json!(self.ticket_uuid)]
    }
}

macro_rules! tickets {
    ($window:ident, $db:ident, $owner:ident, $filter:ident, $tail:literal) => {
        paged!(
            $window,
            $db,
            TicketRow,
            r#"select ticket_uuid as "ticket_uuid!", subject as "subject!", topic as "topic!", app_uuid, app_slug,
                   state as "state!", state_changed_at as "state_changed_at!", priority as "priority!",
                   opened_by as "opened_by!", opened_by_name, messages_count as "messages_count!",
                   last_message_at as "last_message_at!", created_at as "created_at!"
              from support_ticket_shown
             where partner_uuid = $1 and ($2::text[] is null or state = any($2))
               and ($3::text[] is null or topic = any($3)) and ($4::uuid[] is null or app_uuid = any($4))
               and ($5::text is null or strpos(lower(subject), lower($5)) > 0)"#
                + $tail,
            $owner.uuid(),
            $filter.state.as_deref(),
            $filter.topic.as_deref(),
            $filter.app_uuid.as_deref(),
            $filter.q,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
        )
    };
}

/// A page of a partner's tickets.
pub(super) async fn page(
    db: &Db,
    owner: Owner,
    filter: &Filter,
    order: Order,
    window: &Window,
) -> Result<Vec<TicketRow>, Fault> {
    Ok(match order {
        Order::NewestFirst => tickets!(window, db, owner, filter, "
            and (created_at, ticket_uuid) < (coalesce($6, 'infinity'::timestamptz), coalesce($7, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by created_at desc, ticket_uuid desc"),
        Order::OldestFirst => tickets!(window, db, owner, filter, "
            and (created_at, ticket_uuid) > (coalesce($6, '-infinity'::timestamptz), coalesce($7, '00000000-0000-0000-0000-000000000000'::uuid))
          order by created_at, ticket_uuid"),
        Order::ByLastMessage => tickets!(window, db, owner, filter, "
            and (last_message_at, ticket_uuid) < (coalesce($6, 'infinity'::timestamptz), coalesce($7, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by last_message_at desc, ticket_uuid desc"),
    }?)
}

/// One of a partner's tickets.
pub(super) async fn get(db: &Db, owner: Owner, ticket_uuid: Uuid) -> Result<Option<TicketRow>, Fault> {
    Ok(sqlx::query_as!(
        TicketRow,
        r#"select ticket_uuid as "ticket_uuid!", subject as "subject!", topic as "topic!", app_uuid, app_slug,
                  state as "state!", state_changed_at as "state_changed_at!", priority as "priority!",
                  opened_by as "opened_by!", opened_by_name, messages_count as "messages_count!",
                  last_message_at as "last_message_at!", created_at as "created_at!"
             from support_ticket_shown
            where partner_uuid = $1 and ticket_uuid = $2"#,
        owner.uuid(),
        ticket_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// What one side wrote to the other.
pub(super) struct MessageRow {
    pub(super) message_uuid: Uuid,
    pub(super) side: String,
    pub(super) author_uuid: Uuid,
    pub(super) author_name: Option<String>,
    pub(super) body: String,
    pub(super) created_at: Time,
}

/// What was written in one of a partner's tickets, the first first. Of names it knows the partner's own.
pub(super) async fn messages(db: &Db, owner: Owner, ticket_uuid: Uuid) -> Result<Vec<MessageRow>, Fault> {
    Ok(sqlx::query_as!(
        MessageRow,
        r#"select m.message_uuid, m.side, m.author_uuid, coalesce(p.name, c.name) as author_name, m.body, m.created_at
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

/// Holds a partner until the transaction ends, so that tickets that are opened at the same time count one another.
/// Answers the company's name, and whether its tickets are answered first.
pub(super) async fn partner_lock(db: &Db, owner: Owner) -> Result<(String, bool), Fault> {
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

/// How many of a partner's tickets wait for one side or the other.
pub(super) async fn open_count(db: &Db, owner: Owner) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from support_ticket
            where partner_uuid = $1 and state in ('OPEN', 'WAITING_ON_PARTNER')"#,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Whether an app is the partner's own.
pub(super) async fn owns_app(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from app where app_uuid = $2 and partner_uuid = $1) as "owns!""#,
        owner.uuid(),
        app_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// What a ticket is made of.
pub(super) struct NewTicket<'a> {
    pub(super) ticket_uuid: Uuid,
    pub(super) subject: &'a str,
    pub(super) topic: &'a str,
    pub(super) app_uuid: Option<Uuid>,
    pub(super) priority: &'a str,
    pub(super) opened_by_kind: &'a str,
    pub(super) opened_by: Uuid,
}

/// Makes a ticket, with nothing written in it yet.
pub(super) async fn insert(db: &Db, owner: Owner, new: &NewTicket<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into support_ticket
             (ticket_uuid, partner_uuid, subject, topic, app_uuid, priority, opened_by_kind, opened_by)
         values ($2, $1, $3, $4, $5, $6, $7, $8)",
        owner.uuid(),
        new.ticket_uuid,
        new.subject,
        new.topic,
        new.app_uuid,
        new.priority,
        new.opened_by_kind,
        new.opened_by,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// A ticket of the partner's, held for a change.
pub(super) struct HeldRow {
    pub(super) subject: String,
    pub(super) state: String,
    pub(super) messages_count: i32,
    pub(super) opened_by: Uuid,
    pub(super) assignee_uuid: Option<Uuid>,
    pub(super) company_name: String,
}

/// Holds one of a partner's tickets until the transaction ends.
pub(super) async fn lock(db: &Db, owner: Owner, ticket_uuid: Uuid) -> Result<Option<HeldRow>, Fault> {
    Ok(sqlx::query_as!(
        HeldRow,
        "select t.subject, t.state, t.messages_count, t.opened_by, t.assignee_uuid, partner.company_name
           from support_ticket as t join partner using (partner_uuid)
          where partner_uuid = $1 and t.ticket_uuid = $2
            for no key update of t",
        owner.uuid(),
        ticket_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Something that is written into a ticket.
pub(in crate::partner) struct Message<'a> {
    pub(in crate::partner) message_uuid: Uuid,
    pub(in crate::partner) ticket_uuid: Uuid,
    pub(in crate::partner) side: &'static str,
    pub(in crate::partner) author_uuid: Uuid,
    pub(in crate::partner) body: &'a str,
}

/// Writes into a ticket that is held, and answers when.
pub(in crate::partner) async fn message_insert(db: &Db, message: &Message<'_>) -> Result<Time, Fault> {
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
        message.side,
        message.author_uuid,
        message.body,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Gives a ticket that is held another state. Whoever waits already waits on.
pub(in crate::partner) async fn set_state(db: &Db, ticket_uuid: Uuid, state: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update support_ticket
            set state = $2, state_changed_at = labs_now(), updated_at = labs_now(),
                waiting_since = case when $2 = 'OPEN' then labs_now() end
          where ticket_uuid = $1 and state <> $2",
        ticket_uuid,
        state
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// To whom of a partner's team a mail about a ticket goes: to whoever opened it, or to the administrators when that was
/// a program or somebody who is not active any more.
pub(super) async fn team_addressees(db: &Db, partner_uuid: Uuid, opened_by: Uuid) -> Result<Vec<Addressee>, Fault> {
    Ok(sqlx::query_as!(
        Addressee,
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

/// Somebody of the desk, as a mail needs to know them; `None` for whoever cannot sign in.
pub(super) async fn colleague_get(db: &Db, person_uuid: Uuid) -> Result<Option<Addressee>, Fault> {
    Ok(sqlx::query_as!(
        Addressee,
        r#"select person_uuid as "person_uuid?", partner_uuid, email, name, locale from person
            where person_uuid = $1 and kind = 'STAFF_USER' and state = 'ACTIVE'"#,
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// The desk's own address, if the operator has set one.
pub(super) async fn desk_email_get(db: &Db) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select value #>> '{}' from service_setting where key = 'support_desk_email'")
        .fetch_optional(&mut *db.conn().await?)
        .await?
        .flatten())
}
