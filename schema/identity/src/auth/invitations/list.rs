//! Lists of a team's invitations, for the team and for staff.

use labs_core::describe::InputType;
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::principal::Role;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::rules::InvitationState;
use super::view::Invitation;

/// Invitations. An invitation shows EXPIRED as soon as its expiry has passed.
static INVITATION: Select<Invitation> = Select::new(
    "invitation_uuid as uuid, email, role, state, state_changed_at, locale, invited_by as invited_by_uuid,
     inviter_name as invited_by_name, person_uuid as user_uuid, created_at, sent_at, expires_at",
    "invitation_shown",
);

/// Looks up one of a team's invitations.
pub(super) static OF_A_TEAM: Lookup<Invitation> =
    Lookup::new(&INVITATION, &["partner_uuid = {}", "invitation_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub struct InvitationFilter {
    state: Option<Vec<InvitationState>>,
    role: Option<Vec<Role>>,
    q: Option<String>,
}

/// Scope and filter of a list of invitations.
#[derive(Debug, Serialize)]
pub struct InvitationsOf {
    /// Partner whose invitations are listed.
    pub partner_uuid: Uuid,
    /// Filter of the list.
    pub filter: InvitationFilter,
}

words! {
    /// Sort orders of invitations.
    pub enum InvitationSort {
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
    }
}

/// List query for invitations.
pub(super) type InvitationList = ListQuery<InvitationsOf, Invitation, InvitationSort>;

/// A team's invitations, for the team itself.
pub static INVITATIONS: InvitationList = list_for("partner_invitations_list");

/// A team's invitations, for staff.
pub static INVITATIONS_FOR_STAFF: InvitationList = list_for("admin_invitations_list");

const fn list_for(operation: &'static str) -> InvitationList {
    ListQuery {
        operation,
        select: &INVITATION,
        within: &[Condition { sql: "partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
        conditions: &[
            Condition { sql: "state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) },
            Condition { sql: "role = any({})", value: |of| SqlValue::words(of.filter.role.as_ref()) },
            Condition { sql: matches_words!("email"), value: |of| of.filter.q.as_deref().map(SqlValue::from) },
        ],
        order: |sort| match sort {
            InvitationSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
            InvitationSort::CreatedAt => const { &[CREATED, ID] },
        },
    }
}

const ID: Key<Invitation> = Key::id("invitation_uuid", |row| json!(row.uuid));
const CREATED: Key<Invitation> = Key::moment("created_at", |row| json!(row.created_at));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(in crate::auth) static STATEMENTS: [&dyn Statements; 3] = [&INVITATIONS, &INVITATIONS_FOR_STAFF, &OF_A_TEAM];
