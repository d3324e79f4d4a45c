//! Types of the conversation about a version, for each side.

use labs_core::describe::{InputType, OutputType};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use uuid::Uuid;

use super::list::MessageRow;
use crate::submissions::resolvers::ReviewFinding;
use crate::submissions::rules::SubmissionState;

words! {
    /// Kinds of entries in the conversation, for staff.
    pub enum SubmissionMessageKind {
        /// The partner submitted the version, optionally with a message.
        Submission = "SUBMISSION",
        /// Message from one side to the other.
        Message = "MESSAGE",
        /// Note that the partner never sees.
        Note = "NOTE",
        /// Decision, optionally with a message and findings.
        Decision = "DECISION",
    }
}

words! {
    /// Kinds of entries in the conversation.
    pub enum ReviewMessageKind {
        /// The partner submitted the version, optionally with a message.
        Submission = "SUBMISSION",
        /// Message from one side to the other.
        Message = "MESSAGE",
        /// Decision, optionally with a message and findings.
        Decision = "DECISION",
    }
}

words! {
    /// Author of the entry.
    pub enum ReviewSide {
        /// The partner.
        Partner = "PARTNER",
        /// The reviewers.
        Reviewers = "REVIEWERS",
        /// The service itself, at a due time.
        System = "SYSTEM",
    }
}

/// Author of an entry.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ReviewMessageAuthor {
    /// Id of the user or machine client.
    uuid: Uuid,
    /// Current name; null if the user or machine client was deleted.
    name: Option<String>,
}

/// Entry in the conversation with the reviewers, as the partner sees it.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ReviewMessage {
    /// UUID of the object.
    uuid: Uuid,
    /// Kind of entry.
    kind: ReviewMessageKind,
    /// Author of the entry.
    side: ReviewSide,
    /// Author on the partner's side; null for the reviewers, who answer as an office, and for a former owner of the
    /// app.
    author: Option<ReviewMessageAuthor>,
    /// Plain text; null for a submission or decision without a message.
    body: Option<String>,
    /// Outcome of the decision; null for other entries.
    decision: Option<SubmissionState>,
    /// Findings of the decision, each with its resolution.
    findings: Vec<ReviewFinding>,
    /// Submission that the entry concerns.
    submission_uuid: Uuid,
    /// Whether that submission was an appeal.
    appeal: bool,
    /// Time when the entry was written.
    created_at: Time,
    /// Whether the other side wrote the entry and the caller has not read it.
    unread: bool,
}

/// An entry in the conversation about a version, as reviewers see it.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(crate) struct SubmissionMessage {
    /// UUID of the object.
    uuid: Uuid,
    /// Kind of entry.
    kind: SubmissionMessageKind,
    /// Author of the entry.
    side: ReviewSide,
    /// Author of the entry; null for the service itself.
    author: Option<ReviewMessageAuthor>,
    /// Plain text; null for a submission or decision without a message.
    body: Option<String>,
    /// Outcome of the decision; null for other entries.
    decision: Option<SubmissionState>,
    /// Findings of the decision, each with its resolution.
    findings: Vec<ReviewFinding>,
    /// Submission that the entry concerns.
    submission_uuid: Uuid,
    /// Whether that submission was an appeal.
    appeal: bool,
    /// Time when the entry was written.
    created_at: Time,
    /// Whether the other side wrote the entry and the caller has not read it.
    unread: bool,
}

/// Message to the reviewers.
#[derive(serde::Deserialize, InputType)]
pub(super) struct ReviewMessagePost {
    pub(super) body: String,
}

/// Message to the partner, or a note for reviewers.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SubmissionMessagePost {
    pub(super) body: String,
    pub(super) internal: Option<bool>,
    pub(super) awaits_answer: Option<bool>,
}

impl ReviewMessage {
    /// Converts a row to the partner's form; `None` for a note.
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
    /// Whether the caller has not read it.
    pub(super) const fn is_unread(&self) -> bool {
        self.unread
    }
}

impl SubmissionMessage {
    /// Whether the caller has not read it.
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
