//! Page cursors: encrypted positions in a list, bound to the list and its filter.
//!
//! A cursor contains the keyset position as JSON. A position has values that no answer shows, such as the heat of a
//! feature request, from which a reader could compute the day of a vote. So the position is encrypted (AES-256-GCM-SIV)
//! and padded, and the list's name and the filter are authenticated with it: a client can neither read a cursor, nor
//! make one up, nor use it for another list (docs/decisions/api.md#cursors).
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::same_bytes;
use super::sealed::{MacKey, MasterKey};
use super::siv::{Determinism, OVERHEAD, SivKey};

/// The text is not a cursor of this list and filter: fault INVALID_CURSOR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cursor does not belong to this list and its filters")]
pub struct InvalidCursor;

/// Writes and reads cursors. Made once from the master key.
#[derive(Clone, Debug)]
pub struct CursorSeal {
    key: SivKey,
    /// Authenticates cursors of earlier versions, which were not encrypted.
    former: MacKey,
}

/// First byte of an authenticated, unencrypted cursor. No longer written. Clients that follow the feed of listing
/// changes can keep one for 90 days, so it is still accepted.
const PLAIN: u8 = 1;
/// First byte of an unencrypted cursor with the WAL position of a read replica.
const PLAIN_OF_REPLICA: u8 = 2;
/// First byte of an encrypted cursor.
const ENCRYPTED: u8 = 3;
/// First byte of an encrypted cursor from a page of a read replica.
const ENCRYPTED_OF_REPLICA: u8 = 4;
/// Bytes of the tag of an unencrypted cursor.
const PLAIN_TAG_BYTES: usize = 16;
/// The length of an encrypted position is a multiple of this, so that it does not reveal the number of digits of a
/// value.
const PADDED: usize = 128;
/// Longest accepted cursor, in characters. Positions are a few short values.
pub const LONGEST_CURSOR: usize = 2_048;

impl CursorSeal {
    /// Derives the cursor keys from `key`.
    pub fn new(key: &MasterKey) -> CursorSeal {
        CursorSeal { key: SivKey::new(key, "cursor"), former: key.mac_key("cursor") }
    }

    /// Creates the cursor of `position` in the list named `list` under `filter`. Two cursors of the same position
    /// differ, so that a reader cannot see that a hidden value returned to an earlier value.
    ///
    /// `filter` contains everything that decides which rows the list has and in which order, in one canonical form:
    /// filters, sort order and owner. The page size is not part of it.
    pub fn seal(&self, list: &str, filter: &[u8], position: &[Value]) -> String {
        let body = Value::from(position).to_string();
        self.seal_version(ENCRYPTED, Determinism::Randomized, (list, filter), body)
    }

    /// Creates the same cursor for the same position: for a list whose pages are compared by their `ETag`.
    pub fn seal_same(&self, list: &str, filter: &[u8], position: &[Value]) -> String {
        let body = Value::from(position).to_string();
        self.seal_version(ENCRYPTED, Determinism::Deterministic, (list, filter), body)
    }

    /// Creates the cursor of a page that a read replica answered. `place` is the WAL position that the replica had
    /// replayed.
    pub fn seal_of_replica(&self, list: &str, filter: &[u8], position: &[Value], place: i64) -> String {
        let body = json!([place, position]).to_string();
        self.seal_version(ENCRYPTED_OF_REPLICA, Determinism::Randomized, (list, filter), body)
    }

    fn seal_version(
        &self,
        version: u8,
        sameness: Determinism,
        (list, filter): (&str, &[u8]),
        mut body: String,
    ) -> String {
        // Trailing spaces are not part of the JSON position.
        let length = body.len().next_multiple_of(PADDED);
        body.extend(std::iter::repeat_n(' ', length - body.len()));
        let mut bytes = Vec::with_capacity(1 + OVERHEAD + length);
        bytes.push(version);
        self.key.encrypt(sameness, &bound(&[version], &[list.as_bytes(), filter]), body.as_bytes(), &mut bytes);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Returns the position of `cursor`, and the WAL position passed to [`Self::seal_of_replica`], if any.
    ///
    /// # Errors
    /// [`InvalidCursor`] unless this service created the cursor for this list and filter.
    pub fn open(&self, list: &str, filter: &[u8], cursor: &str) -> Result<(Vec<Value>, Option<i64>), InvalidCursor> {
        if cursor.len() > LONGEST_CURSOR {
            return Err(InvalidCursor);
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| InvalidCursor)?;
        let (version, rest) = bytes.split_first().ok_or(InvalidCursor)?;
        let body = match *version {
            ENCRYPTED | ENCRYPTED_OF_REPLICA => {
                let bound = bound(&[*version], &[list.as_bytes(), filter]);
                self.key.decrypt(&bound, rest).map_err(|_| InvalidCursor)?
            }
            PLAIN | PLAIN_OF_REPLICA => self.open_plain(*version, (list, filter), rest)?,
            _ => return Err(InvalidCursor),
        };
        let read = match *version {
            PLAIN | ENCRYPTED => serde_json::from_slice(&body).map(|position| (position, None)),
            _ => serde_json::from_slice(&body).map(|(place, position)| (position, Some(place))),
        };
        read.map_err(|_| InvalidCursor)
    }

    /// Returns the body of a cursor of an earlier version.
    fn open_plain(&self, version: u8, (list, filter): (&str, &[u8]), rest: &[u8]) -> Result<Vec<u8>, InvalidCursor> {
        let (tag, body) = rest.split_at_checked(PLAIN_TAG_BYTES).ok_or(InvalidCursor)?;
        let versions: &[u8] = if version == PLAIN { &[] } else { &[version] };
        let bound = bound(versions, &[list.as_bytes(), filter, body]);
        let is_ours =
            self.former.tags(&bound).any(|whole| whole.get(..PLAIN_TAG_BYTES).is_some_and(|cut| same_bytes(tag, cut)));
        if is_ours { Ok(body.to_vec()) } else { Err(InvalidCursor) }
    }
}

/// Bytes to authenticate: a version, if any, then each part after its length, so that two different cursors never have
/// the same bytes.
fn bound(version: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = version.to_vec();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cursors() -> CursorSeal {
        CursorSeal::new(&MasterKey::from_bytes([5; 32]))
    }

    fn position() -> Vec<Value> {
        vec![json!("2026-11-03T10:00:00.123456Z"), json!(17), Value::Null]
    }

    #[test]
    fn cursor_opens_to_its_position() {
        let text = cursors().seal("marketplace_apps_list", b"state=DRAFT", &position());
        let opened = cursors().open("marketplace_apps_list", b"state=DRAFT", &text);
        assert_eq!(opened, Ok((position(), None)));
        assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
    }

    #[test]
    fn cursor_of_another_list_filter_or_key_is_rejected() {
        let text = cursors().seal("apps", b"state=DRAFT", &position());
        let refused = Err(InvalidCursor);
        assert_eq!(cursors().open("users", b"state=DRAFT", &text), refused);
        assert_eq!(cursors().open("apps", b"state=LISTED", &text), refused);
        assert_eq!(cursors().open("apps", b"", &text), refused);
        let foreign = CursorSeal::new(&MasterKey::from_bytes([6; 32]));
        assert_eq!(foreign.open("apps", b"state=DRAFT", &text), refused);
    }

    #[test]
    fn read_replica_cursor_contains_log_position() {
        let text = cursors().seal_of_replica("apps", b"", &position(), i64::MAX);
        assert_eq!(cursors().open("apps", b"", &text), Ok((position(), Some(i64::MAX))));
        assert_eq!(cursors().open("users", b"", &text), Err(InvalidCursor));
        let mut bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        for version in [PLAIN, PLAIN_OF_REPLICA, ENCRYPTED, 9] {
            bytes[0] = version;
            assert_eq!(cursors().open("apps", b"", &URL_SAFE_NO_PAD.encode(&bytes)), Err(InvalidCursor));
        }
    }

    #[test]
    fn cursor_shows_neither_values_nor_their_length() {
        let of_heat = |heat: i64| cursors().seal("requests", b"-trend", &[json!(0), json!(heat), json!("0198d000")]);
        let (cold, hot) = (of_heat(7), of_heat(-2_147_483_648));
        assert_eq!(cold.len(), hot.len());
        let bytes = URL_SAFE_NO_PAD.decode(&hot).unwrap();
        for value in ["-2147483648", "2147", "0198d000"] {
            assert!(!bytes.windows(value.len()).any(|part| part == value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn cursors_differ_unless_deterministic() {
        let of = || cursors().seal("apps", b"", &position());
        assert_ne!(of(), of());
        let same = || cursors().seal_same("apps", b"", &position());
        assert_eq!(same(), same());
        assert_eq!(cursors().open("apps", b"", &same()), Ok((position(), None)));
    }

    /// Creates a cursor in the format of earlier versions: version, tag, JSON.
    fn plain(version: &[u8], body: &Value) -> String {
        let body = body.to_string();
        let bound = bound(if version == [PLAIN] { &[] } else { version }, &[b"apps", b"state=DRAFT", body.as_bytes()]);
        let tag = MasterKey::from_bytes([5; 32]).mac_key("cursor").tag(&bound);
        URL_SAFE_NO_PAD.encode([version, &tag[..PLAIN_TAG_BYTES], body.as_bytes()].concat())
    }

    #[test]
    fn unencrypted_cursor_of_a_former_version_is_read() {
        let text = plain(&[PLAIN], &json!(position()));
        assert_eq!(cursors().open("apps", b"state=DRAFT", &text), Ok((position(), None)));
        assert_eq!(cursors().open("apps", b"", &text), Err(InvalidCursor));
        let of_replica = plain(&[PLAIN_OF_REPLICA], &json!([17, position()]));
        assert_eq!(cursors().open("apps", b"state=DRAFT", &of_replica), Ok((position(), Some(17))));
    }

    #[test]
    fn shifting_a_letter_from_list_to_filter_is_rejected() {
        let text = cursors().seal("ab", b"c", &position());
        assert_eq!(cursors().open("a", b"bc", &text), Err(InvalidCursor));
    }

    #[test]
    fn overlong_cursor_is_rejected_without_decoding() {
        let text = "A".repeat(LONGEST_CURSOR + 1);
        assert_eq!(cursors().open("apps", b"", &text), Err(InvalidCursor));
    }

    #[test]
    fn empty_position_is_valid() {
        let text = cursors().seal("apps", b"", &[]);
        assert_eq!(cursors().open("apps", b"", &text), Ok((Vec::new(), None)));
    }

    proptest! {
        #[test]
        fn any_changed_character_is_rejected(place: prop::sample::Index, to in "[A-Za-z0-9_-]") {
            let text = cursors().seal("apps", b"", &position());
            let at = place.index(text.len());
            prop_assume!(text.get(at..=at) != Some(to.as_str()));
            let mut changed = text.clone();
            changed.replace_range(at..=at, &to);
            prop_assert_eq!(cursors().open("apps", b"", &changed), Err(InvalidCursor));
        }

        #[test]
        fn arbitrary_text_is_rejected_without_panic(text in "\\PC{0,120}") {
            prop_assert_eq!(cursors().open("apps", b"", &text), Err(InvalidCursor));
        }
    }
}
