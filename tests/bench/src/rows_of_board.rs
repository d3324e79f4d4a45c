//! Row types of a feature request and their conversions for one user.

use std::collections::BTreeMap;

use labs_schema::time::Time;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

#[derive(FromRow)]
pub(crate) struct RequestRow {
    pub(crate) uuid: Uuid,
    title: String,
    excerpt: String,
    body: Option<String>,
    topic: Option<Json<Topic>>,
    status: String,
    status_at: Time,
    pub(crate) votes: i32,
    comments_count: i32,
    proposed_by: Json<Author>,
    author_uuid: Uuid,
    pub(crate) pin: i16,
    locked: bool,
    pub(crate) root_uuid: Uuid,
    changelog_entry: Option<Json<Entry>>,
    edited_at: Option<Time>,
    active_at: Time,
    created_at: Time,
}

/// A user's vote and follow for the feature request at this position (from 1) in the input.
#[derive(FromRow)]
pub(crate) struct StandingRow {
    #[sqlx(rename = "place!")]
    pub(crate) place: i64,
    #[sqlx(rename = "voted!")]
    pub(crate) voted: bool,
    #[sqlx(rename = "followed!")]
    pub(crate) followed: bool,
}

/// Whether a user voted for a feature request, and whether they follow it.
#[derive(Clone, Copy, Default)]
pub(crate) struct VoteStatus {
    pub(crate) voted: bool,
    pub(crate) followed: bool,
}

#[derive(Deserialize, Serialize)]
struct Topic {
    uuid: Uuid,
    names: BTreeMap<String, String>,
}

#[derive(Deserialize, Serialize)]
struct Author {
    partner_uuid: Option<Uuid>,
    company_name: Option<String>,
    person_name: Option<String>,
}

#[derive(Deserialize, Serialize)]
struct Entry {
    uuid: Uuid,
    slug: String,
    title: String,
}

#[derive(Serialize)]
pub(crate) struct RequestSummary {
    uuid: Uuid,
    title: String,
    excerpt: String,
    topic: Option<Topic>,
    status: String,
    status_at: Time,
    votes: i32,
    voted: bool,
    followed: bool,
    mine: bool,
    comments_count: i32,
    proposed_by: Author,
    pinned: bool,
    locked: bool,
    merged_into_uuid: Option<Uuid>,
    changelog_entry: Option<Entry>,
    edited_at: Option<Time>,
    active_at: Time,
    created_at: Time,
    allowed_actions: Vec<&'static str>,
}

#[derive(Serialize)]
pub(crate) struct Request {
    #[serde(flatten)]
    summary: RequestSummary,
    body: String,
    body_html: String,
}

impl RequestRow {
    /// Converts to the list entry for a user with this vote and follow.
    pub(crate) fn summary(self, person_uuid: Uuid, standing: VoteStatus) -> RequestSummary {
        let mine = self.author_uuid == person_uuid;
        RequestSummary {
            allowed_actions: self.actions(mine, standing),
            uuid: self.uuid,
            title: self.title,
            excerpt: self.excerpt,
            topic: self.topic.map(|topic| topic.0),
            status: self.status,
            status_at: self.status_at,
            votes: self.votes,
            voted: standing.voted,
            followed: standing.followed,
            mine,
            comments_count: self.comments_count,
            proposed_by: self.proposed_by.0,
            pinned: self.pin > 0,
            locked: self.locked,
            merged_into_uuid: (self.root_uuid != self.uuid).then_some(self.root_uuid),
            changelog_entry: self.changelog_entry.map(|entry| entry.0),
            edited_at: self.edited_at,
            active_at: self.active_at,
            created_at: self.created_at,
        }
    }

    /// Converts to the complete feature request.
    pub(crate) fn whole(mut self, person_uuid: Uuid, standing: VoteStatus) -> Request {
        let body = self.body.take().unwrap_or_default();
        let mut html = String::with_capacity(body.len() * 2);
        pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new(&body));
        Request { summary: self.summary(person_uuid, standing), body_html: ammonia::clean(&html), body }
    }

    fn actions(&self, mine: bool, standing: VoteStatus) -> Vec<&'static str> {
        let is_whole = self.root_uuid == self.uuid;
        let actions = [
            ("edit", mine && is_whole && self.status == "OPEN"),
            ("vote", is_whole && self.status != "SHIPPED" && !standing.voted),
            ("withdraw-vote", is_whole && standing.voted),
            ("follow", is_whole && !standing.followed),
            ("unfollow", is_whole && standing.followed),
            ("comment", is_whole && !self.locked),
            ("report", !mine),
        ];
        actions.into_iter().filter_map(|(action, is_possible)| is_possible.then_some(action)).collect()
    }
}
