-- Media of published listings and profiles have addresses that need no token. Each has copies in page sizes, named by
-- the SHA-256 of their bytes. Every replica keeps in memory which of them are visible, and receives the changed owners
-- on the channel `pictures`.
set lock_timeout = '10s';

alter table media
    add column renditions jsonb not null default '[]'
        constraint media_renditions_check check (jsonb_typeof(renditions) = 'array'),
    add column renditions_due boolean not null default false;
comment on column media.renditions is 'Copies for pages, the narrowest first: {object_key, media_type, width, height, size_bytes}.';
comment on column media.renditions_due is 'It was uploaded before there were such copies; a job makes them.';

alter table partner_image
    add column renditions jsonb not null default '[]'
        constraint partner_image_renditions_check check (jsonb_typeof(renditions) = 'array'),
    add column renditions_due boolean not null default false;
comment on column partner_image.renditions is 'As of media.';
comment on column partner_image.renditions_due is 'As of media.';

-- Until existing media have such copies, pages show the available sizes.
create function sizes_there_are(variants jsonb, original jsonb) returns jsonb language sql immutable as $$
    select jsonb_agg(size order by (size ->> 'width')::integer)
    from (
        select distinct on ((size ->> 'width')::integer) size
        from (select value as size from jsonb_each(variants) union all select original) as sizes
    ) as narrowest
$$;
update media
   set renditions_due = true,
       renditions = sizes_there_are(variants, jsonb_build_object('object_key', object_key, 'media_type', media_type,
           'width', width, 'height', height, 'size_bytes', size_bytes));
update partner_image
   set renditions_due = true,
       renditions = sizes_there_are(variants, jsonb_build_object('object_key', object_key, 'media_type', media_type,
           'width', width, 'height', height, 'size_bytes', size_bytes));
drop function sizes_there_are;

create index media_renditions_due_idx on media (media_uuid) where renditions_due;
create index partner_image_renditions_due_idx on partner_image (image_uuid) where renditions_due;
-- The sweep of objects also checks these names.
create index media_renditions_idx
    on media using gin (jsonb_path_query_array(renditions, '$[*].object_key') jsonb_path_ops);
create index partner_image_renditions_idx
    on partner_image using gin (jsonb_path_query_array(renditions, '$[*].object_key') jsonb_path_ops);

-- Media that are public now, by the app or partner that shows them.
create view picture_on_show as
select l.app_uuid as owner_uuid, m.renditions
from listing as l
join listing_media as lm on lm.app_uuid = l.app_uuid
join media as m on m.media_uuid = lm.media_uuid
where l.visible
union all
select p.partner_uuid, i.renditions
from partner as p
join partner_profile as f on f.partner_uuid = p.partner_uuid and f.state = 'PUBLISHED'
join partner_image as i on i.partner_uuid = p.partner_uuid
    and i.image_uuid in ((f.snapshot ->> 'logo_uuid')::uuid, (f.snapshot ->> 'banner_uuid')::uuid)
where p.state = 'ACTIVE';

-- Notifies replicas about the owner whose media changed; the argument names the column. No frequent event does this,
-- because a notifying commit waits for every other one.
create function picture_on_show_changed() returns trigger language plpgsql as $$
begin
    perform pg_catalog.pg_notify('pictures',
        (case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end) ->> tg_argv[0]);
    return null;
end $$;
create trigger listing_pictures after update of visible on listing for each row
    when (old.visible is distinct from new.visible) execute function picture_on_show_changed('app_uuid');
create trigger listing_media_pictures after insert or update or delete on listing_media for each row
    execute function picture_on_show_changed('app_uuid');
create trigger media_pictures after update of renditions on media for each row
    when (old.renditions is distinct from new.renditions) execute function picture_on_show_changed('app_uuid');
create trigger partner_pictures after update of state on partner for each row
    when (old.state is distinct from new.state) execute function picture_on_show_changed('partner_uuid');
create trigger partner_profile_pictures after insert or update of state, snapshot or delete on partner_profile
    for each row execute function picture_on_show_changed('partner_uuid');
create trigger partner_image_pictures after update of renditions or delete on partner_image for each row
    execute function picture_on_show_changed('partner_uuid');

-- Followers of the storefront store addresses, so new addresses count as a change.
create function listing_pictures_changed() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change)
    select l.app_uuid, l.slug, 'CHANGED'
    from public.listing_media as lm
    join public.listing as l on l.app_uuid = lm.app_uuid and l.visible
    where lm.media_uuid = new.media_uuid;
    return null;
end $$;
create trigger media_listing_changed after update of renditions on media for each row
    when (old.renditions is distinct from new.renditions) execute function listing_pictures_changed();

-- The locale in which a reader finds a text: the wanted locale, else its language, else English, if the text exists in
-- it.
create function locale_of(texts jsonb, wanted text) returns text language sql immutable parallel safe as $$
    select case
        when texts ? wanted then wanted
        when texts ? split_part(wanted, '-', 1) then split_part(wanted, '-', 1)
        when texts ? 'en' then 'en'
    end
$$;

grant select on picture_on_show to labs_service;

reset lock_timeout;
