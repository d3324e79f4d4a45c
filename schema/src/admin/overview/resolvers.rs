//! Operations on the platform as a whole and the scopes that they require.

mod types;

use async_graphql::{Context, Object};
use labs_core::access::{access, audit_hashed};
use labs_core::audited_text::to_recorded;
use labs_core::context::{RequestContext, RequestContextExt};
use labs_core::day::Day;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use labs_core::words::Word as _;

use super::attention::{AttentionItem, AttentionKind, PlatformAttention};
use super::growth::{GrowthGranularity, PlatformGrowth, Span};
use super::list::{DORMANT_PARTNERS, DormantPartner, DormantPartnerFilter, DormantSince};
use super::search::{self, PlatformSearch, SearchKind, SearchTerms};
use super::store::{self, TrafficFilter};
use super::traffic::{GroupBy, PlatformTraffic, TrafficDimension, TrafficSort, USUAL_DAYS};

use types::PlatformOverview;

/// Queries for the platform as a whole.
#[derive(Default)]
pub(crate) struct OverviewQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl OverviewQuery {
    /// Get the platform overview.
    #[graphql(directive = access::apply("labs.admin.overview".into()))]
    async fn admin_overview_get(&self, ctx: &Context<'_>) -> Result<Option<PlatformOverview>, Fault> {
        let (cx, today) = (ctx.cx(), Day::of(ctx.cx().now));
        let span = Span { from: today, until: today.plus(1) };
        let group_by = GroupBy { operation: false, group: false, day: false };
        let wanted = TrafficFilter { span, group_by, operations: None, groups: None, sort: TrafficSort::RequestsDesc };
        let (counts, tiers) = (store::counts(&cx.db).await?, store::tiers(&cx.db).await?);
        let traffic = store::traffic(&cx.db, &wanted).await?;
        cx.answer(PlatformOverview::of(&counts, tiers, today, PlatformTraffic::of(span, traffic).total))
    }

    /// Get platform growth.
    #[graphql(directive = access::apply("labs.admin.overview".into()))]
    async fn admin_overview_get_growth(
        &self,
        ctx: &Context<'_>,
        granularity: Option<GrowthGranularity>,
        day_from: Option<Day>,
        day_until: Option<Day>,
    ) -> Result<Option<PlatformGrowth>, Fault> {
        let cx = ctx.cx();
        let granularity = granularity.unwrap_or(GrowthGranularity::FIRST);
        let lengths = (granularity.usual_days(), granularity.most_days());
        let span = Span::requested_span(day_from, day_until, lengths, Day::of(cx.now))?;
        let periods = store::growth(&cx.db, granularity, span).await?;
        cx.answer(PlatformGrowth::of(granularity, span, periods))
    }

    /// Get items that need attention.
    #[graphql(directive = access::apply("labs.admin.overview".into()))]
    async fn admin_overview_get_attention(&self, ctx: &Context<'_>) -> Result<Option<PlatformAttention>, Fault> {
        let cx = ctx.cx();
        let (reached, left_out) = split_by_scope(cx, AttentionKind::ALL, |kind| kind.door().scope);
        let is_shown = |kind: &AttentionKind| {
            *kind != AttentionKind::StatisticsMissing || cx.services.settings.statistics.is_some()
        };
        let kinds: Vec<AttentionKind> = reached.into_iter().filter(is_shown).collect();
        let waiting = store::list_waiting(&cx.db, &kinds).await?;
        let data = waiting.iter().map(|row| AttentionItem::of(row, cx.now)).collect();
        cx.answer(PlatformAttention { data, left_out })
    }

    /// Get API traffic.
    #[graphql(directive = access::apply("labs.admin.overview".into()))]
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the contract")]
    async fn admin_overview_get_traffic(
        &self,
        ctx: &Context<'_>,
        by: Option<Vec<TrafficDimension>>,
        day_from: Option<Day>,
        day_until: Option<Day>,
        operation: Option<Vec<String>>,
        group: Option<Vec<String>>,
        sort: Option<TrafficSort>,
    ) -> Result<Option<PlatformTraffic>, Fault> {
        let (cx, group_by) = (ctx.cx(), GroupBy::read(by.as_deref()));
        let span = Span::requested_span(day_from, day_until, (USUAL_DAYS, group_by.most_days()), Day::of(cx.now))?;
        let wanted = TrafficFilter {
            span,
            group_by,
            operations: operation.as_deref().filter(|named| !named.is_empty()),
            groups: group.as_deref().filter(|named| !named.is_empty()),
            sort: sort.unwrap_or(TrafficSort::FIRST),
        };
        cx.answer(PlatformTraffic::of(span, store::traffic(&cx.db, &wanted).await?))
    }

    /// List dormant partners.
    #[graphql(directive = access::apply("labs.admin.overview".into()))]
    async fn admin_overview_list_dormant_partners(
        &self,
        ctx: &Context<'_>,
        filter: Option<DormantPartnerFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<DormantPartner>>, Fault> {
        let (cx, today) = (ctx.cx(), Day::of(ctx.cx().now));
        let asked = DormantSince::requested_partners(filter.unwrap_or_default(), today);
        let rows = DORMANT_PARTNERS.page(cx, &asked, &PageRequest::new(None, limit, cursor)).await?;
        let total = DORMANT_PARTNERS.total(&cx.db, &asked, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(DormantPartner::of(row, today)))?.counted_list(total))
    }

    /// Search partners, users, apps, machine clients and tickets.
    #[graphql(
        directive = access::apply("labs.admin.overview".into()),
        directive = audit_hashed::apply("q".into())
    )]
    async fn admin_overview_search(
        &self,
        ctx: &Context<'_>,
        q: String,
        kind: Option<Vec<SearchKind>>,
    ) -> Result<Option<PlatformSearch>, Fault> {
        let cx = ctx.cx();
        cx.note_reason(to_recorded(&q, &cx.services.key));
        let sought = SearchTerms::read(&q)?;
        let asked = kind.filter(|kinds| !kinds.is_empty());
        let is_asked = |found: &SearchKind| asked.as_ref().is_none_or(|kinds| kinds.contains(found));
        let kinds: Vec<SearchKind> = SearchKind::ALL.iter().copied().filter(is_asked).collect();
        let (reached, left_out) = split_by_scope(cx, &kinds, |kind| kind.door().0);
        let data = search::best_matches(store::search(&cx.db, &reached, &sought).await?);
        cx.answer(PlatformSearch { data, left_out })
    }
}

/// Splits the kinds into those within the caller's scopes and the rest.
fn split_by_scope<K: Copy>(cx: &RequestContext, kinds: &[K], scope: impl Fn(K) -> &'static str) -> (Vec<K>, Vec<K>) {
    kinds.iter().copied().partition(|kind| cx.may(scope(*kind)))
}
