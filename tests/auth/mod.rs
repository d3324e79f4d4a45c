//! Tests of registration, sign-in and access tokens of machine clients.

mod account;
mod breached;
mod email_change;
mod invitations;
pub(crate) mod issuer;
mod keyless;
mod mailed;
mod mfa;
mod operator;
mod outbox;
mod passwords;
mod recovery;
mod registrations;
mod registrations_beside;
mod sessions;
mod sessions_own;
mod tokens;
mod tokens_held;

use std::time::Duration;

use serde_json::json;

use crate::harness::mail::mark_of;
use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

/// A service with tiers whose burst budgets do not slow a test down.
async fn swift() -> Harness {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    harness
}

/// Waits until an address has received this many mails for an operation with this path; returns the token in the
/// newest.
pub(crate) async fn token_for(harness: &Harness, email: &str, path: &str, number: usize) -> String {
    for _ in 0..1000 {
        let mails = harness.mails_now(email).into_iter();
        let found: Vec<String> = mails.filter(|mail| mail.contains(mark_of(path))).collect();
        if let (true, Some(mail)) = (found.len() >= number, found.last()) {
            let start = mail.find("labs_ot_").unwrap_or_else(|| panic!("no token in {mail}"));
            let is_part = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
            return mail[start..].chars().take_while(is_part).collect();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no mail number {number} for {path} came to {email}")
}

/// Refreshes a session and returns it with the new token and cookie.
async fn refreshed(harness: &Harness, person: &Person) -> Person {
    let answer = harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(200).await;
    Person { token: answer.str("access_token").to_owned(), refresh: answer.cookie(), ..person.clone() }
}

/// Waits until a token is rejected, for little more than a second.
async fn wait_until_refused(harness: &Harness, token: &str) {
    let ended = std::time::Instant::now();
    while harness.call("system_me_get").token(token).send().await.status != 401 {
        assert!(ended.elapsed().as_millis() < 3000, "the token is still good");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// SQL that counts the statements with these words that wait for a lock of another transaction.
fn waiting(words: &str) -> String {
    format!(
        "select count(*) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%{words}%'"
    )
}

/// Returns pointer and code of each invalid field.
fn faults(answer: &Answer) -> Vec<(&str, &str)> {
    let errors = answer.json["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    errors.iter().map(|error| (error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())).collect()
}
