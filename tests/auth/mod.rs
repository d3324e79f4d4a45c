//! Stories of coming in: companies register, people sign in, programs ask for tokens.

mod account;
mod email_change;
mod invitations;
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

use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

/// A service whose tiers let a story go as fast as it can.
async fn swift() -> Harness {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    harness
}

/// Waits until so many mails that lead to an operation of this path came to an address; the token in the newest.
pub(crate) async fn token_for(harness: &Harness, email: &str, path: &str, number: usize) -> String {
    for _ in 0..1000 {
        let mails = harness.mails_now(email).into_iter();
        let found: Vec<String> = mails.filter(|mail| mail.contains(path)).collect();
        if let (true, Some(mail)) = (found.len() >= number, found.last()) {
            let start = mail.find("labs_ot_").unwrap_or_else(|| panic!("no token in {mail}"));
            let is_part = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
            return mail[start..].chars().take_while(is_part).collect();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no mail number {number} for {path} came to {email}")
}

/// The same session with the token and the cookie of a refresh.
async fn refreshed(harness: &Harness, person: &Person) -> Person {
    let answer = harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(200).await;
    Person { token: answer.str("access_token").to_owned(), refresh: answer.cookie(), ..person.clone() }
}

/// Waits, not much longer than a second, until a token is refused.
async fn wait_until_refused(harness: &Harness, token: &str) {
    let ended = std::time::Instant::now();
    while harness.call("system_me_get").token(token).send().await.status != 401 {
        assert!(ended.elapsed().as_millis() < 3000, "the token is still good");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// How many statements with these words wait for somebody else's transaction.
fn waiting(words: &str) -> String {
    format!(
        "select count(*) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%{words}%'"
    )
}

/// The fields at fault, by pointer and code.
fn faults(answer: &Answer) -> Vec<(&str, &str)> {
    let errors = answer.json["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    errors.iter().map(|error| (error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())).collect()
}
