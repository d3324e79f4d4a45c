-- Names and titles that were stored as sent are converted to NFC, the form in which all texts are stored from now on.
-- Searches are normalized, too, and would miss the others. A text that becomes longer in NFC stays unchanged.
set lock_timeout = '10s';

do $$
declare
    named record;
begin
    -- Only this encoding has normalization forms.
    if current_setting('server_encoding') <> 'UTF8' then
        return;
    end if;
    for named in
        select * from (values
            ('person', 'name'), ('machine_client', 'name'), ('partner_contact', 'name'), ('staff_role', 'name'),
            ('tier', 'name'), ('feature', 'name'), ('publication_item', 'title'), ('support_ticket', 'subject'),
            ('feature_request', 'title')
        ) as known (table_name, column_name)
    loop
        execute format('update %1$I set %2$I = normalize(%2$I, NFC)
                         where %2$I is not nfc normalized and length(normalize(%2$I, NFC)) <= length(%2$I)',
            named.table_name, named.column_name);
    end loop;
    for named in
        select * from (values ('category', 'names'), ('collection', 'titles'), ('board_topic', 'names'))
            as known (table_name, column_name)
    loop
        execute format('update %1$I set %2$I = normalize(%2$I::text, NFC)::jsonb where %2$I::text is not nfc normalized',
            named.table_name, named.column_name);
    end loop;
end
$$;

reset lock_timeout;
