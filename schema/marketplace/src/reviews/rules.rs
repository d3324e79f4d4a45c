//! State machine of a customer review and its texts.

use labs_core::fault::{Fault, FieldError};
use labs_core::state_diagram::StateDiagram;
use labs_core::words::{Word as _, words};
use uuid::Uuid;

words! {
    /// State of a customer review.
    pub enum CustomerReviewState {
        /// A text waits for a moderator, and no text is shown.
        Pending = "PENDING",
        /// A text is shown. A newer text may wait.
        Published = "PUBLISHED",
        /// No text is shown and no text waits.
        Rejected = "REJECTED",
    }
}

words! {
    /// Outcome of a text.
    pub enum ReviewTextOutcome {
        /// Waits for a moderator.
        Waiting = "WAITING",
        /// Readers see it.
        Shown = "SHOWN",
        /// The customer replaced or withdrew it.
        Former = "FORMER",
        /// A moderator rejected it.
        Rejected = "REJECTED",
    }
}

words! {
    /// Concern about a customer review.
    pub enum ReviewConcern {
        /// Advertising, or the same text many times.
        Spam = "SPAM",
        /// Insults, hatred or threats.
        Abusive = "ABUSIVE",
        /// Not about the app.
        OffTopic = "OFF_TOPIC",
        /// Reveals personal information about a person.
        PersonalData = "PERSONAL_DATA",
        /// About another app.
        WrongApp = "WRONG_APP",
        /// Written by a competitor, or for payment.
        ConflictOfInterest = "CONFLICT_OF_INTEREST",
        /// Another reason, stated in the note.
        Other = "OTHER",
    }
}

words! {
    /// Reason for the rejection of a text.
    pub enum ReviewRejectionReason {
        /// Advertising, or the same text posted repeatedly.
        Spam = "SPAM",
        /// Insults, hatred or threats.
        Abusive = "ABUSIVE",
        /// It is not about the app.
        OffTopic = "OFF_TOPIC",
        /// It contains personal information.
        PersonalData = "PERSONAL_DATA",
        /// It is about another app.
        WrongApp = "WRONG_APP",
        /// It was written by a competitor, or for payment.
        ConflictOfInterest = "CONFLICT_OF_INTEREST",
        /// The customer asked to remove the customer review. The service erases its texts, replies and reports and the
        /// identity of the customer. This is irreversible.
        CustomerRequest = "CUSTOMER_REQUEST",
        /// Another reason, explained in the note.
        Other = "OTHER",
    }
}

words! {
    /// Outcome of a flag or report.
    pub enum ReviewMarkOutcome {
        /// Not decided yet.
        Open = "OPEN",
        /// The text was removed.
        Upheld = "UPHELD",
        /// The text stayed.
        Dismissed = "DISMISSED",
    }
}

/// Actions of a moderator on a customer review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReviewAction {
    /// Publish a text, or keep it published.
    Approve,
    /// Reject a text.
    Reject,
}

impl ReviewAction {
    /// Every action, for tables and tests.
    pub(super) const ALL: [Self; 2] = [Self::Approve, Self::Reject];

    /// Name of the action in error details.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
        }
    }
}

/// Role of the text that a decision concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextSlot {
    /// Published text.
    Shown,
    /// Pending text.
    Waiting,
    /// Last rejected text, while no text is published or pending.
    Rejected,
}

/// Transition table: the target state of an action on the text in this role, or `None` if the state has no text in this
/// role.
const fn find_transition(
    state: CustomerReviewState,
    action: ReviewAction,
    place: TextSlot,
    another_waits: bool,
) -> Option<CustomerReviewState> {
    use CustomerReviewState::{Pending, Published, Rejected};
    match (state, action, place) {
        (Pending, ReviewAction::Approve, TextSlot::Waiting)
        | (Published, ReviewAction::Approve, TextSlot::Shown | TextSlot::Waiting)
        | (Published, ReviewAction::Reject, TextSlot::Waiting)
        | (Rejected, ReviewAction::Approve, TextSlot::Rejected) => Some(Published),
        (Published, ReviewAction::Reject, TextSlot::Shown) if another_waits => Some(Pending),
        (Pending, ReviewAction::Reject, TextSlot::Waiting)
        | (Published, ReviewAction::Reject, TextSlot::Shown)
        | (Rejected, ReviewAction::Reject, TextSlot::Rejected) => Some(Rejected),
        _ => None,
    }
}

/// Returns the actions that a moderator may take on a customer review with texts in these roles.
pub(super) fn allowed_actions(state: CustomerReviewState, places: &[TextSlot]) -> Vec<String> {
    let another_waits = places.contains(&TextSlot::Waiting);
    let leads = |action| places.iter().any(|place| find_transition(state, action, *place, another_waits).is_some());
    ReviewAction::ALL.into_iter().filter(|action| leads(*action)).map(|action| action.name().to_owned()).collect()
}

/// Current texts of a customer review. The state follows from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReviewTexts {
    /// Published text.
    pub(super) shown: Option<Uuid>,
    /// Pending text.
    pub(super) waiting: Option<Uuid>,
    /// Last rejected text, while no text is published or pending.
    pub(super) rejected: Option<Uuid>,
}

impl ReviewTexts {
    /// Returns the state of the customer review.
    pub(super) const fn state(self) -> CustomerReviewState {
        match (self.shown, self.waiting) {
            (Some(_), _) => CustomerReviewState::Published,
            (None, Some(_)) => CustomerReviewState::Pending,
            (None, None) => CustomerReviewState::Rejected,
        }
    }

    /// Returns the role of the text that a moderator names.
    ///
    /// # Errors
    /// [`labs_core::Code::IllegalTransition`] if the customer review was erased, [`labs_core::Code::Conflict`] if the
    /// named text is not current any more.
    pub(super) fn find(self, text_uuid: Uuid, action: ReviewAction) -> Result<TextSlot, Fault> {
        if self == Self::default() {
            return Err(Fault::illegal("customer review", self.state().name(), action.name(), Vec::new()).with_detail(
                "This customer review was erased at the customer's request, so no decision is necessary.",
            ));
        }
        let places =
            [(self.shown, TextSlot::Shown), (self.waiting, TextSlot::Waiting), (self.rejected, TextSlot::Rejected)];
        let found = places.into_iter().find(|(text, _)| *text == Some(text_uuid)).map(|(_, place)| place);
        let place =
            found.filter(|place| find_transition(self.state(), action, *place, self.waiting.is_some()).is_some());
        place.ok_or_else(|| {
            let message = "This is not the published or the pending text of the customer review.";
            Fault::conflict(
                "Another text of this customer review is now current. Read the customer review again and decide on \
                 that text.",
            )
            .with_errors(vec![FieldError::at("/text_uuid", "SUPERSEDED", message)])
        })
    }

    /// Returns the current texts after the customer submits another text.
    pub(super) fn after_submission(self, text_uuid: Uuid) -> Self {
        Self { waiting: Some(text_uuid), rejected: None, ..self }
    }

    /// Returns the current texts after the approval of the text in this role.
    pub(super) fn after_approval(self, place: TextSlot) -> Self {
        match place {
            TextSlot::Shown => self,
            TextSlot::Waiting => Self { shown: self.waiting, waiting: None, rejected: None },
            TextSlot::Rejected => Self { shown: self.rejected, waiting: None, rejected: None },
        }
    }

    /// Returns the current texts after the rejection of the text in this role.
    pub(super) fn after_rejection(self, place: TextSlot) -> Self {
        let after = match place {
            TextSlot::Shown => Self { shown: None, ..self },
            TextSlot::Waiting => Self { waiting: None, ..self },
            TextSlot::Rejected => self,
        };
        let refused = if place == TextSlot::Shown { self.shown } else { self.waiting };
        match after.state() {
            CustomerReviewState::Rejected => Self { rejected: refused.or(self.rejected), ..after },
            _ => after,
        }
    }
}

/// Content of a text from a customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// Stars, from 1 to 5.
    pub(super) rating: i32,
    /// Headline of the customer review.
    pub(super) title: Option<String>,
    /// Body of the customer review.
    pub(super) body: Option<String>,
    /// Locale of headline and text.
    pub(super) locale: String,
    /// App version that the customer used.
    pub(super) version_number: Option<String>,
}

/// Effect of a submitted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextChange {
    /// The text equals the customer's last text.
    Nothing,
    /// The text equals the published text, so the pending text is withdrawn.
    TakeBack,
    /// The text becomes pending and replaces the pending text, if there is one.
    Wait,
}

/// Returns the effect of a submitted text. `last` is the customer's last text that was not withdrawn.
pub(super) fn submit(words: &Text, shown: Option<&Text>, last: Option<&Text>, one_waits: bool) -> TextChange {
    if last == Some(words) {
        TextChange::Nothing
    } else if shown == Some(words) {
        if one_waits { TextChange::TakeBack } else { TextChange::Nothing }
    } else {
        TextChange::Wait
    }
}

/// Trims a text; `None` if nothing is left.
pub(super) fn trim_text(text: Option<String>) -> Option<String> {
    let text = text?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Rejects a flag if another flag is open, or if staff have already checked this text and kept it. `last` is the most
/// recent flag: its outcome, and the text that the decision concerned.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_flaggable(last: Option<(ReviewMarkOutcome, Uuid)>, shown: Uuid) -> Result<(), Fault> {
    match last {
        Some((ReviewMarkOutcome::Open, _)) => {
            Err(Fault::conflict("You have already flagged this customer review. We will notify you of the decision."))
        }
        Some((ReviewMarkOutcome::Dismissed, text)) if text == shown => Err(Fault::conflict(
            "We have checked this text and kept it. Flag the customer review again only if the customer changes the \
             text.",
        )),
        _ => Ok(()),
    }
}

/// Returns the state diagram.
pub fn draw_states() -> StateDiagram {
    let case = |place: TextSlot, another_waits: bool| {
        move |state: CustomerReviewState, action: ReviewAction| {
            find_transition(state, action, place, another_waits)
                .ok_or_else(|| Fault::illegal("customer review", state.name(), action.name(), Vec::new()))
        }
    };
    StateDiagram::of(
        "Customer review",
        (CustomerReviewState::ALL, CustomerReviewState::name),
        (&ReviewAction::ALL, ReviewAction::name),
        [
            &case(TextSlot::Waiting, false),
            &case(TextSlot::Shown, false),
            &case(TextSlot::Shown, true),
            &case(TextSlot::Rejected, false),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    const ONE: Uuid = Uuid::from_u128(1);
    const TWO: Uuid = Uuid::from_u128(2);

    fn faces(shown: Option<Uuid>, waiting: Option<Uuid>, rejected: Option<Uuid>) -> ReviewTexts {
        ReviewTexts { shown, waiting, rejected }
    }

    #[test]
    fn moderator_gets_actions_of_table() {
        use CustomerReviewState::{Pending, Published, Rejected};
        for (state, place) in
            [(Pending, TextSlot::Waiting), (Published, TextSlot::Shown), (Rejected, TextSlot::Rejected)]
        {
            assert_eq!(allowed_actions(state, &[place]), ["approve", "reject"], "{state:?}");
            assert!(allowed_actions(state, &[]).is_empty(), "{state:?}: nothing is left of it");
        }
    }

    #[test]
    fn review_texts_move_as_in_table() {
        let all = [
            faces(None, Some(ONE), None),
            faces(Some(ONE), None, None),
            faces(Some(ONE), Some(TWO), None),
            faces(None, None, Some(ONE)),
        ];
        for faces in all {
            for text in [ONE, TWO] {
                for action in ReviewAction::ALL {
                    let Ok(place) = faces.find(text, action) else { continue };
                    let after = match action {
                        ReviewAction::Approve => faces.after_approval(place),
                        ReviewAction::Reject => faces.after_rejection(place),
                    };
                    let expected = find_transition(faces.state(), action, place, faces.waiting.is_some());
                    assert_eq!(Some(after.state()), expected, "{action:?} {place:?} of {faces:?}");
                    assert_ne!(after, ReviewTexts::default(), "the last text is kept, so that it can be brought back");
                }
            }
        }
    }

    #[test]
    fn published_text_stays_until_newer_text_is_approved() {
        let replaced = faces(Some(ONE), None, None).after_submission(TWO);
        assert_eq!(replaced, faces(Some(ONE), Some(TWO), None));
        assert_eq!(replaced.after_approval(TextSlot::Waiting), faces(Some(TWO), None, None));
        assert_eq!(replaced.after_rejection(TextSlot::Waiting), faces(Some(ONE), None, None));
        assert_eq!(replaced.after_rejection(TextSlot::Shown), faces(None, Some(TWO), None));
        assert_eq!(faces(None, None, Some(ONE)).after_submission(TWO), faces(None, Some(TWO), None));
    }

    #[test]
    fn decision_on_superseded_or_erased_text_is_rejected() {
        let stale = faces(Some(ONE), None, None).find(TWO, ReviewAction::Approve).unwrap_err();
        assert_eq!((stale.code(), stale.errors()[0].code.as_str()), (Code::Conflict, "SUPERSEDED"));
        let erased = ReviewTexts::default().find(ONE, ReviewAction::Approve).unwrap_err();
        assert_eq!((erased.code(), erased.allowed_actions().len()), (Code::IllegalTransition, 0));
    }

    #[test]
    fn identical_resubmission_changes_nothing() {
        let words = |rating| Text { rating, title: None, body: None, locale: "de".to_owned(), version_number: None };
        let [one, two] = [words(1), words(2)];
        assert_eq!(submit(&one, None, None, false), TextChange::Wait);
        assert_eq!(submit(&one, None, Some(&one), true), TextChange::Nothing, "it waits");
        assert_eq!(submit(&one, Some(&two), Some(&one), false), TextChange::Nothing, "it was refused");
        assert_eq!(submit(&one, Some(&one), Some(&two), true), TextChange::TakeBack);
        assert_eq!(submit(&one, Some(&one), Some(&two), false), TextChange::Nothing, "it is shown");
        assert_eq!(submit(&one, Some(&two), Some(&two), false), TextChange::Wait);
    }

    #[test]
    fn open_or_dismissed_flag_blocks_a_repeated_flag() {
        use ReviewMarkOutcome::{Dismissed, Open, Upheld};
        let may = |outcome, text| ensure_flaggable(Some((outcome, text)), ONE).is_ok();
        assert!(ensure_flaggable(None, ONE).is_ok());
        assert_eq!([may(Open, ONE), may(Open, TWO), may(Dismissed, ONE)], [false; 3]);
        assert_eq!([may(Dismissed, TWO), may(Upheld, ONE)], [true; 2]);
    }

    #[test]
    fn blank_texts_become_none() {
        assert_eq!(trim_text(Some(" \n ".to_owned())), None);
        assert_eq!(trim_text(Some(" Good. ".to_owned())).as_deref(), Some("Good."));
    }
}
