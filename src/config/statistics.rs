//! Source of statistics: the platform's API.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use labs_schema::jobs::statistics::Day;

use super::values::switch;
use crate::platform::PlatformSettings;

/// Settings of the platform's API.
#[derive(Args, Clone, Debug)]
pub struct StatisticsArgs {
    /// Address of the platform's API that returns the number of customers per app; without it, no statistics are
    /// imported or shown
    #[arg(long, env = "LABS_STATISTICS_URL", value_name = "URL")]
    statistics_url: Option<String>,

    /// File of the bearer token for it, read for each request
    #[arg(long, env = "LABS_STATISTICS_TOKEN_FILE", value_name = "FILE")]
    statistics_token_file: Option<PathBuf>,

    /// First day to import; without it, the first import begins 92 days back
    #[arg(long, env = "LABS_STATISTICS_FROM", value_name = "DAY")]
    statistics_from: Option<Day>,

    /// Allow an address of that API inside a private network, and plain http:// there
    #[arg(long, env = "LABS_STATISTICS_ALLOW_PRIVATE", value_parser = switch)]
    statistics_allow_private: bool,
}

impl StatisticsArgs {
    /// Returns the configured source. `None` means no statistics.
    ///
    /// # Errors
    /// If the address cannot be used, or the file of the token is missing.
    pub fn settle(self) -> anyhow::Result<Option<PlatformSettings>> {
        let Some(url) = self.statistics_url.filter(|url| !url.is_empty()) else { return Ok(None) };
        let token_file =
            self.statistics_token_file.context("LABS_STATISTICS_URL requires LABS_STATISTICS_TOKEN_FILE")?;
        PlatformSettings::new(&url, token_file, self.statistics_from, self.statistics_allow_private).map(Some)
    }
}
