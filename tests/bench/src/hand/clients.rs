//! An audited list with its total: machine clients as staff see them.

use std::net::IpAddr;

use axum::Json;
use axum::extract::{Query, State};
use axum::routing::get;
use ipnet::IpNet;
use labs_schema::principal::Principal;
use labs_schema::time::Time;
use labs_schema::{Engine, Scope};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::types::Json as Column;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::{Bearer, Page, Refusal, fresh_uuid};
use crate::cases::{Caller, Case};
use crate::load;
use crate::statements::Statement;

/// The first page of the machine clients whose name contains a text, with the total. Both forms write an audit record.
pub(crate) static CASE: Case = Case {
    name: "admin_machine_clients_list (audited, total)",
    bar: 0.9,
    caller: Caller::Staff,
    route: "/v1/admin/machine-clients",
    handler: || get(list),
    request: |_, at| {
        load::get(&format!("/v1/admin/machine-clients?q=client%20{}&include_total=true", 1 + at.drawn() % 9), None)
    },
    varying: &[],
};

static PAGE: Statement = Statement::with(&[
    "from machine_client_shown where (coalesce(folded(",
    "sought_patterns($1))::text[]), false)) order by created_at desc, client_uuid desc limit 21",
]);
static COUNT: Statement =
    Statement::with(&["select count(*) from (select from machine_client_shown where (coalesce(folded("]);
static RECORD: Statement = Statement::with(&["insert into audit_log", "select * from unnest($1::uuid[]"]);
/// Statements of this file.
#[cfg(test)]
pub(crate) static STATEMENTS: [&Statement; 3] = [&PAGE, &COUNT, &RECORD];

#[derive(Deserialize)]
struct Asked {
    q: String,
    include_total: bool,
}

async fn list(
    State(engine): State<Engine>,
    bearer: Bearer,
    Query(asked): Query<Asked>,
) -> Result<Json<Clients>, Refusal> {
    bearer.require("labs.admin.clients")?;
    let mut transaction = engine.pool().begin().await?;
    let mut rows: Vec<ClientRow> = sqlx::query_as(PAGE.text()?).bind(&asked.q).fetch_all(&mut *transaction).await?;
    let page = Page::cut(&mut rows, |row| format!("{}~{}", row.created_at, row.client_uuid));
    let total = match asked.include_total {
        true => Some(sqlx::query_scalar(COUNT.text()?).bind(&asked.q).fetch_one(&mut *transaction).await?),
        false => None,
    };
    record(&mut transaction, &bearer.0, &asked).await?;
    transaction.commit().await?;
    let page = CountedPage { page, total };
    Ok(Json(Clients { data: rows.into_iter().map(Client::from).collect(), page }))
}

/// Writes the audit record of the list with the service's statement, which takes an array for each column.
async fn record(connection: &mut PgConnection, principal: &Principal, asked: &Asked) -> Result<(), Refusal> {
    let none = [None::<String>];
    let parameters = json!({ "q": asked.q, "sort": "-created_at", "limit": 20, "include_total": asked.include_total });
    sqlx::query(RECORD.text()?)
        .bind([fresh_uuid()].as_slice())
        .bind(["admin_machine_clients_list"].as_slice())
        .bind(["REST"].as_slice())
        .bind(["SUCCEEDED"].as_slice())
        .bind(none.as_slice())
        .bind([principal.kind.name()].as_slice())
        .bind([principal.uuid].as_slice())
        .bind([principal.label.as_str()].as_slice())
        .bind(["labs.admin.clients"].as_slice())
        .bind(none.as_slice())
        .bind([None::<Uuid>].as_slice())
        .bind(none.as_slice())
        .bind([None::<Uuid>].as_slice())
        .bind(none.as_slice())
        .bind([fresh_uuid().to_string()].as_slice())
        .bind([IpNet::from(IpAddr::from([127, 0, 0, 1]))].as_slice())
        .bind([Column(parameters)].as_slice())
        .execute(connection)
        .await?;
    Ok(())
}

#[derive(Serialize)]
struct Clients {
    data: Vec<Client>,
    page: CountedPage,
}

#[derive(Serialize)]
struct CountedPage {
    #[serde(flatten)]
    page: Page,
    total: Option<i64>,
}

#[derive(FromRow)]
struct ClientRow {
    client_uuid: Uuid,
    client_id: String,
    partner_uuid: Option<Uuid>,
    company_name: Option<String>,
    name: String,
    contact_email: Option<String>,
    allowed_scopes: Vec<String>,
    allowed_networks: Vec<String>,
    trusted_identities: Column<serde_json::Value>,
    state: String,
    created_at: Time,
    updated_at: Time,
    last_used_at: Option<Time>,
    secrets: Column<Vec<Secret>>,
    used_scopes: Column<Vec<ScopeUse>>,
}

#[derive(Deserialize, Serialize)]
struct Secret {
    #[serde(rename(deserialize = "secret_uuid"))]
    uuid: Uuid,
    prefix: String,
    created_at: Time,
    expires_at: Option<Time>,
    last_used_at: Option<Time>,
}

#[derive(Deserialize, Serialize)]
struct ScopeUse {
    scope: String,
    last_used_at: Time,
    uses: i64,
}

#[derive(Serialize)]
struct Client {
    uuid: Uuid,
    client_id: String,
    name: String,
    contact_email: Option<String>,
    partner_uuid: Option<Uuid>,
    company_name: Option<String>,
    allowed_scopes: Vec<String>,
    used_scopes: Vec<ScopeUse>,
    unused_scopes: Vec<String>,
    allowed_networks: Vec<String>,
    trusted_identities: serde_json::Value,
    state: String,
    created_at: Time,
    updated_at: Time,
    last_used_at: Option<Time>,
    secrets: Vec<Secret>,
    /// Empty, because no caller of the benchmark may change machine clients.
    allowed_actions: [&'static str; 0],
}

impl From<ClientRow> for Client {
    fn from(row: ClientRow) -> Self {
        let used: Vec<Scope> = row.used_scopes.0.iter().filter_map(|used| Scope::parse(&used.scope)).collect();
        let is_used = |name: &str| Scope::parse(name).is_some_and(|scope| used.iter().any(|used| scope.grants(*used)));
        Self {
            unused_scopes: row.allowed_scopes.iter().filter(|name| !is_used(name)).cloned().collect(),
            uuid: row.client_uuid,
            client_id: row.client_id,
            name: row.name,
            contact_email: row.contact_email,
            partner_uuid: row.partner_uuid,
            company_name: row.company_name,
            allowed_scopes: row.allowed_scopes,
            used_scopes: row.used_scopes.0,
            allowed_networks: row.allowed_networks,
            trusted_identities: row.trusted_identities.0,
            state: row.state,
            created_at: row.created_at,
            updated_at: row.updated_at,
            last_used_at: row.last_used_at,
            secrets: row.secrets.0,
            allowed_actions: [],
        }
    }
}
