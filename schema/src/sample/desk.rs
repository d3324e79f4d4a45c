//! Sample data of the daily work of staff: support tickets, notes and requests of partners, failed mails, refused
//! requests, a deprecation with callers, reports and sign-ins. With it, no staff list is empty after the first start.

use labs_core::time::Time;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::data::{Data, MessageData, TicketData};
use super::past::{Past, id, shift_hours};
use super::rows::Rows;
use super::teams::{member_uuid, partner_uuid, staff_uuids};

/// Machine client that lacks a scope and calls a deprecated operation.
const PIPELINE: &str = "labs-client-elbkontor";
/// Deprecated operation, and the operation that replaces it.
const DEPRECATED: &str = "statistics_apps_get_summary";
const REPLACEMENT: &str = "statistics_apps_list";
/// Network of invented clients: documentation addresses (RFC 5737).
const NETWORK: &str = "198.51.100.7";
/// Seconds per day.
const DAY: i64 = 86_400;

/// Rows by table.
#[derive(Default, Serialize)]
pub(super) struct DeskRows {
    pub(super) tickets: Vec<Value>,
    pub(super) messages: Vec<Value>,
    pub(super) ticket_notes: Vec<Value>,
    pub(super) notes: Vec<Value>,
    pub(super) contacts: Vec<Value>,
    pub(super) invitations: Vec<Value>,
    pub(super) tier_requests: Vec<Value>,
    pub(super) exports: Vec<Value>,
    pub(super) mails: Vec<Value>,
    pub(super) security_events: Vec<Value>,
    pub(super) sessions: Vec<Value>,
    pub(super) sign_in_failures: Vec<Value>,
    pub(super) denials: Vec<Value>,
    pub(super) grants: Vec<Value>,
    pub(super) budgets: Vec<Value>,
    pub(super) requests: Vec<Value>,
    pub(super) operation_days: Vec<Value>,
    pub(super) refusals: Vec<Value>,
    pub(super) deprecations: Vec<Value>,
    pub(super) deprecation_uses: Vec<Value>,
    pub(super) reports: Vec<Value>,
}

/// State while the rows are generated.
struct Desk<'a> {
    data: &'static Data,
    past: Past,
    rows: &'a Rows,
}

/// Adds the rows of the daily work.
pub(super) fn add(data: &'static Data, past: Past, rows: &mut Rows) {
    let (desk, mut made) = (Desk { data, past, rows }, DeskRows::default());
    for ticket in &data.tickets {
        desk.ticket(ticket, &mut made);
    }
    desk.partners(&mut made);
    desk.security(&mut made);
    desk.traffic(&mut made);
    desk.deprecation(&mut made);
    desk.board(&mut made);
    rows.desk = made;
}

impl Desk<'_> {
    fn staff(&self, role: &str) -> Option<Uuid> {
        staff_uuids(self.data, self.past, role).first().copied()
    }

    fn partner(&self, slug: &str) -> Option<Uuid> {
        self.data.partner(slug).map(|partner| partner_uuid(self.past, partner))
    }

    fn member(&self, slug: &str, local: &str) -> Option<Uuid> {
        member_uuid(self.past, self.data.partner(slug)?, local)
    }

    fn client(&self, client_id: &str) -> Option<Uuid> {
        self.rows.clients.iter().find(|client| client.client_id == client_id).map(|client| client.client_uuid)
    }

    /// Returns the date of a day in the past as text.
    fn day(&self, days: i64) -> String {
        self.past.now().plus_seconds(-days * DAY).to_string().chars().take(10).collect()
    }

    fn ticket(&self, ticket: &TicketData, made: &mut DeskRows) {
        let opened_at = self.past.hours(ticket.hours, &ticket.subject);
        let (ticket_uuid, opened_by) = (id(opened_at, &ticket.subject), self.member(&ticket.partner, &ticket.by));
        let agent = self.staff("SUPPORT");
        let mut at = opened_at;
        for MessageData { by_support, body } in &ticket.messages {
            made.messages.push(json!({
                "message_uuid": id(at, body), "ticket_uuid": ticket_uuid,
                "side": if *by_support { "SUPPORT" } else { "PARTNER" },
                "author_uuid": if *by_support { agent } else { opened_by }, "body": body, "created_at": at,
            }));
            at = shift_hours(at, 1.0, body);
        }
        let last_at = made.messages.last().map_or(json!(at), |message| message["created_at"].clone());
        if !ticket.note.is_empty() {
            made.ticket_notes.push(json!({
                "note_uuid": id(at, &ticket.note), "ticket_uuid": ticket_uuid, "author_uuid": agent,
                "body": ticket.note, "created_at": at,
            }));
        }
        made.tickets.push(json!({
            "ticket_uuid": ticket_uuid, "partner_uuid": self.partner(&ticket.partner), "subject": ticket.subject,
            "topic": ticket.topic, "state": ticket.state, "priority": ticket.priority, "opened_by": opened_by,
            "assignee_uuid": agent.filter(|_| ticket.assigned), "messages_count": ticket.messages.len(),
            "waiting_since": (ticket.state == "OPEN").then_some(&last_at), "state_changed_at": last_at,
            "last_message_at": last_at, "created_at": opened_at,
        }));
    }

    /// Adds what partners have in addition to their apps: notes, contacts, an invitation, requests and an export.
    fn partners(&self, made: &mut DeskRows) {
        for partner in &self.data.partners {
            let partner_uuid = partner_uuid(self.past, partner);
            let first = partner.team.first().and_then(|person| self.member(&partner.slug, &person.local));
            let at = self.past.days(40, &partner.slug);
            made.notes.push(json!({
                "note_uuid": id(at, "note"), "partner_uuid": partner_uuid, "author_uuid": self.staff("ACCOUNT_MANAGER"),
                "body": "Yearly call: content with the service, wants to know more about statistics.", "created_at": at,
            }));
            for kind in ["BILLING", "TECHNICAL"] {
                let email = format!("{}@{}", kind.to_lowercase(), partner.domain);
                made.contacts.push(json!({
                    "contact_uuid": id(at, &email), "partner_uuid": partner_uuid, "kind": kind,
                    "name": format!("{} team", partner.company), "email": email, "created_at": at,
                }));
            }
            let email = format!("new.colleague@{}", partner.domain);
            let sent_at = self.past.hours(20, &email);
            made.invitations.push(json!({
                "invitation_uuid": id(sent_at, &email), "partner_uuid": partner_uuid, "email": email, "role": "EDITOR",
                "invited_by": first, "created_at": sent_at, "expires_at": sent_at.plus_seconds(7 * DAY),
            }));
            made.exports.push(json!({
                "export_uuid": id(at, "export"), "partner_uuid": partner_uuid, "state": "FAILED",
                "requested_by_kind": "PARTNER_USER", "requested_by": first, "created_at": at, "ended_at": at,
                "error": "The object storage did not answer.",
            }));
        }
        for (slug, local, from, to, state, days) in [
            ("murzeit", "katharina.hoedl", "FREE", "GROWTH", "PENDING", 2),
            ("belle-tablee", "camille.roussel", "GROWTH", "SCALE", "REJECTED", 90),
        ] {
            let at = self.past.days(days, slug);
            made.tier_requests.push(json!({
                "request_uuid": id(at, "tier"), "partner_uuid": self.partner(slug), "from_tier": from, "to_tier": to,
                "message": "We need a larger request budget and usage statistics.", "state": state,
                "actor_uuid": self.member(slug, local), "created_at": at,
                "decided_at": (state != "PENDING").then(|| at.plus_seconds(DAY)),
                "decision_reason": (state != "PENDING").then_some("Please ask again when the budget is used up."),
            }));
        }
    }

    /// Adds mails, sign-ins and blocks.
    fn security(&self, made: &mut DeskRows) {
        let failed = ("belle-tablee", "olivier.charpin");
        let recipient = "olivier.charpin@belletablee.example";
        let at = self.past.hours(6, recipient);
        made.mails.push(json!({
            "message_uuid": id(at, "failed mail"), "kind": "PASSWORD_RESET", "recipient": recipient, "locale": "fr",
            "subject": "Reset your password", "state": "FAILED", "attempts": 8, "created_at": at, "next_attempt_at": at,
            "last_error": "550 5.1.1 The mailbox does not exist.", "person_uuid": self.member(failed.0, failed.1),
            "partner_uuid": self.partner(failed.0),
        }));
        for person in &self.rows.people {
            let at = self.past.hours(4, &person.email);
            let is_active = person.state == "ACTIVE";
            if !is_active || at < person.created_at {
                continue;
            }
            let session_uuid = id(at, &format!("session of {}", person.email));
            made.security_events.push(json!({
                "event_uuid": id(at, &format!("sign-in of {}", person.email)), "occurred_at": at, "kind": "SIGN_IN",
                "outcome": "SUCCEEDED", "person_uuid": person.person_uuid, "partner_uuid": person.partner_uuid,
                "session_uuid": session_uuid, "address": NETWORK, "user_agent": "Sample data",
            }));
            made.sessions.push(json!({
                "session_uuid": session_uuid, "person_uuid": person.person_uuid, "created_at": at,
                "idle_expires_at": at.plus_seconds(DAY), "expires_at": at.plus_seconds(7 * DAY), "address": NETWORK,
                "user_agent": "Sample data", "second_factor": false,
            }));
        }
        made.sign_in_failures.push(json!({
            "subject": format!("account:nadege.perrin@belletablee.example@{NETWORK}/32"), "failures": 9,
            "last_failed_at": self.past.now(), "held_until": self.past.now().plus_seconds(DAY),
        }));
        let denied_at = self.past.days(3, "denial");
        made.denials.push(json!({
            "denial_uuid": id(denied_at, "denial"), "network": "203.0.113.0/28", "created_at": denied_at,
            "created_by": self.staff("OPERATOR"), "reason": "Tried passwords of many accounts.",
            "expires_at": self.past.now().plus_seconds(30 * DAY),
        }));
        for client in &self.rows.clients {
            let at = self.past.hours(7, client.client_id);
            made.grants.push(json!({
                "grant_uuid": id(at, client.client_id), "client_uuid": client.client_uuid, "granted_at": at,
                "expires_at": at.plus_seconds(3_600), "outcome": "SUCCEEDED", "scopes": client.allowed_scopes,
                "address": NETWORK,
            }));
        }
    }

    /// Adds requests, spent budgets and refused requests.
    fn traffic(&self, made: &mut DeskRows) {
        for partner in &self.data.partners {
            let account = format!("partner:{}", partner_uuid(self.past, partner));
            made.budgets.push(json!({ "account": account, "day": self.day(0), "granted": 40 * partner.team.len() }));
            for days in 0..14 {
                for (operation, requests) in [("marketplace_apps_list", 120), ("marketplace_apps_get", 340)] {
                    made.requests.push(json!({
                        "day": self.day(days), "account": account, "operation": operation,
                        "requests": requests - days * 3,
                    }));
                }
            }
        }
        for days in 0..14 {
            for (operation, most) in [("marketplace_listings_search", 5_200), ("marketplace_apps_list", 460)] {
                let requests = most - days * 20;
                made.operation_days.push(json!({
                    "day": self.day(days), "operation": operation, "requests": requests, "client_errors": 12,
                    "server_errors": 0, "refusals": 3, "microseconds": requests * 9_000, "up_to_10": requests,
                }));
            }
        }
        let Some(partner_uuid) = self.partner("elbkontor") else { return };
        for (hours, operation, code, budget, scope, refusals) in [
            (2, DEPRECATED, "SCOPE_MISSING", "", "statistics", 31),
            (3, "marketplace_apps_list", "RATE_LIMITED", "burst", "", 214),
            (26, "marketplace_versions_submit", "SCOPE_MISSING", "", "marketplace.versions:write", 4),
        ] {
            let at = self.past.hours(hours, operation);
            made.refusals.push(json!({
                "hour": at, "account": format!("partner:{partner_uuid}"), "operation": operation, "code": code,
                "budget": budget, "required_scope": scope, "refusals": refusals, "last_at": at,
                "request_ids": [id(at, "first"), id(at, "second")],
            }));
        }
    }

    /// Adds a deprecated operation that two accounts still call.
    fn deprecation(&self, made: &mut DeskRows) {
        let at = self.past.days(20, DEPRECATED);
        let deprecation_uuid = id(at, DEPRECATED);
        made.deprecations.push(json!({
            "deprecation_uuid": deprecation_uuid, "operation_id": DEPRECATED,
            "reason": "The list returns the same figures, and the figures of each app.",
            "replacement": "Call `statistics_apps_list`.", "replacement_operation_id": REPLACEMENT,
            "sunset_at": self.past.now().plus_seconds(200 * DAY), "created_by": self.staff("EDITOR"), "created_at": at,
        }));
        for days in 0..5 {
            for (slug, client) in [("elbkontor", self.client(PIPELINE)), ("belle-tablee", None)] {
                let Some(partner_uuid) = self.partner(slug) else { continue };
                made.deprecation_uses.push(json!({
                    "deprecation_uuid": deprecation_uuid, "day": self.day(days), "requests": 24,
                    "account": format!("partner:{partner_uuid}"), "client_uuid": client,
                }));
            }
        }
    }

    /// Adds a report of a comment.
    fn board(&self, made: &mut DeskRows) {
        let reported = self.rows.board.comments.iter().find(|comment| comment["is_answer"] == false);
        let (Some(comment), Some(reporter)) = (reported, self.member("voorraadhuis", "sanne.dewit")) else { return };
        let at: Time = self.past.hours(9, "report");
        made.reports.push(json!({
            "report_uuid": id(at, "report"), "comment_uuid": comment["comment_uuid"], "reporter_uuid": reporter,
            "partner_uuid": self.partner("voorraadhuis"), "reason": "OFF_TOPIC",
            "note": "This belongs to another feature request.", "reported_at": at,
        }));
    }
}
