//! What was said about a version, as each side sees it.

use async_graphql::{InputObject, SimpleObject};
use serde::Serialize;
use uuid::Uuid;

use super::list::MessageRow;
use crate::core::time::Time;
use crate::core::words::words;
use crate::marketplace::submissions::resolvers::ReviewFinding;
use crate::marketplace::submissions::rules::SubmissionState;

words! {
    /// What an entry of the talk is, for staff.
    pub(crate) enum SubmissionMessageKind {
        /// The version was handed in, perhaps with words.
        Submission = "SUBMISSION",
        /// Words from one side to the other.
        Message = "MESSAGE",
        /// Words that the partner never sees.
        Note = "NOTE",
        /// A decision, perhaps with words and findings.
        Decision = "DECISION",
    }
}

words! {
    /// What an entry of the talk is.
    pub(crate) enum ReviewMessageKind {
        /// The version was handed in, perhaps with words.
        Submission = "SUBMISSION",
        /// Words from one side to the other.
        Message = "MESSAGE",
        /// A decision, perhaps with words and findings.
        Decision = "DECISION",
    }
}

words! {
    /// Who speaks.
    pub(crate) enum ReviewSide {
        /// The partner.
        Partner = "PARTNER",
        /// The reviewers.
        Reviewers = "REVIEWERS",
        /// The service itself, because the time had come.
        System = "SYSTEM",
    }
}

/// Author of an entry.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ReviewMessageAuthor {
    /// The person or the program.
    uuid: Uuid,
    /// The name that they have now; null when they are gone.
    name: Option<String>,
}

/// An entry of the talk with the reviewers, as the partner sees it.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ReviewMessage {
    /// UUID of the object.
    uuid: Uuid,
    /// What it is.
    kind: ReviewMessageKind,
    /// Who speaks.
    side: ReviewSide,
    /// Who of the partner wrote it; null for the reviewers, who answer as an office, and for a former owner of the app.
    author: Option<ReviewMessageAuthor>,
    /// The words, plain; null for a handing in or a decision without any.
    body: Option<String>,
    /// How it was decided; null unless it is a decision.
    decision: Option<SubmissionState>,
    /// What the decision found, each with what became of it.
    findings: Vec<ReviewFinding>,
    /// Submission that the entry concerns.
    submission_uuid: Uuid,
    /// Whether that submission was an appeal.
    appeal: bool,
    /// Time when the entry was written.
    created_at: Time,
    /// Whether it came from the other side and you have not read it yet.
    unread: bool,
}

/// An entry in the conversation about a version, as reviewers see it.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubmissionMessage {
    /// UUID of the object.
    uuid: Uuid,
    /// What it is.
    kind: SubmissionMessageKind,
    /// Who speaks.
    side: ReviewSide,
    /// Who wrote it; null for the service itself.
    author: Option<ReviewMessageAuthor>,
    /// The words, plain; null for a handing in or a decision without any.
    body: Option<String>,
    /// How it was decided; null unless it is a decision.
    decision: Option<SubmissionState>,
    /// What the decision found, each with what became of it.
    findings: Vec<ReviewFinding>,
    /// Submission that the entry concerns.
    submission_uuid: Uuid,
    /// Whether that submission was an appeal.
    appeal: bool,
    /// Time when the entry was written.
    created_at: Time,
    /// Whether it came from the other side and you have not read it yet.
    unread: bool,
}

/// A message to the reviewers.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ReviewMessagePost {
    pub(super) body: String,
}

/// A message to the partner, or a note for reviewers.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubmissionMessagePost {
    pub(super) body: String,
    pub(super) internal: Option<bool>,
    pub(super) awaits_answer: Option<bool>,
}

impl ReviewMessage {
    /// A row as the partner sees it; `None` for a note.
    pub(super) fn of(row: MessageRow) -> Option<Self> {
        let kind = match row.kind {
            SubmissionMessageKind::Submission => ReviewMessageKind::Submission,
            SubmissionMessageKind::Message => ReviewMessageKind::Message,
            SubmissionMessageKind::Decision => ReviewMessageKind::Decision,
            SubmissionMessageKind::Note => return None,
        };
        let side = row.side();
        Some(Self {
            uuid: row.message_uuid,
            kind,
            side,
            author: row.author().filter(|_| side == ReviewSide::Partner && !row.by_former_owner),
            body: row.body,
            decision: row.decision,
            findings: row.findings.0.into_iter().map(Into::into).collect(),
            submission_uuid: row.submission_uuid,
            appeal: row.appeal,
            created_at: row.created_at,
            unread: row.unread && side != ReviewSide::Partner,
        })
    }
}

impl From<MessageRow> for SubmissionMessage {
    fn from(row: MessageRow) -> Self {
        let side = row.side();
        Self {
            uuid: row.message_uuid,
            kind: row.kind,
            side,
            author: row.author(),
            body: row.body,
            decision: row.decision,
            findings: row.findings.0.into_iter().map(Into::into).collect(),
            submission_uuid: row.submission_uuid,
            appeal: row.appeal,
            created_at: row.created_at,
            unread: row.unread && side == ReviewSide::Partner,
        }
    }
}

impl ReviewMessage {
    /// Whether whoever asks has not read it.
    pub(super) const fn is_unread(&self) -> bool {
        self.unread
    }
}

impl SubmissionMessage {
    /// Whether whoever asks has not read it.
    pub(super) const fn is_unread(&self) -> bool {
        self.unread
    }
}

impl MessageRow {
    fn side(&self) -> ReviewSide {
        match self.author_kind.as_str() {
            "STAFF_USER" => ReviewSide::Reviewers,
            "SYSTEM" => ReviewSide::System,
            _ => ReviewSide::Partner,
        }
    }

    fn author(&self) -> Option<ReviewMessageAuthor> {
        self.author_uuid.map(|uuid| ReviewMessageAuthor { uuid, name: self.author_name.clone() })
    }
}
