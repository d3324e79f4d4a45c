//! The security ledger: sign-ins, failures, and changes of passwords, factors and sessions.

use uuid::Uuid;

use crate::ask::Ask;
use crate::fault::Fault;

/// What happened, for the ledger.
pub(crate) struct SecurityEvent<'a> {
    /// `SIGN_IN`, `SECOND_FACTOR`, `REFRESH_REUSED` and so on.
    pub(crate) kind: &'a str,
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
}

impl<'a> SecurityEvent<'a> {
    /// Something of this kind, about nobody yet.
    pub(crate) const fn new(kind: &'a str, succeeded: bool) -> Self {
        Self { kind, succeeded, person_uuid: None, client_uuid: None, partner_uuid: None, session_uuid: None }
    }

    /// Writes it into the ledger, in the request's transaction.
    pub(crate) async fn write(self, ask: &Ask) -> Result<(), Fault> {
        sqlx::query!(
            "insert into security_event (event_uuid, occurred_at, kind, outcome, person_uuid, client_uuid, partner_uuid, session_uuid, address, user_agent)
             values ($1, labs_now(), $2, $3, $4, $5, $6, $7, $8, $9)",
            ask.new_uuid(),
            self.kind,
            if self.succeeded { "SUCCEEDED" } else { "FAILED" },
            self.person_uuid,
            self.client_uuid,
            self.partner_uuid,
            self.session_uuid,
            ipnet::IpNet::from(ask.caller.address) as ipnet::IpNet,
            ask.caller.user_agent,
        )
        .execute(&mut *ask.db.conn().await?)
        .await?;
        Ok(())
    }
}
