//! Where a request comes from. Forwarded headers count only when a configured peer sent them, and hops are
//! counted from the right (design: security, The edge 12).

use std::net::{IpAddr, Ipv6Addr};

use http::HeaderMap;
use ipnet::IpNet;

/// The address of the caller behind the trusted proxies.
#[must_use]
pub fn of(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut address = peer.to_canonical();
    let forwarded: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    for hop in forwarded.iter().rev() {
        if !is_within(address, trusted) {
            break;
        }
        match hop.parse::<IpAddr>() {
            Ok(hop) => address = hop.to_canonical(),
            Err(_) => break,
        }
    }
    address
}

/// Whether an address lies in one of these networks.
#[must_use]
pub fn is_within(address: IpAddr, networks: &[IpNet]) -> bool {
    networks.iter().any(|network| network.contains(&address))
}

/// The network that an anonymous caller's budget belongs to: the address, or the /64 of an IPv6 one,
/// because a single household holds all of it.
#[must_use]
pub fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(peer: &str, forwarded: &str, trusted: &[&str]) -> String {
        let headers =
            HeaderMap::from_iter([(http::HeaderName::from_static("x-forwarded-for"), forwarded.parse().unwrap())]);
        let trusted: Vec<IpNet> = trusted.iter().map(|net| net.parse().unwrap()).collect();
        of(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn a_stranger_cannot_forge_its_address() {
        assert_eq!(seen("203.0.113.9", "198.51.100.1", &["10.0.0.0/8"]), "203.0.113.9");
    }

    #[test]
    fn hops_are_counted_from_the_right() {
        assert_eq!(seen("10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.2", &["10.0.0.0/8"]), "198.51.100.1");
        assert_eq!(seen("10.0.0.1", "nonsense", &["10.0.0.0/8"]), "10.0.0.1");
    }

    #[test]
    fn a_household_is_one_network() {
        let one = network("2001:db8:1:2:aaaa::1".parse().unwrap());
        assert_eq!(one, network("2001:db8:1:2:bbbb::9".parse().unwrap()));
        assert_ne!(one, network("2001:db8:1:3::1".parse().unwrap()));
    }
}
