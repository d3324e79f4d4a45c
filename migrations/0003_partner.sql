-- Partners: account, team, profile, support, data exports, history.
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

create table partner_event (
    event_uuid uuid constraint partner_event_pkey primary key,
    partner_uuid uuid not null constraint partner_event_partner_fkey references partner on delete cascade,
    occurred_at timestamptz not null default labs_now(),
    kind text not null constraint partner_event_kind_check check (kind ~ '^[A-Z][A-Z_]*$'),
    actor_kind text not null constraint partner_event_actor_kind_check
        check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM', 'ANONYMOUS')),
    actor_uuid uuid,
    -- The object of the event, if it is not the account itself: a user, an invitation, a contact.
    subject_uuid uuid,
    -- The reason that staff gave; the partner reads it.
    reason text,
    -- Further data for a reader, without personal data: these rows outlive an erasure.
    detail jsonb not null default '{}' constraint partner_event_detail_check check (jsonb_typeof(detail) = 'object')
);
create index partner_event_partner_idx on partner_event (partner_uuid, occurred_at desc, event_uuid desc);
grant select, insert on partner_event to labs_service;

-- Number of days until a closing account is closed, and number of days in which a closed one can be reopened.
insert into service_setting (key, value) values ('partner.closing_days', '14'), ('partner.reopening_days', '30');

-- Contacts for billing, technical questions and security. They are addresses, not users who sign in.
create table partner_contact (
    contact_uuid uuid constraint partner_contact_pkey primary key,
    partner_uuid uuid not null constraint partner_contact_partner_fkey references partner on delete cascade,
    kind text not null constraint partner_contact_kind_check check (kind in ('BILLING', 'TECHNICAL', 'SECURITY')),
    name text not null constraint partner_contact_name_check check (length(name) between 1 and 200),
    email text not null,
    email_normalised text not null,
    phone text,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    -- An address occurs once per kind.
    constraint partner_contact_email_key unique (partner_uuid, kind, email_normalised)
);
create index partner_contact_partner_idx on partner_contact (partner_uuid, created_at desc, contact_uuid desc);

-- The storefront shows nothing of a partner that is not active, even if a publication runs at the same moment: the
-- trigger locks the partner's row, so that a publication and a suspension see each other.
create function listing_standing() returns trigger language plpgsql as $$
begin
    perform from public.partner
    where partner_uuid = new.partner_uuid and state in ('ACTIVE', 'CLOSING')
    for share;
    if not found then
        new.visible := false;
    end if;
    return new;
end $$;

-- The events of its account that a team may read, newest first, up to 101 from each source: its own history, the
-- history of its subscription, and staff operations that changed or read it. Labels and staff notes are visible to
-- staff only.
create function partner_history(of_partner uuid, groups text[], kinds text[], actors text[],
    since timestamptz, until timestamptz, before_at timestamptz, before_uuid uuid)
    returns table (event_group text, event_uuid uuid, occurred_at timestamptz, kind text, actor_kind text,
        actor_uuid uuid, subject_uuid uuid, operation text, reason text, detail jsonb)
    language sql stable
    as $$
        (select 'ACCOUNT', e.event_uuid, e.occurred_at, e.kind, e.actor_kind, e.actor_uuid, e.subject_uuid,
             null::text, e.reason, e.detail
         from public.partner_event as e
         where e.partner_uuid = of_partner and (groups is null or 'ACCOUNT' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and (actors is null or e.actor_kind = any(actors))
             and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit 101)
        union all
        (select 'SUBSCRIPTION', e.event_uuid, e.occurred_at, e.kind, e.actor_kind, e.actor_uuid, null::uuid,
             null::text, e.reason, jsonb_strip_nulls(jsonb_build_object('from_tier_code', f.code,
                 'to_tier_code', t.code, 'feature_code', e.detail -> 'feature_code',
                 'effective_at', e.detail -> 'effective_at', 'effective_until', e.detail -> 'effective_until'))
         from public.subscription_event as e
         left join public.tier as f on f.tier_uuid = e.from_tier_uuid
         left join public.tier as t on t.tier_uuid = e.to_tier_uuid
         where e.partner_uuid = of_partner and (groups is null or 'SUBSCRIPTION' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and (actors is null or e.actor_kind = any(actors))
             and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit 101)
        union all
        (select 'STAFF', l.record_uuid, l.recorded_at, 'STAFF_ACCESS', 'STAFF_USER', null::uuid, l.target_uuid,
             l.operation, l.reason, '{}'::jsonb
         from public.audit_log as l
         where l.partner_uuid = of_partner and (groups is null or 'STAFF' = any(groups)) and l.outcome = 'SUCCEEDED'
             and (kinds is null or 'STAFF_ACCESS' = any(kinds)) and (actors is null or 'STAFF_USER' = any(actors))
             and l.recorded_at >= since and l.recorded_at < until
             and (l.recorded_at, l.record_uuid) < (before_at, before_uuid)
             and l.operation !~ '^(admin_(notes_|partners_put_labels$)|partner_support_desk_post_message$)'
             and (l.operation ~ '^admin_users_' or not exists (
                 select from public.partner_event as e where e.partner_uuid = of_partner
                     and e.occurred_at = l.recorded_at and e.actor_uuid = l.actor_uuid))
             and not exists (select from public.subscription_event as e where e.partner_uuid = of_partner
                 and e.occurred_at = l.recorded_at and e.actor_uuid = l.actor_uuid)
         order by l.recorded_at desc, l.record_uuid desc limit 101)
    $$;
call audit_watch('partner_contact', 'contact_uuid');
grant select, insert, update, delete on partner_contact to labs_service;

create table partner_note (
    note_uuid uuid constraint partner_note_pkey primary key,
    partner_uuid uuid not null constraint partner_note_partner_fkey references partner on delete cascade,
    author_uuid uuid constraint partner_note_author_fkey references person on delete set null,
    body text not null constraint partner_note_body_check check (length(body) between 1 and 10000),
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now()
);
create index partner_note_partner_idx on partner_note (partner_uuid, created_at desc, note_uuid desc);
create index partner_note_author_idx on partner_note (author_uuid);

-- The complete history of a partner, newest first, up to `most` from each source: its own history, its subscription's,
-- its apps', the security events and the audit log. Without `most` everything is counted.
create function partner_timeline(of_partner uuid, groups text[], kinds text[], since timestamptz, until timestamptz,
    before_at timestamptz, before_uuid uuid, most integer)
    returns table (event_group text, event_uuid uuid, occurred_at timestamptz, kind text, outcome text, actor_kind text,
        actor_uuid uuid, actor_label text, subject_kind text, subject_uuid uuid, reason text, detail jsonb)
    language sql stable
    as $$
        (select 'ACCOUNT', e.event_uuid, e.occurred_at, e.kind, 'SUCCEEDED', e.actor_kind, e.actor_uuid, null::text,
             null::text, e.subject_uuid, e.reason, e.detail
         from public.partner_event as e
         where e.partner_uuid = of_partner and (groups is null or 'ACCOUNT' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'SUBSCRIPTION', e.event_uuid, e.occurred_at, e.kind, 'SUCCEEDED', e.actor_kind, e.actor_uuid, null,
             null, null, e.reason, jsonb_strip_nulls(e.detail
                 || jsonb_build_object('from_tier_code', f.code, 'to_tier_code', t.code))
         from public.subscription_event as e
         left join public.tier as f on f.tier_uuid = e.from_tier_uuid
         left join public.tier as t on t.tier_uuid = e.to_tier_uuid
         where e.partner_uuid = of_partner and (groups is null or 'SUBSCRIPTION' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'MARKETPLACE', e.event_uuid, e.occurred_at, e.kind, 'SUCCEEDED', e.actor_kind, e.actor_uuid, null,
             'APP', a.app_uuid, null, e.detail
         from public.app as a
         cross join lateral (
             select * from public.app_event as h
             where h.app_uuid = a.app_uuid and (kinds is null or h.kind = any(kinds))
                 and h.occurred_at >= since and h.occurred_at < until
                 and (h.occurred_at, h.event_uuid) < (before_at, before_uuid)
             order by h.occurred_at desc, h.event_uuid desc limit most) as e
         where a.partner_uuid = of_partner and (groups is null or 'MARKETPLACE' = any(groups))
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'SECURITY', e.event_uuid, e.occurred_at, e.kind, e.outcome, null, null, null,
             case when e.client_uuid is not null then 'MACHINE_CLIENT' when e.person_uuid is not null then 'PERSON' end,
             coalesce(e.client_uuid, e.person_uuid), null, '{}'
         from public.security_event as e
         where e.partner_uuid = of_partner and (groups is null or 'SECURITY' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'AUDIT', l.record_uuid, l.recorded_at, l.operation, l.outcome, l.actor_kind, l.actor_uuid, l.actor_label,
             upper(l.target_kind), l.target_uuid, l.reason,
             jsonb_strip_nulls(jsonb_build_object('code', l.code, 'channel', l.channel))
         from public.audit_log as l
         where l.partner_uuid = of_partner and (groups is null or 'AUDIT' = any(groups))
             and (kinds is null or l.operation = any(kinds)) and l.recorded_at >= since and l.recorded_at < until
             and (l.recorded_at, l.record_uuid) < (before_at, before_uuid)
         order by l.recorded_at desc, l.record_uuid desc limit most)
    $$;

-- Removes personal data about the users of an erased partner from the security events. The service may not update these
-- rows, so the function runs as their owner, and only for an erased partner.
create function security_event_anonymised(of_partner uuid) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$
    begin
        if not exists (select from public.partner where partner_uuid = of_partner and state = 'ERASED') then
            raise insufficient_privilege using message = 'only what belongs to an erased partner is made anonymous';
        end if;
        update public.security_event set address = null, user_agent = null, detail = '{}'
        where partner_uuid = of_partner;
        update public.security_event as e set address = null, user_agent = null, detail = '{}'
        from public.person as p
        where p.partner_uuid = of_partner and e.person_uuid = p.person_uuid
            and e.partner_uuid is distinct from of_partner;
    end $$;
revoke execute on function security_event_anonymised from public;
grant execute on function security_event_anonymised to labs_service;
call audit_watch('partner_note', 'note_uuid');
grant select, insert, update, delete on partner_note to labs_service;

-- The row of an expired invitation stays PENDING until it is swept, and readers see EXPIRED.
create view invitation_shown as
select
    i.invitation_uuid, i.partner_uuid, i.email, i.role, i.locale, i.invited_by, p.name as inviter_name, i.person_uuid,
    case when i.state = 'PENDING' and i.expires_at <= labs_now() then 'EXPIRED' else i.state end as state,
    case when i.state = 'PENDING' and i.expires_at <= labs_now() then i.expires_at else i.state_changed_at end
        as state_changed_at,
    i.created_at, i.sent_at, i.expires_at
from invitation as i
left join person as p on p.person_uuid = i.invited_by;
grant select on invitation_shown to labs_service;

create table support_ticket (
    ticket_uuid uuid constraint support_ticket_pkey primary key,
    partner_uuid uuid not null constraint support_ticket_partner_fkey references partner,
    subject text not null constraint support_ticket_subject_check check (length(subject) between 1 and 200),
    topic text not null constraint support_ticket_topic_check
        check (topic in ('ACCOUNT', 'TEAM', 'SUBSCRIPTION', 'APP', 'REVIEW', 'API', 'STATISTICS', 'OTHER')),
    app_uuid uuid,
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
call audit_watch('support_ticket', 'ticket_uuid');
call audit_watch('support_message', 'ticket_uuid');
call audit_watch('support_note', 'ticket_uuid');
grant select, insert, update on support_ticket to labs_service;
grant select, insert on support_message, support_note to labs_service;

-- `snapshot` is the profile as last published; readers see it while the state is PUBLISHED. It contains the texts, the
-- links and the ids of the media, so that later edits reach no reader before the next publication. A partner that never
-- wrote a profile has no row.
create table partner_profile (
    partner_uuid uuid constraint partner_profile_pkey primary key
        constraint partner_profile_partner_fkey references partner on delete cascade,
    default_locale text not null default 'en' constraint partner_profile_default_locale_check
        check (default_locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
    -- Object of locale to {tagline, description}.
    texts jsonb not null default '{}' constraint partner_profile_texts_check check (jsonb_typeof(texts) = 'object'),
    website_url text,
    languages text[] not null default '{}',
    regions text[] not null default '{}',
    state text not null default 'UNPUBLISHED'
        constraint partner_profile_state_check check (state in ('UNPUBLISHED', 'PUBLISHED', 'TAKEN_DOWN')),
    state_reason text,
    state_changed_at timestamptz not null default labs_now(),
    snapshot jsonb constraint partner_profile_snapshot_check check (jsonb_typeof(snapshot) = 'object'),
    published_at timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    first_published_at timestamptz,
    constraint partner_profile_published_check
        check (state = 'UNPUBLISHED' or (snapshot is not null and published_at is not null)),
    constraint partner_profile_first_published_check
    check ((first_published_at is null) = (published_at is null) and first_published_at <= published_at)
);

-- Logo and banner. The bytes are in the object storage under `object_key`; the row is written only after the upload and
-- never changes except when it is removed. An image that was removed from the draft keeps its row while the published
-- profile shows it.
create table partner_image (
    image_uuid uuid constraint partner_image_pkey primary key,
    partner_uuid uuid not null constraint partner_image_partner_fkey references partner on delete cascade,
    kind text not null constraint partner_image_kind_check check (kind in ('LOGO', 'BANNER')),
    alt_text text not null default '',
    media_type text not null
        constraint partner_image_media_type_check check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
    width integer not null constraint partner_image_width_check check (width > 0),
    height integer not null constraint partner_image_height_check check (height > 0),
    size_bytes bigint not null constraint partner_image_size_bytes_check check (size_bytes > 0),
    sha256 bytea not null constraint partner_image_sha256_check check (octet_length(sha256) = 32),
    object_key text not null,
    variants jsonb not null default '{}'
        constraint partner_image_variants_check check (jsonb_typeof(variants) = 'object'),
    removed_at timestamptz,
    created_at timestamptz not null default labs_now(),
    renditions jsonb not null default '[]'
        constraint partner_image_renditions_check check (jsonb_typeof(renditions) = 'array'),
    renditions_due boolean not null default false
);
create unique index partner_image_draft_key on partner_image (partner_uuid, kind) where removed_at is null;
create index partner_image_partner_idx on partner_image (partner_uuid, kind, image_uuid);
create index partner_image_object_key_idx on partner_image (object_key);

-- Where each image is used.
create view partner_image_shown as
select i.*, i.removed_at is null as in_draft,
    coalesce(f.state = 'PUBLISHED' and i.image_uuid in
        ((f.snapshot ->> 'logo_uuid')::uuid, (f.snapshot ->> 'banner_uuid')::uuid), false) as is_published
from partner_image as i
left join partner_profile as f on f.partner_uuid = i.partner_uuid;
call audit_watch('partner_profile', 'partner_uuid');
call audit_watch('partner_image', 'image_uuid');
grant select, insert, update, delete on partner_profile, partner_image to labs_service;
grant select on partner_image_shown to labs_service;

create table data_export (
    export_uuid uuid constraint data_export_pkey primary key,
    partner_uuid uuid not null constraint data_export_partner_fkey references partner on delete cascade,
    state text not null default 'QUEUED'
        constraint data_export_state_check check (state in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    requested_by_kind text not null constraint data_export_requested_by_kind_check
        check (requested_by_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER')),
    requested_by uuid not null,
    -- The reason that staff gave; the partner reads it.
    reason text,
    created_at timestamptz not null default labs_now(),
    started_at timestamptz,
    ended_at timestamptz,
    -- Number of runs that claimed the export. A run whose number is not the latest has lost it.
    attempts integer not null default 0 constraint data_export_attempts_check check (attempts >= 0),
    -- End of the run's lease, or the time of the next attempt.
    claimed_until timestamptz,
    steps_done integer not null default 0,
    steps_total integer not null default 0,
    -- Unguessable name of the object. Each run has a different one.
    object_secret text,
    size_bytes bigint constraint data_export_size_bytes_check check (size_bytes > 0),
    sha256 bytea constraint data_export_sha256_check check (octet_length(sha256) = 32),
    expires_at timestamptz,
    -- Time at which its object was deleted.
    removed_at timestamptz,
    error text,
    constraint data_export_steps_check check (steps_done between 0 and steps_total),
    constraint data_export_succeeded_check check (state <> 'SUCCEEDED' or (object_secret is not null
        and size_bytes is not null and sha256 is not null and expires_at is not null)),
    constraint data_export_ended_at_check check ((state in ('SUCCEEDED', 'FAILED')) = (ended_at is not null))
);

-- One open export per partner.
create unique index data_export_open_key on data_export (partner_uuid) where state in ('QUEUED', 'RUNNING');
create index data_export_partner_idx on data_export (partner_uuid, created_at desc, export_uuid desc);
create index data_export_due_idx on data_export (created_at, export_uuid) where state in ('QUEUED', 'RUNNING');
create index data_export_expires_at_idx on data_export (expires_at) where removed_at is null and state = 'SUCCEEDED';

-- Returns a row as a line of an export: the part that an audit record may show, without the given columns. The export
-- does not name staff members.
create function data_export_line(fields jsonb, variadic withheld text[] default '{}') returns text
    language sql immutable parallel safe
    as $$
        select public.audit_visible(fields - withheld - case
            when fields ->> 'actor_kind' = 'STAFF_USER' then array['actor_uuid']
            when fields ->> 'author_kind' = 'STAFF_USER' then array['author_uuid']
            when fields ->> 'requested_by_kind' = 'STAFF_USER' then array['requested_by']
            else '{}'::text[]
        end)::text
    $$;
call audit_watch('data_export', 'export_uuid', 'insert');
grant select, insert, update on data_export to labs_service;

create function support_anonymised(of_partner uuid) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$
    begin
        if not exists (select from public.partner where partner_uuid = of_partner and state = 'ERASED') then
            raise insufficient_privilege using message = 'only what belongs to an erased partner is made anonymous';
        end if;
        update public.support_ticket set subject = 'Erased' where partner_uuid = of_partner;
        update public.support_message as m set body = 'Erased'
        from public.support_ticket as t
        where t.partner_uuid = of_partner and m.ticket_uuid = t.ticket_uuid;
        delete from public.support_note as n using public.support_ticket as t
        where t.partner_uuid = of_partner and n.ticket_uuid = t.ticket_uuid;
    end $$;
revoke execute on function support_anonymised from public;
grant execute on function support_anonymised to labs_service;

-- Whether a company has no dependent data except the user who registered it. Staff may have invited a user, locked the
-- company or requested its data export since; staff then decide about the company.
create function registration_is_bare(of_partner uuid, of_person uuid) returns boolean
    language sql stable parallel safe
    as $$
        select exists (select from public.partner as p where p.partner_uuid = of_partner and p.state = 'ACTIVE')
            and not exists (select from public.person as o
                where o.partner_uuid = of_partner and o.person_uuid <> of_person)
            and not exists (select from public.machine_client as c where c.partner_uuid = of_partner)
            and not exists (select from public.invitation as i where i.partner_uuid = of_partner)
            and not exists (select from public.data_export as d where d.partner_uuid = of_partner)
            and not exists (select from public.support_ticket as t where t.partner_uuid = of_partner)
    $$;

-- Time since when a user is in a partner's team: the acceptance of its last invitation, or the creation of the user.
create function person_joined_at(of_person uuid, of_partner uuid) returns timestamptz
    language sql stable parallel safe
    as $$
        select coalesce(max(i.state_changed_at), '-infinity')
        from public.invitation as i
        where i.person_uuid = of_person and i.partner_uuid = of_partner and i.state = 'ACCEPTED'
    $$;

-- Removes reasons from the histories: staff write them, and they may name people. The service may not update the
-- histories, so the function runs as their owner, and only for an erased partner. The events stay. The history of an
-- app contains the reason why staff suspended its listing.
create function history_anonymised(of_partner uuid) returns void
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
revoke execute on function history_anonymised from public;
grant execute on function history_anonymised to labs_service;
create index partner_image_variants_idx
    on partner_image using gin (jsonb_path_query_array(variants, '$.*.object_key') jsonb_path_ops);

create table partner_daily_use (
    partner_uuid uuid not null constraint partner_daily_use_partner_fkey references partner on delete cascade,
    day date not null,
    what text not null
        constraint partner_daily_use_what_check check (what in ('UPLOADS', 'INVITATIONS', 'INVITATIONS_BY_STAFF')),
    used bigint not null constraint partner_daily_use_used_check check (used > 0),
    constraint partner_daily_use_pkey primary key (partner_uuid, day, what)
) with (fillfactor = 70);
create index partner_daily_use_day_idx on partner_daily_use (day, partner_uuid);
grant select, insert, update, delete on partner_daily_use to labs_service;
comment on column partner_profile.first_published_at is 'Time at which the partner''s page was first published.';
comment on column partner_image.renditions is 'As media.renditions.';
comment on column partner_image.renditions_due is 'As media.renditions_due.';
create index partner_image_renditions_due_idx on partner_image (image_uuid) where renditions_due;
create index partner_image_renditions_idx
    on partner_image using gin (jsonb_path_query_array(renditions, '$[*].object_key') jsonb_path_ops);

-- Indexes for the counts of pending items.
create index support_ticket_waiting_idx on support_ticket (waiting_since) where waiting_since is not null;
create index support_ticket_begins_idx on support_ticket ((folded(subject) collate "C"), ticket_uuid);

reset check_function_bodies;
reset lock_timeout;
reset timezone;
