//! Sample history of versions and their reviews.

use labs_core::business_time;
use labs_core::time::Time;
use serde_json::{Value, json};
use uuid::Uuid;

use super::data::{AppData, Data, FindingData, VersionData};
use super::past::{Past, id, number, shift_hours};
use super::rows::{EventRow, FindingRow, MediaRow, Rows, SubmissionRow, VersionRow};
use super::teams;
use super::works::Begun;

/// Seconds until a scheduled version is published: nine days.
const AHEAD: i64 = 9 * 86_400;

/// Business days within which a decision is due.
const PROMISED_DAYS: i64 = 3;

/// History of one version.
pub(super) struct VersionHistory {
    pub(super) version: &'static VersionData,
    pub(super) version_uuid: Uuid,
    created_at: Time,
    changed_at: Time,
    pub(super) published_at: Option<Time>,
    /// Submissions, oldest first.
    rounds: Vec<Round>,
}

/// One submission.
struct Round {
    submission_uuid: Uuid,
    state: &'static str,
    at: Moments,
    reviewer_uuid: Option<Uuid>,
    note: &'static str,
    appeal: &'static str,
    findings: &'static [FindingData],
}

#[derive(Clone, Copy)]
struct Moments {
    submitted_at: Time,
    claimed_at: Option<Time>,
    decided_at: Option<Time>,
}

impl VersionHistory {
    /// Returns the time of the first submission.
    pub(super) fn submitted_at(&self) -> Option<Time> {
        self.rounds.first().map(|round| round.at.submitted_at)
    }

    /// Returns the time of its last customer-visible event: the publication, or otherwise the last submission.
    pub(super) fn news_at(&self) -> Option<Time> {
        self.published_at.or_else(|| self.rounds.last().map(|round| round.at.submitted_at))
    }

    fn is_fixed(&self) -> bool {
        self.rounds.last().is_some_and(|round| round.state == "APPROVED")
    }
}

/// Returns the histories of an app's versions, in order.
pub(super) fn version_histories(data: &'static Data, past: Past, app: &'static AppData) -> Vec<VersionHistory> {
    let mut ways: Vec<VersionHistory> = app.versions.iter().map(|version| way(data, past, app, version)).collect();
    let published: Vec<Option<Time>> = ways.iter().map(|way| way.published_at).collect();
    for (place, way) in ways.iter_mut().enumerate().filter(|(_, way)| way.version.state == "SUPERSEDED") {
        let next = published.iter().skip(place + 1).find_map(|at| *at);
        way.changed_at = next.unwrap_or(way.changed_at);
    }
    ways
}

fn way(data: &'static Data, past: Past, app: &AppData, version: &'static VersionData) -> VersionHistory {
    let name = format!("{} {}", app.slug, version.number);
    let anchor = past.hours(version.hours, &name);
    let rounds = rounds(data, past, version, &name, anchor);
    let first = rounds.first().map(|round| shift_hours(round.at.submitted_at, -70.0, &name));
    let created_at = first.unwrap_or(anchor);
    VersionHistory {
        version,
        version_uuid: id(created_at, &name),
        created_at,
        changed_at: anchor,
        published_at: matches!(version.state.as_str(), "PUBLISHED" | "SUPERSEDED").then_some(anchor),
        rounds,
    }
}

fn rounds(data: &'static Data, past: Past, version: &'static VersionData, name: &str, anchor: Time) -> Vec<Round> {
    let Some((state, at)) = last(&version.state, anchor, name) else { return Vec::new() };
    let reviewers = teams::staff_uuids(data, past, "REVIEWER");
    let reviewer_uuid = reviewers.get(number(name) as usize % reviewers.len().max(1)).copied();
    let is_refused = matches!(state, "CHANGES_REQUESTED" | "REJECTED");
    let final_round = Round {
        submission_uuid: id(at.submitted_at, &format!("submission of {name}")),
        state,
        at,
        reviewer_uuid: reviewer_uuid.filter(|_| at.claimed_at.is_some()),
        note: if version.appeal.is_empty() { &version.decision } else { "" },
        appeal: &version.appeal,
        findings: if is_refused { &version.findings } else { &[] },
    };
    if is_refused || version.findings.is_empty() {
        return vec![final_round];
    }
    let before = |hours: f64| shift_hours(at.submitted_at, -hours, name);
    let at = Moments { submitted_at: before(96.0), claimed_at: Some(before(75.0)), decided_at: Some(before(72.0)) };
    let former = Round {
        submission_uuid: id(at.submitted_at, &format!("first submission of {name}")),
        state: if version.appeal.is_empty() { "CHANGES_REQUESTED" } else { "REJECTED" },
        at,
        reviewer_uuid,
        note: if version.appeal.is_empty() { "" } else { &version.decision },
        appeal: "",
        findings: &version.findings,
    };
    vec![former, final_round]
}

/// Returns the state and times of the last submission of a version that reached its own state at `anchor`.
fn last(state: &'static str, anchor: Time, name: &str) -> Option<(&'static str, Moments)> {
    let before = |hours: f64| shift_hours(anchor, -hours, name);
    let moments = |submitted_at, claimed_at, decided_at| Moments { submitted_at, claimed_at, decided_at };
    Some(match state {
        "SUBMITTED" => (state, moments(anchor, None, None)),
        "IN_REVIEW" => (state, moments(before(20.0), Some(anchor), None)),
        "WITHDRAWN" => (state, moments(before(10.0), None, Some(anchor))),
        "APPROVED" | "CHANGES_REQUESTED" | "REJECTED" => {
            (state, moments(before(26.0), Some(before(3.0)), Some(anchor)))
        }
        "SCHEDULED" | "PUBLISHED" | "SUPERSEDED" => {
            ("APPROVED", moments(before(47.0), Some(before(24.0)), Some(before(21.0))))
        }
        _ => return None,
    })
}

/// Adds the versions of an app with submissions, findings and events.
pub(super) fn add(past: Past, begun: &Begun, pictures: &[MediaRow], rows: &mut Rows) {
    for (place, way) in begun.histories.iter().enumerate() {
        rows.versions.push(version_row(past, begun, way));
        let event = |at, kind, extra| version_event(begun, way, at, kind, extra);
        rows.events.push(event(way.created_at, "VERSION_CREATED", json!({})));
        let is_live = way.published_at.is_some();
        let snapshot = snapshot(past, begun, way, pictures, is_live);
        for round in &way.rounds {
            let handed = Value::from(round.submission_uuid.to_string());
            let appeal = !round.appeal.is_empty();
            let detail = json!({ "submission_uuid": handed, "appeal": appeal });
            rows.events.push(event(round.at.submitted_at, "VERSION_SUBMITTED", detail));
            rows.events.extend(review_events(begun, way, round));
            rows.findings.extend(finding_rows(way, round));
            rows.submissions.push(submission_row(begun, way, round, &snapshot));
        }
        if way.version.state == "SCHEDULED" {
            let detail = json!({ "publish_at": publish_at(past) });
            rows.events.push(event(way.changed_at, "VERSION_SCHEDULED", detail));
        }
        let Some(published_at) = way.published_at else { continue };
        rows.events.push(event(published_at, "VERSION_PUBLISHED", json!({})));
        let former = begun.histories.iter().take(place).rfind(|former| former.published_at.is_some());
        let superseded = |former| version_event(begun, former, published_at, "VERSION_SUPERSEDED", json!({}));
        rows.events.extend(former.map(superseded));
    }
}

fn version_row(past: Past, begun: &Begun, way: &VersionHistory) -> VersionRow {
    let version = way.version;
    let (release, prerelease) = version.number.split_once('-').unwrap_or((&version.number, ""));
    let mut numbers = release.split('.').map(|part| part.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    VersionRow {
        version_uuid: way.version_uuid,
        app_uuid: begun.app_uuid,
        number: &version.number,
        major: next(),
        minor: next(),
        patch: next(),
        prerelease,
        release_notes: json!(version.notes),
        manifest: begun.manifest(),
        state: &version.state,
        state_changed_at: way.changed_at,
        publish_at: (version.state == "SCHEDULED").then(|| publish_at(past)),
        published_at: way.published_at,
        created_by: begun.author_uuid,
        created_at: way.created_at,
    }
}

/// Returns a full hour, as users choose it.
fn publish_at(past: Past) -> Time {
    let now = past.now();
    now.plus_seconds(AHEAD - now.unix().rem_euclid(3_600))
}

/// Builds the snapshot in the format of a submission (`marketplace::publication::Snapshot`).
fn snapshot(past: Past, begun: &Begun, way: &VersionHistory, pictures: &[MediaRow], is_live: bool) -> Value {
    let tagline = |place: usize, written: &'static str| match begun.app.live_tagline.as_str() {
        "" => written,
        live if place == 0 && is_live => live,
        _ => written,
    };
    let texts = begun.texts().into_iter().enumerate().map(|(place, text)| {
        json!({ "locale": text.locale, "name": text.name, "tagline": tagline(place, &text.tagline),
            "description": text.description })
    });
    let categories = begun.categories(past).into_iter().map(|row| row.category_uuid.to_string());
    let media = pictures.iter().map(|row| {
        json!({ "media_uuid": row.media_uuid.to_string(), "kind": row.kind, "position": row.position,
            "alt_text": row.alt_text, "caption": row.caption })
    });
    json!({
        "slug": begun.app.slug,
        "default_locale": begun.default_locale(),
        "texts": texts.collect::<Vec<_>>(),
        "links": begun.links(),
        "categories": categories.collect::<Vec<_>>(),
        "media": media.collect::<Vec<_>>(),
        "version": {
            "version_uuid": way.version_uuid.to_string(),
            "number": way.version.number,
            "release_notes": way.version.notes,
            "manifest": begun.manifest(),
        },
        "note": Some(&way.version.word).filter(|word| !word.is_empty()),
    })
}

fn submission_row(begun: &Begun, way: &VersionHistory, round: &Round, snapshot: &Value) -> SubmissionRow {
    let said = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    SubmissionRow {
        submission_uuid: round.submission_uuid,
        version_uuid: way.version_uuid,
        app_uuid: begun.app_uuid,
        partner_uuid: begun.partner_uuid,
        state: round.state,
        submitted_by: begun.author_uuid,
        submitted_at: round.at.submitted_at,
        reviewer_uuid: round.reviewer_uuid,
        claimed_at: round.at.claimed_at,
        decided_at: round.at.decided_at,
        decision_note: said(round.note),
        appeal: !round.appeal.is_empty(),
        appeal_text: said(round.appeal),
        snapshot: snapshot.clone(),
        updated_at: round.at.decided_at.or(round.at.claimed_at).unwrap_or(round.at.submitted_at),
        waiting_on: match round.state {
            "SUBMITTED" | "IN_REVIEW" => Some("REVIEWERS"),
            "CHANGES_REQUESTED" if way.version.state == "CHANGES_REQUESTED" => Some("PARTNER"),
            _ => None,
        },
        due_at: business_time::add_seconds(round.at.submitted_at, PROMISED_DAYS * business_time::DAY),
    }
}

/// Returns the place of a finding about a requirement in the submission.
fn place_of(code: &str) -> &'static str {
    match code {
        "REQ-01" | "REQ-06" | "REQ-11" | "REQ-16" => "/media",
        "REQ-07" | "REQ-08" => "/links",
        "REQ-09" => "/version/release_notes",
        "REQ-10" => "/version/manifest/redirect_uris",
        "REQ-14" => "/version/manifest/permissions",
        _ => "/texts",
    }
}

/// Builds the findings. A finding of a reviewer counts as fixed if a later review did not report it again.
fn finding_rows(way: &VersionHistory, round: &Round) -> Vec<FindingRow> {
    let created_at = round.at.decided_at.unwrap_or(round.at.submitted_at);
    let rows = round.findings.iter().zip(0..).map(|(FindingData { requirement, text }, position)| FindingRow {
        finding_uuid: id(created_at, &format!("{} {position}", round.submission_uuid)),
        submission_uuid: round.submission_uuid,
        requirement_code: requirement,
        text,
        place: place_of(requirement),
        position,
        resolved: way.is_fixed(),
        created_at,
    });
    rows.collect()
}

/// Builds the events of the reviewers, or of the owner who withdrew the submission.
fn review_events(begun: &Begun, way: &VersionHistory, round: &Round) -> Vec<EventRow> {
    let by_staff = |event| EventRow { actor_kind: "STAFF_USER", actor_uuid: round.reviewer_uuid, ..event };
    let handed = round.submission_uuid.to_string();
    let claimed = round
        .at
        .claimed_at
        .map(|at| by_staff(version_event(begun, way, at, "VERSION_CLAIMED", json!({ "submission_uuid": handed }))));
    let decided = round.at.decided_at.map(|at| {
        let detail = json!({ "submission_uuid": handed, "findings": round.findings.len() });
        match round.state {
            "WITHDRAWN" => version_event(begun, way, at, "VERSION_WITHDRAWN", json!({ "submission_uuid": handed })),
            "APPROVED" => by_staff(version_event(begun, way, at, "VERSION_APPROVED", detail)),
            "REJECTED" => by_staff(version_event(begun, way, at, "VERSION_REJECTED", detail)),
            _ => by_staff(version_event(begun, way, at, "VERSION_CHANGES_REQUESTED", detail)),
        }
    });
    claimed.into_iter().chain(decided).collect()
}

fn version_event(begun: &Begun, way: &VersionHistory, at: Time, kind: &'static str, extra: Value) -> EventRow {
    let mut detail = json!({ "version_uuid": way.version_uuid.to_string(), "number": way.version.number });
    if let (Value::Object(detail), Value::Object(extra)) = (&mut detail, extra) {
        detail.extend(extra);
    }
    let event = begun.event(at, kind, detail);
    EventRow { event_uuid: id(at, &format!("{} {} {kind}", begun.app.slug, way.version.number)), ..event }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past() -> Past {
        Past::before(Time("2026-03-01T09:30:00Z".parse().unwrap()))
    }

    fn data() -> &'static Data {
        Data::load().unwrap()
    }

    #[test]
    fn sample_events_are_in_order_and_in_the_past() {
        for app in &data().apps {
            let mut last = past().days(app.days, &app.slug);
            for way in version_histories(data(), past(), app) {
                let mut moments = vec![way.created_at];
                for round in &way.rounds {
                    moments.push(round.at.submitted_at);
                    moments.extend(round.at.claimed_at);
                    moments.extend(round.at.decided_at);
                }
                moments.extend(way.published_at);
                moments.push(way.changed_at);
                assert!(moments.is_sorted(), "{} {}", app.slug, way.version.number);
                assert!(last < way.created_at, "{} {}", app.slug, way.version.number);
                assert!(way.changed_at <= past().now());
                last = way.created_at;
            }
        }
    }

    #[test]
    fn version_is_superseded_by_next_publication() {
        for app in &data().apps {
            let ways = version_histories(data(), past(), app);
            let published: Vec<&VersionHistory> = ways.iter().filter(|way| way.published_at.is_some()).collect();
            for pair in published.windows(2) {
                assert_eq!(pair[0].version.state, "SUPERSEDED", "{}", app.slug);
                assert_eq!(Some(pair[0].changed_at), pair[1].published_at, "{}", app.slug);
            }
            let live = published.last().map(|way| way.version.state.as_str());
            assert!(matches!(live, None | Some("PUBLISHED")), "{}", app.slug);
        }
    }

    #[test]
    fn appeal_follows_a_rejection() {
        let apps = data().apps.iter();
        let appealed: Vec<VersionHistory> = apps
            .flat_map(|app| version_histories(data(), past(), app))
            .filter(|way| !way.version.appeal.is_empty())
            .collect();
        assert_eq!(appealed.len(), 1);
        let states: Vec<&str> = appealed[0].rounds.iter().map(|round| round.state).collect();
        assert_eq!(states, ["REJECTED", "SUBMITTED"]);
        assert!(appealed[0].rounds[0].reviewer_uuid.is_some() && appealed[0].rounds[1].reviewer_uuid.is_none());
    }

    #[test]
    fn version_numbers_increase() {
        for app in &data().apps {
            let numbers: Vec<Vec<u32>> = app
                .versions
                .iter()
                .map(|version| version.number.split(['.', '-']).map_while(|part| part.parse().ok()).collect())
                .collect();
            assert!(numbers.is_sorted(), "{}", app.slug);
            assert!(app.versions.iter().is_sorted_by_key(|version| std::cmp::Reverse(version.hours)), "{}", app.slug);
            assert!(app.versions.iter().all(|version| version.hours < app.days * 24), "{}", app.slug);
        }
    }
}
