//! Customer reviews: submitted by the storefront, decided by moderators, answered by the app's partner.
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
//! A customer has at most one customer review of an app. It has a published and a pending text; a moderator's approval
//! replaces the former with the latter. The state follows from these texts. Flags of the partner and reports of
//! customers are separate from the state, and no number of them hides a customer review. Every change locks the
//! customer review first and updates the listing's rating last, so that the rating is always correct.

mod languages;
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

use labs_core::list::Statements;

pub(crate) use moderation::OPERATIONS as MODERATION_OPERATIONS;
pub use moderation_list::CustomerReview;
pub(crate) use partner::OPERATIONS as PARTNER_OPERATIONS;
pub use rules::draw_states;
pub(crate) use storefront::OPERATIONS as STOREFRONT_OPERATIONS;

/// SQL statements of customer reviews that are assembled at run time, so the compiler does not check them.
pub(crate) static STATEMENTS: [&dyn Statements; 6] = [
    &storefront_list::SHOWN_REVIEWS,
    &storefront_list::SUBMITTED,
    &partner_list::OWN_REVIEWS,
    &partner_list::OWN_REVIEW,
    &moderation_list::MODERATED,
    &moderation_list::ONE_MODERATED,
];
