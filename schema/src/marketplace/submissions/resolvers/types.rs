//! Submissions as staff see them.

use async_graphql::{ComplexObject, Context, InputObject, SimpleObject};
use uuid::Uuid;

use crate::core::access::{access, edge};
use crate::core::context::RequestContextExt;
use crate::core::fault::Fault;
use crate::core::time::Time;
use crate::marketplace::apps::{self, App};
use crate::marketplace::checklist::AppChecklist;
use crate::marketplace::publication::{ListingSnapshot, SubmissionDifference};
use crate::marketplace::submissions::list::SubmissionRow;
use crate::marketplace::submissions::rules::SubmissionState;
use crate::marketplace::submissions::store::{FindingRow, Standing};

/// A member of staff who reviews.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Reviewer {
    /// The person.
    uuid: Uuid,
    /// The person's name; partners never see it.
    name: String,
}

/// One handing in of a version, as the queue shows it.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct Submission {
    /// Its id.
    pub(in crate::marketplace::submissions) uuid: Uuid,
    /// The app.
    pub(in crate::marketplace::submissions) app_uuid: Uuid,
    /// The name in the app's default locale as it was submitted.
    pub(in crate::marketplace::submissions) app_name: String,
    /// The partner.
    pub(in crate::marketplace::submissions) partner_uuid: Uuid,
    /// The company that owns the app.
    partner_name: String,
    /// The version handed in.
    version_uuid: Uuid,
    /// Its number.
    pub(in crate::marketplace::submissions) version_number: String,
    /// Where it is.
    state: SubmissionState,
    /// Whether it appeals against a rejection; whoever rejected the version cannot claim it.
    appeal: bool,
    /// When it was handed in.
    submitted_at: Time,
    /// The person or program that handed it in; null when that is no longer known.
    submitted_by_uuid: Option<Uuid>,
    /// Who has claimed it, or who decided it; null while it waits.
    reviewer: Option<Reviewer>,
    /// When the reviewer took it.
    claimed_at: Option<Time>,
    /// When it was decided or withdrawn.
    decided_at: Option<Time>,
    /// Seconds from its handing in until the decision, or until now.
    age_seconds: i32,
    /// The date the partner is shown; null when decided, or when too few were decided lately to tell.
    expected_at: Option<Time>,
}

#[ComplexObject(rename_fields = "snake_case")]
impl Submission {
    /// The app as its owner has it now; what was handed in may be older.
    #[graphql(directive = access::apply("labs.admin.apps".into()), directive = edge::apply())]
    async fn app(&self, ctx: &Context<'_>) -> Result<App, Fault> {
        apps::load(ctx.cx(), self.app_uuid).await
    }
}

/// A submission with everything a reviewer weighs.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubmissionDetail {
    #[graphql(flatten)]
    #[serde(flatten)]
    pub(in crate::marketplace::submissions) submission: Submission,
    /// What the partner wrote to the reviewers.
    pub(in crate::marketplace::submissions) note: Option<String>,
    /// Why the partner holds the rejection to be wrong; null when it is no appeal.
    pub(in crate::marketplace::submissions) appeal_text: Option<String>,
    /// What was written to the partner with the decision.
    pub(in crate::marketplace::submissions) decision_note: Option<String>,
    /// What is to go live, as it stood when it was handed in.
    pub(in crate::marketplace::submissions) submitted: ListingSnapshot,
    /// What readers see now; null when the app was never published.
    pub(in crate::marketplace::submissions) live: Option<ListingSnapshot>,
    /// Every place in which the two differ. With nothing live, every place of what is submitted.
    pub(in crate::marketplace::submissions) differences: Vec<SubmissionDifference>,
    /// What this and earlier reviews of the version found, the open ones first.
    pub(in crate::marketplace::submissions) findings: Vec<ReviewFinding>,
    /// The requirements held against what is submitted.
    pub(in crate::marketplace::submissions) checklist: AppChecklist,
}

/// Something a reviewer found, tied to a numbered requirement.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ReviewFinding {
    /// Its id.
    uuid: Uuid,
    /// The listing requirement.
    requirement_code: String,
    /// What is wrong and what would mend it.
    text: String,
    /// Whether it is mended.
    resolved: bool,
}

/// A word with an approval.
#[derive(InputObject, Default)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubmissionApprove {
    pub(in crate::marketplace::submissions) note: Option<String>,
}

/// What must be mended before a version can be approved.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubmissionRequestChanges {
    pub(in crate::marketplace::submissions) findings: Vec<FindingInput>,
    pub(in crate::marketplace::submissions) note: Option<String>,
}

/// One thing to mend.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct FindingInput {
    pub(in crate::marketplace::submissions) requirement_code: String,
    pub(in crate::marketplace::submissions) text: String,
}

impl Submission {
    /// A row as it is shown.
    pub(in crate::marketplace::submissions) fn of(row: SubmissionRow, standing: Option<&Standing>) -> Self {
        let reviewer = row.reviewer_uuid.zip(row.reviewer_name).map(|(uuid, name)| Reviewer { uuid, name });
        Self {
            uuid: row.submission_uuid,
            app_uuid: row.app_uuid,
            app_name: row.app_name,
            partner_uuid: row.partner_uuid,
            partner_name: row.partner_name,
            version_uuid: row.version_uuid,
            version_number: row.version_number,
            state: row.state,
            appeal: row.appeal,
            submitted_at: row.submitted_at,
            submitted_by_uuid: row.submitted_by,
            reviewer,
            claimed_at: row.claimed_at,
            decided_at: row.decided_at,
            age_seconds: row.age_seconds,
            expected_at: standing.and_then(|standing| standing.expected_at),
        }
    }
}

impl From<FindingRow> for ReviewFinding {
    fn from(row: FindingRow) -> Self {
        let FindingRow { finding_uuid, requirement_code, text, resolved } = row;
        Self { uuid: finding_uuid, requirement_code, text, resolved }
    }
}
