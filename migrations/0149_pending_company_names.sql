-- New name of a company with published listings. The storefront shows the reviewed name until staff decide.
set lock_timeout = '10s';

alter table partner
    add column pending_company_name text
        constraint partner_pending_company_name_check check (length(pending_company_name) between 1 and 200),
    add column pending_name_since timestamptz,
    add constraint partner_pending_name_whole check ((pending_company_name is null) = (pending_name_since is null));
comment on column partner.pending_company_name is 'New name, not yet confirmed by staff. company_name is shown until then.';
create index partner_pending_name_idx on partner (pending_name_since, partner_uuid) where pending_name_since is not null;

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
    p.verified_at, p.pending_company_name, p.pending_name_since
from partner as p
left join subscription as s on s.partner_uuid = p.partner_uuid
left join tier as t on t.tier_uuid = s.tier_uuid;

reset lock_timeout;
