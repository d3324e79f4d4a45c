//! Guards of outgoing requests: which addresses the service may connect to.
//!
//! The name is resolved for each connection, every address is checked, and connections use only the checked ones.
//! Redirects are not followed.

use std::error::Error as _;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, redirect};

/// Networks without public addresses.
static PRIVATE: LazyLock<Vec<IpNet>> = LazyLock::new(|| {
    let networks = [
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        "::/96",
        "64:ff9b::/32",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/9",
        "ff00::/8",
    ];
    networks.into_iter().filter_map(|network| network.parse().ok()).collect()
});

/// Rule about allowed addresses.
#[derive(Clone, Copy, Debug)]
pub struct AddressRule {
    /// Addresses in private networks are allowed.
    pub allow_private: bool,
    /// Unencrypted connections are allowed only to private addresses.
    pub only_private: bool,
}

impl AddressRule {
    /// Checks a resolved address.
    ///
    /// # Errors
    /// If the rule does not allow it.
    pub fn check(self, address: IpAddr) -> Result<(), AddressRefused> {
        match is_private(address) {
            true if !self.allow_private => Err(AddressRefused("an address in a private network")),
            false if self.only_private => Err(AddressRefused("a public address, which requires https://")),
            _ => Ok(()),
        }
    }

    /// Checks a host that is an address, because it is never resolved. A name is checked when it is resolved.
    ///
    /// # Errors
    /// If the rule does not allow the address.
    pub fn check_host(self, host: &str) -> Result<(), AddressRefused> {
        host.trim_matches(['[', ']']).parse::<IpAddr>().map_or(Ok(()), |address| self.check(address))
    }

    /// Creates a client that connects only to allowed addresses, follows no redirect and uses no proxy.
    ///
    /// # Errors
    /// If the system has no trusted certificates.
    pub fn client(self, user_agent: &str, patience: Duration) -> reqwest::Result<Client> {
        Client::builder()
            .dns_resolver(Arc::new(CheckedResolver(self)))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .timeout(patience)
            .user_agent(user_agent)
            .build()
    }
}

/// Error for an address that is not allowed.
#[derive(Debug)]
pub struct AddressRefused(&'static str);

impl fmt::Display for AddressRefused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "The host has {}.", self.0)
    }
}

impl std::error::Error for AddressRefused {}

fn is_private(address: IpAddr) -> bool {
    let address = address.to_canonical();
    PRIVATE.iter().any(|network| network.contains(&address))
}

/// Resolves names and rejects a name if one of its addresses is not allowed.
struct CheckedResolver(AddressRule);

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let rule = self.0;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            for address in &found {
                rule.check(address.ip())?;
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Returns the address error that made a request fail, if there is one.
pub fn refused_address(error: &reqwest::Error) -> Option<&AddressRefused> {
    let mut cause = error.source();
    while let Some(found) = cause {
        if let Some(refused) = found.downcast_ref::<AddressRefused>() {
            return Some(refused);
        }
        cause = found.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_network_addresses_are_recognized() {
        for inside in [
            "127.0.0.1",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "::",
            "fd00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "255.255.255.255",
            "224.0.0.1",
            "fec0::1",
        ] {
            assert!(is_private(inside.parse().unwrap()), "{inside}");
        }
        for outside in ["93.184.215.14", "172.32.0.1", "100.128.0.1", "2606:2800:21f::1", "2a00:1450::1"] {
            assert!(!is_private(outside.parse().unwrap()), "{outside}");
        }
        assert_eq!(PRIVATE.len(), 25, "each network can be read");
    }
}
