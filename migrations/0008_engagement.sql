-- Board: feature requests, votes, comments, reports, news by mail.
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

create table board_topic (
    topic_uuid uuid constraint board_topic_pkey primary key,
    names jsonb not null constraint board_topic_names_check check (names ->> 'en' <> ''),
    position integer not null default 0,
    active boolean not null default true,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now()
);
comment on column board_topic.names is 'Names by locale. English is always present.';
comment on column board_topic.active is 'Whether new feature requests may have this topic. Existing ones keep it.';

create table feature_request (
    request_uuid uuid constraint feature_request_pkey primary key,
    partner_uuid uuid not null constraint feature_request_partner_fkey references partner,
    author_uuid uuid not null constraint feature_request_author_fkey references person,
    title text not null constraint feature_request_title_check check (length(title) between 1 and 150),
    body text not null constraint feature_request_body_check check (length(body) <= 10000),
    edited_at timestamptz,
    topic_uuid uuid constraint feature_request_topic_fkey references board_topic,
    status text not null default 'OPEN' constraint feature_request_status_check
        check (status in ('OPEN', 'UNDER_REVIEW', 'PLANNED', 'IN_PROGRESS', 'SHIPPED', 'DECLINED')),
    status_at timestamptz not null default labs_now(),
    entry_uuid uuid constraint feature_request_entry_fkey references publication_item on delete set null,
    merged_into_uuid uuid constraint feature_request_merged_into_fkey references feature_request
        constraint feature_request_merged_into_check check (merged_into_uuid <> request_uuid),
    root_uuid uuid not null constraint feature_request_root_fkey references feature_request,
    rooted_at timestamptz not null default labs_now(),
    pinned_at timestamptz,
    pin smallint not null generated always as (case when pinned_at is null then 0 else 1 end) stored,
    locked_at timestamptz,
    suspended_at timestamptz,
    suspension_reason text,
    shown boolean not null generated always as (suspended_at is null and merged_into_uuid is null) stored,
    author_voted_on date default (labs_now() at time zone 'UTC')::date,
    votes integer not null default 1 constraint feature_request_votes_check check (votes >= 0),
    trend double precision not null default 0,
    heat integer not null generated always as (case when trend > 0 then round(ln(trend) * 100000)::integer else -2147483648 end) stored,
    comments integer not null default 0 constraint feature_request_comments_check check (comments >= 0),
    open_reports integer not null default 0
        constraint feature_request_open_reports_check check (open_reports >= 0),
    reported_at timestamptz,
    answered_at timestamptz,
    declined_votes integer,
    active_at timestamptz not null default labs_now(),
    created_at timestamptz not null default labs_now(),
    body_html text,
    body_renderer smallint not null default 0,
    constraint feature_request_root_check check ((merged_into_uuid is null) = (root_uuid = request_uuid)),
    constraint feature_request_suspension_check check ((suspended_at is null) = (suspension_reason is null))
) with (fillfactor = 80);
comment on column feature_request.edited_at is 'Time at which the author last changed the title or the body.';
comment on column feature_request.status_at is 'Time of the last change of the status by staff, else of the proposal.';
comment on column feature_request.entry_uuid is 'Changelog entry that describes the shipped feature request.';
comment on column feature_request.merged_into_uuid is
    'Feature request into which staff merged this one. It may be merged itself.';
comment on column feature_request.root_uuid is
    'Feature request that receives the votes, follows and comments: this one, or the last one in the chain of merges.';
comment on column feature_request.rooted_at is 'Time since which root_uuid has its value.';
comment on column feature_request.author_voted_on is
    'Day of the author''s own vote. It has no row in feature_vote, which would reveal the author''s pseudonym.';
comment on column feature_request.votes is
    'Number of users who voted for this feature request or for one merged into it. Each vote updates it, so that no read counts.';
comment on column feature_request.trend is
    'Sum of the weights of the votes: 2 ^ (days since 2026-01-01 / 14) of the day of each vote.';
comment on column feature_request.heat is 'Logarithm of the trend as an integer, for sorting.';
comment on column feature_request.comments is 'Number of visible comments and answers.';
comment on column feature_request.reported_at is 'Time of the first open report.';
comment on column feature_request.answered_at is 'Time at which staff first answered or changed the status.';
comment on column feature_request.declined_votes is
    'Number of votes at the time at which the feature request was declined.';
comment on column feature_request.active_at is
    'Time of the last proposal, edit, comment, answer or change of the status. Votes and follows do not count.';
create index feature_request_votes_idx on feature_request (pin desc, votes desc, request_uuid desc) where shown;
create index feature_request_heat_idx on feature_request (pin desc, heat desc, request_uuid desc) where shown;
create index feature_request_newest_idx on feature_request (pin desc, created_at desc, request_uuid desc) where shown;
create index feature_request_activity_idx on feature_request (pin desc, active_at desc, request_uuid desc) where shown;
create index feature_request_status_idx on feature_request (status, status_at desc, request_uuid desc) where shown;
create index feature_request_root_idx on feature_request (root_uuid);
create index feature_request_merged_into_idx on feature_request (merged_into_uuid) where merged_into_uuid is not null;
create index feature_request_author_idx on feature_request (author_uuid, created_at desc, request_uuid desc);
create index feature_request_partner_idx on feature_request (partner_uuid, created_at desc, request_uuid desc);
create index feature_request_topic_idx on feature_request (topic_uuid);
create index feature_request_entry_idx on feature_request (entry_uuid) where entry_uuid is not null;
create index feature_request_created_at_idx on feature_request (created_at desc, request_uuid desc);
create index feature_request_reported_idx
    on feature_request (open_reports desc, (coalesce(reported_at, 'infinity')), request_uuid);
create index feature_request_all_votes_idx on feature_request (votes desc, request_uuid desc);
create index feature_request_all_activity_idx on feature_request (active_at desc, request_uuid desc);

-- Search terms of feature requests: the words of title and body as written, and their stems in every language with
-- stems, marked with the language. Users do not have to state the language of a request.
create function board_words(written text) returns tsvector
    language plpgsql stable strict parallel safe
    as $$
    declare
        folded text := public.search_folded(written);
    begin
        return to_tsvector('public.labs_simple', concat_ws(' ', folded, public.search_contracted(folded)))
            || coalesce((select string_agg(format('''.%s.%s'':1', stemmer.language, stem[1]), ' ')
                from (select distinct word from string_to_table(folded || ' ' || public.search_contracted(folded), ' ') as word
                      where length(word) between 2 and 60 limit 2000) as said
                cross join public.listing_stemmer as stemmer
                cross join lateral ts_lexize(stemmer.dictionary, said.word) as stem
                where cardinality(stem) > 0 and stemmer.language in ('de', 'en', 'fr', 'es', 'it', 'nl')), '')::tsvector;
    end $$;

-- Converts the user's input into the terms of `feature_request_words.search`. `near`: any word except stop words
-- occurs, or a word that begins with it; if all are stop words (the, und), these. `every`: each word occurs, the last
-- one also as the beginning of a word. Null if the input contains nothing to search for.
create function board_terms(typed text, out near tsquery, out every tsquery)
    language plpgsql stable parallel safe
    as $$
    declare
        said record;
        likely text[] := '{}';
        others text[] := '{}';
        each_word text[] := '{}';
    begin
        for said in
            select word.written, word.place = count(*) over () as is_last,
                exists (select from public.listing_stemmer as stemmer
                    where stemmer.language in ('de', 'en', 'fr', 'es', 'it', 'nl')
                        and ts_lexize(stemmer.dictionary, word.written) = '{}') as is_common,
                (select string_agg(form, ' | ') from (
                    select quote_literal(word.written) as form
                    union select quote_literal(public.search_contracted(word.written))
                    union select format('''.%s.%s''', stemmer.language, stem[1])
                    from public.listing_stemmer as stemmer
                    cross join lateral ts_lexize(stemmer.dictionary, word.written) as stem
                    where cardinality(stem) > 0 and stemmer.language in ('de', 'en', 'fr', 'es', 'it', 'nl')
                    union select format('''%s'':*', word.written) where length(word.written) >= 5) as forms) as forms
            from string_to_table(public.search_folded(left(typed, 300)), ' ') with ordinality as word (written, place)
            where word.written <> '' order by word.place limit 40
        loop
            if said.is_common then
                others := others || said.forms;
            else
                likely := likely || said.forms;
            end if;
            if said.is_last and length(said.written) between 2 and 4 then
                each_word := each_word || format('%s | ''%s'':*', said.forms, said.written);
            elsif not said.is_common then
                each_word := each_word || said.forms;
            end if;
        end loop;
        near := nullif(array_to_string(case when likely = '{}' then others else likely end, ' | '), '')::tsquery;
        if each_word = '{}' then
            each_word := others;
        end if;
        every := nullif('(' || array_to_string(each_word, ') & (') || ')', '()')::tsquery;
    end $$;

create table feature_request_words (
    request_uuid uuid constraint feature_request_words_pkey primary key
        constraint feature_request_words_request_fkey references feature_request on delete cascade,
    title text not null,
    search tsvector not null
);
comment on table feature_request_words is 'Search data of feature requests. A trigger maintains it.';
comment on column feature_request_words.title is
    'Form of the title for comparison: lower-case letters and digits, without accents.';
comment on column feature_request_words.search is
    'Words and stems of the title (weight A) and of the body (weight D).';
create index feature_request_words_search_idx on feature_request_words using gin (search) with (fastupdate = off);
create index feature_request_words_title_contains_idx on feature_request_words using gin (title gin_trgm_ops)
    with (fastupdate = off);

create function feature_request_worded() returns trigger language plpgsql as $$
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
create trigger feature_request_worded after insert or update of title, body on feature_request
    for each row execute function feature_request_worded();

-- Feature requests with a similar title: for each request on the board, the best match among its own title and the
-- titles of merged requests. Shared title terms count most: words and stems of any language, then letters; the body
-- counts less. Only candidates are compared: at most 200 that share the rarest words, and 50 whose title begins with
-- the text. To choose them, the function reads about 8,000 entries at most, divided among the related words by their
-- closeness; of a word with more entries than its share, the newest.
create function board_near(typed text, most integer)
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

-- One row per request and user; the author's own vote is separate. The user is a pseudonym; only the day of the vote is
-- stored.
create table feature_vote (
    request_uuid uuid not null constraint feature_vote_request_fkey references feature_request,
    voter bytea not null constraint feature_vote_voter_check check (octet_length(voter) = 32),
    voted_on date not null default (labs_now() at time zone 'UTC')::date,
    constraint feature_vote_pkey primary key (request_uuid, voter)
);
create index feature_vote_voter_idx on feature_vote (voter, request_uuid) include (voted_on);
comment on column feature_vote.request_uuid is 'Feature request for which the vote was cast, also after a merge.';
comment on column feature_vote.voter is 'HMAC-SHA-256 of the user with a key of the board.';

create table feature_follow (
    request_uuid uuid not null constraint feature_follow_request_fkey references feature_request,
    follower bytea not null constraint feature_follow_follower_check check (octet_length(follower) = 32),
    followed_on date not null default (labs_now() at time zone 'UTC')::date,
    constraint feature_follow_pkey primary key (request_uuid, follower)
);
create index feature_follow_follower_idx on feature_follow (follower, request_uuid) include (followed_on);
comment on column feature_follow.follower is 'Pseudonym of the user; different from the one in feature_vote.';

-- The read state of a user is one row, regardless of the number of read items: with one row per item, their number
-- would show how many items the user had to read, and so who had voted.
create table board_read (
    reader bytea constraint board_read_pkey primary key constraint board_read_reader_check check (octet_length(reader) = 32),
    sealed bytea not null constraint board_read_sealed_check check (octet_length(sealed) > 1600),
    read_on date not null default (labs_now() at time zone 'UTC')::date
);
create index board_read_read_on_idx on board_read (read_on);
comment on column board_read.reader is
    'HMAC-SHA-256 of the user with a key of the board; different from the pseudonyms of votes and follows.';
comment on column board_read.sealed is
    'Encrypted: the time until which all notifications are read, and the later ones that are read. Padded, so that the length reveals nothing.';

-- Number of votes cast today under a pseudonym of user and day; deleted after the day.
create table board_vote_budget (
    day date not null default (labs_now() at time zone 'UTC')::date,
    voter bytea not null constraint board_vote_budget_voter_check check (octet_length(voter) = 32),
    votes integer not null default 1,
    constraint board_vote_budget_pkey primary key (day, voter)
);

-- Daily use of a user's other limits; these actions are public.
create table board_daily_use (
    person_uuid uuid not null constraint board_daily_use_person_fkey references person,
    day date not null default (labs_now() at time zone 'UTC')::date,
    what text not null constraint board_daily_use_what_check check (what in ('PROPOSALS', 'COMMENTS', 'REPORTS')),
    used integer not null,
    constraint board_daily_use_pkey primary key (person_uuid, day, what)
);
create index board_daily_use_day_idx on board_daily_use (day);

create table feature_comment (
    comment_uuid uuid constraint feature_comment_pkey primary key,
    request_uuid uuid not null constraint feature_comment_request_fkey references feature_request,
    partner_uuid uuid constraint feature_comment_partner_fkey references partner,
    author_uuid uuid constraint feature_comment_author_fkey references person,
    is_answer boolean not null default false,
    body text not null constraint feature_comment_body_check check (length(body) between 1 and 5000),
    edited_at timestamptz,
    suspended_at timestamptz,
    suspension_reason text,
    open_reports integer not null default 0
        constraint feature_comment_open_reports_check check (open_reports >= 0),
    reported_at timestamptz,
    created_at timestamptz not null default labs_now(),
    body_html text,
    body_renderer smallint not null default 0,
    constraint feature_comment_answer_check check (is_answer = (partner_uuid is null)),
    constraint feature_comment_author_check check (is_answer or author_uuid is not null),
    constraint feature_comment_suspension_check check ((suspended_at is null) = (suspension_reason is null))
);
comment on column feature_comment.request_uuid is
    'Feature request to which the comment was added, also after a merge.';
comment on column feature_comment.is_answer is 'Whether this is an official answer by a staff member.';
create index feature_comment_request_idx on feature_comment (request_uuid, created_at, comment_uuid);
create index feature_comment_author_idx on feature_comment (author_uuid);
create index feature_comment_partner_idx on feature_comment (partner_uuid, created_at desc, comment_uuid desc);
create index feature_comment_created_at_idx on feature_comment (created_at desc, comment_uuid desc);
create index feature_comment_reported_idx
    on feature_comment (open_reports desc, (coalesce(reported_at, 'infinity')), comment_uuid);

-- Earlier text of a feature request or a comment before an edit.
create table board_earlier_text (
    text_uuid uuid constraint board_earlier_text_pkey primary key,
    request_uuid uuid constraint board_earlier_text_request_fkey references feature_request on delete cascade,
    comment_uuid uuid constraint board_earlier_text_comment_fkey references feature_comment on delete cascade,
    title text,
    body text not null,
    replaced_at timestamptz not null default labs_now(),
    constraint board_earlier_text_of_check check (num_nonnulls(request_uuid, comment_uuid) = 1)
);
create index board_earlier_text_request_idx on board_earlier_text (request_uuid, replaced_at desc);
create index board_earlier_text_comment_idx on board_earlier_text (comment_uuid, replaced_at desc);

-- Public history of a feature request.
create table feature_event (
    event_uuid uuid constraint feature_event_pkey primary key,
    request_uuid uuid not null constraint feature_event_request_fkey references feature_request,
    other_uuid uuid constraint feature_event_other_fkey references feature_request,
    kind text not null constraint feature_event_kind_check check (kind in ('STATUS', 'MERGE', 'UNMERGE', 'ANSWER')),
    from_status text,
    to_status text,
    note text,
    entry_uuid uuid constraint feature_event_entry_fkey references publication_item on delete set null,
    comment_uuid uuid constraint feature_event_comment_fkey references feature_comment,
    actor_uuid uuid constraint feature_event_actor_fkey references person,
    occurred_at timestamptz not null default labs_now(),
    constraint feature_event_status_check check ((kind = 'STATUS') = (to_status is not null)),
    constraint feature_event_other_check check ((kind in ('MERGE', 'UNMERGE')) = (other_uuid is not null)),
    constraint feature_event_comment_check check ((kind = 'ANSWER') = (comment_uuid is not null))
);
comment on column feature_event.request_uuid is 'The feature request. Of a merge or its reversal: the merged one.';
comment on column feature_event.other_uuid is
    'Of a merge or its reversal: the feature request into which the other was merged.';
comment on column feature_event.note is 'Public note by staff.';
create index feature_event_request_idx on feature_event (request_uuid, occurred_at desc, event_uuid desc);
create index feature_event_other_idx on feature_event (other_uuid, occurred_at desc, event_uuid desc)
    where other_uuid is not null;
create index feature_event_occurred_at_idx on feature_event (occurred_at desc, event_uuid desc);
create index feature_event_comment_idx on feature_event (comment_uuid) where comment_uuid is not null;
create index feature_event_entry_idx on feature_event (entry_uuid) where entry_uuid is not null;
create index feature_event_actor_idx on feature_event (actor_uuid) where actor_uuid is not null;

-- Reports of partners to staff: a feature request or a comment, once per user.
create table board_report (
    report_uuid uuid constraint board_report_pkey primary key,
    request_uuid uuid constraint board_report_request_fkey references feature_request,
    comment_uuid uuid constraint board_report_comment_fkey references feature_comment,
    reporter_uuid uuid not null constraint board_report_reporter_fkey references person,
    partner_uuid uuid not null constraint board_report_partner_fkey references partner,
    reason text not null constraint board_report_reason_check
        check (reason in ('SPAM', 'ABUSIVE', 'OFF_TOPIC', 'PERSONAL_DATA', 'DUPLICATE', 'OTHER')),
    note text,
    outcome text not null default 'OPEN'
        constraint board_report_outcome_check check (outcome in ('OPEN', 'UPHELD', 'DISMISSED')),
    resolution_note text,
    resolved_by uuid constraint board_report_resolved_by_fkey references person,
    resolved_at timestamptz,
    reported_at timestamptz not null default labs_now(),
    constraint board_report_target_check check (num_nonnulls(request_uuid, comment_uuid) = 1),
    constraint board_report_resolution_check check ((outcome = 'OPEN') = (resolved_at is null)),
    constraint board_report_once_key unique nulls not distinct (reporter_uuid, request_uuid, comment_uuid)
);
comment on column board_report.note is 'Note by the reporter for staff.';
comment on column board_report.resolution_note is 'Internal note by staff.';
create index board_report_request_idx on board_report (request_uuid, reported_at) where request_uuid is not null;
create index board_report_comment_idx on board_report (comment_uuid, reported_at) where comment_uuid is not null;
create index board_report_partner_idx on board_report (partner_uuid);
create index board_report_outcome_idx on board_report (outcome, reported_at, report_uuid);
create index board_report_reported_at_idx on board_report (reported_at, report_uuid);
create index board_report_resolved_by_idx on board_report (resolved_by) where resolved_by is not null;

-- Author of a text: always the company, unless it was erased; the user if their attribution setting allows it.
create function board_author(partner uuid, author uuid) returns jsonb
    language sql stable parallel safe
    as $$
        select jsonb_build_object(
            'partner_uuid', case when p.state <> 'ERASED' then p.partner_uuid end,
            'company_name', case when p.state <> 'ERASED' then p.company_name end,
            'person_name', case when p.state <> 'ERASED' and h.show_name and h.state <> 'REMOVED' then h.name end)
        from public.partner as p left join public.person as h on h.person_uuid = author
        where p.partner_uuid = partner
    $$;

-- Weight of a vote in the trend: twice the weight of a vote two weeks earlier.
create function board_weight(day date) returns double precision
    language sql immutable strict parallel safe
    as $$ select power(2::double precision, (day - date '2026-01-01') / 14::double precision) $$;

-- Facts about a feature request and a user's vote, read under the lock of the feature request, and whether the function
-- changed the vote. The service chooses the response by them (schema/engagement/src/votes/rules.rs). A feature request
-- that does not exist is not on the board and has no status.
create type board_vote_facts as (
    is_on_board boolean,
    is_merged boolean,
    status text,
    had_voted boolean,
    is_changed boolean
);

-- Casts a vote, unless the user has already voted for the feature request or for one merged into it. The feature
-- request must be on the board, not merged, and have one of the statuses in `votable`. The function locks it first;
-- every later statement then sees all earlier commits, so that a user counts once, regardless of the number of
-- concurrent requests.
create function board_cast(request uuid, person uuid, pseudonym bytea, votable text[]) returns board_vote_facts
    language plpgsql
    as $$
    declare
        held public.feature_request;
        facts public.board_vote_facts;
        today date := (public.labs_now() at time zone 'UTC')::date;
    begin
        select * into held from public.feature_request as r where r.request_uuid = request for update;
        facts.is_on_board := found and held.suspended_at is null;
        facts.is_merged := held.merged_into_uuid is not null;
        facts.status := held.status;
        facts.had_voted := exists (select from public.feature_request as d where d.root_uuid = request
                and d.author_uuid = person and d.author_voted_on is not null)
            or exists (select from public.feature_vote as v join public.feature_request as d using (request_uuid)
                where d.root_uuid = request and v.voter = pseudonym);
        facts.is_changed := facts.is_on_board and not facts.is_merged and not facts.had_voted
            and held.status = any (votable);
        if facts.is_changed then
            if held.author_uuid <> person then
                insert into public.feature_vote (request_uuid, voter, voted_on) values (request, pseudonym, today);
            end if;
            update public.feature_request as r
            set votes = r.votes + 1, trend = r.trend + public.board_weight(today),
                author_voted_on = case when r.author_uuid = person then today else r.author_voted_on end
            where r.request_uuid = request;
        end if;
        return facts;
    end $$;

-- Withdraws a user's vote, also from the feature requests that were merged into this one.
create function board_withdraw(request uuid, person uuid, pseudonym bytea) returns board_vote_facts
    language plpgsql
    as $$
    declare
        held public.feature_request;
        facts public.board_vote_facts;
        lost double precision;
    begin
        select * into held from public.feature_request as r where r.request_uuid = request for update;
        facts.is_on_board := found and held.suspended_at is null;
        facts.is_merged := held.merged_into_uuid is not null;
        facts.status := held.status;
        -- A user counts with the latest of their days.
        select public.board_weight(max(day)) into lost from (
            select v.voted_on as day from public.feature_vote as v join public.feature_request as d using (request_uuid)
            where d.root_uuid = request and v.voter = pseudonym
            union all
            select d.author_voted_on from public.feature_request as d
            where d.root_uuid = request and d.author_uuid = person) as cast_on;
        facts.had_voted := lost is not null;
        facts.is_changed := facts.is_on_board and not facts.is_merged and facts.had_voted;
        if facts.is_changed then
            delete from public.feature_vote as v using public.feature_request as d
            where d.root_uuid = request and v.request_uuid = d.request_uuid and v.voter = pseudonym;
            update public.feature_request as d set author_voted_on = null
            where d.root_uuid = request and d.author_uuid = person and d.author_voted_on is not null;
            update public.feature_request as r set votes = r.votes - 1, trend = greatest(r.trend - lost, 0)
            where r.request_uuid = request;
        end if;
        return facts;
    end $$;

-- Recounts, after a merge or its reversal, the voters of a request and of those merged into it: each pseudonym once.
-- `authors` and `pseudonyms` are the authors of these requests with their pseudonyms.
create function board_recount(root uuid, authors uuid[], pseudonyms bytea[]) returns void
    language sql
    as $$
        update public.feature_request as r
        set votes = counted.votes, trend = counted.trend
        from (
            select count(*)::integer as votes, coalesce(sum(public.board_weight(day)), 0) as trend
            from (
                select voter, max(day) as day from (
                    select v.voter, v.voted_on as day
                    from public.feature_request as d join public.feature_vote as v using (request_uuid)
                    where d.root_uuid = root
                    union all
                    select known.pseudonym, d.author_voted_on
                    from public.feature_request as d
                    join unnest(authors, pseudonyms) as known (author_uuid, pseudonym) using (author_uuid)
                    where d.root_uuid = root and d.author_voted_on is not null) as every_vote
                group by voter) as once) as counted
        where r.request_uuid = root
    $$;
call audit_watch('board_topic', 'topic_uuid');
call audit_watch('feature_request', 'request_uuid',
    'insert or delete or update of title, body, topic_uuid, status, entry_uuid, merged_into_uuid, pinned_at, locked_at, suspended_at, suspension_reason');
call audit_watch('feature_comment', 'comment_uuid',
    'insert or delete or update of body, suspended_at, suspension_reason');
call audit_watch('board_report', 'report_uuid', 'insert or delete or update of outcome, resolution_note');
grant select, insert, update on board_topic to labs_service;
grant select, insert, update on feature_request to labs_service;
grant select, insert, update on feature_request_words to labs_service;
grant select, insert, delete on feature_vote to labs_service;
grant select, insert, delete on feature_follow to labs_service;
grant select, insert, update, delete on board_read to labs_service;
grant select, insert, update, delete on board_vote_budget to labs_service;
grant select, insert, update, delete on board_daily_use to labs_service;
grant select, insert, update on feature_comment to labs_service;
grant select, insert on board_earlier_text to labs_service;
grant select, insert on feature_event to labs_service;
grant select, insert, update on board_report to labs_service;

create index feature_comment_contains_idx
    on feature_comment using gin ((folded(body) collate "C") gin_trgm_ops);
create index feature_comment_suspended_idx on feature_comment (created_at desc, comment_uuid desc)
    where suspended_at is not null;
create index feature_comment_open_idx on feature_comment (created_at desc, comment_uuid desc) where open_reports > 0;
create index feature_comment_answer_idx on feature_comment (created_at desc, comment_uuid desc) where is_answer;
grant delete on board_earlier_text to labs_service;

-- The columns of the roadmap, and the requests of a status with the most votes.
create index feature_request_status_votes_idx on feature_request (status, votes desc, request_uuid desc) where shown;

-- How fast staff answer, and which requests wait for an answer.
create index feature_request_pace_idx on feature_request (created_at) include (answered_at) where shown;
create index feature_request_waiting_idx on feature_request (created_at) where shown and answered_at is null;
create index feature_request_suspended_idx on feature_request (suspended_at) where suspended_at is not null;

-- Declined requests that still gain votes.
create index feature_request_growing_idx on feature_request (status_at)
    where shown and status = 'DECLINED' and votes >= declined_votes + 10 and votes * 4 >= declined_votes * 5;

-- The requests that a user follows or voted for are looked up by pseudonym; their events by the index of each request.
create index board_topic_position_idx on board_topic (position, topic_uuid);

-- Id of a notification for one user: it differs for every user, and gives access to nothing (RFC 9562, version 8).
create function board_news_uuid(naming bytea, event uuid) returns uuid
    language sql immutable strict parallel safe
    as $$
        select encode(set_byte(set_byte(hashed.bytes, 6, get_byte(hashed.bytes, 6) & 15 | 128), 8,
            get_byte(hashed.bytes, 8) & 63 | 128), 'hex')::uuid
        from (select substring(sha256(naming || uuid_send(event)) for 16) as bytes) as hashed
    $$;

-- Events of the last year on the requests that a user proposed, voted for or follows, and the reason for each
-- notification. Nothing is stored: the function computes it at each read. A suspended request or answer produces no
-- notification. Joins only add rows by key: the suspended requests and comments of the whole board are never read.
create function board_news(person uuid, voter bytea, follower bytea)
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

-- Pending board items for staff, each by a separate index.
create view board_waiting (kind, number, oldest_at) as
    select 'BOARD_REPORTED', count(*), min(reported_at) from board_report where outcome = 'OPEN'
    union all
    select 'FEATURE_REQUEST_GROWING', count(*), min(status_at) from feature_request
    where shown and status = 'DECLINED' and votes >= declined_votes + 10 and votes * 4 >= declined_votes * 5;
grant select on board_waiting to labs_service;
comment on column feature_request.body_html is 'The body as HTML.';
comment on column feature_request.body_renderer is
    'Version of the renderer that created the HTML; 0 without HTML. The job TEXT_RENDERING replaces older HTML.';
comment on column feature_comment.body_html is 'The body as HTML.';
comment on column feature_comment.body_renderer is
    'Version of the renderer that created the HTML; 0 without HTML. The job TEXT_RENDERING replaces older HTML.';
create index feature_request_renderer_idx on feature_request (body_renderer, request_uuid);
create index feature_comment_renderer_idx on feature_comment (body_renderer, comment_uuid);

-- HTML never outlives its text: a statement that changes only the text, as the erasure of a company
-- does, removes the HTML.
create function board_html_outdated() returns trigger language plpgsql as $$
begin
    new.body_html := null;
    new.body_renderer := 0;
    return new;
end $$;
create trigger feature_request_html before update of body on feature_request for each row
    when (new.body is distinct from old.body and new.body_html is not distinct from old.body_html)
    execute function board_html_outdated();
create trigger feature_comment_html before update of body on feature_comment for each row
    when (new.body is distinct from old.body and new.body_html is not distinct from old.body_html)
    execute function board_html_outdated();

-- Words of all titles, each once, with their stems in every language with stems, marked with the language.
create table board_word (
    word text collate "C" constraint board_word_pkey primary key,
    stems text[] not null
);
comment on table board_word is
    'Words of titles, for the search for similar feature requests. A trigger maintains them.';
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
comment on table board_title_word is 'Feature requests by the words of their titles. A trigger maintains them.';

-- Titles that begin with a text, or equal it.
create index feature_request_words_beginning_idx on feature_request_words (title text_pattern_ops);

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
comment on table customer_rating is 'Numbers of published customer reviews. A trigger maintains them.';
comment on column customer_rating.version_number is
    'Version that the customer reviews name. Null for customer reviews without a version.';

create table customer_rating_day (
    app_uuid uuid not null constraint customer_rating_day_app_fkey references app on delete cascade,
    day date not null,
    rating integer not null,
    number integer not null constraint customer_rating_day_number_check check (number >= 0),
    constraint customer_rating_day_pkey primary key (app_uuid, day, rating)
);
comment on table customer_rating_day is
    'Numbers of published customer reviews by the day on which they were written, in UTC. A trigger maintains them.';

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

-- Comments of one partner in the order of the list for staff.
create index feature_comment_partner_reported_idx
    on feature_comment (partner_uuid, open_reports desc, (coalesce(reported_at, 'infinity')), comment_uuid);
create trigger customer_rating_public after insert or update or delete on customer_rating
    for each row execute function public_changed('storefront');

-- A changelog entry names the feature requests that it ships.
create trigger feature_request_shipped after update on feature_request for each row
    when ((old.entry_uuid, old.shown, old.status_at) is distinct from (new.entry_uuid, new.shown, new.status_at)
        and (old.entry_uuid is not null or new.entry_uuid is not null))
    execute function public_changed('publication');
create trigger feature_request_deleted after delete on feature_request for each row
    when (old.entry_uuid is not null) execute function public_changed('publication');

reset check_function_bodies;
reset lock_timeout;
reset timezone;
