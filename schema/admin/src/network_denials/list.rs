//! The lookup of one network denial and the list of network denials, with its filters and orders.

use labs_core::describe::InputType;
use std::net::IpAddr;

use labs_core::fault::{Fault, FieldError};
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

/// A network denial with the name of its author.
#[derive(sqlx::FromRow)]
pub(super) struct NetworkDenialRow {
    pub(super) denial_uuid: Uuid,
    pub(super) network: String,
    pub(super) reason: String,
    pub(super) in_force: bool,
    pub(super) created_by: Option<Uuid>,
    pub(super) created_by_name: Option<String>,
    pub(super) created_at: Time,
    pub(super) expires_at: Option<Time>,
}

static WITH_AUTHOR: Select<NetworkDenialRow> = Select::new(
    "denial_uuid, network::text as network, reason, coalesce(expires_at > labs_now(), true) as in_force, created_by,
     person.name as created_by_name, network_denial.created_at, expires_at",
    "network_denial left join person on person_uuid = created_by",
);

/// Lookup of one network denial.
pub(super) static BY_ID: Lookup<NetworkDenialRow> = Lookup::new(&WITH_AUTHOR, &["denial_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct NetworkDenialFilter {
    address: Option<String>,
    in_force: Option<bool>,
}

impl NetworkDenialFilter {
    /// Returns the filter with its address in the form in which networks are compared.
    ///
    /// # Errors
    /// [`labs_core::Code::ValidationFailed`] for an invalid address.
    pub(super) fn read(self) -> Result<Self, Fault> {
        let address = self.address.map(|text| match text.parse::<IpAddr>() {
            Ok(address) => Ok(address.to_canonical().to_string()),
            Err(_) => {
                let message = "This is not an IPv4 or IPv6 address. Send one.";
                Err(Fault::invalid(vec![FieldError::of("address", "FORMAT", message)]))
            }
        });
        Ok(Self { address: address.transpose()?, ..self })
    }
}

words! {
    /// Orders of network denials.
    pub enum NetworkDenialSort {
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
    }
}

/// List query of network denials.
pub(super) static NETWORK_DENIALS: ListQuery<NetworkDenialFilter, NetworkDenialRow, NetworkDenialSort> = ListQuery {
    operation: "admin_network_denials_list",
    select: &WITH_AUTHOR,
    within: &[],
    conditions: &[
        Condition { sql: "network >>= {}::inet", value: |filter| filter.address.as_deref().map(SqlValue::from) },
        Condition {
            sql: "coalesce(expires_at > labs_now(), true) = {}",
            value: |filter| filter.in_force.map(SqlValue::from),
        },
    ],
    order: |sort| match sort {
        NetworkDenialSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        NetworkDenialSort::CreatedAt => const { &[CREATED, ID] },
    },
};

const ID: Key<NetworkDenialRow> = Key::id("denial_uuid", |row| json!(row.denial_uuid));
const CREATED: Key<NetworkDenialRow> = Key::moment("network_denial.created_at", |row| json!(row.created_at));

/// Run-time SQL statements of network denials, which the compiler does not check.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&NETWORK_DENIALS, &BY_ID];
