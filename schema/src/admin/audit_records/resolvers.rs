//! What may be asked about audit records, and by whom.

use async_graphql::{Context, Object};
use serde_json::json;
use uuid::Uuid;

use super::export;
use super::filter::{Filter, Order, Place, Span, Wanted};
use super::record::{AuditActorKind, AuditChannel, AuditOutcome, AuditRecord};
use super::store;
use super::store::summary::CountRow;
use super::summary::{self, Apart, AuditCount, AuditDimension};
use super::verification::{self, AuditVerification, AuditVerificationInput};
use crate::access::{access, answers_file, audit_partner, audit_target, batched};
use crate::ask::{Asking, Download};
use crate::fault::Fault;
use crate::page::{CountedList, CountedPage, Window};
use crate::seal;
use crate::time::Time;

/// Reads of the audit log.
#[derive(Default)]
pub(crate) struct AuditRecordsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl AuditRecordsQuery {
    /// Who did what to whom, when, and how it ended.
    #[graphql(
        directive = access::apply("labs.admin.audit".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn admin_audit_records_list(
        &self,
        ctx: &Context<'_>,
        actor_uuid: Option<Vec<Uuid>>,
        actor_kind: Option<Vec<AuditActorKind>>,
        operation: Option<Vec<String>>,
        outcome: Option<Vec<AuditOutcome>>,
        target_uuid: Option<Vec<Uuid>>,
        partner_uuid: Option<Vec<Uuid>>,
        request_id: Option<Vec<String>>,
        channel: Option<Vec<AuditChannel>>,
        recorded_at_from: Option<Time>,
        recorded_at_until: Option<Time>,
        sort: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<AuditRecord>>, Fault> {
        let ask = ctx.ask();
        let order = Order::read(sort.as_deref())?;
        let filter = Wanted {
            actor_uuid,
            actor_kind,
            operation,
            outcome,
            target_uuid,
            partner_uuid,
            request_id,
            channel,
            recorded_at_from,
            recorded_at_until,
        }
        .filter();
        let list = "admin_audit_records_list";
        let window = Window::read(&ask.services.cursors, list, &(&filter, order), limit, cursor.as_deref())?;
        let places = store::page(&ask.db, &filter, span(&filter, order, &window)?).await?;
        let (places, page) = window.cut(places, |place| vec![json!(place.recorded_at), json!(place.record_uuid)]);
        let rows = store::get(&ask.db, &uuids(&places)).await?;
        let data = rows.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        let total = match include_total {
            Some(true) => Some(store::count(&ask.db, &filter).await?),
            _ => None,
        };
        ask.answer_list(CountedList { data, page: CountedPage::of(page, total) })
    }

    /// One record with its difference.
    #[graphql(
        directive = access::apply("labs.admin.audit".into()),
        directive = audit_target::apply("record".into(), "record_uuid".into()),
        directive = batched::apply()
    )]
    async fn admin_audit_records_get(
        &self,
        ctx: &Context<'_>,
        record_uuid: Uuid,
    ) -> Result<Option<AuditRecord>, Fault> {
        let found = store::get(&ctx.ask().db, &[record_uuid]).await?;
        ctx.ask().answer(found.into_iter().next().ok_or_else(|| Fault::not_found("audit record"))?.try_into()?)
    }

    /// How many calls there were, by actor, operation, outcome and day.
    #[graphql(
        directive = access::apply("labs.admin.audit".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn admin_audit_records_summarise(
        &self,
        ctx: &Context<'_>,
        by: Option<Vec<AuditDimension>>,
        actor_uuid: Option<Vec<Uuid>>,
        actor_kind: Option<Vec<AuditActorKind>>,
        operation: Option<Vec<String>>,
        outcome: Option<Vec<AuditOutcome>>,
        target_uuid: Option<Vec<Uuid>>,
        partner_uuid: Option<Vec<Uuid>>,
        request_id: Option<Vec<String>>,
        channel: Option<Vec<AuditChannel>>,
        recorded_at_from: Option<Time>,
        recorded_at_until: Option<Time>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<AuditCount>>, Fault> {
        let (ask, list) = (ctx.ask(), "admin_audit_records_summarise");
        let wanted = Wanted {
            actor_uuid,
            actor_kind,
            operation,
            outcome,
            target_uuid,
            partner_uuid,
            request_id,
            channel,
            recorded_at_from,
            recorded_at_until,
        };
        let (asked, apart) = (wanted.filter(), Apart::read(by.as_deref()));
        let window = Window::read(&ask.services.cursors, list, &(&asked, apart), limit, cursor.as_deref())?;
        let filter = summary::bounded(asked, recorded_at_from.is_some(), ask.now)?;
        let rows = store::summary::page(&ask.db, &filter, apart, &window).await?;
        let total = match include_total {
            Some(true) => Some(store::summary::count(&ask.db, &filter, apart).await?),
            _ => None,
        };
        let (rows, page) = window.cut(rows, CountRow::keys);
        let data = rows.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        ask.answer_list(CountedList { data, page: CountedPage::of(page, total) })
    }

    /// Recomputes the hash chain over a range, and names the first break.
    #[graphql(directive = access::apply("labs.admin.audit".into()))]
    async fn admin_audit_records_verify(
        &self,
        ctx: &Context<'_>,
        body: Option<AuditVerificationInput>,
    ) -> Result<Option<AuditVerification>, Fault> {
        ctx.ask().answer(verification::verify(&ctx.ask().db, &body.unwrap_or_default()).await?)
    }

    /// The same list as newline-delimited JSON, streamed. It leaves beside the answer, after the export's own record
    /// is committed; what was recorded since the export began is not in it, nor what was since the oldest call began
    /// that has yet to end.
    #[graphql(
        directive = access::apply("labs.admin.audit".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = answers_file::apply(),
        visible = false
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn admin_audit_records_export(
        &self,
        ctx: &Context<'_>,
        actor_uuid: Option<Vec<Uuid>>,
        actor_kind: Option<Vec<AuditActorKind>>,
        operation: Option<Vec<String>>,
        outcome: Option<Vec<AuditOutcome>>,
        target_uuid: Option<Vec<Uuid>>,
        partner_uuid: Option<Vec<Uuid>>,
        request_id: Option<Vec<String>>,
        channel: Option<Vec<AuditChannel>>,
        recorded_at_from: Option<Time>,
        recorded_at_until: Option<Time>,
        sort: Option<String>,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        let order = Order::read(sort.as_deref())?;
        let mut filter = Wanted {
            actor_uuid,
            actor_kind,
            operation,
            outcome,
            target_uuid,
            partner_uuid,
            request_id,
            channel,
            recorded_at_from,
            recorded_at_until,
        }
        .filter();
        let wanted = filter.until.min(store::now(&ask.db).await?);
        filter.until = store::settled(&ask.db, wanted).await?;
        let chain_head = seal::head(&ask.db).await?;
        ask.deliver(Download {
            media_type: "application/x-ndjson".to_owned(),
            length: None,
            etag: None,
            sha256: None,
            file_name: "audit-records.ndjson".to_owned(),
            chain_head,
            stream: export::lines(ask.db.aside(), filter, order),
        });
        ask.answer(true)
    }
}

/// Which records these are.
fn uuids(places: &[Place]) -> Vec<Uuid> {
    places.iter().map(|place| place.record_uuid).collect()
}

/// The page's part of the log.
fn span(filter: &Filter, order: Order, window: &Window) -> Result<Span, Fault> {
    let whole = filter.span(order);
    Ok(match (window.key(0)?, window.key(1)?) {
        (Some(recorded_at), Some(record_uuid)) => whole.after(Place { recorded_at, record_uuid }),
        _ => whole,
    })
}
