//! Money: exact integer amounts.

use crate::describe::OutputType;

/// Exact amount of money, without fractions and rounding.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, OutputType)]
pub struct Money {
    /// Amount in the smallest unit of the currency. 4900 in EUR is 49.00 euros.
    pub amount_minor: i64,
    /// ISO 4217 code of the currency.
    pub currency: String,
}
