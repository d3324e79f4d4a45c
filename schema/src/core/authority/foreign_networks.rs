//! Tokens of programs that come from where they may not: refused, and written into the security ledger.

use std::net::IpAddr;
use std::time::Duration;

use moka::sync::Cache;
use sqlx::PgPool;
use uuid::Uuid;

use crate::core::fault::{Code, Fault};
use crate::core::principal::Principal;

/// How long further tries of one program from one address are not written down again.
const QUIET: Duration = Duration::from_secs(60);
/// Programs and addresses remembered at most.
const MOST: u64 = 10_000;

/// What was written down lately, so that a stolen token cannot fill the ledger.
pub(super) struct ForeignNetworks(Cache<(Uuid, IpAddr), ()>);

impl Default for ForeignNetworks {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MOST).time_to_live(QUIET).build())
    }
}

impl ForeignNetworks {
    /// Writes down that a program's token came from this address. The refusal stands whether that succeeds or not.
    pub(super) async fn note(&self, pool: &PgPool, principal: &Principal, address: IpAddr) {
        if !self.0.entry((principal.uuid, address)).or_insert(()).is_fresh() {
            return;
        }
        let written = sqlx::query!(
            "insert into security_event (event_uuid, kind, outcome, client_uuid, partner_uuid, address)
             values (labs_uuid(), 'NETWORK_REFUSED', 'REFUSED', $1, $2, $3)",
            principal.uuid,
            principal.partner_uuid,
            ipnet::IpNet::from(address) as ipnet::IpNet,
        )
        .execute(pool)
        .await;
        if let Err(error) = written {
            tracing::warn!(cause = %error, "a token was rejected because of its network, and the attempt could not \
                                            be recorded");
        }
    }
}

/// What its sender hears.
pub(super) fn refused() -> Fault {
    Fault::new(
        Code::Unauthenticated,
        "This token is not accepted from your network. Its machine client may send requests only from certain \
         networks. Ask its administrator to add yours.",
    )
}
