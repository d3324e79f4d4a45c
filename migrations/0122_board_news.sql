-- Notifications of the board, its roadmap, and the overview for staff.
set lock_timeout = '10s';

-- The columns of the roadmap, and the requests of a status with the most votes.
create index feature_request_status_votes_idx on feature_request (status, votes desc, request_uuid desc) where shown;
-- How fast staff answer, and which requests wait for an answer.
create index feature_request_pace_idx on feature_request (created_at) include (answered_at) where shown;
create index feature_request_waiting_idx on feature_request (created_at) where shown and answered_at is null;
create index feature_request_suspended_idx on feature_request (suspended_at) where suspended_at is not null;
-- Declined requests that still gain votes.
create index feature_request_growing_idx on feature_request (status_at)
    where shown and status = 'DECLINED' and votes >= declined_votes + 10 and votes * 4 >= declined_votes * 5;
-- The requests that a user follows or voted for are looked up by pseudonym; their events by the index of each request.
create index board_topic_position_idx on board_topic (position, topic_uuid);

-- Id of a notification for one user: it differs for every user, and gives access to nothing (RFC 9562, version 8).
create function board_news_uuid(naming bytea, event uuid) returns uuid
    language sql immutable strict parallel safe
    as $$
        select encode(set_byte(set_byte(hashed.bytes, 6, get_byte(hashed.bytes, 6) & 15 | 128), 8,
            get_byte(hashed.bytes, 8) & 63 | 128), 'hex')::uuid
        from (select substring(sha256(naming || uuid_send(event)) for 16) as bytes) as hashed
    $$;

-- Events of the last year on the requests that a user proposed, voted for or follows, and the reason for each
-- notification. Nothing is stored: the function computes it at each read. A suspended request or answer produces no
-- notification.
create function board_news(person uuid, voter bytea, follower bytea) returns table (event_uuid uuid, because text[])
    language sql stable parallel safe rows 10
    set plan_cache_mode = force_custom_plan
    as $$
        with known as (
            select r.request_uuid, 'PROPOSED' as reason, '-infinity'::date as since
            from public.feature_request as r where r.author_uuid = person
            union all
            select r.request_uuid, 'VOTED', r.author_voted_on
            from public.feature_request as r where r.author_uuid = person and r.author_voted_on is not null
            union all
            select v.request_uuid, 'VOTED', v.voted_on from public.feature_vote as v where v.voter = board_news.voter
            union all
            select f.request_uuid, 'FOLLOWED', f.followed_on
            from public.feature_follow as f where f.follower = board_news.follower
        ), told as (
            select e.event_uuid, known.reason
            from known join public.feature_request as s using (request_uuid)
            cross join lateral (
                select o.event_uuid, o.occurred_at from public.feature_event as o where o.request_uuid = s.request_uuid
                union all
                select o.event_uuid, o.occurred_at from public.feature_event as o where o.other_uuid = s.request_uuid
                union all
                select o.event_uuid, o.occurred_at from public.feature_event as o
                where s.root_uuid <> s.request_uuid and o.request_uuid = s.root_uuid and o.occurred_at >= s.rooted_at
                union all
                select o.event_uuid, o.occurred_at from public.feature_event as o
                where s.root_uuid <> s.request_uuid and o.other_uuid = s.root_uuid and o.occurred_at >= s.rooted_at
            ) as e
            where s.suspended_at is null and e.occurred_at >= public.labs_now() - interval '1 year'
                and (e.occurred_at at time zone 'UTC')::date >= known.since
                and not exists (select from public.feature_request as root
                    where root.request_uuid = s.root_uuid and root.suspended_at is not null)
        )
        select told.event_uuid, array_agg(distinct told.reason order by told.reason)
        from told join public.feature_event as e using (event_uuid)
        where not exists (select from public.feature_request as d
                join public.feature_request as root on root.request_uuid = d.root_uuid
                where d.request_uuid in (e.request_uuid, e.other_uuid)
                    and (d.suspended_at is not null or root.suspended_at is not null))
            and not exists (select from public.feature_comment as c
                where c.comment_uuid = e.comment_uuid and c.suspended_at is not null)
        group by told.event_uuid
    $$;

-- Pending board items for staff, each by a separate index.
create view board_waiting (kind, number, oldest_at) as
    select 'BOARD_REPORTED', count(*), min(reported_at) from board_report where outcome = 'OPEN'
    union all
    select 'FEATURE_REQUEST_GROWING', count(*), min(status_at) from feature_request
    where shown and status = 'DECLINED' and votes >= declined_votes + 10 and votes * 4 >= declined_votes * 5;
grant select on board_waiting to labs_service;

reset lock_timeout;
