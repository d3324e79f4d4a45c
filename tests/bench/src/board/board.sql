-- Grows the board to `:requests` feature requests, a multiple of 1,000. Each has on average fifty votes, ten comments and
-- five followers; each partner has a hundred requests. All statuses and twenty topics occur. Can run again with a larger
-- number.
--
-- Texts have HTML of a later renderer than the service's, so that no job renders them during a measurement.
--
-- The reads rely on the last two digits of a request's number: 10 to 49 are visible without merged requests, and 10 to 19
-- of these are open. 57 and 58 are merged into the 56 before them. 90 are suspended. 10 got a reply just now. The comments
-- of 10 and 56 grow with the board. Request 20 has a full page of status changes, request 156 a full page of duplicates.
set synchronous_commit = off;
set maintenance_work_mem = '256MB';
set work_mem = '128MB';
-- A number below `most` that looks random and is the same in every run.
create function pg_temp.drawn(n bigint, what integer, most integer) returns integer language sql immutable parallel safe
    as $$ select ((hashint8extended(n, what) & 2147483647) % most)::integer $$;
-- UUIDs in the order of the numbers, as if they were generated one after the other.
create function pg_temp.request(n integer) returns uuid language sql immutable parallel safe
    as $$ select ('0198b0a0-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
create function pg_temp.part(n integer, place integer, kind text) returns uuid language sql immutable parallel safe
    as $$ select (lpad(to_hex(n), 8, '0') || '-' || lpad(to_hex(place), 4, '0') || '-7000-8000-' || kind)::uuid $$;
create function pg_temp.partner(n integer) returns uuid language sql immutable parallel safe
    as $$ select ('0198b0b0-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
create function pg_temp.person(partner integer, place integer) returns uuid language sql immutable parallel safe
    as $$ select ('0198b0b0-000' || 1 + place || '-7000-8000-' || lpad(to_hex(partner), 12, '0'))::uuid $$;

insert into partner (partner_uuid, slug, company_name, country)
select pg_temp.partner(n), 'board-' || n, 'Board company ' || n, 'DE' from generate_series(1, :requests / 100) as n
    on conflict do nothing;
insert into subscription (partner_uuid, tier_uuid)
select partner_uuid, '01980000-0000-7000-8000-000000000003' from partner where slug like 'board-%'
    on conflict do nothing;
insert into person (person_uuid, kind, partner_uuid, email, email_normalised, name, role, state, show_name)
select pg_temp.person(n, place), 'PARTNER_USER', pg_temp.partner(n), email, email, 'Person ' || place, 'DEVELOPER',
       'ACTIVE', place % 2 = 0
  from generate_series(1, :requests / 100) as n cross join generate_series(0, 4) as place
 cross join lateral (select place || '@board-' || n || '.example') as address (email) on conflict do nothing;
insert into board_topic (topic_uuid, names, position)
select ('0198b0c0-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, jsonb_build_object('en', 'Topic ' || n), n
  from generate_series(1, 20) as n on conflict do nothing;
update tier set burst_per_second = 1000000, daily_requests = 1000000000;

-- Disables triggers, because rows refer to later rows. The indexes are built at the end.
set session_replication_role = replica;
create temporary table made_anew as
select indexdef, indexrelid::regclass as name
  from pg_index join pg_class as t on t.oid = indrelid join pg_indexes on indexname = indexrelid::regclass::text
 where t.relname in ('feature_request', 'feature_request_words', 'feature_vote', 'feature_follow', 'feature_comment',
                     'feature_event', 'board_report', 'board_earlier_text', 'board_word', 'board_title_word')
   and not exists (select from pg_constraint where conindid = indexrelid);
do $$ begin execute (select 'drop index ' || string_agg(name::text, ', ') from made_anew); end $$;

-- A thousand texts. Each has one unique word; each other word occurs in about one of thirty titles.
create temporary table pattern as
select p, format('%s the %s and the %s for %s %s', verb[1 + pg_temp.drawn(p, 1, 24)],
           noun[1 + pg_temp.drawn(p, 2, 120)], noun[1 + pg_temp.drawn(p, 3, 120)], noun[1 + pg_temp.drawn(p, 4, 120)],
           syllable[1 + p / 100] || syllable[1 + p / 10 % 10] || syllable[1 + p % 10]) as title,
       concat_ws(' ', said[1 + pg_temp.drawn(p, 5, 16)], said[1 + pg_temp.drawn(p, 6, 16)]) as body
  from generate_series(0, 999) as p
 cross join (select
       array['ba', 'ko', 'du', 'fi', 'ge', 'lo', 'mu', 'na', 'pi', 'ro'] as syllable,
       regexp_split_to_array('Show Print Split Export Translate Colour Sort Import Repeat Rename Hide Combine
                              Archive Copy Lock Count Round Merge Filter Announce Schedule Scan Compare
                              Remember', '\s+') as verb,
       regexp_split_to_array('bill kitchen table guest receipt tip voucher menu drawer shift printer barcode
                              discount deposit invoice allergen recipe supplier delivery courier terrace
                              waiter reservation season currency tax refund webhook sandbox token language
                              screen scale stock bottle branch report calendar label terminal breakfast
                              banquet bar beer booking bread buffet bundle cancellation cashier chair cheque
                              cocktail coffee colleague contract cook counter coupon course cover crate
                              cutlery day dessert device dish display draft event fee festival floor folder
                              glass group holiday hotel ingredient key keg laundry ledger loyalty lunch margin
                              message minibar note number office opening order oven packaging page password
                              payment picnic plate portion price queue rating room round roster salary sample
                              schedule seat server signature sign spice staff station statement tablet
                              takeaway', '\s+') as noun,
       array['Today we type it in twice.', 'Our customers ask for it every week.', 'At noon nobody has a hand free.',
             'Paper is lost between two floors.', 'The accountant wants one file a month.',
             'It works elsewhere already.', 'We built something around it, which breaks often.',
             'New people cannot find the button.', 'Half of our houses have no network in the cellar.',
             'A second device would help.', 'Rounding is wrong by a cent.', 'Regular visitors are greeted by name.',
             'The law asks for it from next year.', 'Colours say nothing to some of us.',
             'An example in the documentation would do.', 'We would pay for that.'] as said) as words;
alter table pattern add column title_words tsvector, add column body_words tsvector;
-- Computing the search words of a text takes some milliseconds. The unique word of a request replaces this one.
update pattern set title_words = setweight(board_words(title || ' n7777777'), 'A'),
                   body_words = setweight(board_words(body), 'D');

create temporary table new_request as
select n, pg_temp.request(n) as request_uuid, p.title || ' n' || lpad(n::text, 7, '0') as title, p.body, created_at,
       now, 1 + known / 100 + pg_temp.drawn(n, 11, (:requests - known) / 100) as partner,
       pg_temp.drawn(n, 12, 5) as author,
       case when n % 100 between 10 and 19 then 'OPEN' else
           (array_fill('OPEN'::text, '{10}') || array_fill('UNDER_REVIEW'::text, '{3}')
            || '{PLANNED,PLANNED,IN_PROGRESS,SHIPPED,SHIPPED,SHIPPED,DECLINED}')[1 + pg_temp.drawn(n, 13, 20)]
       end as status,
       case when n % 100 in (57, 58) then n / 100 * 100 + 56 when n between 160 and 189 then 156 end as merged_into,
       n % 100 = 90 as suspended, n % 100 = 10 or pg_temp.drawn(n, 14, 5) = 0 as has_answer,
       pg_temp.drawn(n, 15, 20) = 0 as edited,
       case when n % 100 = 10 then now - n * interval '1 microsecond'
            else least(created_at + (1 + pg_temp.drawn(n, 16, 720)) * interval '1 hour', now) end as moved_at,
       case pg_temp.drawn(n, 17, 100) when 0 then 'OPEN' when 1 then 'DISMISSED' end as reported
  from (select count(*)::integer as known from feature_request where request_uuid::text like '0198b0a0-%') as before
 cross join generate_series(known + 1, :requests) as n
  join pattern as p on p.p = n % 1000
 cross join lateral (select labs_now() as now,
           labs_now() - (:requests - n + 1) * (interval '700 days' / (:requests - known)) as created_at) as made
 order by n;
analyze new_request;

insert into feature_vote (request_uuid, voter, voted_on)
select request_uuid, sha256(('voter ' || (n::bigint * 100 + place) * 7919 % 50000)::bytea),
       least(created_at::date + pg_temp.drawn(n * 100 + place, 21, 60), now::date)
  from new_request cross join lateral generate_series(1, 1 + pg_temp.drawn(n, 22, 99)) as place;
insert into feature_follow (request_uuid, follower, followed_on)
select request_uuid, sha256(('follower ' || (n::bigint * 100 + place) * 7919 % 50000)::bytea), created_at::date
  from new_request cross join generate_series(1, 5) as place;

create temporary table new_comment as
select n, place, pg_temp.part(n, place, 'b0d000000000') as comment_uuid, pg_temp.request(n) as request_uuid,
       1 + pg_temp.drawn(each, 31, :requests / 100) as partner, pg_temp.drawn(each, 32, 5) as author,
       pg_temp.drawn(each, 33, 200) = 0 as suspended, false as is_answer,
       least(r.created_at + place * interval '3 hours', labs_now()) as created_at, labs_now() as now,
       case pg_temp.drawn(each, 34, 400) when 0 then 'OPEN' when 1 then 'UPHELD' end as reported
  from (select n, created_at, 1 as first, pg_temp.drawn(n, 35, 21) as last from new_request where n not in (10, 56)
        union all
        select n, created_at, 1 + (select count(*)::integer from feature_comment as c
                                    where c.request_uuid = pg_temp.request(n) and not c.is_answer), :requests / 20
          from unnest(array[10, 56]) as n
          join (select request_uuid, created_at from new_request
                union all select request_uuid, created_at from feature_request) as r
            on r.request_uuid = pg_temp.request(n)) as r
 cross join lateral generate_series(first, last) as place
 cross join lateral (select n * 10000::bigint + place) as numbered (each);
insert into new_comment
select n, 60000, pg_temp.part(n, 60000, 'b0d000000000'), request_uuid, null, null, false, true, moved_at, now, null
  from new_request where has_answer;
insert into feature_comment (comment_uuid, request_uuid, partner_uuid, author_uuid, is_answer, body, body_html,
                             body_renderer, created_at, suspended_at, suspension_reason, open_reports, reported_at)
select comment_uuid, request_uuid, pg_temp.partner(partner), pg_temp.person(partner, author), is_answer, written.body,
       '<p>' || written.body || E'</p>\n', 1000, created_at, case when suspended then now end,
       case when suspended then 'It names a guest.' end, case when reported = 'OPEN' then 1 else 0 end,
       case when reported = 'OPEN' then created_at + interval '1 hour' end
  from new_comment join pattern as said on said.p = (n + place * 7) % 1000
 cross join lateral (select concat_ws(' ', said.title, 'would do for us', n, place)) as written (body)
 order by n, place;

create temporary table counted as
select request_uuid, votes, trend, coalesce(comments, 0) as comments
  from (select request_uuid, count(*)::integer as votes, sum(board_weight(voted_on)) as trend
          from feature_vote join new_request using (request_uuid) group by request_uuid) as v
  left join (select request_uuid, count(*)::integer as comments from new_comment
              where not suspended group by request_uuid) as c using (request_uuid);
insert into feature_request (request_uuid, partner_uuid, author_uuid, title, body, body_html, body_renderer, edited_at, topic_uuid, status,
                             status_at, merged_into_uuid, root_uuid, rooted_at, pinned_at, locked_at, suspended_at,
                             suspension_reason, author_voted_on, votes, trend, comments, open_reports, reported_at,
                             answered_at, declined_votes, active_at, created_at)
select request_uuid, pg_temp.partner(partner), pg_temp.person(partner, author), title, body,
       '<p>' || body || E'</p>\n', 1000, case when edited then moved_at end,
       case when n % 10 > 0
            then ('0198b0c0-0000-7000-8000-' || lpad(to_hex(1 + pg_temp.drawn(n, 41, 20)), 12, '0'))::uuid end,
       status, case when status = 'OPEN' then created_at else moved_at end, pg_temp.request(merged_into),
       coalesce(pg_temp.request(merged_into), request_uuid),
       case when merged_into is null then created_at else moved_at end,
       case when n in (10, 11, 13) then now end, case when n % 97 = 0 then now end, case when suspended then now end,
       case when suspended then 'It is an advertisement.' end, created_at::date, votes + 1,
       trend + board_weight(created_at::date), comments, case when reported = 'OPEN' then 1 else 0 end,
       case when reported = 'OPEN' then created_at + interval '1 hour' end,
       case when has_answer or status <> 'OPEN' then moved_at end,
       case when status = 'DECLINED' then (votes + 1) / (1 + pg_temp.drawn(n, 42, 20) / 19) end,
       greatest(moved_at, least(created_at + comments * interval '3 hours', now)), created_at
  from new_request join counted using (request_uuid) order by n;

insert into feature_request_words (request_uuid, title, search)
select request_uuid, lower(r.title),
       replace(title_words::text, 'n7777777', 'n' || lpad(n::text, 7, '0'))::tsvector || body_words
  from new_request as r join pattern as p on p.p = n % 1000 order by n;

insert into board_word (word, stems)
select word, board_stems(word)
  from (select distinct word from new_request as r cross join board_spellings(lower(r.title)) as word) as used
    on conflict do nothing;
insert into board_title_word (word, request_uuid)
select word, request_uuid from new_request as r cross join board_spellings(lower(r.title)) as word;

insert into feature_event (event_uuid, request_uuid, other_uuid, kind, from_status, to_status, note, comment_uuid,
                           occurred_at)
select pg_temp.part(n, 1, 'b0e000000000'), request_uuid, null::uuid, 'STATUS', 'OPEN', status, 'We look at it.',
       null::uuid, moved_at from new_request where status <> 'OPEN'
union all
select pg_temp.part(n, 2, 'b0e000000000'), request_uuid, pg_temp.request(merged_into), 'MERGE', null, null,
       'Both want the same.', null, moved_at from new_request where merged_into is not null
union all
select pg_temp.part(n, 3, 'b0e000000000'), request_uuid, null, 'ANSWER', null, null, null,
       pg_temp.part(n, 60000, 'b0d000000000'), moved_at from new_request where has_answer
union all
select pg_temp.part(n, 100 + place, 'b0e000000000'), request_uuid, null, 'STATUS', 'PLANNED', 'UNDER_REVIEW',
       'Not yet.', null, created_at + place * interval '1 minute'
  from new_request cross join generate_series(1, 40) as place where n = 20;
insert into board_report (report_uuid, request_uuid, comment_uuid, reporter_uuid, partner_uuid, reason, note, outcome,
                          resolved_at, reported_at)
select pg_temp.part(n, place, 'b0f000000000'), request_uuid, comment_uuid, pg_temp.person(other, 0),
       pg_temp.partner(other), 'SPAM', 'It is the third of this kind.', reported,
       case when reported <> 'OPEN' then now end, created_at + interval '1 hour'
  from (select n, 0 as place, request_uuid, null::uuid as comment_uuid, reported, created_at, now from new_request
        union all select n, place, null, comment_uuid, reported, created_at, now from new_comment) as about
 cross join lateral (select 1 + pg_temp.drawn(n + place, 51, :requests / 100) as other) as reporter
 where reported is not null;
insert into board_earlier_text (text_uuid, request_uuid, title, body, replaced_at)
select pg_temp.part(n, 1, 'b0aa00000000'), request_uuid, title, 'Once it said less.', moved_at
  from new_request where edited;

do $$
declare
    statement text;
begin
    for statement in select indexdef from made_anew loop
        execute statement;
    end loop;
end $$;
analyze feature_request, feature_vote;
-- Analyzes comments added to an existing board. An index built after a change is not used until the change is committed,
-- so this runs later.
update feature_request as r set comments = r.comments + c.added
  from (select request_uuid, count(*)::integer as added from new_comment
         where not suspended and n not in (select n from new_request) group by request_uuid) as c
 where r.request_uuid = c.request_uuid;
-- A person who voted for several merged requests counts once. Only the service can derive the pseudonyms of authors; these
-- are placeholders.
select count(*) from (
    select root_uuid, array_agg(author_uuid) as authors, array_agg(sha256(author_uuid::text::bytea)) as pseudonyms
      from (select distinct root_uuid, author_uuid from feature_request
             where root_uuid in (select pg_temp.request(merged_into) from new_request)) as author
     group by root_uuid) as root cross join lateral board_recount(root_uuid, authors, pseudonyms);

-- Compares a sample with the rows, and with the result of the service.
do $$
begin
    if exists (select from (select * from new_request where n % 100 between 10 and 49
                               order by n % 977, n limit 50) as sample
                 join feature_request as r using (request_uuid) join feature_request_words as w using (request_uuid)
                where w.title <> search_folded(r.title)
                   or w.search <> setweight(board_words(r.title), 'A') || setweight(board_words(r.body), 'D')
                   or r.votes <> 1 + (select count(*) from feature_vote as v where v.request_uuid = r.request_uuid)
                   or r.comments <> (select count(*) from feature_comment as c
                                      where c.request_uuid = r.request_uuid and c.suspended_at is null)) then
        raise exception 'the board is not what the service would write';
    end if;
end $$;
reset session_replication_role;
drop table new_request, new_comment, counted, pattern, made_anew;
drop function pg_temp.drawn, pg_temp.request, pg_temp.part, pg_temp.partner, pg_temp.person;
reset work_mem;
reset maintenance_work_mem;
