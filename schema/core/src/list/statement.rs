//! Statement under construction: constant text and placeholders.

use ipnet::IpNet;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::{Encode, Postgres, QueryBuilder, Type};
use uuid::Uuid;

use super::Key;
use crate::time::Time;
use crate::words::Word;

/// Bound value of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum SqlValue {
    /// The condition has no value.
    Nothing,
    /// Boolean.
    Truth(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A text or an enum value.
    Text(String),
    /// Several texts or enum values.
    Texts(Vec<String>),
    /// An id.
    Id(Uuid),
    /// Several ids.
    Ids(Vec<Uuid>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Several networks.
    Networks(Vec<IpNet>),
    /// A moment.
    Moment(Time),
    /// The moment `infinity`, later than all others.
    Never,
}

impl SqlValue {
    /// Creates the value of a condition without a placeholder; `None` if the request does not use the condition.
    pub fn nothing_if(is_requested: bool) -> Option<Self> {
        is_requested.then_some(Self::Nothing)
    }

    /// Creates a value from enum values; `None` if the list is empty.
    pub fn words<W: Word>(values: Option<&Vec<W>>) -> Option<Self> {
        let values = values.filter(|values| !values.is_empty())?;
        Some(Self::Texts(values.iter().map(|value| value.word().to_owned()).collect()))
    }

    /// Creates a value from texts; `None` if the list is empty.
    pub fn texts(values: Option<&Vec<String>>) -> Option<Self> {
        values.filter(|values| !values.is_empty()).cloned().map(Self::Texts)
    }

    /// Creates a value from ids; `None` if the list is empty.
    pub fn ids(values: Option<&Vec<Uuid>>) -> Option<Self> {
        values.filter(|values| !values.is_empty()).cloned().map(Self::Ids)
    }

    fn push(self, builder: &mut QueryBuilder<Postgres>) {
        match self {
            Self::Nothing => builder,
            Self::Truth(value) => builder.push_bind(value),
            Self::Whole(value) => builder.push_bind(value),
            Self::Number(value) => builder.push_bind(value),
            Self::Text(value) => builder.push_bind(value),
            Self::Texts(value) => builder.push_bind(value),
            Self::Id(value) => builder.push_bind(value),
            Self::Ids(value) => builder.push_bind(value),
            Self::Bytes(value) => builder.push_bind(value),
            Self::Networks(value) => builder.push_bind(value),
            Self::Moment(value) => builder.push_bind(value),
            Self::Never => builder.push_bind(Never),
        };
    }
}

impl From<bool> for SqlValue {
    fn from(value: bool) -> Self {
        Self::Truth(value)
    }
}

impl From<Uuid> for SqlValue {
    fn from(value: Uuid) -> Self {
        Self::Id(value)
    }
}

impl From<Time> for SqlValue {
    fn from(value: Time) -> Self {
        Self::Moment(value)
    }
}

impl From<&str> for SqlValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

/// The moment `infinity`, which no [`Time`] represents.
struct Never;

impl Type<Postgres> for Never {
    fn type_info() -> PgTypeInfo {
        <Time as Type<Postgres>>::type_info()
    }
}

impl Encode<'_, Postgres> for Never {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <i64 as Encode<Postgres>>::encode_by_ref(&i64::MAX, buffer)
    }
}

/// SQL statement. Its methods accept only constant text, so no external input can become part of it.
pub(super) struct Statement {
    pub(super) builder: QueryBuilder<Postgres>,
    values: usize,
    is_narrowed: bool,
    param: SelectParam,
}

/// State of the given value that the select uses.
enum SelectParam {
    Nothing,
    Value(Option<SqlValue>),
    Placeholder(usize),
}

impl Statement {
    /// Starts a statement with this text.
    pub(super) fn new(beginning: &'static str) -> Self {
        Self { builder: QueryBuilder::new(beginning), values: 0, is_narrowed: false, param: SelectParam::Nothing }
    }

    /// Replaces `{}` with this value in every following text except conditions, which have their own values. Without a
    /// value the placeholder is left unbound.
    pub(super) fn set_param(&mut self, value: Option<SqlValue>) {
        self.param = SelectParam::Value(value);
    }

    /// Returns the text of a statement that is only prepared.
    pub(super) fn into_text(self) -> String {
        self.builder.sql().as_str().to_owned()
    }

    /// Appends constant text.
    pub(super) fn text(&mut self, text: &'static str) -> &mut Self {
        if matches!(self.param, SelectParam::Nothing) {
            self.builder.push(text);
            return self;
        }
        for (number, piece) in text.split("{}").enumerate() {
            if number > 0 {
                self.given_value();
            }
            self.builder.push(piece);
        }
        self
    }

    /// Appends the placeholder of the given value, which is bound on first use.
    fn given_value(&mut self) {
        match &mut self.param {
            SelectParam::Nothing => {}
            SelectParam::Value(value) => {
                let value = value.take();
                self.param = SelectParam::Placeholder(self.place(value));
            }
            SelectParam::Placeholder(place) => {
                self.builder.push(format_args!("${place}"));
            }
        }
    }

    /// Appends text after the conditions; conditions after this text start a new `where`.
    pub(super) fn behind_conditions(&mut self, text: &'static str) {
        if !text.is_empty() {
            self.text(text);
            self.is_narrowed = false;
        }
    }

    /// Adds a condition in which `{}` is the placeholder of the value and may occur several times. Without a value the
    /// placeholder is left unbound, for statements that are only prepared.
    pub(super) fn narrow(&mut self, condition: &'static str, value: Option<SqlValue>) {
        self.join();
        self.condition(condition, value);
    }

    /// Appends the conjunction of these conditions; `true` if the list is empty.
    pub(super) fn all_of(&mut self, conditions: Vec<(&'static str, Option<SqlValue>)>) {
        if conditions.is_empty() {
            self.text("true");
        }
        for (number, (condition, value)) in conditions.into_iter().enumerate() {
            self.text(if number == 0 { "" } else { " and " });
            self.condition(condition, value);
        }
    }

    fn condition(&mut self, condition: &'static str, value: Option<SqlValue>) {
        self.text("(");
        let (mut pieces, mut value, mut place) = (condition.split("{}"), value, None);
        self.builder.push(pieces.next().unwrap_or_default());
        for piece in pieces {
            match place {
                None => place = Some(self.place(value.take())),
                Some(place) => {
                    self.builder.push(format_args!("${place}"));
                }
            }
            self.builder.push(piece);
        }
        self.text(")");
    }

    /// Restricts the rows to those after a row with these keys, one for each key of the order. Without values the
    /// placeholders are left unbound.
    pub(super) fn begin_after<R>(&mut self, order: &[Key<R>], values: Option<Vec<SqlValue>>) {
        self.join();
        let values = values
            .map_or_else(|| order.iter().map(|_| None).collect(), |values| values.into_iter().map(Some).collect());
        self.compare(order, values);
    }

    /// Appends the condition that a row is after one with these keys.
    pub(super) fn compare<R>(&mut self, order: &[Key<R>], values: Vec<Option<SqlValue>>) {
        let mut keys = Keys { values, places: vec![None; order.len()] };
        if order.windows(2).all(|pair| matches!(pair, [one, next] if one.descending == next.descending)) {
            self.compare_rows(order, &mut keys);
        } else {
            self.compare_key_by_key(order, &mut keys);
        }
    }

    /// Appends `where` or `and`; the caller writes the condition.
    pub(super) fn join(&mut self) -> &mut Self {
        let is_narrowed = std::mem::replace(&mut self.is_narrowed, true);
        self.text(if is_narrowed { " and " } else { " where " })
    }

    /// All keys have the same direction: an index with them in this order finds the start.
    fn compare_rows<R>(&mut self, order: &[Key<R>], keys: &mut Keys) {
        for (number, key) in order.iter().enumerate() {
            self.text(if number == 0 { "(" } else { ", " }).text(key.column);
        }
        self.text(if order.iter().all(|key| key.descending) { ") < " } else { ") > " });
        for number in 0..order.len() {
            self.text(if number == 0 { "(" } else { ", " });
            self.key(keys, number);
        }
        self.text(")");
    }

    /// The keys have different directions: a row is after another if it is after it in the first key that differs. The
    /// first key is also compared alone, because an index finds the start with it.
    fn compare_key_by_key<R>(&mut self, order: &[Key<R>], keys: &mut Keys) {
        if let Some(first) = order.first() {
            self.text(first.column).text(if first.descending { " <= " } else { " >= " });
            self.key(keys, 0);
            self.text(" and ");
        }
        for (number, key) in order.iter().enumerate() {
            self.text(if number == 0 { "((" } else { " or (" });
            for (before, same) in order.iter().enumerate().take(number) {
                self.text(same.column).text(" = ");
                self.key(keys, before);
                self.text(" and ");
            }
            self.text(key.column).text(if key.descending { " < " } else { " > " });
            self.key(keys, number);
            self.text(")");
        }
        self.text(")");
    }

    /// Appends the order.
    pub(super) fn order<R>(&mut self, order: &[Key<R>]) {
        for (number, key) in order.iter().enumerate() {
            self.text(if number == 0 { " order by " } else { ", " }).text(key.column);
            self.text(if key.descending { " desc" } else { "" });
        }
    }

    /// Appends the placeholder of a key's value, which is bound on first use.
    fn key(&mut self, keys: &mut Keys, number: usize) {
        let Some(known) = keys.places.get_mut(number) else { return };
        match *known {
            Some(place) => {
                self.builder.push(format_args!("${place}"));
            }
            None => {
                let value = keys.values.get_mut(number).and_then(Option::take);
                *known = Some(self.place(value));
            }
        }
    }

    /// Appends an existing placeholder again.
    pub(super) fn repeat(&mut self, place: usize) {
        self.builder.push(format_args!("${place}"));
    }

    /// Appends a new placeholder, numbered from 1. Without a value it is left unbound.
    pub(super) fn place(&mut self, value: Option<SqlValue>) -> usize {
        self.values += 1;
        match value {
            Some(value) => value.push(&mut self.builder),
            None => {
                self.builder.push(format_args!("${}", self.values));
            }
        }
        self.values
    }
}

/// Values of an order's keys, and their placeholders.
struct Keys {
    values: Vec<Option<SqlValue>>,
    places: Vec<Option<usize>>,
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::KeyKind;
    use super::*;

    const fn key(column: &'static str, descending: bool) -> Key<()> {
        Key { column, descending, kind: KeyKind::Text, of: |()| Value::Null }
    }

    #[test]
    fn conditions_are_joined_and_values_bound_once() {
        let mut statement = Statement::new("select a from b");
        statement.narrow("a is not null", Some(SqlValue::Nothing));
        statement.narrow("strpos(a, {}) > 0 or strpos(c, {}) > 0", Some("x".into()));
        statement.narrow("d = {}", None);
        assert_eq!(
            statement.builder.sql().as_str(),
            "select a from b where (a is not null) and (strpos(a, $1) > 0 or strpos(c, $1) > 0) and (d = $2)"
        );
    }

    #[test]
    fn named_value_is_bound_once() {
        let mut statement = Statement::new("select ");
        statement.set_param(Some("en".into()));
        statement.text("names ->> {} from (select * from a");
        statement.narrow("b = {}", Some(true.into()));
        statement.behind_conditions(") as a cross join words({})");
        statement.narrow("c", Some(SqlValue::Nothing));
        assert_eq!(
            statement.builder.sql().as_str(),
            "select names ->> $1 from (select * from a where (b = $2)) as a cross join words($1) where (c)"
        );
    }

    #[test]
    fn page_starts_after_row_in_any_key_direction() {
        let text = |order: &[Key<()>]| {
            let mut statement = Statement::new("");
            statement.begin_after(order, None);
            statement.order(order);
            statement.builder.sql().as_str().to_owned()
        };
        assert_eq!(text(&[key("a", true), key("b", true)]), " where (a, b) < ($1, $2) order by a desc, b desc");
        assert_eq!(text(&[key("a", false)]), " where (a) > ($1) order by a");
        assert_eq!(
            text(&[key("a", true), key("b", false)]),
            " where a <= $1 and ((a < $1) or (a = $1 and b > $2)) order by a desc, b"
        );
    }
}
