//! The list of a partner's contacts, for its team and for staff.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::rules::PartnerContactKind;
use super::types::PartnerContact;

/// Columns of contacts, for the team and for staff.
static CONTACT: Select<PartnerContact> = Select::new(
    "contact_uuid as uuid, kind, name, email, email_normalised, phone, created_at, updated_at",
    "partner_contact",
);

/// Lookup of one contact of a partner.
pub(super) static OWN: Lookup<PartnerContact> = Lookup::new(&CONTACT, &["partner_uuid = {}", "contact_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub struct PartnerContactFilter {
    kind: Option<Vec<PartnerContactKind>>,
}

/// Contacts of one partner.
#[derive(Debug, Serialize)]
pub struct ContactsOf {
    /// UUID of the partner.
    pub partner_uuid: Uuid,
    /// Filter of the contacts.
    pub filter: PartnerContactFilter,
}

/// A list of contacts.
pub(super) type ContactList = ListQuery<ContactsOf, PartnerContact, FixedOrder>;

/// List query of a partner's contacts for its team.
pub(super) static CONTACTS: ContactList = list_for("partner_contacts_list");

/// List query of a partner's contacts for staff.
pub static CONTACTS_FOR_STAFF: ContactList = list_for("admin_partners_list_contacts");

/// Builds the list query, newest first.
const fn list_for(operation: &'static str) -> ContactList {
    ListQuery {
        operation,
        select: &CONTACT,
        within: &[Condition { sql: "partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
        conditions: &[Condition { sql: "kind = any({})", value: |of| SqlValue::words(of.filter.kind.as_ref()) }],
        order: |_| const { &[CREATED.descending(), ID.descending()] },
    }
}

const ID: Key<PartnerContact> = Key::id("contact_uuid", |row| json!(row.uuid));
const CREATED: Key<PartnerContact> = Key::moment("created_at", |row| json!(row.created_at));

/// Run-time SQL statements of contacts, which the compiler does not check.
pub(in crate::partner) static STATEMENTS: [&dyn Statements; 3] = [&CONTACTS, &CONTACTS_FOR_STAFF, &OWN];
