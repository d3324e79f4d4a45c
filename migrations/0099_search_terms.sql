-- Converts the reader's input into the terms of `listing_document.search`. Each word matches itself, its stem in any of
-- the languages, and its form with the vowels for ae, oe and ue. Two adjacent words also match as one word.
set lock_timeout = '10s';

-- Languages with stems: the dictionaries of `search_configuration`, and the mark of each language in the documents.
create view listing_stemmer as
select language, dictionary, ('.' || language) collate "C" as mark
from unnest(
    array['da', 'nl', 'en', 'fi', 'fr', 'de', 'hu', 'it', 'nb', 'no', 'pt', 'ro', 'es', 'sv'],
    array['danish_stem'::regdictionary, 'dutch_stem'::regdictionary, 'english_stem'::regdictionary,
        'finnish_stem'::regdictionary, 'french_stem'::regdictionary, 'german_stem'::regdictionary,
        'hungarian_stem'::regdictionary, 'italian_stem'::regdictionary, 'norwegian_stem'::regdictionary,
        'norwegian_stem'::regdictionary, 'portuguese_stem'::regdictionary, 'romanian_stem'::regdictionary,
        'spanish_stem'::regdictionary, 'swedish_stem'::regdictionary]) as stemmer (language, dictionary);

-- `terms`: every word occurs, the last one also as the beginning of a word (from two letters on). `whole`: the forms of
-- whole words, for ranking; stop words of a language (the, und) and single letters only if there are no other words.
-- `beginning`: the last word as a beginning, with a lower weight. `named` and `offered`: the query equals a name or
-- slug of an app, or of a partner. `is_common`: for each word, whether it is a stop word. A result without terms is
-- null.
create function listing_terms(
    typed text, out words text[], out is_common boolean[], out terms tsquery, out whole tsquery, out beginning tsquery,
    out named tsquery, out offered tsquery)
    language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan
    as $$
    declare
        folded text := coalesce(public.search_folded(typed), '');
        contracted text := public.search_contracted(folded);
        filed tsquery;
        each_word text[] := '{}';
        pairs text[] := '{}';
        likely text[] := '{}';
        places integer[] := '{}';
        spelled text[] := '{}';
        written text;
        half text;
        number integer;
        part record;
    begin
        words := string_to_array(folded, ' ');
        number := cardinality(words);
        is_common := '{}';
        for place in 1 .. number + least(number - 1, 8) loop
            written := case when place <= number then words[place]
                else words[place - number] || words[place - number + 1] end;
            spelled := spelled || written;
            places := places || place;
            if written <> public.search_contracted(written) then
                spelled := spelled || public.search_contracted(written);
                places := places || place;
            end if;
        end loop;
        for part in
            select said.place, bool_or(said.is_common) as is_common,
                string_agg(quote_literal(said.lexeme), ' | ') filter (where exists (
                    select from public.listing_lexeme as known where known.lexeme = said.lexeme collate "C" offset 0))
                    as forms
            from (
                select place, form as lexeme, false as is_common from unnest(places, spelled) as said (place, form)
                union all
                select place, '.' || language || '.' || stem[1], stem = '{}'
                from public.listing_stemmer as stemmer
                cross join unnest(places, spelled) as said (place, form)
                cross join lateral ts_lexize(stemmer.dictionary, form) as stem
                where exists (select from public.listing_lexeme as spoken where spoken.lexeme = stemmer.mark offset 0)
            ) as said (place, lexeme, is_common)
            group by said.place order by said.place
        loop
            if part.place <= number then
                each_word := each_word || coalesce(part.forms, quote_literal(words[part.place]));
                is_common := is_common || (part.is_common or words[part.place] ~ '^[[:alpha:]]$');
                likely := likely || part.forms;
            else
                pairs[part.place - number] := part.forms;
            end if;
        end loop;
        select string_agg(word.forms, ' | ')::tsquery into whole
        from unnest(likely, is_common) as word (forms, is_common)
        where word.forms is not null and (not word.is_common or true = all (listing_terms.is_common));
        select (string_agg(quote_literal(lexeme), ' | ') filter (where left(lexeme, 1) = '='))::tsquery,
            (string_agg(quote_literal(lexeme), ' | ') filter (where left(lexeme, 1) = '@'))::tsquery,
            (string_agg(quote_literal(lexeme), ' | ') filter (where left(lexeme, 1) = '#'))::tsquery
        into named, offered, filed
        from public.listing_lexeme
        where number > 0 and lexeme = any (array['=' || folded, '@' || folded, '#' || folded,
            '=' || contracted, '@' || contracted, '#' || contracted] collate "C");
        if number > 0 then
            if length(words[number]) > 1 then
                half := format('''%s'':*', words[number]);
                if public.search_contracted(words[number]) <> words[number] then
                    half := half || format(' | ''%s'':*', public.search_contracted(words[number]));
                end if;
                beginning := half::tsquery;
                each_word[number] := half || ' | ' || each_word[number];
            end if;
            terms := ('(' || array_to_string(each_word, ') & (') || ')')::tsquery;
            for place in 1 .. coalesce(array_upper(pairs, 1), 0) loop
                if pairs[place] is not null then
                    whole := coalesce(whole || pairs[place]::tsquery, pairs[place]::tsquery);
                    terms := terms || ('(' || array_to_string(
                        each_word[:place - 1] || pairs[place] || each_word[place + 2:], ') & (') || ')')::tsquery;
                end if;
            end loop;
            terms := coalesce(terms || named, terms);
            terms := coalesce(terms || offered, terms);
            terms := coalesce(terms || filed, terms);
            whole := coalesce(whole || filed, whole, filed);
        end if;
    end $$;

-- Rank of a document, in millionths; an equal app name first, then an equal partner name. The values of the words are
-- added up, so that a new word form that appears between two pages changes nothing.
create function listing_fit(search tsvector, whole tsquery, beginning tsquery, named tsquery, offered tsquery)
    returns integer
    language sql immutable parallel safe
    as $$
        select (case when search @@ named then 200000000 when search @@ offered then 100000000 else 0 end
            + coalesce(ts_rank(search, whole) * (numnode(whole) + 1) / 2 * 1000000, 0)
            + coalesce(ts_rank(search, beginning) * 300000, 0))::integer
    $$;

grant select on listing_stemmer to labs_service;

reset lock_timeout;
