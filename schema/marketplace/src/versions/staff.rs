//! Versions for staff, for any owner.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::{FixedOrder, PageRequest, Rows};
use labs_core::page::{CountedList, CountedPage};
use uuid::Uuid;

use super::list::{ANYBODYS, AppVersionFilter, VERSIONS_OF_APP, VersionsOfApp};
use super::resolvers::{AppVersion, show_versions};

/// Returns a page of an app's versions.
///
/// # Errors
/// [`labs_core::Code::InvalidCursor`] for a cursor of another list.
pub(crate) async fn page_for_staff(
    cx: &RequestContext,
    app_uuid: Uuid,
    filter: AppVersionFilter,
    request: &PageRequest<FixedOrder>,
    include_total: Option<bool>,
) -> Result<CountedList<AppVersion>, Fault> {
    let of = VersionsOfApp { app_uuid, filter };
    let Rows { rows, page } = VERSIONS_OF_APP.page(cx, &of, request).await?;
    let total = VERSIONS_OF_APP.total(&cx.db, &of, include_total).await?;
    Ok(CountedList { data: show_versions(cx, rows).await?, page: CountedPage::of(page, total) })
}

/// Loads one version of an app.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if the app does not have the version.
pub(crate) async fn load_for_staff(
    cx: &RequestContext,
    app_uuid: Uuid,
    version_uuid: Uuid,
) -> Result<AppVersion, Fault> {
    let missing = || Fault::not_found("version");
    let row = ANYBODYS.fetch_one(&cx.db, [app_uuid.into(), version_uuid.into()]).await?.ok_or_else(missing)?;
    show_versions(cx, vec![row]).await?.pop().ok_or_else(missing)
}
