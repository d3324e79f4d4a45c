//! Tests of actions that staff may not take against other staff or themselves, and of the last staff member who can
//! grant access.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

async fn on(harness: &Harness, by: &Person, operation: &str, person: Uuid, body: &Value) -> Answer {
    harness.call(operation).path("staff_uuid", person).token(&by.token).json(body).send().await
}

const GRANTERS: &str =
    "select count(*) from person join staff_role_grant using (person_uuid) join staff_role using (role_code)
                         where state = 'ACTIVE' and scopes && array['labs.admin:write', 'labs.admin.staff:write']";

#[tokio::test]
async fn caller_cannot_grant_roles_beyond_own_scopes() {
    let harness = Harness::new().await;
    let manager = harness.staff("Manager", &["labs.admin.staff:write", "labs.admin.audit"]).await;
    let clerk = harness.staff("Clerk", &["labs.admin.audit"]).await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let put = async |by: &Person, person: Uuid, roles: &[&str]| {
        on(&harness, by, "admin_staff_put_roles", person, &json!({ "roles": roles })).await
    };
    let refused = put(&manager, clerk.uuid, &["T_CLERK", "ADMINISTRATOR"]).await;
    let error = &refused.json["errors"][0];
    assert_eq!(
        (refused.status, &error["code"], &error["pointer"]),
        (422, &json!("ROLE_BEYOND_YOURS"), &json!("/roles/1"))
    );
    assert_eq!(put(&manager, clerk.uuid, &["NO_SUCH_ROLE"]).await.json["errors"][0]["code"], "UNKNOWN_ROLE");
    let invitation = json!({ "name": "Otto", "email": "otto@labs.example", "roles": ["AUDITOR"] });
    let invited = harness.call("admin_staff_create").token(&manager.token).json(&invitation).send().await;
    assert_eq!(
        (invited.status, &invited.json["errors"][0]["code"]),
        (422, &json!("ROLE_BEYOND_YOURS")),
        "overview is missing"
    );
    assert_eq!(put(&chief, clerk.uuid, &["REVIEWER", "T_CLERK"]).await.status, 200);
    let kept = put(&manager, clerk.uuid, &["REVIEWER", "T_CLERK"]).await;
    assert_eq!(kept.status, 200, "what somebody holds may stay");
    let taken = put(&manager, clerk.uuid, &[]).await;
    assert_eq!(
        (taken.status, taken.code()),
        (403, "SCOPE_MISSING"),
        "whoever cannot give a role back does not take it"
    );
    assert_eq!(put(&manager, clerk.uuid, &["REVIEWER"]).await.json["roles"][0]["code"], "REVIEWER", "one's own may go");
}

#[tokio::test]
async fn role_change_is_effective_immediately_and_audited_with_difference() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let clerk = harness.staff("Clerk", &["labs.admin.engagement"]).await;
    let audits = async || harness.call("admin_audit_records_list").token(&clerk.token).send().await.status;
    assert_eq!(audits().await, 403);
    let granted = on(&harness, &chief, "admin_staff_put_roles", clerk.uuid, &json!({ "roles": ["AUDITOR"] })).await;
    assert_eq!(granted.json["roles"][0]["code"], "AUDITOR");
    harness.soon("the role opens", async || audits().await == 200).await;
    on(&harness, &chief, "admin_staff_put_roles", clerk.uuid, &json!({ "roles": [] })).await;
    harness.soon("and closes", async || audits().await == 403).await;
    let changes = "select count(*) from audit_change join audit_log using (record_uuid)
                    where operation = 'admin_staff_put_roles' and thing = 'staff_role_grant'";
    assert_eq!(harness.number(changes).await, 3, "one taken, one granted, one taken");
}

#[tokio::test]
async fn caller_cannot_manage_staff_member_with_more_scopes() {
    let harness = Harness::new().await;
    let manager = harness.staff("Manager", &["labs.admin.staff:write"]).await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let reason = json!({ "reason": "A test." });
    for (operation, body) in
        [("admin_staff_reset_mfa", &reason), ("admin_staff_update", &json!({ "email": "mine@labs.example" }))]
    {
        let refused = on(&harness, &manager, operation, chief.uuid, body).await;
        assert_eq!((refused.status, refused.str("required_scope")), (403, "labs.admin:write"), "{operation}");
    }
    let second = harness.staff("Second", &["labs.admin:write"]).await;
    for (operation, body) in [("admin_staff_disable", &reason), ("admin_staff_put_roles", &json!({ "roles": [] }))] {
        let refused = on(&harness, &manager, operation, chief.uuid, body).await;
        assert_eq!((refused.status, refused.str("required_scope")), (403, "labs.admin:write"), "{operation}");
    }
    let stopped = on(&harness, &manager, "admin_staff_sign_out", chief.uuid, &reason).await;
    assert_eq!(stopped.status, 200, "an account in wrong hands is signed out by whoever sees it first");
    assert_eq!(on(&harness, &second, "admin_staff_disable", chief.uuid, &reason).await.status, 200);
    let enabled = on(&harness, &manager, "admin_staff_enable", chief.uuid, &reason).await;
    assert_eq!(
        (enabled.status, enabled.code()),
        (403, "SCOPE_MISSING"),
        "it comes back by somebody of the same rights"
    );
}

#[tokio::test]
async fn caller_cannot_change_own_roles_email_or_second_factor() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    harness.staff("Second", &["labs.admin:write"]).await;
    let reason = json!({ "reason": "A test." });
    for (operation, body) in [
        ("admin_staff_put_roles", &json!({ "roles": ["ADMINISTRATOR"] })),
        ("admin_staff_put_roles", &json!({ "roles": [] })),
        ("admin_staff_reset_mfa", &reason),
        ("admin_staff_update", &json!({ "email": "new@labs.example" })),
    ] {
        let refused = on(&harness, &chief, operation, chief.uuid, body).await;
        assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{operation}");
    }
    assert_eq!(on(&harness, &chief, "admin_staff_update", chief.uuid, &json!({ "name": "Boss" })).await.status, 200);
}

#[tokio::test]
async fn last_staff_administrator_cannot_be_removed() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let program = harness.program("Provisioner", &["labs.admin:write"], None).await;
    let by_program = Person { token: program.token, ..chief.clone() };
    let reason = json!({ "reason": "A test." });
    for by in [&chief, &by_program] {
        let refused = on(&harness, by, "admin_staff_disable", chief.uuid, &reason).await;
        assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{}", refused.text());
    }
    let refused =
        on(&harness, &by_program, "admin_staff_put_roles", chief.uuid, &json!({ "roles": ["AUDITOR"] })).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let invitation = json!({ "name": "Otto", "email": "otto@labs.example", "roles": ["ADMINISTRATOR"] });
    harness.call("admin_staff_create").token(&chief.token).json(&invitation).expect(201).await;
    let refused = on(&harness, &chief, "admin_staff_disable", chief.uuid, &reason).await;
    assert_eq!(refused.status, 409, "somebody who is only invited cannot let anybody in");
    harness.staff("Second", &["labs.admin.staff:write"]).await;
    for (operation, body) in [("admin_staff_disable", &reason), ("admin_staff_put_roles", &json!({ "roles": [] }))] {
        let refused = on(&harness, &by_program, operation, chief.uuid, body).await;
        let told = (refused.status, refused.str("detail").contains("labs.admin:write"));
        assert_eq!(told, (409, true), "nobody could grant everything again: {}", refused.text());
    }
    let third = harness.staff("Third", &["labs.admin:write"]).await;
    assert_eq!(on(&harness, &third, "admin_staff_disable", chief.uuid, &reason).await.status, 200);
    assert_eq!(harness.number(GRANTERS).await, 2);
}

#[tokio::test]
async fn mutual_removal_of_last_administrators_rejects_one() {
    for (operation, body) in [
        ("admin_staff_disable", json!({ "reason": "A test." })),
        ("admin_staff_put_roles", json!({ "roles": ["AUDITOR"] })),
    ] {
        let harness = Harness::new().await;
        let first = harness.staff("First", &["labs.admin:write"]).await;
        let second = harness.staff("Second", &["labs.admin:write"]).await;
        // Both requests pass authorization and wait for the same lock before either finishes.
        let held = harness.hold("select pg_advisory_xact_lock(hashtextextended('staff granters', 0))").await;
        let release = async {
            let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted
                              and database = (select oid from pg_database where datname = current_database())";
            harness.until(waiting, 2).await;
            held.roll_back().await;
        };
        let (one, other, ()) = tokio::join!(
            on(&harness, &first, operation, second.uuid, &body),
            on(&harness, &second, operation, first.uuid, &body),
            release
        );
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{operation}: {} {}", one.text(), other.text());
        assert_eq!(harness.number(GRANTERS).await, 1, "{operation}");
    }
}

#[tokio::test]
async fn database_keeps_the_last_staff_administrator() {
    let harness = Harness::new().await;
    harness.staff("Chief", &["labs.admin:write"]).await;
    for statement in [
        "update person set state = 'DISABLED' where kind = 'STAFF_USER'",
        "delete from staff_role_grant",
        "update staff_role set scopes = '{labs.admin.audit}' where role_code = 'T_CHIEF'",
        "delete from person where kind = 'STAFF_USER'",
    ] {
        let refused =
            sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut harness.owner().await).await.unwrap_err();
        assert_eq!(refused.as_database_error().unwrap().constraint(), Some("staff_granter_check"), "{statement}");
    }
    harness.staff("Second", &["labs.admin.staff:write"]).await;
    for statement in [
        "update person set state = 'DISABLED' where name = 'Chief'",
        "delete from staff_role_grant where role_code = 'T_CHIEF'",
        "update staff_role set scopes = '{labs.admin.staff:write}' where role_code = 'T_CHIEF'",
    ] {
        let refused =
            sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut harness.owner().await).await.unwrap_err();
        assert_eq!(refused.as_database_error().unwrap().constraint(), Some("staff_whole_check"), "{statement}");
    }
    harness.staff("Clerk", &["labs.admin.audit"]).await;
    harness
        .sql("update person set state = 'DISABLED' where name = 'Clerk'; delete from person where name = 'Clerk'")
        .await;
}
