-- The skeletons (UTS #39) of a company's name: names that look alike share one. The service computes them. Null: not
-- yet computed, because the name was written by an older release or by another program; a job computes it later.
set lock_timeout = '10s';

alter table partner add column name_skeletons text[];
comment on column partner.name_skeletons is 'What names that look like this one share with it. Null: to be computed.';
create index partner_name_skeletons_idx on partner using gin (name_skeletons);
create index partner_name_skeletons_missing_idx on partner (partner_uuid) where name_skeletons is null;

create function partner_name_skeletons_kept() returns trigger language plpgsql as $$
begin
    new.name_skeletons := null;
    return new;
end $$;
create trigger partner_name_skeletons_kept before update of company_name on partner for each row
    when (old.company_name is distinct from new.company_name
        and old.name_skeletons is not distinct from new.name_skeletons)
    execute function partner_name_skeletons_kept();

reset lock_timeout;
