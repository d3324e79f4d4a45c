//! What staff may ask of archives.

use async_graphql::{Context, Object, SimpleObject};
use uuid::Uuid;

use crate::access::{access, audit_partner};
use crate::admin::reason::Reason;
use crate::ask::{Ask, Asking, Target};
use crate::fault::Fault;
use crate::page::{CountedList, CountedPage, Window, names};
use crate::partner::data_exports::{self, DataExport, ExportRow, ExportState};

/// An archive as staff see it.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct StaffDataExport {
    /// What its partner sees of it.
    #[graphql(flatten)]
    #[serde(flatten)]
    export: DataExport,
    /// Who asked for it, staff included.
    asked_by_uuid: Uuid,
    /// Runs that took it up.
    attempts: i32,
    /// Why the last run failed.
    error: Option<String>,
}

/// Reads of archives.
#[derive(Default)]
pub(crate) struct StaffDataExportsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl StaffDataExportsQuery {
    /// The archives of a partner, with their states and progress.
    #[graphql(
        directive = access::apply("labs.admin.partners".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_data_exports_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        state: Option<Vec<ExportState>>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<StaffDataExport>>, Fault> {
        let (ask, list, states) = (ctx.ask(), "admin_data_exports_list", names(state));
        note(ask, None, partner_uuid);
        let bound = (partner_uuid, &states);
        let window = Window::read(&ask.services.cursors, list, &bound, limit, cursor.as_deref())?;
        let count = data_exports::count(&ask.db, partner_uuid, states.as_deref()).await?;
        let count = count.ok_or_else(|| Fault::not_found("partner"))?;
        let (rows, page) = data_exports::page(ask, partner_uuid, states.as_deref(), &window).await?;
        let data = rows.into_iter().map(StaffDataExport::try_from).collect::<Result<_, _>>()?;
        let total = include_total.unwrap_or_default().then_some(count);
        ask.answer_list(CountedList { data, page: CountedPage::of(page, total) })
    }
}

/// Writes of archives.
#[derive(Default)]
pub(crate) struct StaffDataExportsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl StaffDataExportsMutation {
    /// Asks for an archive on a partner's written request. Its team downloads it, and reads the reason.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_data_exports_create(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<StaffDataExport>, Fault> {
        let ask = ctx.ask();
        note(ask, None, partner_uuid);
        let reason = body.note(ask);
        let row = data_exports::request(ask, partner_uuid, Some(&reason)).await?;
        note(ask, Some(row.export_uuid), partner_uuid);
        ask.answer(row.try_into()?)
    }
}

fn note(ask: &Ask, export_uuid: Option<Uuid>, partner_uuid: Uuid) {
    let kind = if export_uuid.is_some() { "DATA_EXPORT" } else { "PARTNER" };
    let uuid = export_uuid.or(Some(partner_uuid));
    ask.note_target(Target { kind: Some(kind.to_owned()), uuid, label: None, partner_uuid: Some(partner_uuid) });
}

impl TryFrom<ExportRow> for StaffDataExport {
    type Error = Fault;

    fn try_from(row: ExportRow) -> Result<Self, Fault> {
        let (asked_by_uuid, attempts, error) = (row.requested_by, row.attempts, row.error.clone());
        Ok(Self { export: row.try_into()?, asked_by_uuid, attempts, error })
    }
}
