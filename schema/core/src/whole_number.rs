//! Whole numbers in JSON. `12.0` is the integer 12, as in JSON Schema, in every parser of the service.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// Largest whole number that every JSON parser represents exactly: 2^53.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Converts a floating-point number to a whole number; `None` if it has a fraction or is too large to be exact.
#[must_use]
pub fn to_exact(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= MOST_EXACT).then_some(number as i64)
}

/// Whole number in a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeNumber(pub i64);

impl<'de> Deserialize<'de> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = WholeNumber;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a whole number")
            }

            fn visit_i64<E>(self, number: i64) -> Result<WholeNumber, E> {
                Ok(WholeNumber(number))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<WholeNumber, E> {
                let whole = i64::try_from(number).map(WholeNumber);
                whole.map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<WholeNumber, E> {
                to_exact(number).map(WholeNumber).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_fraction_is_whole_and_other_values_are_rejected() {
        for (text, read) in [("12", 12), ("12.0", 12), ("-3.0", -3), ("1.2e1", 12), ("9007199254740992.0", 1 << 53)] {
            assert_eq!(serde_json::from_str::<WholeNumber>(text).unwrap(), WholeNumber(read), "{text}");
        }
        for text in ["1.5", "\"12\"", "null", "1e300", "9223372036854775808", "9007199254740994.0"] {
            assert!(serde_json::from_str::<WholeNumber>(text).is_err(), "{text}");
        }
    }
}
