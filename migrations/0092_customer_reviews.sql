-- Customer reviews. A review belongs to one customer and one app and has texts: one is shown, one may wait for a
-- moderator, and former ones are kept for staff. The customer is known only by a keyed hash; the key is outside the
-- database.
set lock_timeout = '10s';

-- A text as the customer submitted it; it never changes. The review states whether it is shown or pending.
create table customer_review_text (
    text_uuid uuid constraint customer_review_text_pkey primary key,
    review_uuid uuid not null constraint customer_review_text_review_fkey references customer_review on delete cascade,
    rating integer not null constraint customer_review_text_rating_check check (rating between 1 and 5),
    title text,
    body text,
    locale text not null,
    version_number text,
    rejected_because text constraint customer_review_text_rejected_because_check
        check (rejected_because ~ '^[A-Z][A-Z_]*$'),
    decision_note text,
    decided_at timestamptz,
    created_at timestamptz not null default labs_now(),
    constraint customer_review_text_decided_check check (rejected_because is null or decided_at is not null)
);
create index customer_review_text_review_idx on customer_review_text (review_uuid, created_at desc, text_uuid desc);

-- Public replies of the partner. The current reply has no end time.
create table customer_review_reply (
    reply_uuid uuid constraint customer_review_reply_pkey primary key,
    review_uuid uuid not null constraint customer_review_reply_review_fkey references customer_review on delete cascade,
    text_uuid uuid not null,
    body text not null constraint customer_review_reply_body_check check (length(body) between 1 and 2000),
    author_kind text not null constraint customer_review_reply_author_kind_check
        check (author_kind in ('PARTNER_USER', 'MACHINE_CLIENT')),
    author_uuid uuid,
    created_at timestamptz not null default labs_now(),
    ended_at timestamptz
);
create index customer_review_reply_review_idx on customer_review_reply (review_uuid, created_at desc, reply_uuid desc);
comment on column customer_review_reply.text_uuid is 'The text that was shown when it was written.';

-- Flags of the partner. A review has at most one open flag.
create table customer_review_flag (
    flag_uuid uuid constraint customer_review_flag_pkey primary key,
    review_uuid uuid not null constraint customer_review_flag_review_fkey references customer_review on delete cascade,
    text_uuid uuid not null,
    reason text not null constraint customer_review_flag_reason_check check (reason ~ '^[A-Z][A-Z_]*$'),
    note text,
    outcome text not null default 'OPEN' constraint customer_review_flag_outcome_check
        check (outcome in ('OPEN', 'UPHELD', 'DISMISSED')),
    author_kind text not null constraint customer_review_flag_author_kind_check
        check (author_kind in ('PARTNER_USER', 'MACHINE_CLIENT')),
    author_uuid uuid,
    flagged_at timestamptz not null default labs_now(),
    decided_at timestamptz,
    constraint customer_review_flag_decided_check check ((outcome = 'OPEN') = (decided_at is null))
);
create unique index customer_review_flag_open_key on customer_review_flag (review_uuid) where outcome = 'OPEN';
create index customer_review_flag_review_idx on customer_review_flag (review_uuid, flagged_at desc, flag_uuid desc);
comment on column customer_review_flag.text_uuid is 'The text that is or was to be looked at: a newer one, where the customer replaced it meanwhile.';

-- Reports of customers. Each customer counts once.
create table customer_review_report (
    review_uuid uuid not null constraint customer_review_report_review_fkey references customer_review on delete cascade,
    reporter_sha256 bytea not null constraint customer_review_report_reporter_check
        check (octet_length(reporter_sha256) = 32),
    text_uuid uuid not null,
    reason text not null constraint customer_review_report_reason_check check (reason ~ '^[A-Z][A-Z_]*$'),
    note text,
    outcome text not null default 'OPEN' constraint customer_review_report_outcome_check
        check (outcome in ('OPEN', 'UPHELD', 'DISMISSED')),
    reported_at timestamptz not null default labs_now(),
    decided_at timestamptz,
    constraint customer_review_report_pkey primary key (review_uuid, reporter_sha256),
    constraint customer_review_report_decided_check check ((outcome = 'OPEN') = (decided_at is null))
);
create index customer_review_report_review_idx on customer_review_report (review_uuid, reported_at desc);

insert into customer_review_text
    (text_uuid, review_uuid, rating, title, body, locale, version_number, rejected_because, decision_note, decided_at,
     created_at)
select labs_uuid(), review_uuid, rating, title, body, coalesce(locale, 'en'), version_number,
    case when state = 'REJECTED' then 'OTHER' end, case when state = 'REJECTED' then moderation_reason end,
    case when state = 'REJECTED' then coalesce(moderated_at, updated_at) else moderated_at end, created_at
from customer_review;

alter table customer_review
    add column customer_sha256 bytea
        constraint customer_review_customer_check check (octet_length(customer_sha256) = 32),
    add column shown_text_uuid uuid constraint customer_review_shown_fkey references customer_review_text,
    add column waiting_text_uuid uuid constraint customer_review_waiting_fkey references customer_review_text,
    add column rejected_text_uuid uuid constraint customer_review_rejected_fkey references customer_review_text,
    add column reply_uuid uuid constraint customer_review_reply_fkey references customer_review_reply,
    add column written_at timestamptz,
    add column waiting_since timestamptz,
    add column reported_at timestamptz,
    alter column rating drop not null;

insert into customer_review_reply (reply_uuid, review_uuid, text_uuid, body, author_kind, author_uuid, created_at)
select labs_uuid(), r.review_uuid, t.text_uuid, r.reply_body, 'PARTNER_USER', r.reply_by, r.replied_at
from customer_review as r join customer_review_text as t using (review_uuid)
where r.reply_body <> '';

insert into customer_review_flag
    (flag_uuid, review_uuid, text_uuid, reason, note, outcome, author_kind, flagged_at, decided_at)
select labs_uuid(), r.review_uuid, t.text_uuid, 'OTHER', r.flag_reason,
    case when r.state = 'PUBLISHED' then 'OPEN' else 'UPHELD' end, 'PARTNER_USER', r.flagged_at,
    case when r.state <> 'PUBLISHED' then coalesce(r.moderated_at, r.updated_at) end
from customer_review as r join customer_review_text as t using (review_uuid)
where r.flagged_at is not null;

update customer_review as r
set shown_text_uuid = case when r.state = 'PUBLISHED' then t.text_uuid end,
    waiting_text_uuid = case when r.state = 'PENDING' then t.text_uuid end,
    rejected_text_uuid = case when r.state = 'REJECTED' then t.text_uuid end,
    reply_uuid = (select y.reply_uuid from customer_review_reply as y where y.review_uuid = r.review_uuid),
    rating = case when r.state = 'PUBLISHED' then r.rating end,
    locale = case when r.state = 'PUBLISHED' then t.locale end,
    version_number = case when r.state = 'PUBLISHED' then r.version_number end,
    written_at = case when r.state = 'PUBLISHED' then r.created_at end,
    waiting_since = case when r.state = 'PENDING' then r.created_at end,
    flagged_at = case when r.state = 'PUBLISHED' then r.flagged_at end,
    reports = 0
from customer_review_text as t
where t.review_uuid = r.review_uuid;

-- No operation has written a reference yet, so none is kept.
drop index customer_review_app_idx, customer_review_state_idx;
alter table customer_review
    drop column customer_reference,
    drop column title,
    drop column body,
    drop column moderation_reason,
    drop column flag_reason,
    drop column last_reported_at,
    drop column reply_body,
    drop column reply_by,
    drop column replied_at,
    add constraint customer_review_customer_key unique (app_uuid, customer_sha256),
    add constraint customer_review_texts_check check (case state
        when 'PUBLISHED' then shown_text_uuid is not null and rejected_text_uuid is null
        when 'PENDING' then shown_text_uuid is null and waiting_text_uuid is not null and rejected_text_uuid is null
        else shown_text_uuid is null and waiting_text_uuid is null end),
    add constraint customer_review_shown_check check (num_nonnulls(shown_text_uuid, rating, locale, written_at) in (0, 4)),
    add constraint customer_review_waiting_check check ((waiting_text_uuid is null) = (waiting_since is null)),
    add constraint customer_review_reported_check check ((reports = 0) = (reported_at is null)),
    -- Order of moderation: a pending text, then flags of the partner, then reports of customers.
    add column priority integer not null generated always as (case
        when waiting_text_uuid is not null then 1 when flagged_at is not null then 2 when reports > 0 then 3 else 4
    end) stored,
    add column queued_at timestamptz not null generated always as
        (coalesce(waiting_since, flagged_at, reported_at, created_at)) stored;
comment on column customer_review.customer_sha256 is 'Who it is of: an HMAC of app and reference. Null once it was erased.';
comment on column customer_review.rating is 'Rating, locale, version and time of the text that is shown.';

create unique index customer_review_shown_key on customer_review (shown_text_uuid) where shown_text_uuid is not null;
create unique index customer_review_waiting_key on customer_review (waiting_text_uuid) where waiting_text_uuid is not null;
create unique index customer_review_rejected_key on customer_review (rejected_text_uuid)
    where rejected_text_uuid is not null;
create unique index customer_review_reply_key on customer_review (reply_uuid) where reply_uuid is not null;
create index customer_review_written_idx on customer_review (app_uuid, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_best_idx on customer_review (app_uuid, rating desc, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_worst_idx on customer_review (app_uuid, rating, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_queue_idx on customer_review (priority, queued_at, review_uuid);
create index customer_review_app_idx on customer_review (app_uuid, priority, queued_at, review_uuid);

-- Rating mean weighted by the number of reviews: as if five customers had given 3.5 stars before the first one, so that
-- a single review of five stars is not first. In millionths, so that the comparison is exact; 0 without a review.
alter table listing add column rating_score bigint not null generated always as (case
    when rating_count = 0 then 0
    else (2 * rating_sum + 35) * 1000000 / (2 * (rating_count + 5))
end) stored;
drop index listing_rating_idx;
create index listing_rating_idx on listing (rating_score desc, rating_count desc, app_uuid desc) where visible;

-- Reviews as moderators see them: with their texts, replies, flags and reports.
create view customer_review_moderated as
select
    r.review_uuid, r.app_uuid, a.partner_uuid, r.state, r.priority, r.queued_at, r.flagged_at, r.reports, r.moderated_at,
    r.created_at, r.updated_at, r.shown_text_uuid, r.waiting_text_uuid, r.rejected_text_uuid,
    coalesce((select w.name from app_translation as w
               where w.app_uuid = r.app_uuid and w.locale = a.default_locale), a.slug) as app_name,
    (select p.company_name from partner as p where p.partner_uuid = a.partner_uuid) as partner_name,
    (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.shown_text_uuid) as shown,
    (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.waiting_text_uuid) as waiting,
    (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.rejected_text_uuid) as rejected,
    (select coalesce(jsonb_agg(to_jsonb(t) order by t.created_at desc, t.text_uuid desc), '[]')
       from (select t.*, case
                     when t.text_uuid = r.shown_text_uuid then 'SHOWN'
                     when t.text_uuid = r.waiting_text_uuid then 'WAITING'
                     when t.rejected_because is not null then 'REJECTED'
                     else 'FORMER' end as outcome
               from customer_review_text as t where t.review_uuid = r.review_uuid
              order by t.created_at desc, t.text_uuid desc limit 10) as t) as texts,
    (select coalesce(jsonb_agg(to_jsonb(y) order by y.created_at desc, y.reply_uuid desc), '[]')
       from (select y.* from customer_review_reply as y where y.review_uuid = r.review_uuid
              order by y.created_at desc, y.reply_uuid desc limit 10) as y) as replies,
    (select coalesce(jsonb_agg(to_jsonb(f) order by f.flagged_at desc, f.flag_uuid desc), '[]')
       from (select f.* from customer_review_flag as f where f.review_uuid = r.review_uuid
              order by f.flagged_at desc, f.flag_uuid desc limit 10) as f) as flags,
    (select coalesce(jsonb_agg(to_jsonb(c) - 'reporter_sha256' order by c.reported_at desc), '[]')
       from (select c.* from customer_review_report as c where c.review_uuid = r.review_uuid
              order by c.reported_at desc limit 10) as c) as customer_reports
from customer_review as r join app as a using (app_uuid);

grant select, insert, update, delete on customer_review_text, customer_review_reply, customer_review_flag,
    customer_review_report to labs_service;
grant select on customer_review_moderated to labs_service;

reset lock_timeout;
