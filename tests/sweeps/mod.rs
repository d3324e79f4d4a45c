//! Sweeps: rules that are tested for every operation of the contract. The expectations are derived from the contract
//! only, so a new operation is covered without a change here. Exception: a new path parameter needs a value for the two
//! partners of `foreign.rs`; their sweep reports it.

mod access;
mod agentic;
mod audit;
mod bounded;
mod budgets;
mod confidential;
mod connections;
mod edges;
mod examples;
mod explain;
mod foreign;
mod full_disk;
mod headers;
mod hostile_queries;
mod html;
mod inputs;
mod journal;
mod lists;
mod machines;
#[cfg(target_os = "linux")]
mod memory;
mod names;
mod plans;
mod playground;
mod questions;
mod read_replicas;
mod readiness;
mod requests;
mod reuse;
#[cfg(target_os = "linux")]
mod runtimes;
mod samples;
mod searches;
mod stock;
mod together;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

use clap::Parser as _;
use labs::cli::{Cli, Command};
use labs::wiring::{self, Application};
use labs_rest::contract::{Access, BodyKind, Operation, ParameterIn};
use serde_json::json;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::harness::people::{Person, Program};
use crate::harness::{Answer, Call, Harness, contract};

/// Builds another replica with four connections and this base URL. It does not serve or run jobs until the test starts
/// that.
async fn start_replica(harness: &Harness, base_url: &str, folder: &Path) -> Application {
    let (folder, key) = (folder.to_str().unwrap(), harness.master_key());
    let words = ["labs", "serve", "--base-url", base_url, "--folder", folder, "--database-url", &harness.database_url];
    let words = words.into_iter().chain(["--master-key-file", key.to_str().unwrap(), "--database-connections", "4"]);
    let Command::Serve(serve) = Cli::try_parse_from(words).unwrap().command else { panic!("`serve` is a command") };
    let config = serve.settle().unwrap();
    let name = config.base_url(SocketAddr::from(([127, 0, 0, 1], 0)));
    let (media, database) = (wiring::media(&config).await.unwrap(), config.database.as_ref().unwrap());
    wiring::application(&config, media, database, &name, harness.clock.clone()).await.unwrap()
}

/// All callers of a sweep, in one service.
struct Cast {
    harness: Harness,
    administrator: Person,
    staff: Person,
    storefront: Program,
    release_tool: Program,
}

impl Cast {
    async fn new() -> Self {
        Self::within(Harness::new().await).await
    }

    /// Creates the callers in an existing service.
    async fn within(harness: Harness) -> Self {
        // Sweeps call fast; the budgets have a separate test.
        harness.sql("update tier set burst_per_second = 100000, daily_requests = 100000000").await;
        let administrator = harness.partner("Nordsee Kassen").await;
        let staff = harness.staff("Chief", &["labs.admin:write"]).await;
        let storefront = harness.program("storefront", &["storefront:write"], None).await;
        let release_tool =
            harness.program("release tool", &["publication.changelog:write", "statistics:write"], None).await;
        Self { harness, administrator, staff, storefront, release_tool }
    }

    /// Returns the same callers on another replica.
    async fn twin(&self) -> Self {
        Self {
            harness: self.harness.twin(&[]).await,
            administrator: self.administrator.clone(),
            staff: self.staff.clone(),
            storefront: self.storefront.clone(),
            release_tool: self.release_tool.clone(),
        }
    }

    /// Returns a token with the scope that the operation needs.
    fn token_for(&self, operation: &Operation) -> &str {
        let scope = operation.access.scope().unwrap_or_default();
        let tokens = [
            ("labs.admin", &self.staff.token),
            ("storefront", &self.storefront.token),
            ("publication.changelog", &self.release_tool.token),
            ("statistics", &self.release_tool.token),
        ];
        let found = tokens.iter().find(|(domain, _)| {
            scope == *domain
                || scope.starts_with(&format!("{domain}."))
                || scope == format!("{domain}:write")
                || scope.starts_with(&format!("{domain}:"))
        });
        found.map_or(&self.administrator.token, |(_, token)| token)
    }

    /// A call by an authorized caller, with an empty body of the right kind.
    fn admitted(&self, operation: &'static Operation) -> Call<'_> {
        let call = empty_body(operation, self.addressed(operation));
        match operation.access {
            Access::Any | Access::Scope(_) => call.token(self.token_for(operation)),
            _ => call,
        }
    }

    /// A call with well-formed ids that do not exist, for the administrator's own partner.
    fn addressed(&self, operation: &'static Operation) -> Call<'_> {
        filled_at(&self.harness, operation, self.administrator.partner_uuid)
    }
}

/// Returns every operation. The last one ends the caller's session.
fn operations() -> impl Iterator<Item = &'static Operation> {
    let all = || contract().operations().iter().map(AsRef::as_ref);
    let is_farewell = |operation: &&Operation| operation.id == "auth_sessions_sign_out_everywhere";
    all().filter(move |operation| !is_farewell(operation)).chain(all().filter(is_farewell))
}

/// A call with every path parameter set to a well-formed value that does not exist.
fn filled<'h>(harness: &'h Harness, operation: &'static Operation) -> Call<'h> {
    filled_at(harness, operation, None)
}

/// Like [`filled`], for a given partner if the path names one: a call about another partner would be rejected before
/// all other checks.
fn filled_at<'h>(harness: &'h Harness, operation: &'static Operation, partner: Option<Uuid>) -> Call<'h> {
    let partner = partner.filter(|_| operation.path.starts_with("/v1/partner/"));
    operation.parameters_in(ParameterIn::Path).fold(harness.call(&operation.id), |call, parameter| {
        let value = match (partner, parameter.name.as_str()) {
            (Some(partner), "partner_uuid") => partner.to_string(),
            (_, name) => absent(name),
        };
        call.path(&parameter.name, value)
    })
}

/// Returns a well-formed value of a path parameter that does not exist, except for parameters with a fixed set of
/// values.
fn absent(parameter: &str) -> String {
    match parameter {
        "job_code" => "TIDYING".to_owned(),
        "channel" => "blog".to_owned(),
        "locale" => "xx".to_owned(),
        name if name.ends_with("_uuid") => Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_dead).to_string(),
        name if name.ends_with("_code") => "NO_SUCH_THING".to_owned(),
        _ => "no-such-thing".to_owned(),
    }
}

/// Adds the smallest body of a kind that the operation accepts.
fn empty_body<'h>(operation: &'static Operation, call: Call<'h>) -> Call<'h> {
    let Some(form) = operation.body.as_ref().and_then(|body| body.forms.first()) else { return call };
    match form.kind {
        BodyKind::Json | BodyKind::MergePatch => call.json(&json!({})),
        BodyKind::Form => call.form(&[]),
        BodyKind::Multipart => call.multipart(reqwest::multipart::Form::new().text("note", "")),
        BodyKind::Binary => call.raw(&form.media_type, "-"),
    }
}

/// Whether the response shows that the caller was authorized, regardless of the result.
fn is_admitted(answer: &Answer) -> bool {
    answer.status != 401 && answer.code() != "SCOPE_MISSING"
}

/// Tables that calls write regardless of their result: logs of requests, budgets and runs, counts, and the audit log
/// with its chain, which sweeps fill, break and rename.
const LEDGERS: &[&str] = &[
    "audit_log",
    "audit_lost",
    "audit_seal",
    "client_scope_use",
    "daily_budget",
    "deprecation_use",
    "job",
    "job_run",
    "operation_day",
    "partner_activity",
    "platform_change",
    "platform_count",
    "rate_limit_refusal",
    "request_usage",
];

/// Returns a digest of the rows of each table except these logs, after all mails are sent. Equal digests mean that
/// nothing changed.
async fn contents(harness: &Harness) -> BTreeMap<String, String> {
    harness.until("select count(*) from mail_message where state = 'QUEUED'", 0).await;
    let mut owner = harness.owner().await;
    let tables = "select relname::text from pg_class
                  where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace";
    let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(&mut owner).await.unwrap();
    let mut contents = BTreeMap::new();
    for table in tables.into_iter().filter(|table| !LEDGERS.contains(&table.as_str())) {
        let rows = format!("select string_agg(md5(kept::text), ' ' order by md5(kept::text)) from {table} as kept");
        let rows: Option<String> = sqlx::query_scalar(AssertSqlSafe(rows)).fetch_one(&mut owner).await.unwrap();
        contents.insert(table, rows.unwrap_or_default());
    }
    contents
}
