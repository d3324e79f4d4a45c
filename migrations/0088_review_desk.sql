-- Review queue: whose turn a submission is and its due date, the history of a finding, one thread of messages about a
-- version from both sides, and the state to which a suspended app returns.
set lock_timeout = '10s';

alter table app add column former_state text;
update app set former_state = 'LISTED' where state = 'SUSPENDED';
alter table app add constraint app_former_state_check
    check (former_state in ('LISTED', 'UNLISTED') and (state <> 'SUSPENDED' or former_state is not null));

-- `queued_at` is the position in the queue: a resubmission and a replacement keep the former one's. `waiting_on` is
-- null if neither side has to act. While the submission waits for the partner, `due_left_seconds` contains the time
-- left until the due date. `asks_more` states that it requests permissions that the published version does not have.
alter table submission
    add column queued_at timestamptz not null default labs_now(),
    add column waiting_on text constraint submission_waiting_on_check check (waiting_on in ('PARTNER', 'REVIEWERS')),
    add column waiting_since timestamptz,
    add column due_at timestamptz,
    add column due_left_seconds bigint,
    add column reminders integer not null default 0,
    add column asks_more boolean not null default false;

-- Three business days after the submission, Monday to Friday in UTC. A submission on a weekend counts from Monday.
create function three_business_days(handed_in timestamptz) returns timestamptz language sql as $$
    with begun as (
        select case extract(isodow from at_utc)
                   when 6 then date_trunc('day', at_utc) + interval '2 days'
                   when 7 then date_trunc('day', at_utc) + interval '1 day'
                   else at_utc
               end as at_utc
        from (select handed_in at time zone 'UTC' as at_utc) as handed
    )
    select (at_utc + case when extract(isodow from at_utc) <= 2 then interval '3 days' else interval '5 days' end)
               at time zone 'UTC'
    from begun
$$;

update submission set queued_at = submitted_at;
update submission set waiting_on = 'REVIEWERS', waiting_since = submitted_at,
    due_at = three_business_days(submitted_at)
where state in ('SUBMITTED', 'IN_REVIEW');
update submission as s set waiting_on = 'PARTNER', waiting_since = s.decided_at, due_left_seconds = 86400
from app_version as v
where v.version_uuid = s.version_uuid and v.state = 'CHANGES_REQUESTED' and s.state = 'CHANGES_REQUESTED'
    and not exists (
        select from submission as later
        where later.version_uuid = s.version_uuid
            and (later.submitted_at, later.submission_uuid) > (s.submitted_at, s.submission_uuid));

drop function three_business_days(timestamptz);

-- The queue is read in the order of its positions.
create index submission_queued_at_idx on submission (queued_at, submission_uuid);
create index submission_state_queued_at_idx on submission (state, queued_at, submission_uuid);
create index submission_reviewer_queued_at_idx on submission (reviewer_uuid, queued_at, submission_uuid);
create index submission_due_at_idx on submission (due_at) where waiting_on = 'REVIEWERS';
create index submission_silent_idx on submission (waiting_since) where waiting_on = 'PARTNER';

insert into service_setting (key, value) values ('marketplace.review_promise_days', '3');

-- `place` is the location of the finding, a path into the submission; null in older findings. A finding that an appeal
-- disproved is withdrawn.
alter table submission_finding
    add column place text constraint submission_finding_place_check check (place ~ '^/' and length(place) <= 300),
    add column observed text constraint submission_finding_observed_check check (length(observed) <= 2000),
    add column why_now text constraint submission_finding_why_now_check check (length(why_now) <= 2000),
    add column withdrawn_at timestamptz;

-- Findings of the reviewers in a version, each with its state: `NEW`, `STILL_THERE` if several reviews named it,
-- `MENDED` or `WITHDRAWN`.
create view version_finding as
select o.version_uuid, o.submission_uuid, o.submitted_at, f.finding_uuid, f.requirement_code, f.text, f.place, f.observed,
    f.why_now, f.resolved, f.position, case
        when f.withdrawn_at is not null then 'WITHDRAWN'
        when f.resolved then 'MENDED'
        when exists (
            select
            from submission as other
            join submission_finding as named on named.submission_uuid = other.submission_uuid
            where other.version_uuid = o.version_uuid and other.submission_uuid <> o.submission_uuid
                and named.requirement_code = f.requirement_code and named.place is not distinct from f.place)
            then 'STILL_THERE'
        else 'NEW'
    end as status
from submission_finding as f
join submission as o on o.submission_uuid = f.submission_uuid;

-- All messages about a version from both sides, in one order: comments with each submission, messages, notes that the
-- partner never sees, and decisions with their findings.
alter table review_message
    add column version_uuid uuid constraint review_message_version_fkey references app_version on delete cascade,
    add column kind text not null default 'MESSAGE' constraint review_message_kind_check
        check (kind in ('SUBMISSION', 'MESSAGE', 'NOTE', 'DECISION')),
    add column decision text constraint review_message_decision_check
        check (decision in ('APPROVED', 'CHANGES_REQUESTED', 'REJECTED', 'WITHDRAWN')),
    alter column body drop not null,
    add constraint review_message_said_check check (kind in ('SUBMISSION', 'DECISION') or body is not null),
    add constraint review_message_decided_check check ((kind = 'DECISION') = (decision is not null)),
    add constraint review_message_note_check check ((kind = 'NOTE') = internal);
update review_message as m set version_uuid = s.version_uuid from submission as s
where s.submission_uuid = m.submission_uuid;
alter table review_message alter column version_uuid set not null;
create index review_message_version_idx on review_message (version_uuid, created_at, message_uuid);

insert into review_message (message_uuid, submission_uuid, version_uuid, kind, author_kind, author_uuid, body, created_at)
select labs_uuid(), s.submission_uuid, s.version_uuid, 'SUBMISSION',
    case when exists (select from machine_client as c where c.client_uuid = s.submitted_by)
        then 'MACHINE_CLIENT' else 'PARTNER_USER' end,
    s.submitted_by, coalesce(s.appeal_text, nullif(s.snapshot ->> 'note', '')), s.submitted_at
from submission as s;
insert into review_message (message_uuid, submission_uuid, version_uuid, kind, author_kind, author_uuid, body, decision,
    created_at)
select labs_uuid(), s.submission_uuid, s.version_uuid, 'DECISION', 'STAFF_USER', s.reviewer_uuid, s.decision_note,
    s.state, s.decided_at
from submission as s
where s.state in ('APPROVED', 'CHANGES_REQUESTED', 'REJECTED');

-- Position up to which a user has read the thread of a version.
create table review_thread_read (
    version_uuid uuid not null constraint review_thread_read_version_fkey references app_version on delete cascade,
    person_uuid uuid not null constraint review_thread_read_person_fkey references person on delete cascade,
    read_until timestamptz not null,
    constraint review_thread_read_pkey primary key (version_uuid, person_uuid)
);
create index review_thread_read_person_idx on review_thread_read (person_uuid);

grant select, insert, update, delete on review_thread_read to labs_service;
grant select on version_finding to labs_service;

-- The history of an app contains the reason why staff suspended its listing.
create or replace function history_anonymised(of_partner uuid) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$
    begin
        if not exists (select from public.partner where partner_uuid = of_partner and state = 'ERASED') then
            raise insufficient_privilege using message = 'only what belongs to an erased partner is made anonymous';
        end if;
        update public.partner_event set reason = null where partner_uuid = of_partner and reason is not null;
        update public.subscription_event set reason = null where partner_uuid = of_partner and reason is not null;
        update public.app_event as e set detail = e.detail - 'reason'
        from public.app as a
        where a.partner_uuid = of_partner and e.app_uuid = a.app_uuid and e.detail ? 'reason';
    end $$;

reset lock_timeout;
