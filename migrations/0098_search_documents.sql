-- Search document of a listing: one row for all its languages. A reader's locale selects texts, never search results.
-- The document contains words as written, and the stem in the language of their text, marked with that language, so
-- that a stem of one language never matches a word of another.
set lock_timeout = '10s';

create table listing_document (
    app_uuid uuid constraint listing_document_pkey primary key
        constraint listing_document_listing_fkey references listing on delete cascade,
    search tsvector not null
);
comment on column listing_document.search is
    'Plain words and, with a dot and the language before them, stems: of names and slug (A), of vendor and categories '
    '(B), of taglines (C), of descriptions (D). A whole name or slug stands behind =, a vendor''s behind @, a '
    'category''s behind #.';
-- Searches read many of these values, so they are stored in the row and uncompressed.
alter table listing_document alter column search set storage external, set (toast_tuple_target = 8160);
create index listing_document_search_idx on listing_document using gin (search) with (fastupdate = off);
create index listing_document_name_idx on listing_document using gin (ts_filter(search, '{a}')) with (fastupdate = off);
drop index listing_translation_search_idx;

-- Every word and stem that is or was in a document. A search drops the word forms that no document has, and finds
-- suggestions for mistyped words here.
create table listing_lexeme (lexeme text collate "C" constraint listing_lexeme_pkey primary key);
create index listing_lexeme_near_idx on listing_lexeme (left(lexeme, 1), length(lexeme));
create index listing_lexeme_part_idx on listing_lexeme using gin (lexeme gin_trgm_ops);

-- Form of a text for comparison: words of lower-case letters and digits without accents, separated by one blank.
create function search_folded(written text) returns text
    language sql stable strict parallel safe
    as $$
        select btrim(regexp_replace(lower(public.unaccent(normalize(written, nfkc))), '[^[:alnum:]]+', ' ', 'g'))
    $$;

-- A folded word in which ae, oe and ue are replaced by the vowels that they transcribe on other keyboards.
create function search_contracted(word text) returns text
    language sql immutable strict parallel safe
    as $$ select regexp_replace(word, '(?<![aeq])([aou])e', '\1', 'g') $$;

create aggregate search_all (tsvector) (sfunc = pg_catalog.tsvector_concat, stype = tsvector, initcond = '');

-- Words of a text, hyphenated ones also as one word; for languages with stems, the stems too, and a mark that a text in
-- this language exists.
create function search_vector(locale text, written text) returns tsvector
    language plpgsql stable strict parallel safe
    as $$
    declare
        folded text := public.search_folded(written);
        configuration regconfig := public.search_configuration(locale);
        stems tsvector := '';
    begin
        if configuration <> 'public.labs_simple'::regconfig then
            select concat_ws(' ', quote_literal('.' || split_part(locale, '-', 1)),
                string_agg(format('''.%s.%s'':%s', split_part(locale, '-', 1), word.lexeme,
                    array_to_string(word.positions, ',')), ' '))::tsvector
            into stems
            from unnest(to_tsvector(configuration, folded)) as word where length(word.lexeme) < 100;
        end if;
        return to_tsvector('public.labs_simple', concat_ws(' ', folded,
            (select string_agg(public.search_folded(replace(word[1], '-', '')), ' ')
             from regexp_matches(written, '[[:alnum:]]+(?:-[[:alnum:]]+)+', 'g') as word),
            (select string_agg(public.search_contracted(word), ' ')
             from string_to_table(folded, ' ') as word
             where word like any ('{%ae%,%oe%,%ue%}') and word <> public.search_contracted(word)))) || stems;
    end $$;

-- Term for a name or slug that a search may equal as a whole.
create function search_whole(sign text, written text) returns tsvector
    language sql stable strict parallel safe
    as $$ select format('''%s%s'':1', sign, left(public.search_folded(written), 200))::tsvector $$;

-- Document of a listing. It covers a hundred thousand characters of the descriptions, shared among the locales: more
-- than one locale has, and less than the maximum size of a row. For each word only the position with the highest weight
-- is kept: repeating a word does not improve the rank.
create function listing_document_of(app uuid) returns tsvector
    language plpgsql stable strict parallel safe
    as $$
    begin
        return (select string_agg(format('%L:1%s', word.lexeme,
            (select min(weight) from unnest(word.weights) as weight)), ' ')
        from unnest((select public.search_all(part.words) from (
            select setweight(public.search_vector(t.locale, t.name) || public.search_whole('=', t.name), 'A')
                || setweight(public.search_vector(t.locale, t.tagline), 'C')
                || setweight(public.search_vector(t.locale,
                       left(t.description, (100000 / count(*) over ())::integer)), 'D') as words
            from public.listing_translation as t where t.app_uuid = app
            union all
            select setweight(public.search_vector('', l.slug) || public.search_whole('=', l.slug)
                    || public.search_whole('@', p.company_name) || public.search_whole('@', p.slug), 'A')
                || setweight(public.search_vector('', p.company_name), 'B')
            from public.listing as l join public.partner as p using (partner_uuid) where l.app_uuid = app
            union all
            select setweight(case c.category_uuid when own.category_uuid
                then public.search_vector(called.locale, called.name) else '' end
                || public.search_whole('#', called.name) || public.search_whole('#', c.slug), 'B')
            from public.listing_category as own
            join public.category_place as place on place.category_uuid = own.category_uuid and place.shown
            join public.category as c on c.category_uuid = any (place.path)
            cross join jsonb_each_text(c.names) as called (locale, name) where own.app_uuid = app
        ) as part)) as word)::tsvector;
    end $$;

-- Writes the documents of some listings. The function first locks the source rows against concurrent changes: the
-- statement that builds the documents then sees all earlier commits.
create function listing_document_write(apps uuid[]) returns void language plpgsql as $$
begin
    perform from public.partner as p where p.partner_uuid in (
        select l.partner_uuid from unnest(apps) as changed (app_uuid) join public.listing as l using (app_uuid))
        order by p.partner_uuid for share;
    perform from public.listing_document as d where d.app_uuid in (select unnest(apps)) order by d.app_uuid for update;
    insert into public.listing_document (app_uuid, search)
    select l.app_uuid, public.listing_document_of(l.app_uuid)
    from unnest(apps) as changed (app_uuid) join public.listing as l using (app_uuid) order by l.app_uuid
    on conflict (app_uuid) do update set search = excluded.search where listing_document.search <> excluded.search;
    insert into public.listing_lexeme (lexeme)
    select distinct word.lexeme collate "C" as lexeme
    from unnest(apps) as changed (app_uuid) join public.listing_document as d using (app_uuid)
    cross join unnest(tsvector_to_array(d.search)) as word (lexeme)
    where not exists (select from public.listing_lexeme as known where known.lexeme = word.lexeme collate "C")
    order by lexeme
    on conflict do nothing;
end $$;

-- Reacts to changed parts of a listing, per statement, because a publication writes many rows.
create function listing_parts_changed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array(select distinct changed.app_uuid from changed));
    return null;
end $$;
create trigger listing_text_added after insert on listing_translation
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_text_changed after update on listing_translation
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_text_removed after delete on listing_translation
    referencing old table as changed for each statement execute function listing_parts_changed();
create trigger listing_filed after insert on listing_category
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_filed_elsewhere after update on listing_category
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_removed after delete on listing_category
    referencing old table as changed for each statement execute function listing_parts_changed();

create function listing_renamed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array[new.app_uuid]);
    return null;
end $$;
create trigger listing_renamed after update on listing for each row
    when ((old.slug, old.partner_uuid) is distinct from (new.slug, new.partner_uuid))
    execute function listing_renamed();

-- A partner's name may be a person's name: a lexeme that no other document contains is deleted with it.
create function vendor_renamed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array(
        select l.app_uuid from public.listing as l where l.partner_uuid = new.partner_uuid));
    delete from public.listing_lexeme as word
    where word.lexeme = any (tsvector_to_array(public.search_vector('', old.company_name)
            || public.search_whole('@', old.company_name) || public.search_whole('@', old.slug)) collate "C")
        and not exists (select from public.listing_document as d where d.search @@ quote_literal(word.lexeme)::tsquery);
    return null;
end $$;
create trigger vendor_renamed after update on partner for each row
    when ((old.slug, old.company_name) is distinct from (new.slug, new.company_name))
    execute function vendor_renamed();

-- Listings below a visible category are also found by the category's name.
create function category_renamed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array(
        select distinct lc.app_uuid from public.category_place as place
        join public.listing_category as lc on lc.category_uuid = place.category_uuid
        where new.category_uuid = any (place.path)));
    return null;
end $$;
create trigger category_renamed after update on category for each row
    when ((old.slug, old.names, old.state, old.parent_uuid)
        is distinct from (new.slug, new.names, new.state, new.parent_uuid))
    execute function category_renamed();

select listing_document_write(array(select app_uuid from listing));

grant select, insert, update on listing_document to labs_service;
grant select, insert, delete on listing_lexeme to labs_service;

reset lock_timeout;
