//! The public changelog.

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use labs_schema::Engine;
use labs_schema::time::Time;
use serde::Serialize;
use sqlx::FromRow;
use uuid::Uuid;

use super::{List, Page, Refusal};
use crate::cases::{Caller, Case};
use crate::load;
use crate::statements::Statement;

/// The first page of the changelog, which needs no token.
pub(crate) static CASE: Case = Case {
    name: "publication_public_changelog_list",
    bar: 0.9,
    caller: Caller::Nobody,
    route: "/v1/publication/public/changelog",
    handler: || get(list),
    request: |_, _| load::get("/v1/publication/public/changelog", None),
    varying: &[],
};

static ENTRIES: Statement =
    Statement::with(&["from publication_item as i where (i.kind = 'CHANGELOG_ENTRY' and i.state = 'RELEASED') \
     order by i.released_at desc, i.item_uuid desc limit 21"]);
/// Statements of this file.
#[cfg(test)]
pub(crate) static STATEMENTS: [&Statement; 1] = [&ENTRIES];

async fn list(State(engine): State<Engine>) -> Result<Json<List<Entry>>, Refusal> {
    let mut data: Vec<Entry> = sqlx::query_as(ENTRIES.text()?).fetch_all(engine.pool()).await?;
    let page = Page::cut(&mut data, |entry| format!("{}~{}", entry.released_at, entry.uuid));
    Ok(Json(List { data, page }))
}

#[derive(FromRow, Serialize)]
struct Entry {
    uuid: Uuid,
    slug: String,
    title: String,
    summary: String,
    tags: Vec<String>,
    first_released_at: Time,
    released_at: Time,
    updated_at: Time,
    version: String,
    change: String,
    operations: Vec<String>,
    fields: Vec<String>,
    effective_at: Option<Time>,
    action_required: bool,
    sunset_at: Option<Time>,
}
