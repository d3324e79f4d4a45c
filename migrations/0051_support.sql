-- Support tickets: the partner's questions and the answers of the support staff. Internal notes are in a separate
-- table, which no statement of the partner's side names.
set lock_timeout = '10s';

create table support_ticket (
    ticket_uuid uuid constraint support_ticket_pkey primary key,
    partner_uuid uuid not null constraint support_ticket_partner_fkey references partner,
    subject text not null constraint support_ticket_subject_check check (length(subject) between 1 and 200),
    topic text not null constraint support_ticket_topic_check
        check (topic in ('ACCOUNT', 'TEAM', 'SUBSCRIPTION', 'APP', 'REVIEW', 'API', 'STATISTICS', 'OTHER')),
    app_uuid uuid constraint support_ticket_app_fkey references app on delete set null,
    state text not null default 'OPEN' constraint support_ticket_state_check
        check (state in ('OPEN', 'WAITING_ON_PARTNER', 'RESOLVED', 'CLOSED')),
    state_changed_at timestamptz not null default labs_now(),
    priority text not null default 'NORMAL' constraint support_ticket_priority_check
        check (priority in ('LOW', 'NORMAL', 'HIGH', 'URGENT')),
    -- Order of the support queue: smaller values first.
    urgency smallint not null generated always as
        (case priority when 'URGENT' then 0 when 'HIGH' then 1 when 'NORMAL' then 2 else 3 end) stored,
    -- A team member or a machine client of the partner; the row that it names may be deleted.
    opened_by_kind text not null constraint support_ticket_opened_by_kind_check
        check (opened_by_kind in ('PARTNER_USER', 'MACHINE_CLIENT')),
    opened_by uuid not null,
    assignee_uuid uuid constraint support_ticket_assignee_fkey references person on delete set null,
    -- Time since when the partner has been waiting for support; null if it is not waiting.
    waiting_since timestamptz default labs_now(),
    messages_count integer not null default 0,
    last_message_at timestamptz not null default labs_now(),
    created_at timestamptz not null default labs_now(),
    -- For support only: actions that the partner does not see also update it.
    updated_at timestamptz not null default labs_now(),
    constraint support_ticket_waiting_check check ((state = 'OPEN') = (waiting_since is not null))
);
create index support_ticket_partner_idx on support_ticket (partner_uuid, created_at desc, ticket_uuid desc);
create index support_ticket_last_message_idx on support_ticket (partner_uuid, last_message_at desc, ticket_uuid desc);
create index support_ticket_queue_idx on support_ticket (urgency, created_at, ticket_uuid);
create index support_ticket_created_at_idx on support_ticket (created_at desc, ticket_uuid desc);
create index support_ticket_assignee_idx on support_ticket (assignee_uuid) where assignee_uuid is not null;
create index support_ticket_app_idx on support_ticket (app_uuid) where app_uuid is not null;

-- Messages between the partner and support.
create table support_message (
    message_uuid uuid constraint support_message_pkey primary key,
    ticket_uuid uuid not null constraint support_message_ticket_fkey references support_ticket on delete cascade,
    side text not null constraint support_message_side_check check (side in ('PARTNER', 'SUPPORT')),
    author_uuid uuid not null,
    body text not null constraint support_message_body_check check (length(body) between 1 and 10000),
    created_at timestamptz not null default labs_now()
);
create index support_message_ticket_idx on support_message (ticket_uuid, created_at, message_uuid);

-- Internal notes of support.
create table support_note (
    note_uuid uuid constraint support_note_pkey primary key,
    ticket_uuid uuid not null constraint support_note_ticket_fkey references support_ticket on delete cascade,
    author_uuid uuid not null,
    body text not null constraint support_note_body_check check (length(body) between 1 and 10000),
    created_at timestamptz not null default labs_now()
);
create index support_note_ticket_idx on support_note (ticket_uuid, created_at, note_uuid);

-- A ticket as its partner sees it.
create view support_ticket_shown as
select
    t.ticket_uuid, t.partner_uuid, t.subject, t.topic, t.app_uuid, a.slug as app_slug, t.state, t.state_changed_at,
    t.priority, t.opened_by_kind, t.opened_by, coalesce(p.name, c.name) as opened_by_name, t.messages_count,
    t.last_message_at, t.created_at
from support_ticket as t
left join app as a on a.app_uuid = t.app_uuid
left join person as p on p.person_uuid = t.opened_by and p.partner_uuid = t.partner_uuid
left join machine_client as c on c.client_uuid = t.opened_by and c.partner_uuid = t.partner_uuid;

-- A ticket as support sees it.
create view support_desk_shown as
select
    t.ticket_uuid, t.partner_uuid, o.company_name, t.subject, t.topic, t.app_uuid, a.slug as app_slug, t.state,
    t.state_changed_at, t.priority, t.urgency, t.opened_by_kind, t.opened_by, coalesce(p.name, c.name) as opened_by_name,
    t.assignee_uuid, s.name as assignee_name, t.waiting_since, t.messages_count, t.last_message_at, t.created_at,
    t.updated_at
from support_ticket as t
join partner as o on o.partner_uuid = t.partner_uuid
left join app as a on a.app_uuid = t.app_uuid
left join person as p on p.person_uuid = t.opened_by
left join machine_client as c on c.client_uuid = t.opened_by
left join person as s on s.person_uuid = t.assignee_uuid;

call audit_watch('support_ticket', 'ticket_uuid');
call audit_watch('support_message', 'ticket_uuid');
call audit_watch('support_note', 'ticket_uuid');

grant select, insert, update on support_ticket to labs_service;
grant select, insert on support_message, support_note to labs_service;
grant select on support_ticket_shown, support_desk_shown to labs_service;

reset lock_timeout;
