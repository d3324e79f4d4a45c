//! Changes of a partner's subscription, whoever makes them: the partner, staff, or time.
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
//! There is one thing to come at a time: whoever cancels takes back a change that waits, and whoever changes the tier
//! takes back a cancellation. A request that waits for staff is taken back by a cancellation, and by a tier that its
//! partner chooses alone. What waits is done by [`apply_due`] once its time has come, by exactly one of the replicas,
//! or by whoever takes a step before that; so are the beginnings of new periods. A smaller tier takes away nothing that
//! exists (docs/decisions.md#tiers).

mod due;
mod events;
mod list;
mod rules;
mod steps;
mod store;
mod view;

use crate::core::list::Statements;

pub(crate) use due::apply_due;
pub(crate) use events::{SubscriptionActor, SubscriptionEvent};
pub(crate) use list::{EVENT_FOR_PARTNERS, EVENT_FOR_STAFF, SUBSCRIPTION};
pub(crate) use list::{SubscriptionEventFilter, SubscriptionHistory, SubscriptionRow, history, subscription_get};
pub(crate) use rules::{SubscriptionState, allowed_actions, drawing, on_offer};
pub(crate) use steps::{SubscriptionChange, SubscriptionEnd};
pub(crate) use store::{begin, begin_anew, fallback_get, tier_get};
pub(crate) use view::PartnerSubscription;

/// What is asked here in words that the compiler has not checked.
pub(in crate::subscription) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    list::STATEMENTS.into_iter().chain(store::STATEMENTS)
}
