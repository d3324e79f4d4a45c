//! List of the security events of the caller.

use labs_core::list::{FixedOrder, ListQuery, Statements};

use crate::auth::security_events::{PersonEvents, SecurityEvent, person_events};

/// The caller's own security events.
pub(super) static OWN_EVENTS: ListQuery<PersonEvents, SecurityEvent, FixedOrder> =
    person_events("auth_account_list_security_events");

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(in crate::auth) static STATEMENTS: [&dyn Statements; 1] = [&OWN_EVENTS];
