//! Queries for versions for their owners: lookup by id, and the list of an app's versions with its filters and orders.

use std::collections::BTreeMap;

use labs_core::describe::InputType;
use labs_core::list::{Condition, EdgeQuery, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::rules::AppVersionState;
use super::rules::manifest::AppManifest;
use crate::submissions::{FindingRow, SubmissionState, WaitingOn};

/// Version with the review of its last submission.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct VersionRow {
    pub(super) version_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) number: String,
    pub(super) state: AppVersionState,
    pub(super) release_notes: Json<BTreeMap<String, String>>,
    pub(super) manifest: Json<AppManifest>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    pub(super) published_at: Option<Time>,
    pub(super) publish_at: Option<Time>,
    pub(super) submission_uuid: Option<Uuid>,
    pub(super) submission_state: Option<SubmissionState>,
    pub(super) appeal: Option<bool>,
    pub(super) submitted_at: Option<Time>,
    pub(super) decided_at: Option<Time>,
    pub(super) decision_note: Option<String>,
    pub(super) findings: Json<Vec<FindingRow>>,
    pub(super) waiting_on: Option<WaitingOn>,
    pub(super) due_at: Option<Time>,
    pub(super) appeal_text: Option<String>,
    pub(super) was_appealed: bool,
}

impl VersionRow {
    /// Returns the undecided submission, if there is one.
    pub(super) fn waiting(&self) -> Option<Uuid> {
        self.submission_uuid.filter(|_| self.submission_state.is_some_and(SubmissionState::is_waiting))
    }
}

/// Versions, each with its last submission and the reviewers' findings, open findings first.
static REVIEWED: Select<VersionRow> = Select::new(
    "v.version_uuid, v.app_uuid, v.number, v.state, v.release_notes, v.manifest, v.created_at, v.updated_at,
     v.published_at, case when v.state = 'SCHEDULED' then v.publish_at end as publish_at,
     s.submission_uuid, s.state as submission_state, s.appeal, s.submitted_at, s.decided_at, s.decision_note,
     s.waiting_on, case s.waiting_on when 'REVIEWERS' then s.due_at end as due_at, s.appeal_text,
     exists (select from submission as o where o.version_uuid = v.version_uuid and o.appeal) as was_appealed,
     coalesce(found.findings, '[]') as findings",
    "app as a
     join app_version as v on v.app_uuid = a.app_uuid
     left join lateral (
         select * from submission as o where o.version_uuid = v.version_uuid
         order by o.submitted_at desc, o.submission_uuid desc limit 1
     ) as s on true
     left join lateral (
         select jsonb_agg(to_jsonb(f) order by f.ordinal) as findings
         from (
             select f.*, row_number() over (
                 order by f.status in ('MENDED', 'WITHDRAWN'), f.submitted_at desc, f.position, f.finding_uuid) as ordinal
             from version_finding as f
             where f.version_uuid = v.version_uuid
         ) as f
         where f.ordinal <= 200
     ) as found on true",
);

/// Looks up a version of a partner's app.
pub(super) static OWN: Lookup<VersionRow> =
    Lookup::new(&REVIEWED, &["a.partner_uuid = {}", "a.app_uuid = {}", "v.version_uuid = {}"]);

/// Looks up a version of an app, for any owner.
pub(super) static ANYBODYS: Lookup<VersionRow> = Lookup::new(&REVIEWED, &["a.app_uuid = {}", "v.version_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(crate) struct AppVersionFilter {
    state: Option<Vec<AppVersionState>>,
}

/// Parameters of an app's versions, for any owner.
#[derive(Debug, Serialize)]
pub(super) struct VersionsOfApp {
    /// UUID of the app.
    pub(super) app_uuid: Uuid,
    /// Filter of the list.
    pub(super) filter: AppVersionFilter,
}

/// Parameters of the versions of a partner's app.
#[derive(Debug, Serialize)]
pub(super) struct OwnVersions {
    /// Owner of the app.
    pub(super) partner_uuid: Uuid,
    /// UUID of the app.
    pub(super) app_uuid: Uuid,
    /// Filter of the list.
    pub(super) filter: AppVersionFilter,
}

words! {
    /// Orders of an app's versions.
    pub(crate) enum AppVersionSort {
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
    }
}

/// The list of an app's versions.
pub(super) static VERSIONS: ListQuery<OwnVersions, VersionRow, AppVersionSort> = ListQuery {
    operation: "marketplace_versions_list",
    select: &REVIEWED,
    within: &[
        Condition { sql: "a.partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) },
        Condition { sql: "v.app_uuid = {}", value: |of| Some(of.app_uuid.into()) },
    ],
    conditions: &[Condition { sql: "v.state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) }],
    order: |sort| match sort {
        AppVersionSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        AppVersionSort::CreatedAt => const { &[CREATED, ID] },
    },
};

/// List of an app's versions for staff, newest first.
pub(super) static VERSIONS_OF_APP: ListQuery<VersionsOfApp, VersionRow, FixedOrder> = ListQuery {
    operation: "admin_apps_list_versions",
    select: &REVIEWED,
    within: &[Condition { sql: "v.app_uuid = {}", value: |of| Some(of.app_uuid.into()) }],
    conditions: &[Condition { sql: "v.state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) }],
    order: |FixedOrder| const { &[CREATED.descending(), ID.descending()] },
};

/// Versions of each app, newest first.
pub static VERSIONS_OF_EACH: EdgeQuery<VersionRow> = EdgeQuery {
    operation: "admin_apps_list_versions",
    argument: "app_uuid",
    select: &REVIEWED,
    condition: "v.app_uuid = above.uuid",
    order: &[CREATED.descending(), ID.descending()],
};

const ID: Key<VersionRow> = Key::id("v.version_uuid", |row| json!(row.version_uuid));
const CREATED: Key<VersionRow> = Key::moment("v.created_at", |row| json!(row.created_at));

/// SQL statements of versions that are assembled at run time, so the compiler does not check them.
pub(crate) static STATEMENTS: [&dyn Statements; 5] = [&VERSIONS, &VERSIONS_OF_APP, &VERSIONS_OF_EACH, &OWN, &ANYBODYS];
