//! What an app may become, and what its draft must look like.

use async_graphql::Enum;

use crate::fault::{Fault, FieldError};

/// Where an app is (specification: decisions, States).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Enum)]
#[graphql(name = "AppState")]
pub(crate) enum State {
    /// Never shown.
    Draft,
    /// On the storefront.
    Listed,
    /// Taken off by its owner.
    Unlisted,
    /// Taken off by staff.
    Suspended,
    /// Put away by its owner.
    Archived,
}

/// What can be done to an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// A version goes live.
    Publish,
    /// Off the storefront for now.
    Unlist,
    /// On again.
    Relist,
    /// Off by staff, with a reason.
    Suspend,
    /// Staff take that back.
    Reinstate,
    /// Put away.
    Archive,
    /// Taken out again.
    Restore,
}

impl State {
    /// Every state, for tables and tests.
    pub(crate) const ALL: [Self; 5] = [Self::Draft, Self::Listed, Self::Unlisted, Self::Suspended, Self::Archived];

    /// The column's value.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Draft => "DRAFT",
            Self::Listed => "LISTED",
            Self::Unlisted => "UNLISTED",
            Self::Suspended => "SUSPENDED",
            Self::Archived => "ARCHIVED",
        }
    }

    /// Reads the column's value.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == text)
    }
}

impl Action {
    /// Every action, for tables and tests.
    pub(crate) const ALL: [Self; 7] =
        [Self::Publish, Self::Unlist, Self::Relist, Self::Suspend, Self::Reinstate, Self::Archive, Self::Restore];

    /// The action's name in refusals.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Unlist => "unlist",
            Self::Relist => "relist",
            Self::Suspend => "suspend",
            Self::Reinstate => "reinstate",
            Self::Archive => "archive",
            Self::Restore => "restore",
        }
    }
}

/// The table of the machine: where an action leads, or that it leads nowhere.
///
/// An app that was once published comes back from the archive off the storefront, never straight onto it.
const fn next(state: State, action: Action, was_published: bool) -> Option<State> {
    match (state, action) {
        (State::Draft | State::Listed | State::Unlisted, Action::Publish) => Some(State::Listed),
        (State::Listed, Action::Unlist) => Some(State::Unlisted),
        (State::Unlisted, Action::Relist) => Some(State::Listed),
        (State::Listed | State::Unlisted, Action::Suspend) => Some(State::Suspended),
        (State::Suspended, Action::Reinstate) => Some(State::Listed),
        (State::Draft | State::Listed | State::Unlisted, Action::Archive) => Some(State::Archived),
        (State::Archived, Action::Restore) if was_published => Some(State::Unlisted),
        (State::Archived, Action::Restore) => Some(State::Draft),
        _ => None,
    }
}

/// Where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(crate) fn after(state: State, action: Action, was_published: bool) -> Result<State, Fault> {
    next(state, action, was_published).ok_or_else(|| {
        let allowed = Action::ALL
            .into_iter()
            .filter(|action| next(state, *action, was_published).is_some())
            .map(|action| action.name().to_owned())
            .collect();
        Fault::illegal("app", state.name(), action.name(), allowed)
    })
}

/// A slug out of a name: lower-case letters, digits and single hyphens, at most 60.
pub(crate) fn slug_of(name: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let mut slug = String::with_capacity(name.len());
    for letter in name.nfkd() {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !is_combining(letter) && !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= 60 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.len() < 2 { format!("app-{slug}").trim_end_matches('-').to_owned() } else { slug.to_owned() }
}

fn is_combining(letter: char) -> bool {
    matches!(u32::from(letter), 0x300..=0x36F)
}

/// The refusal of categories that cannot be chosen.
pub(crate) fn unselectable(position: usize) -> FieldError {
    let pointer = if position == 0 {
        "/primary_category_uuid".to_owned()
    } else {
        format!("/further_category_uuids/{}", position - 1)
    };
    FieldError::at(pointer, "UNKNOWN_CATEGORY", "Choose an active category from GET /v1/marketplace/categories.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
        use Action::*;
        let table: &[(State, &[(Action, State)])] = &[
            (State::Draft, &[(Publish, State::Listed), (Archive, State::Archived)]),
            (
                State::Listed,
                &[
                    (Publish, State::Listed),
                    (Unlist, State::Unlisted),
                    (Suspend, State::Suspended),
                    (Archive, State::Archived),
                ],
            ),
            (
                State::Unlisted,
                &[
                    (Publish, State::Listed),
                    (Relist, State::Listed),
                    (Suspend, State::Suspended),
                    (Archive, State::Archived),
                ],
            ),
            (State::Suspended, &[(Reinstate, State::Listed)]),
            (State::Archived, &[(Restore, State::Unlisted)]),
        ];
        for (state, row) in table {
            for action in Action::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(after(*state, action, true).ok(), expected, "{state:?} {action:?}");
            }
        }
        assert_eq!(after(State::Archived, Restore, false).ok(), Some(State::Draft));
    }

    #[test]
    fn a_refusal_names_what_is_allowed() {
        let refusal = after(State::Suspended, Action::Archive, true).err();
        assert_eq!(refusal.map(|fault| fault.parts().allowed_actions.clone()), Some(vec!["reinstate".to_owned()]));
    }

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug_of("Küche & Kasse 2.0"), "kuche-kasse-2-0");
        assert_eq!(slug_of("  --  "), "app");
        assert_eq!(slug_of("日本"), "app");
    }
}
