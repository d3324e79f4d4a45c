//! Enumerations whose value names are defined once.

use crate::fault::Fault;

/// Declares an enumeration with the name of each value: the same in GraphQL, in JSON, in columns and in cursors.
///
/// Its column is `text` with a check. Rows contain the enumeration itself, and an unknown name is a decoding error.
#[macro_export]
macro_rules! define_words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$of_value:meta])* $value:ident = $word:literal),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            $crate::describe::EnumType,
            serde::Serialize,
            serde::Deserialize,
        )]
        $vis enum $name {
            $($(#[$of_value])* #[serde(rename = $word)] $value),+
        }

        impl $name {
            const EACH: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// Returns the name of a value.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $word),+
                }
            }
        }

        impl $crate::words::Word for $name {
            const ALL: &'static [Self] = &Self::EACH;
            const FIRST: Self = Self::EACH[0];

            fn word(self) -> &'static str {
                self.name()
            }
        }

        impl sqlx::Type<sqlx::Postgres> for $name {
            fn type_info() -> sqlx::postgres::PgTypeInfo {
                <str as sqlx::Type<sqlx::Postgres>>::type_info()
            }

            fn compatible(ty: &sqlx::postgres::PgTypeInfo) -> bool {
                <str as sqlx::Type<sqlx::Postgres>>::compatible(ty)
            }
        }

        impl sqlx::postgres::PgHasArrayType for $name {
            fn array_type_info() -> sqlx::postgres::PgTypeInfo {
                <&str as sqlx::postgres::PgHasArrayType>::array_type_info()
            }
        }

        impl<'q> sqlx::Encode<'q, sqlx::Postgres> for $name {
            fn encode_by_ref(
                &self,
                buffer: &mut sqlx::postgres::PgArgumentBuffer,
            ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
                <&str as sqlx::Encode<'q, sqlx::Postgres>>::encode($crate::words::Word::word(*self), buffer)
            }
        }

        impl<'r> sqlx::Decode<'r, sqlx::Postgres> for $name {
            fn decode(value: sqlx::postgres::PgValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                let text = <&str as sqlx::Decode<'r, sqlx::Postgres>>::decode(value)?;
                <Self as $crate::words::Word>::read(text).ok_or_else(|| format!("`{text}` is not a valid {}", stringify!($name)).into())
            }
        }
    };
}
pub use define_words as words;

/// Enumeration declared by [`words!`].
pub trait Word: Copy + PartialEq + Sized + 'static {
    /// Every value, in order of declaration.
    const ALL: &'static [Self];

    /// The first value.
    const FIRST: Self;

    /// Returns the name of a value.
    fn word(self) -> &'static str;

    /// Parses a name; `None` if it is unknown.
    fn read(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == word)
    }

    /// Parses the name in a column.
    ///
    /// # Errors
    /// [`Code::Internal`](crate::fault::Code::Internal) for a name that the column's check would reject.
    fn parse(word: &str) -> Result<Self, Fault> {
        let ty = std::any::type_name::<Self>();
        Self::read(word).ok_or_else(|| Fault::internal(format!("`{word}` is not a valid {ty}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::{Described as _, TypeKind, Types};

    words! {
        /// Test enumeration.
        pub(crate) enum Ending {
            /// First value.
            Good = "GOOD",
            /// Second value.
            NotSoGood = "NOT_SO_GOOD",
        }
    }

    #[test]
    fn enum_word_is_equal_in_all_representations() {
        let mut types = Types::default();
        let name = Ending::reference(&mut types).type_name().to_owned();
        let TypeKind::Enum(described) = types.named[&name].kind else { unreachable!() };
        for value in Ending::ALL.iter().copied() {
            let word = value.word();
            assert_eq!(serde_json::to_value(value).unwrap(), word);
            assert_eq!(serde_json::from_value::<Ending>(word.into()).unwrap(), value);
            assert_eq!(Ending::read(word), Some(value));
            assert!(described.iter().any(|(name, _)| *name == word));
        }
        assert_eq!(Ending::read("BAD"), None);
    }
}
