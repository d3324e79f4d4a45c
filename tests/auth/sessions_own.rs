//! One's own sessions: seen, ended one by one or all at once, and opened anew for sensitive changes.

use serde_json::{Value, json};

use super::{faults, refreshed, swift, wait_until_refused};
use crate::house::people::{PASSWORD, Person};
use crate::house::{Answer, House};
use crate::subscription::meanwhile;

async fn sessions(house: &House, person: &Person) -> Vec<Value> {
    let answer = house.call("auth_sessions_list").token(&person.token).expect(200).await;
    answer.json["data"].as_array().unwrap().clone()
}

async fn reauthenticate(house: &House, person: &Person, body: Value) -> Answer {
    house.call("auth_sessions_reauthenticate").token(&person.token).json(&body).send().await
}

/// How long the caller is told to wait.
fn seconds(answer: &Answer) -> u64 {
    answer.header("retry-after").parse().unwrap()
}

#[tokio::test]
async fn a_person_sees_where_they_are_signed_in_and_which_one_is_this() {
    let house = swift().await;
    let first = house.partner("Nordsee Kassen").await;
    let stranger = house.partner("Weser Software").await;
    let body = json!({ "email": first.email, "password": PASSWORD });
    let agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0";
    let second = house.call("auth_sessions_create").header("user-agent", agent).json(&body).expect(200).await;
    let seen = sessions(&house, &first).await;
    assert_eq!(seen.len(), 2, "the stranger's is not among them");
    assert_eq!((&seen[0]["current"], &seen[0]["device"]), (&json!(false), &json!("Firefox on Windows")));
    assert_eq!((&seen[0]["address"], &seen[1]["current"]), (&json!("127.0.0.1"), &json!(true)));
    let page = house.call("auth_sessions_list").token(&first.token).query("limit", 1).expect(200).await;
    let cursor = page.json["page"]["next_cursor"].as_str().unwrap();
    let next = house.call("auth_sessions_list").token(&first.token).query("limit", 1).query("cursor", cursor);
    assert_eq!(next.expect(200).await.json["data"][0]["uuid"], seen[1]["uuid"]);
    let foreign = house.call("auth_sessions_list").token(&stranger.token).query("cursor", cursor).expect(400).await;
    assert_eq!(foreign.code(), "INVALID_CURSOR");

    let end = |uuid: &Value, token: &str| {
        house.call("auth_sessions_delete").path("session_uuid", uuid.as_str().unwrap()).token(token)
    };
    end(&seen[0]["uuid"], &stranger.token).expect(404).await;
    end(&seen[0]["uuid"], &first.token).expect(204).await;
    end(&seen[0]["uuid"], &first.token).expect(404).await;
    wait_until_refused(&house, second.str("access_token")).await;
    house.call("auth_sessions_refresh").cookie(&second.cookie()).json(&json!({})).expect(401).await;
    assert_eq!(sessions(&house, &first).await.len(), 1);
    assert_eq!(house.number("select count(*) from security_event where kind = 'SESSION_ENDED'").await, 1);
}

#[tokio::test]
async fn a_sign_in_that_is_just_being_written_ends_with_the_others() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    let second = house.sign_in(&person.email).await;
    let of_second = format!("person_uuid = '{}' order by created_at desc limit 1", person.uuid);
    let unwritten = format!("session_uuid = (select session_uuid from session where {of_second})");
    house.sql(&format!("update session set ended_at = labs_now(), end_reason = 'ENDED' where {unwritten}")).await;
    let sign_in = format!(
        "select from person where person_uuid = '{}' for no key update;
         update session set ended_at = null, end_reason = null where {unwritten}",
        person.uuid
    );
    let everywhere = house.call("auth_sessions_sign_out_everywhere").token(&person.token);
    let answer = meanwhile(&house, &sign_in, everywhere).await;
    assert_eq!((answer.status, &answer.json["sessions_ended"]), (200, &json!(2)), "{}", answer.text());
    house.call("auth_sessions_refresh").cookie(&second.refresh).json(&json!({})).expect(401).await;
}

#[tokio::test]
async fn a_session_that_ran_out_is_no_longer_listed() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    house.advance(14 * 86_400 + 1).await;
    let again = house.sign_in(&person.email).await;
    assert_eq!(sessions(&house, &again).await.len(), 1);
}

#[tokio::test]
async fn signing_out_everywhere_ends_every_session_within_a_second() {
    let house = swift().await;
    let first = house.partner("Nordsee Kassen").await;
    let second = house.sign_in(&first.email).await;
    let stranger = house.partner("Weser Software").await;
    let answer = house.call("auth_sessions_sign_out_everywhere").token(&first.token).expect(200).await;
    assert_eq!((answer.str("status"), &answer.json["sessions_ended"]), ("SIGNED_OUT", &json!(2)));
    assert!(answer.cookie().is_empty(), "the cookie is cleared");
    for person in [&first, &second] {
        wait_until_refused(&house, &person.token).await;
        house.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(401).await;
    }
    house.call("system_me_get").token(&stranger.token).expect(200).await;
    house.sign_in(&first.email).await;
}

#[tokio::test]
async fn what_is_sensitive_needs_a_password_given_lately() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    house.advance(601).await;
    let person = refreshed(&house, &person).await;
    let enrol = || house.call("auth_mfa_enrol_totp").token(&person.token);
    assert_eq!(enrol().expect(403).await.code(), "REAUTHENTICATION_REQUIRED");
    let answer = reauthenticate(&house, &person, json!({ "password": PASSWORD })).await;
    assert_eq!((answer.status, &answer.json["expires_in"]), (200, &json!(600)), "{}", answer.text());
    enrol().expect(201).await;
    house.advance(590).await;
    let person = refreshed(&house, &person).await;
    house.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await;
    house.advance(11).await;
    house.call("auth_mfa_enrol_totp").token(&person.token).expect(403).await;
}

#[tokio::test]
async fn a_code_reauthenticates_as_well_and_is_used_up() {
    let house = swift().await;
    let staff = house.staff("Otto Operator", &["labs.admin.overview"]).await;
    let secret = staff.totp.clone().unwrap();
    house.advance(601).await;
    let staff = refreshed(&house, &staff).await;
    let code = house.code(&secret);
    assert_eq!(reauthenticate(&house, &staff, json!({ "code": code })).await.status, 200);
    assert_eq!(faults(&reauthenticate(&house, &staff, json!({ "code": code })).await), [("/code", "WRONG_CODE")]);
}

#[tokio::test]
async fn a_code_opens_a_session_that_owes_a_second_factor() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    let enrolled = house.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await;
    let secret = enrolled.str("secret");
    let code = json!({ "code": house.code(secret) });
    house.call("auth_mfa_confirm_totp").token(&person.token).json(&code).expect(200).await;
    house.sql("update session set second_factor = false, mfa_required = true").await;
    house.advance(30).await;
    let shut = || async { house.call("marketplace_apps_list").token(&person.token).send().await.status == 403 };
    let changed = std::time::Instant::now();
    while !shut().await {
        assert!(changed.elapsed().as_millis() < 3000, "the session still reaches everything");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(reauthenticate(&house, &person, json!({ "code": house.code(secret) })).await.status, 200);
    while shut().await {
        assert!(changed.elapsed().as_millis() < 6000, "the session still reaches nothing");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn wrong_proofs_are_told_at_their_field_and_slow_down_the_next() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    for body in [json!({}), json!({ "password": PASSWORD, "code": "123456" })] {
        assert_eq!(faults(&reauthenticate(&house, &person, body).await), [("", "ONE_OF")]);
    }
    let wrong = json!({ "password": "wrong wrong wrong" });
    for _ in 0..6 {
        let answer = reauthenticate(&house, &person, wrong.clone()).await;
        assert_eq!((answer.status, faults(&answer)), (422, vec![("/password", "WRONG_PASSWORD")]));
    }
    let held = reauthenticate(&house, &person, json!({ "password": PASSWORD })).await;
    assert_eq!((held.status, held.code()), (429, "RATE_LIMITED"));
    assert!(seconds(&held) <= 2);
    house.advance(3).await;
    assert_eq!(reauthenticate(&house, &person, json!({ "password": PASSWORD })).await.status, 200);
    let failed = "select count(*) from security_event where kind = 'REAUTHENTICATION' and outcome = 'FAILED'";
    assert_eq!(house.number(failed).await, 6);
    let left = "select count(*) from sign_in_failure where subject like 'account:%'";
    assert_eq!(house.number(left).await, 0, "a success wipes the account's slate");
}

#[tokio::test]
async fn the_right_password_is_refused_once_those_ahead_have_held_the_account_back() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    // A look at the failures waits for whoever is ahead, and sees what was there when it began.
    let waits = format!(
        "insert into sign_in_failure (subject, failures) values ('account:{}@127.0.0.1', 6);
         alter table sign_in_failure enable row level security;
         create policy behind_others on sign_in_failure using (pg_advisory_xact_lock_shared(1) is not null)",
        person.email
    );
    house.sql(&waits).await;
    let ahead = "select pg_advisory_xact_lock(1);
                 update sign_in_failure set held_until = labs_now() + interval '1 hour'";
    let sign_in = house.call("auth_sessions_create").json(&json!({ "email": person.email, "password": PASSWORD }));
    let again = house.call("auth_sessions_reauthenticate").token(&person.token).json(&json!({ "password": PASSWORD }));
    for call in [sign_in, again] {
        house.sql("update sign_in_failure set held_until = null").await;
        let held = meanwhile(&house, ahead, call).await;
        assert_eq!((held.status, held.code()), (429, "RATE_LIMITED"), "{}: {}", held.operation, held.text());
    }
}

#[tokio::test]
async fn many_failures_from_everywhere_keep_the_owner_out_for_seconds_and_not_at_all_where_they_are_known() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    house.sql("update session set address = '203.0.113.77'").await;
    house
        .sql(&format!(
            "insert into sign_in_failure (subject, failures) values ('account:{}', 100000), ('network:203.0.113.9', 100000)",
            person.email
        ))
        .await;
    let wrong = json!({ "email": person.email, "password": "wrong wrong wrong" });
    house.call("auth_sessions_create").json(&wrong).expect(401).await;
    let right = json!({ "email": person.email, "password": PASSWORD });
    let held = house.call("auth_sessions_create").json(&right).expect(429).await;
    assert!(seconds(&held) <= 30);
    house.sql("update session set address = '127.0.0.1'").await;
    house.call("auth_sessions_create").json(&right).expect(200).await;
    house.sql("delete from session").await;
    house.call("auth_sessions_create").json(&wrong).expect(401).await;
    house
        .sql(&format!("update sign_in_failure set failures = 100000 where subject = 'account:{}'", person.email))
        .await;
    house.call("auth_sessions_create").json(&wrong).expect(401).await;
    house.call("auth_sessions_create").json(&right).expect(429).await;
    house.advance(31).await;
    house.call("auth_sessions_create").json(&right).expect(200).await;
}

#[tokio::test]
async fn a_network_that_tries_many_accounts_is_slowed_down() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    house.sql("insert into sign_in_failure (subject, failures) values ('network:127.0.0.1', 101)").await;
    let tried = json!({ "email": "nobody@nowhere.example", "password": "wrong wrong wrong" });
    house.call("auth_sessions_create").json(&tried).expect(401).await;
    let right = json!({ "email": person.email, "password": PASSWORD });
    assert!(seconds(&house.call("auth_sessions_create").json(&right).expect(429).await) <= 4);
    house.advance(5).await;
    house.call("auth_sessions_create").json(&right).expect(200).await;
    let kept = "select failures::bigint from sign_in_failure where subject = 'network:127.0.0.1'";
    assert_eq!(house.number(kept).await, 102, "one good sign-in does not clear a network");
    house.advance(595).await;
    house.call("auth_sessions_create").json(&tried).expect(401).await;
    assert!(house.number(kept).await <= 3, "what a network is charged with melts");
}
