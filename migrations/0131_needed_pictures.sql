-- A picture that left its draft stays while a listing or a submission shows it. It takes room, so it counts; and a submission
-- that was settled shows it for 30 days, in which an appeal is written and read. Without an end, and without counting, a
-- company could keep any number of pictures by handing them in and withdrawing them.
set lock_timeout = '10s';

-- Whether a listing or a submission needs a picture: one that waits, one of a version that is or may go live, and one that was
-- decided or withdrawn within 30 days.
create function media_is_needed(of_media uuid, of_app uuid) returns boolean
    language sql stable parallel safe
    as $$
        select exists (select from public.listing_media as shown where shown.media_uuid = of_media)
            or exists (
                select from public.submission as s join public.app_version as v using (version_uuid)
                where s.app_uuid = of_app
                    and s.snapshot -> 'media' @> jsonb_build_array(jsonb_build_object('media_uuid', of_media))
                    and (s.waiting_on is not null
                        or s.state = 'APPROVED' and v.state in ('APPROVED', 'SCHEDULED', 'PUBLISHED')
                        or greatest(s.submitted_at, s.decided_at, s.updated_at) > public.labs_now() - interval '30 days'))
    $$;

create view media_counted as
select m.media_uuid, m.app_uuid, m.kind, m.size_bytes, m.removed_at
from media as m
where m.removed_at is null or media_is_needed(m.media_uuid, m.app_uuid);
comment on view media_counted is 'The pictures of apps that count against a plan: those of drafts, and those that are needed.';
grant select on media_counted to labs_service;

create or replace function partner_usage(of_partner uuid) returns table (feature_code text, used bigint)
    language sql stable parallel safe
    as $$
        select 'apps', count(*) from public.app as a
        where a.partner_uuid = of_partner and a.state <> 'ARCHIVED'
        union all
        select 'team_members',
            (select count(*) from public.person as p where p.partner_uuid = of_partner and p.state <> 'REMOVED')
            + (select count(*) from public.invitation as i
                where i.partner_uuid = of_partner and i.state = 'PENDING' and i.expires_at > public.labs_now())
        union all
        -- What is begun of a megabyte counts whole.
        select 'media_megabytes', ceil(coalesce(sum(pictures.size_bytes), 0) / 1048576.0)::bigint
        from (
            select m.size_bytes
            from public.app as a
            join public.media_counted as m on m.app_uuid = a.app_uuid
            where a.partner_uuid = of_partner
            union all
            select i.size_bytes from public.partner_image as i where i.partner_uuid = of_partner and i.removed_at is null
        ) as pictures
    $$;

reset lock_timeout;
