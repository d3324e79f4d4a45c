//! Pseudonyms under which votes, follows and read marks of users are stored.
//!
//! Each is an HMAC of the user id with a separate key, derived from the master key, which is outside the database and
//! is not rotated. Therefore, a user counts once, even after erasure, and the tables do not disclose users. One kind of
//! pseudonym reveals nothing about another.

use labs_core::day::Day;
use labs_crypto::sealed::MasterKey;
use uuid::Uuid;

/// Returns the pseudonym of a user's votes.
pub(super) fn voter(key: &MasterKey, person_uuid: Uuid) -> [u8; 32] {
    key.mac("board-voter", person_uuid.as_bytes())
}

/// Returns the pseudonym of a user's follows.
pub(super) fn follower(key: &MasterKey, person_uuid: Uuid) -> [u8; 32] {
    key.mac("board-follower", person_uuid.as_bytes())
}

/// Returns the pseudonym of a user's read state.
pub(super) fn reader(key: &MasterKey, person_uuid: Uuid) -> [u8; 32] {
    key.mac("board-reader", person_uuid.as_bytes())
}

/// Returns the key for the ids of a user's notifications.
pub(super) fn notification_key(key: &MasterKey, person_uuid: Uuid) -> [u8; 32] {
    key.mac("board-notification", person_uuid.as_bytes())
}

/// Returns the pseudonym under which a user's votes of one day are counted.
pub(super) fn voter_of_day(key: &MasterKey, person_uuid: Uuid, day: Day) -> [u8; 32] {
    let mut named = person_uuid.as_bytes().to_vec();
    named.extend_from_slice(day.to_string().as_bytes());
    key.mac("board-voter-of-day", &named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pseudonyms_cannot_be_linked() {
        let (key, person) = (MasterKey::from_bytes([7; 32]), Uuid::from_u128(1));
        let day = |text: &str| voter_of_day(&key, person, text.parse().unwrap());
        let days = [day("2026-11-26"), day("2026-11-27")];
        let kinds = [voter(&key, person), follower(&key, person), reader(&key, person), notification_key(&key, person)];
        let all = [kinds.as_slice(), days.as_slice()].concat();
        for (place, one) in all.iter().enumerate() {
            assert!(all.iter().skip(place + 1).all(|other| other != one), "{place}");
        }
        assert_eq!(voter(&key, person), voter(&MasterKey::from_bytes([7; 32]), person));
        assert_ne!(voter(&key, person), voter(&MasterKey::from_bytes([8; 32]), person));
    }
}
