//! Review queue: lookup of a submission, and the list with its filters and orders.

use labs_core::describe::InputType;
use labs_core::list::{Condition, EdgeQuery, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::resolvers::types::SubmittedPicture;
use super::rules::{SubmissionState, WaitingOn};

/// Submission in the form that the queue shows.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SubmissionRow {
    pub(super) submission_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) app_name: String,
    pub(super) partner_uuid: Uuid,
    pub(super) partner_name: String,
    pub(super) version_uuid: Uuid,
    pub(super) version_number: String,
    pub(super) state: SubmissionState,
    pub(super) appeal: bool,
    pub(super) submitted_at: Time,
    pub(super) submitted_by: Option<Uuid>,
    pub(super) reviewer_uuid: Option<Uuid>,
    pub(super) reviewer_name: Option<String>,
    pub(super) claimed_at: Option<Time>,
    pub(super) decided_at: Option<Time>,
    pub(super) age_seconds: i32,
    pub(super) queued_at: Time,
    pub(super) waiting_on: Option<WaitingOn>,
    pub(super) due_at: Option<Time>,
    pub(super) asks_more: bool,
    pub(super) rejected_by: Option<Uuid>,
}

/// Submissions. Related data is looked up only for the displayed ones and never joined, so that a count reads
/// submissions alone.
static SUBMITTED: Select<SubmissionRow> = Select::new(
    "s.submission_uuid, s.app_uuid, coalesce(s.snapshot #>> '{texts,0,name}', '') as app_name, s.partner_uuid,
     s.version_uuid, s.state, s.appeal, s.submitted_at, s.submitted_by, s.reviewer_uuid, s.claimed_at, s.decided_at,
     s.queued_at, s.waiting_on, case s.waiting_on when 'REVIEWERS' then s.due_at end as due_at, s.asks_more,
     (select former.reviewer_uuid from submission as former
       where former.version_uuid = s.version_uuid and former.state = 'REJECTED'
         and former.submission_uuid <> s.submission_uuid
       order by former.submitted_at limit 1) as rejected_by,
     (select company_name from partner where partner.partner_uuid = s.partner_uuid) as partner_name,
     (select number from app_version as version where version.version_uuid = s.version_uuid) as version_number,
     (select name from person where person.person_uuid = s.reviewer_uuid) as reviewer_name,
     least(greatest(extract(epoch from coalesce(s.decided_at, labs_now()) - s.submitted_at), 0), 2147483647)::integer
         as age_seconds",
    "submission as s",
);

/// Looks up a submission by id.
pub(super) static BY_ID: Lookup<SubmissionRow> = Lookup::new(&SUBMITTED, &["s.submission_uuid = {}"]);

/// Submission of an edge.
pub static SUBMISSION: EdgeQuery<SubmissionRow> = EdgeQuery {
    operation: "marketplace_submissions_get",
    argument: "submission_uuid",
    select: &SUBMITTED,
    condition: "s.submission_uuid = above.uuid",
    order: &[],
};

/// Submissions of each version, newest first.
pub static SUBMISSIONS_OF_EACH: EdgeQuery<SubmissionRow> = EdgeQuery {
    operation: "marketplace_submissions_list",
    argument: "app_uuid",
    select: &SUBMITTED,
    condition: "s.version_uuid = above.uuid",
    order: &[HANDED_IN.descending(), ID.descending()],
};

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct SubmissionFilter {
    state: Option<Vec<SubmissionState>>,
    mine: Option<bool>,
    reviewer_uuid: Option<Uuid>,
    partner_uuid: Option<Uuid>,
    app_uuid: Option<Uuid>,
    appeal: Option<bool>,
    waiting_on: Option<WaitingOn>,
    new_permissions: Option<bool>,
    due_at_until: Option<Time>,
    submitted_at_from: Option<Time>,
    submitted_at_until: Option<Time>,
}

/// Parameters of the list of submissions.
#[derive(Debug, Serialize)]
pub(super) struct SubmissionQuery {
    /// Caller, if the filter depends on it.
    asked_by: Option<Uuid>,
    filter: SubmissionFilter,
}

impl SubmissionQuery {
    /// Builds the parameters for a staff member.
    pub(super) fn new(me: Uuid, filter: SubmissionFilter) -> Self {
        Self { asked_by: filter.mine.map(|_| me), filter }
    }

    /// Returns the caller if the filter selects only their submissions, or only submissions of other reviewers.
    fn asking_reviewer(&self, mine: bool) -> Option<SqlValue> {
        self.asked_by.filter(|_| self.filter.mine == Some(mine)).map(SqlValue::from)
    }

    /// Returns the class of the state filter. An index in the orders of the list exists for one state, for the waiting
    /// states, and for all states. So the many decided submissions cost nothing.
    fn states(&self) -> States {
        use SubmissionState::{InReview, Submitted};
        match self.filter.state.as_deref().unwrap_or_default() {
            [] => States::All,
            [state] => States::One(*state),
            [Submitted, InReview] | [InReview, Submitted] => States::Waiting,
            _ => States::Several,
        }
    }
}

/// Classes of state filters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum States {
    All,
    One(SubmissionState),
    Waiting,
    Several,
}

words! {
    /// Orders of submissions.
    pub(crate) enum SubmissionSort {
        /// By position in the queue. A resubmission keeps the position of the former submission.
        QueuedAt = "QUEUED_AT",
        /// Oldest submission first.
        SubmittedAt = "SUBMITTED_AT",
        /// Newest first.
        SubmittedAtDesc = "SUBMITTED_AT_DESC",
    }
}

/// The list of submissions.
pub(super) static SUBMISSIONS: ListQuery<SubmissionQuery, SubmissionRow, SubmissionSort> = ListQuery {
    operation: "marketplace_submissions_list",
    select: &SUBMITTED,
    within: &[],
    conditions: &[
        Condition {
            sql: "s.state = {}",
            value: |of| match of.states() {
                States::One(state) => Some(state.name().into()),
                _ => None,
            },
        },
        Condition {
            sql: "s.state in ('SUBMITTED', 'IN_REVIEW')",
            value: |of| (of.states() == States::Waiting).then_some(SqlValue::Nothing),
        },
        Condition {
            sql: "s.state = any({})",
            value: |of| match of.states() {
                States::Several => SqlValue::words(of.filter.state.as_ref()),
                _ => None,
            },
        },
        Condition { sql: "s.reviewer_uuid = {}", value: |of| of.asking_reviewer(true) },
        Condition { sql: "s.reviewer_uuid is distinct from {}", value: |of| of.asking_reviewer(false) },
        Condition { sql: "s.reviewer_uuid = {}", value: |of| of.filter.reviewer_uuid.map(SqlValue::from) },
        Condition { sql: "s.partner_uuid = {}", value: |of| of.filter.partner_uuid.map(SqlValue::from) },
        Condition { sql: "s.app_uuid = {}", value: |of| of.filter.app_uuid.map(SqlValue::from) },
        Condition { sql: "s.appeal = {}", value: |of| of.filter.appeal.map(SqlValue::from) },
        Condition { sql: "s.waiting_on = {}", value: |of| of.filter.waiting_on.map(|side| side.name().into()) },
        Condition { sql: "s.asks_more = {}", value: |of| of.filter.new_permissions.map(SqlValue::from) },
        Condition {
            sql: "s.waiting_on = 'REVIEWERS' and s.due_at < {}",
            value: |of| of.filter.due_at_until.map(SqlValue::from),
        },
        Condition { sql: "s.submitted_at >= {}", value: |of| of.filter.submitted_at_from.map(SqlValue::from) },
        Condition { sql: "s.submitted_at < {}", value: |of| of.filter.submitted_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        SubmissionSort::QueuedAt => const { &[QUEUED, ID] },
        SubmissionSort::SubmittedAt => const { &[HANDED_IN, ID] },
        SubmissionSort::SubmittedAtDesc => const { &[HANDED_IN.descending(), ID.descending()] },
    },
};

/// Media of each submission, as submitted: icon, banner, then screenshots in order.
pub static PICTURES_OF_EACH: EdgeQuery<SubmittedPicture> = EdgeQuery {
    operation: "marketplace_submissions_get",
    argument: "submission_uuid",
    select: &Select::new(
        "picture.ordinal, m.media_uuid as uuid, m.kind, (picture.of ->> 'position')::integer as position,
         nullif(picture.of ->> 'alt_text', '') as alt_text, nullif(picture.of ->> 'caption', '') as caption, m.media_type,
         m.width, m.height",
        "submission as s
         cross join jsonb_array_elements(s.snapshot -> 'media') with ordinality as picture (of, ordinal)
         cross join lateral (
             select * from media as kept where kept.media_uuid = (picture.of ->> 'media_uuid')::uuid limit 1) as m",
    ),
    condition: "s.submission_uuid = above.uuid",
    order: &[Key::whole("picture.ordinal", |picture| json!(picture.ordinal))],
};

const ID: Key<SubmissionRow> = Key::id("s.submission_uuid", |row| json!(row.submission_uuid));
const QUEUED: Key<SubmissionRow> = Key::moment("s.queued_at", |row| json!(row.queued_at));
const HANDED_IN: Key<SubmissionRow> = Key::moment("s.submitted_at", |row| json!(row.submitted_at));

/// SQL statements of submissions that are assembled at run time, so the compiler does not check them.
pub(crate) static STATEMENTS: [&dyn Statements; 6] =
    [&SUBMISSIONS, &BY_ID, &SUBMISSION, &SUBMISSIONS_OF_EACH, &PICTURES_OF_EACH, &super::thread::MESSAGES];
