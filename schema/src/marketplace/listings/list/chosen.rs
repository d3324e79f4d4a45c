//! Listings that were chosen one by one, with what lists show of them.

use serde::Serialize;
use uuid::Uuid;

use super::{FoundRow, ID, SHOWN};
use crate::core::list::{Bound, Condition, FixedOrder, ListQuery};

/// Listings that were chosen for a reader.
#[derive(Debug, Serialize)]
pub(in crate::marketplace::listings) struct Chosen {
    /// Of which apps.
    pub(in crate::marketplace::listings) app_uuids: Vec<Uuid>,
    /// Locale of the texts.
    pub(in crate::marketplace::listings) locale: Option<String>,
}

/// Those of them that are visible. Whoever chose them puts them in order.
pub(in crate::marketplace::listings) static CHOSEN: ListQuery<Chosen, FoundRow, FixedOrder> = ListQuery {
    operation: "marketplace_listings_list_related",
    select: &SHOWN,
    within: &[
        Condition::given(|of| Some(Bound::Texts(vec![of.locale.clone().unwrap_or_default()]))),
        Condition { sql: "l.visible", value: |_| Some(Bound::Nothing) },
        Condition { sql: "l.app_uuid = any({})", value: |of| Some(Bound::Ids(of.app_uuids.clone())) },
    ],
    conditions: &[],
    order: |FixedOrder| const { &[ID] },
};
