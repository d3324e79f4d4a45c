//! What an archive does not hold, with the reason that its reader is told.

/// Tables that hold something of a partner or its people and do not go into an archive: the table, and why.
pub(super) const WITHHELD: &[(&str, &str)] = &[
    ("access_token_revocation", "tokens that were ended, by their id alone"),
    (
        "app_statistic",
        "what the platform reports of your apps' customers; read it under the scope statistics, as CSV too",
    ),
    ("app_transfer", "which apps came from others or went to them; the history of each app tells when"),
    ("audit_change", "belongs to the operator's audit log"),
    (
        "audit_log",
        "the operator's audit log; what staff did with your account stands in the histories and in staff_access",
    ),
    (
        "collection_listing",
        "which listings the operator puts together; collections that are on show tell it to everybody",
    ),
    ("contract_release", "the contracts that the service served; the changelog tells what changed"),
    ("customer_review_report", "what customers report of others' reviews, for the operator's people"),
    ("daily_budget", "how much of a day's budget our servers hold; your requests stand in request_usage"),
    ("deprecation", "what of the API is to go; the changelog and your use of the API tell it"),
    ("deprecation_reminder", "that you were told of it; the mails stand in mail_message"),
    ("idempotency_key", "answers that are kept sealed for a day"),
    ("listing_change", "tells caches of the storefront that a listing changed, and nothing more"),
    ("listing_document", "what the search reads of your listings; their texts stand in listing_translation"),
    ("machine_client_secret", "secrets of your programs"),
    ("network_denial", "networks that the operator refuses"),
    ("one_time_token", "secrets that were mailed"),
    ("partner_activity", "the last day on which you were active; your sign-ins and calls stand in tables of their own"),
    ("partner_daily_use", "how much of today's uploads and invitations is used, for two days"),
    ("partner_note", "what the operator's people note for themselves"),
    ("partner_statistic", "the same of all your apps together"),
    ("publication_item", "what the operator writes for everybody; what is released of it can be read without a token"),
    ("publication_slug", "the addresses of the same"),
    ("publication_transition", "who of the operator's people released it, and when"),
    ("recovery_code", "secrets of your people"),
    ("review_thread_read", "until where your people have read what reviewers wrote"),
    ("sign_in_failure", "failed tries that hold a sign-in back; what concerns your people stands in security_event"),
    ("staff_role_grant", "rights of the operator's own people"),
    ("support_note", "what the support notes for itself"),
    ("totp_factor", "secrets of your people"),
];
