-- Writes the search documents of listings without one. The service computes a document in some milliseconds; this script
-- uses one document as a pattern and changes only the numbers. It compares a sample with the result of the service.
set synchronous_commit = off;
create temporary table bare as
select l.app_uuid, substr(l.slug, 5)::integer as n, p.company_name as vendor
  from listing as l join partner as p using (partner_uuid)
 where l.slug like 'app-%' and not exists (select from listing_document as d where d.app_uuid = l.app_uuid);
with pattern as materialized (
    select string_agg(format('%L:1%s', word.lexeme, (select min(weight) from unnest(word.weights) as weight)), ' ') as words
      from unnest(listing_document_of((select app_uuid from bare limit 1))) as word where word.lexeme !~ '[0-9]'
)
insert into listing_document (app_uuid, search)
select app_uuid, (words || format(
           $$ '=app %1$s':1A '=app %1$s in de':1A '=app %1$s in en':1A '%1$s':1A '.de.%1$s':1A '.en.%1$s':1A 'app%1$s':1A
           '@%2$s':1A '%3$s':1C '#category %4$s':1B '#kategorie %4$s':1B '%4$s':1B '.de.%4$s':1B '.en.%4$s':1B
           '#category %5$s':1B '#kategorie %5$s':1B '%5$s':1B '.de.%5$s':1B '.en.%5$s':1B $$,
           n, lower(vendor), substr(vendor, 9), 1 + n % 30, 1 + (n + 7) % 30))::tsvector
  from bare cross join pattern;
do $$
begin
    if exists (select from (select app_uuid from bare order by n % 977, n limit 50) as sample join listing_document as d using (app_uuid)
                where d.search <> listing_document_of(app_uuid)) then
        raise exception 'the documents are not what the service would write';
    end if;
end $$;
insert into listing_lexeme (lexeme)
select distinct word collate "C" from bare join listing_document as d using (app_uuid)
 cross join unnest(tsvector_to_array(d.search)) as word
 where not exists (select from listing_lexeme as known where known.lexeme = word collate "C");
drop table bare;
