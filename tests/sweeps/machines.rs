//! State machine sweep over HTTP: brings a resource into each of its states and tries each action that has an
//! operation. If the diagram (`schema/states.md`, generated from the tables in code) has a transition, the resource is
//! in the target state afterwards. Otherwise the action is rejected with the allowed actions, and the state does not
//! change. App versions, mail messages and data exports have separate tests.

mod apps;
mod categories;
mod reviews;

use serde_json::{Value, json};
use uuid::Uuid;

use super::Cast;
use crate::harness::contract;
use crate::partner::profile::written;

const PICTURES: &str = include_str!("../../schema/states.md");

/// A transition of a state machine.
struct Step {
    from: &'static str,
    action: &'static str,
    to: &'static str,
}

/// Returns the transitions of a state machine from the diagram.
fn drawn(thing: &str) -> Vec<Step> {
    let (_, picture) =
        PICTURES.split_once(&format!("\n## {thing}\n")).unwrap_or_else(|| panic!("no picture of {thing}"));
    let lines =
        picture.lines().take_while(|line| !line.starts_with("## ")).filter_map(|line| line.trim().split_once(" --> "));
    let steps = lines.map(|(from, rest)| rest.split_once(": ").map(|(to, action)| Step { from, action, to }));
    steps.map(Option::unwrap).collect()
}

/// A resource with a state.
struct Machine<'a> {
    /// Heading of the diagram.
    thing: &'a str,
    /// Table, and the column that identifies the row.
    table: &'a str,
    key: &'a str,
    uuid: Uuid,
    /// Path parameters of the operations.
    places: &'a [(&'a str, Uuid)],
    /// Actions with the operation and the body of each.
    actions: &'a [(&'a str, &'a str, Value)],
    /// States in which the resource no longer exists for any caller: 404.
    gone: &'a [&'a str],
    /// Additional column values that a row needs in a state.
    dress: fn(&str) -> &'static str,
    /// Actions that this caller may not take, so responses do not list them; with the prefix `STATE: `, only in that
    /// state.
    others: &'a [&'a str],
}

impl Machine<'_> {
    /// Sets the state of the row directly, without triggers.
    async fn bring(&self, cast: &Cast, state: &str) {
        let Self { table, key, uuid, .. } = self;
        let dress = (self.dress)(state);
        let put = format!("update {table} set state = '{state}'{dress} where {key} = '{uuid}'");
        cast.harness.sql(&format!("set session_replication_role = replica; {put}")).await;
    }

    async fn state(&self, cast: &Cast) -> String {
        let Self { table, key, uuid, .. } = self;
        let query = format!("select state from {table} where {key} = '{uuid}'");
        sqlx::query_scalar(sqlx::AssertSqlSafe(query)).fetch_one(&mut cast.harness.owner().await).await.unwrap()
    }

    /// Whether a transition belongs to another caller.
    fn is_anothers(&self, step: &Step) -> bool {
        [step.action, &format!("{}: {}", step.from, step.action)].iter().any(|name| self.others.contains(name))
    }

    /// Tries every action in every state.
    async fn walk(&self, cast: &Cast) {
        let steps = drawn(self.thing);
        let mut states: Vec<&str> = steps.iter().flat_map(|step| [step.from, step.to]).collect();
        states.sort_unstable();
        states.dedup();
        for (action, operation, body) in self.actions {
            assert!(steps.iter().any(|step| step.action == *action), "{}: no step is called {action}", self.thing);
            for state in &states {
                self.bring(cast, state).await;
                let token = cast.token_for(contract().operation(operation).unwrap());
                let call = self.places.iter().fold(cast.harness.call(operation).token(token), |call, (name, uuid)| {
                    if contract().operation(operation).unwrap().path.contains(&format!("{{{name}}}")) {
                        call.path(name, uuid)
                    } else {
                        call
                    }
                });
                let answer = if body.is_null() { call } else { call.json(body) }.send().await;
                let cell = format!("{}: {action} in {state}: {} {}", self.thing, answer.status, answer.text());
                let ends: Vec<&str> = steps
                    .iter()
                    .filter(|step| step.from == *state && step.action == *action && !self.is_anothers(step))
                    .map(|step| step.to)
                    .collect();
                let now = self.state(cast).await;
                if self.gone.contains(state) {
                    assert_eq!((answer.status, answer.code(), now.as_str()), (404, "NOT_FOUND", *state), "{cell}");
                } else if ends.is_empty() {
                    assert_eq!((answer.status, answer.code()), (409, "ILLEGAL_TRANSITION"), "{cell}");
                    let own = |step: &&Step| step.from == *state && !self.is_anothers(step);
                    let mut allowed: Vec<&str> = steps.iter().filter(own).map(|step| step.action).collect();
                    allowed.sort_unstable();
                    allowed.dedup();
                    let told = answer.json["allowed_actions"].as_array().unwrap_or_else(|| panic!("{cell}"));
                    let mut told: Vec<&str> = told.iter().filter_map(Value::as_str).collect();
                    told.sort_unstable();
                    assert_eq!(told, allowed, "{cell}");
                    assert_eq!(now, *state, "{cell}: a refusal moved it");
                } else {
                    assert!((200..300).contains(&answer.status), "{cell}");
                    assert!(ends.contains(&now.as_str()), "{cell}: it is {now}, not one of {ends:?}");
                }
            }
        }
    }
}

fn nothing_else(_: &str) -> &'static str {
    ""
}

#[tokio::test]
async fn partner_user_follows_its_state_machine() {
    let cast = Cast::new().await;
    let member = cast.harness.partner("Spree Software").await;
    let reason = json!({ "reason": "As agreed on the phone." });
    Machine {
        thing: "Partner user",
        table: "person",
        key: "person_uuid",
        uuid: member.uuid,
        places: &[("user_uuid", member.uuid)],
        actions: &[
            ("verify-email", "admin_users_verify_email", reason.clone()),
            ("lock", "admin_users_lock", reason),
            ("unlock", "admin_users_unlock", Value::Null),
        ],
        gone: &["REMOVED"],
        dress: nothing_else,
        others: &[],
    }
    .walk(&cast)
    .await;
}

#[tokio::test]
async fn partner_follows_its_state_machine() {
    let cast = Cast::new().await;
    let uuid = cast.harness.partner("Spree Software").await.partner_uuid.unwrap();
    let reason = json!({ "reason": "As agreed on the phone." });
    Machine {
        thing: "Partner",
        table: "partner",
        key: "partner_uuid",
        uuid,
        places: &[("partner_uuid", uuid)],
        actions: &[
            ("suspend", "admin_partners_suspend", reason.clone()),
            ("reinstate", "admin_partners_reinstate", Value::Null),
            ("close", "admin_partners_close", reason.clone()),
            ("reopen", "admin_partners_reopen", Value::Null),
            ("erase", "admin_partners_erase", reason),
        ],
        gone: &[],
        // A closing account has a closing time; a closed account can be reopened until its own.
        dress: |state| match state {
            "CLOSING" | "CLOSED" => ", former_state = null, closes_at = now() + interval '1 day'",
            _ => ", former_state = null, closes_at = null",
        },
        others: &[],
    }
    .walk(&cast)
    .await;
}

#[tokio::test]
async fn team_member_follows_state_machine_for_team_actions() {
    let cast = Cast::new().await;
    let (partner, uuid) = (cast.administrator.partner_uuid.unwrap(), Uuid::from_u128(0x0198_0000_0000_7000_8000_0001));
    cast.harness
        .sql(&format!(
            "insert into person (person_uuid, kind, partner_uuid, email, email_normalised, name, role, state)
             values ('{uuid}', 'PARTNER_USER', '{partner}', 'c@role.example', 'c@role.example', 'C', 'VIEWER', 'ACTIVE')"
        ))
        .await;
    Machine {
        thing: "Partner user",
        table: "person",
        key: "person_uuid",
        uuid,
        places: &[("partner_uuid", partner), ("user_uuid", uuid)],
        actions: &[
            ("suspend", "partner_team_members_suspend", Value::Null),
            ("reinstate", "partner_team_members_reinstate", Value::Null),
            ("remove", "partner_team_members_remove", Value::Null),
        ],
        gone: &["REMOVED"],
        dress: nothing_else,
        others: &["LOCKED: remove"],
    }
    .walk(&cast)
    .await;
}

#[tokio::test]
async fn invitation_follows_its_state_machine() {
    let cast = Cast::new().await;
    let partner = cast.administrator.partner_uuid.unwrap();
    let body = json!({ "email": "ines.ferrer@role.example", "role": "EDITOR" });
    let sent = cast.harness.call("partner_invitations_create").path("partner_uuid", partner);
    let sent = sent.token(&cast.administrator.token).json(&body).expect(201).await;
    let uuid = sent.str("uuid").parse().unwrap();
    Machine {
        thing: "Invitation",
        table: "invitation",
        key: "invitation_uuid",
        uuid,
        places: &[("partner_uuid", partner), ("invitation_uuid", uuid)],
        actions: &[
            ("resend", "partner_invitations_resend", Value::Null),
            ("revoke", "partner_invitations_revoke", Value::Null),
            ("revoke", "admin_invitations_revoke", json!({ "reason": "As agreed on the phone." })),
        ],
        gone: &[],
        dress: nothing_else,
        others: &[],
    }
    .walk(&cast)
    .await;
}

#[tokio::test]
async fn support_ticket_follows_its_state_machine() {
    let cast = Cast::new().await;
    let partner = cast.administrator.partner_uuid.unwrap();
    let body = json!({ "subject": "Webhooks are refused", "body": "Since this morning.", "topic": "API" });
    let opened = cast.harness.call("partner_support_tickets_open").path("partner_uuid", partner);
    let opened = opened.token(&cast.administrator.token).json(&body).expect(201).await;
    let uuid = opened.str("uuid").parse().unwrap();
    Machine {
        thing: "Support ticket",
        table: "support_ticket",
        key: "ticket_uuid",
        uuid,
        places: &[("partner_uuid", partner), ("ticket_uuid", uuid)],
        actions: &[
            ("reply", "partner_support_tickets_reply", json!({ "body": "It does." })),
            ("answer", "partner_support_desk_post_message", json!({ "kind": "ANSWER", "body": "Does it now?" })),
            ("close", "partner_support_tickets_close", Value::Null),
        ],
        gone: &[],
        dress: |state| if state == "OPEN" { ", waiting_since = labs_now()" } else { ", waiting_since = null" },
        others: &[],
    }
    .walk(&cast)
    .await;
}

#[tokio::test]
async fn tier_follows_its_state_machine() {
    let cast = Cast::new().await;
    let uuid = Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0002);
    Machine {
        thing: "Tier",
        table: "tier",
        key: "tier_uuid",
        uuid,
        places: &[("tier_uuid", uuid)],
        actions: &[
            ("offer", "subscription_tiers_offer", Value::Null),
            ("retire", "subscription_tiers_retire", Value::Null),
        ],
        gone: &[],
        dress: nothing_else,
        others: &[],
    }
    .walk(&cast)
    .await;
}

#[tokio::test]
async fn subscription_follows_its_state_machine_on_both_sides() {
    let cast = Cast::new().await;
    let partner = cast.administrator.partner_uuid.unwrap();
    let later = cast.harness.clock.now().plus_seconds(40 * 24 * 3600);
    let reason = json!({ "reason": "As agreed on the phone." });
    let own = Machine {
        thing: "Subscription",
        table: "subscription",
        key: "partner_uuid",
        uuid: partner,
        places: &[("partner_uuid", partner)],
        actions: &[
            ("cancel", "subscription_current_cancel", Value::Null),
            ("resume", "subscription_current_resume", Value::Null),
            ("change-tier", "subscription_change_requests_create", json!({ "tier_code": "FREE" })),
        ],
        gone: &[],
        dress: |_| {
            ", tier_uuid = (select tier_uuid from tier where code = 'GROWTH'), period_start = labs_now(),
               period_end = labs_now() + interval '10 days', pending_tier_uuid = null, pending_at = null"
        },
        others: &["extend", "end"],
    };
    own.walk(&cast).await;
    Machine {
        actions: &[
            ("cancel", "admin_subscriptions_cancel", reason),
            ("extend", "admin_subscriptions_extend", json!({ "period_end": later, "reason": "For the outage." })),
            ("change-tier", "admin_subscriptions_change_tier", json!({ "tier_code": "SCALE", "reason": "Agreed." })),
        ],
        others: &["resume", "end"],
        ..own
    }
    .walk(&cast)
    .await;
}

#[tokio::test]
async fn tier_change_request_follows_its_state_machine() {
    let cast = Cast::new().await;
    let call = cast.harness.call("subscription_change_requests_create").token(&cast.administrator.token);
    let asked = call.json(&json!({ "tier_code": "SCALE" })).expect(201).await;
    let uuid = asked.str("uuid").parse().unwrap();
    Machine {
        thing: "Tier change request",
        table: "tier_change_request",
        key: "request_uuid",
        uuid,
        places: &[("request_uuid", uuid)],
        actions: &[
            ("withdraw", "subscription_change_requests_withdraw", Value::Null),
            ("reject", "admin_tier_change_requests_reject", json!({ "reason": "Not before spring." })),
            ("approve", "admin_tier_change_requests_approve", Value::Null),
        ],
        gone: &[],
        dress: |state| if state == "PENDING" { ", decided_at = null" } else { ", decided_at = labs_now()" },
        others: &[],
    }
    .walk(&cast)
    .await;
}

#[tokio::test]
async fn profile_follows_its_state_machine_on_both_sides() {
    let cast = Cast::new().await;
    written(&cast.harness, &cast.administrator).await;
    let partner = cast.administrator.partner_uuid.unwrap();
    let publish = cast.harness.call("partner_profile_publish").path("partner_uuid", partner);
    publish.token(&cast.administrator.token).expect(200).await;
    let own = Machine {
        thing: "Profile",
        table: "partner_profile",
        key: "partner_uuid",
        uuid: partner,
        places: &[("partner_uuid", partner)],
        actions: &[
            ("publish", "partner_profile_publish", Value::Null),
            ("unpublish", "partner_profile_unpublish", Value::Null),
        ],
        gone: &[],
        // A profile that was taken down can be published again only after a change.
        dress: |_| ", website_url = 'https://' || labs_uuid() || '.example'",
        others: &["take-down"],
    };
    own.walk(&cast).await;
    Machine {
        actions: &[("take-down", "admin_profiles_unpublish", json!({ "reason": "Another company's mark." }))],
        others: &["publish", "unpublish"],
        ..own
    }
    .walk(&cast)
    .await;
}
