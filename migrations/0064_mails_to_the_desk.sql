-- Mail messages to support from before `about_partner_uuid` have a partner's ticket as their subject and do not name
-- the partner that they are about, so no erasure finds them. Only their kind and time identify them. Queued messages
-- are still sent.
set lock_timeout = '10s';

update mail_message as m
set subject = '', content_sealed = case m.state when 'QUEUED' then m.content_sealed end
where m.kind = 'TICKET' and m.about_partner_uuid is null and m.partner_uuid is null
    and not exists (select from person as p where p.person_uuid = m.person_uuid and p.partner_uuid is not null);

reset lock_timeout;
