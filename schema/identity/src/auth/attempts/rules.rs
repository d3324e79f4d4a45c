//! Subjects whose failures are counted, and the delay of the next attempt.

use std::net::IpAddr;

use ipnet::IpNet;
use labs_core::context::network_of;
use labs_core::time::Time;
use uuid::Uuid;

/// A subject for which failures are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::auth) enum Subject {
    /// The password of the account with this normalised address, known or not, tried from one network.
    AccountFrom(String, IpAddr),
    /// The password of the account with this normalised address, from all networks.
    Account(String),
    /// The codes of a user, tried from one network.
    FactorFrom(Uuid, IpAddr),
    /// The codes of a user, from all networks.
    Factor(Uuid),
    /// Any attempt from one network.
    Network(IpAddr),
}

impl Subject {
    /// Returns the subjects of a password attempt.
    pub(in crate::auth) fn subjects_of_password(email_normalised: &str, address: IpAddr) -> Vec<Self> {
        let email = email_normalised.to_owned();
        vec![Self::AccountFrom(email.clone(), address), Self::Account(email), Self::Network(address)]
    }

    /// Returns the subjects of a second-factor attempt.
    pub(in crate::auth) fn subjects_of_factor(person_uuid: Uuid, address: IpAddr) -> Vec<Self> {
        vec![Self::FactorFrom(person_uuid, address), Self::Factor(person_uuid), Self::Network(address)]
    }

    /// Returns the value of the database column.
    pub(super) fn name(&self) -> String {
        match self {
            Self::AccountFrom(email, address) => format!("account:{email}@{}", write_network(*address)),
            Self::Account(email) => format!("account:{email}"),
            Self::FactorFrom(person_uuid, address) => {
                format!("second_factor:{person_uuid}@{}", write_network(*address))
            }
            Self::Factor(person_uuid) => format!("second_factor:{person_uuid}"),
            Self::Network(address) => format!("network:{}", write_network(*address)),
        }
    }

    /// Returns the account and the network of an attempt counted per network.
    pub(super) fn account_from(&self) -> Option<(&str, IpNet)> {
        match self {
            Self::AccountFrom(email, address) => Some((email, network_of(*address))),
            _ => None,
        }
    }

    /// Whether the subject belongs to the account, so that a success of its owner resets the count.
    pub(super) const fn is_of_account(&self) -> bool {
        !matches!(self, Self::Network(_))
    }

    /// Returns the time until which the next attempt is blocked after this number of consecutive failures. The first
    /// few are free, because users mistype; then the delay is 2, 4, 8 … seconds.
    pub(super) fn blocked_until(&self, failures: i32, now: Time) -> Option<Time> {
        let (free, longest_seconds) = match self {
            Self::AccountFrom(..) | Self::FactorFrom(..) => (5, 900),
            Self::Account(_) => (50, 30),
            // A client that tries codes already has the password, so codes get fewer attempts.
            Self::Factor(_) => (20, 60),
            Self::Network(_) => (100, 60),
        };
        let beyond = failures.checked_sub(free).filter(|beyond| *beyond > 0)?;
        let delay = 1_i64.checked_shl(beyond.unsigned_abs().min(40)).unwrap_or(longest_seconds);
        Some(now.plus_seconds(delay.clamp(1, longest_seconds)))
    }
}

/// Formats a network; a network of one address is written as the address.
fn write_network(address: IpAddr) -> String {
    let network = network_of(address);
    if network.prefix_len() == network.max_prefix_len() { network.addr().to_string() } else { network.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(jiff::Timestamp::UNIX_EPOCH);

    fn at(address: &str) -> IpAddr {
        address.parse().unwrap()
    }

    fn delay(subject: &Subject, failures: i32) -> Option<i64> {
        subject.blocked_until(failures, NOW).map(|until| until.seconds_since(NOW))
    }

    #[test]
    fn delays_grow_up_to_a_maximum() {
        let from_one_place = Subject::AccountFrom("a@b.example".to_owned(), at("192.0.2.1"));
        assert_eq!(delay(&from_one_place, 5), None);
        assert_eq!(delay(&from_one_place, 6), Some(2));
        assert_eq!(delay(&from_one_place, 9), Some(16));
        assert_eq!(delay(&from_one_place, 60), Some(900));
        let account = Subject::Account("a@b.example".to_owned());
        assert_eq!((delay(&account, 50), delay(&account, 51), delay(&account, 90)), (None, Some(2), Some(30)));
        assert!((6..100).all(|failures| delay(&from_one_place, failures + 1) >= delay(&from_one_place, failures)));
    }

    #[test]
    fn only_account_and_network_pair_waits_over_a_minute() {
        let address = at("192.0.2.1");
        for subject in [Subject::Account(String::new()), Subject::Factor(Uuid::nil()), Subject::Network(address)] {
            assert!(delay(&subject, i32::MAX) <= Some(60), "{subject:?}");
        }
    }

    #[test]
    fn network_subject_is_ipv4_address_or_ipv6_prefix() {
        let name = |address: &str| Subject::Network(at(address)).name();
        assert_eq!(name("192.0.2.1"), "network:192.0.2.1");
        assert_eq!(name("::ffff:192.0.2.1"), "network:192.0.2.1");
        assert_eq!(name("2001:db8:0:1:2:3:4:5"), "network:2001:db8:0:1::/64");
        assert_eq!(name("2001:db8:0:1:ffff::1"), name("2001:db8:0:1::"));
    }

    #[test]
    fn subject_names_are_distinct_and_two_belong_to_account() {
        let password = Subject::subjects_of_password("a@b.example", at("192.0.2.1"));
        let factor = Subject::subjects_of_factor(Uuid::nil(), at("192.0.2.1"));
        let mut names: Vec<String> = password.iter().chain(&factor).map(Subject::name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 5, "the network is one and the same");
        assert_eq!(password.iter().filter(|subject| subject.is_of_account()).count(), 2);
    }
}
