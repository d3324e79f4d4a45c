//! Authors on the board.

use labs_core::describe::OutputType;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Author of an entry on the board: always the company, and the user only while their attribution is on. The database
/// function `board_author` builds it on each read, so that a name is copied nowhere.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub struct BoardAuthor {
    /// UUID of the partner; null for a former partner whose account was erased.
    pub(crate) partner_uuid: Option<Uuid>,
    /// Current company name of the partner. Null for a former partner.
    company_name: Option<String>,
    /// Name of the user, if their attribution is on.
    person_name: Option<String>,
}
