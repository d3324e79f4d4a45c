//! Next step of a reader after a notice.
//!
//! A notice about something that the reader can look at or do ends with the address of a page that runs the operation:
//! the account page that requests a new password, or the operation's page in the reference, which also explains it. Any
//! browser opens it, and it needs no id of the reader's objects.

use crate::message::{
    BoardNews, ClosingStep, Decision, ListingEvent, Membership, MembershipChange, Notice, ReviewNews, SecurityEvent,
};
use crate::subscription::SubscriptionNews;

/// Returns the operation of the next step. `None` if the text has an address itself.
pub(super) fn next_operation(notice: &Notice) -> Option<&'static str> {
    Some(match notice {
        Notice::AlreadyRegistered { .. } | Notice::EmailTaken { .. } => "auth_passwords_request_reset",
        Notice::Security { event, .. } => after_security_event(*event),
        Notice::PartnerSuspended { .. } | Notice::PartnerReinstated { .. } => "auth_sessions_create",
        Notice::NameDecided { .. } => "partner_account_get",
        Notice::PartnerClosing { step: ClosingStep::Requested { .. }, .. } => "partner_account_cancel_closure",
        Notice::PartnerClosing { .. } => "partner_account_get",
        Notice::DataExport { until: Some(_), .. } => "partner_data_exports_download",
        Notice::DataExport { until: None, .. } => "partner_data_exports_create",
        Notice::SubmissionDecided { decision, .. } => match decision {
            Decision::Approved | Decision::AppealUpheld => "marketplace_versions_publish",
            Decision::ChangesRequested | Decision::Rejected => "marketplace_versions_submit",
            Decision::AppealDenied => "marketplace_versions_create",
        },
        Notice::Listing(notice) => match notice.event {
            ListingEvent::Suspended | ListingEvent::GivenAway => "partner_support_tickets_open",
            ListingEvent::Reinstated => "marketplace_apps_get",
            ListingEvent::Received => "marketplace_apps_update",
        },
        Notice::Membership(membership) => after_change(membership),
        Notice::Subscription(notice) => match notice.news {
            SubscriptionNews::WillEnd => "subscription_current_resume",
            SubscriptionNews::RequestRejected => "subscription_change_requests_create",
            SubscriptionNews::Ended => "subscription_entitlements_get",
            _ => "subscription_current_get",
        },
        Notice::Board(notice) => match notice.news {
            BoardNews::RequestSuspended { .. } | BoardNews::CommentSuspended { .. } => "partner_support_tickets_open",
            BoardNews::RequestReinstated => "engagement_feature_requests_get",
            BoardNews::CommentReinstated => "engagement_comments_list",
        },
        Notice::Review(notice) => match notice.news {
            ReviewNews::Shown | ReviewNews::FlagDismissed => "marketplace_reviews_put_reply",
            ReviewNews::FlagUpheld => "marketplace_reviews_list",
        },
        Notice::Quota(_) => "subscription_usage_get",
        Notice::VersionReview(_) | Notice::Ticket(_) | Notice::BoardWeek(_) | Notice::Deprecation(_) => return None,
    })
}

/// Returns the path of the page on which the reader runs an operation. A new password is requested on the account page,
/// all others run on their page of the reference.
pub(super) fn page_of(operation: &str) -> String {
    match operation {
        "auth_passwords_request_reset" => "/account/forgot-password".to_owned(),
        other => format!("/reference/operations/{other}"),
    }
}

/// Returns the way to check or undo a security event.
const fn after_security_event(event: SecurityEvent) -> &'static str {
    match event {
        SecurityEvent::PasswordChanged
        | SecurityEvent::PasswordReset
        | SecurityEvent::WrongCodes
        | SecurityEvent::AccountLocked => "auth_passwords_request_reset",
        SecurityEvent::SecondFactorDisabled | SecurityEvent::SecondFactorReset => "auth_mfa_enrol_totp",
        SecurityEvent::RecoveryCodeUsed => "auth_mfa_regenerate_recovery_codes",
        SecurityEvent::RefreshReused | SecurityEvent::AccountUnlocked => "auth_sessions_create",
        SecurityEvent::SecondFactorEnabled | SecurityEvent::RecoveryCodesRegenerated | SecurityEvent::EmailChanged => {
            "auth_account_list_security_events"
        }
    }
}

const fn after_change(membership: &Membership) -> &'static str {
    match membership.change {
        MembershipChange::Role { .. } => "system_me_get",
        MembershipChange::Suspended | MembershipChange::Reinstated => "auth_sessions_create",
        MembershipChange::Removed | MembershipChange::Left => "auth_registrations_create",
    }
}
