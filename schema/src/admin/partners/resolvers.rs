//! What may be asked about partners, and by whom.

mod creation;
pub(super) mod types;

use async_graphql::{Context, Object};
use uuid::Uuid;

use super::store::list::{self, Filter};
use super::store::{self, PartnerRow, erasure};
use super::{export, rules, timeline};
use crate::access::{access, answers_file, audit_partner, batched};
use crate::actor::Actor;
use crate::admin::order::Order;
use crate::admin::reason::{Reason, Remark};
use crate::ask::{Ask, Asking, Download, Target};
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::page::{CountedList, CountedPage, Window, names};
use crate::partner::company;
use crate::partner::contacts::{CONTACTS_FOR_STAFF, ContactsOf, PartnerContact, PartnerContactFilter};
use crate::partner::standing::{self, Action, State, Step};
use crate::time::Time;

use timeline::{PartnerTimelineEntry, PartnerTimelineGroup};
use types::{AdminPartner, AdminPartnerCreate, AdminPartnerUpdate, LabelsPut};

/// Reads of partners.
#[derive(Default)]
pub(crate) struct PartnersQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PartnersQuery {
    /// Partners, whatever their state.
    #[graphql(directive = access::apply("labs.admin.partners".into()))]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn admin_partners_list(
        &self,
        ctx: &Context<'_>,
        state: Option<Vec<State>>,
        tier_code: Option<Vec<String>>,
        label: Option<Vec<String>>,
        country: Option<Vec<String>>,
        q: Option<String>,
        registered_at_from: Option<Time>,
        registered_at_until: Option<Time>,
        sort: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<AdminPartner>>, Fault> {
        let (ask, list) = (ctx.ask(), "admin_partners_list");
        let state = names(state);
        let (tier_code, label, country) = (names(tier_code), names(label), names(country));
        let filter = Filter { state, tier_code, label, country, q, registered_at_from, registered_at_until };
        let order = order(sort.as_deref());
        let window = Window::read(&ask.services.cursors, list, &(&filter, order), limit, cursor.as_deref())?;
        let rows = list::page(&ask.db, &filter, order, &window).await?;
        let total = if include_total == Some(true) { Some(list::count(&ask.db, &filter).await?) } else { None };
        let (rows, page) = window.cut(rows, |row| row.keys(order));
        let data = rows.into_iter().map(AdminPartner::try_from).collect::<Result<_, _>>()?;
        ask.answer_list(CountedList { data, page: CountedPage::of(page, total) })
    }

    /// The same list as CSV, streamed. It leaves beside the answer, after the export's own record is committed.
    #[graphql(
        directive = access::apply("labs.admin.partners".into()),
        directive = answers_file::apply(),
        visible = false
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn admin_partners_export(
        &self,
        ctx: &Context<'_>,
        state: Option<Vec<State>>,
        tier_code: Option<Vec<String>>,
        label: Option<Vec<String>>,
        country: Option<Vec<String>>,
        q: Option<String>,
        registered_at_from: Option<Time>,
        registered_at_until: Option<Time>,
        sort: Option<String>,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        let state = names(state);
        let (tier_code, label, country) = (names(tier_code), names(label), names(country));
        let filter = Filter { state, tier_code, label, country, q, registered_at_from, registered_at_until };
        ask.deliver(Download {
            media_type: "text/csv; charset=utf-8".to_owned(),
            length: None,
            etag: None,
            file_name: "partners.csv".to_owned(),
            sha256: None,
            chain_head: None,
            stream: export::lines(ask, filter, order(sort.as_deref())),
        });
        ask.answer(true)
    }

    /// One partner, with its subscription and how much belongs to it.
    #[graphql(
        directive = access::apply("labs.admin.partners".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = batched::apply()
    )]
    async fn admin_partners_get(&self, ctx: &Context<'_>, partner_uuid: Uuid) -> Result<Option<AdminPartner>, Fault> {
        ctx.ask().answer(found(ctx.ask(), partner_uuid).await?)
    }

    /// Whom to turn to at a partner.
    #[graphql(
        directive = access::apply("labs.admin.partners".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_partners_list_contacts(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<PartnerContactFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<PartnerContact>>, Fault> {
        let ask = ctx.ask();
        seen(ask, partner_uuid).await?;
        let contacts = ContactsOf { partner_uuid, filter: filter.unwrap_or_default() };
        let rows = CONTACTS_FOR_STAFF.page(ask, &contacts, &PageRequest::new(None, limit, cursor)).await?;
        ask.answer_list(rows.counted_list(CONTACTS_FOR_STAFF.total(&ask.db, &contacts, include_total).await?))
    }

    /// All that happened to a partner, from every group, in one order.
    #[graphql(
        directive = access::apply("labs.admin.partners".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the contract")]
    async fn admin_partners_list_timeline(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        group: Option<Vec<PartnerTimelineGroup>>,
        kind: Option<Vec<String>>,
        occurred_at_from: Option<Time>,
        occurred_at_until: Option<Time>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<PartnerTimelineEntry>>, Fault> {
        let ask = ctx.ask();
        seen(ask, partner_uuid).await?;
        let (group, kind) = (names(group), names(kind));
        let filter = store::timeline::Filter { partner_uuid, group, kind, occurred_at_from, occurred_at_until };
        ask.answer_list(timeline::page(ask, &filter, limit, cursor.as_deref(), include_total == Some(true)).await?)
    }
}

/// Writes of partners.
#[derive(Default)]
pub(crate) struct PartnersMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PartnersMutation {
    /// Makes a partner on behalf of a company, and invites its first administrator.
    #[graphql(directive = access::apply("labs.admin.partners:write".into()))]
    async fn admin_partners_create(
        &self,
        ctx: &Context<'_>,
        body: AdminPartnerCreate,
    ) -> Result<Option<AdminPartner>, Fault> {
        let ask = ctx.ask();
        let partner_uuid = creation::create(ask, body).await?;
        ask.answer_created(partner_uuid, found(ask, partner_uuid).await?)
    }

    /// Changes a company's data: what is left out stays, null empties.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_partners_update(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: AdminPartnerUpdate,
    ) -> Result<Option<AdminPartner>, Fault> {
        let ask = ctx.ask();
        let (patch, reason) = body.apart();
        let actor = Actor::of(ask.principal()?);
        company::change(&ask.db, partner_uuid, patch, actor, reason.as_deref()).await?.ok_or_else(missing)?;
        ask.answer(found(ask, partner_uuid).await?)
    }

    /// Replaces a partner's labels. They are staff's own: the partner does not see them.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_partners_put_labels(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: LabelsPut,
    ) -> Result<Option<AdminPartner>, Fault> {
        let ask = ctx.ask();
        store::set_labels(&ask.db, partner_uuid, &rules::labels(body.labels)).await?.ok_or_else(missing)?;
        ask.answer(found(ask, partner_uuid).await?)
    }

    /// Holds a partner back: nobody of it is let in, and nothing of it is on the storefront.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_partners_suspend(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<AdminPartner>, Fault> {
        let ask = ctx.ask();
        let reason = body.note(ask);
        ask.answer(stepped(ask, partner_uuid, Action::Suspend, Some(&reason)).await?)
    }

    /// Lets a partner in again, as it was before.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_partners_reinstate(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<AdminPartner>, Fault> {
        let ask = ctx.ask();
        ask.answer(stepped(ask, partner_uuid, Action::Reinstate, said(ask, body).as_deref()).await?)
    }

    /// Ends a partner's account at once.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_partners_close(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<AdminPartner>, Fault> {
        let ask = ctx.ask();
        let reason = body.note(ask);
        ask.answer(stepped(ask, partner_uuid, Action::Close, Some(&reason)).await?)
    }

    /// Opens a closed account again, within the time for which it is kept.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_partners_reopen(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<AdminPartner>, Fault> {
        let ask = ctx.ask();
        ask.answer(stepped(ask, partner_uuid, Action::Reopen, said(ask, body).as_deref()).await?)
    }

    /// Makes what is personal of a closed partner anonymous, for good.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_partners_erase(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<AdminPartner>, Fault> {
        let ask = ctx.ask();
        let reason = body.note(ask);
        let step =
            Step { partner_uuid, action: Action::Erase, actor: Actor::of(ask.principal()?), reason: Some(&reason) };
        standing::take(&ask.db, &ask.services, ask.now, &step).await?.ok_or_else(missing)?;
        erasure::run(&ask.db, partner_uuid).await?;
        ask.answer(found(ask, partner_uuid).await?)
    }
}

/// The partner after a step that staff take.
async fn stepped(ask: &Ask, partner_uuid: Uuid, action: Action, reason: Option<&str>) -> Result<AdminPartner, Fault> {
    let step = Step { partner_uuid, action, actor: Actor::of(ask.principal()?), reason };
    standing::take(&ask.db, &ask.services, ask.now, &step).await?.ok_or_else(missing)?;
    found(ask, partner_uuid).await
}

/// What was said, handed to the audit record as well.
fn said(ask: &Ask, body: Option<Remark>) -> Option<String> {
    let reason = body.and_then(Remark::into_text);
    if let Some(reason) = &reason {
        ask.note_reason(reason.as_str());
    }
    reason
}

/// The order that `sort` names; the contract knows no other than these.
fn order(sort: Option<&str>) -> Order {
    match sort {
        Some("registered_at") => Order::OldestFirst,
        Some("company_name") => Order::ByName,
        Some("-state_changed_at") => Order::LastSeenFirst,
        _ => Order::NewestFirst,
    }
}

/// The partner as it is now, named to the audit record.
async fn found(ask: &Ask, partner_uuid: Uuid) -> Result<AdminPartner, Fault> {
    let row: PartnerRow = store::get(&ask.db, partner_uuid).await?.ok_or_else(missing)?;
    note(ask, "PARTNER", partner_uuid, (&row.company_name, partner_uuid));
    row.try_into()
}

/// That there is such a partner, named to the audit record.
pub(in crate::admin) async fn seen(ask: &Ask, partner_uuid: Uuid) -> Result<(), Fault> {
    seen_for(ask, partner_uuid, "PARTNER", partner_uuid).await
}

/// The same for a record that is about something of the partner's.
pub(in crate::admin) async fn seen_for(ask: &Ask, partner_uuid: Uuid, kind: &str, uuid: Uuid) -> Result<(), Fault> {
    let name = store::name_get(&ask.db, partner_uuid).await?.ok_or_else(missing)?;
    note(ask, kind, uuid, (&name, partner_uuid));
    Ok(())
}

fn note(ask: &Ask, kind: &str, uuid: Uuid, (name, partner_uuid): (&str, Uuid)) {
    let (kind, label) = (Some(kind.to_owned()), Some(name.to_owned()));
    ask.note_target(Target { kind, uuid: Some(uuid), label, partner_uuid: Some(partner_uuid) });
}

fn missing() -> Fault {
    Fault::not_found("partner")
}
