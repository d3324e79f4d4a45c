//! Lists of the events of the caller's subscription.

use labs_core::list::{FixedOrder, FollowQuery, ListQuery, Statements};

use crate::changing::{EVENT_FOR_PARTNERS, SubscriptionEvent, SubscriptionHistory, followed_history, history};

const OPERATION: &str = "subscription_current_list_events";

/// Events of a partner's subscription, as the partner reads them, newest first.
pub(super) static EVENTS: ListQuery<SubscriptionHistory, SubscriptionEvent, FixedOrder> =
    history(OPERATION, &EVENT_FOR_PARTNERS);

/// The same events by position, oldest first.
pub(super) static FOLLOWED: FollowQuery<SubscriptionHistory, SubscriptionEvent> = followed_history(OPERATION);

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&EVENTS, &FOLLOWED];
