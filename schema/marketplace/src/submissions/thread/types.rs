//! Types of the conversation about a version, for each side.

use labs_core::describe::{InputType, OutputType};
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::list::MessageRow;
use crate::submissions::resolvers::ReviewFinding;
use crate::submissions::rules::SubmissionState;

words! {
    /// Kinds of entries in the conversation, for staff.
    pub enum SubmissionMessageKind {
        /// The version was submitted, with an optional text.
        Submission = "SUBMISSION",
        /// A message from one side to the other.
        Message = "MESSAGE",
        /// A note for reviewers. The partner never sees it.
        Note = "NOTE",
        /// A decision, with an optional text and findings.
        Decision = "DECISION",
    }
}

words! {
    /// Kinds of entries in the conversation.
    pub enum ReviewMessageKind {
        /// The version was submitted, with an optional text.
        Submission = "SUBMISSION",
        /// A message from one side to the other.
        Message = "MESSAGE",
        /// A decision, with an optional text and findings.
        Decision = "DECISION",
    }
}

words! {
    /// Author of the entry.
    pub enum ReviewSide {
        /// The partner's users and machine clients.
        Partner = "PARTNER",
        /// The platform's reviewers.
        Reviewers = "REVIEWERS",
        /// The service itself, at a scheduled time.
        System = "SYSTEM",
    }
}

/// Author of an entry.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ReviewMessageAuthor {
    /// UUID of the user or machine client.
    uuid: Uuid,
    /// Current name of the author. Null if the author no longer exists.
    name: Option<String>,
}

/// An entry in the conversation with the reviewers.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ReviewMessage {
    /// UUID of the object.
    uuid: Uuid,
    /// Kind of entry.
    kind: ReviewMessageKind,
    /// Author of the entry.
    side: ReviewSide,
    /// Author of the entry on the partner's side. Null for the reviewers, who answer as an office.
    author: Option<ReviewMessageAuthor>,
    /// Plain text. Null for a submission or decision without a text.
    body: Option<String>,
    /// Decision of the reviewers. Null unless the entry is a decision.
    decision: Option<SubmissionState>,
    /// Findings of the decision, each with its current status.
    findings: Vec<ReviewFinding>,
    /// Submission that the entry concerns.
    submission_uuid: Uuid,
    /// Whether that submission was an appeal.
    appeal: bool,
    /// Time when the entry was written.
    created_at: Time,
    /// Whether the entry came from the other side and the caller had not read it before. A machine client does not read
    /// entries.
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
    /// Author of the entry. Null for the service itself.
    author: Option<ReviewMessageAuthor>,
    /// Plain text. Null for a submission or decision without a text.
    body: Option<String>,
    /// Decision of the reviewers. Null unless the entry is a decision.
    decision: Option<SubmissionState>,
    /// Findings of the decision, each with its current status.
    findings: Vec<ReviewFinding>,
    /// Submission that the entry concerns.
    submission_uuid: Uuid,
    /// Whether that submission was an appeal.
    appeal: bool,
    /// Time when the entry was written.
    created_at: Time,
    /// Whether the entry came from the other side and the caller had not read it before. A machine client does not read
    /// entries.
    unread: bool,
}

/// A message to the reviewers.
#[derive(Deserialize, InputType)]
pub(super) struct ReviewMessagePost {
    /// Plain text. An empty line separates paragraphs.
    pub(super) body: String,
}

/// A message to the partner, or a note for reviewers.
#[derive(Deserialize, InputType)]
pub(super) struct SubmissionMessagePost {
    /// Plain text. An empty line separates paragraphs.
    pub(super) body: String,
    /// Whether this is a note. The partner never sees a note, nor that it exists.
    pub(super) internal: Option<bool>,
    /// Whether the reviewer waits for an answer. If true, the clock of the promise stops until the partner writes.
    /// Defaults to true for a message and to false for a note. Send false for a message that needs no answer.
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
