//! Tests of the subscription operations.

mod changes;
mod entitlements;
mod features;
mod oracle;
mod quota;
mod tiers;

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness, WAITING};

/// A partner, and a staff member who manages tiers and subscriptions.
pub(crate) struct Office {
    pub(crate) harness: Harness,
    pub(crate) partner: Person,
    pub(crate) operator: Person,
}

impl Office {
    pub(crate) async fn new() -> Self {
        let harness = Harness::new().await;
        harness.sql("update tier set burst_per_second = 1000").await;
        let partner = harness.partner("Nordsee Kassen").await;
        let scopes = ["labs.admin.tiers:write", "labs.admin.subscriptions:write", "labs.admin.audit"];
        let operator = harness.staff("Olga Operator", &scopes).await;
        Self { harness, partner, operator }
    }

    /// A call by the staff member.
    pub(crate) fn staff(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.operator.token)
    }

    /// A call by the partner.
    pub(crate) fn own(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.partner.token)
    }

    /// A call by the staff member about the partner.
    pub(crate) fn about(&self, operation: &str) -> Call<'_> {
        self.staff(operation).path("partner_uuid", self.partner.partner_uuid.unwrap())
    }

    /// Requests another tier.
    pub(crate) async fn ask_for(&self, tier_code: &str) -> Answer {
        self.own("subscription_change_requests_create").json(&json!({ "tier_code": tier_code })).send().await
    }

    /// Returns the partner's subscription.
    pub(crate) async fn current(&self) -> Value {
        self.own("subscription_current_get").expect(200).await.json
    }

    /// Returns the event kinds in the partner's history, newest first.
    pub(crate) async fn history(&self) -> Vec<String> {
        let events = self.own("subscription_current_list_events").expect(200).await;
        events.json["data"].as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap().to_owned()).collect()
    }

    /// Advances the clock and signs both in again, because tokens expire before that.
    pub(crate) async fn later(&mut self, days: i64) {
        self.harness.advance(days * 86_400).await;
        self.partner = self.harness.sign_in(&self.partner.email).await;
        let (email, secret) = (self.operator.email.clone(), self.operator.totp.clone().unwrap());
        self.operator = self.harness.sign_in_with_factor(&email, &secret).await;
    }

    /// Waits until the job has moved the subscription to a tier.
    pub(crate) async fn becomes(&self, tier_code: &str) {
        let query = format!(
            "select count(*) from subscription join tier using (tier_uuid) where code = '{tier_code}' and partner_uuid = '{}'",
            self.partner.partner_uuid.unwrap()
        );
        self.harness.until(&query, 1).await;
    }

    /// Waits for a mail to the partner with this in its subject or text.
    pub(crate) async fn mailed(&self, words: &str) {
        let is_there = || async {
            let mails = self.harness.mails_now(&self.partner.email);
            mails.iter().any(|mail| mail.replace("=\r\n", "").contains(words))
        };
        self.harness.soon(&format!("a mail says {words}"), is_there).await;
    }
}

/// Sends a call that waits for another transaction, which then commits.
pub(crate) async fn call_during_write(harness: &Harness, statements: &str, call: Call<'_>) -> Answer {
    between(harness, [statements, "select"], call).await
}

/// Like [`call_during_write`], but the other transaction runs further statements once the call waits.
pub(crate) async fn between(harness: &Harness, [before, after]: [&str; 2], call: Call<'_>) -> Answer {
    let mut writing = harness.hold(before).await;
    let kept = async move {
        harness.until(WAITING, 1).await;
        writing.go_on(after).await;
        writing.commit().await;
    };
    tokio::join!(call.send(), kept).0
}

/// Returns the id of a tier by its code.
async fn tier(office: &Office, code: &str) -> String {
    let tiers = office.staff("subscription_tiers_list").expect(200).await;
    let found = tiers.json["data"].as_array().unwrap().iter().find(|tier| tier["code"] == code).unwrap().clone();
    found["uuid"].as_str().unwrap().to_owned()
}

/// Returns a feature from a list by its code.
pub(crate) fn feature<'a>(list: &'a Value, code: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|feature| feature["code"] == code).unwrap()
}
