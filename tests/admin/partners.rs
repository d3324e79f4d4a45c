//! Tests of partners for staff: search, create, update, label and read.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Call, Harness};

async fn cast() -> (Harness, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let staff = harness.staff("Jonas Okafor", &["labs.admin.partners:write"]).await;
    (harness, staff)
}

fn on<'h>(harness: &'h Harness, by: &Person, operation: &str, partner: Uuid) -> Call<'h> {
    harness.call(operation).path("partner_uuid", partner).token(&by.token)
}

async fn listed(harness: &Harness, by: &Person, query: &[(&str, &str)]) -> Vec<String> {
    let call = harness.call("admin_partners_list").token(&by.token);
    let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
    let data = call.expect(200).await.json["data"].as_array().unwrap().clone();
    data.iter().map(|partner| partner["company_name"].as_str().unwrap().to_owned()).collect()
}

async fn create(harness: &Harness, by: &Person, body: &Value) -> Answer {
    harness.call("admin_partners_create").token(&by.token).json(body).send().await
}

fn lines(answer: &Answer) -> Vec<String> {
    answer.text().split("\r\n").filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[tokio::test]
async fn partner_created_by_staff_starts_with_an_invitation() {
    let (harness, staff) = cast().await;
    let body = json!({
        "company_name": "Küche & Kasse GmbH", "country": "AT", "vat_id": "ATU12345678", "tier_code": "SCALE",
        "address": { "city": "Wien" }, "labels": ["vip", "fair", "vip"], "reason": "Agreed at the fair.",
        "administrator": { "email": "mara@kueche.example", "locale": "de" },
    });
    let made = create(&harness, &staff, &body).await;
    assert_eq!(
        (made.status, made.str("slug"), made.str("state")),
        (201, "kuche-kasse-gmbh", "ACTIVE"),
        "{}",
        made.text()
    );
    assert_eq!(
        (&made.json["labels"], &made.json["subscription"]["tier_code"]),
        (&json!(["fair", "vip"]), &json!("SCALE"))
    );
    assert_eq!((&made.json["counts"]["members"], &made.json["counts"]["invitations"]), (&json!(0), &json!(1)));
    assert!(made.header("location").ends_with(made.str("uuid")));
    let token = harness.mailed_token("mara@kueche.example").await;
    let mail = harness.mails_to("mara@kueche.example").await.concat();
    assert!(mail.contains("Konto") && !mail.contains("Okafor"), "{mail}");
    let accepted = json!({ "token": token, "name": "Mara Vogel", "password": PASSWORD });
    let accepted = harness.call("auth_invitations_accept").json(&accepted).expect(200).await;
    assert_eq!(accepted.str("role"), "ADMINISTRATOR");
    let owner = harness.sign_in("mara@kueche.example").await;
    let history = harness.call("partner_account_list_events").path("partner_uuid", made.str("uuid"));
    let history = history.query("kind", "CREATED").token(&owner.token).expect(200).await;
    assert_eq!(history.json["data"][0]["reason"], "Agreed at the fair.");
    let second = create(&harness, &staff, &json!({ "company_name": "Küche & Kasse GmbH", "country": "AT", "administrator": { "email": "other@kueche.example" } })).await;
    assert!(second.str("slug").starts_with("kuche-kasse-gmbh-"), "the only one of its name in addresses");
}

#[tokio::test]
async fn all_partner_errors_are_reported_and_nothing_is_created() {
    let (harness, staff) = cast().await;
    let body = json!({ "company_name": "X ", "country": "AT", "vat_id": "DE123456789", "tier_code": "GOLD", "administrator": { "email": "a@b" } });
    let refused = create(&harness, &staff, &body).await;
    let errors = refused.json["errors"].as_array().unwrap();
    let mut places: Vec<&str> = errors.iter().map(|error| error["pointer"].as_str().unwrap()).collect();
    places.sort_unstable();
    assert_eq!((refused.status, places), (422, vec!["/administrator/email", "/company_name", "/tier_code", "/vat_id"]));
    assert_eq!(harness.number("select count(*) from partner").await, 0);
}

#[tokio::test]
async fn partners_can_be_filtered_by_each_parameter() {
    let (harness, staff) = cast().await;
    let first = harness.partner("Nordsee Kassen").await.partner_uuid.unwrap();
    harness.advance(3600).await;
    let staff = harness.sign_in_with_factor(&staff.email, staff.totp.as_deref().unwrap()).await;
    harness.partner("Elbkontor").await;
    harness.partner("Belle Tablee").await;
    assert_eq!(listed(&harness, &staff, &[]).await, ["Belle Tablee", "Elbkontor", "Nordsee Kassen"]);
    assert_eq!(
        listed(&harness, &staff, &[("sort", "company_name")]).await,
        ["Belle Tablee", "Elbkontor", "Nordsee Kassen"]
    );
    assert_eq!(listed(&harness, &staff, &[("sort", "registered_at"), ("limit", "1")]).await, ["Nordsee Kassen"]);
    on(&harness, &staff, "admin_partners_put_labels", first)
        .json(&json!({ "labels": ["vip", "at-risk"] }))
        .expect(200)
        .await;
    let body = json!({ "vat_id": "DE123456789", "registration_number": "HRB 77" });
    on(&harness, &staff, "admin_partners_update", first).json(&body).expect(200).await;
    for (name, value) in [("label", "vip"), ("q", "nordsee"), ("q", "de123"), ("q", "hrb 7")] {
        assert_eq!(listed(&harness, &staff, &[(name, value)]).await, ["Nordsee Kassen"], "{name} {value}");
    }
    let hour_ago = harness.clock.now().plus_seconds(-1800).to_string();
    assert_eq!(listed(&harness, &staff, &[("registered_at_until", &hour_ago)]).await, ["Nordsee Kassen"]);
    assert_eq!(listed(&harness, &staff, &[("registered_at_from", &hour_ago)]).await.len(), 2);
    on(&harness, &staff, "admin_partners_suspend", first).json(&json!({ "reason": "Unpaid." })).expect(200).await;
    assert_eq!(listed(&harness, &staff, &[("state", "SUSPENDED")]).await, ["Nordsee Kassen"]);
    assert_eq!(listed(&harness, &staff, &[("sort", "-state_changed_at"), ("limit", "1")]).await, ["Nordsee Kassen"]);
    assert_eq!(listed(&harness, &staff, &[("tier_code", "GROWTH")]).await, Vec::<String>::new());
    assert_eq!(listed(&harness, &staff, &[("tier_code", "FREE,GROWTH"), ("country", "DE")]).await.len(), 3);
    let counted =
        harness.call("admin_partners_list").query("include_total", true).query("limit", 2).token(&staff.token);
    let counted = counted.expect(200).await;
    assert_eq!(counted.json["page"]["total"], 3);
    let cursor = counted.json["page"]["next_cursor"].as_str().unwrap();
    let next = harness.call("admin_partners_list").query("limit", 2).query("cursor", cursor).token(&staff.token);
    assert_eq!(next.expect(200).await.json["data"][0]["uuid"], json!(first.to_string()));
    on(&harness, &staff, "admin_partners_get", Uuid::from_u128(7)).expect(404).await;
}

#[tokio::test]
async fn csv_export_equals_list_and_escapes_formulas() {
    let (harness, staff) = cast().await;
    harness.partner("Elbkontor").await;
    let partner = harness.partner("Nordsee Kassen").await.partner_uuid.unwrap();
    let body = json!({ "company_name": "=HYPERLINK(\"http://x\")", "address": { "street": "Kai 1, Hof\"" } });
    on(&harness, &staff, "admin_partners_update", partner).json(&body).expect(200).await;
    let whole =
        harness.call("admin_partners_export").query("sort", "registered_at").token(&staff.token).expect(200).await;
    assert_eq!(whole.header("content-type"), "text/csv; charset=utf-8");
    let rows = lines(&whole);
    assert_eq!(rows.len(), 3);
    assert!(rows[0].starts_with("uuid,slug,company_name,") && rows[1].contains(",Elbkontor,"), "{rows:?}");
    assert!(
        rows[2].contains(",\"'=HYPERLINK(\"\"http://x\"\")\",") && rows[2].contains(",\"Kai 1, Hof\"\"\","),
        "{}",
        rows[2]
    );
    let columns = rows[0].split(',').count();
    assert_eq!(rows[1].split(',').count(), columns);
    let none = harness.call("admin_partners_export").query("state", "CLOSED").token(&staff.token).expect(200).await;
    assert_eq!(lines(&none).len(), 1, "the names of the columns");
    let recorded = "select count(*) from audit_log where operation = 'admin_partners_export' and outcome = 'SUCCEEDED'";
    assert_eq!(harness.number(recorded).await, 2);
}

#[tokio::test]
async fn long_export_is_streamed_completely() {
    let (harness, staff) = cast().await;
    harness
        .sql(
            "insert into partner (partner_uuid, slug, company_name, country, created_at)
             select labs_uuid(), 'p-' || n, 'Partner ' || lpad(n::text, 3, '0'), 'DE', now() - n * interval '1 minute'
             from generate_series(1, 250) as n",
        )
        .await;
    for sort in ["company_name", "-registered_at"] {
        let whole = harness.call("admin_partners_export").query("sort", sort).token(&staff.token).expect(200).await;
        let rows = lines(&whole);
        assert_eq!(rows.len(), 251);
        let names: Vec<&str> = rows[1..].iter().map(|row| row.split(',').nth(2).unwrap()).collect();
        assert!(names.is_sorted() && names[249] == "Partner 250", "{sort}");
    }
}

#[tokio::test]
async fn export_has_every_partner_once_despite_concurrent_changes() {
    let (harness, staff) = cast().await;
    // The rows are so long that they cannot all be in flight when the first one is read.
    harness
        .sql(
            "insert into partner (partner_uuid, slug, company_name, country, address)
             select labs_uuid(), 'p-' || n, 'Partner ' || lpad(n::text, 4, '0'), 'DE',
                    jsonb_build_object('street', repeat('x', 10000))
             from generate_series(1, 2000) as n",
        )
        .await;
    let url = format!("{}/v1/admin/partners:export?sort=company_name", harness.base_url);
    let mut response = harness.http().get(url).bearer_auth(&staff.token).send().await.unwrap();
    let mut body = response.chunk().await.unwrap().unwrap().to_vec();
    // Reverses the sort order of all partners.
    harness.sql("update partner set company_name = 'Partner ' || (3000 - substr(slug, 3)::int)").await;
    while let Some(piece) = response.chunk().await.unwrap() {
        body.extend_from_slice(&piece);
    }
    let text = String::from_utf8(body).unwrap();
    let slugs: Vec<&str> = text.lines().skip(1).map(|row| row.split(',').nth(1).unwrap()).collect();
    let expected: Vec<String> = (1..=2000).map(|n| format!("p-{n}")).collect();
    assert_eq!(slugs, expected);
}

#[tokio::test]
async fn timeline_merges_all_histories_in_one_order() {
    let (harness, staff) = cast().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let partner = owner.partner_uuid.unwrap();
    let app = harness.call("marketplace_apps_create").token(&owner.token).json(&json!({ "name": "Table Pilot" }));
    let app = app.expect(201).await.str("uuid").to_owned();
    on(&harness, &staff, "admin_partners_update", partner).json(&json!({ "legal_form": "KG" })).expect(200).await;
    let read = async |query: &[(&str, &str)]| {
        let call = on(&harness, &staff, "admin_partners_list_timeline", partner);
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        call.expect(200).await.json
    };
    let all = read(&[("limit", "100"), ("include_total", "true")]).await;
    let entries = all["data"].as_array().unwrap();
    assert_eq!(all["page"]["total"], json!(entries.len()));
    let groups: std::collections::HashSet<&str> =
        entries.iter().map(|entry| entry["group"].as_str().unwrap()).collect();
    assert_eq!(groups, ["ACCOUNT", "SUBSCRIPTION", "MARKETPLACE", "SECURITY", "AUDIT"].into());
    let times: Vec<&str> = entries.iter().map(|entry| entry["occurred_at"].as_str().unwrap()).collect();
    assert!(times.is_sorted_by(|one, two| one >= two), "{times:?}");
    let made = read(&[("group", "MARKETPLACE")]).await;
    assert_eq!((&made["data"][0]["kind"], &made["data"][0]["subject"]["uuid"]), (&json!("CREATED"), &json!(app)));
    let changed = read(&[("group", "ACCOUNT,AUDIT"), ("kind", "COMPANY_UPDATED,admin_partners_update")]).await;
    let names: Vec<&Value> = changed["data"].as_array().unwrap().iter().map(|entry| &entry["actor"]["name"]).collect();
    assert_eq!(names, [&json!("Jonas Okafor"), &json!("Jonas Okafor")], "as the story and as the record");
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let mut query = vec![("limit", "3"), ("group", "ACCOUNT,SUBSCRIPTION,MARKETPLACE,SECURITY")];
        query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
        let page = read(&query).await;
        seen.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["page"]["next_cursor"].as_str() else { break };
        cursor = Some(next.to_owned());
    }
    let others: Vec<Value> = entries.iter().filter(|entry| entry["group"] != "AUDIT").cloned().collect();
    assert_eq!(seen, others, "without a gap");
}

#[tokio::test]
async fn reading_and_changing_partners_need_separate_scopes() {
    let (harness, _) = cast().await;
    let partner = harness.partner("Nordsee Kassen").await.partner_uuid.unwrap();
    let reader = harness.staff("Reader", &["labs.admin.partners"]).await;
    on(&harness, &reader, "admin_partners_get", partner).expect(200).await;
    let refused =
        on(&harness, &reader, "admin_partners_suspend", partner).json(&json!({ "reason": "No." })).expect(403).await;
    assert_eq!(refused.str("required_scope"), "labs.admin.partners:write");
}
