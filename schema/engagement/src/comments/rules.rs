//! Rules on the actions of a comment's author.

use labs_core::fault::{Code, Fault};

/// Relation of a comment to the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CommentStatus {
    /// Whether the caller wrote it.
    pub(super) is_own: bool,
    /// Whether staff removed its text.
    pub(super) is_removed: bool,
    /// Whether the comments of the feature request are locked.
    pub(super) is_locked: bool,
}

/// Returns the actions of a partner's user on a comment.
pub(super) fn partner_actions(status: CommentStatus) -> Vec<String> {
    [("edit", ensure_editable(status).is_ok()), ("report", !status.is_own && !status.is_removed)]
        .into_iter()
        .filter(|(_, is_possible)| *is_possible)
        .map(|(action, _)| action.to_owned())
        .collect()
}

/// Rejects the edit of a comment that another user wrote, that is removed, or that is locked.
///
/// # Errors
/// [`Code::AuthorRequired`] or [`Code::Conflict`].
pub(super) fn ensure_editable(status: CommentStatus) -> Result<(), Fault> {
    if !status.is_own {
        let detail = "Only the user who wrote this comment can change it. Add missing information as a new comment.";
        return Err(Fault::new(Code::AuthorRequired, detail));
    }
    if status.is_removed {
        let detail = "Our moderators removed this comment, so it cannot be changed. The e-mail about it states the \
                      reason.";
        return Err(Fault::conflict(detail));
    }
    ensure_open(status.is_locked)
}

/// Rejects a comment on a locked feature request.
///
/// # Errors
/// [`Code::Conflict`].
pub(super) fn ensure_open(is_locked: bool) -> Result<(), Fault> {
    if is_locked {
        let detail = "Our moderators locked the comments of this feature request, so comments cannot be added or \
                      changed. You can still vote for it and follow it.";
        return Err(Fault::conflict(detail));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_author_edits_visible_unlocked_comment() {
        let own = CommentStatus { is_own: true, ..CommentStatus::default() };
        assert!(ensure_editable(own).is_ok());
        let code = |status| ensure_editable(status).unwrap_err().code();
        assert_eq!(code(CommentStatus::default()), Code::AuthorRequired);
        assert_eq!(code(CommentStatus { is_removed: true, ..own }), Code::Conflict);
        assert_eq!(code(CommentStatus { is_locked: true, ..own }), Code::Conflict);
        let foreign = CommentStatus { is_removed: true, is_locked: true, is_own: false };
        assert_eq!(code(foreign), Code::AuthorRequired, "whose it is comes first");
    }

    #[test]
    fn other_users_may_report_visible_comment() {
        let own = CommentStatus { is_own: true, ..CommentStatus::default() };
        assert_eq!(partner_actions(own), ["edit"]);
        assert_eq!(partner_actions(CommentStatus::default()), ["report"]);
        assert_eq!(partner_actions(CommentStatus { is_locked: true, ..CommentStatus::default() }), ["report"]);
        for is_own in [true, false] {
            assert!(partner_actions(CommentStatus { is_own, is_removed: true, is_locked: false }).is_empty());
        }
    }
}
