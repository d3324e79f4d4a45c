//! Enumerations whose words are spelled once.

use crate::core::fault::Fault;

/// Declares an enumeration with the word of each value: the same in GraphQL, in JSON, in columns and in cursors.
///
/// A column of one is `text` with a check; rows hold the enumeration itself, and a word that it does not have is an
/// error of decoding, never a guess.
macro_rules! words {
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
            async_graphql::Enum,
            serde::Serialize,
            serde::Deserialize,
        )]
        $vis enum $name {
            $($(#[$of_value])* #[graphql(name = $word)] #[serde(rename = $word)] $value),+
        }

        impl $name {
            const EACH: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// The word of a value.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $word),+
                }
            }
        }

        impl $crate::core::words::Word for $name {
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
                <&str as sqlx::Encode<'q, sqlx::Postgres>>::encode($crate::core::words::Word::word(*self), buffer)
            }
        }

        impl<'r> sqlx::Decode<'r, sqlx::Postgres> for $name {
            fn decode(value: sqlx::postgres::PgValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                let text = <&str as sqlx::Decode<'r, sqlx::Postgres>>::decode(value)?;
                <Self as $crate::core::words::Word>::read(text).ok_or_else(|| format!("`{text}` is not a valid {}", stringify!($name)).into())
            }
        }
    };
}
pub(crate) use words;

/// An enumeration made by [`words!`].
pub(crate) trait Word: Copy + PartialEq + Sized + 'static {
    /// Every value, in the order written.
    const ALL: &'static [Self];

    /// The first of them.
    const FIRST: Self;

    /// The word of a value.
    fn word(self) -> &'static str;

    /// The value of a word; none for a word that there is not.
    fn read(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == word)
    }

    /// The value of a word that a column holds.
    ///
    /// # Errors
    /// [`Code::Internal`](crate::core::fault::Code::Internal) for a word that the column's check would not let in.
    fn parse(word: &str) -> Result<Self, Fault> {
        let ty = std::any::type_name::<Self>();
        Self::read(word).ok_or_else(|| Fault::internal(format!("`{word}` is not a valid {ty}")))
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::resolver_utils::EnumType;

    use super::*;

    words! {
        /// How something ends.
        pub(crate) enum Ending {
            /// Well.
            Good = "GOOD",
            /// Otherwise.
            NotSoGood = "NOT_SO_GOOD",
        }
    }

    #[test]
    fn a_word_is_the_same_everywhere() {
        for value in Ending::ALL.iter().copied() {
            let word = value.word();
            assert_eq!(serde_json::to_value(value).unwrap(), word);
            assert_eq!(serde_json::from_value::<Ending>(word.into()).unwrap(), value);
            assert_eq!(Ending::read(word), Some(value));
            assert!(Ending::items().iter().any(|item| item.name == word && item.value == value));
        }
        assert_eq!(Ending::read("BAD"), None);
    }
}
