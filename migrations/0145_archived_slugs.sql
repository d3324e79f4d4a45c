-- An archived app that was never published does not reserve its slug. The row keeps the text: restoring the app
-- reclaims the slug if no other app has it. The state is part of the index, because an older release restores the app
-- without resetting the column.
set lock_timeout = '10s';

alter table app add column slug_freed boolean not null default false;
comment on column app.slug_freed is 'Whether the slug of an archived app is free for others, because the app was never published.';

alter table app drop constraint app_slug_key;
create unique index app_slug_key on app (slug) where state <> 'ARCHIVED' or not slug_freed;

update app set slug_freed = true
 where state = 'ARCHIVED'
   and not exists (select from app_version as v where v.app_uuid = app.app_uuid and v.published_at is not null);
