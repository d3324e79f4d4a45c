//! How long ledgers are kept.

use clap::Args;
use labs_schema::services::Retention;

use super::values::whole;

/// Ten years and more.
const MOST_DAYS: u16 = 36_525;

fn days(least: u16) -> impl Fn(&str) -> anyhow::Result<u16> + Clone + Send + Sync + 'static {
    whole(least..=MOST_DAYS)
}

/// The settings. A ledger loses what is over by months or quarters, some days after the time that is told.
#[derive(Args, Clone, Copy, Debug)]
pub struct RetentionArgs {
    /// Days that audit records stay in the database, 366 or more; what is older is archived beside the uploaded files. Without
    /// it, for good
    #[arg(long, env = "LABS_AUDIT_RETENTION_DAYS", value_name = "DAYS", value_parser = days(366))]
    audit_retention_days: Option<u16>,

    /// Days that security events are kept, 366 or more; without it, for good
    #[arg(long, env = "LABS_SECURITY_EVENTS_RETENTION_DAYS", value_name = "DAYS", value_parser = days(366))]
    security_events_retention_days: Option<u16>,

    /// Days that mails are kept, 90 or more, and longer while one waits; without it, for good
    #[arg(long, env = "LABS_MAILS_RETENTION_DAYS", value_name = "DAYS", value_parser = days(90))]
    mails_retention_days: Option<u16>,

    /// Days that the counts of requests are kept, 400 or more
    #[arg(long, env = "LABS_USAGE_RETENTION_DAYS", default_value = "760", value_name = "DAYS", value_parser = days(400))]
    usage_retention_days: u16,
}

impl RetentionArgs {
    /// What they say.
    #[must_use]
    pub fn settle(self) -> Retention {
        Retention {
            audit: self.audit_retention_days,
            security_events: self.security_events_retention_days,
            mails: self.mails_retention_days,
            request_usage: Some(self.usage_retention_days),
        }
    }
}
