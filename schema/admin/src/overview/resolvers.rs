//! Operations on the platform as a whole and the scopes that they require.

mod types;

use labs_core::audited_text::to_recorded;
use labs_core::context::RequestContext;
use labs_core::day::Day;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::words::Word as _;

use super::attention::{AttentionItem, AttentionKind, PlatformAttention};
use super::growth::{GrowthGranularity, PlatformGrowth, Span};
use super::list::{DORMANT_PARTNERS, DormantPartner, DormantPartnerFilter, DormantSince};
use super::search::{self, PlatformSearch, SearchKind, SearchTerms};
use super::store::{self, TrafficFilter};
use super::traffic::{GroupBy, PlatformTraffic, TrafficDimension, TrafficSort, USUAL_DAYS};

use types::PlatformOverview;

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    admin_overview_get,
    admin_overview_get_growth,
    admin_overview_get_attention,
    admin_overview_get_traffic,
    admin_overview_list_dormant_partners,
    admin_overview_search,
];

/// Get the platform overview.
#[operation(query, access = "labs.admin.overview")]
async fn admin_overview_get(cx: &RequestContext) -> Result<PlatformOverview, Fault> {
    let today = Day::of(cx.now);
    let span = Span { from: today, until: today.plus(1) };
    let group_by = GroupBy { operation: false, group: false, day: false };
    let wanted = TrafficFilter { span, group_by, operations: None, groups: None, sort: TrafficSort::RequestsDesc };
    let (counts, tiers) = (store::counts(&cx.db).await?, store::tiers(&cx.db).await?);
    let traffic = store::traffic(&cx.db, &wanted).await?;
    Ok(PlatformOverview::of(&counts, tiers, today, PlatformTraffic::of(span, traffic).total))
}

/// Get platform growth.
#[operation(query, access = "labs.admin.overview")]
async fn admin_overview_get_growth(
    cx: &RequestContext,
    granularity: Option<GrowthGranularity>,
    day_from: Option<Day>,
    day_until: Option<Day>,
) -> Result<PlatformGrowth, Fault> {
    let granularity = granularity.unwrap_or(GrowthGranularity::FIRST);
    let lengths = (granularity.usual_days(), granularity.most_days());
    let span = Span::requested_span(day_from, day_until, lengths, Day::of(cx.now))?;
    let periods = store::growth(&cx.db, granularity, span).await?;
    Ok(PlatformGrowth::of(granularity, span, periods))
}

/// Get items that need attention.
#[operation(query, access = "labs.admin.overview")]
async fn admin_overview_get_attention(cx: &RequestContext) -> Result<PlatformAttention, Fault> {
    let (reached, left_out) = split_by_scope(cx, AttentionKind::ALL, |kind| kind.door().scope);
    let is_shown =
        |kind: &AttentionKind| *kind != AttentionKind::StatisticsMissing || cx.services.settings.statistics.is_some();
    let kinds: Vec<AttentionKind> = reached.into_iter().filter(is_shown).collect();
    let waiting = store::list_waiting(&cx.db, &kinds).await?;
    let data = waiting.iter().map(|row| AttentionItem::of(row, cx.now)).collect();
    Ok(PlatformAttention { data, left_out })
}

/// Get API traffic.
#[operation(query, access = "labs.admin.overview")]
async fn admin_overview_get_traffic(
    cx: &RequestContext,
    by: Option<Vec<TrafficDimension>>,
    day_from: Option<Day>,
    day_until: Option<Day>,
    operation: Option<Vec<String>>,
    group: Option<Vec<String>>,
    sort: Option<TrafficSort>,
) -> Result<PlatformTraffic, Fault> {
    let group_by = GroupBy::read(by.as_deref());
    let span = Span::requested_span(day_from, day_until, (USUAL_DAYS, group_by.most_days()), Day::of(cx.now))?;
    let wanted = TrafficFilter {
        span,
        group_by,
        operations: operation.as_deref().filter(|named| !named.is_empty()),
        groups: group.as_deref().filter(|named| !named.is_empty()),
        sort: sort.unwrap_or(TrafficSort::FIRST),
    };
    Ok(PlatformTraffic::of(span, store::traffic(&cx.db, &wanted).await?))
}

/// List dormant partners.
#[operation(query, access = "labs.admin.overview")]
async fn admin_overview_list_dormant_partners(
    cx: &RequestContext,
    filter: Option<DormantPartnerFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<DormantPartner>, Fault> {
    let today = Day::of(cx.now);
    let asked = DormantSince::requested_partners(filter.unwrap_or_default(), today);
    let rows = DORMANT_PARTNERS.page(cx, &asked, &PageRequest::new(None, limit, cursor)).await?;
    let total = DORMANT_PARTNERS.total(&cx.db, &asked, include_total).await?;
    Ok(rows.map(|row| Ok(DormantPartner::of(row, today)))?.counted_list(total))
}

/// Search partners, users, apps, machine clients and tickets.
#[operation(query, access = "labs.admin.overview", audit_hashed = "q")]
async fn admin_overview_search(
    cx: &RequestContext,
    q: String,
    kind: Option<Vec<SearchKind>>,
) -> Result<PlatformSearch, Fault> {
    cx.note_reason(to_recorded(&q, &cx.services.key));
    let sought = SearchTerms::read(&q)?;
    let asked = kind.filter(|kinds| !kinds.is_empty());
    let is_asked = |found: &SearchKind| asked.as_ref().is_none_or(|kinds| kinds.contains(found));
    let kinds: Vec<SearchKind> = SearchKind::ALL.iter().copied().filter(is_asked).collect();
    let (reached, left_out) = split_by_scope(cx, &kinds, |kind| kind.door().0);
    let data = search::best_matches(store::search(&cx.db, &reached, &sought).await?);
    Ok(PlatformSearch { data, left_out })
}

/// Splits the kinds into those within the caller's scopes and the rest.
fn split_by_scope<K: Copy>(cx: &RequestContext, kinds: &[K], scope: impl Fn(K) -> &'static str) -> (Vec<K>, Vec<K>) {
    kinds.iter().copied().partition(|kind| cx.may(scope(*kind)))
}
