//! Output types of app statistics.

use labs_core::day::Day;
use labs_core::describe::OutputType;
use labs_core::page::{CountedPage, Page};
use labs_shared::states::AppState;
use serde::Serialize;
use uuid::Uuid;

use crate::apps::list::AppFiguresRow;
use crate::apps::rules::{LatestDay, StatisticsComparison, StatisticsFigure, StatisticsGap, StatisticsPeriod};
use crate::freshness::{ImportFreshness, StatisticsFreshness, StatisticsSource};

/// Number of customers who use any app of the partner.
#[derive(Serialize, OutputType)]
pub(crate) struct AppStatisticsSummary {
    /// Last imported day. Null if no day has been imported.
    pub(super) day: Option<Day>,
    /// Customers who used at least one app of the partner on that day, each counted once. The platform reports this
    /// number. It is not a sum over apps. Null if the platform reported none.
    pub(super) customers: Option<i64>,
    /// Reason why no figure is shown. Null if a figure is shown.
    pub(super) gap: Option<StatisticsGap>,
    /// Comparison with the same weekday a week before.
    pub(super) week_before: StatisticsComparison,
    /// First day of the span that `days`, `average` and `peak` cover.
    pub(super) day_from: Day,
    /// First day after the span.
    pub(super) day_until: Day,
    /// Number of days of the span that have a figure.
    pub(super) days: i32,
    /// Number of completed days of the span.
    pub(super) of_days: i32,
    /// Average number of customers per day with a figure, to one decimal. Null if no day has a figure.
    pub(super) average: Option<f64>,
    /// Day with the highest number of customers, the latest one if several are equal. Null if no day has a figure.
    pub(super) peak: Option<StatisticsFigure>,
    /// Source of the figures.
    pub(super) source: StatisticsSource,
    /// Freshness of the figures.
    pub(super) freshness: StatisticsFreshness,
}

/// An app with its customers on the latest day.
#[derive(Clone, Serialize, OutputType)]
pub(super) struct AppStatistics {
    /// UUID of the app.
    pub(super) app_uuid: Uuid,
    /// Slug of the app.
    pub(super) slug: String,
    /// Name of the app in its default locale.
    pub(super) name: String,
    /// State of the app.
    pub(super) state: AppState,
    /// Figure of the last imported day. Null if that day has no figure.
    pub(super) latest: Option<StatisticsFigure>,
    /// Reason why no figure is shown. Null if a figure is shown.
    pub(super) gap: Option<StatisticsGap>,
    /// Comparison with the same weekday a week before.
    pub(super) week_before: StatisticsComparison,
}

impl AppStatistics {
    pub(super) fn of(row: AppFiguresRow, known: &ImportFreshness) -> Self {
        let day = known.freshness.last_imported_day;
        let latest = LatestDay {
            has_source: known.source != StatisticsSource::Disabled,
            day,
            customers: row.customers,
            has_week_before: known.has_week_before,
            customers_before: row.customers_before,
        };
        let figure = day.zip(row.customers).zip(row.imported_at);
        Self {
            app_uuid: row.app_uuid,
            slug: row.slug,
            name: row.name,
            state: row.state,
            latest: figure.map(|((day, customers), imported_at)| StatisticsFigure {
                day,
                customers,
                imported_at,
                restated_at: row.restated_at,
            }),
            gap: latest.gap(),
            week_before: latest.compare_week(),
        }
    }
}

/// An app with the values derived from all its figures.
#[derive(Clone, Serialize, OutputType)]
pub(super) struct AppFigures {
    #[serde(flatten)]
    pub(super) app: AppStatistics,
    /// Day with the most customers.
    pub(super) peak: Option<StatisticsFigure>,
    /// First day with a figure.
    pub(super) first_day: Option<Day>,
    /// Number of days with a figure.
    pub(super) days: i32,
    /// Number of completed days since the first day with a figure.
    pub(super) of_days: i32,
}

/// One app with all its figures.
#[derive(Serialize, OutputType)]
pub(super) struct AppStatisticsDetail {
    #[serde(flatten)]
    pub(super) app: AppFigures,
    /// Source of the figures.
    pub(super) source: StatisticsSource,
    /// Freshness of the figures.
    pub(super) freshness: StatisticsFreshness,
}

/// A page of apps with their customers.
#[derive(Serialize, OutputType)]
#[describe(paged)]
pub(crate) struct AppStatisticsPage {
    /// Apps on this page. Empty while the source is `DISABLED`.
    pub(super) data: Vec<AppStatistics>,
    /// Position of the page in the list.
    pub(super) page: Page,
    /// Source of the figures.
    pub(super) source: StatisticsSource,
    /// Freshness of the figures.
    pub(super) freshness: StatisticsFreshness,
}

/// A page of days, weeks or months.
#[derive(Serialize, OutputType)]
#[describe(paged)]
pub(crate) struct StatisticsPeriods {
    /// Periods with a figure. Periods without a figure are not included.
    pub(super) data: Vec<StatisticsPeriod>,
    /// Position of the page in the list.
    pub(super) page: Page,
    /// Source of the figures.
    pub(super) source: StatisticsSource,
    /// Freshness of the figures.
    pub(super) freshness: StatisticsFreshness,
}

/// An app of any partner, with all its figures and a page of its periods.
#[derive(Serialize, OutputType)]
#[describe(paged)]
pub(super) struct AdminAppStatistics {
    #[serde(flatten)]
    pub(super) app: AppFigures,
    /// UUID of the current owner.
    pub(super) partner_uuid: Uuid,
    /// Source of the figures.
    pub(super) source: StatisticsSource,
    /// Freshness of the figures.
    pub(super) freshness: StatisticsFreshness,
    /// Periods with figures.
    pub(super) data: Vec<StatisticsPeriod>,
    /// Position of the page in the list.
    pub(super) page: CountedPage,
}
