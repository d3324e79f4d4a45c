//! Operations on partners and the scopes that they require.

mod creation;
pub(super) mod types;

use labs_core::access::list_disclosed;
use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{Download, RequestContext, Target};
use labs_core::describe::Created;
use labs_core::fault::Fault;
use labs_core::list::{FixedOrder, PageRequest};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::words::Word as _;
use uuid::Uuid;

use super::list::{AdminPartnerFilter, AdminPartnerSort, PARTNERS, partner_of};
use super::store::{self, erasure};
use super::timeline::PartnerTimelineEntry;
use super::timeline::list::{PartnerTimelineFilter, TIMELINE, TimelineOfPartner};
use super::{export, rules};
use crate::reason::{Reason, Remark};
use labs_identity::partner::company::renaming::{self, NameReview};
use labs_identity::partner::company::{self, NamedBy};
use labs_identity::partner::contacts::{CONTACTS_FOR_STAFF, ContactsOf, PartnerContact, PartnerContactFilter};
use labs_identity::partner::events::{self, PartnerEvent, PartnerEventKind};
use labs_identity::partner::lifecycle::{self, Action, Step};

use types::{AdminPartner, AdminPartnerCreate, AdminPartnerUpdate, PartnerLabelsPut};

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![
    admin_partners_list,
    admin_partners_export,
    admin_partners_get,
    admin_partners_list_contacts,
    admin_partners_list_timeline,
    admin_partners_create,
    admin_partners_update,
    admin_partners_put_labels,
    admin_partners_suspend,
    admin_partners_reinstate,
    admin_partners_close,
    admin_partners_reopen,
    admin_partners_erase,
];

/// List partners.
#[operation(query, access = "labs.admin.partners")]
async fn admin_partners_list(
    cx: &RequestContext,
    filter: Option<AdminPartnerFilter>,
    sort: Option<AdminPartnerSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<AdminPartner>, Fault> {
    let mut filter = filter.unwrap_or_default();
    if let Some(q) = &filter.q {
        filter.is_common_text = store::is_common_text(&cx.db, q).await?;
    }
    let rows = PARTNERS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = PARTNERS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(AdminPartner::of(row, cx)))?.counted_list(total))
}

/// Export partners.
#[operation(query, access = "labs.admin.partners", answers_file)]
async fn admin_partners_export(
    cx: &RequestContext,
    filter: Option<AdminPartnerFilter>,
    sort: Option<AdminPartnerSort>,
) -> Result<bool, Fault> {
    cx.deliver(Download {
        media_type: "text/csv; charset=utf-8".to_owned(),
        length: None,
        etag: None,
        file_name: "partners.csv".to_owned(),
        sha256: None,
        chain_head: None,
        stream: export::lines(cx, filter.unwrap_or_default(), sort.unwrap_or(AdminPartnerSort::FIRST)),
    });
    Ok(true)
}

/// Get a partner.
#[operation(query, access = "labs.admin.partners", audit_partner = "partner_uuid", batched)]
async fn admin_partners_get(cx: &RequestContext, partner_uuid: Uuid) -> Result<AdminPartner, Fault> {
    load_partner(cx, partner_uuid).await
}

/// List a partner's contacts.
#[operation(query, access = "labs.admin.partners", audit_partner = "partner_uuid")]
async fn admin_partners_list_contacts(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<PartnerContactFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<PartnerContact>, Fault> {
    note_partner(cx, partner_uuid).await?;
    let contacts = ContactsOf { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = CONTACTS_FOR_STAFF.page(cx, &contacts, &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.counted_list(CONTACTS_FOR_STAFF.total(&cx.db, &contacts, include_total).await?))
}

/// List a partner's timeline entries.
#[operation(query, access = "labs.admin.partners", audit_partner = "partner_uuid")]
async fn admin_partners_list_timeline(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<PartnerTimelineFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<PartnerTimelineEntry>, Fault> {
    note_partner(cx, partner_uuid).await?;
    let of = TimelineOfPartner { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = TIMELINE.page(cx, &of, &PageRequest { sort: FixedOrder, limit, cursor }).await?;
    let total = TIMELINE.total(&cx.db, &of, include_total).await?;
    Ok(rows.map(|row| Ok(row.into()))?.counted_list(total))
}

/// Create a partner.
#[operation(mutation, access = "labs.admin.partners:write", partner_reads = "reason")]
async fn admin_partners_create(cx: &RequestContext, body: AdminPartnerCreate) -> Result<Created<AdminPartner>, Fault> {
    let partner_uuid = creation::create(cx, body).await?;
    Ok(Created::new(partner_uuid, load_partner(cx, partner_uuid).await?))
}

/// Update a partner.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid", partner_reads = "reason")]
async fn admin_partners_update(
    cx: &RequestContext,
    partner_uuid: Uuid,
    mut body: AdminPartnerUpdate,
) -> Result<AdminPartner, Fault> {
    let (verified, allows_imitation) = (body.verified, body.allow_similar_name.unwrap_or_default());
    let decided = body.pending_name.take();
    let (patch, reason) = body.into_parts();
    if verified.is_some() && reason.is_none() {
        return Err(Fault::field(
            "/reason",
            "REQUIRED",
            "Send a reason: how the company was verified, or why the verification was removed.",
        ));
    }
    rules::ensure_reason(allows_imitation, reason.as_deref())?;
    let actor = Actor::of(cx.principal()?);
    let by = (actor, NamedBy::Staff { allows_imitation });
    company::change(&cx.db, partner_uuid, patch, by, reason.as_deref()).await?.ok_or_else(err_not_found)?;
    if let Some(decided) = &decided {
        let review = NameReview { decided, actor, allows_imitation, reason: reason.as_deref() };
        renaming::decide(&cx.db, &cx.services, partner_uuid, &review).await?.ok_or_else(err_not_found)?;
    }
    if let Some(verified) = verified
        && store::set_verified(&cx.db, partner_uuid, verified).await?
    {
        let kind = if verified { PartnerEventKind::Verified } else { PartnerEventKind::VerificationEnded };
        events::insert(&cx.db, &PartnerEvent::new(partner_uuid, kind, actor).with_reason(reason.as_deref())).await?;
    }
    load_partner(cx, partner_uuid).await
}

/// Replace a partner's labels.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid", hidden_from_partner)]
async fn admin_partners_put_labels(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: PartnerLabelsPut,
) -> Result<AdminPartner, Fault> {
    store::set_labels(&cx.db, partner_uuid, &rules::labels(body.labels)).await?.ok_or_else(err_not_found)?;
    load_partner(cx, partner_uuid).await
}

/// Suspend a partner.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid", partner_reads = "reason")]
async fn admin_partners_suspend(cx: &RequestContext, partner_uuid: Uuid, body: Reason) -> Result<AdminPartner, Fault> {
    let reason = body.note(cx);
    take_step(cx, "admin_partners_suspend", partner_uuid, Action::Suspend, Some(&reason)).await
}

/// Reinstate a partner.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid")]
async fn admin_partners_reinstate(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: Option<Remark>,
) -> Result<AdminPartner, Fault> {
    let reason = record_remark(cx, body);
    take_step(cx, "admin_partners_reinstate", partner_uuid, Action::Reinstate, reason.as_deref()).await
}

/// Close a partner's account.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid", partner_reads = "reason")]
async fn admin_partners_close(cx: &RequestContext, partner_uuid: Uuid, body: Reason) -> Result<AdminPartner, Fault> {
    let reason = body.note(cx);
    take_step(cx, "admin_partners_close", partner_uuid, Action::Close, Some(&reason)).await
}

/// Reopen a partner's account.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid")]
async fn admin_partners_reopen(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: Option<Remark>,
) -> Result<AdminPartner, Fault> {
    let reason = record_remark(cx, body);
    take_step(cx, "admin_partners_reopen", partner_uuid, Action::Reopen, reason.as_deref()).await
}

/// Erase a partner's personal data.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid")]
async fn admin_partners_erase(cx: &RequestContext, partner_uuid: Uuid, body: Reason) -> Result<AdminPartner, Fault> {
    let reason = body.note(cx);
    take_step(cx, "admin_partners_erase", partner_uuid, Action::Erase, Some(&reason)).await?;
    erasure::run(&cx.db, partner_uuid).await?;
    load_partner(cx, partner_uuid).await
}

/// Performs the transition of an operation, which declares whether the partner can read the reason. Returns the partner
/// after the transition.
async fn take_step(
    cx: &RequestContext,
    operation: &str,
    partner_uuid: Uuid,
    action: Action,
    reason: Option<&str>,
) -> Result<AdminPartner, Fault> {
    let shows_reason = list_disclosed().is_reason_disclosed(operation);
    let step = Step { partner_uuid, action, actor: Actor::of(cx.principal()?), reason, shows_reason };
    lifecycle::take_step(&cx.db, &cx.services, cx.now, &step).await?.ok_or_else(err_not_found)?;
    load_partner(cx, partner_uuid).await
}

/// Returns the remark and adds it to the audit record.
fn record_remark(cx: &RequestContext, body: Option<Remark>) -> Option<String> {
    let reason = body.and_then(Remark::into_text);
    if let Some(reason) = &reason {
        cx.note_reason(reason.as_str());
    }
    reason
}

/// Loads the current partner and names it in the audit record.
async fn load_partner(cx: &RequestContext, partner_uuid: Uuid) -> Result<AdminPartner, Fault> {
    let row = partner_of(&cx.db, partner_uuid).await?.ok_or_else(err_not_found)?;
    note(cx, AuditTargetKind::Partner, partner_uuid, (&row.company_name, partner_uuid));
    Ok(AdminPartner::of(row, cx))
}

/// Ensures that the partner exists and names it in the audit record.
pub async fn note_partner(cx: &RequestContext, partner_uuid: Uuid) -> Result<(), Fault> {
    note_partner_for(cx, partner_uuid, AuditTargetKind::Partner, partner_uuid).await
}

/// Does the same for an audit record about an object of the partner.
pub async fn note_partner_for(
    cx: &RequestContext,
    partner_uuid: Uuid,
    kind: AuditTargetKind,
    uuid: Uuid,
) -> Result<(), Fault> {
    let name = store::get_name(&cx.db, partner_uuid).await?.ok_or_else(err_not_found)?;
    note(cx, kind, uuid, (&name, partner_uuid));
    Ok(())
}

fn note(cx: &RequestContext, kind: AuditTargetKind, uuid: Uuid, (name, partner_uuid): (&str, Uuid)) {
    let (kind, label) = (Some(kind), Some(name.to_owned()));
    cx.note_target(Target { kind, uuid: Some(uuid), label, partner_uuid: Some(partner_uuid) });
}

fn err_not_found() -> Fault {
    Fault::not_found("partner")
}
