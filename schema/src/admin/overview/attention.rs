//! What waits for somebody: of which kinds, who reaches each, where it is done, and when it becomes pressing.

use async_graphql::SimpleObject;
use serde::Serialize;

use crate::core::time::Time;
use crate::core::words::words;

words! {
    /// A kind of thing that waits for somebody.
    pub(crate) enum AttentionKind {
        /// Appeals that wait for another reviewer.
        AppealWaiting = "APPEAL_WAITING",
        /// Reports on feature requests and comments that are open.
        BoardReported = "BOARD_REPORTED",
        /// Feature requests that were declined and go on gathering votes.
        FeatureRequestGrowing = "FEATURE_REQUEST_GROWING",
        /// Runs of jobs that a replica broke off within a day.
        JobBrokenOff = "JOB_BROKEN_OFF",
        /// Jobs whose last runs failed.
        JobFailing = "JOB_FAILING",
        /// Runs of jobs that take longer than they should.
        JobOverrun = "JOB_OVERRUN",
        /// Jobs that are paused.
        JobPaused = "JOB_PAUSED",
        /// Mails of the last 30 days that could not be delivered.
        MailFailed = "MAIL_FAILED",
        /// Accounts that are closed within seven days.
        PartnerClosing = "PARTNER_CLOSING",
        /// New names of companies with published listings.
        PartnerRenaming = "PARTNER_RENAMING",
        /// Reviews that their partner flagged.
        ReviewFlagged = "REVIEW_FLAGGED",
        /// Reviews that customers reported.
        ReviewReported = "REVIEW_REPORTED",
        /// Reviews of which a text waits for a moderator.
        ReviewWaiting = "REVIEW_WAITING",
        /// Secrets of programs that expire within 14 days.
        SecretExpiring = "SECRET_EXPIRING",
        /// Completed days of which no statistics were imported.
        StatisticsMissing = "STATISTICS_MISSING",
        /// Submissions and appeals that are not decided though it was promised.
        SubmissionOverdue = "SUBMISSION_OVERDUE",
        /// Submissions that wait for a reviewer.
        SubmissionWaiting = "SUBMISSION_WAITING",
        /// Tickets whose partner waits for an answer.
        TicketWaiting = "TICKET_WAITING",
        /// Requests for another tier.
        TierRequestWaiting = "TIER_REQUEST_WAITING",
    }
}

words! {
    /// How pressing something is.
    pub(crate) enum AttentionSeverity {
        /// Somebody outside waits too long, or something is broken.
        High = "HIGH",
        /// It waits, and not for too long yet.
        Normal = "NORMAL",
        /// Worth knowing.
        Low = "LOW",
    }
}

/// Where something is done.
pub(super) struct Door {
    /// The scope that opens it.
    pub(super) scope: &'static str,
    /// The operation.
    pub(super) operation_id: &'static str,
    /// Its path, narrowed to what waits.
    pub(super) link: &'static str,
}

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

const fn door(scope: &'static str, operation_id: &'static str, link: &'static str) -> Door {
    Door { scope, operation_id, link }
}

impl AttentionKind {
    /// Where it is done.
    pub(super) const fn door(self) -> Door {
        const REVIEWS: &str = "labs.admin.submissions";
        const QUEUE: &str = "marketplace_submissions_list";
        const MODERATION: &str = "marketplace_moderation_list_reviews";
        const OPERATIONS: &str = "labs.admin.operations";
        const BOARD: &str = "labs.admin.engagement";
        match self {
            Self::AppealWaiting => {
                door(REVIEWS, QUEUE, "/v1/marketplace/internal/submissions?waiting_on=REVIEWERS&appeal=true")
            }
            Self::SubmissionOverdue => {
                door(REVIEWS, QUEUE, "/v1/marketplace/internal/submissions?waiting_on=REVIEWERS")
            }
            Self::SubmissionWaiting => {
                door(REVIEWS, QUEUE, "/v1/marketplace/internal/submissions?waiting_on=REVIEWERS&appeal=false")
            }
            Self::BoardReported => {
                door(BOARD, "engagement_reports_list", "/v1/engagement/internal/reports?outcome=OPEN")
            }
            Self::FeatureRequestGrowing => door(
                BOARD,
                "engagement_moderation_list_feature_requests",
                "/v1/engagement/internal/feature-requests?status=DECLINED&sort=-votes",
            ),
            Self::JobBrokenOff | Self::JobFailing => door(OPERATIONS, "admin_jobs_list", "/v1/admin/jobs"),
            Self::JobOverrun => door(OPERATIONS, "admin_jobs_list", "/v1/admin/jobs?state=OVERRUN"),
            Self::JobPaused => door(OPERATIONS, "admin_jobs_list", "/v1/admin/jobs?state=PAUSED"),
            Self::MailFailed => door(OPERATIONS, "admin_mail_messages_list", "/v1/admin/mail-messages?state=FAILED"),
            Self::PartnerClosing => {
                door("labs.admin.partners", "admin_partners_list", "/v1/admin/partners?state=CLOSING")
            }
            Self::PartnerRenaming => {
                door("labs.admin.partners", "admin_partners_list", "/v1/admin/partners?pending_name=true")
            }
            Self::ReviewFlagged => {
                door("labs.admin.reviews", MODERATION, "/v1/marketplace/internal/reviews?flagged=true")
            }
            Self::ReviewReported => {
                door("labs.admin.reviews", MODERATION, "/v1/marketplace/internal/reviews?reported=true")
            }
            Self::ReviewWaiting => door("labs.admin.reviews", MODERATION, "/v1/marketplace/internal/reviews"),
            Self::SecretExpiring => {
                door("labs.admin.clients", "admin_machine_clients_list", "/v1/admin/machine-clients?state=ACTIVE")
            }
            Self::StatisticsMissing => {
                door("labs.admin.statistics", "statistics_imports_list_runs", "/v1/statistics/import-runs")
            }
            Self::TicketWaiting => {
                door("labs.admin.support", "partner_support_desk_list", "/v1/support-desk/tickets?state=OPEN")
            }
            Self::TierRequestWaiting => door(
                "labs.admin.subscriptions",
                "admin_tier_change_requests_list",
                "/v1/admin/tier-change-requests?state=PENDING",
            ),
        }
    }

    /// How pressing it is when the oldest waits since then: by how long it may wait, and what is never pressing.
    pub(super) fn severity(self, oldest_at: Time, now: Time) -> AttentionSeverity {
        let (first, patience) = match self {
            Self::JobOverrun | Self::StatisticsMissing | Self::SubmissionOverdue => (AttentionSeverity::Normal, 0),
            Self::JobFailing | Self::MailFailed => (AttentionSeverity::Normal, HOUR),
            Self::BoardReported | Self::ReviewFlagged | Self::ReviewReported | Self::TicketWaiting => {
                (AttentionSeverity::Normal, 2 * DAY)
            }
            Self::AppealWaiting | Self::PartnerRenaming | Self::ReviewWaiting | Self::SubmissionWaiting => {
                (AttentionSeverity::Normal, 3 * DAY)
            }
            Self::TierRequestWaiting => (AttentionSeverity::Normal, 5 * DAY),
            // It expires within three days.
            Self::SecretExpiring => (AttentionSeverity::Low, 11 * DAY),
            Self::FeatureRequestGrowing | Self::JobBrokenOff | Self::JobPaused | Self::PartnerClosing => {
                (AttentionSeverity::Low, i64::MAX)
            }
        };
        if now.seconds_since(oldest_at) >= patience { AttentionSeverity::High } else { first }
    }
}

/// Things of one kind that wait.
pub(super) struct WaitingRow {
    pub(super) kind: AttentionKind,
    pub(super) number: i64,
    pub(super) oldest_at: Time,
}

/// Pending items of one kind.
#[derive(Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AttentionItem {
    /// What they are.
    kind: AttentionKind,
    /// Number of items.
    count: i64,
    /// Time since when the oldest item waits.
    oldest_at: Time,
    /// How pressing that is.
    severity: AttentionSeverity,
    /// Path where the items are handled.
    link: String,
    /// Operation id of this path.
    operation_id: String,
}

impl AttentionItem {
    /// A row as it is told.
    pub(super) fn of(row: &WaitingRow, now: Time) -> Self {
        let door = row.kind.door();
        Self {
            kind: row.kind,
            count: row.number,
            oldest_at: row.oldest_at,
            severity: row.kind.severity(row.oldest_at, now),
            link: door.link.to_owned(),
            operation_id: door.operation_id.to_owned(),
        }
    }
}

/// Items that need attention.
#[derive(Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PlatformAttention {
    /// Pending items by kind, oldest first.
    pub(super) data: Vec<AttentionItem>,
    /// Kinds that the caller's scopes do not reach.
    pub(super) left_out: Vec<AttentionKind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_becomes_pressing_with_time_and_some_of_it_never_does() {
        let now: Time = "2026-11-25T12:00:00Z".parse().unwrap();
        let since = |kind: AttentionKind, hours: i64| kind.severity(now.plus_seconds(-hours * HOUR), now);
        assert_eq!(since(AttentionKind::TicketWaiting, 47), AttentionSeverity::Normal);
        assert_eq!(since(AttentionKind::TicketWaiting, 48), AttentionSeverity::High);
        assert_eq!(since(AttentionKind::SubmissionOverdue, 0), AttentionSeverity::High);
        assert_eq!(since(AttentionKind::SecretExpiring, 10 * 24), AttentionSeverity::Low);
        assert_eq!(since(AttentionKind::SecretExpiring, 11 * 24), AttentionSeverity::High);
        assert_eq!(since(AttentionKind::JobPaused, 9000), AttentionSeverity::Low);
    }
}
