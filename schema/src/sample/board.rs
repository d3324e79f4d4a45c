//! Sample data of the board: feature requests, votes under invented pseudonyms, comments, and decisions of staff.

use labs_core::time::Time;
use labs_crypto::sha256;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::data::{CommentData, Data, FeatureRequestData, Mark, StatusData};
use super::past::{Past, id, shift_hours};
use super::rows::Rows;
use super::teams::STAFF_DOMAIN;

/// Staff member who answers.
const MODERATOR: &str = "mats.lindqvist";
/// Users whose name the board shows, by local part of their address.
pub(super) const NAMED: [&str; 2] = ["aylin.demirci", "camille.roussel"];
/// Changelog entry that describes the shipped feature requests.
const SHIPPED_IN: &str = "1-0-0-the-search-forgives-misspellings";
/// Number of voters.
const VOTERS: u32 = 90;
/// Hours between two statuses, and between two comments.
const STEP: f64 = 70.0;

#[derive(Default, Serialize)]
pub(super) struct BoardRows {
    pub(super) topics: Vec<Value>,
    pub(super) requests: Vec<Value>,
    pub(super) votes: Vec<Value>,
    pub(super) comments: Vec<Value>,
    pub(super) events: Vec<Value>,
}

/// Adds the rows of the board.
pub(super) fn add(data: &'static Data, past: Past, rows: &mut Rows) {
    let mut board = BoardRows::default();
    for (topic, position) in data.topics.iter().zip(1..) {
        let created_at = past.days(180, &topic.en);
        board.topics.push(json!({
            "topic_uuid": id(created_at, &topic.en), "names": { "en": topic.en, "de": topic.de }, "position": position,
            "created_at": created_at,
        }));
    }
    for feature_request in &data.feature_requests {
        add_feature_request(data, past, rows, feature_request, &mut board);
    }
    rows.board = board;
}

fn person(rows: &Rows, local: &str) -> Option<(Uuid, Option<Uuid>)> {
    let found = rows.people.iter().find(|person| person.email.split('@').next() == Some(local));
    found.map(|person| (person.person_uuid, person.partner_uuid))
}

fn proposed_at(past: Past, feature_request: &FeatureRequestData) -> Time {
    past.days(feature_request.days, &feature_request.title)
}

/// Returns the ids of the feature request into which one is merged, and of the root of the merge chain.
fn merged_into(data: &'static Data, past: Past, feature_request: &FeatureRequestData) -> Option<(Uuid, Uuid)> {
    let target = merge_target(data, feature_request)?;
    let direct = id(proposed_at(past, target), &target.title);
    Some((direct, merged_into(data, past, target).map_or(direct, |(_, root)| root)))
}

/// Returns the feature request into which one is merged.
fn merge_target(data: &'static Data, feature_request: &FeatureRequestData) -> Option<&'static FeatureRequestData> {
    let Mark::MergedInto(title) = &feature_request.mark else { return None };
    data.feature_requests.iter().find(|known| known.title == *title)
}

fn add_feature_request(
    data: &'static Data,
    past: Past,
    rows: &Rows,
    feature_request: &'static FeatureRequestData,
    board: &mut BoardRows,
) {
    let created_at = proposed_at(past, feature_request);
    let request_uuid = id(created_at, &feature_request.title);
    let Some((author_uuid, Some(partner_uuid))) = person(rows, &feature_request.by) else { return };
    let topic = data.topics.iter().find(|topic| topic.en == feature_request.topic);
    let topic_uuid = topic.map(|topic| id(past.days(180, &topic.en), &topic.en));
    let staff = rows.people.iter().find(|person| person.email == format!("{MODERATOR}@{STAFF_DOMAIN}"));
    let entry_uuid = rows.items.iter().find(|item| item.slug == SHIPPED_IN).map(|item| item.item_uuid);
    let told = Told {
        data,
        past,
        feature_request,
        request_uuid,
        created_at,
        staff_uuid: staff.map(|person| person.person_uuid),
        entry_uuid,
    };
    let (status, status_at) = told.statuses(board);
    let talked_at = told.comments(rows, board);
    let answers = [(!feature_request.path.is_empty()).then(|| told.first_status_at()), talked_at.1];
    let answered_at = answers.into_iter().flatten().min();
    let merged = merged_into(data, past, feature_request);
    let rooted_at = merged.map_or(created_at, |(direct, _)| told.merge(direct, board));
    let active_at = status_at.max(talked_at.0).max(rooted_at);
    let suspended = if let Mark::Suspended(reason) = &feature_request.mark { Some(reason) } else { None };
    board.votes.extend(votes(past, feature_request, request_uuid));
    board.requests.push(json!({
        "request_uuid": request_uuid, "partner_uuid": partner_uuid, "author_uuid": author_uuid, "title": feature_request.title,
        "body": feature_request.body, "topic_uuid": topic_uuid, "status": status, "status_at": status_at,
        "entry_uuid": entry_uuid.filter(|_| status == "SHIPPED"), "merged_into_uuid": merged.map(|(direct, _)| direct),
        "root_uuid": merged.map_or(request_uuid, |(_, root)| root), "rooted_at": rooted_at,
        "pinned_at": (feature_request.mark == Mark::Pinned).then_some(active_at),
        "locked_at": (feature_request.mark == Mark::Locked).then_some(active_at),
        "suspended_at": suspended.map(|_| active_at), "suspension_reason": suspended,
        "comments": feature_request.comments.len(), "answered_at": answered_at, "active_at": active_at, "created_at": created_at,
    }));
}

/// State while the history of one feature request is generated.
struct Told {
    data: &'static Data,
    past: Past,
    feature_request: &'static FeatureRequestData,
    request_uuid: Uuid,
    created_at: Time,
    staff_uuid: Option<Uuid>,
    entry_uuid: Option<Uuid>,
}

impl Told {
    /// Builds an event by staff with additional fields.
    fn event(&self, at: Time, kind: &str, name: &str, more: Value) -> Value {
        let mut said = json!({
            "event_uuid": id(at, &format!("{} {name}", self.feature_request.title)), "request_uuid": self.request_uuid,
            "kind": kind, "occurred_at": at, "actor_uuid": self.staff_uuid,
        });
        if let (Some(said), Value::Object(more)) = (said.as_object_mut(), more) {
            said.extend(more);
        }
        said
    }

    fn later(&self, at: Time, hours: f64, name: &str) -> Time {
        shift_hours(at, hours, name).min(self.past.now())
    }

    fn first_status_at(&self) -> Time {
        self.later(self.created_at, STEP, self.feature_request.path.first().map_or("", |step| step.status.as_str()))
    }

    /// Generates the status events; returns the last status and its time.
    fn statuses(&self, board: &mut BoardRows) -> (&'static str, Time) {
        let (mut from, mut at) = ("OPEN", self.created_at);
        for StatusData { status: to, note } in &self.feature_request.path {
            at = self.later(at, STEP, to);
            let more = json!({
                "from_status": from, "to_status": to, "note": Some(note).filter(|note| !note.is_empty()),
                "entry_uuid": self.entry_uuid.filter(|_| to == "SHIPPED"),
            });
            board.events.push(self.event(at, "STATUS", to, more));
            from = to;
        }
        (from, at)
    }

    /// Generates the comments; returns the time of the last one, and of the first answer by staff.
    fn comments(&self, rows: &Rows, board: &mut BoardRows) -> (Time, Option<Time>) {
        let (mut at, mut answered_at) = (self.created_at, None);
        for CommentData { by, body } in &self.feature_request.comments {
            at = self.later(at, STEP / 2.0, body);
            let (comment_uuid, is_answer) = (id(at, body), by.is_empty());
            let author = if is_answer { self.staff_uuid.map(|uuid| (uuid, None)) } else { person(rows, by) };
            board.comments.push(json!({
                "comment_uuid": comment_uuid, "request_uuid": self.request_uuid, "is_answer": is_answer, "body": body,
                "author_uuid": author.map(|(uuid, _)| uuid), "partner_uuid": author.and_then(|(_, partner)| partner),
                "created_at": at,
            }));
            if is_answer {
                board.events.push(self.event(at, "ANSWER", body, json!({ "comment_uuid": comment_uuid })));
                answered_at = answered_at.or(Some(at));
            }
        }
        (at, answered_at)
    }

    /// Generates the merge into another feature request; returns its time.
    fn merge(&self, direct: Uuid, board: &mut BoardRows) -> Time {
        let target = merge_target(self.data, self.feature_request);
        let both_at = target.map_or(self.created_at, |target| proposed_at(self.past, target).max(self.created_at));
        let at = self.later(both_at, STEP, "merged");
        let more = json!({ "other_uuid": direct, "note": "Both want the same." });
        board.events.push(self.event(at, "MERGE", "merged", more));
        at
    }
}

/// Generates votes of invented voters on days since the feature request was made.
fn votes(past: Past, feature_request: &FeatureRequestData, request_uuid: Uuid) -> impl Iterator<Item = Value> {
    let first = u32::try_from(feature_request.title.len()).unwrap_or_default() * 7;
    (0..feature_request.votes).map(move |number| {
        let voter = format!("sample voter {}", (first + number * 11) % VOTERS);
        let days = feature_request.days * number / feature_request.votes.max(1);
        json!({
            "request_uuid": request_uuid, "voter": format!("\\x{}", hex::encode(sha256(voter.as_bytes()))),
            "voted_on": past.days(feature_request.days - days, &voter).to_string().get(..10),
        })
    })
}
