//! Tests of a team: roles, rights that are revoked at once, and the last administrator.

use futures_util::future::join;
use serde_json::{Value, json};
use uuid::Uuid;

use super::team::{cast, colleague, invite, noted, on, refused_soon};
use crate::auth::token_for;
use crate::harness::Harness;
use crate::harness::people::{PASSWORD, Person};
use crate::subscription::call_during_write;

async fn role(harness: &Harness, by: &Person, person: &Person, role: &str) -> crate::harness::Answer {
    on(harness, by, "partner_team_members_update", person.uuid, Some(json!({ "role": role }))).await
}

async fn list(harness: &Harness, by: &Person, query: &[(&str, &str)]) -> Vec<String> {
    let call = harness.call("partner_team_members_list").path("partner_uuid", by.partner_uuid.unwrap());
    let call = query.iter().fold(call.token(&by.token), |call, (name, value)| call.query(name, value));
    let data = call.expect(200).await.json["data"].clone();
    data.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

async fn administrators(harness: &Harness) -> i64 {
    harness.number("select count(*) from person where role = 'ADMINISTRATOR' and state = 'ACTIVE'").await
}

async fn mailed(harness: &Harness, person: &Person, words: &str) {
    let told = async || harness.mails_now(&person.email).iter().any(|mail| mail.contains(words));
    harness.soon(words, told).await;
}

#[tokio::test]
async fn team_list_shows_allowed_actions_per_member() {
    let (harness, owner) = cast().await;
    let tomas = colleague(&harness, &owner, "Tomas", "DEVELOPER").await;
    let ines = colleague(&harness, &owner, "Ines", "VIEWER").await;
    harness.partner("Weser Software").await;
    assert_eq!(
        list(&harness, &owner, &[]).await,
        ["Ines", "Tomas", "Mara Vogel"],
        "the newest first, and nobody else's"
    );
    assert_eq!(list(&harness, &owner, &[("sort", "name")]).await, ["Ines", "Mara Vogel", "Tomas"]);
    assert_eq!(
        list(&harness, &ines, &[("role", "DEVELOPER,VIEWER"), ("state", "ACTIVE"), ("q", "TOMAS")]).await,
        ["Tomas"]
    );
    assert_eq!(list(&harness, &owner, &[("second_factor", "true")]).await, Vec::<String>::new());
    let shown = on(&harness, &ines, "partner_team_members_get", tomas.uuid, None).await;
    assert_eq!(
        (shown.str("role"), shown.str("state"), &shown.json["second_factor"]),
        ("DEVELOPER", "ACTIVE", &json!(false))
    );
    let me = harness.call("system_me_get").token(&tomas.token).expect(200).await.json;
    let mut carried: Vec<Value> = me["scopes"].as_array().unwrap().clone();
    carried.sort_by_key(Value::to_string);
    assert_eq!(shown.json["scopes"], Value::Array(carried), "as the token carries them");
    assert!(!shown.text().contains("statistics"), "the free tier has none");
    harness.sql("update subscription set tier_uuid = (select tier_uuid from tier where code = 'GROWTH')").await;
    let grown = on(&harness, &owner, "partner_team_members_get", tomas.uuid, None).await;
    assert!(grown.json["scopes"].as_array().unwrap().contains(&json!("statistics")));
    let page = harness.call("partner_team_members_list").path("partner_uuid", owner.partner_uuid.unwrap());
    let page = page.token(&owner.token).query("sort", "name").query("limit", 2).expect(200).await;
    let cursor = page.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(list(&harness, &owner, &[("sort", "name"), ("limit", "2"), ("cursor", &cursor)]).await, ["Tomas"]);
}

#[tokio::test]
async fn roles_are_listed_with_scopes_limited_by_tier() {
    let (harness, owner) = cast().await;
    let anna = colleague(&harness, &owner, "Anna", "ACCOUNTANT").await;
    let roles = async |by: &Person| {
        let call = harness.call("partner_team_members_list_roles").path("partner_uuid", by.partner_uuid.unwrap());
        call.token(&by.token).expect(200).await.json["data"].as_array().unwrap().clone()
    };
    let grantable = |roles: &[Value]| roles.iter().map(|role| role["grantable"] == true).collect::<Vec<_>>();
    let shown = roles(&owner).await;
    assert_eq!(shown[0]["role"], "ADMINISTRATOR");
    assert_eq!(shown[4]["beyond_tier"], json!(["statistics"]));
    assert!(!shown[4]["scopes"].as_array().unwrap().contains(&json!("statistics")));
    assert_eq!(grantable(&shown), [true; 5]);
    assert_eq!(grantable(&roles(&anna).await), [false, false, false, true, true]);
    let viewer = colleague(&harness, &owner, "Vera", "VIEWER").await;
    assert_eq!(grantable(&roles(&viewer).await), [false; 5], "who cannot write the team gives nothing");
}

#[tokio::test]
async fn role_change_is_effective_within_one_second_and_notified() {
    let (harness, owner) = cast().await;
    let twin = harness.twin(&[]).await;
    let tomas = colleague(&harness, &owner, "Tomas", "DEVELOPER").await;
    let try_app = async |at: &Harness| {
        at.call("marketplace_apps_create").token(&tomas.token).json(&json!({})).send().await.status
    };
    assert_eq!((try_app(&harness).await, try_app(&twin).await), (422, 422), "let in, and told what is missing");
    let same = role(&harness, &owner, &tomas, "DEVELOPER").await;
    assert_eq!((same.status, noted(&harness, "MEMBER_ROLE_CHANGED", tomas.uuid).await), (200, 0), "no change");
    let changed = role(&harness, &owner, &tomas, "VIEWER").await;
    assert_eq!((changed.status, changed.str("role")), (200, "VIEWER"));
    harness.soon("the role is in force", async || try_app(&harness).await == 403).await;
    harness.soon("and on the other replica", async || try_app(&twin).await == 403).await;
    harness.call("system_me_get").token(&tomas.token).expect(200).await;
    let event = format!(
        "select count(*) from partner_event where kind = 'MEMBER_ROLE_CHANGED' and subject_uuid = '{}' and actor_uuid = '{}'
            and detail = '{{\"from\": \"DEVELOPER\", \"to\": \"VIEWER\"}}'",
        tomas.uuid, owner.uuid
    );
    assert_eq!(harness.number(&event).await, 1);
    mailed(&harness, &tomas, "Your role at").await;
    let etag = on(&harness, &owner, "partner_team_members_get", tomas.uuid, None).await.header("etag").to_owned();
    role(&harness, &owner, &tomas, "EDITOR").await;
    let stale = harness.call("partner_team_members_update").path("partner_uuid", owner.partner_uuid.unwrap());
    let stale = stale.path("user_uuid", tomas.uuid).token(&owner.token).header("if-match", &etag);
    stale.json(&json!({ "role": "VIEWER" })).expect(412).await;
}

#[tokio::test]
async fn caller_cannot_grant_or_change_roles_above_own() {
    let (harness, owner) = cast().await;
    let anna = colleague(&harness, &owner, "Anna", "ACCOUNTANT").await;
    let vera = colleague(&harness, &owner, "Vera", "VIEWER").await;
    for above in ["ADMINISTRATOR", "DEVELOPER", "EDITOR"] {
        let refused = role(&harness, &anna, &vera, above).await;
        assert_eq!((refused.status, &refused.json["errors"][0]["code"]), (422, &json!("ROLE_BEYOND_YOURS")), "{above}");
        assert_eq!(refused.json["errors"][0]["pointer"], "/role");
        assert_eq!(role(&harness, &anna, &anna, above).await.status, 422, "not to oneself either");
        assert_eq!(invite(&harness, &anna, "new@nordsee.example", above).await.status, 422, "not by invitation either");
    }
    for operation in ["partner_team_members_suspend", "partner_team_members_remove", "partner_team_members_reinstate"] {
        let refused = on(&harness, &anna, operation, owner.uuid, None).await;
        assert_eq!((refused.status, refused.code()), (403, "SCOPE_MISSING"), "{operation}");
    }
    assert_eq!(role(&harness, &anna, &owner, "VIEWER").await.code(), "SCOPE_MISSING");
    assert_eq!(role(&harness, &anna, &vera, "ACCOUNTANT").await.status, 200);
    let program = harness.program("Staffing", &["partner.team:write"], owner.partner_uuid).await;
    let by = Person { token: program.token, ..owner.clone() };
    assert_eq!(invite(&harness, &by, "new@nordsee.example", "DEVELOPER").await.status, 422);
    let invited = invite(&harness, &by, "new@nordsee.example", "VIEWER").await;
    assert_eq!((invited.status, &invited.json["invited_by_uuid"]), (201, &Value::Null));
}

#[tokio::test]
async fn last_administrator_cannot_be_removed() {
    let (harness, owner) = cast().await;
    let tomas = colleague(&harness, &owner, "Tomas", "DEVELOPER").await;
    assert_eq!(role(&harness, &owner, &owner, "VIEWER").await.code(), "CONFLICT");
    for operation in ["partner_team_members_suspend", "partner_team_members_remove"] {
        assert_eq!(on(&harness, &owner, operation, owner.uuid, None).await.code(), "CONFLICT", "{operation}");
    }
    let leave = harness.call("partner_team_members_leave").path("partner_uuid", owner.partner_uuid.unwrap());
    assert_eq!(leave.token(&owner.token).send().await.code(), "CONFLICT");
    assert_eq!(role(&harness, &owner, &tomas, "ADMINISTRATOR").await.status, 200);
    let lowered = role(&harness, &owner, &owner, "VIEWER").await;
    assert_eq!((lowered.status, lowered.str("role")), (200, "VIEWER"), "with another one there is somebody left");
    assert_eq!(administrators(&harness).await, 1);
}

#[tokio::test]
async fn mutual_demotion_succeeds_once() {
    let (harness, owner) = cast().await;
    let tomas = colleague(&harness, &owner, "Tomas", "ADMINISTRATOR").await;
    for round in 0..6 {
        let (one, two) = join(role(&harness, &owner, &tomas, "VIEWER"), role(&harness, &tomas, &owner, "VIEWER")).await;
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert!(matches!(statuses, [200, 403 | 409]), "round {round}: {} {}", one.text(), two.text());
        assert_eq!(administrators(&harness).await, 1, "round {round}");
        harness.sql("update person set role = 'ADMINISTRATOR' where role = 'VIEWER'").await;
        for by in [&owner, &tomas] {
            let restored = async || {
                let me = harness.call("system_me_get").token(&by.token).expect(200).await;
                me.json["scopes"].as_array().unwrap().contains(&json!("partner:write"))
            };
            harness.soon("both are administrators again", restored).await;
        }
    }
}

#[tokio::test]
async fn demoted_administrator_loses_rights_immediately() {
    let (harness, owner) = cast().await;
    let tomas = colleague(&harness, &owner, "Tomas", "ADMINISTRATOR").await;
    let vera = colleague(&harness, &owner, "Vera", "VIEWER").await;
    let may = async |scope: &str| {
        let me = harness.call("system_me_get").token(&tomas.token).expect(200).await;
        me.json["scopes"].as_array().unwrap().contains(&json!(scope))
    };
    let friend = json!({ "email": "friend@elsewhere.example", "role": "ADMINISTRATOR" });
    let cases = [
        ("invite", "role = 'VIEWER'", 403, "SCOPE_MISSING"),
        ("invite", "role = 'ACCOUNTANT'", 422, "VALIDATION_FAILED"),
        ("invite", "state = 'SUSPENDED'", 401, "TOKEN_REVOKED"),
        ("update", "role = 'VIEWER'", 403, "SCOPE_MISSING"),
        ("update", "role = 'ACCOUNTANT'", 422, "VALIDATION_FAILED"),
        ("suspend", "role = 'VIEWER'", 403, "SCOPE_MISSING"),
        ("reinstate", "role = 'VIEWER'", 403, "SCOPE_MISSING"),
        ("remove", "role = 'VIEWER'", 403, "SCOPE_MISSING"),
        ("remove", "state = 'SUSPENDED'", 401, "TOKEN_REVOKED"),
    ];
    for (attempt, change, status, code) in cases {
        // Another transaction changes Tomas at this moment. Requests that he sends in the meantime were already
        // authorized.
        let change = format!(
            "select from partner where partner_uuid = '{}' for no key update;
             update person set {change} where person_uuid = '{}'",
            owner.partner_uuid.unwrap(),
            tomas.uuid
        );
        let call = |operation: &str| {
            let call = harness.call(operation).path("partner_uuid", owner.partner_uuid.unwrap());
            if attempt == "invite" { call } else { call.path("user_uuid", vera.uuid) }.token(&tomas.token)
        };
        let call = match attempt {
            "invite" => call("partner_invitations_create").json(&friend),
            "update" => call("partner_team_members_update").json(&json!({ "role": "ADMINISTRATOR" })),
            _ => call(&format!("partner_team_members_{attempt}")),
        };
        let answer = call_during_write(&harness, &change, call).await;
        assert_eq!((answer.status, answer.code()), (status, code), "{attempt}: {change}: {}", answer.text());
        harness
            .sql(&format!(
                "update person set role = 'ADMINISTRATOR', state = 'ACTIVE' where person_uuid = '{}'",
                tomas.uuid
            ))
            .await;
        harness.soon("Tomas is an administrator again", async || may("partner:write").await).await;
    }
    assert_eq!(harness.number("select count(*) from invitation where state = 'PENDING'").await, 0);
    let untouched = format!(
        "select count(*) from person where person_uuid = '{}' and role = 'VIEWER' and state = 'ACTIVE'",
        vera.uuid
    );
    assert_eq!(harness.number(&untouched).await, 1);
}

#[tokio::test]
async fn team_cannot_remove_user_locked_by_staff() {
    let (harness, owner) = cast().await;
    let manager = harness.staff("Manager", &["labs.admin.users:write"]).await;
    let tomas = colleague(&harness, &owner, "Tomas", "DEVELOPER").await;
    let lock = harness.call("admin_users_lock").path("user_uuid", tomas.uuid).token(&manager.token);
    lock.json(&json!({ "reason": "In wrong hands." })).expect(200).await;
    for operation in ["partner_team_members_remove", "partner_team_members_suspend", "partner_team_members_reinstate"] {
        let refused = on(&harness, &owner, operation, tomas.uuid, None).await;
        assert_eq!(
            (refused.code(), &refused.json["allowed_actions"]),
            ("ILLEGAL_TRANSITION", &json!(["unlock"])),
            "{operation}"
        );
    }
    let again = invite(&harness, &owner, &tomas.email, "DEVELOPER").await;
    assert_eq!((again.status, again.code()), (409, "CONFLICT"), "the address is still theirs");
    let remove = harness.call("admin_team_members_remove").path("partner_uuid", owner.partner_uuid.unwrap());
    let remove = remove.path("user_uuid", tomas.uuid).token(&manager.token);
    remove.query("reason", "Settled with the company.").expect(204).await;
}

#[tokio::test]
async fn suspended_user_is_rejected_until_reinstated() {
    let (harness, owner) = cast().await;
    let tomas = colleague(&harness, &owner, "Tomas", "DEVELOPER").await;
    let idle = on(&harness, &owner, "partner_team_members_reinstate", tomas.uuid, None).await;
    assert_eq!(
        (idle.code(), &idle.json["allowed_actions"]),
        ("ILLEGAL_TRANSITION", &json!(["suspend", "lock", "remove"]))
    );
    let suspended = on(&harness, &owner, "partner_team_members_suspend", tomas.uuid, None).await;
    assert_eq!((suspended.status, suspended.str("state")), (200, "SUSPENDED"));
    refused_soon(&harness, "sessions end", &tomas.token).await;
    harness.call("auth_sessions_refresh").cookie(&tomas.refresh).json(&json!({})).expect(401).await;
    let body = json!({ "email": tomas.email, "password": PASSWORD });
    assert_ne!(harness.call("auth_sessions_create").json(&body).send().await.status, 200);
    assert_eq!(
        on(&harness, &owner, "partner_team_members_suspend", tomas.uuid, None).await.code(),
        "ILLEGAL_TRANSITION"
    );
    assert_eq!(list(&harness, &owner, &[("state", "SUSPENDED")]).await, ["Tomas"]);
    let reinstated = on(&harness, &owner, "partner_team_members_reinstate", tomas.uuid, None).await;
    assert_eq!((reinstated.str("state"), reinstated.str("role")), ("ACTIVE", "DEVELOPER"));
    harness.sign_in(&tomas.email).await;
    for kind in ["MEMBER_SUSPENDED", "MEMBER_REINSTATED"] {
        assert_eq!(noted(&harness, kind, tomas.uuid).await, 1, "{kind}");
        let own = format!(
            "select count(*) from security_event where kind = '{kind}' and person_uuid = '{}' and address is null",
            tomas.uuid
        );
        assert_eq!(harness.number(&own).await, 1, "in the person's own ledger, without where the colleague sits");
    }
    mailed(&harness, &tomas, "suspended your account").await;
    mailed(&harness, &tomas, "reinstated your account").await;
}

#[tokio::test]
async fn removed_user_loses_access_everywhere_and_address_is_free() {
    let (harness, owner) = cast().await;
    let twin = harness.twin(&[]).await;
    let tomas = colleague(&harness, &owner, "Tomas", "DEVELOPER").await;
    twin.call("system_me_get").token(&tomas.token).expect(200).await;
    harness.call("auth_passwords_request_reset").json(&json!({ "email": tomas.email })).expect(202).await;
    let reset = token_for(&harness, &tomas.email, "/v1/auth/password-resets:confirm", 1).await;
    let removed = on(&harness, &owner, "partner_team_members_remove", tomas.uuid, None).await;
    assert_eq!((removed.status, removed.bytes.len()), (204, 0));
    refused_soon(&harness, "sessions end", &tomas.token).await;
    refused_soon(&twin, "sessions end on the other replica", &tomas.token).await;
    let body = json!({ "token": reset, "password": "nine herons under the pier" });
    harness.call("auth_passwords_confirm_reset").json(&body).expect(422).await;
    for operation in ["partner_team_members_get", "partner_team_members_remove"] {
        assert_eq!(on(&harness, &owner, operation, tomas.uuid, None).await.status, 404, "{operation}");
    }
    assert_eq!(list(&harness, &owner, &[]).await, ["Mara Vogel"]);
    assert_eq!(noted(&harness, "MEMBER_REMOVED", tomas.uuid).await, 1);
    mailed(&harness, &tomas, "You are not in the team").await;
    assert_eq!(invite(&harness, &owner, &tomas.email, "VIEWER").await.status, 201, "the address is free");
    let token = token_for(&harness, &tomas.email, super::team::ACCEPT, 2).await;
    let body = json!({ "token": token, "name": "Tomas anew", "password": PASSWORD });
    let anew = harness.call("auth_invitations_accept").json(&body).expect(200).await;
    assert_ne!(anew.str("user_uuid"), tomas.uuid.to_string());
}

#[tokio::test]
async fn leaving_user_is_signed_out_and_machine_client_cannot_leave() {
    let (harness, owner) = cast().await;
    let partner = owner.partner_uuid.unwrap();
    let vera = colleague(&harness, &owner, "Vera", "VIEWER").await;
    let program = harness.program("Menu sync", &["partner"], Some(partner)).await;
    let leave = |token: &str| harness.call("partner_team_members_leave").path("partner_uuid", partner).token(token);
    assert_eq!(leave(&program.token).expect(409).await.code(), "CONFLICT");
    let left = leave(&vera.token).expect(200).await;
    assert_eq!((left.str("status"), left.str("user_uuid")), ("LEFT", vera.uuid.to_string().as_str()));
    refused_soon(&harness, "the session ends", &vera.token).await;
    assert_eq!(noted(&harness, "MEMBER_LEFT", vera.uuid).await, 1);
    mailed(&harness, &vera, "have left the team").await;
    let own = format!(
        "select count(*) from security_event where kind = 'MEMBER_LEFT' and person_uuid = '{}' and address is not null",
        vera.uuid
    );
    assert_eq!(harness.number(&own).await, 1);
}

#[tokio::test]
async fn invitations_end_with_rights_of_their_inviter() {
    let (harness, owner) = cast().await;
    let manager = harness.staff("Manager", &["labs.admin.users:write"]).await;
    for (number, way) in ["demoted", "suspended", "removed", "locked"].into_iter().enumerate() {
        let name = format!("Tomas{number}");
        let tomas = colleague(&harness, &owner, &name, "ADMINISTRATOR").await;
        let address = |role: &str| format!("{role}{number}@elsewhere.example").to_lowercase();
        for role in ["ADMINISTRATOR", "VIEWER"] {
            assert_eq!(invite(&harness, &tomas, &address(role), role).await.status, 201, "{way}");
        }
        let token = token_for(&harness, &address("ADMINISTRATOR"), super::team::ACCEPT, 1).await;
        let (status, revoked) = match way {
            "demoted" => (role(&harness, &owner, &tomas, "ACCOUNTANT").await.status, 1),
            "suspended" => (on(&harness, &owner, "partner_team_members_suspend", tomas.uuid, None).await.status, 2),
            "removed" => (on(&harness, &owner, "partner_team_members_remove", tomas.uuid, None).await.status, 2),
            _ => {
                let lock = harness.call("admin_users_lock").path("user_uuid", tomas.uuid).token(&manager.token);
                (lock.json(&json!({ "reason": "In wrong hands." })).send().await.status, 2)
            }
        };
        assert!(matches!(status, 200 | 204), "{way}: {status}");
        let body = json!({ "token": token, "name": "A Friend", "password": PASSWORD });
        harness.call("auth_invitations_accept").json(&body).expect(422).await;
        let told = format!(
            "select count(*) from invitation join partner_event on subject_uuid = invitation_uuid
              where invited_by = '{}' and state = 'REVOKED' and kind = 'INVITATION_REVOKED' and reason is null",
            tomas.uuid
        );
        assert_eq!(harness.number(&told).await, revoked, "{way}: an accountant may still give the viewer's role");
    }
}

#[tokio::test]
async fn foreign_team_is_not_accessible() {
    let (harness, owner) = cast().await;
    let other = harness.partner("Weser Software").await;
    for operation in ["partner_team_members_get", "partner_team_members_suspend", "partner_team_members_remove"] {
        assert_eq!(on(&harness, &owner, operation, other.uuid, None).await.status, 404, "{operation}");
        let intruder = Person { token: owner.token.clone(), ..other.clone() };
        let answer = on(&harness, &intruder, operation, other.uuid, None).await;
        assert_eq!((answer.status, answer.code()), (403, "PARTNER_MISMATCH"), "{operation}");
    }
    for operation in [
        "partner_team_members_list",
        "partner_team_members_list_roles",
        "partner_team_members_leave",
        "partner_invitations_list",
    ] {
        for foreign in [other.partner_uuid.unwrap(), Uuid::from_u128(7)] {
            let answer = harness.call(operation).path("partner_uuid", foreign).token(&owner.token).expect(403).await;
            assert_eq!(answer.code(), "PARTNER_MISMATCH", "{operation}");
        }
    }
}
