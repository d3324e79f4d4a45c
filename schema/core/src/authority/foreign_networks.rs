//! Machine client tokens used from a network that is not allowed: rejected, and recorded as security events.

use std::net::IpAddr;
use std::time::Duration;

use moka::sync::Cache;
use sqlx::PgPool;
use uuid::Uuid;

use crate::fault::{Code, Fault};
use crate::principal::Principal;

/// Time during which further attempts of one machine client from one address are not recorded again.
const QUIET: Duration = Duration::from_secs(60);
/// Maximum number of remembered pairs of machine client and address.
const MOST: u64 = 10_000;

/// Attempts recorded recently, so that a stolen token cannot flood the security events.
pub(super) struct ForeignNetworks(Cache<(Uuid, IpAddr), ()>);

impl Default for ForeignNetworks {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MOST).time_to_live(QUIET).build())
    }
}

impl ForeignNetworks {
    /// Records that a machine client's token was used from this address. The request is rejected even if recording
    /// fails.
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

/// Fault for the sender of the token.
pub(super) fn err_refused() -> Fault {
    Fault::new(
        Code::Unauthenticated,
        "This token is not accepted from your network. Its machine client may send requests only from certain \
         networks. Ask its administrator to add yours.",
    )
}
