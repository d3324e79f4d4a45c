//! What may become of a review and of its texts.

use uuid::Uuid;

use crate::core::fault::{Fault, FieldError};
use crate::core::state_diagram::StateDiagram;
use crate::core::words::{Word as _, words};

words! {
    /// Where a customer's review is (docs/decisions.md#states).
    pub(crate) enum CustomerReviewState {
        /// Its first text waits for a moderator.
        Pending = "PENDING",
        /// A text is shown.
        Published = "PUBLISHED",
        /// None is shown and none waits.
        Rejected = "REJECTED",
    }
}

words! {
    /// What became of a text.
    pub(crate) enum ReviewTextOutcome {
        /// It waits for a moderator.
        Waiting = "WAITING",
        /// It is shown.
        Shown = "SHOWN",
        /// Another one took its place.
        Former = "FORMER",
        /// A moderator refused it.
        Rejected = "REJECTED",
    }
}

words! {
    /// What is wrong with a review, by its app's partner or by another customer.
    pub(crate) enum ReviewConcern {
        /// Advertising, or the same text many times.
        Spam = "SPAM",
        /// Insults, hatred or threats.
        Abusive = "ABUSIVE",
        /// It is not about the app.
        OffTopic = "OFF_TOPIC",
        /// It tells something personal of somebody.
        PersonalData = "PERSONAL_DATA",
        /// It is about another app.
        WrongApp = "WRONG_APP",
        /// It is written by a competitor, or for pay.
        ConflictOfInterest = "CONFLICT_OF_INTEREST",
        /// Something else, which the note says.
        Other = "OTHER",
    }
}

words! {
    /// Why a moderator refuses a text.
    pub(crate) enum ReviewRejectionReason {
        /// Advertising, or the same text many times.
        Spam = "SPAM",
        /// Insults, hatred or threats.
        Abusive = "ABUSIVE",
        /// It is not about the app.
        OffTopic = "OFF_TOPIC",
        /// It tells something personal of somebody.
        PersonalData = "PERSONAL_DATA",
        /// It is about another app.
        WrongApp = "WRONG_APP",
        /// It is written by a competitor, or for pay.
        ConflictOfInterest = "CONFLICT_OF_INTEREST",
        /// The customer wants it gone: texts and customer are erased.
        CustomerRequest = "CUSTOMER_REQUEST",
        /// Something else, which the note says.
        Other = "OTHER",
    }
}

words! {
    /// What became of a flag or a report.
    pub(crate) enum ReviewMarkOutcome {
        /// Nobody has decided yet.
        Open = "OPEN",
        /// The text went.
        Upheld = "UPHELD",
        /// The text stayed.
        Dismissed = "DISMISSED",
    }
}

/// What a moderator can do to a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReviewAction {
    /// A text is shown, or stays so.
    Approve,
    /// A text is refused.
    Reject,
}

impl ReviewAction {
    /// Every action, for tables and tests.
    pub(super) const ALL: [Self; 2] = [Self::Approve, Self::Reject];

    /// The action's name in refusals.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
        }
    }
}

/// Which of a review's texts a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The one that is shown.
    Shown,
    /// The one that waits.
    Waiting,
    /// The one that was refused last, while none is shown and none waits.
    Rejected,
}

/// The table of the machine: where an action on the text in this place leads, or that there is no such text in this state.
const fn next(
    state: CustomerReviewState,
    action: ReviewAction,
    place: Place,
    another_waits: bool,
) -> Option<CustomerReviewState> {
    use CustomerReviewState::{Pending, Published, Rejected};
    match (state, action, place) {
        (Pending, ReviewAction::Approve, Place::Waiting)
        | (Published, ReviewAction::Approve, Place::Shown | Place::Waiting)
        | (Published, ReviewAction::Reject, Place::Waiting)
        | (Rejected, ReviewAction::Approve, Place::Rejected) => Some(Published),
        (Published, ReviewAction::Reject, Place::Shown) if another_waits => Some(Pending),
        (Pending, ReviewAction::Reject, Place::Waiting)
        | (Published, ReviewAction::Reject, Place::Shown)
        | (Rejected, ReviewAction::Reject, Place::Rejected) => Some(Rejected),
        _ => None,
    }
}

/// What a moderator can do to a review now that has texts in these places, to one of them or another.
pub(super) fn allowed_actions(state: CustomerReviewState, places: &[Place]) -> Vec<String> {
    let another_waits = places.contains(&Place::Waiting);
    let leads = |action| places.iter().any(|place| next(state, action, *place, another_waits).is_some());
    ReviewAction::ALL.into_iter().filter(|action| leads(*action)).map(|action| action.name().to_owned()).collect()
}

/// The texts of a review that count now. The state follows from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Faces {
    /// The text that is shown.
    pub(super) shown: Option<Uuid>,
    /// The text that waits for a moderator.
    pub(super) waiting: Option<Uuid>,
    /// The text that was refused last, while none is shown and none waits.
    pub(super) rejected: Option<Uuid>,
}

impl Faces {
    /// Where the review is.
    pub(super) const fn state(self) -> CustomerReviewState {
        match (self.shown, self.waiting) {
            (Some(_), _) => CustomerReviewState::Published,
            (None, Some(_)) => CustomerReviewState::Pending,
            (None, None) => CustomerReviewState::Rejected,
        }
    }

    /// Which of its texts a moderator means.
    ///
    /// # Errors
    /// [`crate::Code::IllegalTransition`] where nothing is left of the review, [`crate::Code::Conflict`] where the text that
    /// is named counts no more.
    pub(super) fn find(self, text_uuid: Uuid, action: ReviewAction) -> Result<Place, Fault> {
        if self == Self::default() {
            return Err(Fault::illegal("customer review", self.state().name(), action.name(), Vec::new()).with_detail(
                "This customer review was erased at the customer's request, so no decision is necessary.",
            ));
        }
        let places = [(self.shown, Place::Shown), (self.waiting, Place::Waiting), (self.rejected, Place::Rejected)];
        let found = places.into_iter().find(|(text, _)| *text == Some(text_uuid)).map(|(_, place)| place);
        let place = found.filter(|place| next(self.state(), action, *place, self.waiting.is_some()).is_some());
        place.ok_or_else(|| {
            let message = "This is not the published or the pending text of the customer review.";
            Fault::conflict(
                "Another text of this customer review is now current. Read the customer review again and decide on \
                 that text.",
            )
            .with_errors(vec![FieldError::at("/text_uuid", "SUPERSEDED", message)])
        })
    }

    /// What counts once the customer has handed another text in.
    pub(super) fn handed_in(self, text_uuid: Uuid) -> Self {
        Self { waiting: Some(text_uuid), rejected: None, ..self }
    }

    /// What counts once the text in this place is approved.
    pub(super) fn approved(self, place: Place) -> Self {
        match place {
            Place::Shown => self,
            Place::Waiting => Self { shown: self.waiting, waiting: None, rejected: None },
            Place::Rejected => Self { shown: self.rejected, waiting: None, rejected: None },
        }
    }

    /// What counts once the text in this place is refused.
    pub(super) fn refused(self, place: Place) -> Self {
        let after = match place {
            Place::Shown => Self { shown: None, ..self },
            Place::Waiting => Self { waiting: None, ..self },
            Place::Rejected => self,
        };
        let refused = if place == Place::Shown { self.shown } else { self.waiting };
        match after.state() {
            CustomerReviewState::Rejected => Self { rejected: refused.or(self.rejected), ..after },
            _ => after,
        }
    }
}

/// What a customer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// Stars, from 1 to 5.
    pub(super) rating: i32,
    /// Headline of the customer review.
    pub(super) title: Option<String>,
    /// The text.
    pub(super) body: Option<String>,
    /// The language of both.
    pub(super) locale: String,
    /// The version that was used.
    pub(super) version_number: Option<String>,
}

/// What handing a text in does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HandingIn {
    /// It is what the customer said last.
    Nothing,
    /// It is what is shown, so that what waits is taken back.
    TakeBack,
    /// It waits from now on, in place of what waits.
    Wait,
}

/// What handing these words in does to a review. `last` is what the customer said last, as far as it was not taken back.
pub(super) fn hand_in(words: &Words, shown: Option<&Words>, last: Option<&Words>, one_waits: bool) -> HandingIn {
    if last == Some(words) {
        HandingIn::Nothing
    } else if shown == Some(words) {
        if one_waits { HandingIn::TakeBack } else { HandingIn::Nothing }
    } else {
        HandingIn::Wait
    }
}

/// A text as it is kept: nothing at its ends, and none where nothing is left.
pub(super) fn trimmed(text: Option<String>) -> Option<String> {
    let text = text?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Refuses to flag a review of which a flag is open, or whose text staff have looked at already. `last` is the latest flag:
/// its outcome, and the text it was decided about.
///
/// # Errors
/// [`crate::Code::Conflict`].
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

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    let case = |place: Place, another_waits: bool| {
        move |state: CustomerReviewState, action: ReviewAction| {
            next(state, action, place, another_waits)
                .ok_or_else(|| Fault::illegal("customer review", state.name(), action.name(), Vec::new()))
        }
    };
    StateDiagram::of(
        "Customer review",
        (CustomerReviewState::ALL, CustomerReviewState::name),
        (&ReviewAction::ALL, ReviewAction::name),
        [
            &case(Place::Waiting, false),
            &case(Place::Shown, false),
            &case(Place::Shown, true),
            &case(Place::Rejected, false),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    const ONE: Uuid = Uuid::from_u128(1);
    const TWO: Uuid = Uuid::from_u128(2);

    fn faces(shown: Option<Uuid>, waiting: Option<Uuid>, rejected: Option<Uuid>) -> Faces {
        Faces { shown, waiting, rejected }
    }

    #[test]
    fn a_moderator_is_offered_what_the_table_lets_through() {
        use CustomerReviewState::{Pending, Published, Rejected};
        for (state, place) in [(Pending, Place::Waiting), (Published, Place::Shown), (Rejected, Place::Rejected)] {
            assert_eq!(allowed_actions(state, &[place]), ["approve", "reject"], "{state:?}");
            assert!(allowed_actions(state, &[]).is_empty(), "{state:?}: nothing is left of it");
        }
    }

    #[test]
    fn texts_move_as_the_table_says() {
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
                        ReviewAction::Approve => faces.approved(place),
                        ReviewAction::Reject => faces.refused(place),
                    };
                    let expected = next(faces.state(), action, place, faces.waiting.is_some());
                    assert_eq!(Some(after.state()), expected, "{action:?} {place:?} of {faces:?}");
                    assert_ne!(after, Faces::default(), "the last text is kept, so that it can be brought back");
                }
            }
        }
    }

    #[test]
    fn the_former_text_stays_until_the_newer_one_is_approved() {
        let replaced = faces(Some(ONE), None, None).handed_in(TWO);
        assert_eq!(replaced, faces(Some(ONE), Some(TWO), None));
        assert_eq!(replaced.approved(Place::Waiting), faces(Some(TWO), None, None));
        assert_eq!(replaced.refused(Place::Waiting), faces(Some(ONE), None, None));
        assert_eq!(replaced.refused(Place::Shown), faces(None, Some(TWO), None));
        assert_eq!(faces(None, None, Some(ONE)).handed_in(TWO), faces(None, Some(TWO), None));
    }

    #[test]
    fn a_decision_names_a_text_that_counts() {
        let stale = faces(Some(ONE), None, None).find(TWO, ReviewAction::Approve).unwrap_err();
        assert_eq!((stale.code(), stale.errors()[0].code.as_str()), (Code::Conflict, "SUPERSEDED"));
        let erased = Faces::default().find(ONE, ReviewAction::Approve).unwrap_err();
        assert_eq!((erased.code(), erased.allowed_actions().len()), (Code::IllegalTransition, 0));
    }

    #[test]
    fn the_same_words_again_change_nothing() {
        let words = |rating| Words { rating, title: None, body: None, locale: "de".to_owned(), version_number: None };
        let [one, two] = [words(1), words(2)];
        assert_eq!(hand_in(&one, None, None, false), HandingIn::Wait);
        assert_eq!(hand_in(&one, None, Some(&one), true), HandingIn::Nothing, "it waits");
        assert_eq!(hand_in(&one, Some(&two), Some(&one), false), HandingIn::Nothing, "it was refused");
        assert_eq!(hand_in(&one, Some(&one), Some(&two), true), HandingIn::TakeBack);
        assert_eq!(hand_in(&one, Some(&one), Some(&two), false), HandingIn::Nothing, "it is shown");
        assert_eq!(hand_in(&one, Some(&two), Some(&two), false), HandingIn::Wait);
    }

    #[test]
    fn what_was_looked_at_is_not_flagged_again() {
        use ReviewMarkOutcome::{Dismissed, Open, Upheld};
        let may = |outcome, text| ensure_flaggable(Some((outcome, text)), ONE).is_ok();
        assert!(ensure_flaggable(None, ONE).is_ok());
        assert_eq!([may(Open, ONE), may(Open, TWO), may(Dismissed, ONE)], [false; 3]);
        assert_eq!([may(Dismissed, TWO), may(Upheld, ONE)], [true; 2]);
    }

    #[test]
    fn blank_texts_are_none() {
        assert_eq!(trimmed(Some(" \n ".to_owned())), None);
        assert_eq!(trimmed(Some(" Good. ".to_owned())).as_deref(), Some("Good."));
    }
}
