-- A media item that was removed from its draft stays while a listing or a submission shows it. It uses storage, so it
-- counts towards the limit. A decided submission shows it for 30 days, in which an appeal can be written and read.
-- Without this end and this count, a partner could keep any number of media by submitting and withdrawing them.
set lock_timeout = '10s';

-- Whether a listing or a submission needs a media item: a pending submission, a submission of a version that is or may
-- be published, or a submission that was decided or withdrawn within the last 30 days.
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
        -- A started megabyte counts as a full one.
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
