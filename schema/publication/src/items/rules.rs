//! State machine of items, and rules on their content.

use labs_core::fault::{Fault, FieldError};
use labs_core::state_diagram::StateDiagram;
use labs_core::time::Time;
use labs_core::words::{Word as _, words};
use uuid::Uuid;

use super::content::PublicationContent;

words! {
    /// Kind of a publication item.
    pub(crate) enum PublicationKind {
        /// A change in a release of the service.
        ChangelogEntry = "CHANGELOG_ENTRY",
        /// A post of the developer blog.
        BlogPost = "BLOG_POST",
        /// A download for developers.
        DeveloperResource = "DEVELOPER_RESOURCE",
    }
}

words! {
    /// State of a publication item.
    pub enum PublicationState {
        /// Is being written and was never released.
        Draft = "DRAFT",
        /// Is released automatically at its scheduled time.
        Scheduled = "SCHEDULED",
        /// Is visible to readers.
        Released = "RELEASED",
        /// Was visible to readers before and no longer is.
        Withdrawn = "WITHDRAWN",
    }
}

words! {
    /// Readers of a publication item after its release.
    pub enum PublicationAudience {
        /// All readers.
        Public = "PUBLIC",
        /// The users and machine clients of partners.
        Partner = "PARTNER",
    }
}

words! {
    /// Kind of change that a changelog entry describes.
    pub(crate) enum ChangeKind {
        /// A new feature.
        Added = "ADDED",
        /// A changed behaviour.
        Changed = "CHANGED",
        /// An announced removal.
        Deprecated = "DEPRECATED",
        /// A fixed error.
        Fixed = "FIXED",
        /// A change that is relevant for security.
        Security = "SECURITY",
    }
}

/// Action of staff on the state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PublicationAction {
    /// Schedule the release.
    Schedule,
    /// Release to readers.
    Release,
    /// Withdraw from readers, or from the schedule.
    Withdraw,
}

impl PublicationAction {
    const ALL: [Self; 3] = [Self::Schedule, Self::Release, Self::Withdraw];

    const fn name(self) -> &'static str {
        match self {
            Self::Schedule => "schedule",
            Self::Release => "release",
            Self::Withdraw => "withdraw",
        }
    }
}

/// Transition table. An item that was released never becomes a draft again.
const fn find_transition(
    state: PublicationState,
    action: PublicationAction,
    was_released: bool,
) -> Option<PublicationState> {
    use PublicationAction::{Release, Schedule, Withdraw};
    use PublicationState::{Draft, Released, Scheduled, Withdrawn};
    match (state, action) {
        (Draft | Scheduled | Withdrawn, Release) => Some(Released),
        (Draft | Scheduled | Withdrawn, Schedule) => Some(Scheduled),
        (Scheduled, Withdraw) if !was_released => Some(Draft),
        (Scheduled | Released, Withdraw) => Some(Withdrawn),
        _ => None,
    }
}

/// Returns the state after an action.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the currently allowed actions.
pub(crate) fn next_state(
    state: PublicationState,
    action: PublicationAction,
    was_released: bool,
) -> Result<PublicationState, Fault> {
    find_transition(state, action, was_released).ok_or_else(|| err_refused(state, action.name()))
}

/// Returns the actions of staff in this state.
pub(crate) fn allowed_actions(state: PublicationState) -> Vec<String> {
    let allowed = PublicationAction::ALL.into_iter().filter(|action| find_transition(state, *action, true).is_some());
    allowed.map(|action| action.name().to_owned()).collect()
}

/// The fault for an action that the state does not allow.
pub(crate) fn err_refused(state: PublicationState, action: &str) -> Fault {
    Fault::illegal("publication item", state.name(), action, allowed_actions(state))
}

/// The fault for an edit by a machine client, which may edit only drafts and may not change the state.
pub(crate) fn err_refused_to_programs(state: PublicationState) -> Fault {
    Fault::illegal("changelog entry", state.name(), "update", Vec::new())
}

/// Draws the state machine.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Publication item",
        (PublicationState::ALL, PublicationState::name),
        (&PublicationAction::ALL, PublicationAction::name),
        [&|state, action| next_state(state, action, false), &|state, action| next_state(state, action, true)],
    )
    .with_end(PublicationState::Draft.name(), "delete")
}

/// Collects the errors in fields and values that the kind does not allow in any state.
pub(crate) fn check(kind: PublicationKind, content: &PublicationContent, errors: &mut Vec<FieldError>) {
    let mut refuse = |pointer: &str, code: &str, message: &str| errors.push(FieldError::at(pointer, code, message));
    if content.title.is_empty() {
        refuse("/title", "BLANK", "Send a title of 1 to 150 characters.");
    }
    if kind != PublicationKind::DeveloperResource && content.audience != PublicationAudience::Public {
        refuse("/audience", "PUBLIC_ONLY", "Changelog entries and blog posts are public. Send PUBLIC.");
    }
    if kind == PublicationKind::ChangelogEntry {
        if content.version.is_none() {
            refuse(
                "/version",
                "REQUIRED",
                "Send the release of the service that the entry describes, for example 1.4.0.",
            );
        }
        if content.change.is_none() {
            refuse("/change", "REQUIRED", "Send the kind of change: ADDED, CHANGED, DEPRECATED, FIXED or SECURITY.");
        }
    }
    if content.effective_at.zip(content.sunset_at).is_some_and(|(from, until)| until <= from) {
        refuse("/sunset_at", "NOT_LATER", "`sunset_at` must be later than `effective_at`.");
    }
}

/// Collects the errors that prevent a release: the texts must not be empty, and a required action needs a migration
/// text.
pub(crate) fn check_readable(content: &PublicationContent, errors: &mut Vec<FieldError>) {
    if content.body.trim().is_empty() {
        errors.push(FieldError::at("/body", "BLANK", "This item has no text. Write its text before readers see it."));
    }
    if content.action_required && content.migration.as_deref().is_none_or(|text| text.trim().is_empty()) {
        let message = "Callers have to act. Describe the action, with an example of before and after.";
        errors.push(FieldError::at("/migration", "REQUIRED", message));
    }
}

/// Rejects the release of a resource without a download.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(crate) fn ensure_downloadable(
    kind: PublicationKind,
    content: &PublicationContent,
    is_generated: bool,
) -> Result<(), Fault> {
    if kind == PublicationKind::DeveloperResource && content.artefact.is_none() && !is_generated {
        return Err(Fault::conflict(
            "This resource has no file yet. Send one with PUT /v1/publication/internal/items/{item_uuid}/artefact.",
        ));
    }
    Ok(())
}

/// Collects the errors of generated files: only a resource can have one, and its version cannot be set.
pub(crate) fn check_generated(
    kind: PublicationKind,
    is_generated: bool,
    says_version: bool,
    errors: &mut Vec<FieldError>,
) {
    if is_generated && kind != PublicationKind::DeveloperResource {
        let message = format!("A {} has no such field. Omit it.", kind.name());
        errors.push(FieldError::at("/generated", "NOT_OF_KIND", message));
    } else if is_generated && says_version {
        let message = "The service sets the version of a file that it generates itself. Omit `resource_version`.";
        errors.push(FieldError::at("/resource_version", "GENERATED", message));
    }
}

/// Collects the error if another user than its author shows or hides the author of a post.
pub(crate) fn check_author(
    (before, after): (bool, bool),
    author: Option<Uuid>,
    caller: Uuid,
    errors: &mut Vec<FieldError>,
) {
    if before != after && author != Some(caller) {
        let message = "Only the post's author can decide whether readers see the author's name. Omit `show_author`.";
        errors.push(FieldError::at("/show_author", "NOT_AUTHOR", message));
    }
}

/// Rejects a time in the past.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`].
pub(crate) fn ensure_ahead(at: Time, now: Time) -> Result<(), Fault> {
    if at <= now {
        return Err(Fault::field(
            "/scheduled_for",
            "PAST",
            "This time has passed. Send a future time, or release the item now.",
        ));
    }
    Ok(())
}

/// Rejects a change of released content without a reason.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`].
pub(crate) fn ensure_reason(state: PublicationState, error: FieldError, reason: Option<&str>) -> Result<(), Fault> {
    if state == PublicationState::Released && reason.is_none_or(|reason| reason.trim().is_empty()) {
        return Err(Fault::invalid(vec![error]));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    #[test]
    fn state_machine_matches_table() {
        type Row = [(PublicationAction, PublicationState)];
        use PublicationAction::{Release, Schedule, Withdraw};
        use PublicationState::{Draft, Released, Scheduled, Withdrawn};
        let table: [(PublicationState, bool, &Row); 5] = [
            (Draft, false, &[(Schedule, Scheduled), (Release, Released)]),
            (Scheduled, false, &[(Schedule, Scheduled), (Release, Released), (Withdraw, Draft)]),
            (Scheduled, true, &[(Schedule, Scheduled), (Release, Released), (Withdraw, Withdrawn)]),
            (Released, true, &[(Withdraw, Withdrawn)]),
            (Withdrawn, true, &[(Schedule, Scheduled), (Release, Released)]),
        ];
        for (state, was_released, row) in table {
            for action in PublicationAction::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(next_state(state, action, was_released).ok(), expected, "{state:?} {action:?}");
                let named = allowed_actions(state).iter().any(|name| name == action.name());
                assert_eq!(named, expected.is_some(), "{state:?} {action:?}");
            }
        }
        assert_eq!(next_state(Released, Release, true).unwrap_err().code(), Code::IllegalTransition);
    }

    fn codes(find: impl FnOnce(&mut Vec<FieldError>)) -> Vec<String> {
        let mut errors = Vec::new();
        find(&mut errors);
        errors.into_iter().map(|error| format!("{} {}", error.pointer.unwrap_or_default(), error.code)).collect()
    }

    #[test]
    fn readable_item_needs_required_texts() {
        let mut content = PublicationContent::empty();
        content.action_required = true;
        assert_eq!(codes(|errors| check_readable(&content, errors)), ["/body BLANK", "/migration REQUIRED"]);
        content.migration = Some("Call another operation.".to_owned());
        content.body = "Nothing else.".to_owned();
        assert!(codes(|errors| check_readable(&content, errors)).is_empty());
    }

    #[test]
    fn changelog_entry_needs_version_change_and_public_audience() {
        let mut content = PublicationContent::empty();
        content.audience = PublicationAudience::Partner;
        let found = |kind, content: &PublicationContent| codes(|errors| check(kind, content, errors));
        assert_eq!(
            found(PublicationKind::ChangelogEntry, &content),
            ["/title BLANK", "/audience PUBLIC_ONLY", "/version REQUIRED", "/change REQUIRED"]
        );
        assert_eq!(found(PublicationKind::BlogPost, &content), ["/title BLANK", "/audience PUBLIC_ONLY"]);
        content.title = "A".to_owned();
        assert!(found(PublicationKind::DeveloperResource, &content).is_empty());
    }

    #[test]
    fn only_author_changes_author_visibility() {
        let (author, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let found = |change, caller| codes(|errors| check_author(change, Some(author), caller, errors)).len();
        assert_eq!((found((false, true), author), found((true, false), author)), (0, 0));
        assert_eq!((found((false, true), other), found((true, false), other), found((true, true), other)), (1, 1, 0));
        assert_eq!(codes(|errors| check_author((false, true), None, other, errors)).len(), 1);
    }

    #[test]
    fn only_developer_resource_is_generated_with_its_version() {
        use PublicationKind::{BlogPost, DeveloperResource};
        let found = |kind, generated, says| codes(|errors| check_generated(kind, generated, says, errors));
        assert_eq!(found(BlogPost, true, false), ["/generated NOT_OF_KIND"]);
        assert_eq!(found(DeveloperResource, true, true), ["/resource_version GENERATED"]);
        assert!(found(DeveloperResource, true, false).is_empty() && found(DeveloperResource, false, true).is_empty());
        assert!(found(BlogPost, false, false).is_empty());
    }

    #[test]
    fn released_resource_needs_a_download() {
        let content = PublicationContent::empty();
        assert!(ensure_downloadable(PublicationKind::DeveloperResource, &content, false).is_err());
        assert!(ensure_downloadable(PublicationKind::DeveloperResource, &content, true).is_ok());
        assert!(ensure_downloadable(PublicationKind::BlogPost, &content, false).is_ok());
    }
}
