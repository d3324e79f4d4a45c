-- A mail to the platform's own people bears the subject of a partner's ticket and goes to no partner. It says of whom it
-- tells, so that it is made anonymous with them.
set lock_timeout = '10s';

alter table mail_message
    add column about_partner_uuid uuid,
    add constraint mail_message_about_partner_fkey foreign key (about_partner_uuid) references partner on delete set null;
create index mail_message_about_partner_idx on mail_message (about_partner_uuid) where about_partner_uuid is not null;

reset lock_timeout;
