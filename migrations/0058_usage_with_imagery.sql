-- Media of a profile count like media of apps, as the guards count them.
set lock_timeout = '10s';

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
            join public.media as m on m.app_uuid = a.app_uuid
            where a.partner_uuid = of_partner and m.removed_at is null
            union all
            select i.size_bytes from public.partner_image as i where i.partner_uuid = of_partner and i.removed_at is null
        ) as pictures
    $$;

reset lock_timeout;
