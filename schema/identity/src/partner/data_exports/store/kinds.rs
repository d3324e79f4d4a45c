//! Tables of a data export, with the excluded data and the reasons.
//!
//! Each table is a file of JSON Lines with its column names. The function `data_export_line` omits secrets and the
//! staff members who acted. Actors of an app's former owner are omitted, and events of a user from before they joined
//! the team. A table with a partner's data in neither [`KINDS`] nor [`crate::partner::data_exports::withheld`] fails
//! the test of the archive.

use futures_util::stream::BoxStream;
use labs_core::access::list_disclosed;
use sqlx::PgConnection;
use uuid::Uuid;

/// Stream of the lines of a table.
pub(in crate::partner::data_exports) type Lines<'c> = BoxStream<'c, Result<String, sqlx::Error>>;

/// A table of a data export.
pub(in crate::partner::data_exports) struct Kind {
    /// Name of the table, or a name for the exported part of a table; with `.jsonl` the file name.
    pub(in crate::partner::data_exports) table: &'static str,
    /// Scope under which the API reads, or would read, this data.
    pub(in crate::partner::data_exports) scope: &'static str,
    /// Description of its lines.
    pub(in crate::partner::data_exports) about: &'static str,
    /// Rows of the partner.
    pub(in crate::partner::data_exports) lines: for<'c> fn(&'c mut PgConnection, Uuid) -> Lines<'c>,
}

/// Defines a table of a data export. The statement selects the partner's rows by `$1` and further values.
macro_rules! kind {
    ($table:literal, $scope:literal, $about:literal, $sql:literal $(, $value:expr)*) => {
        Kind {
            table: $table,
            scope: $scope,
            about: $about,
            lines: |connection, partner| sqlx::query_scalar!($sql, partner $(, $value)*).fetch(connection),
        }
    };
}

/// Tables of a data export.
pub(in crate::partner::data_exports) const KINDS: &[Kind] = &[
    // The company.
    kind!(
        "partner",
        "partner",
        "your company's record",
        r#"select data_export_line(to_jsonb(t), 'labels', 'state_reason') as "line!" from partner as t where partner_uuid = $1"#
    ),
    kind!(
        "partner_profile",
        "partner",
        "your profile: the draft and the last published copy",
        r#"select data_export_line(to_jsonb(t)) as "line!" from partner_profile as t where partner_uuid = $1"#
    ),
    kind!(
        "partner_image",
        "partner",
        "logo and banner; the files are in media/profile",
        r#"select data_export_line(to_jsonb(t), 'object_key', 'variants', 'renditions', 'renditions_due') as "line!" from partner_image as t where partner_uuid = $1"#
    ),
    kind!(
        "partner_event",
        "partner",
        "the history of your account",
        r#"select data_export_line(to_jsonb(t)) as "line!" from partner_event as t where partner_uuid = $1
            order by occurred_at, event_uuid"#
    ),
    // Equals the list of the account's events. Each root field declares which data its operation discloses.
    kind!(
        "staff_access",
        "partner",
        "operations of the platform's staff on your account, in addition to its histories",
        r#"select data_export_line(jsonb_build_object('event_uuid', h.event_uuid, 'occurred_at', h.occurred_at,
                  'operation', h.operation, 'subject_uuid', h.subject_uuid,
                  'reason', case when h.operation = any($3) then h.reason end)) as "line!"
             from partner_account_history as h
            where h.partner_uuid = $1 and h.event_group = 'STAFF' and h.is_shown and h.operation = any($2)
            order by h.occurred_at, h.event_uuid"#,
        &list_disclosed().operations,
        &list_disclosed().reasons
    ),
    kind!(
        "data_export",
        "partner",
        "your data exports",
        r#"select data_export_line(to_jsonb(t), 'error', 'attempts', 'claimed_until') as "line!" from data_export as t
            where partner_uuid = $1"#
    ),
    kind!(
        "partner_contact",
        "partner",
        "contacts of your company",
        r#"select data_export_line(to_jsonb(t)) as "line!" from partner_contact as t where partner_uuid = $1"#
    ),
    kind!(
        "support_ticket",
        "partner",
        "your support tickets",
        r#"select data_export_line(to_jsonb(t), 'assignee_uuid', 'urgency', 'updated_at') as "line!"
             from support_ticket as t where partner_uuid = $1"#
    ),
    kind!(
        "support_message",
        "partner",
        "the messages of these tickets",
        r#"select case m.side when 'SUPPORT' then data_export_line(to_jsonb(m), 'author_uuid')
                  else data_export_line(to_jsonb(m)) end as "line!"
             from support_ticket as t join support_message as m using (ticket_uuid)
            where t.partner_uuid = $1 order by m.created_at, m.message_uuid"#
    ),
    // Users.
    kind!(
        "person",
        "partner",
        "the users of your team, including former ones",
        r#"select data_export_line(to_jsonb(t)) as "line!" from person as t where partner_uuid = $1"#
    ),
    kind!(
        "invitation",
        "partner",
        "invitations to your team",
        r#"select data_export_line(to_jsonb(t)) as "line!" from invitation as t where partner_uuid = $1"#
    ),
    kind!(
        "session",
        "partner",
        "recent sessions of your users",
        r#"select data_export_line(to_jsonb(t)) as "line!" from person as p join session as t using (person_uuid)
            where p.partner_uuid = $1 and t.created_at >= person_joined_at(p.person_uuid, p.partner_uuid)"#
    ),
    kind!(
        "email_change",
        "partner",
        "changes of your users' e-mail addresses",
        r#"select data_export_line(to_jsonb(t)) as "line!" from person as p join email_change as t using (person_uuid)
            where p.partner_uuid = $1 and t.requested_at >= person_joined_at(p.person_uuid, p.partner_uuid)"#
    ),
    kind!(
        "security_event",
        "partner",
        "security events of your users and machine clients",
        r#"select data_export_line(to_jsonb(t)) as "line!" from security_event as t where partner_uuid = $1
            order by occurred_at, event_uuid"#
    ),
    kind!(
        "mail_message",
        "partner",
        "the mail messages that were sent to your company and its users, without their content",
        r#"select data_export_line(to_jsonb(t), 'last_error', 'attempts', 'next_attempt_at', 'about_partner_uuid',
                                 'asked_from') as "line!"
             from mail_message as t where partner_uuid = $1
           union all
           select data_export_line(to_jsonb(t), 'last_error', 'attempts', 'next_attempt_at', 'about_partner_uuid',
                                 'asked_from')
             from person as p join mail_message as t using (person_uuid)
            where p.partner_uuid = $1 and t.partner_uuid is null
              and t.created_at >= person_joined_at(p.person_uuid, p.partner_uuid)"#
    ),
    // Machine clients.
    kind!(
        "machine_client",
        "partner",
        "the machine clients that may act for your company",
        r#"select data_export_line(to_jsonb(t)) as "line!" from machine_client as t where partner_uuid = $1"#
    ),
    kind!(
        "client_scope_use",
        "partner",
        "the scopes that your machine clients used",
        r#"select data_export_line(to_jsonb(t)) as "line!" from machine_client as c
             join client_scope_use as t using (client_uuid) where c.partner_uuid = $1"#
    ),
    kind!(
        "token_grant",
        "partner",
        "the access tokens that your machine clients requested",
        r#"select data_export_line(to_jsonb(t)) as "line!" from machine_client as c
             join token_grant as t using (client_uuid) where c.partner_uuid = $1"#
    ),
    kind!(
        "request_usage",
        "subscription",
        "the requests that your company made, by day and operation",
        r#"select data_export_line(to_jsonb(t)) as "line!" from request_usage as t
            where account = 'partner:' || $1::uuid::text order by day, operation"#
    ),
    kind!(
        "rate_limit_refusal",
        "subscription",
        "requests that were refused, by hour, operation and cause",
        r#"select data_export_line(to_jsonb(t)) as "line!" from rate_limit_refusal as t
            where account = 'partner:' || $1::uuid::text order by hour, operation, code, budget, required_scope"#
    ),
    kind!(
        "deprecation_use",
        "subscription",
        "your requests that used something deprecated, by day and machine client",
        r#"select data_export_line(to_jsonb(t)) as "line!" from deprecation_use as t
            where account = 'partner:' || $1::uuid::text order by day, deprecation_uuid, client_uuid"#
    ),
    // The subscription.
    kind!(
        "subscription",
        "subscription",
        "your subscription",
        r#"select data_export_line(to_jsonb(t)) as "line!" from subscription as t where partner_uuid = $1"#
    ),
    kind!(
        "subscription_event",
        "subscription",
        "its history",
        r#"select data_export_line(to_jsonb(t)) as "line!" from subscription_event as t where partner_uuid = $1
            order by occurred_at, event_uuid"#
    ),
    kind!(
        "entitlement_override",
        "subscription",
        "feature values that replace the values of your tier",
        r#"select data_export_line(to_jsonb(t), 'set_by') as "line!" from entitlement_override as t
            where partner_uuid = $1"#
    ),
    kind!(
        "rate_limit_override",
        "subscription",
        "rate limits that replace the limits of your tier",
        r#"select data_export_line(to_jsonb(t), 'set_by', 'reason') as "line!" from rate_limit_override as t
            where partner_uuid = $1"#
    ),
    kind!(
        "tier_change_request",
        "subscription",
        "your tier change requests and their outcomes",
        r#"select data_export_line(to_jsonb(t)) as "line!" from tier_change_request as t where partner_uuid = $1"#
    ),
    // The apps.
    kind!(
        "app",
        "marketplace.apps",
        "your apps",
        r#"select data_export_line(to_jsonb(t)) as "line!" from app as t where partner_uuid = $1"#
    ),
    kind!(
        "app_translation",
        "marketplace.apps",
        "their texts by locale",
        r#"select data_export_line(to_jsonb(t)) as "line!" from app as a join app_translation as t using (app_uuid)
            where a.partner_uuid = $1"#
    ),
    kind!(
        "app_category",
        "marketplace.apps",
        "their categories",
        r#"select data_export_line(to_jsonb(t)) as "line!" from app as a join app_category as t using (app_uuid)
            where a.partner_uuid = $1"#
    ),
    kind!(
        "app_version",
        "marketplace.apps",
        "their versions",
        r#"select case when t.created_at >= app_owned_since(t.app_uuid) then data_export_line(to_jsonb(t))
                  else data_export_line(to_jsonb(t), 'created_by') end as "line!"
             from app as a join app_version as t using (app_uuid) where a.partner_uuid = $1"#
    ),
    kind!(
        "app_event",
        "marketplace.apps",
        "their history",
        r#"select case when t.occurred_at >= app_owned_since(t.app_uuid) then data_export_line(to_jsonb(t))
                  else data_export_line(to_jsonb(t), 'actor_uuid') end as "line!"
             from app as a join app_event as t using (app_uuid) where a.partner_uuid = $1"#
    ),
    kind!(
        "media",
        "marketplace.apps",
        "their images; the files are in media/apps",
        r#"select data_export_line(to_jsonb(t), 'object_key', 'variants', 'renditions', 'renditions_due') as "line!" from app as a join media as t using (app_uuid)
            where a.partner_uuid = $1"#
    ),
    kind!(
        "submission",
        "marketplace.apps",
        "your submissions and their outcomes",
        r#"select data_export_line(to_jsonb(t), 'reviewer_uuid') as "line!" from submission as t
            where partner_uuid = $1 order by submitted_at, submission_uuid"#
    ),
    kind!(
        "submission_finding",
        "marketplace.apps",
        "the findings of the reviewers",
        r#"select data_export_line(to_jsonb(t)) as "line!" from submission as s
             join submission_finding as t using (submission_uuid) where s.partner_uuid = $1"#
    ),
    kind!(
        "review_message",
        "marketplace.apps",
        "the messages exchanged with the reviewers",
        r#"select data_export_line(to_jsonb(t)) as "line!" from submission as s
             join review_message as t using (submission_uuid)
             join app_tenure as own on own.app_uuid = s.app_uuid
            where own.partner_uuid = $1 and not t.internal and t.created_at >= own.since and t.created_at < own.until"#
    ),
    // The storefront.
    kind!(
        "listing",
        "marketplace.apps",
        "your listings, as readers see them",
        r#"select data_export_line(to_jsonb(t)) as "line!" from listing as t where partner_uuid = $1"#
    ),
    kind!(
        "listing_translation",
        "marketplace.apps",
        "their texts",
        r#"select data_export_line(to_jsonb(t)) as "line!" from listing as l
             join listing_translation as t using (app_uuid) where l.partner_uuid = $1"#
    ),
    kind!(
        "listing_category",
        "marketplace.apps",
        "their categories",
        r#"select data_export_line(to_jsonb(t)) as "line!" from listing as l
             join listing_category as t using (app_uuid) where l.partner_uuid = $1"#
    ),
    kind!(
        "listing_media",
        "marketplace.apps",
        "their images",
        r#"select data_export_line(to_jsonb(t)) as "line!" from listing as l
             join listing_media as t using (app_uuid) where l.partner_uuid = $1"#
    ),
    kind!(
        "customer_review",
        "marketplace.reviews",
        "published customer reviews of your apps",
        r#"select data_export_line(to_jsonb(t), 'waiting_text_uuid', 'rejected_text_uuid', 'waiting_since', 'moderated_by',
                  'moderated_at', 'reports', 'reported_at', 'priority', 'queued_at') as "line!"
             from app as a join customer_review as t using (app_uuid)
            where a.partner_uuid = $1 and t.state = 'PUBLISHED'"#
    ),
    kind!(
        "customer_review_text",
        "marketplace.reviews",
        "their published texts",
        r#"select data_export_line(to_jsonb(t), 'rejected_because', 'decision_note', 'decided_at') as "line!"
             from app as a join customer_review as r using (app_uuid)
             join customer_review_text as t on t.text_uuid = r.shown_text_uuid
            where a.partner_uuid = $1"#
    ),
    kind!(
        "customer_review_reply",
        "marketplace.reviews",
        "your replies, including former ones",
        r#"select data_export_line(to_jsonb(t)) as "line!"
             from app_tenure as own join customer_review as r using (app_uuid)
             join customer_review_reply as t using (review_uuid)
            where own.partner_uuid = $1 and t.created_at >= own.since and t.created_at < own.until"#
    ),
    kind!(
        "customer_review_flag",
        "marketplace.reviews",
        "the customer reviews that you flagged, and the outcomes",
        r#"select data_export_line(to_jsonb(t)) as "line!"
             from app_tenure as own join customer_review as r using (app_uuid)
             join customer_review_flag as t using (review_uuid)
            where own.partner_uuid = $1 and t.flagged_at >= own.since and t.flagged_at < own.until"#
    ),
    // The board. It contains no voters, not even which authors voted.
    kind!(
        "feature_request",
        "engagement.feature-requests",
        "your feature requests",
        r#"select data_export_line(to_jsonb(t), 'rooted_at', 'pin', 'shown', 'author_voted_on', 'trend', 'heat',
                  'open_reports', 'reported_at', 'declined_votes', 'body_html', 'body_renderer') as "line!"
             from feature_request as t where partner_uuid = $1"#
    ),
    kind!(
        "feature_comment",
        "engagement.feature-requests",
        "your comments",
        r#"select data_export_line(to_jsonb(t), 'open_reports', 'reported_at', 'body_html', 'body_renderer') as "line!"
             from feature_comment as t
            where partner_uuid = $1"#
    ),
    kind!(
        "board_earlier_text",
        "engagement.feature-requests",
        "earlier texts of edited feature requests and comments",
        r#"select data_export_line(to_jsonb(t)) as "line!" from feature_request as d
             join board_earlier_text as t using (request_uuid) where d.partner_uuid = $1
           union all
           select data_export_line(to_jsonb(t)) from feature_comment as c
             join board_earlier_text as t using (comment_uuid) where c.partner_uuid = $1"#
    ),
    kind!(
        "board_report",
        "engagement.feature-requests",
        "your reports about the board, and the outcomes",
        r#"select data_export_line(to_jsonb(t), 'resolved_by', 'resolution_note') as "line!" from board_report as t
            where partner_uuid = $1"#
    ),
];
