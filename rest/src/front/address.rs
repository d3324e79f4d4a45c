//! Address of a request. Forwarded headers count only if a configured peer sent them, and hops are counted from the
//! right (docs/decisions/edge.md#client-addresses).

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::HeaderMap;
use ipnet::IpNet;

/// Returns the address of the caller behind the trusted proxies.
#[must_use]
pub fn of(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut address = peer.to_canonical();
    // Reads hop by hop: text that a caller wrote to the left must not hide the hops of the proxies.
    let lines = headers.get_all("x-forwarded-for").iter();
    let forwarded: Vec<&[u8]> = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b',')).collect();
    for hop in forwarded.iter().rev() {
        if !is_within(address, trusted) {
            break;
        }
        match hop_address(hop) {
            Some(hop) => address = hop.to_canonical(),
            None => break,
        }
    }
    address
}

/// Returns the address of a hop; some proxies add its port.
fn hop_address(hop: &[u8]) -> Option<IpAddr> {
    let hop = std::str::from_utf8(hop).ok()?.trim();
    hop.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}

/// Whether an address is in one of these networks.
#[must_use]
pub fn is_within(address: IpAddr, networks: &[IpNet]) -> bool {
    networks.iter().any(|network| network.contains(&address))
}

/// Returns the network whose budget an anonymous caller uses: the address, or the /64 of an IPv6 one, because a single
/// household has the whole /64.
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

    fn seen(peer: &str, forwarded: impl AsRef<[u8]>, trusted: &[&str]) -> String {
        let forwarded = http::HeaderValue::from_bytes(forwarded.as_ref()).unwrap();
        let headers = HeaderMap::from_iter([(http::HeaderName::from_static("x-forwarded-for"), forwarded)]);
        let trusted: Vec<IpNet> = trusted.iter().map(|net| net.parse().unwrap()).collect();
        of(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn forwarded_address_of_untrusted_peer_is_ignored() {
        assert_eq!(seen("203.0.113.9", "198.51.100.1", &["10.0.0.0/8"]), "203.0.113.9");
    }

    #[test]
    fn hops_are_counted_from_the_right() {
        assert_eq!(seen("10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.2", &["10.0.0.0/8"]), "198.51.100.1");
        assert_eq!(seen("10.0.0.1", "nonsense", &["10.0.0.0/8"]), "10.0.0.1");
    }

    #[test]
    fn unreadable_hop_does_not_hide_later_hops() {
        assert_eq!(seen("10.0.0.1", b"\xff, 198.51.100.1", &["10.0.0.0/8"]), "198.51.100.1");
        assert_eq!(seen("10.0.0.1", b"1.1.1.1, \xff", &["10.0.0.0/8"]), "10.0.0.1");
    }

    #[test]
    fn hop_may_include_port() {
        assert_eq!(seen("10.0.0.1", "198.51.100.1:4711", &["10.0.0.0/8"]), "198.51.100.1");
        assert_eq!(seen("10.0.0.1", "[2001:db8::1]:4711", &["10.0.0.0/8"]), "2001:db8::1");
    }

    #[test]
    fn ipv6_addresses_of_one_prefix_share_a_network() {
        let one = network("2001:db8:1:2:aaaa::1".parse().unwrap());
        assert_eq!(one, network("2001:db8:1:2:bbbb::9".parse().unwrap()));
        assert_ne!(one, network("2001:db8:1:3::1".parse().unwrap()));
    }
}
