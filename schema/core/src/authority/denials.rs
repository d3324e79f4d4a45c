//! Denied networks, held in memory: rejecting an anonymous request must not cost a database query.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};

use ipnet::IpNet;
use sqlx::{PgExecutor, PgPool};

use crate::fault::{Code, Fault};
use crate::time::Time;

/// The list as last loaded. Never modified, only replaced as a whole.
#[derive(Default)]
pub(super) struct Denials(RwLock<Arc<List>>);

#[derive(Default)]
struct List {
    /// Each network with the end of its denial, if it has one.
    networks: HashMap<IpNet, Option<Time>>,
    /// Prefix lengths of the networks. An address is looked up once per length.
    lengths: BTreeSet<u8>,
}

impl Denials {
    /// Loads the current list.
    pub(super) async fn open(pool: &PgPool) -> Result<Self, Fault> {
        let denials = Self::default();
        denials.reload(pool).await?;
        Ok(denials)
    }

    /// Reloads the list.
    pub(super) async fn reload(&self, on: impl PgExecutor<'_>) -> Result<(), Fault> {
        let rows = sqlx::query!(
            r#"select network::inet as "network!: IpNet", expires_at
                 from network_denial where expires_at is null or expires_at > labs_now()"#
        )
        .fetch_all(on)
        .await?;
        let list = List::of(rows.into_iter().map(|row| (row.network, row.expires_at)));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(list);
        Ok(())
    }

    /// Rejects an address of a denied network.
    pub(super) fn admit(&self, address: IpAddr, now: Time) -> Result<(), Fault> {
        let list = Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        if list.contains(address, now) { Err(err_refused()) } else { Ok(()) }
    }
}

impl List {
    fn of(networks: impl Iterator<Item = (IpNet, Option<Time>)>) -> Self {
        let networks: HashMap<IpNet, Option<Time>> =
            networks.map(|(network, until)| (network.trunc(), until)).collect();
        let lengths = networks.keys().map(IpNet::prefix_len).collect();
        Self { networks, lengths }
    }

    fn contains(&self, address: IpAddr, now: Time) -> bool {
        let address = address.to_canonical();
        self.lengths.iter().any(|length| {
            // A length that is valid only for the other address family gives no network.
            let network = IpNet::new(address, *length).ok().map(|network| network.trunc());
            let until = network.and_then(|network| self.networks.get(&network));
            until.is_some_and(|until| until.is_none_or(|until| now < until))
        })
    }
}

/// Fault for requests from a denied network.
fn err_refused() -> Fault {
    Fault::new(
        Code::NetworkDenied,
        "The service rejects requests from your network. If you think that this is a mistake, contact the platform's \
         support.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time(jiff::Timestamp::UNIX_EPOCH).plus_seconds(seconds)
    }

    #[test]
    fn address_matches_denied_network_of_its_family() {
        let network = |text: &str| (text.parse().unwrap(), None);
        let networks = ["198.51.100.0/24", "203.0.113.9/32", "2001:db8:40::/48", "10.0.0.0/8"].map(network);
        let list = List::of(networks.into_iter());
        let holds = |address: &str| list.contains(address.parse().unwrap(), at(0));
        for denied in ["198.51.100.7", "203.0.113.9", "2001:db8:40:1::7", "10.200.3.4", "::ffff:198.51.100.7"] {
            assert!(holds(denied), "{denied}");
        }
        for free in ["198.51.101.7", "203.0.113.10", "2001:db8:41::1", "11.0.0.1", "::1"] {
            assert!(!holds(free), "{free}");
        }
        assert!(!List::default().contains("10.0.0.1".parse().unwrap(), at(0)));
    }

    #[test]
    fn denial_expires() {
        let list = List::of(std::iter::once(("10.0.0.0/8".parse().unwrap(), Some(at(9)))));
        let address: IpAddr = "10.1.2.3".parse().unwrap();
        assert!(list.contains(address, at(8)));
        assert!(!list.contains(address, at(9)));
    }
}
