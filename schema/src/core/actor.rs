//! Who did something, for the histories that are kept of apps, partners and subscriptions.

use uuid::Uuid;

use crate::core::principal::Principal;

/// Who did something (columns `actor_kind`, `actor_uuid` of the tables of events).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    /// `PARTNER_USER`, `MACHINE_CLIENT`, `STAFF_USER` or `SYSTEM`.
    pub(crate) kind: &'static str,
    /// The person or the program; `None` for the service itself.
    pub(crate) uuid: Option<Uuid>,
}

impl Actor {
    /// The service itself.
    pub(crate) const SYSTEM: Self = Self { kind: "SYSTEM", uuid: None };

    /// A person of a partner's team, where no token says so yet.
    pub(crate) const fn partner_user(person_uuid: Uuid) -> Self {
        Self { kind: "PARTNER_USER", uuid: Some(person_uuid) }
    }

    /// The calling principal.
    pub(crate) fn of(principal: &Principal) -> Self {
        Self { kind: principal.kind.name(), uuid: Some(principal.uuid) }
    }
}
