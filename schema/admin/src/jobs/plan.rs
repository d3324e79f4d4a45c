//! Background jobs by name: schedule, maximum run time, and whether other parts of the service depend on the job.

use std::time::Duration;

use croner::Cron;
use jiff::tz::TimeZone;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_core::words::words;

words! {
    /// Code of a job. Codes may be added.
    pub enum JobCode {
        /// Signs a checkpoint of the audit log, if a key is configured.
        AuditCheckpoint = "AUDIT_CHECKPOINT",
        /// Seals audit records in the hash chain.
        AuditSeal = "AUDIT_SEAL",
        /// Sends the weekly board mail to users who want it.
        BoardMail = "BOARD_MAIL",
        /// Creates requested data exports, and deletes expired ones.
        DataExports = "DATA_EXPORTS",
        /// Reminds partners of deprecated operations that they still call.
        DeprecationReminders = "DEPRECATION_REMINDERS",
        /// Assigns positions to events that clients follow.
        EventsSeal = "EVENTS_SEAL",
        /// Creates the partitions that tables partitioned by time need, and drops expired ones.
        Ledgers = "LEDGERS",
        /// Assigns positions in the feed to changes of listings.
        ListingChangesSeal = "LISTING_CHANGES_SEAL",
        /// Sends mail messages to the mail server.
        MailDelivery = "MAIL_DELIVERY",
        /// Deletes files that no row references.
        ObjectsSweep = "OBJECTS_SWEEP",
        /// Closes accounts whose waiting period has ended.
        PartnerClosures = "PARTNER_CLOSURES",
        /// Renders images in the sizes that pages show.
        PictureRenditions = "PICTURE_RENDITIONS",
        /// Adds pending changes to the counters.
        PlatformCounts = "PLATFORM_COUNTS",
        /// Releases changelog entries, posts and resources at their scheduled time.
        PublicationReleases = "PUBLICATION_RELEASES",
        /// Warns partners whose daily budget is nearly spent.
        QuotaWarnings = "QUOTA_WARNINGS",
        /// Publishes app versions at the time that their partner chose.
        ScheduledPublications = "SCHEDULED_PUBLICATIONS",
        /// Handles submissions whose partner does not answer.
        SilentPartners = "SILENT_PARTNERS",
        /// Imports the customers of apps, if a source is configured.
        StatisticsImport = "STATISTICS_IMPORT",
        /// Applies changes of subscriptions.
        SubscriptionChanges = "SUBSCRIPTION_CHANGES",
        /// Renders texts of the board to HTML.
        TextRendering = "TEXT_RENDERING",
        /// Deletes expired rows.
        Tidying = "TIDYING",
        /// Deletes unconfirmed registrations.
        UnconfirmedRegistrations = "UNCONFIRMED_REGISTRATIONS",
        /// Writes the request counts.
        UsageCounts = "USAGE_COUNTS",
    }
}

/// Schedule of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Repeatedly with this pause, on every replica. The job itself prevents two replicas from doing the same work.
    Every(Duration),
    /// At the UTC times that match a cron expression of five fields (POSIX crontab, as croner reads it), on one
    /// replica. Missed times are made up once.
    Calendar(&'static str),
}

/// Static properties of a job.
#[derive(Clone, Copy, Debug)]
pub struct JobPlan {
    /// Schedule of the job.
    pub schedule: Schedule,
    /// Run time after which a run is reported as overrun. A run is never aborted.
    pub deadline: Duration,
    /// Reason why the job cannot be paused, as a sentence; `None` if it can.
    pub needed_because: Option<&'static str>,
    /// Whether only failed runs are recorded, because the job runs continuously.
    pub is_quiet: bool,
}

/// Default maximum run time.
const DEADLINE: Duration = Duration::from_secs(30);

const fn every(pause: Duration) -> JobPlan {
    JobPlan { schedule: Schedule::Every(pause), deadline: DEADLINE, needed_because: None, is_quiet: false }
}

const fn calendar(expression: &'static str, deadline: Duration) -> JobPlan {
    JobPlan { schedule: Schedule::Calendar(expression), ..every(Duration::ZERO) }.within(deadline)
}

impl JobPlan {
    const fn within(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    const fn quiet(self) -> Self {
        Self { is_quiet: true, ..self }
    }

    const fn needed(self, because: &'static str) -> Self {
        Self { needed_because: Some(because), ..self }
    }
}

impl JobCode {
    /// Returns the purpose of the job, in one sentence.
    #[must_use]
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::AuditCheckpoint => {
                "Adds sealed audit records to the transparency log and signs a checkpoint, if a key is configured."
            }
            Self::AuditSeal => "Gives audit records their positions in the hash chain, which reveals changes.",
            Self::BoardMail => {
                "Sends subscribers of the weekly e-mail a count of the changes on the board in the previous week."
            }
            Self::DataExports => "Creates the data exports that partners requested, and deletes expired ones.",
            Self::DeprecationReminders => {
                "Notifies partners that still use a deprecated element 60, 30 and 7 days before its sunset."
            }
            Self::EventsSeal => "Gives events of accounts, apps and subscriptions the positions that clients follow.",
            Self::Ledgers => {
                "Creates partitions for event tables, archives the audit log, then drops expired partitions."
            }
            Self::ListingChangesSeal => {
                "Gives changes of listings their positions in the feed that storefronts follow."
            }
            Self::MailDelivery => "Delivers mail messages to the mail server.",
            Self::ObjectsSweep => "Deletes unreferenced files: replaced files and interrupted uploads.",
            Self::PartnerClosures => "Closes accounts whose waiting period has ended.",
            Self::PictureRenditions => "Creates the image sizes that pages show, for images that lack them.",
            Self::PlatformCounts => "Adds changes to the counts of the platform overview.",
            Self::PublicationReleases => {
                "Releases changelog entries, blog posts and developer resources at their scheduled time."
            }
            Self::QuotaWarnings => "Warns partners that have used 80 % of their daily budget, once a day.",
            Self::ScheduledPublications => "Publishes approved versions at the time that their partner chose.",
            Self::SilentPartners => {
                "Reminds partners whose answer a submission is waiting for, and finally withdraws the submission."
            }
            Self::StatisticsImport => "Imports the app customers of completed days, if a source is configured.",
            Self::SubscriptionChanges => "Applies scheduled subscription changes on their day.",
            Self::TextRendering => {
                "Renders board texts whose HTML is missing or was created by an older version of the service."
            }
            Self::Tidying => "Deletes expired rows: expired tokens, old counts, old job runs.",
            Self::UnconfirmedRegistrations => "Deletes registrations that were not confirmed in time.",
            Self::UsageCounts => "Writes the counts of requests since the last run.",
        }
    }

    /// Returns the static properties of the job.
    #[must_use]
    pub const fn plan(self) -> JobPlan {
        use Duration as D;
        match self {
            Self::AuditCheckpoint => calendar("* * * * *", D::from_secs(120)),
            // A record must be sealed within a second of its commit.
            Self::AuditSeal => every(D::from_millis(250))
                .quiet()
                .needed("Audit records are sealed within a second; unsealed records could be changed unnoticed."),
            Self::BoardMail => calendar("0 6 * * 1", D::from_secs(600)),
            Self::DataExports | Self::StatisticsImport => every(D::from_secs(2)).within(D::from_secs(600)),
            // An event must have its position within a second.
            Self::EventsSeal => {
                every(D::from_millis(250)).quiet().needed("Clients that follow events would not receive new ones.")
            }
            // A change of a listing must have its position within a second.
            Self::ListingChangesSeal => every(D::from_millis(500))
                .quiet()
                .needed("Storefronts that follow the feed would continue to show removed listings."),
            Self::Ledgers => calendar("35 * * * *", D::from_secs(3600)),
            Self::MailDelivery => every(D::from_millis(500)),
            Self::DeprecationReminders => calendar("5 * * * *", D::from_secs(300)),
            Self::ObjectsSweep => calendar("*/20 * * * *", D::from_secs(600)),
            Self::PartnerClosures | Self::SilentPartners => every(D::from_secs(2)),
            Self::PictureRenditions | Self::TextRendering => every(D::from_secs(2)).quiet(),
            Self::PlatformCounts => every(D::from_secs(5)).quiet(),
            Self::QuotaWarnings => calendar("*/5 * * * *", DEADLINE),
            Self::PublicationReleases | Self::ScheduledPublications | Self::SubscriptionChanges => {
                every(D::from_secs(1))
            }
            Self::Tidying => calendar("*/10 * * * *", D::from_secs(300)),
            Self::UnconfirmedRegistrations => calendar("*/10 * * * *", DEADLINE),
            Self::UsageCounts => every(D::from_secs(5))
                .quiet()
                .needed("Requests are counted in memory; unwritten counts are lost when the process ends."),
        }
    }
}

impl Schedule {
    /// Returns the first time after `now` that a calendar schedule matches; `None` for a repeated job.
    ///
    /// # Errors
    /// If the expression is invalid.
    pub fn next_after(self, now: Time) -> Result<Option<Time>, Fault> {
        let Self::Calendar(expression) = self else { return Ok(None) };
        let cron: Cron = expression.parse().map_err(Fault::internal)?;
        let next = cron.find_next_occurrence(&now.0.to_zoned(TimeZone::UTC), false).map_err(Fault::internal)?;
        Ok(Some(Time(next.timestamp())))
    }

    /// Returns the maximum interval between two runs.
    ///
    /// # Errors
    /// If the expression is invalid.
    pub fn interval(self, now: Time) -> Result<Duration, Fault> {
        if let Self::Every(pause) = self {
            return Ok(pause);
        }
        let next = self.next_after(now)?.unwrap_or(now);
        let seconds = self.next_after(next)?.unwrap_or(next).seconds_since(next);
        Ok(Duration::from_secs(seconds.unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::words::Word as _;

    fn time(text: &str) -> Time {
        text.parse().unwrap()
    }

    #[test]
    fn each_job_schedule_is_valid() {
        let now = time("2026-03-01T09:31:00Z");
        for job in JobCode::ALL {
            let schedule = job.plan().schedule;
            let next = schedule.next_after(now).unwrap();
            assert_eq!(next.is_some(), matches!(schedule, Schedule::Calendar(_)), "{}", job.name());
            assert!(schedule.interval(now).unwrap() > Duration::ZERO, "{}", job.name());
        }
    }

    #[test]
    fn next_run_is_in_the_future() {
        let often = Schedule::Calendar("*/20 * * * *");
        assert_eq!(often.next_after(time("2026-03-01T09:31:00Z")).unwrap(), Some(time("2026-03-01T09:40:00Z")));
        assert_eq!(often.next_after(time("2026-03-01T09:40:00Z")).unwrap(), Some(time("2026-03-01T10:00:00Z")));
        assert_eq!(often.interval(time("2026-03-01T09:31:00Z")).unwrap(), Duration::from_secs(1200));
        assert_eq!(Schedule::Every(DEADLINE).next_after(time("2026-03-01T09:31:00Z")).unwrap(), None);
    }
}
