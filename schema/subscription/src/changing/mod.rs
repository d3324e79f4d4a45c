//! Changes of a partner's subscription, by the partner, by staff, or by the service at the due time.
//!
//! ```text
//!            change-tier (now, or waiting for its date), extend
//!                 ┌──┐
//!                 ▼  │
//!   (registered) ACTIVE ──cancel──▶ CANCELLING ──its period ends──▶ ACTIVE on the free tier
//!                 ▲ ▲                │   │
//!                 │ └────resume──────┘   │
//!                 └──────change-tier─────┘
//! ```
//!
//! A subscription has at most one pending change: a cancellation replaces a scheduled tier change, and a tier change
//! replaces a cancellation. A cancellation, or a self-service tier change, also withdraws a pending tier change
//! request. Pending changes and renewals are executed by [`apply_due`] at their time, by exactly one replica, or by an
//! earlier action on the subscription. A smaller tier deletes nothing that exists
//! (docs/decisions/partners.md#tiers-are-data).

mod due;
mod events;
mod list;
mod rules;
mod steps;
mod store;
mod view;

use labs_core::list::Statements;

pub use due::apply_due;
pub use events::{SubscriptionActor, SubscriptionEvent};
pub use list::{EVENT_FOR_PARTNERS, EVENT_FOR_STAFF, SUBSCRIPTION};
pub use list::{
    SubscriptionEventFilter, SubscriptionHistory, SubscriptionRow, followed_history, get_subscription, history,
};
pub use rules::{SubscriptionState, allowed_actions, draw_states, ensure_on_offer};
pub use steps::{SubscriptionChange, SubscriptionEnd};
pub use store::{begin, get_fallback, get_tier, restart_period};
pub use view::PartnerSubscription;

/// SQL that this module assembles at run time, so the compiler does not check it.
pub fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    list::STATEMENTS.into_iter().chain(store::STATEMENTS)
}
