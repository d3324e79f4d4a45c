//! Whose failures are counted, and how they slow down the next try.

use std::net::IpAddr;

use ipnet::IpNet;
use uuid::Uuid;

use crate::core::context::network_of;
use crate::core::time::Time;

/// Something for which failures are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::auth) enum Subject {
    /// The password of the account of this normalised address, known or not, as tried from one network.
    AccountFrom(String, IpAddr),
    /// The same from wherever.
    Account(String),
    /// The codes of a person, as tried from one network.
    FactorFrom(Uuid, IpAddr),
    /// The same from wherever.
    Factor(Uuid),
    /// Whatever is tried from one network.
    Network(IpAddr),
}

impl Subject {
    /// For whom a try at a password counts.
    pub(in crate::auth) fn of_password(email_normalised: &str, address: IpAddr) -> Vec<Self> {
        let email = email_normalised.to_owned();
        vec![Self::AccountFrom(email.clone(), address), Self::Account(email), Self::Network(address)]
    }

    /// For whom a try at a second factor counts.
    pub(in crate::auth) fn of_factor(person_uuid: Uuid, address: IpAddr) -> Vec<Self> {
        vec![Self::FactorFrom(person_uuid, address), Self::Factor(person_uuid), Self::Network(address)]
    }

    /// The column's value.
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

    /// The account that is tried from one network, and that network.
    pub(super) fn account_from(&self) -> Option<(&str, IpNet)> {
        match self {
            Self::AccountFrom(email, address) => Some((email, network_of(*address))),
            _ => None,
        }
    }

    /// Whether it is the account's own, so that a success of its owner ends the count.
    pub(super) const fn is_of_account(&self) -> bool {
        !matches!(self, Self::Network(_))
    }

    /// Until when the next try is held back after so many failures in a row: nothing for the first few, because
    /// everybody mistypes, then 2, 4, 8 … seconds.
    pub(super) fn held_until(&self, failures: i32, now: Time) -> Option<Time> {
        let (free, longest_seconds) = match self {
            Self::AccountFrom(..) | Self::FactorFrom(..) => (5, 900),
            Self::Account(_) => (50, 30),
            // Whoever tries codes knows the password, so they get fewer.
            Self::Factor(_) => (20, 60),
            Self::Network(_) => (100, 60),
        };
        let beyond = failures.checked_sub(free).filter(|beyond| *beyond > 0)?;
        let delay = 1_i64.checked_shl(beyond.unsigned_abs().min(40)).unwrap_or(longest_seconds);
        Some(now.plus_seconds(delay.clamp(1, longest_seconds)))
    }
}

/// A network as people write it: an address alone where it is one.
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
        subject.held_until(failures, NOW).map(|until| until.seconds_since(NOW))
    }

    #[test]
    fn delays_grow_and_stop_growing() {
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
    fn nobody_but_the_tries_of_one_place_is_held_back_for_more_than_a_minute() {
        let address = at("192.0.2.1");
        for subject in [Subject::Account(String::new()), Subject::Factor(Uuid::nil()), Subject::Network(address)] {
            assert!(delay(&subject, i32::MAX) <= Some(60), "{subject:?}");
        }
    }

    #[test]
    fn a_network_is_an_address_or_the_half_of_one() {
        let name = |address: &str| Subject::Network(at(address)).name();
        assert_eq!(name("192.0.2.1"), "network:192.0.2.1");
        assert_eq!(name("::ffff:192.0.2.1"), "network:192.0.2.1");
        assert_eq!(name("2001:db8:0:1:2:3:4:5"), "network:2001:db8:0:1::/64");
        assert_eq!(name("2001:db8:0:1:ffff::1"), name("2001:db8:0:1::"));
    }

    #[test]
    fn each_subject_has_a_name_of_its_own_and_the_account_keeps_its_slate() {
        let password = Subject::of_password("a@b.example", at("192.0.2.1"));
        let factor = Subject::of_factor(Uuid::nil(), at("192.0.2.1"));
        let mut names: Vec<String> = password.iter().chain(&factor).map(Subject::name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 5, "the network is one and the same");
        assert_eq!(password.iter().filter(|subject| subject.is_of_account()).count(), 2);
    }
}
