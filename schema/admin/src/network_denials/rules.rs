//! Rules for the network and the end of a denial.

use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;
use labs_core::fault::FieldError;
use labs_core::time::Time;

/// The shortest prefix of an IPv4 network that may be denied.
const WIDEST_V4: u8 = 8;
/// The shortest prefix of an IPv6 network that may be denied.
const WIDEST_V6: u8 = 32;

/// Parses the network and checks that a caller with the address `own` may deny it. Adds every objection to `errors`.
pub(super) fn network(text: &str, own: IpAddr, errors: &mut Vec<FieldError>) -> Option<IpNet> {
    let mut refuse = |code: &str, message: String| {
        errors.push(FieldError::at("/network", code, message));
        None
    };
    let Ok(network) = text.parse::<IpNet>() else {
        let message = "This is not a network in CIDR notation. Send a network, for example 198.51.100.0/24. A single \
                       address ends in /32, or /128 for IPv6.";
        return refuse("FORMAT", message.to_owned());
    };
    if network.trunc() != network {
        let message = format!("The bits after the prefix must be zero. Did you mean {}?", network.trunc());
        return refuse("HOST_BITS", message);
    }
    let (widest, is_mapped) = match network {
        IpNet::V4(_) => (WIDEST_V4, false),
        IpNet::V6(network) => (WIDEST_V6, network.addr().to_ipv4_mapped().is_some()),
    };
    if network.prefix_len() < widest {
        let message = format!(
            "This network is too wide and would exclude too many clients. Send /{widest} or a narrower network."
        );
        return refuse("TOO_WIDE", message);
    }
    if is_mapped {
        return refuse(
            "FORMAT",
            "This is an IPv4 network in IPv6 notation. Send it in IPv4 notation, which the service compares."
                .to_owned(),
        );
    }
    if network.contains(&own.to_canonical()) {
        return refuse(
            "OWN_NETWORK",
            format!("Your own address {own} is in this network. Send a network that does not contain it."),
        );
    }
    if holds_loopback(network) {
        let message = "This network contains loopback addresses. The service itself uses them, and so may the person \
                       who has to lift the denial. Send another network.";
        return refuse("LOOPBACK", message.to_owned());
    }
    Some(network)
}

/// Whether a network of a permitted size contains a loopback address.
fn holds_loopback(network: IpNet) -> bool {
    match network {
        IpNet::V4(network) => network.addr().is_loopback(),
        IpNet::V6(network) => network.contains(&Ipv6Addr::LOCALHOST),
    }
}

/// Checks that the end of a denial is in the future.
pub(super) fn end(expires_at: Option<Time>, moment: Time, errors: &mut Vec<FieldError>) {
    if expires_at.is_some_and(|expires_at| expires_at <= moment) {
        let message = "A denial must end in the future. Send a later time, or omit it for a denial without an end.";
        errors.push(FieldError::at("/expires_at", "PAST", message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Result<String, String> {
        let mut errors = Vec::new();
        let found = network(text, "192.0.2.44".parse().unwrap(), &mut errors);
        found.map(|network| network.to_string()).ok_or_else(|| errors.remove(0).code)
    }

    #[test]
    fn networks_up_to_size_limit_can_be_denied() {
        for (text, kept) in [
            ("198.51.100.0/24", "198.51.100.0/24"),
            ("203.0.113.9/32", "203.0.113.9/32"),
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("2001:DB8:0::/32", "2001:db8::/32"),
        ] {
            assert_eq!(verdict(text).as_deref(), Ok(kept));
        }
    }

    #[test]
    fn too_wide_own_and_loopback_networks_cannot_be_denied() {
        for (text, code) in [
            ("0.0.0.0/0", "TOO_WIDE"),
            ("::/0", "TOO_WIDE"),
            ("10.0.0.0/7", "TOO_WIDE"),
            ("2001:db8::/31", "TOO_WIDE"),
            ("192.0.2.0/24", "OWN_NETWORK"),
            ("192.0.2.44/32", "OWN_NETWORK"),
            ("127.0.0.0/8", "LOOPBACK"),
            ("127.4.0.0/16", "LOOPBACK"),
            ("::1/128", "LOOPBACK"),
            ("::/32", "LOOPBACK"),
            ("198.51.100.7/24", "HOST_BITS"),
            ("198.51.100.7", "FORMAT"),
            ("everybody", "FORMAT"),
            ("::ffff:198.51.100.0/120", "FORMAT"),
        ] {
            assert_eq!(verdict(text), Err(code.to_owned()), "{text}");
        }
    }

    #[test]
    fn denial_must_end_in_future_or_never() {
        let at = |seconds| Time(jiff::Timestamp::UNIX_EPOCH).plus_seconds(seconds);
        let errors = |expires_at| {
            let mut errors = Vec::new();
            end(expires_at, at(5), &mut errors);
            errors.len()
        };
        assert_eq!((errors(None), errors(Some(at(6))), errors(Some(at(5)))), (0, 0, 1));
    }
}
