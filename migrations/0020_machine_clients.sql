-- Programs under their operators' hands: what ends with a secret, what a new beginning ends, and what the lists read.
set lock_timeout = '10s';

-- Which secret a token was issued for. There is no foreign key, because the ledger outlives what it names; grants from
-- before this column say nothing, and their tokens end within the hour.
alter table token_grant add column secret_uuid uuid;
create index token_grant_token_idx on token_grant (token_id) where token_id is not null;

-- A program that was disabled begins anew when it is enabled: what was issued before is not taken any more.
alter table machine_client add column tokens_void_before timestamptz;

-- A secret that is deleted takes along the tokens that were issued for it.
create trigger machine_client_secret_authority after update on machine_client_secret
    for each row when (old.revoked_at is distinct from new.revoked_at)
    execute function authority_changed('client', 'client_uuid');

-- Whether what stands behind a token has ended since it was issued, other than by a revocation of its own. It is asked
-- where a principal is read, so whatever a concurrent issue commits late is judged by what holds then.
create function token_grant_void(token uuid, void_before timestamptz) returns boolean
    language sql stable
    as $$
        select exists (
            select from public.token_grant as g
            left join public.machine_client_secret as s on s.secret_uuid = g.secret_uuid
            where g.token_id = token and (s.revoked_at is not null or g.granted_at < void_before))
    $$;

-- A program as staff see it: its partner, the secrets that are good now, and what its calls really needed.
create view machine_client_shown as
select
    c.client_uuid, c.client_id, c.partner_uuid, p.company_name, c.name, c.contact_email, c.allowed_scopes,
    c.allowed_networks::text[] as allowed_networks, c.state, c.created_at, c.updated_at, c.last_used_at,
    coalesce((
        select jsonb_agg(to_jsonb(s) - 'secret_sha256' order by s.created_at desc, s.secret_uuid desc)
        from machine_client_secret as s
        where s.client_uuid = c.client_uuid and s.revoked_at is null
            and (s.expires_at is null or s.expires_at > labs_now())
    ), '[]') as secrets,
    coalesce((
        select jsonb_agg(to_jsonb(u) order by u.last_used_at desc, u.scope)
        from client_scope_use as u
        where u.client_uuid = c.client_uuid and u.uses > 0
    ), '[]') as used_scopes
from machine_client as c
left join partner as p on p.partner_uuid = c.partner_uuid;

-- The orders of the staff's list. A program that was never used stands behind all that were.
create index machine_client_name_idx on machine_client (lower(name), client_uuid);
create index machine_client_last_used_at_idx on machine_client
    (coalesce(last_used_at, '1970-01-01 00:00:00+00'::timestamptz) desc, client_uuid desc);

grant select on machine_client_shown to labs_service;

reset lock_timeout;
