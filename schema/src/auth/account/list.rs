//! The list of one's own ledger.

use crate::auth::security_events::{PersonEvents, SecurityEvent, person_events};
use crate::core::list::{FixedOrder, ListQuery, Statements};

/// The ledger of whoever asks.
pub(super) static OWN_EVENTS: ListQuery<PersonEvents, SecurityEvent, FixedOrder> =
    person_events("auth_account_list_security_events");

/// What is asked of one's own account in words that the compiler has not checked.
pub(in crate::auth) static STATEMENTS: [&dyn Statements; 1] = [&OWN_EVENTS];
