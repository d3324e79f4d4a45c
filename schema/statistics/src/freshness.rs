//! Source and freshness of statistics. Every response of the group contains them.

mod store;

use labs_core::context::RequestContext;
use labs_core::day::Day;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;

words! {
    /// Source of statistics.
    pub enum StatisticsSource {
        /// This installation imports no statistics, so no figure is shown. The service never estimates figures.
        Disabled = "DISABLED",
        /// Figures that the platform's own API reported for completed days.
        PlatformApi = "PLATFORM_API",
        /// Invented figures of an installation with sample data, which imports no statistics.
        Sample = "SAMPLE",
    }
}

/// Freshness of the figures. A day that was not imported is unknown, not zero. All fields are null or empty while the
/// source is `DISABLED`.
#[derive(Clone, Debug, Default, Serialize, OutputType)]
pub(crate) struct StatisticsFreshness {
    /// First imported day. Null before the first import.
    pub(super) first_imported_day: Option<Day>,
    /// Last imported day. Null before the first import.
    pub(super) last_imported_day: Option<Day>,
    /// Time of the last import or re-import of a day. Null before the first import.
    last_imported_at: Option<Time>,
    /// Number of completed days, including yesterday, that should be imported but are missing. The service imports them
    /// automatically, oldest first. Null while the source is `DISABLED`, and 0 while it is `SAMPLE`.
    pub(super) days_missing: Option<i64>,
    /// The first 92 missing days, oldest first.
    missing_days: Vec<Day>,
}

/// Facts about all imports.
pub(crate) struct ImportFreshness {
    /// Source of the figures.
    pub(crate) source: StatisticsSource,
    /// Freshness of the figures.
    pub(crate) freshness: StatisticsFreshness,
    /// Whether the day a week before the last one was also imported.
    pub(crate) has_week_before: bool,
}

/// Loads the facts about the imports; empty without a source. Invented figures count only if no source is configured.
pub(crate) async fn load_freshness(cx: &RequestContext) -> Result<ImportFreshness, Fault> {
    if cx.services.settings.statistics.is_none() {
        let sample = store::get(&cx.db, StatisticsSource::Sample).await?;
        if sample.freshness.last_imported_day.is_some() {
            return Ok(sample);
        }
        let freshness = StatisticsFreshness::default();
        return Ok(ImportFreshness { source: StatisticsSource::Disabled, freshness, has_week_before: false });
    }
    store::get(&cx.db, StatisticsSource::PlatformApi).await
}
