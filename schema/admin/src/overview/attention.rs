//! Pending items for staff: their kinds, the scopes that reach each kind, the operation that handles it, and the age at
//! which it becomes urgent.

use labs_core::describe::OutputType;
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;

words! {
    /// Kind of pending items. Kinds may be added.
    pub enum AttentionKind {
        /// Appeals that wait for another reviewer.
        AppealWaiting = "APPEAL_WAITING",
        /// Open reports on feature requests and comments.
        BoardReported = "BOARD_REPORTED",
        /// Declined feature requests with at least ten votes and a quarter more votes since they were declined. Their
        /// waiting time starts when they were declined.
        FeatureRequestGrowing = "FEATURE_REQUEST_GROWING",
        /// Job runs that a replica interrupted within a day.
        JobBrokenOff = "JOB_BROKEN_OFF",
        /// Jobs whose last runs failed.
        JobFailing = "JOB_FAILING",
        /// Job runs that exceed their deadline.
        JobOverrun = "JOB_OVERRUN",
        /// Paused jobs.
        JobPaused = "JOB_PAUSED",
        /// Mail messages of the last 30 days that could not be delivered.
        MailFailed = "MAIL_FAILED",
        /// Partner accounts that will be closed within seven days.
        PartnerClosing = "PARTNER_CLOSING",
        /// New names of companies with published listings. Staff confirm or reject them.
        PartnerRenaming = "PARTNER_RENAMING",
        /// Customer reviews that their partner flagged.
        ReviewFlagged = "REVIEW_FLAGGED",
        /// Customer reviews that customers reported.
        ReviewReported = "REVIEW_REPORTED",
        /// Customer reviews with a text that waits for a moderator.
        ReviewWaiting = "REVIEW_WAITING",
        /// Secrets of machine clients that expire within 14 days. Their waiting time starts 14 days before the expiry.
        SecretExpiring = "SECRET_EXPIRING",
        /// Completed days without imported statistics.
        StatisticsMissing = "STATISTICS_MISSING",
        /// Submissions and appeals without a decision after their due date.
        SubmissionOverdue = "SUBMISSION_OVERDUE",
        /// Submissions that wait for a reviewer.
        SubmissionWaiting = "SUBMISSION_WAITING",
        /// Support tickets whose partner waits for a reply.
        TicketWaiting = "TICKET_WAITING",
        /// Pending tier change requests.
        TierRequestWaiting = "TIER_REQUEST_WAITING",
    }
}

words! {
    /// Urgency of the items.
    pub enum AttentionSeverity {
        /// A person has waited too long, or something is broken.
        High = "HIGH",
        /// The items wait, but not too long yet.
        Normal = "NORMAL",
        /// For information.
        Low = "LOW",
    }
}

/// Place where items of a kind are handled.
pub(super) struct ActionLink {
    /// Scope that the operation requires.
    pub(super) scope: &'static str,
    /// Operation id.
    pub(super) operation_id: &'static str,
    /// Path of the operation, filtered to the pending items.
    pub(super) link: &'static str,
}

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

const fn door(scope: &'static str, operation_id: &'static str, link: &'static str) -> ActionLink {
    ActionLink { scope, operation_id, link }
}

impl AttentionKind {
    /// Returns the operation that handles this kind.
    pub(super) const fn door(self) -> ActionLink {
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

    /// Computes the urgency from the age of the oldest item: each kind has a maximum age, and some kinds are never
    /// urgent.
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
            // The secret expires within three days.
            Self::SecretExpiring => (AttentionSeverity::Low, 11 * DAY),
            Self::FeatureRequestGrowing | Self::JobBrokenOff | Self::JobPaused | Self::PartnerClosing => {
                (AttentionSeverity::Low, i64::MAX)
            }
        };
        if now.seconds_since(oldest_at) >= patience { AttentionSeverity::High } else { first }
    }
}

/// Pending items of one kind.
pub(super) struct WaitingRow {
    pub(super) kind: AttentionKind,
    pub(super) number: i64,
    pub(super) oldest_at: Time,
}

/// Pending items of one kind.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct AttentionItem {
    /// Kind of the items.
    kind: AttentionKind,
    /// Number of items.
    count: i64,
    /// Time since which the oldest item has waited.
    oldest_at: Time,
    /// Urgency of the items.
    severity: AttentionSeverity,
    /// Path where the items are handled.
    link: String,
    /// Operation id of this path.
    operation_id: String,
}

impl AttentionItem {
    /// Converts a row to its representation.
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
#[derive(Debug, Serialize, OutputType)]
pub(super) struct PlatformAttention {
    /// Pending items by kind, oldest first.
    pub(super) data: Vec<AttentionItem>,
    /// Kinds that the caller's scopes do not cover.
    pub(super) left_out: Vec<AttentionKind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attention_severity_grows_with_waiting_time() {
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
