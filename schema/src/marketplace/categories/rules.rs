//! What may be done to a category, and where one may stand.

use std::collections::BTreeMap;

use crate::core::fault::{Fault, FieldError};
use crate::core::state_diagram::StateDiagram;
use crate::core::words::{Word as _, words};

/// The lowest level, counted from the root's 0: the tree has at most four.
pub(super) const LOWEST_DEPTH: i32 = 3;

words! {
    /// Whether a category itself is shown (docs/decisions.md#states).
    pub(crate) enum CategoryState {
        /// Shown, unless one above it is not.
        Active = "ACTIVE",
        /// Hidden, with all beneath it.
        Deactivated = "DEACTIVATED",
    }
}

/// What can be done to a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CategoryAction {
    /// Shown again.
    Activate,
    /// Off public reads.
    Deactivate,
    /// To another parent or place.
    Move,
}

impl CategoryAction {
    /// Every action, for tables and tests.
    pub(super) const ALL: [Self; 3] = [Self::Activate, Self::Deactivate, Self::Move];

    /// The action's name in refusals.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Activate => "activate",
            Self::Deactivate => "deactivate",
            Self::Move => "move",
        }
    }
}

/// The table of the machine: where an action leads, or that it leads nowhere.
const fn next(state: CategoryState, action: CategoryAction) -> Option<CategoryState> {
    match (state, action) {
        (CategoryState::Deactivated, CategoryAction::Activate) => Some(CategoryState::Active),
        (CategoryState::Active, CategoryAction::Deactivate) => Some(CategoryState::Deactivated),
        (state, CategoryAction::Move) => Some(state),
        _ => None,
    }
}

/// Where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(super) fn after(state: CategoryState, action: CategoryAction) -> Result<CategoryState, Fault> {
    next(state, action).ok_or_else(|| {
        let allowed = CategoryAction::ALL
            .into_iter()
            .filter(|action| next(state, *action).is_some())
            .map(|action| action.name().to_owned())
            .collect();
        Fault::illegal("category", state.name(), action.name(), allowed)
    })
}

/// A category that another one is to be put under.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parent {
    /// Steps from the root.
    pub(super) depth: i32,
    /// Whether it and all above it are active.
    pub(super) shown: bool,
}

/// Refuses a parent under which nothing can be put.
///
/// # Errors
/// [`crate::Code::ValidationFailed`].
pub(super) fn check_parent(parent: Parent) -> Result<(), Fault> {
    if !parent.shown {
        let message = "This category, or one above it, is deactivated. Activate it first or choose another one.";
        return Err(Fault::field("/parent_uuid", "DEACTIVATED", message));
    }
    if parent.depth >= LOWEST_DEPTH {
        let message = "The tree has four levels and this category stands on the lowest. Choose one above it.";
        return Err(Fault::field("/parent_uuid", "TOO_DEEP", message));
    }
    Ok(())
}

/// The place among siblings of which the last stands at `last` (0 without any).
pub(super) fn place(wanted: Option<i32>, last: i32) -> i32 {
    wanted.filter(|wanted| *wanted <= last).unwrap_or(last + 1)
}

/// Refuses texts of which nothing could be read, each with its place.
///
/// # Errors
/// [`crate::Code::ValidationFailed`].
pub(super) fn check_texts(
    names: &BTreeMap<String, String>,
    descriptions: &BTreeMap<String, String>,
) -> Result<(), Fault> {
    let blank = |field: &'static str, texts: &BTreeMap<String, String>| -> Vec<FieldError> {
        let blank = texts.iter().filter(|(_, text)| text.trim().is_empty());
        blank
            .map(|(locale, _)| FieldError::at(format!("/{field}/{locale}"), "BLANK", "Write more than spaces."))
            .collect()
    };
    let mut errors = blank("names", names);
    errors.extend(blank("descriptions", descriptions));
    if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) }
}

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    StateDiagram::of(
        "Category",
        (CategoryState::ALL, CategoryState::name),
        (&CategoryAction::ALL, CategoryAction::name),
        [&after],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
        use CategoryAction::{Activate, Deactivate, Move};
        let table = [
            (CategoryState::Active, Activate, None),
            (CategoryState::Active, Deactivate, Some(CategoryState::Deactivated)),
            (CategoryState::Active, Move, Some(CategoryState::Active)),
            (CategoryState::Deactivated, Activate, Some(CategoryState::Active)),
            (CategoryState::Deactivated, Deactivate, None),
            (CategoryState::Deactivated, Move, Some(CategoryState::Deactivated)),
        ];
        assert_eq!(table.len(), CategoryState::ALL.len() * CategoryAction::ALL.len());
        for (state, action, expected) in table {
            assert_eq!(after(state, action).ok(), expected, "{state:?} {action:?}");
        }
    }

    #[test]
    fn a_refusal_names_what_is_allowed() {
        let allowed = |state, action| after(state, action).map_err(|fault| fault.allowed_actions().to_vec());
        assert_eq!(
            allowed(CategoryState::Deactivated, CategoryAction::Deactivate),
            Err(vec!["activate".to_owned(), "move".to_owned()])
        );
        assert_eq!(
            allowed(CategoryState::Active, CategoryAction::Activate),
            Err(vec!["deactivate".to_owned(), "move".to_owned()])
        );
    }

    #[test]
    fn states_are_read_as_they_are_written() {
        for state in CategoryState::ALL.iter().copied() {
            assert_eq!(CategoryState::read(state.name()), Some(state));
        }
        assert_eq!(CategoryState::read("active"), None);
    }

    #[test]
    fn the_tree_has_four_levels() {
        let may_be_put = |depth| check_parent(Parent { depth, shown: true }).is_ok();
        assert_eq!([0, 1, 2, 3].map(may_be_put), [true, true, true, false]);
    }

    #[test]
    fn nothing_is_put_under_what_is_hidden() {
        let fault = check_parent(Parent { depth: 0, shown: false }).unwrap_err();
        assert_eq!(fault.errors()[0].code, "DEACTIVATED");
    }

    #[test]
    fn a_place_beyond_the_last_is_the_last() {
        assert_eq!([place(None, 0), place(None, 4), place(Some(9), 4), place(Some(5), 4)], [1, 5, 5, 5]);
        assert_eq!([place(Some(4), 4), place(Some(1), 4)], [4, 1]);
    }

    #[test]
    fn blank_texts_are_refused_where_they_stand() {
        let texts = |locale: &str, text: &str| BTreeMap::from([(locale.to_owned(), text.to_owned())]);
        let fault = check_texts(&texts("en", "Bars"), &texts("de", "  \n")).unwrap_err();
        assert_eq!(fault.errors()[0].pointer.as_deref(), Some("/descriptions/de"));
        assert!(check_texts(&texts("en", "Bars"), &BTreeMap::new()).is_ok());
    }
}
