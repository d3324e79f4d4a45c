-- A mail message to staff has a partner's ticket as its subject and no partner as its recipient. It names the partner
-- that it is about, so that erasure includes it.
set lock_timeout = '10s';

alter table mail_message
    add column about_partner_uuid uuid,
    add constraint mail_message_about_partner_fkey foreign key (about_partner_uuid) references partner on delete set null;
create index mail_message_about_partner_idx on mail_message (about_partner_uuid) where about_partner_uuid is not null;

reset lock_timeout;
