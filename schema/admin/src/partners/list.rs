//! Partners for staff: the lookups of one and of several partners, and the list with its filters and orders.

use labs_core::db::Db;
use labs_core::describe::InputType;
use labs_core::fault::Fault;
use labs_core::list::{Condition, EdgeQuery, EveryId, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use labs_core::{matches_longest_word, matches_words};
use labs_shared::states::PartnerState;
use serde::Serialize;
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::timeline::list::{TIMELINE, TIMELINE_OF_EACH};
use labs_identity::partner::company::{BillingAddress, CompanyAddress};

/// A partner for staff.
#[derive(Clone, sqlx::FromRow)]
pub struct AdminPartnerRow {
    pub(super) partner_uuid: Uuid,
    pub(super) slug: String,
    pub(super) company_name: String,
    pub(super) pending_company_name: Option<String>,
    /// Sort key of the order by name.
    pub(super) name_sorted: String,
    pub(super) legal_form: Option<String>,
    pub(super) registration_number: Option<String>,
    pub(super) vat_id: Option<String>,
    pub(super) country: Option<String>,
    pub(super) address: Json<CompanyAddress>,
    pub(super) billing_address: Json<BillingAddress>,
    pub(super) billing_email: Option<String>,
    pub(super) website: Option<String>,
    pub(super) state: PartnerState,
    pub(super) state_reason: Option<String>,
    pub(super) state_changed_at: Time,
    pub(super) closes_at: Option<Time>,
    pub(super) labels: Vec<String>,
    pub(super) verified_at: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    pub(super) tier_code: Option<String>,
    pub(super) tier_name: Option<String>,
    pub(super) subscription_state: Option<String>,
    pub(super) subscription_started_at: Option<Time>,
    pub(super) subscription_period_end: Option<Time>,
    pub(super) members_count: i64,
    pub(super) invitations_count: i64,
    pub(super) apps_count: i64,
    pub(super) listings_count: i64,
    pub(super) machine_clients_count: i64,
    pub(super) contacts_count: i64,
    pub(super) notes_count: i64,
}

static SHOWN: Select<AdminPartnerRow> = Select::new(
    "partner_uuid, slug, company_name, name_order(company_name) as name_sorted, legal_form, registration_number, vat_id,
     country, address, billing_address, billing_email, website, state, state_reason, state_changed_at, closes_at,
     labels, verified_at, created_at, updated_at, tier_code, tier_name, subscription_state, subscription_started_at,
     subscription_period_end, members_count, invitations_count, apps_count, listings_count, machine_clients_count,
     contacts_count, notes_count, pending_company_name",
    "partner_shown",
);

/// Lookup of partners by id.
static BY_ID: Lookup<AdminPartnerRow> = Lookup::new(&SHOWN, &["partner_uuid = any({})"]);

/// Edge to the partner that owns an object.
pub static PARTNER: EdgeQuery<AdminPartnerRow> = EdgeQuery {
    operation: "admin_partners_get",
    argument: "partner_uuid",
    select: &SHOWN,
    condition: "partner_uuid = above.uuid",
    order: &[],
};

/// Loads one partner.
pub(super) async fn partner_of(db: &Db, partner_uuid: Uuid) -> Result<Option<AdminPartnerRow>, Fault> {
    BY_ID.fetch_one(db, [SqlValue::Ids(vec![partner_uuid])]).await
}

/// Loads these partners, in this order.
pub(super) async fn partners_of(db: &Db, wanted: &[Uuid]) -> Result<Vec<AdminPartnerRow>, Fault> {
    let mut rows = BY_ID.fetch_all(db, [SqlValue::Ids(wanted.to_vec())]).await?;
    rows.sort_by_key(|row| wanted.iter().position(|uuid| *uuid == row.partner_uuid));
    Ok(rows)
}

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct AdminPartnerFilter {
    state: Option<Vec<PartnerState>>,
    tier_code: Option<Vec<String>>,
    label: Option<Vec<String>>,
    country: Option<Vec<String>>,
    pending_name: Option<bool>,
    pub(super) q: Option<String>,
    registered_at_from: Option<Time>,
    registered_at_until: Option<Time>,
    /// Whether many partners match `q`; set by the resolver. The statement then tests each in the order of the list.
    #[serde(skip)]
    pub(super) is_common_text: bool,
}

impl AdminPartnerFilter {
    /// Returns the filter without partners that register from this time on.
    pub(super) fn registered_before(self, moment: Time) -> Self {
        let until = self.registered_at_until.map_or(moment, |until| until.min(moment));
        Self { registered_at_until: Some(until), ..self }
    }
}

words! {
    /// Orders of partners.
    pub enum AdminPartnerSort {
        /// Newest first.
        RegisteredAtDesc = "REGISTERED_AT_DESC",
        /// Oldest first.
        RegisteredAt = "REGISTERED_AT",
        /// By company name, ignoring case.
        CompanyName = "COMPANY_NAME",
        /// Latest state change first.
        StateChangedAtDesc = "STATE_CHANGED_AT_DESC",
    }
}

/// List query of partners. A condition that the planner takes for selective, although many partners may match it, is
/// inside a `coalesce`. Otherwise the planner would fetch and sort all matches instead of following the order of an
/// index.
pub(super) static PARTNERS: ListQuery<AdminPartnerFilter, AdminPartnerRow, AdminPartnerSort> = ListQuery {
    operation: "admin_partners_list",
    select: &SHOWN,
    within: &[],
    conditions: &[
        Condition { sql: "state = any({})", value: |filter| SqlValue::words(filter.state.as_ref()) },
        Condition { sql: "tier_code = any({})", value: |filter| SqlValue::texts(filter.tier_code.as_ref()) },
        Condition { sql: "coalesce(labels && {}, false)", value: |filter| SqlValue::texts(filter.label.as_ref()) },
        Condition {
            sql: "coalesce(country = any({}), false)",
            value: |filter| SqlValue::texts(filter.country.as_ref()),
        },
        Condition {
            sql: "(pending_name_since is not null) = {}",
            value: |filter| filter.pending_name.map(SqlValue::from),
        },
        Condition {
            sql: concat!(
                "partner_uuid = any(array(select p.partner_uuid from partner as p where ",
                matches_longest_word!(
                    "p.company_name || E'\\n' || p.slug || E'\\n' || coalesce(p.pending_company_name, '') || E'\\n'
                     || coalesce(p.vat_id, '') || E'\\n' || coalesce(p.registration_number, '')"
                ),
                ")) and ",
                matches_words!("company_name", "slug", "pending_company_name", "vat_id", "registration_number")
            ),
            value: |filter| filter.q.as_deref().filter(|_| !filter.is_common_text).map(SqlValue::from),
        },
        Condition {
            sql: matches_words!("company_name", "slug", "pending_company_name", "vat_id", "registration_number"),
            value: |filter| filter.q.as_deref().filter(|_| filter.is_common_text).map(SqlValue::from),
        },
        Condition { sql: "created_at >= {}", value: |filter| filter.registered_at_from.map(SqlValue::from) },
        Condition { sql: "created_at < {}", value: |filter| filter.registered_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        AdminPartnerSort::RegisteredAtDesc => const { &[CREATED.descending(), ID.descending()] },
        AdminPartnerSort::RegisteredAt => const { &[CREATED, ID] },
        AdminPartnerSort::CompanyName => const { &[NAME, ID] },
        AdminPartnerSort::StateChangedAtDesc => const { &[CHANGED.descending(), ID.descending()] },
    },
};

/// Query of the ids of all partners in the list, for the export.
pub(super) static EVERY_PARTNER: EveryId<AdminPartnerFilter, AdminPartnerRow, AdminPartnerSort> = EveryId(&PARTNERS);

const ID: Key<AdminPartnerRow> = Key::id("partner_uuid", |row| json!(row.partner_uuid));
const CREATED: Key<AdminPartnerRow> = Key::moment("created_at", |row| json!(row.created_at));
const NAME: Key<AdminPartnerRow> = Key::text("name_order(company_name) collate \"C\"", |row| json!(row.name_sorted));
const CHANGED: Key<AdminPartnerRow> = Key::moment("state_changed_at", |row| json!(row.state_changed_at));

/// Run-time SQL statements of partners, which the compiler does not check.
pub static STATEMENTS: [&dyn Statements; 6] =
    [&PARTNERS, &EVERY_PARTNER, &BY_ID, &PARTNER, &TIMELINE, &TIMELINE_OF_EACH];
