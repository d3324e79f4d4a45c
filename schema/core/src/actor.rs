//! Actor of an entry in the history of an app, partner or subscription.

use uuid::Uuid;

use crate::principal::Principal;

/// Actor of an event (columns `actor_kind`, `actor_uuid` of the event tables).
#[derive(Clone, Copy, Debug)]
pub struct Actor {
    /// `PARTNER_USER`, `MACHINE_CLIENT`, `STAFF_USER` or `SYSTEM`.
    pub kind: &'static str,
    /// The user or machine client. `None` for the service itself.
    pub uuid: Option<Uuid>,
}

impl Actor {
    /// The service itself.
    pub const SYSTEM: Self = Self { kind: "SYSTEM", uuid: None };

    /// User of a partner, in a request that has no token yet.
    pub const fn partner_user(person_uuid: Uuid) -> Self {
        Self { kind: "PARTNER_USER", uuid: Some(person_uuid) }
    }

    /// The calling principal.
    pub fn of(principal: &Principal) -> Self {
        Self { kind: principal.kind.name(), uuid: Some(principal.uuid) }
    }
}
