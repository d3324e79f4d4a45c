//! Tests of the platform overview: counts that are correct at once, pending work per role, inactive partners, and the
//! search over all resources.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Call, Harness};

/// A period, in seconds, that is longer than the default threshold for inactivity.
const LONG: i64 = 100 * 86_400;

struct Office {
    harness: Harness,
    staff: Person,
}

impl Office {
    /// Creates a service and a staff member with the overview's scope and these scopes.
    async fn new(scopes: &[&str]) -> Self {
        let harness = Harness::new().await;
        let staff = harness.staff("Olga Overview", &[&["labs.admin.overview"], scopes].concat()).await;
        Self { harness, staff }
    }

    fn call(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.staff.token)
    }

    async fn see(&self, operation: &str) -> Value {
        self.call(operation).expect(200).await.json
    }

    /// Creates an app of a partner and returns its id.
    async fn app(&self, owner: &Person, name: &str) -> String {
        let call = self.harness.call("marketplace_apps_create").token(&owner.token).json(&json!({ "name": name }));
        call.expect(201).await.str("uuid").to_owned()
    }

    /// Searches and returns kind, title and match type of each result.
    async fn find(&self, q: &str) -> Vec<(String, String, String)> {
        let found = self.call("admin_overview_search").query("q", q).expect(200).await.json["data"].clone();
        let word = |of: &Value, name: &str| of[name].as_str().unwrap().to_owned();
        let row = |of: &Value| (word(of, "kind"), word(of, "title"), word(of, "matched"));
        found.as_array().unwrap().iter().map(row).collect()
    }
}

fn found(kind: &str, title: &str, matched: &str) -> (String, String, String) {
    (kind.to_owned(), title.to_owned(), matched.to_owned())
}

#[tokio::test]
async fn counts_are_current_before_and_after_job() {
    let office = Office::new(&[]).await;
    let owner = office.harness.partner("Nordsee Kassen").await;
    let other = office.harness.partner("Alpen Kassen").await;
    office.app(&owner, "Till").await;
    let waiting = json!({
        "company_name": "Elbe", "country": "DE", "accept_terms": true,
        "administrator": { "name": "Otto", "email": "otto@elbe.example", "password": "a long walk along the Elbe" },
    });
    office.harness.call("auth_registrations_create").json(&waiting).expect(202).await;
    let partner_uuid = other.partner_uuid.unwrap();
    // A rolled-back change does not affect the counts.
    let held =
        office.harness.hold(format!("update partner set state = 'SUSPENDED' where partner_uuid = '{partner_uuid}'"));
    held.await.roll_back().await;
    let expected = [
        ("partners", json!({ "total": 3, "active": 3, "suspended": 0, "closing": 0, "closed": 0, "erased": 0 })),
        ("users", json!({ "total": 3, "active": 2, "unverified": 1, "suspended": 0, "locked": 0 })),
        ("apps", json!({ "total": 1, "draft": 1, "listed": 0, "unlisted": 0, "suspended": 0, "archived": 0 })),
        ("listings_on_show", json!(0)),
    ];
    let look = async || {
        let seen = office.see("admin_overview_get").await;
        for (of, counts) in &expected {
            assert_eq!(&seen[of], counts, "{of}");
        }
        let free = &seen["subscriptions"][0];
        assert_eq!((&free["tier_code"], &free["subscriptions"]), (&json!("FREE"), &json!(3)));
    };
    look().await;
    office.harness.until("select count(*) from platform_change", 0).await;
    look().await;

    let change =
        format!("update partner set state = 'SUSPENDED' where partner_uuid = '{partner_uuid}'; delete from app");
    office.harness.sql(&change).await;
    let seen = office.see("admin_overview_get").await;
    assert_eq!((&seen["partners"]["active"], &seen["partners"]["suspended"]), (&json!(2), &json!(1)));
    assert_eq!((&seen["apps"]["total"], &seen["users"]["total"]), (&json!(0), &json!(3)));
    // Growth counts created resources, including later deleted ones.
    let growth = office.see("admin_overview_get_growth").await;
    assert_eq!((&growth["registrations"], &growth["apps"], &growth["publications"]), (&json!(2), &json!(1), &json!(0)));
}

#[tokio::test]
async fn growth_periods_are_cut_to_requested_days() {
    let office = Office::new(&[]).await;
    let happened = "insert into platform_change (what, key, number)
                    values ('REGISTRATION', '2025-11-16', 1), ('REGISTRATION', '2025-11-17', 2), ('CREATION', '2025-11-30', 4),
                           ('PUBLICATION', '2025-12-01', 8), ('PUBLICATION', '2025-12-02', 16)";
    office.harness.sql(happened).await;
    let told = async |granularity: &str| {
        let call = office.call("admin_overview_get_growth").query("granularity", granularity);
        let answer = call.query("day_from", "2025-11-17").query("day_until", "2025-12-02").expect(200).await.json;
        let line = |of: &Value| {
            format!("{} {} {} {} {}", of["day"], of["last_day"], of["registrations"], of["apps"], of["publications"])
        };
        answer["data"].as_array().unwrap().iter().map(|of| line(of).replace('"', "")).collect::<Vec<_>>()
    };
    let days = told("DAY").await;
    assert_eq!((days.len(), days[1].as_str()), (15, "2025-11-18 2025-11-18 0 0 0"));
    let weeks = ["2025-11-17 2025-11-23 2 0 0", "2025-11-24 2025-11-30 0 4 0", "2025-12-01 2025-12-01 0 0 8"];
    assert_eq!(told("WEEK").await, weeks);
    assert_eq!(told("MONTH").await, ["2025-11-17 2025-11-30 2 4 0", "2025-12-01 2025-12-01 0 0 8"]);
    let long = office.call("admin_overview_get_growth").query("day_from", "2020-01-01").expect(422).await;
    assert_eq!(long.json["errors"][0]["parameter"], "day_from");
}

#[tokio::test]
async fn attention_lists_oldest_pending_items_within_scopes_of_caller() {
    let office = Office::new(&[]).await;
    let owner = office.harness.partner("Nordsee Kassen").await;
    let ticket = json!({ "subject": "A call is refused", "topic": "API", "body": "Since this morning." });
    let open = office.harness.call("partner_support_tickets_open").path("partner_uuid", owner.partner_uuid.unwrap());
    open.token(&owner.token).json(&ticket).expect(201).await;
    let rest = format!(
        "insert into mail_message (message_uuid, recipient, subject, kind, state, created_at, content_sealed)
         select labs_uuid(), 'nobody@nowhere.example', 'Hello', 'NOTICE', 'FAILED', labs_now() - interval '2 hours', 'x';
         update job set paused_at = labs_now() - interval '5 hours', paused_because = 'A test' where code = 'OBJECTS_SWEEP';
         update partner set state = 'CLOSING', state_changed_at = labs_now() - interval '1 hour',
             closes_at = labs_now() + interval '6 days' where partner_uuid = '{}'",
        owner.partner_uuid.unwrap()
    );
    office.harness.sql(&rest).await;
    let nothing = office.see("admin_overview_get_attention").await;
    assert_eq!((&nothing["data"], nothing["left_out"].as_array().unwrap().len()), (&json!([]), 19));

    let everybody = office.harness.staff("Emil Everything", &["labs.admin"]).await;
    let look = async |token: &str| {
        let seen = office.harness.call("admin_overview_get_attention").token(token).expect(200).await.json;
        let row = |of: &Value| format!("{} {} {}", of["kind"], of["count"], of["severity"]).replace('"', "");
        (seen["data"].as_array().unwrap().iter().map(row).collect::<Vec<_>>(), seen)
    };
    let (told, seen) = look(&everybody.token).await;
    assert_eq!(told, ["JOB_PAUSED 1 LOW", "MAIL_FAILED 1 HIGH", "PARTNER_CLOSING 1 LOW", "TICKET_WAITING 1 NORMAL"]);
    assert_eq!(seen["left_out"], json!([]));
    for item in seen["data"].as_array().unwrap() {
        let path = format!("{}{}", office.harness.base_url, item["link"].as_str().unwrap());
        let there = office.harness.http().get(path).bearer_auth(&everybody.token).send().await.unwrap();
        assert_eq!(there.status(), 200, "{item}");
        let shown: Value = serde_json::from_slice(&there.bytes().await.unwrap()).unwrap();
        assert_eq!(shown["data"].as_array().unwrap().len(), 1, "{item}");
    }
    let desk = office.harness.staff("Dora Desk", &["labs.admin.overview", "labs.admin.support"]).await;
    assert_eq!(look(&desk.token).await.0, ["TICKET_WAITING 1 NORMAL"]);
}

#[tokio::test]
async fn traffic_counts_every_caller_by_outcome() {
    let office = Office::new(&[]).await;
    let owner = office.harness.partner("Nordsee Kassen").await;
    for _ in 0..3 {
        office.harness.call("marketplace_apps_list").token(&owner.token).expect(200).await;
    }
    let nothing = "0198d000-0000-7000-8000-00000000dead";
    office.harness.call("marketplace_apps_get").path("app_uuid", nothing).token(&owner.token).expect(404).await;
    office.harness.call("marketplace_apps_list").expect(401).await;
    office.harness.http().get(format!("{}/v1/nowhere", office.harness.base_url)).send().await.unwrap();
    office
        .harness
        .until("select coalesce(sum(requests), 0)::bigint from operation_day where operation = 'unmatched'", 1)
        .await;
    let call = office.call("admin_overview_get_traffic").query("group", "marketplace");
    let told = call.expect(200).await.json;
    let lists = &told["data"][0];
    assert_eq!((&lists["operation"], &lists["group"]), (&json!("marketplace_apps_list"), &json!("marketplace")));
    assert_eq!((&lists["figures"]["requests"], &lists["figures"]["client_errors"]), (&json!(4), &json!(1)));
    assert!(lists["figures"]["p95_ms"].is_number() && lists["figures"]["mean_ms"].as_f64() > Some(0.0), "{lists}");
    assert_eq!((&told["total"]["requests"], &told["total"]["client_errors"]), (&json!(5), &json!(2)));
    let days = office.call("admin_overview_get_traffic").query("by", "DAY").query("operation", "unmatched");
    let days = days.expect(200).await.json["data"].clone();
    assert_eq!((days.as_array().unwrap().len(), &days[0]["operation"]), (1, &Value::Null));
    let today = office.see("admin_overview_get").await["requests_today"]["requests"].as_i64().unwrap();
    assert!(today >= 6, "{today}");
}

#[tokio::test]
async fn partners_without_sign_ins_and_requests_are_dormant() {
    let office = Office::new(&[]).await;
    let silent = office.harness.partner("Alpen Kassen").await;
    let back = office.harness.partner("Elbe Kassen").await;
    let calling = office.harness.partner("Nordsee Kassen").await;
    let program = office.harness.program("Till", &["marketplace"], calling.partner_uuid).await;
    let closed = office.harness.partner("Rhein Kassen").await.partner_uuid.unwrap();
    office.harness.sql(&format!("update partner set state = 'CLOSED' where partner_uuid = '{closed}'")).await;
    // Request counts must be written before the clock moves. Otherwise they would count for the next day.
    office.harness.until("select count(distinct account) from request_usage where account like 'partner:%'", 4).await;
    office.harness.advance(LONG).await;
    let staff = office.harness.staff("Sara Silence", &["labs.admin.overview"]).await;
    let listed = async |days: &str| {
        let call = office.harness.call("admin_overview_list_dormant_partners").token(&staff.token);
        call.query("days", days).query("include_total", true).expect(200).await.json
    };
    let names = |list: &Value| -> Vec<String> {
        list["data"].as_array().unwrap().iter().map(|row| row["company_name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&listed("90").await), ["Alpen Kassen", "Elbe Kassen", "Nordsee Kassen"]);
    assert_eq!(names(&listed("101").await), Vec::<String>::new());

    office.harness.sign_in(&back.email).await;
    let token = office.harness.token_of(&program.client_id, &program.secret, None).await;
    office.harness.call("marketplace_apps_list").token(&token).expect(200).await;
    let active = "select count(*) from partner_activity where active_at >= date_trunc('day', labs_now(), 'UTC')";
    office.harness.until(active, 2).await;
    let list = listed("90").await;
    assert_eq!((names(&list), &list["page"]["total"]), (vec!["Alpen Kassen".to_owned()], &json!(1)));
    let row = &list["data"][0];
    assert_eq!(
        (row["uuid"].as_str(), &row["silent_days"]),
        (Some(silent.partner_uuid.unwrap().to_string().as_str()), &json!(100))
    );
    assert!(row["last_sign_in_at"].is_string() && row["last_call_on"].is_string(), "{row}");
}

#[tokio::test]
async fn search_lists_exact_matches_first_and_omits_erased_users() {
    let scopes = ["partners", "users", "apps", "clients", "support"].map(|of| format!("labs.admin.{of}"));
    let office = Office::new(&scopes.each_ref().map(String::as_str)).await;
    let owner = office.harness.partner("Nordsee Kassen").await;
    let other = office.harness.partner("Nordsee").await;
    let app = office.app(&owner, "Nordsee Planer").await;
    office.harness.program("Till 100%", &["marketplace"], owner.partner_uuid).await;
    let both = [
        found("PARTNER", "Nordsee", "EXACT"),
        found("PARTNER", "Nordsee Kassen", "PREFIX"),
        found("APP", "Nordsee Planer", "PREFIX"),
    ];
    assert_eq!(office.find(" NORDSEE ").await, both);
    assert_eq!(office.find("kassen").await, [found("PARTNER", "Nordsee Kassen", "PART")]);
    assert_eq!(office.find("ka").await, [], "two letters are looked for at the beginning");
    assert_eq!(office.find("l 100%").await, [found("PROGRAM", "Till 100%", "PART")], "and no letter stands for others");
    assert_eq!(office.find("l%100").await, []);
    assert_eq!(office.find(&app).await, [found("APP", "Nordsee Planer", "EXACT")]);
    assert_eq!(office.find("Admin@Nordsee-Kassen.EXAMPLE").await, [found("USER", "Mara Vogel", "EXACT")]);
    assert_eq!(office.find("admin@nordsee-").await, [found("USER", "Mara Vogel", "PREFIX")]);
    let narrowed = office.call("admin_overview_search").query("q", "nordsee").query("kind", "APP").expect(200).await;
    assert_eq!((narrowed.json["data"].as_array().unwrap().len(), &narrowed.json["left_out"]), (1, &json!([])));
    let one = &narrowed.json["data"][0];
    assert_eq!((&one["subtitle"], &one["link"]), (&json!("Nordsee Kassen"), &json!(format!("/v1/admin/apps/{app}"))));
    assert_eq!(office.find("Olga Overview").await, [], "internal people are not among partners' people");

    let partner_uuid = owner.partner_uuid.unwrap();
    office.harness.sql(&format!("update partner set state = 'ERASED' where partner_uuid = '{partner_uuid}'")).await;
    assert_eq!(office.find("nordsee").await, [found("PARTNER", "Nordsee", "EXACT")]);
    assert_eq!(office.find(&owner.email).await, []);
    assert_eq!(office.find(&other.email).await.len(), 1);
}

#[tokio::test]
async fn search_finds_words_in_any_order_without_accents_and_with_one_typing_error() {
    let office = Office::new(&["labs.admin.partners"]).await;
    for name in ["Elbkontor Kassensysteme", "Belle Tablee", "Kassen Elbkontor"] {
        office.harness.partner(name).await;
    }
    let accent = "update partner set company_name = 'Belle Tablée' where company_name = 'Belle Tablee'";
    office.harness.sql(accent).await;
    let similar = |name: &str| found("PARTNER", name, "SIMILAR");
    assert_eq!(office.find("belle tablee").await, [found("PARTNER", "Belle Tablée", "EXACT")]);
    assert_eq!(office.find("tablee belle").await, [similar("Belle Tablée")]);
    let both = [found("PARTNER", "Kassen Elbkontor", "EXACT"), similar("Elbkontor Kassensysteme")];
    assert_eq!(office.find("kassen elbkontor").await, both, "exact matches first");
    assert_eq!(office.find("Elbkontr").await.len(), 2);
    assert_eq!(office.find("elbkontr kassensystme").await, [similar("Elbkontor Kassensysteme")]);
    assert_eq!(office.find("elbkontor tablee").await, [], "each word must match");
}

#[tokio::test]
async fn search_is_limited_to_caller_scopes_and_audited_without_addresses() {
    let office = Office::new(&["labs.admin.partners", "labs.admin.audit"]).await;
    let owner = office.harness.partner("Nordsee Kassen").await;
    office.app(&owner, "Nordsee Planer").await;
    assert_eq!(office.find("nordsee").await, [found("PARTNER", "Nordsee Kassen", "PREFIX")]);
    let answer = office.call("admin_overview_search").query("q", &owner.email).expect(200).await;
    assert_eq!(
        (&answer.json["data"], &answer.json["left_out"]),
        (&json!([]), &json!(["USER", "APP", "PROGRAM", "TICKET"]))
    );
    office.call("admin_overview_search").query("q", owner.email.to_uppercase()).expect(200).await;
    let refused = office.call("admin_overview_search").query("q", "anna@example.com").query("kind", "NOBODY");
    refused.expect(422).await;
    let address = "select count(*) from audit_log where operation = 'admin_overview_search'
                    and position('@' in concat(parameters::text, reason, target_label)) > 0";
    assert_eq!(office.harness.number(address).await, 0);
    let records = office.call("admin_audit_records_list").query("operation", "admin_overview_search");
    let records = records.expect(200).await;
    let sought = |place: usize| records.json["data"][place]["reason"].as_str().unwrap_or_default().to_owned();
    assert_eq!((sought(3).as_str(), sought(1)), ("nordsee", sought(2)), "the same address has the same hash");
    assert!(sought(1).starts_with("hmac-sha256:"), "{}", sought(1));
}
