//! Retention of the logs.

use clap::Args;
use labs_schema::services::Retention;

use super::values::whole;

/// 100 years.
const MOST_DAYS: u16 = 36_525;

fn days(least: u16) -> impl Fn(&str) -> anyhow::Result<u16> + Clone + Send + Sync + 'static {
    whole(least..=MOST_DAYS)
}

/// Retention settings. Expired data is removed in whole months or quarters, some days after the configured time.
#[derive(Args, Clone, Copy, Debug)]
pub struct RetentionArgs {
    /// Days that audit records stay in the database, 366 or more; older ones are archived with the uploaded files.
    /// Without it, records are never removed
    #[arg(long, env = "LABS_AUDIT_RETENTION_DAYS", value_name = "DAYS", value_parser = days(366))]
    audit_retention_days: Option<u16>,

    /// Days that security events are kept, 366 or more; without it, they are never removed
    #[arg(long, env = "LABS_SECURITY_EVENTS_RETENTION_DAYS", value_name = "DAYS", value_parser = days(366))]
    security_events_retention_days: Option<u16>,

    /// Days that mail messages are kept, 90 or more, and longer while a message is queued; without it, they are never
    /// removed
    #[arg(long, env = "LABS_MAILS_RETENTION_DAYS", value_name = "DAYS", value_parser = days(90))]
    mails_retention_days: Option<u16>,

    /// Days that request counts are kept, 400 or more
    #[arg(long, env = "LABS_USAGE_RETENTION_DAYS", default_value = "760", value_name = "DAYS", value_parser = days(400))]
    usage_retention_days: u16,
}

impl RetentionArgs {
    /// Returns the configured retention.
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
