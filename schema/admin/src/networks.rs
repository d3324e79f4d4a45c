//! Network addresses in list filters.

use std::net::IpAddr;

use ipnet::IpNet;
use labs_core::fault::{Fault, FieldError};

/// Bits of an IPv6 address before the IPv4 address that is mapped into it (RFC 4291, section 2.5.5.2).
const MAPPED: u8 = 96;

/// Parses the networks of a filter. Each is given as a network or as one address; a single address is a network of one.
/// An address or network mapped from IPv4 is converted to IPv4, as the service stores addresses. An empty list does not
/// filter.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], naming the parameter.
pub(crate) fn parse_networks(parameter: &str, texts: Option<Vec<String>>) -> Result<Option<Vec<IpNet>>, Fault> {
    let Some(texts) = texts.filter(|texts| !texts.is_empty()) else { return Ok(None) };
    let network = |text: &String| text.parse::<IpAddr>().map(IpNet::from).or_else(|_| text.parse::<IpNet>());
    let mut networks = texts.iter().map(|text| network(text).map(to_canonical)).collect::<Result<Vec<_>, _>>();
    if let Ok(networks) = &mut networks {
        networks.sort_unstable();
        networks.dedup();
    }
    networks.map(Some).map_err(|_| {
        let message = "Send addresses or networks, for example 192.0.2.44 or 192.0.2.0/24 or 2001:db8:40::/48.";
        Fault::invalid(vec![FieldError::of(parameter, "FORMAT", message)])
    })
}

/// Normalizes a network for comparison: clears the bits behind its prefix, and converts a mapped IPv4 network to IPv4.
fn to_canonical(network: IpNet) -> IpNet {
    let bits = network.prefix_len().checked_sub(MAPPED);
    let mapped = bits.and_then(|bits| match network.addr().to_canonical() {
        address @ IpAddr::V4(_) if matches!(network, IpNet::V6(_)) => IpNet::new(address, bits).ok(),
        _ => None,
    });
    mapped.unwrap_or(network).trunc()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv4_mapped_networks_become_ipv4() {
        for (text, expected) in [
            ("::ffff:192.0.2.44", "192.0.2.44/32"),
            ("::ffff:192.0.2.44/120", "192.0.2.0/24"),
            ("::ffff:0:0/96", "0.0.0.0/0"),
            ("::ffff:192.0.2.44/64", "::/64"),
            ("192.0.2.44/8", "192.0.0.0/8"),
        ] {
            let networks = parse_networks("address", Some(vec![text.to_owned()])).unwrap().unwrap();
            assert_eq!(networks.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected], "{text}");
        }
    }

    #[test]
    fn address_is_single_network_and_host_bits_are_cleared() {
        let read = |texts: &[&str]| parse_networks("address", Some(texts.iter().map(ToString::to_string).collect()));
        let shown = |texts: &[&str]| read(texts).unwrap().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(shown(&["192.0.2.44", "2001:DB8::7/48", "192.0.2.44/32"]), ["192.0.2.44/32", "2001:db8::/48"]);
        assert_eq!(parse_networks("address", None).unwrap(), None);
        assert_eq!(read(&["192.0.2.0/33"]).unwrap_err().errors()[0].parameter.as_deref(), Some("address"));
    }
}
