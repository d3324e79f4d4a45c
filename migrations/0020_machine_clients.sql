-- Management of machine clients: the effects of deleting a secret and of enabling a client again, and the indexes of
-- the lists.
set lock_timeout = '10s';

-- The secret for which a token was issued. The column has no foreign key, because the log outlives the secret. Grants
-- from before this column have no value, and their tokens expire within the hour.
alter table token_grant add column secret_uuid uuid;
create index token_grant_token_idx on token_grant (token_id) where token_id is not null;

-- If a disabled client is enabled again, the service no longer accepts tokens that were issued before.
alter table machine_client add column tokens_void_before timestamptz;

-- Deleting a secret also ends the tokens that were issued for it.
create trigger machine_client_secret_authority after update on machine_client_secret
    for each row when (old.revoked_at is distinct from new.revoked_at)
    execute function authority_changed('client', 'client_uuid');

-- Whether the secret or client of a token has ended since the token was issued, apart from a revocation of the token
-- itself. The check runs when a principal is read, so a concurrent issue that commits late is judged by the current
-- state.
create function token_grant_void(token uuid, void_before timestamptz) returns boolean
    language sql stable
    as $$
        select exists (
            select from public.token_grant as g
            left join public.machine_client_secret as s on s.secret_uuid = g.secret_uuid
            where g.token_id = token and (s.revoked_at is not null or g.granted_at < void_before))
    $$;

-- A machine client as staff see it: its partner, its valid secrets, and the scopes that its requests actually needed.
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

-- Sort orders of the staff list. A client that was never used sorts after all that were.
create index machine_client_name_idx on machine_client (lower(name), client_uuid);
create index machine_client_last_used_at_idx on machine_client
    (coalesce(last_used_at, '1970-01-01 00:00:00+00'::timestamptz) desc, client_uuid desc);

grant select on machine_client_shown to labs_service;

reset lock_timeout;
