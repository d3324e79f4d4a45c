//! Resolvers of app statistics, for partners about their own apps and for staff about any app.

mod types;

use bytes::Bytes;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{Download, RequestContext, Target};
use labs_core::day::Day;
use labs_core::describe::InputType;
use labs_core::fault::Fault;
use labs_core::list::{FixedOrder, PageRequest, Rows, page_in_memory};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::{CountedPage, Page};
use labs_core::words::{Word as _, words};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::list::{APPS, AppStatisticsFilter, AppStatisticsSort, FiguresOf};
use super::rules::{self, LatestDay, Span, StatisticsFigure, StatisticsGranularity, StatisticsPeriod};
use super::{csv, store};
use crate::freshness::{self, ImportFreshness, StatisticsSource};

use types::{
    AdminAppStatistics, AppFigures, AppStatistics, AppStatisticsDetail, AppStatisticsPage, AppStatisticsSummary,
    StatisticsPeriods,
};

/// Default number of days in a summary.
const USUAL_DAYS: i32 = 28;

words! {
    /// Sort orders of periods.
    pub(crate) enum StatisticsPeriodSort {
        /// Earliest first.
        Day = "DAY",
        /// Latest first.
        DayDesc = "DAY_DESC",
    }
}

/// Filter of periods. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct StatisticsPeriodFilter {
    granularity: Option<StatisticsGranularity>,
    day_from: Option<Day>,
    day_until: Option<Day>,
}

/// Parameters that a cursor of periods is bound to.
#[derive(Serialize)]
struct PeriodsOf<'a> {
    app_uuid: Uuid,
    filter: &'a StatisticsPeriodFilter,
    sort: StatisticsPeriodSort,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    statistics_apps_get_summary,
    statistics_apps_list,
    statistics_apps_get,
    statistics_apps_list_daily,
    admin_apps_get_statistics,
];

/// Get the app statistics summary.
#[operation(query, access = "statistics")]
async fn statistics_apps_get_summary(
    cx: &RequestContext,
    day_from: Option<Day>,
    day_until: Option<Day>,
) -> Result<AppStatisticsSummary, Fault> {
    let (owner, today) = (cx.owner()?, Day::of(cx.now));
    let until = day_until.map_or(today, |until| until.min(today));
    let span = Span::requested_days(day_from, day_until, until.plus(-USUAL_DAYS), today)?;
    let known = freshness::load_freshness(cx).await?;
    let last = known.freshness.last_imported_day;
    let (figures, recent) = match last {
        Some(last) => {
            let recent = Span { from: last.plus(-7), until: last.plus(1) };
            (store::list_of_partner(&cx.db, owner, span).await?, store::list_of_partner(&cx.db, owner, recent).await?)
        }
        None => (Vec::new(), Vec::new()),
    };
    let latest = latest_of(&known, &recent);
    Ok(AppStatisticsSummary {
        day: last,
        customers: latest.customers,
        gap: latest.gap(),
        week_before: latest.compare_week(),
        day_from: span.from,
        day_until: span.until,
        days: i32::try_from(figures.len()).unwrap_or(i32::MAX),
        of_days: span.days(),
        average: rules::average(&figures),
        peak: rules::peak(&figures),
        source: known.source,
        freshness: known.freshness,
    })
}

/// List app statistics.
#[operation(query, access = "statistics")]
async fn statistics_apps_list(
    cx: &RequestContext,
    filter: Option<AppStatisticsFilter>,
    sort: Option<AppStatisticsSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<AppStatisticsPage, Fault> {
    let known = freshness::load_freshness(cx).await?;
    let day = known.freshness.last_imported_day;
    let of = FiguresOf { partner_uuid: cx.owner()?.uuid(), day, filter: filter.unwrap_or_default() };
    let asked = PageRequest::new(sort, limit, cursor);
    let Rows { rows, page } = match known.source {
        StatisticsSource::Disabled => {
            APPS.ensure_cursor(cx, &of, &asked)?;
            Rows { rows: Vec::new(), page: Page { next_cursor: None, has_more: false } }
        }
        StatisticsSource::PlatformApi | StatisticsSource::Sample => APPS.page(cx, &of, &asked).await?,
    };
    let data = rows.into_iter().map(|row| AppStatistics::of(row, &known)).collect();
    Ok(AppStatisticsPage { data, page, source: known.source, freshness: known.freshness })
}

/// Get an app's statistics.
#[operation(query, access = "statistics")]
async fn statistics_apps_get(cx: &RequestContext, app_uuid: Uuid) -> Result<AppStatisticsDetail, Fault> {
    let app = store::get_own_app(&cx.db, cx.owner()?, app_uuid).await?.ok_or_else(|| Fault::not_found("app"))?;
    let known = freshness::load_freshness(cx).await?;
    let figures = figures_of(cx, &known, app_uuid, None).await?;
    let app = app_figures(cx, app, &known, &figures);
    Ok(AppStatisticsDetail { app, source: known.source, freshness: known.freshness })
}

/// List an app's daily statistics.
#[operation(query, access = "statistics")]
async fn statistics_apps_list_daily(
    cx: &RequestContext,
    app_uuid: Uuid,
    filter: Option<StatisticsPeriodFilter>,
    sort: Option<StatisticsPeriodSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<StatisticsPeriods, Fault> {
    let filter = filter.unwrap_or_default();
    let app = store::get_own_app(&cx.db, cx.owner()?, app_uuid).await?.ok_or_else(|| Fault::not_found("app"))?;
    let (known, sort) = (freshness::load_freshness(cx).await?, sort.unwrap_or(StatisticsPeriodSort::FIRST));
    let periods = periods_of(cx, &known, app_uuid, &filter, sort).await?;
    if cx.caller.takes_csv {
        cx.deliver(file(format!("{}-customers.csv", app.slug), csv::lines(&known, &periods)));
    }
    let of = PeriodsOf { app_uuid, filter: &filter, sort };
    let Rows { rows: data, page } = cut(cx, "statistics_apps_list_daily", &of, (limit, cursor), periods)?;
    Ok(StatisticsPeriods { data, page, source: known.source, freshness: known.freshness })
}

/// Get statistics of a partner's app.
#[operation(query, access = "labs.admin.apps", audit_target(App, "app_uuid"))]
async fn admin_apps_get_statistics(
    cx: &RequestContext,
    app_uuid: Uuid,
    filter: Option<StatisticsPeriodFilter>,
    sort: Option<StatisticsPeriodSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<AdminAppStatistics, Fault> {
    let filter = filter.unwrap_or_default();
    let app = store::get_app(&cx.db, app_uuid).await?.ok_or_else(|| Fault::not_found("app"))?;
    let partner_uuid = app.partner_uuid;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::App),
        uuid: Some(app_uuid),
        label: Some(app.name.clone()),
        partner_uuid: Some(partner_uuid),
    });
    let (known, sort) = (freshness::load_freshness(cx).await?, sort.unwrap_or(StatisticsPeriodSort::FIRST));
    let figures = figures_of(cx, &known, app_uuid, None).await?;
    let app = app_figures(cx, app, &known, &figures);
    let periods = periods_of(cx, &known, app_uuid, &filter, sort).await?;
    let total = (include_total == Some(true)).then(|| i64::try_from(periods.len()).unwrap_or(i64::MAX));
    let of = PeriodsOf { app_uuid, filter: &filter, sort };
    let Rows { rows: data, page } = cut(cx, "admin_apps_get_statistics", &of, (limit, cursor), periods)?;
    Ok(AdminAppStatistics {
        app,
        partner_uuid,
        source: known.source,
        freshness: known.freshness,
        data,
        page: CountedPage::of(page, total),
    })
}

/// Returns the figures of an app, ordered by day; empty without a source.
async fn figures_of(
    cx: &RequestContext,
    known: &ImportFreshness,
    app_uuid: Uuid,
    span: Option<Span>,
) -> Result<Vec<StatisticsFigure>, Fault> {
    match known.source {
        StatisticsSource::Disabled => Ok(Vec::new()),
        StatisticsSource::PlatformApi | StatisticsSource::Sample => store::list_of_app(&cx.db, app_uuid, span).await,
    }
}

/// Returns the requested periods, in order.
async fn periods_of(
    cx: &RequestContext,
    known: &ImportFreshness,
    app_uuid: Uuid,
    filter: &StatisticsPeriodFilter,
    sort: StatisticsPeriodSort,
) -> Result<Vec<StatisticsPeriod>, Fault> {
    let today = Day::of(cx.now);
    let first = known.freshness.first_imported_day.unwrap_or(today);
    let span = Span::requested_days(filter.day_from, filter.day_until, first, today)?;
    let figures = figures_of(cx, known, app_uuid, Some(span)).await?;
    let mut periods = rules::periods(&figures, filter.granularity.unwrap_or(StatisticsGranularity::FIRST), span);
    if sort == StatisticsPeriodSort::DayDesc {
        periods.reverse();
    }
    Ok(periods)
}

/// Cuts out a page of periods. The cursor position of a period is its first day, so that a newly imported day shifts no
/// period.
fn cut(
    cx: &RequestContext,
    operation: &'static str,
    of: &PeriodsOf<'_>,
    (limit, cursor): (Option<i32>, Option<String>),
    periods: Vec<StatisticsPeriod>,
) -> Result<Rows<StatisticsPeriod>, Fault> {
    let place = |period: &StatisticsPeriod| {
        let number = period.day.days_since(Day(jiff::civil::Date::ZERO));
        let number = if of.sort == StatisticsPeriodSort::Day { number } else { u32::MAX - number };
        usize::try_from(number).unwrap_or(usize::MAX)
    };
    let rows = periods.into_iter().map(|period| (place(&period), period));
    page_in_memory(cx, operation, of, &PageRequest { sort: FixedOrder, limit, cursor }, rows)
}

/// Returns the facts about the latest day from these figures, which are not later than that day.
fn latest_of(known: &ImportFreshness, figures: &[StatisticsFigure]) -> LatestDay {
    let day = known.freshness.last_imported_day;
    let on = |day: Day| figures.iter().rev().find(|figure| figure.day == day).map(|figure| figure.customers);
    LatestDay {
        has_source: known.source != StatisticsSource::Disabled,
        day,
        customers: day.and_then(on),
        has_week_before: known.has_week_before,
        customers_before: day.and_then(|day| on(day.plus(-7))),
    }
}

/// Computes the derived values from all figures of an app.
fn app_figures(
    cx: &RequestContext,
    app: store::AppRow,
    known: &ImportFreshness,
    figures: &[StatisticsFigure],
) -> AppFigures {
    let (latest, last) = (latest_of(known, figures), known.freshness.last_imported_day);
    let first_day = figures.first().map(|figure| figure.day);
    AppFigures {
        app: AppStatistics {
            app_uuid: app.app_uuid,
            slug: app.slug,
            name: app.name,
            state: app.state,
            latest: figures.last().filter(|figure| Some(figure.day) == last).cloned(),
            gap: latest.gap(),
            week_before: latest.compare_week(),
        },
        peak: rules::peak(figures),
        first_day,
        days: i32::try_from(figures.len()).unwrap_or(i32::MAX),
        of_days: first_day.map_or(0, |from| Span { from, until: Day::of(cx.now) }.days()),
    }
}

fn file(file_name: String, text: String) -> Download {
    let bytes = Bytes::from(text);
    Download {
        media_type: "text/csv; charset=utf-8".to_owned(),
        length: u64::try_from(bytes.len()).ok(),
        etag: None,
        sha256: None,
        file_name,
        chain_head: None,
        stream: Box::pin(futures_util::stream::once(async { Ok(bytes) })),
    }
}
