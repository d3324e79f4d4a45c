//! What is answered of the statistics of apps.

use async_graphql::SimpleObject;
use serde::Serialize;
use uuid::Uuid;

use crate::core::day::Day;
use crate::core::page::{CountedPage, Page, Paged};
use crate::marketplace::apps::AppState;
use crate::statistics::apps::list::AppFiguresRow;
use crate::statistics::apps::rules::{Latest, StatisticsComparison, StatisticsFigure, StatisticsGap, StatisticsPeriod};
use crate::statistics::freshness::{Known, StatisticsFreshness, StatisticsSource};

/// How many customers use any app of a partner.
#[derive(Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppStatisticsSummary {
    /// The day that was imported last.
    pub(super) day: Option<Day>,
    /// Distinct customers of all apps on that day.
    pub(super) customers: Option<i64>,
    /// Why there is no figure.
    pub(super) gap: Option<StatisticsGap>,
    /// The same a week before.
    pub(super) week_before: StatisticsComparison,
    /// The first day of the span.
    pub(super) day_from: Day,
    /// First day after the span.
    pub(super) day_until: Day,
    /// Number of days of the span that have a figure.
    pub(super) days: i32,
    /// Number of completed days of the span.
    pub(super) of_days: i32,
    /// Distinct customers on an average day of those.
    pub(super) average: Option<f64>,
    /// The day with most.
    pub(super) peak: Option<StatisticsFigure>,
    /// Where figures come from.
    pub(super) source: StatisticsSource,
    /// How fresh they are.
    pub(super) freshness: StatisticsFreshness,
}

/// An app with its customers on the latest day.
#[derive(Clone, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppStatistics {
    /// The app.
    pub(super) app_uuid: Uuid,
    /// Its name in addresses.
    pub(super) slug: String,
    /// Its name.
    pub(super) name: String,
    /// Its state.
    pub(super) state: AppState,
    /// Its customers on the day that was imported last.
    pub(super) latest: Option<StatisticsFigure>,
    /// Why there is no figure.
    pub(super) gap: Option<StatisticsGap>,
    /// The same a week before.
    pub(super) week_before: StatisticsComparison,
}

impl AppStatistics {
    pub(super) fn of(row: AppFiguresRow, known: &Known) -> Self {
        let day = known.freshness.last_imported_day;
        let latest = Latest {
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
            week_before: latest.compared(),
        }
    }
}

/// What all its figures tell of an app.
#[derive(Clone, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppFigures {
    #[graphql(flatten)]
    #[serde(flatten)]
    pub(super) app: AppStatistics,
    /// The day with most customers.
    pub(super) peak: Option<StatisticsFigure>,
    /// The first day of which there is a figure.
    pub(super) first_day: Option<Day>,
    /// Days of which there is one.
    pub(super) days: i32,
    /// Number of completed days since the first day with a figure.
    pub(super) of_days: i32,
}

/// One app with all that its figures tell.
#[derive(Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppStatisticsDetail {
    #[graphql(flatten)]
    #[serde(flatten)]
    pub(super) app: AppFigures,
    /// Where figures come from.
    pub(super) source: StatisticsSource,
    /// How fresh they are.
    pub(super) freshness: StatisticsFreshness,
}

/// A page of apps.
#[derive(Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AppStatisticsPage {
    /// The apps.
    pub(super) data: Vec<AppStatistics>,
    /// Where the page ends.
    pub(super) page: Page,
    /// Where figures come from.
    pub(super) source: StatisticsSource,
    /// How fresh they are.
    pub(super) freshness: StatisticsFreshness,
}

/// A page of days, weeks or months.
#[derive(Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct StatisticsPeriods {
    /// The periods in which there are figures.
    pub(super) data: Vec<StatisticsPeriod>,
    /// Where the page ends.
    pub(super) page: Page,
    /// Where figures come from.
    pub(super) source: StatisticsSource,
    /// How fresh they are.
    pub(super) freshness: StatisticsFreshness,
}

/// An app of any partner, with all its figures and a page of its days, weeks or months.
#[derive(Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AdminAppStatistics {
    #[graphql(flatten)]
    #[serde(flatten)]
    pub(super) app: AppFigures,
    /// The partner that owns it now.
    pub(super) partner_uuid: Uuid,
    /// Where figures come from.
    pub(super) source: StatisticsSource,
    /// How fresh they are.
    pub(super) freshness: StatisticsFreshness,
    /// The periods in which there are figures.
    pub(super) data: Vec<StatisticsPeriod>,
    /// Where the page ends.
    pub(super) page: CountedPage,
}

impl Paged for AppStatisticsPage {
    fn next_cursor(&self) -> Option<&str> {
        self.page.next_cursor.as_deref()
    }
}

impl Paged for StatisticsPeriods {
    fn next_cursor(&self) -> Option<&str> {
        self.page.next_cursor.as_deref()
    }
}

impl Paged for AdminAppStatistics {
    fn next_cursor(&self) -> Option<&str> {
        self.page.next_cursor.as_deref()
    }
}
