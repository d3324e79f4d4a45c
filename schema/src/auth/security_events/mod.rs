//! The security ledger: sign-ins, failures, and changes of passwords, factors, addresses and sessions.

mod kind;
mod list;
mod store;

use uuid::Uuid;

pub(crate) use kind::SecurityEventKind;
pub(crate) use list::{PersonEvents, SecurityEvent, SecurityEventFilter, SecurityEventOutcome, person_events};

use crate::core::context::RequestContext;
use crate::core::fault::Fault;

/// What happened, for the ledger.
pub(crate) struct LedgerEntry {
    /// What it was.
    pub(crate) kind: SecurityEventKind,
    /// Whether it succeeded.
    pub(crate) succeeded: bool,
    /// The person concerned, when known.
    pub(crate) person_uuid: Option<Uuid>,
    /// The program concerned.
    pub(crate) client_uuid: Option<Uuid>,
    /// Their partner.
    pub(crate) partner_uuid: Option<Uuid>,
    /// The session concerned.
    pub(crate) session_uuid: Option<Uuid>,
    /// Whether staff did it, a colleague, or somebody outside. Where from is then no business of the ledger's readers.
    pub(crate) by_staff: bool,
}

impl LedgerEntry {
    /// Something of this kind, about nobody yet.
    pub(crate) const fn new(kind: SecurityEventKind, succeeded: bool) -> Self {
        Self {
            kind,
            succeeded,
            person_uuid: None,
            client_uuid: None,
            partner_uuid: None,
            session_uuid: None,
            by_staff: false,
        }
    }

    /// The same about a person.
    pub(crate) const fn about(self, person_uuid: Uuid, partner_uuid: Option<Uuid>) -> Self {
        Self { person_uuid: Some(person_uuid), partner_uuid, ..self }
    }

    /// The same in a session.
    pub(crate) const fn within(self, session_uuid: Uuid) -> Self {
        Self { session_uuid: Some(session_uuid), ..self }
    }

    /// The same as done by staff.
    pub(crate) const fn by_staff(self) -> Self {
        Self { by_staff: true, ..self }
    }

    /// The same as done by a colleague, of whom the person learns as little.
    pub(crate) const fn by_colleague(self) -> Self {
        Self { by_staff: true, ..self }
    }

    /// The same as done by somebody who is not of the team, which learns as little of them.
    pub(crate) const fn by_stranger(self) -> Self {
        Self { by_staff: true, ..self }
    }

    /// Writes it into the ledger, in the request's transaction.
    pub(crate) async fn write(self, cx: &RequestContext) -> Result<(), Fault> {
        let from = (!self.by_staff).then_some((cx.caller.address, cx.caller.user_agent.as_deref()));
        let (address, user_agent) = from.unzip();
        store::insert(&cx.db, cx.new_uuid(), &self, address, user_agent.flatten()).await
    }
}
