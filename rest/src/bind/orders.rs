//! The words of orders. The contract says `-created_at`, as most interfaces do; a name of the schema's cannot begin so,
//! and says `CREATED_AT_DESC`.

/// The schema's name of an order that the contract calls `word`.
pub(crate) fn name_of(word: &str) -> String {
    match word.strip_prefix('-') {
        Some(column) => format!("{}_DESC", column.to_ascii_uppercase()),
        None => word.to_ascii_uppercase(),
    }
}

/// The contract's word for an order that the schema calls `name`.
pub(crate) fn word_of(name: &str) -> String {
    match name.strip_suffix("_DESC") {
        Some(column) => format!("-{}", column.to_ascii_lowercase()),
        None => name.to_ascii_lowercase(),
    }
}

/// Whether some of an enumeration's words are none that the schema could have: then they are those of orders.
pub(crate) fn are_orders<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    words.any(|word| word.contains(|letter: char| letter == '-' || letter.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_and_its_name_lead_to_one_another() {
        for (word, name) in [("-created_at", "CREATED_AT_DESC"), ("name", "NAME"), ("-share", "SHARE_DESC")] {
            assert_eq!((name_of(word).as_str(), word_of(name).as_str()), (name, word));
        }
        assert!(are_orders(["-a", "B"].into_iter()) && are_orders(["code"].into_iter()));
        assert!(!are_orders(["DRAFT", "IN_REVIEW"].into_iter()));
    }
}
