//! What may be asked of the checklist.

use async_graphql::{Context, Object, SimpleObject};
use uuid::Uuid;

use super::rules::{self, Facts, Verdict};
use super::store::{self, RequirementRow};
use crate::core::access::access;
use crate::core::context::{RequestContext, RequestContextExt};
use crate::core::fault::{Fault, FieldError};
use crate::marketplace::publication::Snapshot;

/// How far an app is from being submitted, requirement by requirement.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppChecklist {
    /// Whether nothing that blocks is open.
    ready: bool,
    /// The version that was looked at.
    version_uuid: Option<Uuid>,
    /// Every requirement, ordered by number.
    items: Vec<ChecklistItem>,
    /// What keeps the partner from submitting any app.
    blockers_of_account: Vec<AccountBlocker>,
}

/// A requirement and its status for the app.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ChecklistItem {
    /// Its number.
    code: String,
    /// Short title of the requirement.
    title: String,
    /// What exactly is asked for.
    description: String,
    /// Whether it is met; null when only a reviewer can tell.
    met: Option<bool>,
    /// Whether the service checks it.
    automatic: bool,
    /// Whether a submission is rejected while the requirement is not met.
    blocker: bool,
    /// What is missing and where to mend it.
    detail: Option<String>,
    /// Open finding of the last review for this requirement.
    finding: Option<String>,
}

/// A condition of the partner's account, not of the app, that prevents submission.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AccountBlocker {
    /// Names the hindrance.
    code: &'static str,
    /// Action that resolves the condition.
    detail: &'static str,
}

/// Reads of the checklist.
#[derive(Default)]
pub(crate) struct ChecklistQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ChecklistQuery {
    /// Get an app's checklist.
    #[graphql(directive = access::apply("marketplace.apps".into()))]
    async fn marketplace_apps_get_checklist(
        &self,
        ctx: &Context<'_>,
        app_uuid: Uuid,
    ) -> Result<Option<AppChecklist>, Fault> {
        let cx = ctx.cx();
        if !store::is_owned(&cx.db, cx.owner()?, app_uuid).await? {
            return Err(Fault::not_found("app"));
        }
        let facts = store::facts_get(&cx.db, app_uuid, None).await?.ok_or_else(|| Fault::not_found("app"))?;
        cx.answer(checklist(cx, &facts).await?)
    }
}

/// Something that a submission is refused for.
#[derive(Clone, Debug)]
pub(in crate::marketplace) struct OpenItem {
    /// A requirement's number, or what of the account stands in the way.
    pub(in crate::marketplace) code: String,
    /// What to do about it.
    pub(in crate::marketplace) detail: String,
    /// Where it is mended, in what the version would show; empty for what is not of the app.
    pub(in crate::marketplace) pointer: &'static str,
}

impl From<OpenItem> for FieldError {
    fn from(item: OpenItem) -> Self {
        Self::at(item.pointer, item.code, item.detail)
    }
}

/// What keeps this version of an app from being submitted: the checked requirements that block and are not met, then
/// what of the account stands in the way. Without a version it is the newest that is not yet published. The caller has
/// seen to it that the app is the partner's, and holds it.
///
/// # Errors
/// [`crate::Code::NotFound`] when there is no such app.
pub(in crate::marketplace) async fn open_items(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Option<Uuid>,
) -> Result<Vec<OpenItem>, Fault> {
    let facts = store::facts_get(&cx.db, app_uuid, version_uuid).await?.ok_or_else(|| Fault::not_found("app"))?;
    let mut open = Vec::new();
    for row in store::requirement_get_all(&cx.db, None).await? {
        let verdict = rules::check_requirement(&row.code, &facts);
        if let Some(detail) = verdict.detail.filter(|_| verdict.is_blocker && row.code != rules::ACCOUNT) {
            open.push(OpenItem { code: row.code, detail, pointer: verdict.pointer });
        }
    }
    open.extend(rules::hindrances(&facts.account).into_iter().map(|hindrance| OpenItem {
        code: hindrance.code.to_owned(),
        detail: hindrance.detail.to_owned(),
        pointer: "",
    }));
    Ok(open)
}

/// The checklist of what was handed in, for staff. What the account is like, and whether its category is still shown,
/// is looked up.
///
/// # Errors
/// When the database is away.
pub(in crate::marketplace) async fn check_submitted(
    cx: &RequestContext,
    partner_uuid: Uuid,
    snapshot: &Snapshot,
) -> Result<AppChecklist, Fault> {
    let mut facts = Facts::from(snapshot);
    facts.account = store::account_get(&cx.db, partner_uuid).await?;
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
    let hindrances = rules::hindrances(&facts.account).into_iter();
    let blockers_of_account: Vec<AccountBlocker> =
        hindrances.map(|hindrance| AccountBlocker { code: hindrance.code, detail: hindrance.detail }).collect();
    let ready = blockers_of_account.is_empty() && !items.iter().any(|item| item.blocker && item.met == Some(false));
    Ok(AppChecklist { ready, version_uuid, items, blockers_of_account })
}

/// Longest finding that an answer shows, in letters.
const LONGEST_FINDING: usize = 2_000;

/// A finding of a requirement that the service checks is mended once it is met.
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
