-- Search of apps by a part of their slug, for staff.
set lock_timeout = '10s';

create index app_slug_contains_idx on app using gin (slug gin_trgm_ops);

reset lock_timeout;
