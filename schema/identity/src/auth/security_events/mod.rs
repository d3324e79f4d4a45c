//! Security events: sign-ins, failures, and changes of passwords, factors, addresses and sessions.

mod kind;
mod list;
mod store;

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use uuid::Uuid;

pub use kind::SecurityEventKind;
pub use list::{PersonEvents, SecurityEvent, SecurityEventFilter, SecurityEventOutcome, person_events};

/// Identity of another issuer for which a machine client requested a token.
#[derive(Clone, Debug, serde::Serialize)]
pub struct EventIdentity {
    /// Issuer of the identity.
    pub(crate) issuer: String,
    /// Subject of the identity.
    pub(crate) subject: String,
}

/// A security event to be logged.
pub struct NewSecurityEvent {
    /// Kind of the event.
    pub(crate) kind: SecurityEventKind,
    /// Whether the action succeeded.
    pub(crate) succeeded: bool,
    /// The affected user, if known.
    pub(crate) person_uuid: Option<Uuid>,
    /// The affected machine client.
    pub(crate) client_uuid: Option<Uuid>,
    /// Partner of the user or client.
    pub(crate) partner_uuid: Option<Uuid>,
    /// The affected session.
    pub(crate) session_uuid: Option<Uuid>,
    /// Identity for which a token was requested without a secret.
    pub(crate) identity: Option<EventIdentity>,
    /// Whether staff, another team member or an outsider acted, instead of the affected user. The client's network and
    /// user agent are then not logged, because the readers of the log must not see them.
    pub(crate) by_staff: bool,
}

impl NewSecurityEvent {
    /// Creates an event of this kind without a user.
    pub const fn new(kind: SecurityEventKind, succeeded: bool) -> Self {
        Self {
            kind,
            succeeded,
            person_uuid: None,
            client_uuid: None,
            partner_uuid: None,
            session_uuid: None,
            identity: None,
            by_staff: false,
        }
    }

    /// Sets the affected user.
    pub fn with_subject(self, person_uuid: Uuid, partner_uuid: Option<Uuid>) -> Self {
        Self { person_uuid: Some(person_uuid), partner_uuid, ..self }
    }

    /// Sets the affected session.
    pub fn in_session(self, session_uuid: Uuid) -> Self {
        Self { session_uuid: Some(session_uuid), ..self }
    }

    /// Marks the event as caused by staff.
    pub fn by_staff(self) -> Self {
        Self { by_staff: true, ..self }
    }

    /// Marks the event as caused by another team member, so that their network and user agent are not logged.
    pub fn by_colleague(self) -> Self {
        Self { by_staff: true, ..self }
    }

    /// Marks the event as caused by a user outside the team, so that their network and user agent are not logged.
    pub fn by_outsider(self) -> Self {
        Self { by_staff: true, ..self }
    }

    /// Logs the event in the transaction of the request.
    pub async fn write(self, cx: &RequestContext) -> Result<(), Fault> {
        let from = (!self.by_staff).then_some((cx.caller.address, cx.caller.user_agent.as_deref()));
        let (address, user_agent) = from.unzip();
        store::insert(&cx.db, cx.new_uuid(), &self, address, user_agent.flatten()).await
    }
}
