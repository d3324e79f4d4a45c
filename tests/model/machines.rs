//! State machines: the transitions of `schema/states.md`, the operations that act on them, and the partners.

/// Partner of a principal or of an object.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Company {
    /// On GROWTH, with an object of each kind.
    Growth,
    /// On FREE, with an object of each kind.
    Free,
    /// On SCALE.
    Scale,
    /// Its security policy demands a second factor.
    Strict,
    /// Closing.
    Closing,
    /// Suspended.
    Suspended,
    /// Closed.
    Closed,
    /// Object of staff operations, with an object of each kind.
    Target,
}

impl Company {
    /// All partners.
    pub(crate) const ALL: [Self; 8] = [
        Self::Growth,
        Self::Free,
        Self::Scale,
        Self::Strict,
        Self::Closing,
        Self::Suspended,
        Self::Closed,
        Self::Target,
    ];

    /// Whether the partner has an object of each kind.
    pub(crate) fn has_objects(self) -> bool {
        matches!(self, Self::Growth | Self::Free | Self::Target)
    }

    /// Code of its tier.
    pub(crate) fn tier(self) -> &'static str {
        match self {
            Self::Growth | Self::Target => "GROWTH",
            Self::Scale => "SCALE",
            _ => "FREE",
        }
    }

    /// Whether its tier grants a scope: FREE grants every scope but `statistics`.
    pub(crate) fn tier_grants(self, needed: &str) -> bool {
        self.tier() != "FREE" || !needed.starts_with("statistics")
    }
}

/// The 17 machines of `schema/states.md`.
const DRAWN: &str = include_str!("../../schema/states.md");

/// Marks that behave like states and are no machine of `schema/states.md`: heading, state, action, state.
const MARKS: &[(&str, &str, &str, &str)] = &[
    ("Job", "SCHEDULED", "pause", "PAUSED"),
    ("Job", "PAUSED", "resume", "SCHEDULED"),
    ("Machine client", "ACTIVE", "disable", "DISABLED"),
    ("Machine client", "DISABLED", "enable", "ACTIVE"),
    ("Staff member", "ACTIVE", "disable", "DISABLED"),
    ("Staff member", "DISABLED", "enable", "ACTIVE"),
    ("Comment", "SHOWN", "suspend", "REMOVED"),
    ("Comment", "REMOVED", "reinstate", "SHOWN"),
    ("Report", "OPEN", "resolve", "RESOLVED"),
    ("Board entry", "PLAIN", "pin", "PINNED"),
    ("Board entry", "PLAIN", "lock", "LOCKED"),
    ("Board entry", "PLAIN", "suspend", "SUSPENDED"),
    ("Board entry", "PLAIN", "merge", "MERGED"),
    ("Board entry", "PLAIN", "answer", "PLAIN"),
    ("Board entry", "PINNED", "unpin", "PLAIN"),
    ("Board entry", "PINNED", "lock", "LOCKED"),
    ("Board entry", "PINNED", "suspend", "SUSPENDED"),
    ("Board entry", "PINNED", "merge", "MERGED"),
    ("Board entry", "PINNED", "answer", "PINNED"),
    ("Board entry", "LOCKED", "pin", "PINNED"),
    ("Board entry", "LOCKED", "unlock", "PLAIN"),
    ("Board entry", "LOCKED", "suspend", "SUSPENDED"),
    ("Board entry", "LOCKED", "merge", "MERGED"),
    ("Board entry", "LOCKED", "answer", "LOCKED"),
    ("Board entry", "SUSPENDED", "reinstate", "PLAIN"),
    ("Board entry", "SUSPENDED", "lock", "LOCKED"),
    ("Board entry", "MERGED", "unmerge", "PLAIN"),
    ("Board entry", "MERGED", "suspend", "SUSPENDED"),
];

/// Operations on an object with a state: the machine and the action. An empty action is an operation whose outcome
/// depends on the state without being a transition.
const ACTIONS: &[(&str, &str, &str)] = &[
    ("admin_partners_suspend", "Partner", "suspend"),
    ("admin_partners_reinstate", "Partner", "reinstate"),
    ("admin_partners_close", "Partner", "close"),
    ("admin_partners_reopen", "Partner", "reopen"),
    ("admin_partners_erase", "Partner", "erase"),
    ("partner_account_request_closure", "Partner", "request-closure"),
    ("partner_account_cancel_closure", "Partner", "cancel-closure"),
    ("admin_users_verify_email", "Partner user", "verify-email"),
    ("admin_users_lock", "Partner user", "lock"),
    ("admin_users_unlock", "Partner user", "unlock"),
    ("admin_team_members_remove", "Partner user", "remove"),
    ("partner_team_members_suspend", "Partner user", "suspend"),
    ("partner_team_members_reinstate", "Partner user", "reinstate"),
    ("partner_team_members_remove", "Partner user", "remove"),
    ("partner_invitations_resend", "Invitation", "resend"),
    ("partner_invitations_revoke", "Invitation", "revoke"),
    ("admin_invitations_resend", "Invitation", "resend"),
    ("admin_invitations_revoke", "Invitation", "revoke"),
    ("admin_mail_messages_retry", "Mail message", "retry"),
    ("marketplace_apps_archive", "App", "archive"),
    ("marketplace_apps_restore", "App", "restore"),
    ("marketplace_apps_unlist", "App", "unlist"),
    ("marketplace_apps_relist", "App", "relist"),
    ("marketplace_submissions_suspend_listing", "App", "suspend"),
    ("marketplace_submissions_reinstate_listing", "App", "reinstate"),
    ("marketplace_versions_submit", "App version", "submit"),
    ("marketplace_versions_withdraw", "App version", "withdraw"),
    ("marketplace_versions_publish", "App version", "publish"),
    ("marketplace_versions_update", "App version", "update"),
    ("marketplace_versions_delete", "App version", "delete"),
    ("marketplace_submissions_claim", "App version", "claim"),
    ("marketplace_submissions_unclaim", "App version", "unclaim"),
    ("marketplace_submissions_approve", "App version", "approve"),
    ("marketplace_submissions_request_changes", "App version", "request-changes"),
    ("marketplace_submissions_reject", "App version", "reject"),
    ("marketplace_categories_activate", "Category", "activate"),
    ("marketplace_categories_deactivate", "Category", "deactivate"),
    ("marketplace_categories_move", "Category", "move"),
    ("marketplace_moderation_approve_review", "Customer review", "approve"),
    ("marketplace_moderation_reject_review", "Customer review", "reject"),
    ("marketplace_reviews_put_reply", "Customer review", ""),
    ("marketplace_reviews_flag", "Customer review", ""),
    ("partner_support_tickets_reply", "Support ticket", "reply"),
    ("partner_support_tickets_close", "Support ticket", "close"),
    ("partner_support_desk_post_message", "Support ticket", "answer"),
    ("partner_support_desk_update", "Support ticket", "resolve"),
    ("partner_profile_publish", "Profile", "publish"),
    ("partner_profile_unpublish", "Profile", "unpublish"),
    ("admin_profiles_unpublish", "Profile", "take-down"),
    ("partner_data_exports_download", "Data export", ""),
    ("engagement_moderation_change_status", "Feature request", "change-status"),
    ("engagement_feature_requests_edit", "Feature request", ""),
    ("engagement_votes_cast", "Feature request", ""),
    ("publication_items_schedule", "Publication item", "schedule"),
    ("publication_items_release", "Publication item", "release"),
    ("publication_items_withdraw", "Publication item", "withdraw"),
    ("publication_items_delete", "Publication item", "delete"),
    ("admin_statistics_imports_get", "Statistics import", ""),
    ("subscription_tiers_offer", "Tier", "offer"),
    ("subscription_tiers_retire", "Tier", "retire"),
    ("subscription_current_cancel", "Subscription", "cancel"),
    ("subscription_current_resume", "Subscription", "resume"),
    ("admin_subscriptions_cancel", "Subscription", "cancel"),
    ("admin_subscriptions_extend", "Subscription", "extend"),
    ("admin_subscriptions_change_tier", "Subscription", "change-tier"),
    ("subscription_change_requests_withdraw", "Tier change request", "withdraw"),
    ("admin_tier_change_requests_approve", "Tier change request", "approve"),
    ("admin_tier_change_requests_reject", "Tier change request", "reject"),
    ("admin_jobs_pause", "Job", "pause"),
    ("admin_jobs_resume", "Job", "resume"),
    ("admin_machine_clients_disable", "Machine client", "disable"),
    ("admin_machine_clients_enable", "Machine client", "enable"),
    ("admin_staff_disable", "Staff member", "disable"),
    ("admin_staff_enable", "Staff member", "enable"),
    ("engagement_moderation_suspend_comment", "Comment", "suspend"),
    ("engagement_moderation_reinstate_comment", "Comment", "reinstate"),
    ("engagement_comments_edit", "Comment", ""),
    ("engagement_reports_resolve", "Report", "resolve"),
    ("engagement_moderation_pin", "Board entry", "pin"),
    ("engagement_moderation_unpin", "Board entry", "unpin"),
    ("engagement_moderation_lock_comments", "Board entry", "lock"),
    ("engagement_moderation_unlock_comments", "Board entry", "unlock"),
    ("engagement_moderation_suspend_feature_request", "Board entry", "suspend"),
    ("engagement_moderation_reinstate_feature_request", "Board entry", "reinstate"),
    ("engagement_moderation_merge", "Board entry", "merge"),
    ("engagement_moderation_unmerge", "Board entry", "unmerge"),
    ("engagement_moderation_answer", "Board entry", "answer"),
    ("engagement_feature_requests_get", "Board entry", ""),
    ("engagement_feature_requests_follow", "Board entry", ""),
    ("engagement_comments_add", "Board entry", ""),
];

/// State that no diagram draws, because no action leads to it or from it.
const UNDRAWN: &[(&str, &str)] = &[("Mail message", "SENT")];

/// Returns the machine and the action of an operation.
pub(crate) fn action_of(operation: &str) -> Option<(&'static str, &'static str)> {
    ACTIONS.iter().find(|(id, _, _)| *id == operation).map(|(_, machine, action)| (*machine, *action))
}

/// Returns the transitions of a machine: state, action, state.
fn steps(machine: &str) -> Vec<(&'static str, &'static str, &'static str)> {
    let marks =
        MARKS.iter().filter(|(heading, ..)| *heading == machine).map(|(_, from, action, to)| (*from, *action, *to));
    let picture = DRAWN.split("\n## ").find(|section| section.lines().next() == Some(machine)).unwrap_or_default();
    let lines = picture.lines().filter_map(|line| line.trim().split_once(" --> "));
    lines.filter_map(|(from, rest)| rest.split_once(": ").map(|(to, action)| (from, action, to))).chain(marks).collect()
}

/// Whether a machine has an action in a state.
pub(crate) fn allows(machine: &str, state: &str, action: &str) -> bool {
    steps(machine).iter().any(|(from, known, _)| *from == state && *known == action)
}

/// Returns every state of a machine.
pub(crate) fn states(machine: &str) -> Vec<&'static str> {
    let undrawn = UNDRAWN.iter().filter(|(heading, _)| *heading == machine).map(|(_, state)| *state);
    let drawn = steps(machine).into_iter().flat_map(|(from, _, to)| [from, to]).filter(|state| *state != "[*]");
    let mut all: Vec<&str> = drawn.chain(undrawn).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the states of an operation's object in which its caller can meet it.
pub(crate) fn states_for(operation: &str) -> Vec<&'static str> {
    let Some((machine, _)) = action_of(operation) else { return Vec::new() };
    let all = states(machine).into_iter();
    // No user or machine client of a partner that is suspended, closed or erased can call the service.
    let is_own = operation.starts_with("partner_account_");
    all.filter(|state| !is_own || matches!(*state, "ACTIVE" | "CLOSING")).collect()
}

/// Returns the headings of the machines of `schema/states.md`.
pub(crate) fn drawn_machines() -> impl Iterator<Item = &'static str> {
    DRAWN.split("\n## ").skip(1).filter_map(|section| section.lines().next())
}
