-- Partners whose identity staff have verified.
set lock_timeout = '10s';

alter table partner add column verified_at timestamptz;
comment on column partner.verified_at is 'Since when staff know that this is the company. Null: nobody has made sure.';

-- A change of name or country ends the verification, regardless of who made it.
create function partner_verification_ends() returns trigger language plpgsql as $$
begin
    new.verified_at := null;
    return new;
end $$;
create trigger partner_verification_ends before update of company_name, country on partner for each row
    when (old.verified_at is not null
        and (old.company_name, old.country) is distinct from (new.company_name, new.country))
    execute function partner_verification_ends();

-- Listings show the verification, so readers of the change feed see its changes.
drop trigger listing_vendor_changed on partner;
create trigger listing_vendor_changed after update on partner for each row
    when ((old.slug, old.company_name, old.verified_at) is distinct from (new.slug, new.company_name, new.verified_at))
    execute function listing_vendor_changed();

create or replace view partner_shown as
select
    p.partner_uuid, p.slug, p.company_name, p.legal_form, p.registration_number, p.vat_id, p.country, p.address,
    p.billing_address, p.billing_email, p.website, p.state, p.state_reason, p.state_changed_at, p.closes_at, p.labels,
    p.created_at, p.updated_at, t.code as tier_code, t.name as tier_name, s.state as subscription_state,
    s.started_at as subscription_started_at, s.period_end as subscription_period_end,
    (select count(*) from person as h where h.partner_uuid = p.partner_uuid and h.state <> 'REMOVED') as members_count,
    (select count(*) from invitation as i where i.partner_uuid = p.partner_uuid and i.state = 'PENDING'
        and i.expires_at > labs_now()) as invitations_count,
    (select count(*) from app as a where a.partner_uuid = p.partner_uuid and a.state <> 'ARCHIVED') as apps_count,
    (select count(*) from listing as l where l.partner_uuid = p.partner_uuid and l.visible) as listings_count,
    (select count(*) from machine_client as c where c.partner_uuid = p.partner_uuid and c.state = 'ACTIVE')
        as machine_clients_count,
    (select count(*) from partner_contact as c where c.partner_uuid = p.partner_uuid) as contacts_count,
    (select count(*) from partner_note as n where n.partner_uuid = p.partner_uuid) as notes_count,
    p.verified_at
from partner as p
left join subscription as s on s.partner_uuid = p.partner_uuid
left join tier as t on t.tier_uuid = s.tier_uuid;

reset lock_timeout;
