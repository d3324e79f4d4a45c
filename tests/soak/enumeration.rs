//! Tests against account enumeration: neither a response nor its time reveals whether an address is known, and guessing
//! does not slow down others.

use std::time::{Duration, Instant};

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use super::{count, figure, is_whole, quantile};
use crate::harness::Harness;

/// Creates this many users that are like the user whose address starts with `admin@`.
async fn people(harness: &Harness, number: usize) {
    harness.partner("Nordsee Kassen").await;
    harness
        .sql(&format!(
            "insert into person (person_uuid, kind, partner_uuid, email, email_normalised, name, role, state, password_hash,
                                 password_changed_at, email_verified_at)
             select gen_random_uuid(), kind, partner_uuid, 'known' || n || '@people.example', 'known' || n || '@people.example',
                    name, role, state, password_hash, password_changed_at, email_verified_at
               from person, generate_series(1, {number}) as n where email like 'admin@%'"
        ))
        .await;
}

/// Sends a body to an operation; returns the latency and the parts of the response that could distinguish addresses.
async fn tried(harness: &Harness, operation: &str, body: &Value) -> (Duration, u16, Value) {
    let begun = Instant::now();
    let answer = harness.call(operation).json(body).send().await;
    let took = begun.elapsed();
    let mut told = answer.json;
    if let Some(fields) = told.as_object_mut() {
        fields.remove("request_id");
        // The response repeats the submitted value.
        fields.remove("email");
    }
    (took, answer.status, told)
}

/// Tries pairs of a known and an unknown address, in alternating order.
async fn pairs(harness: &Harness, operation: &str, body: impl Fn(&str) -> Value) {
    let number = count(15, 1_000);
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for n in 1..=number {
        // All pairs come from one network, which would be blocked after its many failures.
        if n % 20 == 0 {
            harness.sql("delete from sign_in_failure where subject like 'network:%'").await;
        }
        let there = body(&format!("known{n}@people.example"));
        let nowhere = body(&format!("nobody{n}@people.example"));
        // Alternates the order within a pair.
        let (first, second) = if n % 2 == 0 { (&there, &nowhere) } else { (&nowhere, &there) };
        let answers = [tried(harness, operation, first).await, tried(harness, operation, second).await];
        assert_eq!((answers[0].1, &answers[0].2), (answers[1].1, &answers[1].2), "{operation}: pair {n}");
        let [first, second] = answers.map(|(took, ..)| took);
        let (there, nowhere) = if n % 2 == 0 { (first, second) } else { (second, first) };
        known.push(there);
        unknown.push(nowhere);
    }
    let (known, unknown) = (quantile(&mut known, 0.5), quantile(&mut unknown, 0.5));
    figure(&format!(
        "{operation}, {number} pairs: median {known:?} for a known address, {unknown:?} for an unknown one"
    ));
    assert!(!is_whole() || known.abs_diff(unknown) <= Duration::from_millis(10));
}

#[tokio::test]
async fn known_and_unknown_addresses_get_equal_responses_equally_fast() {
    let harness = Harness::new().await;
    people(&harness, count(15, 1_000)).await;
    pairs(&harness, "auth_sessions_create", |email| json!({ "email": email, "password": "not the password" })).await;
    pairs(&harness, "auth_passwords_request_reset", |email| json!({ "email": email })).await;
    pairs(&harness, "auth_registrations_create", |email| {
        json!({
            "company_name": "Weser Software", "country": "DE", "accept_terms": true,
            "administrator": { "name": "Ada Weser", "email": email, "password": "a long walk along the Weser" },
        })
    })
    .await;
}

#[tokio::test]
async fn mass_wrong_sign_ins_delay_no_other_user() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 100000").await;
    let crowd = count(30, 300);
    people(&harness, crowd).await;
    let person = harness.sign_in("admin@nordsee-kassen.example").await;
    let guesses = join_all((1..=crowd).map(|n| {
        let body = json!({ "email": format!("known{n}@people.example"), "password": "not the password" });
        harness.call("auth_sessions_create").json(&body).send()
    }));
    let (over, mut watching) = tokio::sync::oneshot::channel::<()>();
    let others = async {
        let mut times = Vec::new();
        while watching.try_recv().is_err() {
            let begun = Instant::now();
            harness.call("system_me_get").token(&person.token).expect(200).await;
            times.push(begun.elapsed());
        }
        times
    };
    let guessed = async {
        let answers = guesses.await;
        let _ = over.send(());
        answers
    };
    let (answers, mut times) = join(guessed, others).await;
    assert!(answers.iter().all(|answer| matches!(answer.status, 401 | 429 | 503)));
    let slowest = quantile(&mut times, 0.99);
    figure(&format!("beside {crowd} wrong sign-ins at once, {} other calls: p99 {slowest:?}", times.len()));
    assert!(!is_whole() || slowest < Duration::from_millis(250), "{slowest:?}");
}
