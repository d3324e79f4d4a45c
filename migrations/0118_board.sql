-- The board: feature requests of partners, their comments, and the answers of staff. Nothing here shows who voted,
-- followed or read: those rows contain pseudonyms, derived with a key that is outside the database.
set lock_timeout = '10s';

create table board_topic (
    topic_uuid uuid constraint board_topic_pkey primary key,
    names jsonb not null constraint board_topic_names_check check (names ->> 'en' <> ''),
    position integer not null default 0,
    active boolean not null default true,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now()
);
comment on column board_topic.names is 'Its name by locale; English is never missing.';
comment on column board_topic.active is 'Whether proposals can still be given it. Those that have it keep it.';

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
    constraint feature_request_root_check check ((merged_into_uuid is null) = (root_uuid = request_uuid)),
    constraint feature_request_suspension_check check ((suspended_at is null) = (suspension_reason is null))
) with (fillfactor = 80);
comment on column feature_request.edited_at is 'When its author last changed title or body.';
comment on column feature_request.status_at is 'When staff last changed the status; until they do, when it was proposed.';
comment on column feature_request.entry_uuid is 'Of a shipped one: the changelog entry that tells of it.';
comment on column feature_request.merged_into_uuid is 'The one that staff merged it into, which may be merged itself.';
comment on column feature_request.root_uuid is
    'The one at which it is voted for, followed and commented on: itself, or the end of the way of merges.';
comment on column feature_request.rooted_at is 'Since when that is so.';
comment on column feature_request.author_voted_on is
    'The author''s own vote: the day on which it was cast. It is no row among the votes, where it would give the pseudonym away.';
comment on column feature_request.votes is
    'How many people voted for it or for what is merged into it, each once. Kept with every vote, so that no read counts.';
comment on column feature_request.trend is
    'Votes that decay: the sum of 2 ^ (days since 2026-01-01 / 14) over the days on which they were cast.';
comment on column feature_request.heat is 'The trend as a whole number to sort by: its logarithm.';
comment on column feature_request.comments is 'Comments and answers that are shown.';
comment on column feature_request.reported_at is 'When the first of the open reports came.';
comment on column feature_request.answered_at is 'When staff first answered, or first changed the status.';
comment on column feature_request.declined_votes is 'Of a declined one: how many votes it had when it was declined.';
comment on column feature_request.active_at is
    'When it was proposed, edited, commented on, answered or moved last. Votes and follows are no activity.';
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
comment on table feature_request_words is 'What a proposal is found by; kept by a trigger.';
comment on column feature_request_words.title is 'The title as it is compared: small letters and digits, no accents.';
comment on column feature_request_words.search is 'Words and stems of the title (A) and of the body (D).';
create index feature_request_words_search_idx on feature_request_words using gin (search) with (fastupdate = off);
create index feature_request_words_title_idx on feature_request_words using gin (title gin_trgm_ops);

create function feature_request_worded() returns trigger language plpgsql as $$
begin
    insert into public.feature_request_words as known (request_uuid, title, search)
    values (new.request_uuid, public.search_folded(new.title),
        setweight(public.board_words(new.title), 'A') || setweight(public.board_words(new.body), 'D'))
    on conflict (request_uuid) do update set title = excluded.title, search = excluded.search;
    return null;
end $$;
create trigger feature_request_worded after insert or update of title, body on feature_request
    for each row execute function feature_request_worded();

-- Feature requests with a similar title: for each request on the board, the best match among its own title and the
-- titles of merged requests. Shared title terms count most: words and stems of any language, then letters; the body
-- counts less.
create function board_near(typed text, most integer) returns table (root_uuid uuid, matched_title text, fit double precision)
    language sql stable parallel safe rows 5
    set pg_trgm.word_similarity_threshold = 0.45 set plan_cache_mode = force_custom_plan
    as $$
        with asked as (
            select public.search_folded(left(typed, 300)) as folded, (public.board_terms(typed)).near as terms
        ), found as (
            select w.request_uuid, w.title, w.search, asked.folded, asked.terms
            from asked join public.feature_request_words as w on w.search @@ asked.terms
            union
            select w.request_uuid, w.title, w.search, asked.folded, asked.terms
            from asked join public.feature_request_words as w on asked.folded <% w.title
        ), fitting as (
            select r.root_uuid, r.request_uuid, r.title,
                similarity(found.folded, found.title)
                + word_similarity(found.folded, found.title)
                + coalesce(ts_rank('{0.05, 0, 0, 1}', found.search, found.terms), 0) * 4 as fit
            from found join public.feature_request as r using (request_uuid)
            join public.feature_request as root on root.request_uuid = r.root_uuid
            where r.suspended_at is null and root.shown
        )
        select best.root_uuid, case when best.request_uuid <> best.root_uuid then best.title end, best.fit
        from (select distinct on (root_uuid) * from fitting order by root_uuid, fit desc) as best
        order by best.fit desc, best.root_uuid limit most
    $$;

-- One row per request and user; the author's own vote is separate. The user is a pseudonym; only the day of the vote is
-- stored.
create table feature_vote (
    request_uuid uuid not null constraint feature_vote_request_fkey references feature_request,
    voter bytea not null constraint feature_vote_voter_check check (octet_length(voter) = 32),
    voted_on date not null default (labs_now() at time zone 'UTC')::date,
    constraint feature_vote_pkey primary key (request_uuid, voter)
);
create index feature_vote_voter_idx on feature_vote (voter, request_uuid) include (voted_on);
comment on column feature_vote.request_uuid is 'Where it was cast, whatever that is merged into since.';
comment on column feature_vote.voter is 'HMAC-SHA-256 of the person under a key of the board''s own.';

create table feature_follow (
    request_uuid uuid not null constraint feature_follow_request_fkey references feature_request,
    follower bytea not null constraint feature_follow_follower_check check (octet_length(follower) = 32),
    followed_on date not null default (labs_now() at time zone 'UTC')::date,
    constraint feature_follow_pkey primary key (request_uuid, follower)
);
create index feature_follow_follower_idx on feature_follow (follower, request_uuid) include (followed_on);
comment on column feature_follow.follower is 'Another pseudonym than the one that votes are kept under.';

-- The read state of a user is one row, regardless of the number of read items: with one row per item, their number
-- would show how many items the user had to read, and so who had voted.
create table board_read (
    reader bytea constraint board_read_pkey primary key constraint board_read_reader_check check (octet_length(reader) = 32),
    sealed bytea not null constraint board_read_sealed_check check (octet_length(sealed) > 1600),
    read_on date not null default (labs_now() at time zone 'UTC')::date
);
create index board_read_read_on_idx on board_read (read_on);
comment on column board_read.reader is 'HMAC-SHA-256 of the person under a key of the board''s own; no pseudonym of a vote or follow.';
comment on column board_read.sealed is
    'Up to which moment all is read, and what is read of what came later; sealed, and filled up to a length that tells nothing.';

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
    constraint feature_comment_answer_check check (is_answer = (partner_uuid is null)),
    constraint feature_comment_author_check check (is_answer or author_uuid is not null),
    constraint feature_comment_suspension_check check ((suspended_at is null) = (suspension_reason is null))
);
comment on column feature_comment.request_uuid is 'Where it was written, whatever that is merged into since.';
comment on column feature_comment.is_answer is 'The service''s own answer, by a member of staff.';
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
comment on column feature_event.request_uuid is 'The proposal; of a merge or its end, the one that was merged.';
comment on column feature_event.other_uuid is 'Of a merge or its end: the one into which.';
comment on column feature_event.note is 'What staff say to it in public.';
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
comment on column board_report.note is 'What the reporter adds, for staff.';
comment on column board_report.resolution_note is 'What staff note for one another.';
create index board_report_request_idx on board_report (request_uuid, reported_at) where request_uuid is not null;
create index board_report_comment_idx on board_report (comment_uuid, reported_at) where comment_uuid is not null;
create index board_report_partner_idx on board_report (partner_uuid);
create index board_report_outcome_idx on board_report (outcome, reported_at, report_uuid);
create index board_report_reported_at_idx on board_report (reported_at, report_uuid);
create index board_report_resolved_by_idx on board_report (resolved_by) where resolved_by is not null;

-- Resolves all open reports on a feature request or a comment, and returns their number.
create function board_resolve(request uuid, comment uuid, ending text, staff uuid, note text) returns integer
    language plpgsql
    as $$
    declare
        resolved integer;
    begin
        update public.board_report as r
        set outcome = ending, resolved_by = staff, resolved_at = public.labs_now(), resolution_note = board_resolve.note
        where r.outcome = 'OPEN' and (r.request_uuid = request or r.comment_uuid = comment);
        get diagnostics resolved = row_count;
        update public.feature_request set open_reports = 0, reported_at = null where request_uuid = request and open_reports > 0;
        update public.feature_comment set open_reports = 0, reported_at = null where comment_uuid = comment and open_reports > 0;
        return resolved;
    end $$;

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

-- Casts a vote. Returns CAST, or the reason why nothing changed: VOTED (the user has already voted for the request or
-- for one merged into it), MERGED, SHIPPED, or null if the board has no such request. The function locks the request
-- first; every later statement then sees all earlier commits, so that a user counts once, regardless of the number of
-- concurrent requests.
create function board_cast(request uuid, person uuid, pseudonym bytea) returns text
    language plpgsql
    as $$
    declare
        held public.feature_request;
        today date := (public.labs_now() at time zone 'UTC')::date;
    begin
        select * into held from public.feature_request as r where r.request_uuid = request for update;
        if held.request_uuid is null or held.suspended_at is not null then
            return null;
        elsif held.merged_into_uuid is not null then
            return 'MERGED';
        elsif exists (select from public.feature_request as d where d.root_uuid = request
                and d.author_uuid = person and d.author_voted_on is not null)
            or exists (select from public.feature_vote as v join public.feature_request as d using (request_uuid)
                where d.root_uuid = request and v.voter = pseudonym)
        then
            return 'VOTED';
        elsif held.status = 'SHIPPED' then
            return 'SHIPPED';
        end if;
        if held.author_uuid <> person then
            insert into public.feature_vote (request_uuid, voter, voted_on) values (request, pseudonym, today);
        end if;
        update public.feature_request as r
        set votes = r.votes + 1, trend = r.trend + public.board_weight(today),
            author_voted_on = case when r.author_uuid = person then today else r.author_voted_on end
        where r.request_uuid = request;
        return 'CAST';
    end $$;

-- Withdraws a user's vote, also from a request that was merged. Returns WITHDRAWN, NONE if there was no vote, MERGED,
-- or null.
create function board_withdraw(request uuid, person uuid, pseudonym bytea) returns text
    language plpgsql
    as $$
    declare
        held public.feature_request;
        lost double precision;
    begin
        select * into held from public.feature_request as r where r.request_uuid = request for update;
        if held.request_uuid is null or held.suspended_at is not null then
            return null;
        elsif held.merged_into_uuid is not null then
            return 'MERGED';
        end if;
        -- A user counts with the latest of their days.
        select public.board_weight(max(day)) into lost from (
            select v.voted_on as day from public.feature_vote as v join public.feature_request as d using (request_uuid)
            where d.root_uuid = request and v.voter = pseudonym
            union all
            select d.author_voted_on from public.feature_request as d
            where d.root_uuid = request and d.author_uuid = person) as cast_on;
        if lost is null then
            return 'NONE';
        end if;
        delete from public.feature_vote as v using public.feature_request as d
        where d.root_uuid = request and v.request_uuid = d.request_uuid and v.voter = pseudonym;
        update public.feature_request as d set author_voted_on = null
        where d.root_uuid = request and d.author_uuid = person and d.author_voted_on is not null;
        update public.feature_request as r set votes = r.votes - 1, trend = greatest(r.trend - lost, 0)
        where r.request_uuid = request;
        return 'WITHDRAWN';
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

reset lock_timeout;
