//! Page cursors: where a list goes on, opaque, and worthless for any other list or filter.
//!
//! A cursor holds the keyset position as JSON. A MAC binds it to the list's name and to the
//! filter, so a client can neither make one up nor carry one over (docs/decisions.md#answers). The position is not secret, only unforgeable.
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::same_bytes;
use super::sealed::{MacKey, MasterKey};

/// The presented text is no cursor of this list and filter: fault INVALID_CURSOR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cursor does not belong to this list and its filters")]
pub struct InvalidCursor;

/// Writes and reads cursors. Made once from the master key.
#[derive(Clone, Debug)]
pub struct CursorSeal(MacKey);

/// What a cursor begins with.
const VERSION: u8 = 1;
/// The same of one that came from a read replica.
const OF_REPLICA: u8 = 2;
/// The MAC is cut to 128 bits: enough against forgery, and cursors stay short.
const TAG_BYTES: usize = 16;
/// Longest cursor looked at, in characters. Positions are a few short values.
pub const LONGEST_CURSOR: usize = 2_048;

impl CursorSeal {
    /// The seal that belongs to `key`.
    pub fn new(key: &MasterKey) -> CursorSeal {
        CursorSeal(key.mac_key("cursor"))
    }

    /// The cursor of `position` in the list named `list` under `filter`.
    ///
    /// `filter` is everything that decides which rows the list has and in which order, in one
    /// canonical form: filters, sort, and whose list it is. The page size is not part of it.
    pub fn seal(&self, list: &str, filter: &[u8], position: &[Value]) -> String {
        self.seal_version(VERSION, list, filter, &Value::from(position).to_string())
    }

    /// The same of a page that a read replica showed when it had read the database's log up to the place of this number.
    pub fn seal_of_replica(&self, list: &str, filter: &[u8], position: &[Value], place: i64) -> String {
        self.seal_version(OF_REPLICA, list, filter, &json!([place, position]).to_string())
    }

    fn seal_version(&self, version: u8, list: &str, filter: &[u8], body: &str) -> String {
        let tag = cut(self.0.tag(&bound(version, list, filter, body.as_bytes())));
        let mut bytes = Vec::with_capacity(1 + TAG_BYTES + body.len());
        bytes.push(version);
        bytes.extend_from_slice(&tag);
        bytes.extend_from_slice(body.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The position that `cursor` stands for, and the place that [`Self::seal_of_replica`] was told, if it was.
    ///
    /// # Errors
    /// [`InvalidCursor`] when we did not write it for this list and filter.
    pub fn open(&self, list: &str, filter: &[u8], cursor: &str) -> Result<(Vec<Value>, Option<i64>), InvalidCursor> {
        if cursor.len() > LONGEST_CURSOR {
            return Err(InvalidCursor);
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| InvalidCursor)?;
        let (version, rest) = bytes.split_first().ok_or(InvalidCursor)?;
        let (tag, body) = rest.split_at_checked(TAG_BYTES).ok_or(InvalidCursor)?;
        let bound = bound(*version, list, filter, body);
        if !self.0.tags(&bound).any(|whole| same_bytes(tag, &cut(whole))) {
            return Err(InvalidCursor);
        }
        let read = match *version {
            VERSION => serde_json::from_slice(body).map(|position| (position, None)),
            OF_REPLICA => serde_json::from_slice(body).map(|(place, position)| (position, Some(place))),
            _ => return Err(InvalidCursor),
        };
        read.map_err(|_| InvalidCursor)
    }
}

/// What is authenticated. Lengths go first, so that no two different cursors are the same bytes; the version stands where
/// the first had none, so that those of before go on.
fn bound(version: u8, list: &str, filter: &[u8], body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(25 + list.len() + filter.len() + body.len());
    if version != VERSION {
        bytes.push(version);
    }
    for part in [list.as_bytes(), filter, body] {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

fn cut(whole: [u8; 32]) -> [u8; TAG_BYTES] {
    let mut cut = [0u8; TAG_BYTES];
    for (to, from) in cut.iter_mut().zip(whole) {
        *to = from;
    }
    cut
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
    fn a_cursor_leads_back_to_its_position() {
        let text = cursors().seal("marketplace_apps_list", b"state=DRAFT", &position());
        let opened = cursors().open("marketplace_apps_list", b"state=DRAFT", &text);
        assert_eq!(opened, Ok((position(), None)));
        assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
    }

    #[test]
    fn another_list_filter_or_key_refuses_it() {
        let text = cursors().seal("apps", b"state=DRAFT", &position());
        let refused = Err(InvalidCursor);
        assert_eq!(cursors().open("users", b"state=DRAFT", &text), refused);
        assert_eq!(cursors().open("apps", b"state=LISTED", &text), refused);
        assert_eq!(cursors().open("apps", b"", &text), refused);
        let foreign = CursorSeal::new(&MasterKey::from_bytes([6; 32]));
        assert_eq!(foreign.open("apps", b"state=DRAFT", &text), refused);
    }

    #[test]
    fn one_of_a_replica_tells_how_far_the_log_had_come() {
        let text = cursors().seal_of_replica("apps", b"", &position(), i64::MAX);
        assert_eq!(cursors().open("apps", b"", &text), Ok((position(), Some(i64::MAX))));
        assert_eq!(cursors().open("users", b"", &text), Err(InvalidCursor));
        let mut bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        bytes[0] = VERSION;
        assert_eq!(cursors().open("apps", b"", &URL_SAFE_NO_PAD.encode(&bytes)), Err(InvalidCursor));
    }

    #[test]
    fn moving_a_letter_from_list_to_filter_refuses_it() {
        let text = cursors().seal("ab", b"c", &position());
        assert_eq!(cursors().open("a", b"bc", &text), Err(InvalidCursor));
    }

    #[test]
    fn an_endless_cursor_is_refused_unread() {
        let text = "A".repeat(LONGEST_CURSOR + 1);
        assert_eq!(cursors().open("apps", b"", &text), Err(InvalidCursor));
    }

    #[test]
    fn an_empty_position_is_a_position() {
        let text = cursors().seal("apps", b"", &[]);
        assert_eq!(cursors().open("apps", b"", &text), Ok((Vec::new(), None)));
    }

    proptest! {
        #[test]
        fn any_changed_character_is_refused(place: prop::sample::Index, to in "[A-Za-z0-9_-]") {
            let text = cursors().seal("apps", b"", &position());
            let at = place.index(text.len());
            prop_assume!(text.get(at..=at) != Some(to.as_str()));
            let mut changed = text.clone();
            changed.replace_range(at..=at, &to);
            prop_assert_eq!(cursors().open("apps", b"", &changed), Err(InvalidCursor));
        }

        #[test]
        fn no_text_is_a_cursor_by_chance_or_panics(text in "\\PC{0,120}") {
            prop_assert_eq!(cursors().open("apps", b"", &text), Err(InvalidCursor));
        }
    }
}
