//! Refresh tokens: the session, its turn, and the verdict on an old turn.
//!
//! A token contains the session and a counter, authenticated by the master key. Only the counter is stored. Because the
//! text follows from session and counter, the successor of a token can be sent twice and is identical both times. So
//! two browser tabs or a lost response cause no sign-out, and a second chain of tokens never starts
//! (docs/decisions/credentials.md#refresh-tokens).
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::sealed::{MacKey, MasterKey};
use super::secret::SecretText;

/// Content of a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshToken {
    /// Session of the token; it defines the family of all its tokens.
    pub session_uuid: Uuid,
    /// Turn of the token; the session's row stores the current turn.
    pub counter: u64,
}

/// Verdict on a presented turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshVerdict {
    /// The current turn: advance the counter by one and return the new token.
    Rotate,
    /// The turn just replaced: return the current token again and change nothing.
    RepeatCurrent,
    /// An old turn: end the session's family, record a security event, send a mail message.
    Reused,
}

/// Time during which the turn just replaced is still accepted.
const REPEAT_WINDOW: SignedDuration = SignedDuration::from_secs(10);

/// Judges a presented turn. `changed_at` is the time at which the counter got its current value; it and `now` must come
/// from the same clock, the database's.
///
/// A turn after the current one was signed by the service but never stored, because the database was restored to an
/// earlier state. It cannot be distinguished from theft and is treated the same way.
pub fn verify_turn(presented: u64, current: u64, changed_at: Timestamp, now: Timestamp) -> RefreshVerdict {
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
    /// Derives the refresh token key from `key`.
    pub fn new(key: &MasterKey) -> RefreshSeal {
        RefreshSeal(key.mac_key("refresh-token"))
    }

    /// Encodes the token as the cookie's value: 76 characters of base64url.
    pub fn seal(&self, token: RefreshToken) -> SecretText {
        let mut bytes = Vec::with_capacity(BODY_BYTES + TAG_BYTES);
        bytes.push(VERSION);
        bytes.extend_from_slice(token.session_uuid.as_bytes());
        bytes.extend_from_slice(&token.counter.to_be_bytes());
        let tag = self.0.tag(&bytes);
        bytes.extend_from_slice(&tag);
        SecretText::new(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Decodes the token in `text`. `None` if the service did not create it.
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
    fn ten_second_refresh_rule_matches_table() {
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
            let judged = verify_turn(presented, current, at(0), at(age));
            assert_eq!(judged, verdict, "{presented} of {current} after {age} ms");
        }
    }

    #[test]
    fn clock_slightly_before_change_still_repeats() {
        assert_eq!(verify_turn(4, 5, at(5), at(0)), RefreshVerdict::RepeatCurrent);
    }

    #[test]
    fn refresh_token_round_trips_and_is_deterministic() {
        let token = RefreshToken { session_uuid: Uuid::from_u128(42), counter: 7 };
        let text = seal().seal(token);
        assert_eq!(text.expose().len(), 76);
        assert_eq!(seal().open(text.expose()), Some(token));
        assert!(text.same_as(&seal().seal(token)));
    }

    #[test]
    fn refresh_token_of_another_key_or_purpose_is_rejected() {
        let token = RefreshToken { session_uuid: Uuid::from_u128(42), counter: 7 };
        let text = seal().seal(token);
        let foreign = RefreshSeal::new(&MasterKey::from_bytes([4; 32]));
        assert_eq!(foreign.open(text.expose()), None);
        let other_purpose = RefreshSeal(MasterKey::from_bytes([3; 32]).mac_key("cursor"));
        assert_eq!(other_purpose.open(text.expose()), None);
    }

    proptest! {
        #[test]
        fn every_refresh_token_round_trips(session: u128, counter: u64) {
            let token = RefreshToken { session_uuid: Uuid::from_u128(session), counter };
            prop_assert_eq!(seal().open(seal().seal(token).expose()), Some(token));
        }

        #[test]
        fn any_changed_character_is_rejected(at in 0usize..76, to in "[A-Za-z0-9_-]") {
            let token = RefreshToken { session_uuid: Uuid::from_u128(42), counter: 7 };
            let text = seal().seal(token);
            prop_assume!(text.expose().get(at..=at) != Some(to.as_str()));
            let mut changed = text.expose().to_owned();
            changed.replace_range(at..=at, &to);
            prop_assert_eq!(seal().open(&changed), None);
        }

        #[test]
        fn arbitrary_text_is_rejected_without_panic(text in "\\PC{0,120}") {
            prop_assert_eq!(seal().open(&text), None);
        }

        /// A thief and the owner share a stolen turn: the second one to use it, more than ten seconds later, ends the
        /// family. Tested for any order of uses.
        #[test]
        fn stolen_refresh_token_never_yields_two_live_chains(
            uses in prop::collection::vec((any::<bool>(), 0i64..30_000), 1..60),
        ) {
            let (mut current, mut changed, mut now) = (0u64, at(0), at(0));
            let mut held = [0u64, 0u64];
            for (thief, pause) in uses {
                now += SignedDuration::from_millis(pause);
                let who = held.get_mut(usize::from(thief)).unwrap();
                match verify_turn(*who, current, changed, now) {
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
                // Every accepted caller has the one current token; no caller has another turn that would still rotate.
                prop_assert_eq!(*who, current);
                prop_assert!(held.iter().all(|turn| *turn <= current));
            }
        }

        #[test]
        fn only_current_refresh_token_rotates(presented: u64, current: u64, age in 0i64..100_000_000) {
            let verdict = verify_turn(presented, current, at(0), at(age));
            prop_assert_eq!(verdict == RefreshVerdict::Rotate, presented == current);
            if verdict == RefreshVerdict::RepeatCurrent {
                prop_assert_eq!(presented + 1, current);
                prop_assert!(age <= 10_000);
            }
        }
    }
}
