//! Tests of staff roles: a caller can only grant scopes that they have, changes take effect at once, and callers cannot
//! change their own role.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

async fn create(harness: &Harness, staff: &Person, code: &str, scopes: &[&str]) -> Answer {
    let body = json!({ "code": code, "name": "Some role", "scopes": scopes });
    harness.call("admin_staff_roles_create").token(&staff.token).json(&body).send().await
}

async fn update(harness: &Harness, staff: &Person, code: &str, body: &Value) -> Answer {
    harness.call("admin_staff_roles_update").path("role_code", code).token(&staff.token).json(body).send().await
}

async fn delete(harness: &Harness, staff: &Person, code: &str) -> Answer {
    harness.call("admin_staff_roles_delete").path("role_code", code).token(&staff.token).send().await
}

async fn grant(harness: &Harness, staff: &Person, person: &Person, roles: &[&str]) -> Answer {
    let call = harness.call("admin_staff_put_roles").path("staff_uuid", person.uuid).token(&staff.token);
    call.json(&json!({ "roles": roles })).send().await
}

#[tokio::test]
async fn roles_are_listed_with_operations_and_holders() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let list = async |query: &[(&str, &str)]| {
        let call = harness.call("admin_staff_roles_list").token(&chief.token).query("limit", 100);
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        call.expect(200).await.json["data"].as_array().unwrap().clone()
    };
    let all = list(&[]).await;
    assert_eq!(all.len(), 10, "nine from the beginning, and the chief's");
    let own = all.iter().find(|role| role["code"] == "T_CHIEF").unwrap();
    assert_eq!((&own["holders_count"], &own["holders"][0]["name"]), (&json!(1), &json!("Chief")));
    let codes =
        |roles: &[Value]| roles.iter().map(|role| role["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(codes(&list(&[("scope", "labs.admin.staff:write")]).await), ["ADMINISTRATOR", "T_CHIEF"]);
    assert_eq!(codes(&list(&[("q", "changelog")]).await), ["EDITOR"]);
    let by_name = list(&[("sort", "name")]).await;
    assert_eq!(codes(&by_name)[..2], ["ACCOUNT_MANAGER", "ADMINISTRATOR"]);
}

#[tokio::test]
async fn role_is_limited_to_scopes_of_its_creator() {
    let harness = Harness::new().await;
    let manager = harness.staff("Manager", &["labs.admin.staff:write", "labs.admin.audit"]).await;
    let made = create(&harness, &manager, "AUDITORS", &["labs.admin.audit", "labs.admin.staff"]).await;
    assert_eq!((made.status, made.header("location")), (201, "/v1/admin/staff-roles/AUDITORS"));
    assert_eq!(made.json["scopes"], json!(["labs.admin.audit", "labs.admin.staff"]));
    for (scope, code) in [
        ("labs.admin.audit:write", "SCOPE_BEYOND_YOURS"),
        ("marketplace", "NOT_OF_STAFF"),
        ("labs.secret", "UNKNOWN_SCOPE"),
    ] {
        let refused = create(&harness, &manager, "OTHERS", &["labs.admin.audit", scope]).await;
        let error = &refused.json["errors"][0];
        assert_eq!((refused.status, &error["code"], &error["pointer"]), (422, &json!(code), &json!("/scopes/1")));
    }
    assert_eq!(create(&harness, &manager, "AUDITORS", &["labs.admin.audit"]).await.code(), "CONFLICT");
    let recorded = "select count(*) from audit_log join audit_change using (record_uuid)
                     where operation = 'admin_staff_roles_create' and outcome = 'SUCCEEDED' and target_label = 'AUDITORS'
                       and thing = 'staff_role' and after ->> 'name' = 'Some role'";
    assert_eq!(harness.number(recorded).await, 1);
}

#[tokio::test]
async fn role_scopes_are_effective_immediately_for_holders() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let clerk = harness.staff("Clerk", &["labs.admin.audit"]).await;
    let status = async || harness.call("admin_machine_clients_list").token(&clerk.token).send().await.status;
    assert_eq!(status().await, 403);
    let wider = json!({ "scopes": ["labs.admin.audit", "labs.admin.clients"] });
    assert_eq!(update(&harness, &chief, "T_CLERK", &wider).await.status, 200);
    harness.soon("the holder reaches more", async || status().await == 200).await;
    let narrower = json!({ "scopes": ["labs.admin.audit"], "description": "Reads." });
    assert_eq!(update(&harness, &chief, "T_CLERK", &narrower).await.str("description"), "Reads.");
    harness.soon("and less again", async || status().await == 403).await;
    let emptied = update(&harness, &chief, "T_CLERK", &json!({ "description": null })).await;
    assert_eq!((emptied.str("description"), emptied.str("name")), ("", "Clerk"));
}

#[tokio::test]
async fn caller_cannot_widen_role_beyond_own_scopes_or_change_own() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let manager = harness.staff("Manager", &["labs.admin.staff:write"]).await;
    harness.staff("Clerk", &["labs.admin.audit"]).await;
    let beyond =
        update(&harness, &manager, "T_CLERK", &json!({ "scopes": ["labs.admin.audit", "labs.admin.tiers"] })).await;
    assert_eq!((beyond.status, &beyond.json["errors"][0]["pointer"]), (422, &json!("/scopes/1")));
    let own = update(&harness, &manager, "T_MANAGER", &json!({ "scopes": ["labs.admin.staff"] })).await;
    assert_eq!((own.status, own.code()), (409, "CONFLICT"));
    assert_eq!(
        update(&harness, &manager, "T_MANAGER", &json!({ "name": "Head" })).await.status,
        200,
        "a name is no right"
    );
    let narrowed = update(&harness, &chief, "T_MANAGER", &json!({ "scopes": ["labs.admin.staff"] })).await;
    assert_eq!(narrowed.status, 200);
    let missing = update(&harness, &chief, "NO_SUCH", &json!({ "name": "x" })).await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn role_in_use_cannot_be_deleted() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let clerk = harness.staff("Clerk", &["labs.admin.audit"]).await;
    assert_eq!(delete(&harness, &chief, "T_CLERK").await.code(), "CONFLICT");
    assert_eq!(grant(&harness, &chief, &clerk, &["AUDITOR"]).await.status, 200);
    assert_eq!(delete(&harness, &chief, "T_CLERK").await.status, 204);
    assert_eq!(delete(&harness, &chief, "T_CLERK").await.status, 404);
}

#[tokio::test]
async fn last_role_that_can_grant_cannot_be_reduced() {
    let harness = Harness::new().await;
    let program = harness.program("Provisioner", &["labs.admin:write"], None).await;
    harness.staff("Manager", &["labs.admin.staff:write"]).await;
    let call = harness.call("admin_staff_roles_update").path("role_code", "T_MANAGER").token(&program.token);
    let refused = call.json(&json!({ "scopes": ["labs.admin.staff"] })).send().await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{}", refused.text());
    harness.staff("Second", &["labs.admin.staff:write"]).await;
    let call = harness.call("admin_staff_roles_update").path("role_code", "T_MANAGER").token(&program.token);
    call.json(&json!({ "scopes": ["labs.admin.staff"] })).expect(200).await;
}

#[tokio::test]
async fn concurrent_deletes_of_last_full_roles_keep_one() {
    let harness = Harness::new().await;
    let program = harness.program("Provisioner", &["labs.admin:write"], None).await;
    let body = json!({ "code": "OWNERS", "name": "Owners", "scopes": ["labs.admin:write"] });
    harness.call("admin_staff_roles_create").token(&program.token).json(&body).expect(201).await;
    // Both requests pass authorization and wait for the same lock before either finishes.
    let held = harness.hold("select pg_advisory_xact_lock(hashtextextended('staff granters', 0))").await;
    let release = async {
        let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted
                          and database = (select oid from pg_database where datname = current_database())";
        harness.until(waiting, 2).await;
        held.roll_back().await;
    };
    let delete =
        |code: &str| harness.call("admin_staff_roles_delete").path("role_code", code).token(&program.token).send();
    let (one, other, ()) = tokio::join!(delete("ADMINISTRATOR"), delete("OWNERS"), release);
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409], "{} {}", one.text(), other.text());
    assert_eq!(harness.number("select count(*) from staff_role where scopes @> array['labs.admin:write']").await, 1);
}

#[tokio::test]
async fn caller_cannot_remove_scopes_that_they_lack() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin.staff:write", "labs.admin.audit"]).await;
    let narrower = json!({ "scopes": ["labs.admin.staff"] });
    let narrowed = update(&harness, &chief, "ADMINISTRATOR", &narrower).await;
    assert_eq!((narrowed.status, narrowed.str("required_scope")), (403, "labs.admin:write"), "{}", narrowed.text());
    let deleted = delete(&harness, &chief, "ADMINISTRATOR").await;
    assert_eq!((deleted.status, deleted.str("required_scope")), (403, "labs.admin:write"), "{}", deleted.text());
    assert_eq!(create(&harness, &chief, "AUDITORS", &["labs.admin.audit"]).await.status, 201);
    assert_eq!(update(&harness, &chief, "AUDITORS", &narrower).await.status, 200, "what they hold they may take");
    assert_eq!(delete(&harness, &chief, "AUDITORS").await.status, 204);
    let program = harness.program("Provisioner", &["labs.admin:write"], None).await;
    let call = |operation: &str| harness.call(operation).path("role_code", "ADMINISTRATOR").token(&program.token);
    let narrowed = call("admin_staff_roles_update").json(&narrower).send().await;
    assert_eq!((narrowed.status, narrowed.code()), (409, "CONFLICT"), "the last role of its kind: {}", narrowed.text());
    assert_eq!(call("admin_staff_roles_delete").send().await.status, 409, "neither goes nor shrinks");
    let owner = Person { token: program.token.clone(), ..chief };
    assert_eq!(create(&harness, &owner, "OWNERS", &["labs.admin:write"]).await.status, 201);
    assert_eq!(call("admin_staff_roles_delete").send().await.status, 204);
}
