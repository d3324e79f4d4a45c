//! Conditions of a search by words, the same for every list (docs/decisions/api.md#search-by-words).

/// Condition that a row matches each word of a search in any of these columns, regardless of case and accents. A word
/// of at least five letters may have one typing error. The condition's value is the search as written.
///
/// The condition is inside a `coalesce`. Otherwise the planner would take it for selective, and read and sort all rows
/// instead of following the order of the list.
#[macro_export]
macro_rules! matches_words {
    ($($column:literal),+ $(,)?) => {
        concat!(
            "coalesce(folded(concat_ws(E'\\n'", $(", ", $column),+,
            ")) ~ all ((select sought_patterns({}))::text[]), false)"
        )
    };
}

/// Condition that an index serves: a folded expression matches the longest word of a search. Use it in addition to
/// [`matches_words`](crate::matches_words).
#[macro_export]
macro_rules! matches_longest_word {
    ($expression:literal) => {
        concat!("folded(", $expression, ") collate \"C\" ~ (select coalesce((sought_patterns({}))[1], ''))")
    };
}
