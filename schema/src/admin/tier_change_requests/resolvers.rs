//! What operators may ask about requests for another tier.

use async_graphql::{Context, Object};
use uuid::Uuid;

use crate::access::{access, audit_partner, audit_target};
use crate::admin::reason::{Reason, Remark};
use crate::ask::{Ask, Asking, Target};
use crate::fault::Fault;
use crate::page::{CountedList, CountedPage, Window, names};
use crate::subscription::change_requests::{self, Action, Filter, RequestRow, State, TierChangeRequest};
use crate::time::Time;

/// Reads of requests.
#[derive(Default)]
pub(crate) struct TierChangeRequestsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TierChangeRequestsQuery {
    /// Everybody's requests, undecided ones first.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn admin_tier_change_requests_list(
        &self,
        ctx: &Context<'_>,
        state: Option<Vec<State>>,
        partner_uuid: Option<Vec<Uuid>>,
        to_tier_code: Option<Vec<String>>,
        created_at_from: Option<Time>,
        created_at_until: Option<Time>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<TierChangeRequest>>, Fault> {
        let (ask, list) = (ctx.ask(), "admin_tier_change_requests_list");
        let filter = Filter {
            state: names(state),
            partner_uuid: partner_uuid.filter(|uuids| !uuids.is_empty()),
            to_tier_code: names(to_tier_code),
            created_at_from,
            created_at_until,
        };
        let window = Window::read(&ask.services.cursors, list, &filter, limit, cursor.as_deref())?;
        let rows = change_requests::any_page(&ask.db, &filter, &window).await?;
        let total =
            if include_total == Some(true) { Some(change_requests::count(&ask.db, &filter).await?) } else { None };
        let (rows, page) = window.cut(rows, RequestRow::keys);
        let data = rows.into_iter().map(TierChangeRequest::try_from).collect::<Result<_, _>>()?;
        ask.answer_list(CountedList { data, page: CountedPage::of(page, total) })
    }
}

/// Writes of requests.
#[derive(Default)]
pub(crate) struct TierChangeRequestsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TierChangeRequestsMutation {
    /// Applies the tier that a partner asked for.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_target::apply("request".into(), "request_uuid".into())
    )]
    async fn admin_tier_change_requests_approve(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<TierChangeRequest>, Fault> {
        let said = body.and_then(Remark::into_text);
        ctx.ask().answer(decided(ctx.ask(), request_uuid, Action::Approve, said.as_deref()).await?)
    }

    /// Refuses the tier that a partner asked for.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_target::apply("request".into(), "request_uuid".into())
    )]
    async fn admin_tier_change_requests_reject(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<TierChangeRequest>, Fault> {
        ctx.ask().answer(decided(ctx.ask(), request_uuid, Action::Reject, Some(&body.said())).await?)
    }
}

/// Decides a request, and names it to the audit record.
async fn decided(
    ask: &Ask,
    request_uuid: Uuid,
    action: Action,
    reason: Option<&str>,
) -> Result<TierChangeRequest, Fault> {
    let request = change_requests::decided(ask, request_uuid, action, reason, None).await?;
    let (partner_uuid, company_name) = request.partner();
    ask.note_target(Target {
        kind: Some("TIER_CHANGE_REQUEST".to_owned()),
        uuid: Some(request_uuid),
        label: Some(company_name.to_owned()),
        partner_uuid: Some(partner_uuid),
    });
    Ok(request)
}
