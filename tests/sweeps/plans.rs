//! Query plan sweep: no statement of the service scans a whole large table.
//!
//! Every compile-time checked statement (`.sqlx`) is planned with unknown parameters (a generic plan, as PostgreSQL
//! uses after several executions), over a database in which every growing table is large. Tables and rows are derived
//! from the catalogue only, so a new table or statement is covered without a change here.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::harness::Harness;

/// Tables that always stay small: staff and engineers write them, not partners and readers.
const SMALL: &[&str] = &[
    "board_topic",
    "category",
    "category_address",
    "collection",
    "collection_address",
    "collection_listing",
    "contract_release",
    "deprecation",
    "feature",
    "job",
    "listing_requirement",
    "network_denial",
    "platform_change",
    "platform_count",
    "public_revision",
    "publication_item",
    "publication_slug",
    "publication_transition",
    "service_setting",
    "signing_key",
    "staff_role",
    "statistic_day",
    "statistic_import",
    "statistic_source",
    "tier",
    "tier_catalogue",
    "tier_feature",
];

/// Maximum characters of a statement: forty lines of 120 characters, indented by four.
const FORTY_LINES: usize = 40 * 116;
/// Rows of a large table. The planner's choices do not change above some thousands.
const MANY: u32 = 10_000;
/// Rows of a small table.
const FEW: u32 = 40;

/// Statements that may scan a whole large table: words that identify the statement, the table, and the reason.
const JUSTIFIED: &[(&str, &str, &str)] = &[
    (
        "from machine_client order by name, client_id",
        "machine_client",
        "an operator lists every program on the command line",
    ),
    (
        "update listing_change as c set place = last.place",
        "listing_change",
        "few wait for their place while a service runs; here it is one in four",
    ),
    ("update event_position as p set place = last.place", "event_position", "the same, for events"),
    (
        "place as materialized (select category_uuid, path from category_place where shown), counted as",
        "listing_category",
        "the storefront's tree counts all listings; it is kept until something is published",
    ),
    (
        "order by t.sort_name collate \"C\", l.app_uuid",
        "listing",
        "from 2,000 listings on, the index in memory chooses the listings of a page by name",
    ),
    ("order by t.sort_name collate \"C\", l.app_uuid", "partner", "the same"),
    ("select count(*) from (select from listing as l", "listing", "nobody asks for this total: facets tell it"),
    ("select count(*) from (select from (with passing as", "listing", "the same"),
    ("select count(*) from (select from (with passing as", "listing_document", "the same"),
    ("with shown as materialized (", "listing", "names to suggest; they are kept until something is published"),
    ("with shown as materialized (", "partner", "the same"),
    ("select exists (select from partner)", "partner", "it ends with the first row"),
    (
        "from picture_on_show as every",
        "listing_media",
        "a replica reads what is on show once, when it begins to listen",
    ),
    ("from picture_on_show as every", "media", "the same"),
    ("from picture_on_show as every", "partner_image", "the same"),
    (
        "coalesce(appeal_text, snapshot ->> 'note'), null, submitted_at from submission",
        "submission",
        "sample data, put in once",
    ),
    ("select board_recount(root_uuid, array_agg(author_uuid)", "feature_request", "the same"),
    ("update feature_request set declined_votes = votes", "feature_request", "the same"),
    ("update person set show_name = true", "person", "the same"),
    ("update feature_comment as c set open_reports = 1", "feature_comment", "the same"),
    ("update feature_comment as c set open_reports = 1", "board_report", "the same"),
    ("insert into statistic_day (day, imported_at, is_sample)", "app", "the same"),
    ("insert into statistic_day (day, imported_at, is_sample)", "listing", "the same"),
    ("select count(*) from (select from submission as s", "submission", "a total, only for staff who ask for it"),
    ("select count(*) from (select from customer_review_moderated", "customer_review", "the same"),
    ("select count(*) from (select from customer_review_moderated", "app", "the same"),
    ("select count(*) from (select from audit_log", "audit_log", "a total, only for staff who ask for it"),
    ("select count(*) from (select from machine_client_shown", "machine_client", "the same"),
    ("select count(*) from (select from machine_client_shown", "partner", "the same"),
    ("select count(*) from (select from mail_message", "mail_message", "the same"),
    ("select count(*) from (select from user_shown", "person", "a total, only for staff who ask for it"),
    ("select count(*) from (select from user_shown", "totp_factor", "the same"),
    (
        "from user_shown where (partner_uuid = any($1))",
        "totp_factor",
        "the people of several partners, only for staff; the planner takes them for many and joins all factors at once",
    ),
    (
        "with monday as (select date_trunc('week', labs_now() at time zone 'UTC') as day)",
        "feature_request",
        "counts for the mail of a week, computed once a week; on Mondays the planner expects many events",
    ),
    ("with monday as (select date_trunc('week', labs_now() at time zone 'UTC') as day)", "feature_comment", "the same"),
    ("with monday as (select date_trunc('week', labs_now() at time zone 'UTC') as day)", "feature_event", "the same"),
    ("'PARTNER_RENAMING' = any($1)", "partner", "few partners have a pending name, and a partial index has them"),
    ("select count(*) from (select from partner_shown", "partner", "the same"),
    ("select count(*) from (select from partner_shown", "subscription", "the same"),
    ("select partner_uuid from partner_shown", "partner", "who is in an export is settled by one statement"),
    ("select partner_uuid from partner_shown", "subscription", "the same"),
    ("select count(*) from (select from partner_activity as a", "partner", "the same"),
    ("select count(*) from (select from partner_activity as a", "subscription", "the same"),
    ("select count(*) from (select from partner_activity as a", "partner_activity", "the same"),
    ("select count(*) from (select from security_event", "security_event", "the same"),
    ("select count(*) from (select from rate_limit_refusal", "rate_limit_refusal", "the same"),
    ("select count(*) from (select from support_desk_shown", "support_ticket", "the same"),
    ("select count(*) from (select from feature_comment as c", "feature_comment", "the same"),
    ("select count(*) from (select from feature_comment as c", "feature_request", "the same"),
    ("select count(*) from (select from board_report as r", "board_report", "the same"),
    ("select count(*) from (select from board_report as r", "feature_comment", "the same"),
    ("select count(*) from (select from board_report as r", "feature_request", "the same"),
    ("select count(*) from (select from board_report as r", "partner", "the same"),
    ("select count(*) from (select from feature_request as r", "feature_request", "the same"),
    ("select count(*) from (select from app cross join lateral", "app", "the same"),
    ("select count(*) from (select from support_desk_shown", "partner", "the same"),
    ("select count(*) from (select from subscription_shown", "subscription", "the same"),
    ("select count(*) from (select from subscription_shown", "partner", "the same"),
    ("select count(*) from (select from tier_change_request_shown", "tier_change_request", "the same"),
    ("select count(*) from (select from tier_change_request_shown", "partner", "the same"),
    ("select count(*) from (select from statistic_import_run", "statistic_import_run", "the same"),
    (
        "from support_desk_shown where (partner_uuid = any($1))",
        "person",
        "the tickets of several partners, only for staff; the planner takes them for many and joins everybody at once",
    ),
    ("from support_desk_shown where (partner_uuid = any($1))", "machine_client", "the same"),
    ("from support_desk_shown where (partner_uuid = any($1))", "app", "the same"),
];

pub(super) struct Statement {
    query: String,
    parameters: usize,
}

/// A statement in the offline data of the build.
#[derive(Deserialize)]
struct Checked {
    query: String,
    describe: Describe,
}

#[derive(Deserialize)]
struct Describe {
    parameters: BTreeMap<String, Value>,
}

impl From<Checked> for Statement {
    fn from(checked: Checked) -> Self {
        let parameters = checked.describe.parameters.values().filter_map(Value::as_array).map(Vec::len).sum();
        Self { query: checked.query, parameters }
    }
}

impl Statement {
    /// Creates a statement that the compiler has not checked.
    pub(super) fn of_a_list(query: String) -> Self {
        let parameters = (1..).take_while(|number| query.contains(&format!("${number}"))).count();
        Self { query, parameters }
    }

    /// Returns its first words on one line.
    pub(super) fn words(&self) -> String {
        self.query.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn statements() -> Vec<Statement> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".sqlx");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path| serde_json::from_str::<Checked>(&std::fs::read_to_string(path).unwrap()).unwrap().into();
    let checked = files.filter(|path| path.extension().is_some_and(|end| end == "json")).map(read);
    let of_lists = labs_schema::statements().into_iter().flat_map(|list| list.statements());
    checked.chain(of_lists.map(Statement::of_a_list)).collect()
}

#[test]
fn list_statements_have_at_most_forty_lines() {
    let lists = labs_schema::statements().into_iter().flat_map(|list| list.statements());
    let long =
        lists.map(Statement::of_a_list).map(|statement| statement.words()).filter(|words| words.len() > FORTY_LINES);
    let long: Vec<String> = long.map(|words| format!("{}: {words}", words.len())).collect();
    assert!(long.is_empty(), "say these with less, or make views of parts of them:\n\n{}", long.join("\n\n"));
}

#[tokio::test]
async fn no_statement_scans_a_large_table() {
    let harness = Harness::new().await;
    let mut owner = prepare(&harness, "plans").await;
    let (statements, mut found, mut planned) = (statements(), Vec::new(), 0);
    for statement in &statements {
        let Some(plan) = plan(&mut owner, statement).await else { continue };
        planned += 1;
        let (read, words) = (whole_reads(&plan), statement.words());
        let is_excused = |table: &str| JUSTIFIED.iter().any(|(known, of, _)| words.contains(known) && *of == table);
        let large = read.iter().filter(|table| !SMALL.contains(&table.as_str()) && !is_excused(table));
        found.extend(large.map(|table| format!("{table}: {words}")));
    }
    assert!(planned > 150, "only {planned} statements were planned");
    found.sort();
    assert!(
        found.is_empty(),
        "give these an index or other words, or say in JUSTIFIED why they may read all of a table:\n\n{}",
        found.join("\n\n")
    );
    for (known, ..) in JUSTIFIED {
        assert!(
            statements.iter().any(|statement| statement.words().contains(known)),
            "no statement is `{known}` any more"
        );
    }
}

/// Creates a database with this name in which every growing table is large, for generic plans.
pub(super) async fn prepare(harness: &Harness, name: &str) -> PgConnection {
    // No service runs on this database, because its jobs would delete rows.
    harness.sql(&format!("create database {name} template labs_template")).await;
    let (front, back) = harness.database_url.rsplit_once('/').unwrap();
    let url = format!("{front}/{name}?{}", back.split_once('?').unwrap().1);
    let mut owner = PgConnection::connect(&url).await.unwrap();
    seed(&mut owner).await;
    run(&mut owner, "set plan_cache_mode = force_generic_plan").await;
    owner
}

/// Returns the generic plan of a statement, or `None` if it has no plan, for example a lock.
pub(super) async fn plan(connection: &mut PgConnection, statement: &Statement) -> Option<Value> {
    let is_planned = ["select", "with", "insert", "update", "delete"]
        .iter()
        .any(|verb| statement.words().to_lowercase().starts_with(verb));
    if !is_planned {
        return None;
    }
    run(connection, &format!("prepare statement as {}", statement.query)).await;
    let nulls = vec!["null"; statement.parameters].join(", ");
    let arguments = if nulls.is_empty() { String::new() } else { format!("({nulls})") };
    let explain = format!("explain (format json) execute statement{arguments}");
    let Json(plan): Json<Value> = sqlx::query_scalar(AssertSqlSafe(explain)).fetch_one(&mut *connection).await.unwrap();
    run(connection, "deallocate statement").await;
    Some(plan)
}

/// Returns the tables that a plan scans completely. For a partitioned table, only partitions with rows count; system
/// tables do not count.
fn whole_reads(plan: &Value) -> Vec<String> {
    match plan {
        Value::Array(parts) => parts.iter().flat_map(whole_reads).collect(),
        Value::Object(node) => {
            let own = (node.get("Node Type").and_then(Value::as_str) == Some("Seq Scan"))
                .then(|| node.get("Relation Name").and_then(Value::as_str).unwrap_or_default())
                .filter(|table| !table.ends_with("_others") && !table.starts_with("pg_"))
                .map(|table| table.trim_end_matches("_first").to_owned());
            own.into_iter().chain(node.values().flat_map(whole_reads)).collect()
        }
        _ => Vec::new(),
    }
}

/// Fills every table. Checks, foreign keys and triggers are disabled: the planner only considers the number of rows and
/// the frequency of values.
async fn seed(owner: &mut PgConnection) {
    let tables: Vec<(String, bool)> = sqlx::query_as(
        "select relname::text, exists (
             select from pg_constraint where conrelid = pg_class.oid and contype = 'u' and condeferrable)
         from pg_class
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
             and relname <> '_sqlx_migrations'",
    )
    .fetch_all(&mut *owner)
    .await
    .unwrap();
    let mut inserts = Vec::new();
    for (table, is_deferred) in tables {
        let rows = if SMALL.contains(&table.as_str()) { FEW } else { MANY };
        let columns: Vec<(String, String)> = sqlx::query_as(COLUMNS).bind(&table).fetch_all(&mut *owner).await.unwrap();
        let (names, values): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        // Of several rows that are equal under a partial unique index, the first is enough.
        let rest = if is_deferred { "" } else { "on conflict do nothing" };
        let (names, values) = (names.join(", "), values.join(", "));
        inserts
            .push(format!("insert into {table} ({names}) select {values} from generate_series(1, {rows}) as n {rest}"));
    }
    run(
        owner,
        "do $$
         declare
             of_table record;
         begin
             for of_table in select conrelid::regclass as name, conname from pg_constraint
                 where contype = 'c' and connamespace = 'public'::regnamespace and conrelid <> 0 and coninhcount = 0
             loop
                 execute format('alter table %s drop constraint %I', of_table.name, of_table.conname);
             end loop;
         end $$;
         set session_replication_role = replica",
    )
    .await;
    for insert in inserts {
        run(owner, &insert).await;
    }
    run(owner, "vacuum (analyze)").await;
}

/// The columns of a table and their values in row `n`: one of the words that the column's check allows, mostly the
/// final state; a unique value in the last column of a unique index; otherwise a value that eight rows share. Nullable
/// columns are null in every fourth row. A partitioned table has its rows in the first partition.
const COLUMNS: &str = r#"
with keyed as (
    select a.attnum
    from pg_index as i
    join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = (i.indkey::smallint[])[i.indnkeyatts - 1]
    where i.indrelid = $1::regclass and i.indisunique
), worded as (
    select c.conkey[1] as attnum, array_agg(word[1] order by array_position(array['SENT', 'SUCCEEDED', 'SUPERSEDED',
            'ACCEPTED', 'APPROVED', 'PUBLISHED', 'RELEASED', 'CLOSED', 'LISTED', 'ACTIVE'], word[1]), word[1]) as words
    from pg_constraint as c
    cross join regexp_matches(pg_get_constraintdef(c.oid), '''([^'']*)''::text', 'g') as word
    where c.conrelid = $1::regclass and c.contype = 'c' and cardinality(c.conkey) = 1
        and pg_get_constraintdef(c.oid) like '% = ANY (ARRAY[%'
    group by c.oid, c.conkey
), columns as (
    select a.attname, a.attnotnull, a.atttypid::regtype::text as kind, w.words,
        exists (select from pg_partitioned_table as p where p.partrelid = $1::regclass and a.attnum = any(p.partattrs))
            as is_parted,
        case when exists (select from keyed where keyed.attnum = a.attnum) then 'n' else 'n / 8' end as number
    from pg_attribute as a
    left join worded as w on w.attnum = a.attnum
    where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        and a.attidentity = ''
)
select format('%I', attname),
    format(case when attnotnull then '(%s)::%s' else 'case when n %% 4 > 0 then (%s)::%s end' end, case
    when words is not null then format('(%L::text[])[case when n %% 20 > 0 then 1 else 1 + n / 20 %% %s end]', words, cardinality(words))
    when kind = 'uuid' and is_parted then format('uuid_since(now() - (%s) * interval ''1 minute'')', number)
    when kind = 'uuid' then format('md5((%s)::text)::uuid', number)
    when kind = 'text' then format('''word'' || %s', number)
    when kind = 'timestamp with time zone' then format('now() - (%s) * interval ''1 minute''', number)
    when kind = 'date' then format('current_date - (%s)', number)
    when kind in ('integer', 'bigint', 'smallint') then number
    when kind = 'double precision' then 'random()'
    when kind = 'boolean' then 'n % 2 = 0'
    when kind = 'bytea' then format('sha256((%s)::text::bytea)', number)
    when kind = 'jsonb' then '''{}''::jsonb'
    when kind in ('inet', 'cidr') then '''192.0.2.1'''
    when kind = 'xid8' then 'n::text'
    when kind = 'tsvector' then format('(select to_tsvector(''simple'', string_agg(''word'' || (%s) || ''of'' || part, '' ''))
        from generate_series(1, 40) as part)', number)
    when kind like '%[]' then '''{}'''
    else 'null'
end, kind)
from columns
"#;

async fn run(connection: &mut PgConnection, statements: &str) {
    let done = sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(connection).await;
    done.unwrap_or_else(|error| panic!("{error}\n{statements}"));
}
