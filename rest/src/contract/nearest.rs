//! "Did you mean": finds the known name that is nearest to an unknown one, or lists the known names.

/// Maximum number of names in a list.
const MOST_NAMED: usize = 30;

/// Returns the name among `known` with the fewest typing errors compared with `name`, if it is near enough: at most a
/// third of its letters, and at most three.
///
/// Long names are not compared, so that an attacker cannot cause expensive comparisons.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 64 {
        return None;
    }
    known
        .into_iter()
        .filter(|candidate| candidate.len() <= 64)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(errors, candidate)| *errors <= 3 && errors * 3 <= candidate.chars().count())
        .min_by_key(|(errors, _)| *errors)
        .map(|(_, candidate)| candidate)
}

/// Returns a sentence that lists known names, at most [`MOST_NAMED`] of them.
pub(crate) fn list_names<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.take(MOST_NAMED + 1).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST_NAMED {
        names.truncate(MOST_NAMED);
        names.push("others that the contract lists".to_owned());
    }
    if names.is_empty() { String::new() } else { format!(" {what}: {}.", names.join(", ")) }
}

/// Returns the Levenshtein distance between two short texts.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, left_char) in left.chars().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        let mut beside = line + 1;
        next.push(beside);
        for ((above_left, above), right_char) in row.iter().zip(row.iter().skip(1)).zip(&right) {
            let replaced = above_left + usize::from(left_char != *right_char);
            beside = replaced.min(above + 1).min(beside + 1);
            next.push(beside);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_typing_errors() {
        assert_eq!(distance("", ""), 0);
        assert_eq!(distance("state", ""), 5);
        assert_eq!(distance("state", "state"), 0);
        assert_eq!(distance("sate", "state"), 1);
        assert_eq!(distance("stats", "state"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn nearest_finds_near_names_only() {
        let known = ["limit", "cursor", "category_uuid"];
        assert_eq!(nearest("limt", known), Some("limit"));
        assert_eq!(nearest("categoryuuid", known), Some("category_uuid"));
        assert_eq!(nearest("q", known), None);
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest(&"x".repeat(5000), known), None);
    }
}
