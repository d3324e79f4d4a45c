//! Listings chosen individually, with the columns that lists show.

use labs_core::list::{Condition, FixedOrder, ListQuery, SqlValue};
use serde::Serialize;
use uuid::Uuid;

use super::{FoundRow, ID, SHOWN};

/// Parameters of individually chosen listings.
#[derive(Debug, Serialize)]
pub(in crate::listings) struct ChosenListings {
    /// Apps of the listings.
    pub(in crate::listings) app_uuids: Vec<Uuid>,
    /// Locale of the texts.
    pub(in crate::listings) locale: Option<String>,
}

/// Visible listings among the chosen ones. The code that chose them sorts them.
pub(in crate::listings) static CHOSEN: ListQuery<ChosenListings, FoundRow, FixedOrder> = ListQuery {
    operation: "marketplace_listings_list_related",
    select: &SHOWN,
    within: &[
        Condition::given(|of| Some(SqlValue::Texts(vec![of.locale.clone().unwrap_or_default()]))),
        Condition { sql: "l.visible", value: |_| Some(SqlValue::Nothing) },
        Condition { sql: "l.app_uuid = any({})", value: |of| Some(SqlValue::Ids(of.app_uuids.clone())) },
    ],
    conditions: &[],
    order: |FixedOrder| const { &[ID] },
};
