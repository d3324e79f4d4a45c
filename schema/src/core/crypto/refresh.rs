//! Refresh tokens: which session, which turn, and what to answer to a turn that is over.
//!
//! A token carries the session and a counter, authenticated by the master key; nothing of it is
//! stored but the counter. Because the text follows from session and counter alone, the successor
//! of a token can be answered twice and is the same both times: two tabs and a lost answer survive
//! and no second line of tokens ever starts (docs/decisions.md#identity).
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::sealed::{MacKey, MasterKey};
use super::secret::SecretText;

/// What a refresh token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshToken {
    /// The session it belongs to; the family of all its tokens.
    pub session_uuid: Uuid,
    /// Its turn; the session's row holds the current one.
    pub counter: u64,
}

/// What a presented turn deserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshVerdict {
    /// The current turn: advance the counter by one and answer the new token.
    Rotate,
    /// The turn just replaced: answer the current token again and change nothing.
    RepeatCurrent,
    /// A turn long over: end the session's family, record a security event, send mail.
    Reused,
}

/// How long the turn just replaced is still answered.
const REPEAT_WINDOW: SignedDuration = SignedDuration::from_secs(10);

/// Judges a presented turn. `changed_at` is when the counter took its current value; it and `now`
/// must come from the same clock, the database's.
///
/// A turn ahead of the current one was signed by us but never recorded (the database was put back
/// to an earlier state); it cannot be told from theft and is treated as such.
pub fn judge(presented: u64, current: u64, changed_at: Timestamp, now: Timestamp) -> RefreshVerdict {
    if presented == current {
        RefreshVerdict::Rotate
    } else if presented.checked_add(1) == Some(current) && now.duration_since(changed_at) <= REPEAT_WINDOW {
        RefreshVerdict::RepeatCurrent
    } else {
        RefreshVerdict::Reused
    }
}

/// Writes and reads refresh tokens. Made once from the master key.
#[derive(Clone, Debug)]
pub struct RefreshSeal(MacKey);

const VERSION: u8 = 1;
/// Version, session, counter.
const BODY_BYTES: usize = 1 + 16 + 8;
const TAG_BYTES: usize = 32;

impl RefreshSeal {
    /// The seal that belongs to `key`.
    pub fn new(key: &MasterKey) -> RefreshSeal {
        RefreshSeal(key.mac_key("refresh-token"))
    }

    /// The token as the cookie's value: 76 characters of base64url.
    pub fn seal(&self, token: RefreshToken) -> SecretText {
        let mut bytes = Vec::with_capacity(BODY_BYTES + TAG_BYTES);
        bytes.push(VERSION);
        bytes.extend_from_slice(token.session_uuid.as_bytes());
        bytes.extend_from_slice(&token.counter.to_be_bytes());
        let tag = self.0.tag(&bytes);
        bytes.extend_from_slice(&tag);
        SecretText::new(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The token that `text` carries, or `None` when we did not write it.
    pub fn open(&self, text: &str) -> Option<RefreshToken> {
        let mut bytes = [0u8; BODY_BYTES + TAG_BYTES];
        if URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) != Ok(bytes.len()) {
            return None;
        }
        let (body, tag) = bytes.split_at_checked(BODY_BYTES)?;
        if !self.0.verifies(body, tag) {
            return None;
        }
        let (version, rest) = body.split_first()?;
        let (session, counter) = rest.split_first_chunk()?;
        (*version == VERSION).then_some(RefreshToken {
            session_uuid: Uuid::from_bytes(*session),
            counter: u64::from_be_bytes(counter.try_into().ok()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seal() -> RefreshSeal {
        RefreshSeal::new(&MasterKey::from_bytes([3; 32]))
    }

    fn at(millisecond: i64) -> Timestamp {
        Timestamp::from_millisecond(1_800_000_000_000 + millisecond).unwrap()
    }

    #[test]
    fn each_cell_of_the_ten_second_rule() {
        use RefreshVerdict::{RepeatCurrent, Reused, Rotate};
        let cells = [
            // presented, current, milliseconds since the counter changed, verdict
            (5, 5, 0, Rotate),
            (5, 5, 10_000, Rotate),
            (5, 5, 86_400_000, Rotate),
            (4, 5, 0, RepeatCurrent),
            (4, 5, 9_999, RepeatCurrent),
            (4, 5, 10_000, RepeatCurrent),
            (4, 5, 10_001, Reused),
            (4, 5, 86_400_000, Reused),
            (3, 5, 0, Reused),
            (3, 5, 10_001, Reused),
            (0, 5, 0, Reused),
            (6, 5, 0, Reused),
            (6, 5, 10_001, Reused),
            (u64::MAX, 5, 0, Reused),
            (0, 0, 0, Rotate),
            (u64::MAX, 0, 0, Reused),
            (u64::MAX, u64::MAX, 0, Rotate),
        ];
        for (presented, current, age, verdict) in cells {
            let judged = judge(presented, current, at(0), at(age));
            assert_eq!(judged, verdict, "{presented} of {current} after {age} ms");
        }
    }

    #[test]
    fn a_clock_seen_slightly_before_the_change_still_repeats() {
        assert_eq!(judge(4, 5, at(5), at(0)), RefreshVerdict::RepeatCurrent);
    }

    #[test]
    fn a_token_reads_as_it_was_written_and_always_the_same() {
        let token = RefreshToken { session_uuid: Uuid::from_u128(42), counter: 7 };
        let text = seal().seal(token);
        assert_eq!(text.expose().len(), 76);
        assert_eq!(seal().open(text.expose()), Some(token));
        assert!(text.same_as(&seal().seal(token)));
    }

    #[test]
    fn a_token_of_another_key_or_another_purpose_is_not_ours() {
        let token = RefreshToken { session_uuid: Uuid::from_u128(42), counter: 7 };
        let text = seal().seal(token);
        let foreign = RefreshSeal::new(&MasterKey::from_bytes([4; 32]));
        assert_eq!(foreign.open(text.expose()), None);
        let other_purpose = RefreshSeal(MasterKey::from_bytes([3; 32]).mac_key("cursor"));
        assert_eq!(other_purpose.open(text.expose()), None);
    }

    proptest! {
        #[test]
        fn every_token_survives_the_way_there_and_back(session: u128, counter: u64) {
            let token = RefreshToken { session_uuid: Uuid::from_u128(session), counter };
            prop_assert_eq!(seal().open(seal().seal(token).expose()), Some(token));
        }

        #[test]
        fn any_changed_character_makes_it_nobodys(at in 0usize..76, to in "[A-Za-z0-9_-]") {
            let token = RefreshToken { session_uuid: Uuid::from_u128(42), counter: 7 };
            let text = seal().seal(token);
            prop_assume!(text.expose().get(at..=at) != Some(to.as_str()));
            let mut changed = text.expose().to_owned();
            changed.replace_range(at..=at, &to);
            prop_assert_eq!(seal().open(&changed), None);
        }

        #[test]
        fn no_text_opens_by_chance_or_panics(text in "\\PC{0,120}") {
            prop_assert_eq!(seal().open(&text), None);
        }

        /// A thief and an owner who share a stolen turn: whoever comes second, more than ten
        /// seconds later, ends the family. Played over any order of uses.
        #[test]
        fn no_two_lines_of_tokens_ever_live_side_by_side(
            uses in prop::collection::vec((any::<bool>(), 0i64..30_000), 1..60),
        ) {
            let (mut current, mut changed, mut now) = (0u64, at(0), at(0));
            let mut held = [0u64, 0u64];
            for (thief, pause) in uses {
                now += SignedDuration::from_millis(pause);
                let who = held.get_mut(usize::from(thief)).unwrap();
                match judge(*who, current, changed, now) {
                    RefreshVerdict::Rotate => {
                        current += 1;
                        changed = now;
                        *who = current;
                    }
                    RefreshVerdict::RepeatCurrent => {
                        prop_assert!(now.duration_since(changed) <= REPEAT_WINDOW);
                        *who = current;
                    }
                    RefreshVerdict::Reused => return Ok(()),
                }
                // Whoever was answered holds the one current token; nobody ever holds another
                // turn that would still rotate.
                prop_assert_eq!(*who, current);
                prop_assert!(held.iter().all(|turn| *turn <= current));
            }
        }

        #[test]
        fn only_the_current_turn_ever_advances(presented: u64, current: u64, age in 0i64..100_000_000) {
            let verdict = judge(presented, current, at(0), at(age));
            prop_assert_eq!(verdict == RefreshVerdict::Rotate, presented == current);
            if verdict == RefreshVerdict::RepeatCurrent {
                prop_assert_eq!(presented + 1, current);
                prop_assert!(age <= 10_000);
            }
        }
    }
}
