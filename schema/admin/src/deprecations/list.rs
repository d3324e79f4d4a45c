//! Lists of deprecations and of their callers, with filters and orders.

use labs_core::deprecation::DeprecationTarget;
use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use labs_publication::items::rules::PublicationState;

words! {
    /// Kind of deprecated element: an operation, a parameter of an operation, a field of a schema, or one value of a
    /// parameter or field.
    pub enum DeprecationKind {
        /// An operation.
        Operation = "OPERATION",
        /// A parameter of an operation.
        Parameter = "PARAMETER",
        /// A field of a schema.
        Field = "FIELD",
        /// One value of a parameter or of a field.
        Value = "VALUE",
    }
}

/// The changelog entry that announces a deprecation.
#[derive(Clone, Debug, Serialize, Deserialize, OutputType)]
pub(super) struct DeprecationChangelogEntry {
    /// UUID of the changelog entry as a publication item.
    pub(super) uuid: Uuid,
    /// Slug of the changelog entry.
    slug: String,
    /// State of the changelog entry.
    state: PublicationState,
}

/// The staff member who created a deprecation.
#[derive(Clone, Debug, Serialize, Deserialize, OutputType)]
pub(super) struct DeprecationAuthor {
    /// UUID of the staff member.
    uuid: Uuid,
    /// Name of the staff member.
    name: String,
}

/// A deprecation with the number of remaining calls.
#[derive(sqlx::FromRow)]
pub(super) struct DeprecationRow {
    pub(super) deprecation_uuid: Uuid,
    pub(super) kind: DeprecationKind,
    pub(super) operation_id: Option<String>,
    pub(super) parameter: Option<String>,
    pub(super) schema_name: Option<String>,
    pub(super) field: Option<String>,
    pub(super) value: Option<String>,
    pub(super) reason: String,
    pub(super) replacement: String,
    pub(super) replacement_operation_id: Option<String>,
    pub(super) sunset_at: Time,
    #[sqlx(json(nullable))]
    pub(super) changelog_entry: Option<DeprecationChangelogEntry>,
    pub(super) callers: i64,
    pub(super) requests: i64,
    pub(super) last_called_at: Option<Time>,
    #[sqlx(json(nullable))]
    pub(super) created_by: Option<DeprecationAuthor>,
    pub(super) created_at: Time,
}

impl DeprecationRow {
    /// Returns the deprecated element; `None` for a row that names no element.
    pub(super) fn target(&self) -> Option<DeprecationTarget> {
        let columns = [&self.operation_id, &self.parameter, &self.schema_name, &self.field, &self.value];
        DeprecationTarget::of_columns(columns.map(Clone::clone))
    }
}

static WITH_CALLS: Select<DeprecationRow> = Select::new(
    "deprecation_uuid,
     case when value is not null then 'VALUE' when parameter is not null then 'PARAMETER'
          when field is not null then 'FIELD' else 'OPERATION' end as kind,
     operation_id, parameter, schema_name, field, value, reason, replacement, replacement_operation_id,
     deprecation.sunset_at,
     (select jsonb_build_object('uuid', entry.item_uuid, 'slug', entry.slug, 'state', entry.state)
        from publication_item as entry where entry.item_uuid = entry_uuid) as changelog_entry,
     called.callers, called.requests, called.last_called_at,
     (select jsonb_build_object('uuid', author.person_uuid, 'name', author.name)
        from person as author where author.person_uuid = deprecation.created_by) as created_by,
     deprecation.created_at",
    "deprecation
     cross join lateral (
        select count(distinct (account, client_uuid)) as callers, coalesce(sum(requests), 0)::bigint as requests,
               max(last_at) as last_called_at
          from deprecation_use as used
         where used.deprecation_uuid = deprecation.deprecation_uuid
           and day > (labs_now() at time zone 'UTC')::date - 14) as called",
);

/// Lookup of one deprecation.
pub(super) static BY_ID: Lookup<DeprecationRow> = Lookup::new(&WITH_CALLS, &["deprecation_uuid = {}"]);

/// Filter of the list of deprecations. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct DeprecationFilter {
    kind: Option<Vec<DeprecationKind>>,
    operation_id: Option<Vec<String>>,
    schema: Option<Vec<String>>,
    called: Option<bool>,
    sunset_at_from: Option<Time>,
    sunset_at_until: Option<Time>,
}

words! {
    /// Orders of deprecations.
    pub enum DeprecationSort {
        /// Earliest sunset first.
        SunsetAt = "SUNSET_AT",
        /// Latest sunset first.
        SunsetAtDesc = "SUNSET_AT_DESC",
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
    }
}

/// List query of deprecations.
pub(super) static DEPRECATIONS: ListQuery<DeprecationFilter, DeprecationRow, DeprecationSort> = ListQuery {
    operation: "admin_deprecations_list",
    select: &WITH_CALLS,
    within: &[],
    conditions: &[
        Condition {
            sql: "case when value is not null then 'VALUE' when parameter is not null then 'PARAMETER'
                       when field is not null then 'FIELD' else 'OPERATION' end = any({})",
            value: |of| SqlValue::words(of.kind.as_ref()),
        },
        Condition { sql: "operation_id = any({})", value: |of| SqlValue::texts(of.operation_id.as_ref()) },
        Condition { sql: "schema_name = any({})", value: |of| SqlValue::texts(of.schema.as_ref()) },
        Condition { sql: "(called.callers > 0) = {}", value: |of| of.called.map(SqlValue::from) },
        Condition { sql: "deprecation.sunset_at >= {}", value: |of| of.sunset_at_from.map(SqlValue::from) },
        Condition { sql: "deprecation.sunset_at < {}", value: |of| of.sunset_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        DeprecationSort::SunsetAt => const { &[SUNSET, ID] },
        DeprecationSort::SunsetAtDesc => const { &[SUNSET.descending(), ID.descending()] },
        DeprecationSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        DeprecationSort::CreatedAt => const { &[CREATED, ID] },
    },
};

const ID: Key<DeprecationRow> = Key::id("deprecation_uuid", |row| json!(row.deprecation_uuid));
const SUNSET: Key<DeprecationRow> = Key::moment("deprecation.sunset_at", |row| json!(row.sunset_at));
const CREATED: Key<DeprecationRow> = Key::moment("deprecation.created_at", |row| json!(row.created_at));

words! {
    /// Kind of caller of a deprecated element.
    pub enum DeprecationCallerKind {
        /// Users of a partner, and calls from before the deprecation.
        Partner = "PARTNER",
        /// A machine client, bound to a partner or to none.
        Program = "PROGRAM",
        /// A staff member.
        Staff = "STAFF",
        /// All callers without a token.
        Anonymous = "ANONYMOUS",
    }
}

/// A caller of a deprecated element.
#[derive(sqlx::FromRow)]
pub(super) struct CallerRow {
    pub(super) caller: String,
    pub(super) kind: DeprecationCallerKind,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) client_uuid: Option<Uuid>,
    pub(super) name: Option<String>,
    pub(super) program: Option<String>,
    pub(super) requests: i64,
    pub(super) first_called_on: String,
    pub(super) last_called_at: Time,
}

static CALLER: Select<CallerRow> = Select::around(
    "caller, kind, partner_uuid, client_uuid, budget_account_name(account) as name,
     (select program.name from machine_client as program where program.client_uuid = called.client_uuid) as program,
     requests, first_on::text as first_called_on, last_at as last_called_at",
    "(select *, account || ' ' || coalesce(client_uuid::text, '') as caller,
             case when account like 'partner:%' then split_part(account, ':', 2)::uuid end as partner_uuid,
             case when client_uuid is not null then 'PROGRAM' when account like 'partner:%' then 'PARTNER'
                  when account like 'staff:%' then 'STAFF' else 'ANONYMOUS' end as kind
        from (select account, client_uuid, sum(requests)::bigint as requests, min(day) as first_on,
                     max(last_at) as last_at
                from deprecation_use",
    " group by account, client_uuid) as summed) as called",
);

/// Filter of the callers of one deprecation: its id and the start of the period.
#[derive(Debug, Serialize)]
pub(super) struct CallersOf {
    pub(super) deprecation_uuid: Uuid,
    pub(super) days: i32,
    pub(super) partner_uuid: Option<Uuid>,
}

words! {
    /// Orders of callers.
    pub enum DeprecationCallerSort {
        /// Most requests first.
        RequestsDesc = "REQUESTS_DESC",
        /// Latest call first.
        LastCalledAtDesc = "LAST_CALLED_AT_DESC",
    }
}

/// List query of the callers.
pub(super) static CALLERS: ListQuery<CallersOf, CallerRow, DeprecationCallerSort> = ListQuery {
    operation: "admin_deprecations_list_callers",
    select: &CALLER,
    within: &[
        Condition { sql: "deprecation_uuid = {}", value: |of| Some(of.deprecation_uuid.into()) },
        Condition {
            sql: "day > (labs_now() at time zone 'UTC')::date - {}::int",
            value: |of| Some(SqlValue::Whole(of.days.into())),
        },
    ],
    conditions: &[Condition {
        sql: "account = 'partner:' || {}::text",
        value: |of| of.partner_uuid.map(SqlValue::from),
    }],
    order: |sort| match sort {
        DeprecationCallerSort::RequestsDesc => const { &[REQUESTS.descending(), CALLER_KEY.descending()] },
        DeprecationCallerSort::LastCalledAtDesc => const { &[LAST.descending(), CALLER_KEY.descending()] },
    },
};

const REQUESTS: Key<CallerRow> = Key::whole("requests", |row| json!(row.requests));
const LAST: Key<CallerRow> = Key::moment("last_at", |row| json!(row.last_called_at));
const CALLER_KEY: Key<CallerRow> = Key::text("caller", |row| json!(row.caller));

/// Run-time SQL statements of deprecations, which the compiler does not check.
pub static STATEMENTS: [&dyn Statements; 3] = [&DEPRECATIONS, &BY_ID, &CALLERS];
