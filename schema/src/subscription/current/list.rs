//! The history of the caller's partner's subscription.

use crate::core::list::{FixedOrder, ListQuery, Statements};
use crate::subscription::changing::{EVENT_FOR_PARTNERS, SubscriptionEvent, SubscriptionHistory, history};

/// What happened to a partner's subscription, as the partner reads it.
pub(super) static EVENTS: ListQuery<SubscriptionHistory, SubscriptionEvent, FixedOrder> =
    history("subscription_current_list_events", &EVENT_FOR_PARTNERS);

/// What is asked of the history in words that the compiler has not checked.
pub(in crate::subscription) static STATEMENTS: [&dyn Statements; 1] = [&EVENTS];
