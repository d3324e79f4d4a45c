-- A trigger or a rule on `audit_change` can drop a row without an error. In that case the write with this difference is
-- rejected, as it is if the audit log does not keep its record.
create or replace function audit_capture() returns trigger language plpgsql as $$
declare
    record_id text := current_setting('labs.audit_record', true);
    old_row jsonb;
    new_row jsonb;
    fields jsonb;
begin
    if record_id is null or record_id = '' then
        return null;
    end if;
    old_row := case when tg_op <> 'INSERT' then to_jsonb(old) end;
    new_row := case when tg_op <> 'DELETE' then to_jsonb(new) end;
    fields := coalesce(new_row, old_row);
    if tg_op = 'UPDATE' then
        select coalesce(jsonb_object_agg(key, value), '{}'), coalesce(jsonb_object_agg(key, old_row -> key), '{}')
        into new_row, old_row
        from jsonb_each(new_row)
        where value is distinct from old_row -> key;
        if new_row = '{}' then
            return null;
        end if;
    end if;
    insert into public.audit_change (record_uuid, thing, action, thing_uuid, thing_key, before, after)
    values (record_id::uuid, tg_table_name, tg_op, (fields ->> nullif(tg_argv[0], ''))::uuid,
        public.audit_visible((select coalesce(jsonb_object_agg(name, fields -> name), '{}')
            from unnest(tg_argv[1:]) as name)),
        public.audit_visible(old_row), public.audit_visible(new_row));
    if not found then
        raise exception 'the difference of % was not kept', tg_table_name using constraint = 'audit_change_kept';
    end if;
    return null;
end $$;
