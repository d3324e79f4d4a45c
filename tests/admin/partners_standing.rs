//! Tests of a partner's state: suspend, reinstate, close, reopen, and erase personal data.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::auth::token_for;
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};
use crate::partner::team::{ACCEPT, invite};

const DAY: i64 = 86_400;

async fn cast() -> (Harness, Person, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let scopes = ["labs.admin.partners:write", "labs.admin.submissions:write", "labs.admin.categories:write"];
    let staff = harness.staff("Jonas Okafor", &scopes).await;
    let owner = harness.partner("Nordsee Kassen").await;
    (harness, staff, owner)
}

async fn step(harness: &Harness, by: &Person, action: &str, partner: Uuid) -> Answer {
    let call = harness.call(&format!("admin_partners_{action}")).path("partner_uuid", partner).token(&by.token);
    call.json(&json!({ "reason": format!("Because of {action}.") })).send().await
}

async fn status(harness: &Harness, token: &str) -> u16 {
    harness.call("system_me_get").token(token).send().await.status
}

async fn soon_status(harness: &Harness, token: &str, status_then: u16) {
    harness.soon("the token is judged anew", async || status(harness, token).await == status_then).await;
}

/// Publishes an app of the partner on the storefront and returns its slug.
async fn listed(harness: &Harness, staff: &Person, owner: &Person) -> String {
    let (app, version) = crate::marketplace::submittable(harness, staff, owner, "Table Pilot").await;
    let at = |operation: &str| {
        harness.call(operation).path("app_uuid", &app).path("version_uuid", &version).token(&owner.token)
    };
    at("marketplace_versions_submit").json(&json!({})).expect(200).await;
    let queue = harness.call("marketplace_submissions_list").token(&staff.token).expect(200).await;
    let submission = queue.json["data"][0]["uuid"].as_str().unwrap().to_owned();
    let on = |operation: &str| harness.call(operation).path("submission_uuid", &submission).token(&staff.token);
    on("marketplace_submissions_claim").expect(200).await;
    on("marketplace_submissions_approve").json(&json!({})).expect(200).await;
    at("marketplace_versions_publish").json(&json!({})).expect(200).await;
    "table-pilot".to_owned()
}

async fn shown(harness: &Harness, storefront: &str, slug: &str) -> u16 {
    harness.call("marketplace_listings_get").path("listing_slug", slug).token(storefront).send().await.status
}

#[tokio::test]
async fn suspended_partner_is_locked_out_at_once_and_restored_completely() {
    let (harness, staff, owner) = cast().await;
    let partner = owner.partner_uuid.unwrap();
    let storefront = harness.program("storefront", &["storefront:write"], None).await.token;
    let program = harness.program("Menu sync", &["marketplace"], Some(partner)).await;
    let slug = listed(&harness, &staff, &owner).await;
    assert_eq!(shown(&harness, &storefront, &slug).await, 200);
    let refused =
        harness.call("admin_partners_suspend").path("partner_uuid", partner).token(&staff.token).json(&json!({}));
    refused.expect(422).await;
    let held = step(&harness, &staff, "suspend", partner).await;
    assert_eq!((held.status, held.str("state"), held.str("state_reason")), (200, "SUSPENDED", "Because of suspend."));
    assert_eq!(held.json["counts"]["listings"], 0);
    assert_eq!(shown(&harness, &storefront, &slug).await, 404);
    soon_status(&harness, &owner.token, 403).await;
    soon_status(&harness, &program.token, 403).await;
    harness.call("auth_sessions_refresh").cookie(&owner.refresh).json(&json!({})).expect(401).await;
    let body = json!({ "email": owner.email, "password": PASSWORD });
    assert_eq!(harness.call("auth_sessions_create").json(&body).expect(403).await.code(), "PARTNER_SUSPENDED");
    let again = step(&harness, &staff, "suspend", partner).await;
    assert_eq!((again.code(), &again.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!(["reinstate", "close"])));
    let back = step(&harness, &staff, "reinstate", partner).await;
    assert_eq!((back.str("state"), &back.json["counts"]["listings"]), ("ACTIVE", &json!(1)));
    assert_eq!(shown(&harness, &storefront, &slug).await, 200);
    soon_status(&harness, &owner.token, 200).await;
    soon_status(&harness, &program.token, 200).await;
    harness.call("auth_sessions_refresh").cookie(&owner.refresh).json(&json!({})).expect(200).await;
    let changes = "select count(*) from listing_change where change = 'GONE'";
    assert_eq!(harness.number(changes).await, 1, "the caches are told");
    let history = harness.call("partner_account_list_events").path("partner_uuid", partner).query("group", "ACCOUNT");
    let history = history.token(&owner.token).expect(200).await;
    let told: Vec<(&Value, &Value)> =
        history.json["data"].as_array().unwrap().iter().map(|event| (&event["kind"], &event["reason"])).collect();
    assert_eq!(told[0], (&json!("REINSTATED"), &json!(null)));
    assert_eq!(told[1], (&json!("SUSPENDED"), &json!("Because of suspend.")));
    let recorded = "select count(*) from audit_log join audit_change using (record_uuid)
        where operation = 'admin_partners_suspend' and reason = 'Because of suspend.' and thing = 'partner'
          and after ->> 'state' = 'SUSPENDED' and target_label = 'Nordsee Kassen'";
    assert_eq!(harness.number(recorded).await, 1);
    let told = async || harness.mails_now(&owner.email).concat().contains("Because of suspend");
    harness.soon("the owner is told why", told).await;
}

#[tokio::test]
async fn suspension_pauses_closure_and_keeps_remaining_time() {
    let (harness, staff, owner) = cast().await;
    let partner = owner.partner_uuid.unwrap();
    let asked = harness.call("partner_account_request_closure").path("partner_uuid", partner).token(&owner.token);
    asked.expect(200).await;
    step(&harness, &staff, "suspend", partner).await;
    harness.advance(20 * DAY).await;
    let staff = harness.sign_in_with_factor(&staff.email, staff.totp.as_deref().unwrap()).await;
    let back = step(&harness, &staff, "reinstate", partner).await;
    assert_eq!(back.str("state"), "CLOSING");
    let closes_at: jiff::Timestamp = back.str("closes_at").parse().unwrap();
    let left = closes_at.duration_since(harness.clock.now().0).as_secs();
    assert!((13 * DAY..=14 * DAY).contains(&left), "{left}");
    harness.advance(15 * DAY).await;
    harness.until("select count(*) from partner where state = 'CLOSED'", 1).await;
}

#[tokio::test]
async fn closed_partner_can_be_reopened_in_time_with_its_data() {
    let (harness, staff, owner) = cast().await;
    let partner = owner.partner_uuid.unwrap();
    let storefront = harness.program("storefront", &["storefront:write"], None).await.token;
    let program = harness.program("Menu sync", &["marketplace"], Some(partner)).await;
    let slug = listed(&harness, &staff, &owner).await;
    let closed = step(&harness, &staff, "close", partner).await;
    let until: jiff::Timestamp = closed.str("reopen_until").parse().unwrap();
    assert_eq!(until.duration_since(harness.clock.now().0).as_hours() / 24, 29);
    assert_eq!((closed.str("state"), &closed.json["closes_at"]), ("CLOSED", &json!(null)));
    assert_eq!(shown(&harness, &storefront, &slug).await, 404);
    soon_status(&harness, &owner.token, 401).await;
    soon_status(&harness, &program.token, 401).await;
    let again = step(&harness, &staff, "suspend", partner).await;
    assert_eq!(again.json["allowed_actions"], json!(["reopen", "erase"]));
    let open = step(&harness, &staff, "reopen", partner).await;
    assert_eq!((open.status, open.str("state"), &open.json["reopen_until"]), (200, "ACTIVE", &json!(null)));
    assert_eq!(shown(&harness, &storefront, &slug).await, 200);
    soon_status(&harness, &program.token, 401).await;
    harness.sign_in(&owner.email).await;
    harness.token_of(&program.client_id, &program.secret, None).await;
    step(&harness, &staff, "suspend", partner).await;
    step(&harness, &staff, "close", partner).await;
    assert_eq!(step(&harness, &staff, "reopen", partner).await.str("state"), "SUSPENDED", "as it was");
    step(&harness, &staff, "close", partner).await;
    harness.advance(31 * DAY).await;
    let staff = harness.sign_in_with_factor(&staff.email, staff.totp.as_deref().unwrap()).await;
    let late = step(&harness, &staff, "reopen", partner).await;
    assert_eq!((late.code(), &late.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!(["erase"])));
}

#[tokio::test]
async fn reopened_partner_without_administrator_gets_one_by_invitation() {
    let (harness, staff, owner) = cast().await;
    let partner = owner.partner_uuid.unwrap();
    let other = harness.partner("Weser Software").await;
    step(&harness, &staff, "close", partner).await;
    assert_eq!(invite(&harness, &other, &owner.email, "EDITOR").await.status, 201);
    let token = token_for(&harness, &owner.email, ACCEPT, 1).await;
    harness.call("auth_invitations_accept").json(&json!({ "token": token })).expect(200).await;
    assert_eq!(step(&harness, &staff, "reopen", partner).await.status, 200);
    assert_eq!(
        harness.sign_in(&owner.email).await.partner_uuid,
        other.partner_uuid,
        "whoever left stays where they are"
    );
    let manager = harness.staff("Amara Diallo", &["labs.admin.users:write"]).await;
    let email = "ines.ferrer@nordsee.example";
    let body = json!({ "email": email, "role": "ADMINISTRATOR", "reason": "Nobody of the team is left." });
    let call = harness.call("admin_invitations_create").path("partner_uuid", partner);
    call.token(&manager.token).json(&body).expect(201).await;
    let token = token_for(&harness, email, ACCEPT, 1).await;
    let body = json!({ "token": token, "name": "Ines Ferrer", "password": PASSWORD });
    harness.call("auth_invitations_accept").json(&body).expect(200).await;
    let ines = harness.sign_in(email).await;
    let update = harness.call("partner_account_update").path("partner_uuid", partner).token(&ines.token);
    update.json(&json!({ "legal_form": "AG" })).expect(200).await;
}

#[tokio::test]
async fn suspended_partner_is_never_published_by_a_job() {
    let (harness, staff, owner) = cast().await;
    let partner = owner.partner_uuid.unwrap();
    let slug = listed(&harness, &staff, &owner).await;
    step(&harness, &staff, "suspend", partner).await;
    harness.sql("update listing set visible = true").await;
    let storefront = harness.program("storefront", &["storefront:write"], None).await.token;
    assert_eq!(shown(&harness, &storefront, &slug).await, 404, "whoever writes it");
}

/// Personal data that the tests do not write through the service: texts of staff and of the team, and links to the
/// company.
const WORDS: &str = "
    insert into support_note (note_uuid, ticket_uuid, author_uuid, body)
    select labs_uuid(), ticket_uuid, labs_uuid(), 'Mara is right.' from support_ticket;
    insert into partner_profile (partner_uuid, texts, website_url)
    select partner_uuid, '{\"en\": {\"tagline\": \"Founded by Mara Vogel\"}}', 'https://petersen.example' from support_ticket;
    insert into subscription_event (event_uuid, partner_uuid, kind, actor_kind, reason)
    select labs_uuid(), partner_uuid, 'TIER_CHANGED', 'STAFF_USER', 'Wiebke asked.' from support_ticket;
    insert into tier_change_request (request_uuid, partner_uuid, from_tier_uuid, to_tier_uuid, state, actor_kind,
        actor_uuid, decided_at, decision_reason)
    select labs_uuid(), partner_uuid, tier_uuid, tier_uuid, 'REJECTED', 'PARTNER_USER', labs_uuid(), labs_now(),
        'Not for Frau Petersen.'
    from support_ticket join subscription using (partner_uuid);
    insert into tier_change_request (request_uuid, partner_uuid, from_tier_uuid, to_tier_uuid, message, actor_kind, actor_uuid)
    select labs_uuid(), partner_uuid, tier_uuid, tier_uuid, 'Wiebke needs more.', 'PARTNER_USER', labs_uuid()
    from support_ticket join subscription using (partner_uuid);
    insert into rate_limit_override (partner_uuid, burst_per_second, reason)
    select partner_uuid, 1000, 'Mara asked.' from support_ticket;
    insert into machine_client (client_uuid, client_id, partner_uuid, name, contact_email, allowed_scopes, allowed_networks)
    select labs_uuid(), 'client-1', partner_uuid, 'Petersen sync', 'wiebke@petersen.example', '{marketplace}', '{127.0.0.1}'
    from support_ticket;
    update app set website_url = 'https://petersen.example', terms_url = 'https://petersen.example/terms',
        state_reason = 'Wiebke complained.';
    update listing set privacy_url = 'https://petersen.example/privacy', support_url = 'https://petersen.example/help';
    update submission set appeal = true, appeal_text = 'Mara disagrees.', decision_note = 'Agreed with Mara.',
        snapshot = jsonb_set(snapshot, '{links,website_url}', '\"https://petersen.example\"');
    insert into review_message (message_uuid, submission_uuid, version_uuid, author_kind, author_uuid, body)
    select labs_uuid(), submission_uuid, version_uuid, kind, labs_uuid(), 'Ask Wiebke.'
    from submission, unnest('{PARTNER_USER,STAFF_USER}'::text[]) as kind;
    insert into submission_finding (finding_uuid, submission_uuid, requirement_code, text, observed, why_now)
    select labs_uuid(), submission_uuid, code, 'Show less of Wiebke.', 'Wiebke waves.', 'Wiebke asked us to.'
    from submission, (select code from listing_requirement limit 1) as requirement;
    insert into app_event (event_uuid, app_uuid, kind, actor_kind, detail)
    select labs_uuid(), app_uuid, 'SUSPENDED', 'STAFF_USER', '{\"reason\": \"Wiebke asked us to.\"}' from app;
    with texts as (
        insert into customer_review_text (text_uuid, review_uuid, rating, locale)
        select labs_uuid(), labs_uuid(), 5, 'en' from app returning *
    ), reviews as (
        insert into customer_review (review_uuid, app_uuid, state, shown_text_uuid, rating, locale, written_at,
                                     has_text)
        select review_uuid, app_uuid, 'PUBLISHED', text_uuid, 5, 'en', labs_now(), false from texts, app
    ), replies as (
        insert into customer_review_reply (reply_uuid, review_uuid, text_uuid, body, author_kind)
        select labs_uuid(), review_uuid, text_uuid, 'Yours, Mara', 'PARTNER_USER' from texts
    )
    insert into customer_review_flag (flag_uuid, review_uuid, text_uuid, reason, note, author_kind)
    select labs_uuid(), review_uuid, text_uuid, 'OTHER', 'Written by a cousin of Wiebke.', 'PARTNER_USER' from texts";

/// Counts rows that still identify the erased partner.
const PERSONAL: &str = "select count(*) from (
        select to_jsonb(p)::text as row from person as p where partner_uuid is not null
        union all select to_jsonb(p)::text from partner as p
        union all select to_jsonb(m)::text from mail_message as m
        union all select to_jsonb(e)::text from security_event as e where partner_uuid is not null
        union all select to_jsonb(s)::text from session as s join person using (person_uuid) where kind = 'PARTNER_USER'
        union all select to_jsonb(c)::text from partner_contact as c union all select to_jsonb(n)::text from partner_note as n
        union all select to_jsonb(t)::text from support_ticket as t union all select to_jsonb(m)::text from support_message as m
        union all select to_jsonb(n)::text from support_note as n union all select to_jsonb(f)::text from partner_profile as f
        union all select to_jsonb(d)::text from data_export as d
        union all select to_jsonb(l)::text from listing as l union all select to_jsonb(s)::text from submission as s
        union all select to_jsonb(e)::text from partner_event as e union all select to_jsonb(e)::text from subscription_event as e
        union all select to_jsonb(r)::text from tier_change_request as r union all select to_jsonb(o)::text from rate_limit_override as o
        union all select to_jsonb(a)::text from app as a union all select to_jsonb(m)::text from review_message as m
        union all select to_jsonb(f)::text from submission_finding as f union all select to_jsonb(e)::text from app_event as e
        union all select to_jsonb(r)::text from customer_review as r
        union all select to_jsonb(y)::text from customer_review_reply as y
        union all select to_jsonb(f)::text from customer_review_flag as f
        union all select to_jsonb(v)::text from app_version as v union all select to_jsonb(c)::text from machine_client as c
    ) as rows where row ~* '(mara|vogel|@nordsee|geheim|wiebke|petersen|DE123456789|Kai 17|127.0.0.1|//nordsee-kassen)'";

#[tokio::test]
async fn erased_partner_is_anonymous_but_still_counted() {
    let (harness, staff, owner) = cast().await;
    let partner = owner.partner_uuid.unwrap();
    let staff_only = harness.sign_in(&owner.email).await;
    let early = step(&harness, &staff, "erase", partner).await;
    assert_eq!((early.status, early.code()), (409, "ILLEGAL_TRANSITION"), "only what is closed");
    listed(&harness, &staff, &staff_only).await;
    let company = json!({ "vat_id": "DE123456789", "address": { "street": "Kai 17" }, "billing_email": "geheim@nordsee.example" });
    let at = |operation: &str| harness.call(operation).path("partner_uuid", partner);
    at("partner_account_update").token(&owner.token).json(&company).expect(200).await;
    let contact = json!({ "kind": "SECURITY", "name": "Wiebke Petersen", "email": "wiebke@nordsee.example" });
    at("partner_contacts_create").token(&owner.token).json(&contact).expect(201).await;
    at("admin_notes_create").token(&staff.token).json(&json!({ "body": "Frau Petersen is ill." })).expect(201).await;
    harness
        .sql("insert into service_setting (key, value) values ('support_desk_email', '\"desk@platform.example\"')")
        .await;
    let asked = json!({ "subject": "Petersen's bill", "body": "Wiebke waits for it.", "topic": "SUBSCRIPTION" });
    at("partner_support_tickets_open").token(&owner.token).json(&asked).expect(201).await;
    let reason = json!({ "reason": "Wiebke Petersen asked in writing." });
    at("admin_data_exports_create").token(&staff.token).json(&reason).expect(202).await;
    harness.sql(WORDS).await;
    let to_desk =
        "select count(*) from mail_message where about_partner_uuid is not null and subject like '%Petersen%'";
    assert_eq!(harness.number(to_desk).await, 1);
    step(&harness, &staff, "close", partner).await;
    let before = harness.number("select count(*) from app_event").await;
    let records = harness.number("select count(*) from audit_change").await;
    let erased = step(&harness, &staff, "erase", partner).await;
    assert_eq!((erased.status, erased.str("state"), erased.str("company_name")), (200, "ERASED", "Erased partner"));
    assert_eq!(erased.json["counts"]["apps"], 1, "what counts stays");
    let added = harness.number("select count(*) from audit_change").await - records;
    assert_eq!(added, 1, "the state alone: what is taken away is not written down anew");
    assert_eq!(harness.number("select count(*) from app_event").await, before);
    assert_eq!(harness.number(PERSONAL).await, 0);
    assert_eq!(harness.number("select count(*) from tier_change_request where state = 'PENDING'").await, 0);
    let unsent = "select count(*) from mail_message where state = 'QUEUED'";
    assert_eq!(harness.number(unsent).await, 0);
    let told = at("admin_partners_list_timeline").query("group", "AUDIT").token(&staff.token).expect(200).await;
    assert!(told.text().contains("admin_data_exports_create") && !told.text().contains("Wiebke"), "{}", told.text());
    let again = step(&harness, &staff, "erase", partner).await;
    assert_eq!((again.code(), &again.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!([])));
    let update = at("admin_partners_update").token(&staff.token).json(&json!({ "legal_form": "AG" }));
    update.expect(404).await;
    at("admin_notes_create").token(&staff.token).json(&json!({ "body": "It was Wiebke's." })).expect(404).await;
    at("admin_partners_put_labels").token(&staff.token).json(&json!({ "labels": ["petersen"] })).expect(404).await;
    let limits = harness.staff("Amara Diallo", &["labs.admin.limits:write"]).await;
    let more = json!({ "daily_requests": 9, "reason": "Wiebke asked.", "expires_at": "2099-01-01T00:00:00Z" });
    at("admin_rate_limits_put_override").token(&limits.token).json(&more).expect(404).await;
    let again = json!({
        "company_name": "Nordsee Kassen", "country": "DE", "accept_terms": true,
        "administrator": { "name": "Mara Vogel", "email": owner.email, "password": PASSWORD },
    });
    harness.call("auth_registrations_create").json(&again).expect(202).await;
    let newcomers = "select count(*) from person where state = 'UNVERIFIED' and name = 'Mara Vogel'";
    assert_eq!(harness.number(newcomers).await, 1, "the address is free again");
}

/// Unassigns the tickets, which locks them, and queues a mail message about each, as an assignment to a staff member
/// does.
const ASSIGNED: &str = "
    update support_ticket set assignee_uuid = null;
    insert into mail_message (message_uuid, kind, recipient, subject, content_sealed, next_attempt_at, about_partner_uuid)
    select labs_uuid(), 'TICKET', 'desk@platform.example', subject, 'sealed', labs_now() + interval '1 day', partner_uuid
    from support_ticket";

#[tokio::test]
async fn mail_written_during_erasure_is_erased_too() {
    let (harness, staff, owner) = cast().await;
    let partner = owner.partner_uuid.unwrap();
    let ticket = json!({ "subject": "Petersen's bill", "body": "It is late.", "topic": "SUBSCRIPTION" });
    let open = harness.call("partner_support_tickets_open").path("partner_uuid", partner);
    open.token(&owner.token).json(&ticket).expect(201).await;
    step(&harness, &staff, "close", partner).await;
    let desk = harness.hold(ASSIGNED).await;
    let waiting = "select least(count(*), 1) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'";
    let (erased, ()) = tokio::join!(step(&harness, &staff, "erase", partner), async {
        harness.until(waiting, 1).await;
        desk.commit().await;
    });
    assert_eq!(erased.status, 200);
    let erased = "select count(*) from mail_message
        where about_partner_uuid is not null and state = 'FAILED' and subject = '' and content_sealed is null";
    assert_eq!(harness.number(erased).await, 1);
}

#[tokio::test]
async fn histories_cannot_be_anonymized_before_erasure() {
    let (harness, _, owner) = cast().await;
    let mut connection = harness.owner().await;
    let partner = owner.partner_uuid.unwrap();
    for anonymise in ["select security_event_anonymised($1)", "select history_anonymised($1)"] {
        let refused = sqlx::query(anonymise).bind(partner).execute(&mut connection).await;
        assert!(refused.unwrap_err().to_string().contains("erased"), "not while the partner is there");
    }
}
