//! Lists with handwritten statements, because their filters are inside the statement: in an aggregate, or in the
//! arguments of a function.

use std::collections::BTreeSet;

use serde::Serialize;
use sqlx::FromRow;
use sqlx::postgres::PgRow;

use super::reading::{PageReading, limit_of};
use super::statement::Statement;
use super::{Condition, Key, PageRequest, Rows, SqlValue, Statements};
use crate::context::RequestContext;
use crate::db::Db;
use crate::fault::Fault;
use crate::words::Word;

/// List whose statements are texts with placeholders in braces:
///
/// - `{narrowed}`: the active conditions;
/// - `{behind}`: the condition that a row is after the last row of the previous page;
/// - `{key 1: 'infinity'}`: a key of that row, or the text after the colon on the first page;
/// - any other placeholder is a value: `{kind: null}` has a default after the colon, used if the request does not set
///   the value; without a colon the value is always set.
pub struct WrittenQuery<F: 'static, R: 'static, S: 'static> {
    /// Operation of the list. Its cursors are valid only for this operation.
    pub operation: &'static str,
    /// Statement of a page, up to its order.
    pub rows: &'static str,
    /// Statement that counts all rows.
    pub count: &'static str,
    /// Values with placeholders.
    pub values: &'static [PlacedValue<F>],
    /// Conditions at `{narrowed}`.
    pub conditions: &'static [Condition<F>],
    /// Keys of each order. The last key is unique.
    pub order: fn(S) -> &'static [Key<R>],
}

/// Value with a placeholder in a text.
pub struct PlacedValue<F> {
    /// Name of the placeholder.
    pub name: &'static str,
    /// Returns the value; `None` if the request does not set it.
    pub value: fn(&F) -> Option<SqlValue>,
}

/// Values for the placeholders of a text. A value without a [`SqlValue`] leaves its placeholder unbound, for statements
/// that are only prepared.
struct ValueSource<R: 'static> {
    conditions: Vec<(&'static str, Option<SqlValue>)>,
    values: Vec<(&'static str, Option<SqlValue>)>,
    order: &'static [Key<R>],
    keys: Option<Vec<Option<SqlValue>>>,
}

impl<F, R, S> WrittenQuery<F, R, S>
where
    F: Serialize + Sync,
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    S: Word + Serialize + Sync,
{
    /// Loads a page of the filtered list.
    ///
    /// # Errors
    /// [`crate::fault::Code::InvalidCursor`] if the cursor belongs to another list, filter or order.
    pub async fn page(&self, cx: &RequestContext, narrowed: &F, request: &PageRequest<S>) -> Result<Rows<R>, Fault> {
        let (order, reading) = ((self.order)(request.sort), PageReading::new(cx, self.operation, narrowed, request)?);
        let keys = reading.start_after(order)?;
        let mut statement = fill(self.rows, self.value_source(narrowed, order, keys));
        statement.order(order);
        reading.rows(statement, order).await
    }

    /// Counts all rows of the filtered list, if the caller wants the total.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn total(&self, db: &Db, narrowed: &F, wanted: Option<bool>) -> Result<Option<i64>, Fault> {
        if wanted != Some(true) {
            return Ok(None);
        }
        let mut statement = fill(self.count, self.value_source(narrowed, &[], None));
        Ok(Some(statement.builder.build_query_scalar().fetch_one(&mut *db.conn().await?).await?))
    }

    fn value_source(&self, narrowed: &F, order: &'static [Key<R>], keys: Option<Vec<SqlValue>>) -> ValueSource<R> {
        let conditions = self.conditions.iter().filter_map(|of| Some((of.sql, Some((of.value)(narrowed)?))));
        let values = self.values.iter().filter_map(|of| Some((of.name, Some((of.value)(narrowed)?))));
        let keys = keys.map(|keys| keys.into_iter().map(Some).collect());
        ValueSource { conditions: conditions.collect(), values: values.collect(), order, keys }
    }
}

/// Assembles the statement of a text.
fn fill<R>(text: &'static str, mut filling: ValueSource<R>) -> Statement {
    let (first, rest) = text.split_once('{').unwrap_or((text, ""));
    let mut statement = Statement::new(first);
    let mut known: Vec<(&'static str, usize)> = Vec::new();
    for piece in rest.split('{').filter(|piece| !piece.is_empty()) {
        let (place, text) = piece.split_once('}').unwrap_or((piece, ""));
        let (name, otherwise) = place.split_once(": ").unwrap_or((place, "null"));
        match (name, filling.keys.as_mut()) {
            ("narrowed", _) => statement.all_of(std::mem::take(&mut filling.conditions)),
            ("behind", Some(keys)) => statement.compare(filling.order, std::mem::take(keys)),
            ("behind", None) => {
                statement.text("true");
            }
            _ => match (known.iter().find(|(of, _)| *of == name), filling.take(name)) {
                (Some((_, number)), _) => statement.repeat(*number),
                (None, Some(value)) => known.push((name, statement.place(value))),
                (None, None) => {
                    statement.text(otherwise);
                }
            },
        }
        statement.text(text);
    }
    statement
}

impl<R> ValueSource<R> {
    /// Returns the value of a placeholder; `None` if the request does not set it.
    fn take(&mut self, name: &str) -> Option<Option<SqlValue>> {
        if let Some(number) = name.strip_prefix("key ") {
            let number = number.parse::<usize>().ok()?.checked_sub(1)?;
            return self.keys.as_mut()?.get_mut(number).map(Option::take);
        }
        self.values.iter_mut().find(|(of, _)| *of == name).map(|(_, value)| value.take())
    }
}

impl<F, R, S: Word> Statements for WrittenQuery<F, R, S> {
    fn operation(&self) -> Option<&'static str> {
        Some(self.operation)
    }

    fn statements(&self) -> Vec<String> {
        let mut texts = BTreeSet::new();
        for (conditions, values) in self.choices(self.count) {
            let filling = ValueSource::<R> { conditions, values, order: &[], keys: None };
            texts.insert(fill(self.count, filling).builder.sql().as_str().to_owned());
        }
        for order in S::ALL.iter().map(|sort| (self.order)(*sort)) {
            for (is_within, limit) in [(false, 1), (false, 100), (true, 1), (true, 100)] {
                for (conditions, values) in self.choices(self.rows) {
                    let keys = is_within.then(|| order.iter().map(|_| None).collect());
                    let mut statement = fill(self.rows, ValueSource { conditions, values, order, keys });
                    statement.order(order);
                    statement.text(limit_of(limit));
                    texts.insert(statement.builder.sql().as_str().to_owned());
                }
            }
        }
        texts.into_iter().collect()
    }
}

/// Active conditions and values, without the compared values.
type Choice = (Vec<(&'static str, Option<SqlValue>)>, Vec<(&'static str, Option<SqlValue>)>);

impl<F, R, S> WrittenQuery<F, R, S> {
    /// Lists combinations of the conditions and values in a text: none, each one alone, and all.
    fn choices(&self, text: &'static str) -> Vec<Choice> {
        let places = text.split('{').skip(1).filter_map(|piece| piece.split_once('}')).map(|(place, _)| place);
        let named = |name: &str| self.values.iter().map(|of| of.name).find(|of| *of == name);
        let optional: Vec<_> = places.clone().filter_map(|place| named(place.split_once(": ")?.0)).collect();
        let fixed: Vec<_> = places.filter_map(named).collect();
        let conditions: Vec<_> = self.conditions.iter().map(|of| of.sql).collect();
        let open = |names: &[&'static str]| names.iter().map(|name| (*name, None)).collect::<Vec<_>>();
        let with = |values: &[&'static str]| open(&[values, &fixed].concat());
        let mut choices = vec![(Vec::new(), with(&[])), (open(&conditions), with(&optional))];
        choices.extend(conditions.iter().map(|condition| (open(&[*condition]), with(&[]))));
        choices.extend(optional.iter().map(|name| (Vec::new(), with(&[*name]))));
        choices
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::KeyKind;
    use super::*;

    static ORDER: [Key<()>; 2] = [
        Key { column: "a", descending: true, kind: KeyKind::Moment, of: |()| Value::Null },
        Key { column: "b", descending: true, kind: KeyKind::Id, of: |()| Value::Null },
    ];

    fn text(text: &'static str, values: &[&'static str], is_within: bool) -> String {
        let open = |texts: &[&'static str]| texts.iter().map(|text| (*text, None)).collect();
        let keys = is_within.then(|| vec![None, None]);
        let conditions = open(if is_within { &["c = {} or d = {}", "e"] } else { &[] });
        let filling = ValueSource { conditions, values: open(values), order: &ORDER, keys };
        fill(text, filling).builder.sql().as_str().to_owned()
    }

    #[test]
    fn list_conditions_are_inserted_at_their_placeholder() {
        let counted =
            "select a, b from (select a, b from t where x = {x} and {narrowed} group by 1, 2) as n where {behind}";
        assert_eq!(
            text(counted, &["x"], true),
            "select a, b from (select a, b from t where x = $1 and (c = $2 or d = $2) and (e) group by 1, 2) as n \
             where (a, b) < ($3, $4)"
        );
        assert!(text(counted, &["x"], false).ends_with("where x = $1 and true group by 1, 2) as n where true"));
    }

    #[test]
    fn absent_value_uses_default_after_colon() {
        let called = "select from f({x: null}, {y: '-infinity'::timestamptz}, {key 1: 'infinity'}, {x: null})";
        assert_eq!(text(called, &[], false), "select from f(null, '-infinity'::timestamptz, 'infinity', null)");
        assert_eq!(text(called, &["x", "y"], true), "select from f($1, $2, $3, $1)");
    }
}
