//! Resolvers of the checklist.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::{Fault, FieldError};
use labs_core::operation::{Operation, operation, operations};
use uuid::Uuid;

use super::rules::{self, Facts, Verdict};
use super::store::{self, RequirementRow};
use crate::release::Snapshot;

/// Progress of the app towards submission, by requirement.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct AppChecklist {
    /// Whether nothing known to the checklist prevents submission: every blocking item is met, and
    /// `blockers_of_account` is empty. The checklist does not cover the version's own state, another version with the
    /// reviewers, or an archived app. The submit operation reports those.
    ready: bool,
    /// UUID of the checked version, the newest unpublished one. Null if the app has no unpublished version.
    version_uuid: Option<Uuid>,
    /// Every requirement, ordered by number.
    items: Vec<ChecklistItem>,
    /// Conditions of the account that prevent the partner from submitting any app. Empty if no such condition exists.
    blockers_of_account: Vec<AccountBlocker>,
}

/// A requirement and its status for the app.
#[derive(serde::Serialize, OutputType)]
pub(super) struct ChecklistItem {
    /// Number of the requirement.
    code: String,
    /// Short title of the requirement.
    title: String,
    /// Exact requirement and its reason.
    description: String,
    /// Whether the requirement is met. Null if only a reviewer can decide.
    met: Option<bool>,
    /// Whether the service checks the requirement. Otherwise reviewers judge it.
    automatic: bool,
    /// Whether a submission is rejected while the requirement is not met.
    blocker: bool,
    /// Missing element and where to fix it, if the requirement is not met.
    detail: Option<String>,
    /// Open finding of the last review for this requirement.
    finding: Option<String>,
}

/// A condition of the partner's account, not of the app, that prevents submission.
#[derive(serde::Serialize, OutputType)]
pub(super) struct AccountBlocker {
    /// Code of the condition. Codes may be added. Treat an unknown code as a condition that prevents submission.
    code: &'static str,
    /// Action that resolves the condition.
    detail: &'static str,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![marketplace_apps_get_checklist];

/// Get an app's checklist.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_apps_get_checklist(cx: &RequestContext, app_uuid: Uuid) -> Result<AppChecklist, Fault> {
    if !store::is_owned(&cx.db, cx.owner()?, app_uuid).await? {
        return Err(Fault::not_found("app"));
    }
    let facts = store::get_facts(&cx.db, app_uuid, None).await?.ok_or_else(|| Fault::not_found("app"))?;
    checklist(cx, &facts).await
}

/// Reason that prevents a submission.
#[derive(Clone, Debug)]
pub(crate) struct OpenItem {
    /// Number of a requirement, or code of an account condition.
    pub(crate) code: String,
    /// Action that resolves it.
    pub(crate) detail: String,
    /// JSON pointer to the place in the listing content where it is fixed; empty for an account condition.
    pub(crate) pointer: &'static str,
}

impl From<OpenItem> for FieldError {
    fn from(item: OpenItem) -> Self {
        Self::at(item.pointer, item.code, item.detail)
    }
}

/// Returns the reasons that prevent the submission of this version: blocking checked requirements that are not met,
/// then account conditions. Without a version, it checks the newest unpublished one. The caller has already checked the
/// ownership and locked the app.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if the app does not exist.
pub(crate) async fn open_items(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Option<Uuid>,
) -> Result<Vec<OpenItem>, Fault> {
    let facts = store::get_facts(&cx.db, app_uuid, version_uuid).await?.ok_or_else(|| Fault::not_found("app"))?;
    let mut open = Vec::new();
    for row in store::requirement_get_all(&cx.db, None).await? {
        let verdict = rules::check_requirement(&row.code, &facts);
        if let Some(detail) = verdict.detail.filter(|_| verdict.is_blocker && row.code != rules::ACCOUNT) {
            open.push(OpenItem { code: row.code, detail, pointer: verdict.pointer });
        }
    }
    open.extend(rules::find_blockers(&facts.account).into_iter().map(|hindrance| OpenItem {
        code: hindrance.code.to_owned(),
        detail: hindrance.detail.to_owned(),
        pointer: "",
    }));
    Ok(open)
}

/// Returns the checklist of a submission, for staff. The account's state and the visibility of the category are read
/// from the current data.
///
/// # Errors
/// If the database does not answer.
pub(crate) async fn check_submitted(
    cx: &RequestContext,
    partner_uuid: Uuid,
    snapshot: &Snapshot,
) -> Result<AppChecklist, Fault> {
    let mut facts = Facts::from(snapshot);
    facts.account = store::get_account(&cx.db, partner_uuid).await?;
    if let Some(primary) = snapshot.categories.first() {
        facts.primary_category_shown = Some(store::category_is_shown(&cx.db, *primary).await?);
    }
    checklist(cx, &facts).await
}

async fn checklist(cx: &RequestContext, facts: &Facts) -> Result<AppChecklist, Fault> {
    let version_uuid = facts.version.as_ref().map(|version| version.version_uuid);
    let requirements = store::requirement_get_all(&cx.db, version_uuid).await?;
    let items: Vec<ChecklistItem> = requirements
        .into_iter()
        .map(|row| (rules::check_requirement(&row.code, facts), row))
        .map(|(verdict, row)| item(row, verdict))
        .collect();
    let hindrances = rules::find_blockers(&facts.account).into_iter();
    let blockers_of_account: Vec<AccountBlocker> =
        hindrances.map(|hindrance| AccountBlocker { code: hindrance.code, detail: hindrance.detail }).collect();
    let ready = blockers_of_account.is_empty() && !items.iter().any(|item| item.blocker && item.met == Some(false));
    Ok(AppChecklist { ready, version_uuid, items, blockers_of_account })
}

/// Maximum length of a finding in an answer, in characters.
const LONGEST_FINDING: usize = 2_000;

/// A finding of an automatic requirement is resolved once the requirement is met.
fn item(row: RequirementRow, verdict: Verdict) -> ChecklistItem {
    let finding = row.finding.filter(|_| verdict.is_met != Some(true));
    ChecklistItem {
        code: row.code,
        title: row.title,
        description: row.description,
        met: verdict.is_met,
        automatic: verdict.is_met.is_some(),
        blocker: verdict.is_blocker,
        detail: verdict.detail,
        finding: finding.map(|text| text.chars().take(LONGEST_FINDING).collect()),
    }
}
