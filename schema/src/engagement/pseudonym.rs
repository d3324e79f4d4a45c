//! Pseudonyms of people: what votes, follows and read marks are kept under.
//!
//! Each is an HMAC of the person under a key of its own, derived from the master key, which lies outside the database and
//! is not rotated. So a person counts once, even after they were erased, and the tables tell nobody who they are. One kind
//! of pseudonym tells nothing about another.

use uuid::Uuid;

use crate::core::crypto::sealed::MasterKey;
use crate::core::day::Day;

/// What a person's votes are kept under.
pub(super) fn voter(key: &MasterKey, person_uuid: Uuid) -> [u8; 32] {
    key.mac("board-voter", person_uuid.as_bytes())
}

/// What a person's follows are kept under.
pub(super) fn follower(key: &MasterKey, person_uuid: Uuid) -> [u8; 32] {
    key.mac("board-follower", person_uuid.as_bytes())
}

/// What it is kept under how much of their news a person has read.
pub(super) fn reader(key: &MasterKey, person_uuid: Uuid) -> [u8; 32] {
    key.mac("board-reader", person_uuid.as_bytes())
}

/// What the ids of a person's news are made with.
pub(super) fn naming(key: &MasterKey, person_uuid: Uuid) -> [u8; 32] {
    key.mac("board-notification", person_uuid.as_bytes())
}

/// What the votes of a person are counted under on one day.
pub(super) fn voter_of_day(key: &MasterKey, person_uuid: Uuid, day: Day) -> [u8; 32] {
    let mut named = person_uuid.as_bytes().to_vec();
    named.extend_from_slice(day.to_string().as_bytes());
    key.mac("board-voter-of-day", &named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pseudonym_tells_nothing_about_another() {
        let (key, person) = (MasterKey::from_bytes([7; 32]), Uuid::from_u128(1));
        let day = |text: &str| voter_of_day(&key, person, text.parse().unwrap());
        let days = [day("2026-11-26"), day("2026-11-27")];
        let kinds = [voter(&key, person), follower(&key, person), reader(&key, person), naming(&key, person)];
        let all = [kinds.as_slice(), days.as_slice()].concat();
        for (place, one) in all.iter().enumerate() {
            assert!(all.iter().skip(place + 1).all(|other| other != one), "{place}");
        }
        assert_eq!(voter(&key, person), voter(&MasterKey::from_bytes([7; 32]), person));
        assert_ne!(voter(&key, person), voter(&MasterKey::from_bytes([8; 32]), person));
    }
}
