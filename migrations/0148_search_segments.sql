-- Languages that are written without blanks between words (Japanese, Chinese, Thai, Lao, Khmer, Burmese): the function
-- splits a run of their letters into pairs, in documents and in queries, so that a search finds a word inside a run.
set lock_timeout = '10s';

-- The pairs of neighbouring letters of a run; a single letter stays as it is.
create function search_pairs(run text) returns text
    language sql immutable strict parallel safe
    as $$
        select string_agg(substr(run, place, 2), ' ' order by place)
        from generate_series(1, greatest(length(run) - 1, 1)) as place
    $$;

-- Form of a text for comparison: words of lower-case letters and digits without accents, separated by one blank. Marks
-- above and below Thai and Lao letters are left out, as accents are.
create or replace function search_folded(written text) returns text
    language plpgsql stable strict parallel safe
    as $$
    declare
        unspaced constant text := '\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff';
        folded text := lower(public.unaccent(normalize(written, nfkc)));
    begin
        if folded ~ ('[' || unspaced || ']') then
            folded := regexp_replace(folded, '[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece]', '', 'g');
            folded := (select string_agg(case when run[1] ~ ('^[' || unspaced || ']') then public.search_pairs(run[1]) else run[1] end,
                           ' ' order by place)
                         from regexp_matches(folded, '[' || unspaced || ']+|[^' || unspaced || ']+', 'g')
                              with ordinality as part (run, place));
        end if;
        return btrim(regexp_replace(coalesce(folded, ''),
            '[^[:alnum:]\u102b-\u103e\u17b6-\u17d3]+', ' ', 'g'));
    end $$;

select listing_document_write(array(
    select distinct t.app_uuid from listing_translation as t
     where t.name || t.tagline || t.description
           ~ '[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]'));

reset lock_timeout;
