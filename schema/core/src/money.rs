//! Money: exact integer amounts.

use crate::describe::OutputType;

/// An amount in the smallest unit of its currency (docs/decisions/api.md#formats-of-values).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, OutputType)]
pub struct Money {
    /// Amount in the smallest unit: 4900 in EUR is 49.00 euros.
    pub amount_minor: i64,
    /// ISO 4217 code.
    pub currency: String,
}
