//! Operations on data exports.

use futures_util::{StreamExt as _, TryStreamExt as _};
use labs_core::actor::Actor;
use labs_core::context::{Download, RequestContext};
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::principal::PrincipalType;
use labs_core::time::Time;
use labs_media::store::archive::ArchiveName;
use uuid::Uuid;

use super::list::{ANY, DataExportFilter, EXPORTS, ExportRow, ExportsOf};
use super::rules::{self, DataExportState};
use super::store::{self, NewExport};
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::partner::own::ensure_own;

/// An archive of all data of a partner.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub struct DataExport {
    /// UUID of the object.
    uuid: Uuid,
    /// State of the data export.
    state: DataExportState,
    /// Progress of the data export.
    progress_percent: i32,
    /// Kind of the principal that requested the data export. `STAFF_USER` at the partner's written request.
    requested_by: PrincipalType,
    /// UUID of the team member or machine client that requested the data export. Null if staff requested it.
    requested_by_uuid: Option<Uuid>,
    /// Reason why staff requested the data export. Null otherwise.
    reason: Option<String>,
    /// Size of the archive, in bytes. Null until the archive is complete.
    size_bytes: Option<i64>,
    /// Whether the archive can be downloaded now.
    is_available: bool,
    /// Time when the data export was requested.
    created_at: Time,
    /// Time when the data export started.
    started_at: Option<Time>,
    /// Time when the data export was completed or abandoned.
    ended_at: Option<Time>,
    /// Time until which the archive can be downloaded, seven days after its completion. The data export stays in the
    /// list.
    expires_at: Option<Time>,
}

/// Operations of this file.
pub(in crate::partner) const OPERATIONS: &[Operation] =
    operations![partner_data_exports_list, partner_data_exports_download, partner_data_exports_create];

/// List data exports.
#[operation(query, access = "partner")]
async fn partner_data_exports_list(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<DataExportFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<DataExport>, Fault> {
    let partner_uuid = ensure_own(cx, partner_uuid)?.uuid();
    let exports = ExportsOf { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = EXPORTS.page(cx, &exports, &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.map(|row| Ok(row.into()))?.list())
}

/// Download a data export.
#[operation(query, access = "partner", answers_file)]
async fn partner_data_exports_download(
    cx: &RequestContext,
    partner_uuid: Uuid,
    export_uuid: Uuid,
) -> Result<bool, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    let row = store::get_archive(&cx.db, owner, export_uuid).await?;
    let row = row.ok_or_else(|| Fault::not_found("data export"))?;
    let principal = cx.principal()?;
    rules::ensure_readable(principal.role, principal.scopes, &rules::required_scopes())?;
    rules::ensure_downloadable(row.state, row.is_kept)?;
    let lost = || Fault::internal(format!("the data export {export_uuid} has no object"));
    let name = row.object_secret.as_deref().and_then(ArchiveName::from_name).ok_or_else(lost)?;
    cx.db.release().await;
    let object = cx.services.media.get_archive(name).await?.ok_or_else(lost)?;
    note(cx, partner_uuid, PartnerEventKind::DataExportDownloaded, export_uuid, None).await?;
    let day = row.made_at.map(|made_at| made_at.to_string().chars().take(10).collect::<String>());
    cx.deliver(Download {
        media_type: "application/zip".to_owned(),
        length: Some(object.size),
        etag: None,
        sha256: row.sha256,
        file_name: format!("labs-{}-{}.zip", row.slug, day.unwrap_or_default()),
        chain_head: None,
        stream: object.stream.map_err(std::io::Error::other).boxed(),
    });
    Ok(true)
}

/// Create a data export.
#[operation(mutation, access = "partner:write")]
async fn partner_data_exports_create(cx: &RequestContext, partner_uuid: Uuid) -> Result<DataExport, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    rules::ensure_daily_limit(store::count_of_day(&cx.db, owner).await?)?;
    Ok(request(cx, owner.uuid(), None).await?.into())
}

/// Queues a data export for a partner's team, or for staff with their reason.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if the partner does not exist, [`labs_core::Code::Conflict`] if no user of the partner
/// could download the export, and while another export of the partner is queued or running.
pub async fn request(cx: &RequestContext, partner_uuid: Uuid, reason: Option<&str>) -> Result<ExportRow, Fault> {
    let state = store::lock_partner_state(&cx.db, partner_uuid).await?;
    rules::ensure_fetchable(&state.ok_or_else(|| Fault::not_found("partner"))?)?;
    let actor = Actor::of(cx.principal()?);
    let new = NewExport { export_uuid: cx.new_uuid(), partner_uuid, actor, reason };
    if !store::insert(&cx.db, &new).await? {
        return Err(Fault::conflict(
            "An archive is already being created. The list of data exports shows its progress.",
        ));
    }
    note(cx, partner_uuid, PartnerEventKind::DataExportRequested, new.export_uuid, reason).await?;
    let row = ANY.fetch_one(&cx.db, [new.export_uuid.into()]).await?;
    row.ok_or_else(|| Fault::internal("a data export cannot be found after it was written"))
}

async fn note(
    cx: &RequestContext,
    partner_uuid: Uuid,
    kind: PartnerEventKind,
    export_uuid: Uuid,
    reason: Option<&str>,
) -> Result<(), Fault> {
    let event = PartnerEvent::by_caller(cx, partner_uuid, kind)?.with_subject(export_uuid).with_reason(reason);
    events::insert(&cx.db, &event).await
}

impl From<ExportRow> for DataExport {
    fn from(row: ExportRow) -> Self {
        let (state, requested_by) = (row.state, row.requested_by_kind);
        Self {
            uuid: row.export_uuid,
            state,
            progress_percent: rules::percent(state, row.steps_done, row.steps_total),
            requested_by,
            requested_by_uuid: Some(row.requested_by).filter(|_| requested_by != PrincipalType::StaffUser),
            reason: row.reason,
            size_bytes: row.size_bytes,
            is_available: row.is_kept,
            created_at: row.created_at,
            started_at: row.started_at,
            ended_at: row.ended_at,
            expires_at: row.expires_at,
        }
    }
}
