//! List of the events of the caller's subscription.

use labs_core::list::{FixedOrder, ListQuery, Statements};

use crate::changing::{EVENT_FOR_PARTNERS, SubscriptionEvent, SubscriptionHistory, history};

/// Events of a partner's subscription, as the partner reads them.
pub(super) static EVENTS: ListQuery<SubscriptionHistory, SubscriptionEvent, FixedOrder> =
    history("subscription_current_list_events", &EVENT_FOR_PARTNERS);

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 1] = [&EVENTS];
