//! The list of a team's invitations, for the team and for operators.

use async_graphql::InputObject;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::rules::InvitationState;
use super::view::Invitation;
use crate::core::list::{Bound, Condition, Key, ListQuery, Lookup, Select, Statements};
use crate::core::principal::Role;
use crate::core::words::words;

/// Invitations. One is EXPIRED as soon as its time is over.
static INVITATION: Select<Invitation> = Select::new(
    "invitation_uuid as uuid, email, role, state, state_changed_at, locale, invited_by as invited_by_uuid,
     inviter_name as invited_by_name, person_uuid as user_uuid, created_at, sent_at, expires_at",
    "invitation_shown",
);

/// One of a team's invitations.
pub(super) static OF_A_TEAM: Lookup<Invitation> =
    Lookup::new(&INVITATION, &["partner_uuid = {}", "invitation_uuid = {}"]);

/// What the list is narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct InvitationFilter {
    state: Option<Vec<InvitationState>>,
    role: Option<Vec<Role>>,
    q: Option<String>,
}

/// The invitations of a team.
#[derive(Debug, Serialize)]
pub(crate) struct InvitationsOf {
    /// Whose.
    pub(crate) partner_uuid: Uuid,
    /// Which of them.
    pub(crate) filter: InvitationFilter,
}

words! {
    /// The orders of invitations.
    pub(crate) enum InvitationSort {
        /// The newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// The oldest first.
        CreatedAt = "CREATED_AT",
    }
}

/// A list of invitations.
pub(crate) type InvitationList = ListQuery<InvitationsOf, Invitation, InvitationSort>;

/// The list of a team's invitations for the team itself.
pub(crate) static INVITATIONS: InvitationList = list_for("partner_invitations_list");

/// The same for operators.
pub(crate) static INVITATIONS_FOR_STAFF: InvitationList = list_for("admin_invitations_list");

const fn list_for(operation: &'static str) -> InvitationList {
    ListQuery {
        operation,
        select: &INVITATION,
        within: &[Condition { sql: "partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
        conditions: &[
            Condition { sql: "state = any({})", value: |of| Bound::words(of.filter.state.as_ref()) },
            Condition { sql: "role = any({})", value: |of| Bound::words(of.filter.role.as_ref()) },
            Condition {
                sql: "strpos(lower(email), lower({})) > 0",
                value: |of| of.filter.q.as_deref().map(Bound::from),
            },
        ],
        order: |sort| match sort {
            InvitationSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
            InvitationSort::CreatedAt => const { &[CREATED, ID] },
        },
    }
}

const ID: Key<Invitation> = Key::id("invitation_uuid", |row| json!(row.uuid));
const CREATED: Key<Invitation> = Key::moment("created_at", |row| json!(row.created_at));

/// What is asked of invitations in words that the compiler has not checked.
pub(in crate::auth) static STATEMENTS: [&dyn Statements; 3] = [&INVITATIONS, &INVITATIONS_FOR_STAFF, &OF_A_TEAM];
