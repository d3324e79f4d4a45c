//! Resolvers for staff operations on apps across partners.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use uuid::Uuid;

use super::list::{
    APPS_OF_ALL, APPS_OF_ONE, AdminAppFilter, AdminAppSort, AppOfPartnerFilter, AppsOfPartner, BY_ID, OwnedAppRow,
};
use crate::apps::events::{AppEvent, AppEventFilter, AppHistory, HISTORY_FOR_STAFF};
use crate::apps::resolvers::App;
use crate::apps::store;
use crate::release::{self, ListingSnapshot, SubmissionDifference};
use crate::versions::{self, AppVersion, AppVersionFilter};

/// An app with its owner. The texts are from the draft, in the default locale. `is_visible` states whether the listing
/// is visible on the storefront. `allowed_actions` lists the actions that reviewers can take on the listing.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub struct AdminApp {
    #[serde(flatten)]
    pub(crate) app: App,
    /// UUID of the partner that owns the app.
    pub(crate) partner_uuid: Uuid,
    /// Name of the partner that owns the app.
    partner_name: String,
    /// Whether the listing is visible on the storefront.
    is_visible: bool,
}

/// An app with its complete draft and its complete published listing.
#[derive(serde::Serialize, OutputType)]
pub(super) struct AdminAppDetail {
    #[serde(flatten)]
    app: AdminApp,
    /// Draft with the most recently created version. Null if the app has no draft.
    draft: Option<ListingSnapshot>,
    /// Most recently published snapshot. Null if the app was never published.
    live: Option<ListingSnapshot>,
    /// Every difference between `draft` and `live`. `submitted` contains the value of the draft. If nothing is
    /// published, this list contains every element of the draft.
    differences: Vec<SubmissionDifference>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    admin_apps_list,
    admin_apps_get,
    admin_apps_list_of_partner,
    admin_apps_list_versions,
    admin_apps_get_version,
    admin_apps_list_events,
];

/// List apps across partners.
#[operation(query, access = "labs.admin.apps", audit_partner = "partner_uuid")]
async fn admin_apps_list(
    cx: &RequestContext,
    filter: Option<AdminAppFilter>,
    sort: Option<AdminAppSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<AdminApp>, Fault> {
    let mut filter = filter.unwrap_or_default();
    if let Some(q) = &filter.q {
        filter.is_common_text = super::store::is_common_text(&cx.db, q).await?;
    }
    let rows = APPS_OF_ALL.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = APPS_OF_ALL.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(show(cx, row)))?.counted_list(total))
}

/// Get a partner's app.
#[operation(query, access = "labs.admin.apps", audit_target(App, "app_uuid"))]
async fn admin_apps_get(cx: &RequestContext, app_uuid: Uuid) -> Result<AdminAppDetail, Fault> {
    let row = load_app(cx, app_uuid).await?;
    let draft = match row.app.latest_uuid {
        Some(version_uuid) => release::get_draft(&cx.db, app_uuid, version_uuid).await?,
        None => None,
    };
    let app = show(cx, row);
    let Some(draft) = draft else {
        return Ok(AdminAppDetail { app, draft: None, live: None, differences: Vec::new() });
    };
    let sides = release::sides(&cx.db, app_uuid, draft).await?;
    let (draft, live, differences) = (Some(sides.submitted), sides.live, sides.differences);
    Ok(AdminAppDetail { app, draft, live, differences })
}

/// List a partner's apps.
#[operation(query, access = "labs.admin.apps", audit_partner = "partner_uuid")]
async fn admin_apps_list_of_partner(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<AppOfPartnerFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<AdminApp>, Fault> {
    let of = AppsOfPartner { partner_uuid, filter: filter.unwrap_or_default() };
    let found = APPS_OF_ONE.page(cx, &of, &PageRequest::new(None, limit, cursor)).await?;
    if found.rows.is_empty() && !store::partner_exists(&cx.db, partner_uuid).await? {
        return Err(Fault::not_found("partner"));
    }
    let total = APPS_OF_ONE.total(&cx.db, &of, include_total).await?;
    Ok(found.map(|row| Ok(show(cx, row)))?.counted_list(total))
}

/// List versions of a partner's app.
#[operation(query, access = "labs.admin.apps", audit_target(App, "app_uuid"))]
async fn admin_apps_list_versions(
    cx: &RequestContext,
    app_uuid: Uuid,
    filter: Option<AppVersionFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<AppVersion>, Fault> {
    load_app(cx, app_uuid).await?;
    let request = PageRequest::new(None, limit, cursor);
    versions::page_for_staff(cx, app_uuid, filter.unwrap_or_default(), &request, include_total).await
}

/// Get a version of a partner's app.
#[operation(query, access = "labs.admin.apps", audit_target(App, "app_uuid"))]
async fn admin_apps_get_version(cx: &RequestContext, app_uuid: Uuid, version_uuid: Uuid) -> Result<AppVersion, Fault> {
    load_app(cx, app_uuid).await?;
    versions::load_for_staff(cx, app_uuid, version_uuid).await
}

/// List events of a partner's app.
#[operation(query, access = "labs.admin.apps", audit_target(App, "app_uuid"))]
async fn admin_apps_list_events(
    cx: &RequestContext,
    app_uuid: Uuid,
    filter: Option<AppEventFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<AppEvent>, Fault> {
    load_app(cx, app_uuid).await?;
    let history = AppHistory { app_uuid, filter: filter.unwrap_or_default() };
    let rows = HISTORY_FOR_STAFF.page(cx, &history, &PageRequest::new(None, limit, cursor)).await?;
    let total = HISTORY_FOR_STAFF.total(&cx.db, &history, include_total).await?;
    Ok(rows.counted_list(total))
}

/// Loads the app and names it in the audit record.
pub(super) async fn load_app(cx: &RequestContext, app_uuid: Uuid) -> Result<OwnedAppRow, Fault> {
    let row = BY_ID.fetch_one(&cx.db, [app_uuid.into()]).await?.ok_or_else(|| Fault::not_found("app"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::App),
        uuid: Some(app_uuid),
        label: Some(row.app.name.clone()),
        partner_uuid: Some(row.partner_uuid),
    });
    Ok(row)
}

/// Converts a row to the form that staff see.
pub fn show(cx: &RequestContext, row: OwnedAppRow) -> AdminApp {
    let OwnedAppRow { app, partner_uuid, partner_name, is_visible } = row;
    let app = App::for_staff(app, cx.may("labs.admin.submissions:write"));
    AdminApp { app, partner_uuid, partner_name, is_visible }
}
