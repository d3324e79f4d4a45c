//! Authors on the board.

use labs_core::describe::OutputType;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Author of a text on the board. `person_name` is null unless the user's attribution (`PUT
/// /v1/engagement/attribution`) allows it. The setting applies to all texts of the user. `partner_uuid` and
/// `company_name` are null only for a partner whose personal data was erased.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub struct BoardAuthor {
    /// UUID of the partner. Null for a former partner.
    pub(crate) partner_uuid: Option<Uuid>,
    /// Current company name of the partner. Null for a former partner.
    company_name: Option<String>,
    /// Name of the user while they show it, otherwise null.
    person_name: Option<String>,
}
