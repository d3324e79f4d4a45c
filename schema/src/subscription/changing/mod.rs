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
//! exists (specification: decisions, Tiers and States).

mod due;
mod events;
mod rules;
mod steps;
mod store;
mod view;

pub(crate) use due::apply_due;
pub(crate) use events::{Events, SubscriptionActor, SubscriptionEvent};
pub(crate) use rules::{State, drawing, on_offer};
pub(crate) use steps::{Change, End};
pub(crate) use store::{OrderOfSubscriptions, SubscriptionFilter};
pub(crate) use store::{
    begin, begin_anew, fallback_get, subscription_get, subscriptions_count, subscriptions_page, tier_get,
};
pub(crate) use view::Subscription;
