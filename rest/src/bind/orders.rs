//! Conversion of sort orders. The contract uses `-created_at`, like most APIs; a GraphQL enum value cannot begin with a
//! hyphen and is `CREATED_AT_DESC`.

/// Returns the schema's name of the contract's order `word`.
pub(crate) fn name_of(word: &str) -> String {
    match word.strip_prefix('-') {
        Some(column) => format!("{}_DESC", column.to_ascii_uppercase()),
        None => word.to_ascii_uppercase(),
    }
}

/// Returns the contract's word for the schema's order `name`.
pub(crate) fn word_of(name: &str) -> String {
    match name.strip_suffix("_DESC") {
        Some(column) => format!("-{}", column.to_ascii_lowercase()),
        None => name.to_ascii_lowercase(),
    }
}

/// Whether the values are sort orders: at least one of them is not a valid name in the schema.
pub(crate) fn are_orders<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    words.any(|word| word.contains(|letter: char| letter == '-' || letter.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sort_value_and_enum_name_convert_both_ways() {
        for (word, name) in [("-created_at", "CREATED_AT_DESC"), ("name", "NAME"), ("-share", "SHARE_DESC")] {
            assert_eq!((name_of(word).as_str(), word_of(name).as_str()), (name, word));
        }
        assert!(are_orders(["-a", "B"].into_iter()) && are_orders(["code"].into_iter()));
        assert!(!are_orders(["DRAFT", "IN_REVIEW"].into_iter()));
    }
}
