//! Rules for the categories that an app may choose.

use labs_core::fault::{Fault, FieldError};
use uuid::Uuid;

/// Returns the chosen categories in order, the primary category first.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], pointing to each duplicate.
pub(in crate::apps) fn read_choice(primary: Uuid, further: &[Uuid]) -> Result<Vec<Uuid>, Fault> {
    let mut chosen = vec![primary];
    let mut errors = Vec::new();
    for uuid in further {
        if chosen.contains(uuid) {
            errors.push(FieldError::at(
                pointer(chosen.len()),
                "DUPLICATE",
                "This category occurs twice. Omit it here.",
            ));
        }
        chosen.push(*uuid);
    }
    if errors.is_empty() { Ok(chosen) } else { Err(Fault::invalid(errors)) }
}

/// Checks that each chosen category is selectable.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], pointing to each category that is not selectable.
pub(in crate::apps) fn ensure_selectable(chosen: &[Uuid], known: impl Fn(Uuid) -> bool) -> Result<(), Fault> {
    let errors: Vec<FieldError> = (0..)
        .zip(chosen)
        .filter(|(_, uuid)| !known(**uuid))
        .map(|(position, _)| {
            FieldError::at(
                pointer(position),
                "NOT_SELECTABLE",
                "Choose a category for which GET /v1/marketplace/categories returns `selectable` true.",
            )
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) }
}

/// JSON pointer in the body to the category at this position; 0 is the primary category.
fn pointer(position: usize) -> String {
    match position.checked_sub(1) {
        None => "/primary_category_uuid".to_owned(),
        Some(place) => format!("/further_category_uuids/{place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointers(fault: Option<Fault>) -> Vec<String> {
        fault.map(|fault| fault.errors().iter().filter_map(|error| error.pointer.clone()).collect()).unwrap_or_default()
    }

    #[test]
    fn primary_category_comes_first_and_duplicates_are_rejected() {
        let [a, b, c] = [1, 2, 3].map(Uuid::from_u128);
        assert_eq!(read_choice(a, &[c, b]).ok(), Some(vec![a, c, b]));
        assert_eq!(read_choice(a, &[]).ok(), Some(vec![a]));
        assert_eq!(pointers(read_choice(a, &[b, a]).err()), ["/further_category_uuids/1"]);
        assert_eq!(pointers(read_choice(a, &[a, a]).err()), ["/further_category_uuids/0", "/further_category_uuids/1"]);
    }

    #[test]
    fn unselectable_categories_are_reported_at_pointers() {
        let [a, b, c] = [1, 2, 3].map(Uuid::from_u128);
        assert!(ensure_selectable(&[a, b], |_| true).is_ok());
        let refused = ensure_selectable(&[a, b, c], |uuid| uuid == b).err();
        assert_eq!(pointers(refused), ["/primary_category_uuid", "/further_category_uuids/1"]);
    }
}
