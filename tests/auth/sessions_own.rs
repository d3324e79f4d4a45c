//! Tests of the caller's own sessions: list, end one or all, and reauthenticate for sensitive changes.

use serde_json::{Value, json};

use super::{faults, refreshed, swift, wait_until_refused};
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};
use crate::subscription::call_during_write;

async fn sessions(harness: &Harness, person: &Person) -> Vec<Value> {
    let answer = harness.call("auth_sessions_list").token(&person.token).expect(200).await;
    answer.json["data"].as_array().unwrap().clone()
}

async fn reauthenticate(harness: &Harness, person: &Person, body: Value) -> Answer {
    harness.call("auth_sessions_reauthenticate").token(&person.token).json(&body).send().await
}

/// Returns the `Retry-After` value, in seconds.
fn seconds(answer: &Answer) -> u64 {
    answer.header("retry-after").parse().unwrap()
}

#[tokio::test]
async fn user_lists_own_sessions_with_current_one_marked() {
    let harness = swift().await;
    let first = harness.partner("Nordsee Kassen").await;
    let stranger = harness.partner("Weser Software").await;
    let body = json!({ "email": first.email, "password": PASSWORD });
    let agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0";
    let second = harness.call("auth_sessions_create").header("user-agent", agent).json(&body).expect(200).await;
    let seen = sessions(&harness, &first).await;
    assert_eq!(seen.len(), 2, "the stranger's is not among them");
    assert_eq!((&seen[0]["current"], &seen[0]["device"]), (&json!(false), &json!("Firefox on Windows")));
    assert_eq!((&seen[0]["address"], &seen[1]["current"]), (&json!("127.0.0.1"), &json!(true)));
    let page = harness.call("auth_sessions_list").token(&first.token).query("limit", 1).expect(200).await;
    let cursor = page.json["page"]["next_cursor"].as_str().unwrap();
    let next = harness.call("auth_sessions_list").token(&first.token).query("limit", 1).query("cursor", cursor);
    assert_eq!(next.expect(200).await.json["data"][0]["uuid"], seen[1]["uuid"]);
    let foreign = harness.call("auth_sessions_list").token(&stranger.token).query("cursor", cursor).expect(400).await;
    assert_eq!(foreign.code(), "INVALID_CURSOR");

    let end = |uuid: &Value, token: &str| {
        harness.call("auth_sessions_delete").path("session_uuid", uuid.as_str().unwrap()).token(token)
    };
    end(&seen[0]["uuid"], &stranger.token).expect(404).await;
    end(&seen[0]["uuid"], &first.token).expect(204).await;
    end(&seen[0]["uuid"], &first.token).expect(404).await;
    wait_until_refused(&harness, second.str("access_token")).await;
    harness.call("auth_sessions_refresh").cookie(&second.cookie()).json(&json!({})).expect(401).await;
    assert_eq!(sessions(&harness, &first).await.len(), 1);
    assert_eq!(harness.number("select count(*) from security_event where kind = 'SESSION_ENDED'").await, 1);
}

#[tokio::test]
async fn uncommitted_sign_in_ends_with_other_sessions() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let second = harness.sign_in(&person.email).await;
    let of_second = format!("person_uuid = '{}' order by created_at desc limit 1", person.uuid);
    let unwritten = format!("session_uuid = (select session_uuid from session where {of_second})");
    harness.sql(&format!("update session set ended_at = labs_now(), end_reason = 'ENDED' where {unwritten}")).await;
    let sign_in = format!(
        "select from person where person_uuid = '{}' for no key update;
         update session set ended_at = null, end_reason = null where {unwritten}",
        person.uuid
    );
    let everywhere = harness.call("auth_sessions_sign_out_everywhere").token(&person.token);
    let answer = call_during_write(&harness, &sign_in, everywhere).await;
    assert_eq!((answer.status, &answer.json["sessions_ended"]), (200, &json!(2)), "{}", answer.text());
    harness.call("auth_sessions_refresh").cookie(&second.refresh).json(&json!({})).expect(401).await;
}

#[tokio::test]
async fn expired_session_is_not_listed() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    harness.advance(14 * 86_400 + 1).await;
    let again = harness.sign_in(&person.email).await;
    assert_eq!(sessions(&harness, &again).await.len(), 1);
}

#[tokio::test]
async fn sign_out_everywhere_ends_every_session_within_one_second() {
    let harness = swift().await;
    let first = harness.partner("Nordsee Kassen").await;
    let second = harness.sign_in(&first.email).await;
    let stranger = harness.partner("Weser Software").await;
    let answer = harness.call("auth_sessions_sign_out_everywhere").token(&first.token).expect(200).await;
    assert_eq!((answer.str("status"), &answer.json["sessions_ended"]), ("SIGNED_OUT", &json!(2)));
    assert!(answer.cookie().is_empty(), "the cookie is cleared");
    for person in [&first, &second] {
        wait_until_refused(&harness, &person.token).await;
        harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(401).await;
    }
    harness.call("system_me_get").token(&stranger.token).expect(200).await;
    harness.sign_in(&first.email).await;
}

#[tokio::test]
async fn sensitive_operations_need_recent_password() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    harness.advance(601).await;
    let person = refreshed(&harness, &person).await;
    let enrol = || harness.call("auth_mfa_enrol_totp").token(&person.token);
    assert_eq!(enrol().expect(403).await.code(), "REAUTHENTICATION_REQUIRED");
    let answer = reauthenticate(&harness, &person, json!({ "password": PASSWORD })).await;
    assert_eq!((answer.status, &answer.json["expires_in"]), (200, &json!(600)), "{}", answer.text());
    enrol().expect(201).await;
    harness.advance(590).await;
    let person = refreshed(&harness, &person).await;
    harness.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await;
    harness.advance(11).await;
    harness.call("auth_mfa_enrol_totp").token(&person.token).expect(403).await;
}

#[tokio::test]
async fn code_reauthenticates_once() {
    let harness = swift().await;
    let staff = harness.staff("Otto Operator", &["labs.admin.overview"]).await;
    let secret = staff.totp.clone().unwrap();
    harness.advance(601).await;
    let staff = refreshed(&harness, &staff).await;
    let code = harness.code(&secret);
    assert_eq!(reauthenticate(&harness, &staff, json!({ "code": code })).await.status, 200);
    assert_eq!(faults(&reauthenticate(&harness, &staff, json!({ "code": code })).await), [("/code", "WRONG_CODE")]);
}

#[tokio::test]
async fn code_completes_session_that_needs_second_factor() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let enrolled = harness.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await;
    let secret = enrolled.str("secret");
    let code = json!({ "code": harness.code(secret) });
    harness.call("auth_mfa_confirm_totp").token(&person.token).json(&code).expect(200).await;
    harness.sql("update session set second_factor = false, mfa_required = true").await;
    harness.advance(30).await;
    let shut = || async { harness.call("marketplace_apps_list").token(&person.token).send().await.status == 403 };
    let changed = std::time::Instant::now();
    while !shut().await {
        assert!(changed.elapsed().as_millis() < 3000, "the session still reaches everything");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(reauthenticate(&harness, &person, json!({ "code": harness.code(secret) })).await.status, 200);
    while shut().await {
        assert!(changed.elapsed().as_millis() < 6000, "the session still reaches nothing");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn wrong_proofs_are_reported_at_their_field_and_delay_next() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    for body in [json!({}), json!({ "password": PASSWORD, "code": "123456" })] {
        assert_eq!(faults(&reauthenticate(&harness, &person, body).await), [("", "ONE_OF")]);
    }
    let wrong = json!({ "password": "wrong wrong wrong" });
    for _ in 0..6 {
        let answer = reauthenticate(&harness, &person, wrong.clone()).await;
        assert_eq!((answer.status, faults(&answer)), (422, vec![("/password", "WRONG_PASSWORD")]));
    }
    let held = reauthenticate(&harness, &person, json!({ "password": PASSWORD })).await;
    assert_eq!((held.status, held.code()), (429, "RATE_LIMITED"));
    assert!(seconds(&held) <= 2);
    harness.advance(3).await;
    assert_eq!(reauthenticate(&harness, &person, json!({ "password": PASSWORD })).await.status, 200);
    let failed = "select count(*) from security_event where kind = 'REAUTHENTICATION' and outcome = 'FAILED'";
    assert_eq!(harness.number(failed).await, 6);
    let left = "select count(*) from sign_in_failure where subject like 'account:%'";
    assert_eq!(harness.number(left).await, 0, "a success wipes the account's slate");
}

#[tokio::test]
async fn right_password_is_rejected_if_earlier_failures_block_account() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    // A read of the failures waits for the transaction ahead of it, and sees the rows as they were when it began.
    let waits = format!(
        "insert into sign_in_failure (subject, failures) values ('account:{}@127.0.0.1', 6);
         alter table sign_in_failure enable row level security;
         create policy behind_others on sign_in_failure using (pg_advisory_xact_lock_shared(1) is not null)",
        person.email
    );
    harness.sql(&waits).await;
    let ahead = "select pg_advisory_xact_lock(1);
                 update sign_in_failure set held_until = labs_now() + interval '1 hour'";
    let sign_in = harness.call("auth_sessions_create").json(&json!({ "email": person.email, "password": PASSWORD }));
    let again =
        harness.call("auth_sessions_reauthenticate").token(&person.token).json(&json!({ "password": PASSWORD }));
    for call in [sign_in, again] {
        harness.sql("update sign_in_failure set held_until = null").await;
        let held = call_during_write(&harness, ahead, call).await;
        assert_eq!((held.status, held.code()), (429, "RATE_LIMITED"), "{}: {}", held.operation, held.text());
    }
}

#[tokio::test]
async fn distributed_failures_delay_owner_only_briefly() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    harness.sql("update session set address = '203.0.113.77'").await;
    harness
        .sql(&format!(
            "insert into sign_in_failure (subject, failures) values ('account:{}', 100000), ('network:203.0.113.9', 100000)",
            person.email
        ))
        .await;
    let wrong = json!({ "email": person.email, "password": "wrong wrong wrong" });
    harness.call("auth_sessions_create").json(&wrong).expect(401).await;
    let right = json!({ "email": person.email, "password": PASSWORD });
    let held = harness.call("auth_sessions_create").json(&right).expect(429).await;
    assert!(seconds(&held) <= 30);
    harness.sql("update session set address = '127.0.0.1'").await;
    harness.call("auth_sessions_create").json(&right).expect(200).await;
    harness.sql("delete from session").await;
    harness.call("auth_sessions_create").json(&wrong).expect(401).await;
    harness
        .sql(&format!("update sign_in_failure set failures = 100000 where subject = 'account:{}'", person.email))
        .await;
    harness.call("auth_sessions_create").json(&wrong).expect(401).await;
    harness.call("auth_sessions_create").json(&right).expect(429).await;
    harness.advance(31).await;
    harness.call("auth_sessions_create").json(&right).expect(200).await;
}

#[tokio::test]
async fn network_that_tries_many_accounts_is_delayed() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    harness.sql("insert into sign_in_failure (subject, failures) values ('network:127.0.0.1', 101)").await;
    let tried = json!({ "email": "nobody@nowhere.example", "password": "wrong wrong wrong" });
    harness.call("auth_sessions_create").json(&tried).expect(401).await;
    let right = json!({ "email": person.email, "password": PASSWORD });
    assert!(seconds(&harness.call("auth_sessions_create").json(&right).expect(429).await) <= 4);
    harness.advance(5).await;
    harness.call("auth_sessions_create").json(&right).expect(200).await;
    let kept = "select failures::bigint from sign_in_failure where subject = 'network:127.0.0.1'";
    assert_eq!(harness.number(kept).await, 102, "one good sign-in does not clear a network");
    harness.advance(595).await;
    harness.call("auth_sessions_create").json(&tried).expect(401).await;
    assert!(harness.number(kept).await <= 3, "what a network is charged with melts");
}
