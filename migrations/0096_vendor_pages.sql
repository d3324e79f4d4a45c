-- Time of a partner's first publication, and the storefront history of an app, in order.
set lock_timeout = '10s';

alter table partner_profile add column first_published_at timestamptz;
comment on column partner_profile.first_published_at is 'When readers first saw a page of this partner.';

update partner_profile as f
   set first_published_at = least(f.published_at, (
           select min(e.occurred_at) from partner_event as e
            where e.partner_uuid = f.partner_uuid and e.kind = 'PROFILE_PUBLISHED'))
 where f.published_at is not null;

alter table partner_profile add constraint partner_profile_first_published_check
    check ((first_published_at is null) = (published_at is null) and first_published_at <= published_at);

create index app_version_live_idx on app_version (app_uuid, published_at desc, version_uuid desc)
    where state in ('PUBLISHED', 'SUPERSEDED');

reset lock_timeout;
