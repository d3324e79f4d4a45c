//! JSON bodies, read strictly: UTF-8, no duplicate keys, no U+0000, limited depth and length, and no number that cannot
//! be represented exactly (docs/decisions/edge.md#strict-json). Strings are normalized to NFC.

use std::cell::RefCell;
use std::fmt;

use labs_core::text::normalize;
use labs_core::whole_number::to_exact;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::refusal::ErrorCollector;
use crate::contract::{FieldCode, FieldError, below};

/// Maximum nesting depth of arrays and objects.
const MOST_DEPTH: usize = 32;

/// Maximum number of entries of an array.
const MOST_ENTRIES: usize = 1000;

/// Maximum length of an object key in bytes. Much more than any field name, and short enough to repeat in an error.
const MOST_KEY: usize = 1024;

/// Reads a JSON text. If it cannot be read, the function records the reason and returns none. Explicit nulls are kept.
pub(super) fn read(bytes: &[u8], findings: &mut ErrorCollector) -> Option<Value> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        findings.add_malformed("The body is not valid UTF-8. Encode the JSON as UTF-8.");
        return None;
    };
    let noted = RefCell::new(ReadErrors::default());
    let mut reader = serde_json::Deserializer::from_str(text);
    let seed = Seed { path: &Path::Root, depth: 0, noted: &noted };
    let read = seed.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    let noted = noted.into_inner();
    noted.invalid.into_iter().for_each(|error| findings.invalid(error));
    match (read, noted.malformed) {
        (Ok(value), None) => Some(value),
        (_, Some(error)) => {
            findings.add_malformed_at(error);
            None
        }
        (Err(error), None) => {
            findings.add_malformed(format!("The body is not valid JSON: {error}."));
            None
        }
    }
}

/// Errors that were found while reading.
#[derive(Default)]
struct ReadErrors {
    /// An error that stops reading.
    malformed: Option<FieldError>,
    /// Rule violations; reading continues.
    invalid: Vec<FieldError>,
}

/// Current position of the reader. It is on the stack and costs nothing until an error occurs.
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Entry(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn pointer(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Key(parent, key) => below(&parent.pointer(), key),
            Path::Entry(parent, place) => format!("{}/{place}", parent.pointer()),
        }
    }
}

/// Reads one value at its position.
#[derive(Clone, Copy)]
struct Seed<'a> {
    path: &'a Path<'a>,
    depth: usize,
    noted: &'a RefCell<ReadErrors>,
}

impl Seed<'_> {
    fn invalid(&self, code: FieldCode, message: &str) {
        let mut noted = self.noted.borrow_mut();
        // A body may have a million errors; the position is computed only for the reported ones.
        if noted.invalid.len() < crate::contract::MOST {
            noted.invalid.push(FieldError::pointer(self.path.pointer(), code, message));
        }
    }

    /// Stops reading. The parser's own message is not shown; `add_malformed` reports the error instead.
    fn stop<E: Error>(&self, pointer: String, code: FieldCode, message: &str) -> E {
        self.noted.borrow_mut().malformed = Some(FieldError::pointer(pointer, code, message));
        E::custom(message)
    }

    fn deeper<E: Error>(&self) -> Result<usize, E> {
        if self.depth == MOST_DEPTH {
            let message = "The body is nested too deeply. Use at most 32 levels.";
            return Err(self.stop(self.path.pointer(), FieldCode::Syntax, message));
        }
        Ok(self.depth + 1)
    }

    fn text(&self, text: &str) {
        if text.contains('\0') {
            self.invalid(FieldCode::Character, "The character U+0000 is not allowed. Remove it.");
        }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        if i64::try_from(number).is_err() {
            self.invalid(FieldCode::Range, TOO_LARGE);
        }
        Ok(Value::from(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        if number.fract() != 0.0 {
            return Ok(Value::from(number));
        }
        let whole = to_exact(number);
        if whole.is_none() {
            self.invalid(FieldCode::Range, TOO_LARGE);
        }
        Ok(whole.map_or_else(|| Value::from(number), Value::from))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        self.text(text);
        Ok(Value::String(normalize(text).into_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        self.text(&text);
        Ok(Value::String(normalize(&text).into_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let depth = self.deeper()?;
        let mut values = Vec::new();
        loop {
            let path = Path::Entry(self.path, values.len());
            let seed = Seed { path: &path, depth, noted: self.noted };
            match entries.next_element_seed(seed)? {
                Some(value) => values.push(value),
                None => return Ok(Value::Array(values)),
            }
            if values.len() > MOST_ENTRIES {
                let message = "The array has too many entries. Send at most 1,000.";
                return Err(self.stop(self.path.pointer(), FieldCode::TooMany, message));
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let depth = self.deeper()?;
        let mut values = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            if key.len() > MOST_KEY {
                let message = "A key in this object is too long. Use at most 1,024 bytes.";
                return Err(self.stop(self.path.pointer(), FieldCode::TooLong, message));
            }
            let path = Path::Key(self.path, &key);
            let seed = Seed { path: &path, depth, noted: self.noted };
            seed.text(&key);
            if values.contains_key(&key) {
                let message = "This key occurs twice in one object. Send it once.";
                return Err(self.stop(path.pointer(), FieldCode::Duplicate, message));
            }
            let value = fields.next_value_seed(seed)?;
            values.insert(key, value);
        }
        Ok(Value::Object(values))
    }
}

const TOO_LARGE: &str = "This number is too large to be represented exactly. Send a smaller number.";
