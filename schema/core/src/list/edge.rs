//! Statements of edges: the first rows of a list for each of several objects, in one statement.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ::dataloader::BatchFn;
use ::dataloader::cached::Loader;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};
use uuid::Uuid;

use super::reading::{MOST, USUAL};
use super::statement::Statement;
use super::{Key, Select, SqlValue, Statements};
use crate::context::RequestContext;
use crate::db::Db;
use crate::fault::Fault;

/// Query of an edge. `R` is a row.
///
/// A caller who follows the edge needs the scope of a root field that reads the same, and leaves the audit record of
/// that root field (docs/decisions/engine.md#edges).
pub struct EdgeQuery<R: 'static> {
    /// Root field that reads the same.
    pub operation: &'static str,
    /// Argument of that root field for the audit record: the object that was read, or the object that it belongs to.
    pub argument: &'static str,
    /// Columns and relations of a row.
    pub select: &'static Select<R>,
    /// Condition that selects the rows by `above.uuid`, the id of the object with the edge.
    pub condition: &'static str,
    /// Keys of the order. The last key is unique. Without keys, the query returns at most one row.
    pub order: &'static [Key<R>],
}

impl<R: 'static> EdgeQuery<R> {
    /// Returns the directive value of an edge with this query.
    pub fn reads(&self) -> Vec<String> {
        vec![self.operation.to_owned()]
    }

    /// Returns the directive value for this type of a union.
    pub fn reads_as(&self, of: &str) -> String {
        format!("{of}: {}", self.operation)
    }

    /// Assembles the statement for the rows of several objects, up to this many for each.
    fn statement(&self, above: Option<SqlValue>, size: Size) -> Statement {
        let mut statement = Statement::new("select above.uuid as above_uuid, found.* from unnest(");
        statement.place(above);
        statement.text("::uuid[]) as above (uuid) cross join lateral (select ");
        statement.text(self.select.columns);
        if !self.order.is_empty() {
            statement.text(", row_number() over (").order(self.order);
            statement.text(") as place");
        }
        statement.text(" from ").text(self.select.relations);
        statement.narrow(self.condition, None);
        if !self.order.is_empty() {
            statement.order(self.order);
        }
        statement.text(size.limit()).text(") as found");
        if !self.order.is_empty() {
            statement.text(" order by above.uuid, found.place");
        }
        statement
    }
}

impl<R> EdgeQuery<R>
where
    R: for<'r> FromRow<'r, PgRow> + Clone + Send + Sync + Unpin + 'static,
{
    /// Loads the row of the edge; `None` if the request may not follow it or there are no rows.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn fetch_one(&'static self, cx: &RequestContext, uuid: Uuid) -> Result<Option<R>, Fault> {
        Ok(self.load(cx, uuid, uuid, Size::One).await?.first().cloned())
    }

    /// Loads the first rows of the edge: 20 by default, at most 100.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn fetch_first(
        &'static self,
        cx: &RequestContext,
        uuid: Uuid,
        limit: Option<i32>,
    ) -> Result<Vec<R>, Fault> {
        self.fetch_first_of(cx, uuid, uuid, limit).await
    }

    /// Loads the first rows of the edge, if the audit record has to name another object than the one with the edge.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn fetch_first_of(
        &'static self,
        cx: &RequestContext,
        recorded: Uuid,
        uuid: Uuid,
        limit: Option<i32>,
    ) -> Result<Vec<R>, Fault> {
        let limit = usize::try_from(limit.unwrap_or(USUAL).clamp(1, MOST)).unwrap_or(1);
        let size = if limit <= 20 { Size::Usual } else { Size::Most };
        let rows = self.load(cx, recorded, uuid, size).await?;
        Ok(rows.iter().take(limit).cloned().collect())
    }

    async fn load(
        &'static self,
        cx: &RequestContext,
        recorded: Uuid,
        uuid: Uuid,
        size: Size,
    ) -> Result<Arc<[R]>, Fault> {
        if !cx.follow(self.operation, self.argument, recorded) {
            return Ok(Arc::default());
        }
        cx.loader(|db| Loader::new(EdgeBatch(db))).load(EdgeKey { query: self, uuid, size }).await
    }
}

impl<R: 'static> Statements for EdgeQuery<R> {
    fn operation(&self) -> Option<&'static str> {
        None
    }

    fn statements(&self) -> Vec<String> {
        let sizes: &[Size] = if self.order.is_empty() { &[Size::One] } else { &[Size::Usual, Size::Most] };
        sizes.iter().map(|size| self.statement(None, *size).into_text()).collect()
    }
}

/// Number of rows per object. `LIMIT` takes no parameter; see [`super::reading::limit_of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Size {
    One,
    Usual,
    Most,
}

impl Size {
    const fn limit(self) -> &'static str {
        match self {
            Self::One => " limit 1",
            Self::Usual => " limit 20",
            Self::Most => " limit 100",
        }
    }
}

/// Key of the loader: the rows of one object by one query.
struct EdgeKey<R: 'static> {
    query: &'static EdgeQuery<R>,
    uuid: Uuid,
    size: Size,
}

impl<R> EdgeKey<R> {
    /// Identifies the statement: each query has a different address.
    fn statement(&self) -> (usize, Size) {
        (std::ptr::from_ref(self.query).addr(), self.size)
    }
}

impl<R> Clone for EdgeKey<R> {
    fn clone(&self) -> Self {
        Self { query: self.query, uuid: self.uuid, size: self.size }
    }
}

impl<R> PartialEq for EdgeKey<R> {
    fn eq(&self, other: &Self) -> bool {
        self.statement() == other.statement() && self.uuid == other.uuid
    }
}

impl<R> Eq for EdgeKey<R> {}

impl<R> Hash for EdgeKey<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.statement(), self.uuid).hash(state);
    }
}

impl<R> fmt::Debug for EdgeKey<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {}", self.query.operation, self.uuid)
    }
}

/// Loads the rows of a batch with one statement per query.
struct EdgeBatch(Db);

impl<R> BatchFn<EdgeKey<R>, Result<Arc<[R]>, Fault>> for EdgeBatch
where
    R: for<'r> FromRow<'r, PgRow> + Clone + Send + Sync + Unpin + 'static,
{
    async fn load(&mut self, keys: &[EdgeKey<R>]) -> HashMap<EdgeKey<R>, Result<Arc<[R]>, Fault>> {
        let mut batches: HashMap<(usize, Size), Vec<&EdgeKey<R>>> = HashMap::new();
        for key in keys {
            batches.entry(key.statement()).or_default().push(key);
        }
        let mut loaded = HashMap::new();
        for batch in batches.into_values() {
            let found = fetch(&self.0, &batch).await;
            loaded.extend(batch.into_iter().map(|key| {
                let rows = found.as_ref().map_err(Clone::clone);
                (key.clone(), rows.map(|rows| rows.get(&key.uuid).cloned().unwrap_or_default().into()))
            }));
        }
        loaded
    }
}

/// Loads the rows of each object, for keys of one query and one size.
async fn fetch<R>(db: &Db, keys: &[&EdgeKey<R>]) -> Result<HashMap<Uuid, Vec<R>>, Fault>
where
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    let mut found: HashMap<Uuid, Vec<R>> = HashMap::new();
    let Some(first) = keys.first() else { return Ok(found) };
    let above = SqlValue::Ids(keys.iter().map(|key| key.uuid).collect());
    let mut statement = first.query.statement(Some(above), first.size);
    let rows: Vec<ChildRow<R>> = statement.builder.build_query_as().fetch_all(&mut *db.conn().await?).await?;
    for ChildRow { above_uuid, row } in rows {
        found.entry(above_uuid).or_default().push(row);
    }
    Ok(found)
}

/// Row with the id of the object that has the edge.
struct ChildRow<R> {
    above_uuid: Uuid,
    row: R,
}

impl<'r, R: FromRow<'r, PgRow>> FromRow<'r, PgRow> for ChildRow<R> {
    fn from_row(row: &'r PgRow) -> sqlx::Result<Self> {
        Ok(Self { above_uuid: row.try_get("above_uuid")?, row: R::from_row(row)? })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::KeyKind;
    use super::*;

    static SELECT: Select<()> = Select::new("a, b", "t");
    static ORDER: [Key<()>; 1] = [Key { column: "a", descending: true, kind: KeyKind::Text, of: |()| Value::Null }];

    const fn query(order: &'static [Key<()>]) -> EdgeQuery<()> {
        EdgeQuery { operation: "x", argument: "y", select: &SELECT, condition: "t.c = above.uuid", order }
    }

    #[test]
    fn one_statement_reads_first_rows_of_each_parent() {
        assert_eq!(
            query(&ORDER).statement(None, Size::Usual).into_text(),
            "select above.uuid as above_uuid, found.* from unnest($1::uuid[]) as above (uuid) cross join lateral (\
             select a, b, row_number() over ( order by a desc) as place from t where (t.c = above.uuid) \
             order by a desc limit 20) as found order by above.uuid, found.place"
        );
    }

    #[test]
    fn single_edge_has_no_order() {
        assert_eq!(
            query(&[]).statement(None, Size::One).into_text(),
            "select above.uuid as above_uuid, found.* from unnest($1::uuid[]) as above (uuid) cross join lateral (\
             select a, b from t where (t.c = above.uuid) limit 1) as found"
        );
    }
}
