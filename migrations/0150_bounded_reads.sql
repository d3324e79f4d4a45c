-- Reads whose cost does not grow with the tables: similar feature requests, notifications, and the ratings of an app.
set lock_timeout = '10s';

-- Words of all titles, each once, with their stems in every language with stems, marked with the language.
create table board_word (
    word text collate "C" constraint board_word_pkey primary key,
    stems text[] not null
);
comment on table board_word is 'The words of titles, by which similar feature requests are found; kept by a trigger.';
create index board_word_stems_idx on board_word using gin (stems) with (fastupdate = off);
create index board_word_reversed_idx on board_word (reverse(word) collate "C");
-- Numbers share most of their trigrams with many others, so only words without digits are compared by trigrams.
create index board_word_spelling_idx on board_word using gin (word gin_trgm_ops) with (fastupdate = off)
    where word !~ '[0-9]';

-- Titles by word. UUIDs ascend with time, so the newest titles of a word are read without a sort.
create table board_title_word (
    word text collate "C" not null,
    request_uuid uuid not null constraint board_title_word_request_fkey references feature_request,
    constraint board_title_word_pkey primary key (word, request_uuid)
);
create index board_title_word_request_idx on board_title_word (request_uuid);
comment on table board_title_word is 'The feature requests with a word in their title; kept by a trigger.';

-- Titles that begin with a text, or equal it.
create index feature_request_words_beginning_idx on feature_request_words (title text_pattern_ops);
drop index feature_request_words_title_idx;

-- The stems of a folded word, each marked with its language.
create function board_stems(word text) returns text[]
    language sql stable strict parallel safe
    as $$
        select array(select distinct format('.%s.%s', stemmer.language, stem[1])
            from public.listing_stemmer as stemmer cross join lateral ts_lexize(stemmer.dictionary, word) as stem
            where cardinality(stem) > 0 and stemmer.language in ('de', 'en', 'fr', 'es', 'it', 'nl'))
    $$;

-- The words of a folded text, also in their contracted form.
create function board_spellings(folded text) returns setof text
    language sql immutable strict parallel safe
    as $$
        select distinct word collate "C"
        from string_to_table(folded || ' ' || public.search_contracted(folded), ' ') as word
        where length(word) between 1 and 60
    $$;

insert into board_word (word, stems)
select word, public.board_stems(word)
from (select distinct word from feature_request_words as w cross join board_spellings(w.title) as word) as known;
insert into board_title_word (word, request_uuid)
select word, w.request_uuid from feature_request_words as w cross join board_spellings(w.title) as word;

create or replace function feature_request_worded() returns trigger language plpgsql as $$
declare
    folded text := public.search_folded(new.title);
begin
    insert into public.feature_request_words as known (request_uuid, title, search)
    values (new.request_uuid, folded,
        setweight(public.board_words(new.title), 'A') || setweight(public.board_words(new.body), 'D'))
    on conflict (request_uuid) do update set title = excluded.title, search = excluded.search;
    delete from public.board_title_word as known
    where known.request_uuid = new.request_uuid and known.word not in (select public.board_spellings(folded));
    -- In one order, so that two transactions that add the same words do not wait for each other.
    insert into public.board_word (word, stems)
    select spelling, public.board_stems(spelling) from public.board_spellings(folded) as spelling
    where not exists (select from public.board_word as known where known.word = spelling)
    order by spelling on conflict do nothing;
    insert into public.board_title_word (word, request_uuid)
    select spelling, new.request_uuid from public.board_spellings(folded) as spelling on conflict do nothing;
    return null;
end $$;

-- Words of titles that are related to a folded word, and how closely: the word itself, words with its stem, words that
-- begin or end with it or with which it begins or ends, and words with a similar spelling.
create function board_related(sought text) returns table (word text, closeness double precision)
    language sql stable parallel safe rows 10
    as $$
        select related.word, max(related.closeness) from (
            select v.word, 1 as closeness
            from public.board_word as v where v.word in (sought, public.search_contracted(sought))
            union all
            (select v.word, 0.9 from public.board_word as v where v.stems && public.board_stems(sought) limit 40)
            union all
            (select v.word, 0.7 from public.board_word as v
             where length(sought) >= 4 and v.word > sought collate "C" and v.word < (sought || chr(1114111)) collate "C"
             limit 20)
            union all
            (select v.word, 0.6 from public.board_word as v
             where length(sought) >= 4 and reverse(v.word) collate "C" > reverse(sought) collate "C"
                 and reverse(v.word) collate "C" < (reverse(sought) || chr(1114111)) collate "C"
             limit 20)
            union all
            select v.word, 0.5 from public.board_word as v
            where v.word = any (array(select part from generate_series(3, length(sought) - 1) as size
                cross join lateral unnest(array[left(sought, size), right(sought, size)]) as part))
            union all
            (select v.word, 0.8 * word_similarity(sought, v.word) from public.board_word as v
             where length(sought) >= 4 and sought !~ '[0-9]' and v.word !~ '[0-9]' and sought <% v.word
             order by word_similarity(sought, v.word) desc limit 20)) as related
        group by related.word
        order by 2 desc, related.word limit 24
    $$;

-- Feature requests with a similar title: for each request on the board, the best match among its own title and the
-- titles of merged requests. Shared title terms count most: words and stems of any language, then letters; the body
-- counts less. Only candidates are compared: at most 200 that share the rarest words, and 50 whose title begins with
-- the text. To choose them, the function reads about 8,000 entries at most, divided among the related words by their
-- closeness; of a word with more entries than its share, the newest.
create or replace function board_near(typed text, most integer)
    returns table (root_uuid uuid, matched_title text, fit double precision)
    language plpgsql stable parallel safe rows 5
    set pg_trgm.word_similarity_threshold = 0.5 set plan_cache_mode = force_generic_plan
    set enable_seqscan = off set max_parallel_workers_per_gather = 0
    as $$
    #variable_conflict use_column
    declare
        asked text := public.search_folded(left(typed, 300));
        terms tsquery := (public.board_terms(typed)).near;
    begin
        return query
        with said as materialized (
            select word.sought, min(word.place) as place, exists (
                select from public.listing_stemmer as stemmer
                where stemmer.language in ('de', 'en', 'fr', 'es', 'it', 'nl')
                    and ts_lexize(stemmer.dictionary, word.sought) = '{}') as is_common
            from string_to_table(asked, ' ') with ordinality as word (sought, place)
            where length(word.sought) between 1 and 60
            group by word.sought order by 2 limit 20
        ), related as materialized (
            select said.place, near.word, near.closeness
            from said cross join lateral public.board_related(said.sought) as near
            where not said.is_common or not exists (select from said where not is_common)
            order by near.closeness desc, near.word
        ), titled as materialized (
            select related.place, related.closeness, entry.request_uuid
            from related cross join lateral (
                select t.request_uuid from public.board_title_word as t where t.word = related.word
                order by t.word desc, t.request_uuid desc
                limit (select 1 + 8000 * related.closeness / sum(every.closeness) from related as every)) as entry
        ), weighed as (
            select place, 1 / ln(10 + count(*)) as weight from titled group by place
        ), likely as (
            (select best.request_uuid from (
                select request_uuid, place, max(closeness) as closeness from titled group by request_uuid, place) as best
             join weighed using (place)
             group by best.request_uuid
             order by sum(best.closeness * weighed.weight) desc, best.request_uuid desc limit 200)
            union
            (select w.request_uuid from public.feature_request_words as w
             where asked <> '' and w.title ~>=~ asked and w.title ~<~ (asked || chr(1114111)) limit 50)
        ), fitting as (
            select r.root_uuid, r.request_uuid, r.title,
                similarity(asked, w.title) + word_similarity(asked, w.title)
                + coalesce(ts_rank('{0.05, 0, 0, 1}', w.search, terms), 0) * 4 as fit
            from likely join public.feature_request_words as w using (request_uuid)
            join public.feature_request as r using (request_uuid)
            join public.feature_request as root on root.request_uuid = r.root_uuid
            where r.suspended_at is null and root.shown
        )
        select best.root_uuid, case when best.request_uuid <> best.root_uuid then best.title end, best.fit
        from (select distinct on (fitting.root_uuid) * from fitting order by fitting.root_uuid, fitting.fit desc) as best
        order by best.fit desc, best.root_uuid limit most;
    end $$;

-- Events of the last year on the requests that a user proposed, voted for or follows, and the reason for each
-- notification. Nothing is stored: the function computes it at each read. A suspended request or answer produces no
-- notification. Joins only add rows by key: the suspended requests and comments of the whole board are never read.
create or replace function board_news(person uuid, voter bytea, follower bytea)
    returns table (event_uuid uuid, because text[])
    language plpgsql stable parallel safe rows 10
    set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
    set enable_mergejoin = off set max_parallel_workers_per_gather = 0
    as $$
    #variable_conflict use_column
    begin
        return query
        with known as (
            select r.request_uuid, 'PROPOSED' as reason, '-infinity'::date as since
            from public.feature_request as r where r.author_uuid = person
            union all
            select r.request_uuid, 'VOTED', r.author_voted_on
            from public.feature_request as r where r.author_uuid = person and r.author_voted_on is not null
            union all
            select v.request_uuid, 'VOTED', v.voted_on from public.feature_vote as v where v.voter = board_news.voter
            union all
            select f.request_uuid, 'FOLLOWED', f.followed_on
            from public.feature_follow as f where f.follower = board_news.follower
        ), told as (
            select e.event_uuid, known.reason
            from known join public.feature_request as s using (request_uuid)
            join public.feature_request as root on root.request_uuid = s.root_uuid
            cross join lateral (
                select o.event_uuid, o.occurred_at from public.feature_event as o where o.request_uuid = s.request_uuid
                union all
                select o.event_uuid, o.occurred_at from public.feature_event as o where o.other_uuid = s.request_uuid
                union all
                select o.event_uuid, o.occurred_at from public.feature_event as o
                where s.root_uuid <> s.request_uuid and o.request_uuid = s.root_uuid and o.occurred_at >= s.rooted_at
                union all
                select o.event_uuid, o.occurred_at from public.feature_event as o
                where s.root_uuid <> s.request_uuid and o.other_uuid = s.root_uuid and o.occurred_at >= s.rooted_at
            ) as e
            where s.suspended_at is null and root.suspended_at is null
                and e.occurred_at >= public.labs_now() - interval '1 year'
                and (e.occurred_at at time zone 'UTC')::date >= known.since
        )
        select told.event_uuid, array_agg(distinct told.reason order by told.reason)
        from told join public.feature_event as e using (event_uuid)
        join public.feature_request as d on d.request_uuid = e.request_uuid
        join public.feature_request as d_root on d_root.request_uuid = d.root_uuid
        left join public.feature_request as o on o.request_uuid = e.other_uuid
        left join public.feature_request as o_root on o_root.request_uuid = o.root_uuid
        left join public.feature_comment as c on c.comment_uuid = e.comment_uuid
        where num_nonnulls(d.suspended_at, d_root.suspended_at, o.suspended_at, o_root.suspended_at, c.suspended_at) = 0
        group by told.event_uuid;
    end $$;

grant select, insert on board_word to labs_service;
grant select, insert, delete on board_title_word to labs_service;

-- Number of published customer reviews by app, version and stars, and by app, day and stars.
create table customer_rating (
    app_uuid uuid not null constraint customer_rating_app_fkey references app on delete cascade,
    version_number text,
    rating integer not null,
    number integer not null constraint customer_rating_number_check check (number >= 0),
    last_written_at timestamptz,
    constraint customer_rating_key unique nulls not distinct (app_uuid, version_number, rating),
    constraint customer_rating_last_check check ((number = 0) = (last_written_at is null))
);
comment on table customer_rating is 'Counts of published customer reviews; kept by a trigger.';
comment on column customer_rating.version_number is 'The version that the customer reviews name; null for those that name none.';
create table customer_rating_day (
    app_uuid uuid not null constraint customer_rating_day_app_fkey references app on delete cascade,
    day date not null,
    rating integer not null,
    number integer not null constraint customer_rating_day_number_check check (number >= 0),
    constraint customer_rating_day_pkey primary key (app_uuid, day, rating)
);
comment on table customer_rating_day is 'Counts of published customer reviews by the day of writing, in UTC; kept by a trigger.';

insert into customer_rating (app_uuid, version_number, rating, number, last_written_at)
select app_uuid, version_number, rating, count(*), max(written_at)
from customer_review where state = 'PUBLISHED' group by app_uuid, version_number, rating;
insert into customer_rating_day (app_uuid, day, rating, number)
select app_uuid, (written_at at time zone 'UTC')::date, rating, count(*)
from customer_review where state = 'PUBLISHED' group by 1, 2, 3;

-- Counts by stars, from 5 down to 1.
create function rating_counts_add(counts integer[], rating integer, number integer) returns integer[]
    language sql immutable strict parallel safe
    as $$ select counts[:5 - rating] || (counts[6 - rating] + number) || counts[7 - rating:] $$;
create aggregate rating_counts (rating integer, number integer)
    (sfunc = rating_counts_add, stype = integer[], initcond = '{0,0,0,0,0}');

-- Adds a published customer review to the counts.
create function customer_rating_add(review customer_review) returns void
    language sql
    as $$
        insert into public.customer_rating as known (app_uuid, version_number, rating, number, last_written_at)
        values (review.app_uuid, review.version_number, review.rating, 1, review.written_at)
        on conflict (app_uuid, version_number, rating) do update
        set number = known.number + 1, last_written_at = greatest(known.last_written_at, excluded.last_written_at);
        insert into public.customer_rating_day as known (app_uuid, day, rating, number)
        values (review.app_uuid, (review.written_at at time zone 'UTC')::date, review.rating, 1)
        on conflict (app_uuid, day, rating) do update set number = known.number + 1;
    $$;

-- Removes a customer review that was published from the counts. If it was the last one of its version and rating, the
-- function looks up the one before. A wrong count stops at zero, because it must not prevent a decision of a moderator.
create function customer_rating_remove(review customer_review) returns void
    language sql
    as $$
        update public.customer_rating as known
        set number = greatest(known.number - 1, 0), last_written_at = case
            when known.number <= 1 then null
            when known.last_written_at > review.written_at then known.last_written_at
            else coalesce((select r.written_at from public.customer_review as r
                  where r.app_uuid = review.app_uuid and r.rating = review.rating and r.state = 'PUBLISHED'
                      and r.version_number is not distinct from review.version_number
                  order by r.written_at desc limit 1), known.last_written_at) end
        where known.app_uuid = review.app_uuid and known.version_number is not distinct from review.version_number
            and known.rating = review.rating;
        update public.customer_rating_day as known set number = greatest(known.number - 1, 0)
        where known.app_uuid = review.app_uuid and known.day = (review.written_at at time zone 'UTC')::date
            and known.rating = review.rating;
    $$;

-- The lock on the listing comes first, as for its rating, so that transactions about one app wait in one order.
create function customer_review_counted() returns trigger language plpgsql as $$
begin
    perform from public.listing as l where l.app_uuid = coalesce(new.app_uuid, old.app_uuid) for no key update;
    if tg_op <> 'INSERT' and old.state = 'PUBLISHED' then
        perform public.customer_rating_remove(old);
    end if;
    if tg_op <> 'DELETE' and new.state = 'PUBLISHED' then
        perform public.customer_rating_add(new);
    end if;
    return null;
end $$;
create trigger customer_review_inserted after insert on customer_review for each row
    when (new.state = 'PUBLISHED') execute function customer_review_counted();
create trigger customer_review_deleted after delete on customer_review for each row
    when (old.state = 'PUBLISHED') execute function customer_review_counted();
create trigger customer_review_updated after update on customer_review for each row
    when ((old.state, old.app_uuid, old.version_number, old.rating, old.written_at)
        is distinct from (new.state, new.app_uuid, new.version_number, new.rating, new.written_at))
    execute function customer_review_counted();

grant select, insert, update on customer_rating, customer_rating_day to labs_service;

-- Customer reviews that moderators look for, in the order of their queue, and those that partners and readers look for.
-- Published customer reviews without a mark are nearly all.
create index customer_review_unpublished_idx on customer_review (priority, queued_at, review_uuid)
    where state <> 'PUBLISHED';
create index customer_review_flagged_idx on customer_review (priority, queued_at, review_uuid)
    where flagged_at is not null;
create index customer_review_reported_idx on customer_review (priority, queued_at, review_uuid) where reports > 0;
create index customer_review_unanswered_idx on customer_review (app_uuid, written_at desc, review_uuid desc)
    where state = 'PUBLISHED' and reply_uuid is null;
create index customer_review_app_flagged_idx on customer_review (app_uuid, written_at desc, review_uuid desc)
    where state = 'PUBLISHED' and flagged_at is not null;
create index customer_review_locale_idx on customer_review (app_uuid, locale, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_version_idx on customer_review (app_uuid, version_number, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
-- Search of customer reviews for moderators.
create index customer_review_text_contains_idx on customer_review_text
    using gin ((lower(coalesce(title, '') || E'\n' || coalesce(body, '')) collate "C") gin_trgm_ops);
-- Comments of one partner in the order of the list for staff.
create index feature_comment_partner_reported_idx
    on feature_comment (partner_uuid, open_reports desc, (coalesce(reported_at, 'infinity')), comment_uuid);

reset lock_timeout;
