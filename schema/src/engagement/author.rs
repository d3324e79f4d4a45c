//! Who wrote something on the board.

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Who wrote something: the company always, the person only while they want to be named. The function `board_author` of
/// the database makes it whenever it is read, so that a name is copied nowhere.
#[derive(Clone, Debug, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardAuthor {
    /// The company; null for a former partner, whose account was erased.
    pub(crate) partner_uuid: Option<Uuid>,
    /// Current company name of the partner. Null for a former partner.
    company_name: Option<String>,
    /// The person's name, while they show it.
    person_name: Option<String>,
}
