//! State machine of a category, and the rules for its position in the tree.

use labs_core::fault::{Fault, FieldError};
use labs_core::state_diagram::StateDiagram;
use labs_core::texts::{self, Texts, Words};
use labs_core::words::{Word as _, words};
use uuid::Uuid;

/// Greatest depth, counted from the root's 0: the tree has at most four levels.
const LOWEST_DEPTH: i32 = 3;

/// Maximum number of listings that an error names.
const MOST_NAMED: usize = 100;

/// Fields of a category that staff edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CategoryContent {
    /// Slug in storefront URLs.
    pub(super) slug: String,
    /// Names by locale.
    pub(super) names: Texts,
    /// Scope of the category, by locale.
    pub(super) descriptions: Texts,
    /// Synonyms of the names, by locale.
    pub(super) also_called: Words,
    /// Name of an icon in the storefront's icon set.
    pub(super) icon: Option<String>,
}

words! {
    /// Whether the category itself is active. A category beneath a deactivated category is also hidden and keeps its
    /// state.
    pub enum CategoryState {
        /// Visible, unless an ancestor is deactivated.
        Active = "ACTIVE",
        /// Hidden, with all descendants.
        Deactivated = "DEACTIVATED",
    }
}

/// Actions on a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CategoryAction {
    /// Show the category again.
    Activate,
    /// Remove the category from public reads.
    Deactivate,
    /// Move the category to another parent or position.
    Move,
}

impl CategoryAction {
    /// Every action, for tables and tests.
    pub(super) const ALL: [Self; 3] = [Self::Activate, Self::Deactivate, Self::Move];

    /// Name of the action in error details.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Activate => "activate",
            Self::Deactivate => "deactivate",
            Self::Move => "move",
        }
    }
}

/// Transition table: the target state of an action, or `None` if the action is not allowed.
const fn find_transition(state: CategoryState, action: CategoryAction) -> Option<CategoryState> {
    match (state, action) {
        (CategoryState::Deactivated, CategoryAction::Activate) => Some(CategoryState::Active),
        (CategoryState::Active, CategoryAction::Deactivate) => Some(CategoryState::Deactivated),
        (state, CategoryAction::Move) => Some(state),
        _ => None,
    }
}

/// Returns the target state of an action.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the actions that are allowed now.
pub(super) fn next_state(state: CategoryState, action: CategoryAction) -> Result<CategoryState, Fault> {
    find_transition(state, action)
        .ok_or_else(|| Fault::illegal("category", state.name(), action.name(), allowed_actions(state)))
}

/// Actions that are allowed on a category now.
pub(super) fn allowed_actions(state: CategoryState) -> Vec<String> {
    let allowed = CategoryAction::ALL.into_iter().filter(|action| find_transition(state, *action).is_some());
    allowed.map(|action| action.name().to_owned()).collect()
}

/// Position of a category in the tree.
#[derive(Clone, Debug)]
pub(super) struct TreePosition {
    /// Categories from the root down to this one, inclusive.
    pub(super) path: Vec<Uuid>,
    /// Number of levels below the root.
    pub(super) depth: i32,
    /// Whether the category and all its ancestors are active.
    pub(super) shown: bool,
}

/// Rejects a parent if the moved subtree of this height would exceed the depth limit, or if the parent is not visible.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`].
pub(super) fn check_parent(parent: &TreePosition, height: i32) -> Result<(), Fault> {
    if !parent.shown {
        let message = "This category, or a category above it, is deactivated. Activate it first, or choose another \
                       one.";
        return Err(Fault::field("/parent_uuid", "DEACTIVATED", message));
    }
    if parent.depth + 1 + height > LOWEST_DEPTH {
        let message = "The tree has four levels, and this would create a fifth. Choose a parent on a higher level.";
        return Err(Fault::field("/parent_uuid", "TOO_DEEP", message));
    }
    Ok(())
}

/// Rejects a category as its own ancestor.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`].
pub(super) fn check_no_cycle(category_uuid: Uuid, parent: &TreePosition) -> Result<(), Fault> {
    if parent.path.contains(&category_uuid) {
        let message = "This is the category itself or one of its subcategories. Choose another parent.";
        return Err(Fault::field("/parent_uuid", "CYCLE", message));
    }
    Ok(())
}

/// Rejects a target category for listings that is hidden once this category is deactivated.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`].
pub(super) fn check_target(category_uuid: Uuid, target: &TreePosition) -> Result<(), Fault> {
    if !target.shown || target.path.contains(&category_uuid) {
        let message = "This category is deactivated, or would be hidden together with the other. Choose a category \
                       that stays active.";
        return Err(Fault::field("/move_to", "DEACTIVATED", message));
    }
    Ok(())
}

/// Rejects leaving listings without an active category. The error names the first of them by slug.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_none_left<'a>(slugs: impl ExactSizeIterator<Item = &'a str>) -> Result<(), Fault> {
    let count = slugs.len();
    if count == 0 {
        return Ok(());
    }
    let named = |slug: &str| {
        FieldError::at("/move_to", "LISTING_LEFT", format!("The listing {slug} has no other active category."))
    };
    let errors = slugs.take(MOST_NAMED).map(named).collect();
    Err(Fault::conflict(format!(
        "Listings that would have no active category: {count}. `errors` names at most {MOST_NAMED} of them. Send \
         `move_to` with the category that receives them."
    ))
    .with_errors(errors))
}

/// Numbers of rows that refer to a category.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CategoryUse {
    /// Direct child categories.
    pub(super) children: i64,
    /// Apps that have chosen the category.
    pub(super) apps: i64,
    /// Listings in the category, visible or not.
    pub(super) listings: i64,
}

/// Rejects deleting a category that is in use.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_unused(used: CategoryUse) -> Result<(), Fault> {
    let CategoryUse { children, apps, listings } = used;
    if children + apps + listings > 0 {
        return Err(Fault::conflict(format!(
            "This category is in use by {children} subcategories, {apps} apps that chose it, and {listings} \
             listings, including listings off the storefront. Deactivate it instead, which hides it."
        )));
    }
    Ok(())
}

/// Returns the position among siblings. `last` is the position of the last sibling, 0 without siblings.
pub(super) fn place(wanted: Option<i32>, last: i32) -> i32 {
    wanted.filter(|wanted| *wanted <= last).unwrap_or(last + 1)
}

/// Rejects texts without readable content, each with its pointer, and more texts than the limit.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`].
pub(super) fn check_texts(content: &CategoryContent) -> Result<(), Fault> {
    let mut errors = Vec::new();
    texts::check_with_english("names", &content.names, &mut errors);
    texts::check("descriptions", &content.descriptions, &mut errors);
    texts::check_words("also_called", &content.also_called, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) }
}

/// Returns the state diagram.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Category",
        (CategoryState::ALL, CategoryState::name),
        (&CategoryAction::ALL, CategoryAction::name),
        [&next_state],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_machine_matches_table() {
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
            assert_eq!(next_state(state, action).ok(), expected, "{state:?} {action:?}");
        }
    }

    #[test]
    fn rejected_action_lists_allowed_actions() {
        let allowed = |state, action| next_state(state, action).map_err(|fault| fault.allowed_actions().to_vec());
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
    fn state_names_round_trip() {
        for state in CategoryState::ALL.iter().copied() {
            assert_eq!(CategoryState::read(state.name()), Some(state));
        }
        assert_eq!(CategoryState::read("active"), None);
    }

    fn below(path: &[u128], shown: bool) -> TreePosition {
        let path: Vec<Uuid> = path.iter().copied().map(Uuid::from_u128).collect();
        TreePosition { depth: i32::try_from(path.len()).unwrap() - 1, path, shown }
    }

    fn code(judged: Result<(), Fault>) -> Option<String> {
        judged.err().map(|fault| fault.errors()[0].code.clone())
    }

    #[test]
    fn category_tree_has_at_most_four_levels() {
        let may_be_put = |path: &[u128], height| check_parent(&below(path, true), height).is_ok();
        assert_eq!([1, 2, 3, 4].map(|levels| may_be_put(&[1, 2, 3, 4][..levels], 0)), [true, true, true, false]);
        assert_eq!([0, 1, 2, 3].map(|height| may_be_put(&[1, 2], height)), [true, true, false, false]);
        assert_eq!([2, 3].map(|height| may_be_put(&[1], height)), [true, false]);
    }

    #[test]
    fn parent_cannot_be_deactivated_or_own_descendant() {
        assert_eq!(code(check_parent(&below(&[1], false), 0)).as_deref(), Some("DEACTIVATED"));
        let [own, other] = [2, 9].map(Uuid::from_u128);
        for parent in [below(&[1, 2], true), below(&[1, 2, 3], true)] {
            assert_eq!(code(check_no_cycle(own, &parent)).as_deref(), Some("CYCLE"));
            assert_eq!(code(check_no_cycle(other, &parent)), None);
        }
    }

    #[test]
    fn replacement_category_must_stay_visible() {
        let gone = Uuid::from_u128(2);
        assert_eq!(code(check_target(gone, &below(&[1], true))), None, "the one above it stays");
        for hidden in [below(&[1, 2], true), below(&[1, 2, 3], true), below(&[4], false)] {
            assert_eq!(code(check_target(gone, &hidden)).as_deref(), Some("DEACTIVATED"), "{hidden:?}");
        }
    }

    #[test]
    fn at_most_one_hundred_blocking_listings_are_reported() {
        let slugs: Vec<String> = (0..120).map(|number| format!("app-{number}")).collect();
        let fault = ensure_none_left(slugs.iter().map(String::as_str)).unwrap_err();
        assert_eq!(fault.errors().len(), 100);
        assert!(fault.detail().contains("120"), "{fault}");
        assert!(ensure_none_left(std::iter::empty()).is_ok());
    }

    #[test]
    fn used_category_cannot_be_deleted() {
        let used = |children, apps, listings| ensure_unused(CategoryUse { children, apps, listings }).is_err();
        assert_eq!([used(0, 0, 0), used(1, 0, 0), used(0, 1, 0), used(0, 0, 1)], [false, true, true, true]);
    }

    #[test]
    fn position_beyond_last_becomes_last() {
        assert_eq!([place(None, 0), place(None, 4), place(Some(9), 4), place(Some(5), 4)], [1, 5, 5, 5]);
        assert_eq!([place(Some(4), 4), place(Some(1), 4)], [4, 1]);
    }

    #[test]
    fn blank_and_excess_texts_are_rejected_with_pointers() {
        let texts = |locale: &str, text: &str| Texts::from([(locale.to_owned(), text.to_owned())]);
        let content = |names, descriptions| CategoryContent { names, descriptions, ..CategoryContent::default() };
        let fault = check_texts(&content(texts("en", "Bars"), texts("de", "  \n"))).unwrap_err();
        assert_eq!(fault.errors()[0].pointer.as_deref(), Some("/descriptions/de"));
        assert!(check_texts(&content(texts("en", "Bars"), Texts::new())).is_ok());
        let fault = check_texts(&content(texts("de", "Kassen"), Texts::new())).unwrap_err();
        assert_eq!(
            (fault.errors()[0].pointer.as_deref(), fault.errors()[0].code.as_str()),
            (Some("/names/en"), "REQUIRED")
        );
        let also_called = Words::from([("de".to_owned(), vec!["Kneipe".to_owned(), "--".to_owned()])]);
        let called = CategoryContent { also_called, ..content(texts("en", "Bars"), Texts::new()) };
        let fault = check_texts(&called).unwrap_err();
        assert_eq!(fault.errors()[0].pointer.as_deref(), Some("/also_called/de/1"));
        let many: Texts = (0..41).map(|number| (format!("l{number}"), "Bars".to_owned())).collect();
        let fault = check_texts(&content(many, Texts::new())).unwrap_err();
        assert_eq!(
            (fault.errors()[0].pointer.as_deref(), fault.errors()[0].code.as_str()),
            (Some("/names"), "TOO_MANY")
        );
    }
}
