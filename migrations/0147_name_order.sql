-- One order of names in every list: without accents and case, so that Ä is between A and B. `immutable`, so that it can
-- be indexed: the dictionary is the extension's. The indexes of the former orders stay for the previous release.
set lock_timeout = '10s';

create function name_order(name text) returns text
    language sql immutable strict parallel safe
    as $$ select lower(public.unaccent('public.unaccent'::regdictionary, name)) $$;

create index machine_client_name_order_idx on machine_client ((name_order(name) collate "C"), client_uuid);
create index person_staff_name_order_idx on person ((name_order(name) collate "C"), person_uuid) where kind = 'STAFF_USER';
create index person_name_order_idx on person ((name_order(name) collate "C"), person_uuid);
create index partner_company_name_order_idx on partner ((name_order(company_name) collate "C"), partner_uuid);

reset lock_timeout;
