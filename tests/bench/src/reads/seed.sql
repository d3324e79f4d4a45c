-- Inserts rows for every read of the contract: about the measured partner of the sample data (elbkontor), and about all
-- partners of seed.sql, so that the lists of staff have many rows.
set synchronous_commit = off;
create temporary table own as
select p.partner_uuid, (select min(person_uuid::text)::uuid from person where kind = 'STAFF_USER') as staff_uuid,
       (select min(person_uuid::text)::uuid from person where partner_uuid = p.partner_uuid) as member_uuid,
       (select s.snapshot from submission as s where s.partner_uuid = p.partner_uuid limit 1) as snapshot,
       (select tier_uuid from subscription where partner_uuid = p.partner_uuid) as tier_uuid,
       (select tier_uuid from tier where code = 'GROWTH') as former_tier_uuid
  from partner as p where p.slug = 'elbkontor';

-- A page of apps is full if there are more than twenty. The first partner keeps its apps for the cases.
create temporary table moved as
select app_uuid from app where partner_uuid = '0198bbbb-0000-7000-8000-000000000002' order by app_uuid limit 20;
update app set partner_uuid = own.partner_uuid from own where app_uuid in (select app_uuid from moved);
update listing set partner_uuid = own.partner_uuid from own where app_uuid in (select app_uuid from moved);

-- Five people for each partner, thirty for the measured one, and their security events.
create temporary table member as
select labs_uuid() as person_uuid, p.partner_uuid, p.slug || '-' || n || '@people.example' as email, n
  from partner as p cross join own
 cross join lateral generate_series(1, case when p.partner_uuid = own.partner_uuid then 30 else 5 end) as n;
insert into person (person_uuid, kind, partner_uuid, email, email_normalised, name, role, state, email_verified_at)
select person_uuid, 'PARTNER_USER', partner_uuid, email, email, 'Person ' || n,
       (array['ADMINISTRATOR', 'DEVELOPER', 'EDITOR', 'ACCOUNTANT', 'VIEWER'])[1 + n % 5], 'ACTIVE', labs_now()
  from member;
insert into person (person_uuid, kind, email, email_normalised, name, state)
select labs_uuid(), 'STAFF_USER', 'staff-' || n || '@labs.example', 'staff-' || n || '@labs.example', 'Staff ' || n, 'ACTIVE'
  from generate_series(1, 60) as n;
insert into staff_role_grant (person_uuid, role_code, granted_by)
select person.person_uuid, 'REVIEWER', own.staff_uuid from person cross join own
 where kind = 'STAFF_USER' and email like 'staff-%';
insert into session (session_uuid, person_uuid, created_at, idle_expires_at, expires_at, address, user_agent)
select labs_uuid(), person_uuid, labs_now() - n * interval '1 hour', labs_now() + interval '7 days',
       labs_now() + interval '30 days', '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
  from person cross join generate_series(1, 8) as n;
insert into security_event (event_uuid, occurred_at, kind, outcome, person_uuid, partner_uuid, address, user_agent)
select labs_uuid(), labs_now() - n * interval '1 hour', 'SIGN_IN', case when n % 5 = 0 then 'REFUSED' else 'SUCCEEDED' end,
       person_uuid, partner_uuid, '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
  from person cross join generate_series(1, 24) as n;
insert into sign_in_failure (subject, failures, last_failed_at, held_until)
select 'account:' || email || '@192.0.2.1', 5, labs_now(), labs_now() + interval '1 day' from member where n <= 2 on conflict do nothing;

-- About partners.
insert into invitation (invitation_uuid, partner_uuid, email, email_normalised, role, invited_by, expires_at)
select labs_uuid(), m.partner_uuid, 'new-' || m.email, 'new-' || m.email, 'EDITOR', own.member_uuid,
       labs_now() + interval '7 days'
  from member as m cross join own;
insert into partner_contact (contact_uuid, partner_uuid, kind, name, email, email_normalised, phone)
select labs_uuid(), partner_uuid, (array['BILLING', 'TECHNICAL', 'SECURITY'])[1 + n % 3], 'Contact ' || n,
       'contact-' || email, 'contact-' || email, '+49 40 5550123' from member where n <= 12;
insert into partner_note (note_uuid, partner_uuid, author_uuid, body)
select labs_uuid(), m.partner_uuid, own.staff_uuid, 'They asked for a longer trial, and called again a week later.'
  from member as m cross join own;
insert into partner_event (event_uuid, partner_uuid, occurred_at, kind, actor_kind, actor_uuid, subject_uuid)
select labs_uuid(), partner_uuid, labs_now() - n * interval '1 day', 'TEAM_MEMBER_ADDED', 'PARTNER_USER', person_uuid,
       person_uuid from member;
insert into partner_profile (partner_uuid, texts, website_url, languages, regions)
select partner_uuid, '{"en": {"tagline": "Tills that last", "description": "Tills and kitchen screens for harbour towns."}}',
       'https://partner.example', '{de,en}', '{DE,AT}' from partner on conflict do nothing;
insert into subscription_event (event_uuid, partner_uuid, occurred_at, kind, from_tier_uuid, to_tier_uuid, actor_kind)
select labs_uuid(), m.partner_uuid, labs_now() - m.n * interval '30 days', 'CHANGED', own.former_tier_uuid, own.tier_uuid,
       'SYSTEM' from member as m cross join own;
insert into tier_change_request (request_uuid, partner_uuid, from_tier_uuid, to_tier_uuid, message, state, actor_kind,
                                 actor_uuid, created_at, decided_at)
select labs_uuid(), m.partner_uuid, own.former_tier_uuid, own.tier_uuid, 'We grow.',
       case when m.n = 1 then 'PENDING' else 'APPLIED' end, 'PARTNER_USER', m.person_uuid,
       labs_now() - m.n * interval '30 days', case when m.n > 1 then labs_now() end
  from member as m cross join own on conflict do nothing;
insert into entitlement_override (partner_uuid, feature_code, value, reason, set_by)
select p.partner_uuid, 'apps', '500', 'They asked.', own.staff_uuid from partner as p cross join own;
insert into mail_message (message_uuid, kind, recipient, subject, state, attempts, sent_at, person_uuid, partner_uuid,
                          created_at)
select labs_uuid(), 'INVITATION', email, 'You are invited', 'SENT', 1, labs_now(), person_uuid, partner_uuid,
       labs_now() - n * interval '1 hour' from member;

-- Support.
insert into support_ticket (ticket_uuid, partner_uuid, subject, topic, priority, opened_by_kind, opened_by, assignee_uuid,
                            messages_count, created_at)
select m.person_uuid, m.partner_uuid, 'Webhooks are refused since this morning', 'API',
       (array['LOW', 'NORMAL', 'HIGH', 'URGENT'])[1 + m.n % 4], 'PARTNER_USER', m.person_uuid, own.staff_uuid, 6,
       labs_now() - m.n * interval '1 hour'
  from member as m cross join own;
insert into support_message (message_uuid, ticket_uuid, side, author_uuid, body, created_at)
select labs_uuid(), m.person_uuid, case when place % 2 = 1 then 'PARTNER' else 'SUPPORT' end,
       case when place % 2 = 1 then m.person_uuid else own.staff_uuid end,
       repeat('The webhook of the kitchen answers 503 at noon. ', 4), labs_now() - (10 - place) * interval '1 minute'
  from member as m cross join own cross join generate_series(1, 6) as place;
insert into support_note (note_uuid, ticket_uuid, author_uuid, body)
select labs_uuid(), m.person_uuid, own.staff_uuid, 'Their certificate ran out.' from member as m cross join own;

-- Review of apps.
create temporary table reviewed as
select labs_uuid() as submission_uuid, v.version_uuid, v.app_uuid, app.partner_uuid, v.created_at, v.state
  from app_version as v join app using (app_uuid)
 where v.number = '1.4.0' and app.slug like 'app-%' and right(app.slug, 1) = '7' limit 2000;
insert into submission (submission_uuid, version_uuid, app_uuid, partner_uuid, state, submitted_at, reviewer_uuid,
                        claimed_at, decided_at, snapshot)
select r.submission_uuid, r.version_uuid, r.app_uuid, r.partner_uuid, 'APPROVED', r.created_at, own.staff_uuid,
       r.created_at, r.created_at, own.snapshot
  from reviewed as r cross join own;
insert into submission_finding (finding_uuid, submission_uuid, requirement_code, text, position, resolved)
select labs_uuid(), submission_uuid, 'REQ-0' || place, 'The second screenshot shows a test account.', place, true
  from reviewed cross join generate_series(1, 3) as place;

-- Machine clients and their requests.
insert into machine_client (client_uuid, client_id, partner_uuid, name, allowed_scopes)
select labs_uuid(), 'own-client-' || n, own.partner_uuid, 'Build ' || n, '{marketplace.apps}'
  from own cross join generate_series(1, 20) as n;
insert into machine_client_secret (secret_uuid, client_uuid, prefix, secret_sha256)
select labs_uuid(), client_uuid, 'labs_cs_abcd', sha256((client_id || place)::bytea)
  from machine_client cross join generate_series(1, 3) as place;
insert into token_grant (grant_uuid, client_uuid, token_id, granted_at, expires_at, outcome, scopes, address)
select labs_uuid(), client_uuid, labs_uuid(), labs_now() - n * interval '1 hour', labs_now(), 'SUCCEEDED', allowed_scopes,
       '192.0.2.1' from machine_client cross join generate_series(1, 30) as n;
insert into client_scope_use (client_uuid, scope, uses)
select client_uuid, allowed_scopes[1], 100 from machine_client on conflict do nothing;

-- Logs. The denied networks are reserved for documentation.
insert into network_denial (denial_uuid, network, reason, created_by)
select labs_uuid(), ('203.0.113.' || n)::cidr, 'It guesses passwords.', own.staff_uuid
  from own cross join generate_series(1, 200) as n on conflict do nothing;
insert into rate_limit_refusal (hour, account, operation, code, budget, refusals)
select date_trunc('hour', labs_now()) - n * interval '1 hour', 'partner:' || p.partner_uuid, 'marketplace_apps_list',
       'RATE_LIMITED', 'burst', 20 from partner as p cross join generate_series(1, 10) as n on conflict do nothing;
insert into request_usage (day, account, operation, requests)
select current_date - n, 'partner:' || p.partner_uuid, operation, 100
  from partner as p cross join generate_series(1, 10) as n
 cross join unnest(array['marketplace_apps_list', 'marketplace_apps_get', 'partner_account_get']) as operation on conflict do nothing;
insert into daily_budget (account, day, granted)
select 'partner:' || p.partner_uuid, current_date, 500 from partner as p on conflict do nothing;
insert into audit_log (record_uuid, recorded_at, operation, channel, outcome, actor_kind, actor_uuid, actor_label, scope,
                       target_kind, target_uuid, partner_uuid, request_id, address, parameters)
select labs_uuid(), labs_now() - m.n * interval '1 day', 'admin_partners_get', 'REST', 'SUCCEEDED', 'STAFF_USER',
       own.staff_uuid, 'Staff', 'labs.admin.partners', 'partner', m.partner_uuid, m.partner_uuid, 'seeded-' || place,
       '192.0.2.1', jsonb_build_object('partner_uuid', m.partner_uuid)
  from member as m cross join own cross join generate_series(1, 2) as place;

-- A deprecation that no measured request uses, its callers, and an import of statistics.
create temporary table deprecated as
select labs_uuid() as deprecation_uuid;
insert into deprecation (deprecation_uuid, operation_id, parameter, reason, replacement, sunset_at)
select deprecation_uuid, 'admin_partners_list', 'created_at_until', 'Another filter replaces it.', 'Use the other filter.',
       labs_now() + interval '300 days' from deprecated;
insert into deprecation_use (deprecation_uuid, day, account, requests)
select deprecation_uuid, current_date - n, 'partner:' || p.partner_uuid, 10
  from deprecated cross join (select partner_uuid from partner order by partner_uuid limit 30) as p
 cross join generate_series(1, 5) as n on conflict do nothing;
with imported as (
    insert into statistic_import (import_uuid, trigger, state, days, started_at, ended_at)
    select labs_uuid(), 'SCHEDULE', 'SUCCEEDED', array[current_date - n], labs_now(), labs_now()
      from generate_series(1, 60) as n returning import_uuid, days[1] as day)
insert into statistic_import_run (run_uuid, import_uuid, day, state, ended_at)
select labs_uuid(), import_uuid, day, 'SUCCEEDED', labs_now() from imported;
drop table reviewed, member, moved, own, deprecated;
