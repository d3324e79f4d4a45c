//! Customers' reviews: handed in by the storefront, judged by moderators, answered by the app's partner.
//!
//! ```text
//!              approve                    reject (the shown text)
//!   PENDING ───────────▶ PUBLISHED ─────────────────────────────────▶ REJECTED
//!      │                  │   ▲  ▲                                     │  │
//!      │ reject           │   │  └────────────── approve ──────────────┘  │
//!      │                  └───┘ a newer text is approved or rejected      │
//!      └──────────────────────────────▶ REJECTED      a newer text ──▶ PENDING
//! ```
//!
//! A review is one customer's of one app. It holds the text that is shown and the one that waits, which take each other's
//! place when a moderator decides; the state follows from them. Flags of the partner and reports of customers are marks
//! beside the state, and no number of them hides a review. Every change locks the review first and the listing's rating
//! last, so that the rating is right at every moment.

mod mails;
mod moderation;
mod moderation_list;
mod partner;
mod partner_list;
mod ratings;
mod rules;
mod store;
mod storefront;
mod storefront_list;
mod types;

use crate::core::list::Statements;

pub(in crate::marketplace) use moderation::{ModerationMutation, ModerationQuery};
pub(crate) use moderation_list::CustomerReview;
pub(in crate::marketplace) use partner::{ReviewsMutation, ReviewsQuery};
pub(crate) use rules::drawing;
pub(in crate::marketplace) use storefront::{ListingReviewsMutation, ListingReviewsQuery};

/// What is asked of reviews in words that the compiler has not checked.
pub(in crate::marketplace) static STATEMENTS: [&dyn Statements; 6] = [
    &storefront_list::SHOWN_REVIEWS,
    &storefront_list::SUBMITTED,
    &partner_list::OWN_REVIEWS,
    &partner_list::OWN_REVIEW,
    &moderation_list::MODERATED,
    &moderation_list::ONE_MODERATED,
];
