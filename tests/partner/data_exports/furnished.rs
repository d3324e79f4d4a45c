//! Partners with rows in every table, and the owner of each row, derived only from the database catalogue.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use crate::harness::Harness;
use crate::harness::people::Person;
use crate::partner::imagery::{form, own, png, put};
use crate::partner::profile::written;

/// The columns that identify the owner of a row, in order of precedence, each with a query for the owner's ids.
const BELONGING: [(&str, &str); 8] = [
    ("partner_uuid", "select $1::uuid"),
    ("app_uuid", "select app_uuid from app where partner_uuid = $1"),
    ("person_uuid", "select person_uuid from person where partner_uuid = $1"),
    ("client_uuid", "select client_uuid from machine_client where partner_uuid = $1"),
    ("review_uuid", "select review_uuid from customer_review join app using (app_uuid) where partner_uuid = $1"),
    ("submission_uuid", "select submission_uuid from submission where partner_uuid = $1"),
    ("ticket_uuid", "select ticket_uuid from support_ticket where partner_uuid = $1"),
    ("version_uuid", "select version_uuid from app_version join app using (app_uuid) where partner_uuid = $1"),
];

/// The part that the partner may see of the audit records that `counted` writes: three staff calls, and the reason of
/// one of them.
const STAFF_ACCESS: &str = "select jsonb_build_object('event_uuid', record_uuid, 'occurred_at', recorded_at,
        'operation', operation, 'subject_uuid', target_uuid,
        'reason', case when operation = 'admin_apps_transfer' then reason end)
    from audit_log where partner_uuid = $1
     and operation in ('admin_partners_get', 'admin_apps_transfer', 'marketplace_submissions_unclaim')";

/// Customer review texts that readers see.
const SHOWN_TEXTS: &str =
    "select shown_text_uuid from customer_review join app using (app_uuid) where partner_uuid = $1";

/// Earlier texts of the partner's feature requests and comments.
const EARLIER_TEXTS: &str = "request_uuid in (select request_uuid from feature_request where partner_uuid = $1)
    or comment_uuid in (select comment_uuid from feature_comment where partner_uuid = $1)";

/// Whether a partner may see a row of a table.
fn is_shown(table: &str, row: &Value) -> bool {
    match table {
        "review_message" => row["internal"] == false,
        "customer_review" => row["state"] == "PUBLISHED",
        _ => true,
    }
}

/// Returns the rows of a partner in each of these tables.
pub(super) async fn owned(harness: &Harness, tables: &[String], partner: Uuid) -> BTreeMap<String, Vec<Value>> {
    let mut owner = harness.owner().await;
    let mut found = BTreeMap::new();
    for table in tables {
        let rows = match table.as_str() {
            "staff_access" => STAFF_ACCESS.to_owned(),
            _ => format!("select to_jsonb(t) from {table} as t where {}", filter(&mut owner, table).await),
        };
        let rows: Vec<Value> =
            sqlx::query_scalar(AssertSqlSafe(rows)).bind(partner).fetch_all(&mut owner).await.unwrap();
        found.insert(table.clone(), rows.into_iter().filter(|row| is_shown(table, row)).collect());
    }
    found
}

/// Returns the condition for the rows of a table that belong to the partner, `$1`.
async fn filter(owner: &mut PgConnection, table: &str) -> String {
    let columns: Vec<String> = sqlx::query_scalar(
        "select attname::text from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped",
    )
    .bind(table)
    .fetch_all(owner)
    .await
    .unwrap();
    let belonging = BELONGING.iter().find(|(column, _)| columns.iter().any(|known| known == column));
    match (table, belonging) {
        ("request_usage" | "rate_limit_refusal" | "deprecation_use", _) => {
            "account = 'partner:' || $1::uuid::text".to_owned()
        }
        ("customer_review_text", _) => format!("text_uuid in ({SHOWN_TEXTS})"),
        ("board_earlier_text", _) => EARLIER_TEXTS.to_owned(),
        ("mail_message", _) => format!("partner_uuid = $1 or person_uuid in ({})", BELONGING[2].1),
        (_, Some((column, of))) => format!("{column} in ({of})"),
        (_, None) => panic!("nobody knows whose a row of {table} is"),
    }
}

/// Returns every table with data of partners or their users: the tables that refer to them, directly or indirectly, and
/// the tables that name them without a foreign key.
pub(super) async fn catalogue(harness: &Harness) -> Vec<String> {
    sqlx::query_scalar(
        "with recursive belonging as (
             select 'partner'::regclass::oid as oid
             union
             select c.conrelid from pg_constraint as c join belonging as b on c.confrelid = b.oid where c.contype = 'f')
         select relname::text from pg_class
          where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
            and (oid in (select oid from belonging) or exists (
                 select from pg_attribute
                  where attrelid = pg_class.oid and not attisdropped
                    and attname in ('partner_uuid', 'app_uuid', 'person_uuid', 'client_uuid', 'account')))
          order by relname",
    )
    .fetch_all(&mut harness.owner().await)
    .await
    .unwrap()
}

/// Inserts two customer reviews of an app: one is published, answered and flagged, the other is pending.
async fn reviewed(harness: &Harness, app: &str, who: Uuid) {
    harness
        .sql(&format!(
            "with texts as (
                 insert into customer_review_text (text_uuid, review_uuid, rating, body, locale)
                    values (labs_uuid(), labs_uuid(), 5, 'Good', 'en'), (labs_uuid(), labs_uuid(), 1, 'not shown yet', 'en')
                    returning *
             ), reviews as (
                 insert into customer_review (review_uuid, app_uuid, customer_sha256, state, shown_text_uuid, rating, locale,
                                              written_at, has_text, waiting_text_uuid, waiting_since)
                    select review_uuid, '{app}'::uuid, sha256(body::bytea), 'PUBLISHED', text_uuid, rating, locale, labs_now(),
                           true, null::uuid, null::timestamptz from texts where rating = 5
                    union all
                    select review_uuid, '{app}'::uuid, sha256(body::bytea), 'PENDING', null, null, null, null, null, text_uuid,
                           labs_now() from texts where rating = 1
             ), replies as (
                 insert into customer_review_reply (reply_uuid, review_uuid, text_uuid, body, author_kind, author_uuid)
                    select labs_uuid(), review_uuid, text_uuid, 'Thank you', 'PARTNER_USER', '{who}' from texts
             )
             insert into customer_review_flag (flag_uuid, review_uuid, text_uuid, reason, author_kind, author_uuid)
                select labs_uuid(), review_uuid, text_uuid, 'SPAM', 'PARTNER_USER', '{who}' from texts where rating = 5"
        ))
        .await;
}

/// Creates a partner with rows in every table.
pub(super) async fn furnished(harness: &Harness, company: &str) -> Person {
    let person = harness.partner(company).await;
    written(harness, &person).await;
    own(harness, &person, "partner_profile_publish").expect(200).await;
    assert_eq!(put(harness, &person, "BANNER", png(1_120, 300, 7)).await.status, 200);
    let app = json!({ "name": format!("{company} App"), "tagline": "Takes orders" });
    let call = harness.call("marketplace_apps_create").token(&person.token).json(&app);
    let app = call.expect(201).await.str("uuid").to_owned();
    let icon = harness.call("marketplace_media_upload").path("app_uuid", &app).token(&person.token);
    icon.multipart(form(png(256, 256, 5)).text("kind", "ICON")).expect(201).await;
    let version = json!({ "number": "1.0.0", "release_notes": { "en": "First." } });
    let call = harness.call("marketplace_versions_create").path("app_uuid", &app).token(&person.token);
    let version = call.json(&version).expect(201).await.str("uuid").to_owned();
    let partner = person.partner_uuid.unwrap();
    let program = harness.program(&format!("{company} program"), &["marketplace"], Some(partner)).await;
    let (client, who) = (&program.client_id, person.uuid);
    harness
        .sql(&format!(
            "insert into category (category_uuid, slug, names)
                values ('00000000-0000-7000-8000-00000000000c', 'ordering', '{{\"en\": \"Ordering\"}}')
                on conflict do nothing;
             insert into app_category values ('{app}', '00000000-0000-7000-8000-00000000000c', 0);
             insert into submission (submission_uuid, version_uuid, app_uuid, partner_uuid, snapshot)
                values (labs_uuid(), '{version}', '{app}', '{partner}', '{{\"texts\": []}}');
             insert into submission_finding (finding_uuid, submission_uuid, requirement_code, text)
                select labs_uuid(), submission_uuid, 'REQ-14', 'Too much is asked' from submission
                 where app_uuid = '{app}';
             insert into review_message (message_uuid, submission_uuid, version_uuid, author_kind, internal, kind, body)
                select labs_uuid(), submission_uuid, version_uuid, 'STAFF_USER', kinds.* from submission cross join (
                    values (true, 'NOTE', 'among reviewers'), (false, 'MESSAGE', 'to the team')) as kinds
                 where app_uuid = '{app}';
             insert into listing (app_uuid, partner_uuid, slug, version_uuid, version_number, default_locale,
                                  published_at, first_published_at)
                select app_uuid, partner_uuid, slug, '{version}', '1.0.0', 'en', labs_now(), labs_now() from app
                 where app_uuid = '{app}';
             insert into listing_translation values ('{app}', 'en', '{company} App', 'Takes orders', 'All of them.');
             insert into listing_category values ('{app}', '00000000-0000-7000-8000-00000000000c', 0);
             insert into listing_media select app_uuid, media_uuid, kind, 1 from media where app_uuid = '{app}';
             insert into partner_contact (contact_uuid, partner_uuid, kind, name, email, email_normalised)
                values (labs_uuid(), '{partner}', 'SECURITY', 'Whoever is there', 'e@e.example', 'e@e.example');
             insert into support_ticket (ticket_uuid, partner_uuid, subject, topic, opened_by_kind, opened_by)
                values (labs_uuid(), '{partner}', 'A question of {company}', 'OTHER', 'PARTNER_USER', '{who}');
             insert into support_message (message_uuid, ticket_uuid, side, author_uuid, body)
                select labs_uuid(), ticket_uuid, side, '{who}', 'Words' from support_ticket
                 cross join (values ('PARTNER'), ('SUPPORT')) as sides (side) where partner_uuid = '{partner}';
             insert into tier_change_request (request_uuid, partner_uuid, from_tier_uuid, to_tier_uuid, actor_kind, actor_uuid)
                select labs_uuid(), '{partner}', tier_uuid, tier_uuid, 'PARTNER_USER', '{who}' from tier limit 1;
             insert into entitlement_override (partner_uuid, feature_code, value, reason)
                values ('{partner}', 'apps', '7', 'A pilot');
             insert into rate_limit_override (partner_uuid, burst_per_second, reason) values ('{partner}', 500, 'Pilot');
             insert into subscription_event (event_uuid, partner_uuid, kind, actor_kind)
                values (labs_uuid(), '{partner}', 'EXTENDED', 'SYSTEM');
             insert into email_change (change_uuid, person_uuid, session_uuid, old_email, old_email_normalised,
                                       new_email, new_email_normalised)
                values (labs_uuid(), '{who}', labs_uuid(), 'a@a.example', 'a@a.example', 'b@b.example', 'b@b.example');
             insert into invitation (invitation_uuid, partner_uuid, email, email_normalised, role, expires_at)
                values (labs_uuid(), '{partner}', 'c@c.example', 'c@c.example', 'VIEWER', labs_now() + interval '1 day');
             insert into mail_message (message_uuid, kind, recipient, subject, state, sent_at, partner_uuid)
                values (labs_uuid(), 'NOTICE', 'd@d.example', 'Hello', 'SENT', labs_now(), '{partner}');
             insert into client_scope_use (client_uuid, scope, uses)
                select client_uuid, 'marketplace', 3 from machine_client where client_id = '{client}'
                on conflict do nothing;"
        ))
        .await;
    reviewed(harness, &app, who).await;
    counted(harness, partner).await;
    heard(harness, partner, who).await;
    person
}

/// Inserts a feature request and a comment, each edited and reported.
async fn heard(harness: &Harness, partner: Uuid, who: Uuid) {
    harness
        .sql(&format!(
            "with proposed as materialized (select labs_uuid() as uuid)
             insert into feature_request (request_uuid, root_uuid, partner_uuid, author_uuid, title, body)
                select uuid, uuid, '{partner}', '{who}', 'Split the bill', 'By guest.' from proposed;
             insert into feature_comment (comment_uuid, request_uuid, partner_uuid, author_uuid, body)
                select labs_uuid(), request_uuid, partner_uuid, author_uuid, 'By course.' from feature_request
                 where partner_uuid = '{partner}';
             insert into board_earlier_text (text_uuid, request_uuid, title, body)
                select labs_uuid(), request_uuid, 'Pay apart', 'By table.' from feature_request
                 where partner_uuid = '{partner}';
             insert into board_earlier_text (text_uuid, comment_uuid, body)
                select labs_uuid(), comment_uuid, 'By table.' from feature_comment where partner_uuid = '{partner}';
             insert into board_report (report_uuid, request_uuid, reporter_uuid, partner_uuid, reason)
                select labs_uuid(), request_uuid, author_uuid, partner_uuid, 'SPAM' from feature_request
                 where partner_uuid = '{partner}';"
        ))
        .await;
}

/// Inserts request counts of a partner and audit records of staff actions on it, visible and invisible ones.
async fn counted(harness: &Harness, partner: Uuid) {
    harness
        .sql(&format!(
            "insert into request_usage values ('2020-01-01', 'partner:{partner}', 'system_me_get', 1, labs_now());
             insert into deprecation (deprecation_uuid, operation_id, reason, replacement, sunset_at)
                values (labs_uuid(), 'system_me_get', 'Hardly used.', 'None.', '2040-01-01')
                on conflict do nothing;
             insert into deprecation_use (deprecation_uuid, day, account, requests)
                select deprecation_uuid, '2020-01-01', 'partner:{partner}', 1 from deprecation;
             insert into rate_limit_refusal (hour, account, operation, code, budget, refusals)
             values (labs_now(), 'partner:{partner}', 'system_me_get', 'RATE_LIMITED', 'burst', 2);
             insert into audit_log (record_uuid, operation, channel, outcome, actor_kind, actor_uuid, actor_label,
                                    target_kind, target_uuid, partner_uuid, reason)
                select labs_uuid(), operation, 'REST', outcome, 'STAFF_USER', labs_uuid(), 'Petra Partners',
                       'PARTNER', '{partner}', '{partner}', reason
                  from (values ('admin_partners_get', 'SUCCEEDED', 'between staff'),
                               ('admin_apps_transfer', 'SUCCEEDED', 'Sold to another company'),
                               ('marketplace_submissions_unclaim', 'SUCCEEDED', 'between staff'),
                               ('marketplace_submissions_post_message', 'SUCCEEDED', 'between staff'),
                               ('engagement_reports_resolve', 'SUCCEEDED', 'between staff'),
                               ('an_operation_of_another_version', 'SUCCEEDED', 'between staff'),
                               ('admin_notes_create', 'SUCCEEDED', 'between staff'),
                               ('admin_partners_suspend', 'REFUSED', 'between staff'))
                       as calls (operation, outcome, reason);"
        ))
        .await;
}
