-- Mails to the desk from before `about_partner_uuid` bear the subject of a partner's ticket and say of nobody whom they
-- tell of, so no erasure finds them. They are known by their kind and their time alone; what is still to be sent is sent.
set lock_timeout = '10s';

update mail_message as m
set subject = '', content_sealed = case m.state when 'QUEUED' then m.content_sealed end
where m.kind = 'TICKET' and m.about_partner_uuid is null and m.partner_uuid is null
    and not exists (select from person as p where p.person_uuid = m.person_uuid and p.partner_uuid is not null);

reset lock_timeout;
