//! Tests of reused answers (`@reusable`): they are sent again without reading the content, and never after it changed.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{Connection as _, Executor as _, PgConnection};

use super::stock::Stock;
use crate::harness::{Answer, Harness};

/// Tables with a counter of this topic, and views of only such tables.
const READABLE: &str = "
    with recursive counted as (
        select tgrelid as relation from pg_trigger
         where tgfoid = 'public_changed'::regproc and tgargs = convert_to('TOPIC', 'UTF8') || '\\000'::bytea
    ), of_view as (
        select distinct r.ev_class as view, d.refobjid as relation
          from pg_rewrite as r
          join pg_depend as d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
           and d.refclassid = 'pg_class'::regclass and d.refobjid <> r.ev_class
    ), below as (
        select view, relation from of_view
        union
        select below.view, of_view.relation from below join of_view on of_view.view = below.relation
    )
    select 'table ' || relation::regclass::text from counted
    union
    select 'table ' || view::regclass::text from below
     group by view
    having bool_and(relation in (select relation from counted) or relation in (select view from of_view))";

/// What a topic may read although no trigger of it counts its changes: the topic (empty: each), the table or function,
/// and the reason.
const EXCUSED: &[(&str, &str, &str)] = &[
    ("", "table public_revision", "the revision itself"),
    ("publication", "table machine_client", "the author of a post is a user; `actor_name` also knows programs"),
    ("storefront", "table listing_change", "it only identifies the state of all listings, as a key of facets"),
    ("storefront", "table submission", "a submission of a published version does not change"),
];

/// Returns the operations with `@reusable`, by topic.
fn reusable(harness: &Harness) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut name = "";
    for line in harness.engine.plan().sdl().lines() {
        let field =
            line.strip_prefix('\t').filter(|field| field.starts_with(|letter: char| letter.is_ascii_lowercase()));
        if let Some(field) = field {
            name = field.split(['(', ':']).next().unwrap();
        }
        if let Some((_, topic)) = line.split_once("@reusable(topic: \"") {
            found.entry(topic.split('"').next().unwrap().to_owned()).or_default().push(name.to_owned());
        }
    }
    found
}

async fn read(stock: &Stock, operation: &str) -> Answer {
    let call = stock.call(operation);
    let call = if operation == "marketplace_listings_suggest" { call.query("q", "till") } else { call };
    call.send().await
}

/// Tables and views of the service, and functions that read with the rights of their owner.
async fn readable(harness: &Harness) -> BTreeSet<String> {
    let query = "select 'table ' || oid::regclass::text from pg_class
                  where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'p')
                 union all
                 select 'function ' || oid::regprocedure::text from pg_proc
                  where pronamespace = 'public'::regnamespace and prosecdef";
    let names: Vec<String> = sqlx::query_scalar(query).fetch_all(&mut harness.owner().await).await.unwrap();
    names.into_iter().collect()
}

/// Gives the service the right to read these, or takes it.
async fn set_readable(harness: &Harness, names: impl IntoIterator<Item = &String>, is_readable: bool) {
    let mut statements = String::new();
    for name in names {
        let right = if name.starts_with("table ") { "select" } else { "execute" };
        statements.push_str(&if is_readable {
            format!("grant {right} on {name} to labs_service;")
        } else {
            format!("revoke {right} on {name} from labs_service, public;")
        });
    }
    harness.sql(&statements).await;
}

/// Returns which of these the operation reads.
async fn reads_of(stock: &Stock, operation: &str, before: &Answer, among: &[String]) -> Vec<String> {
    let harness = &stock.cast.harness;
    set_readable(harness, among, true).await;
    let mut needed = Vec::new();
    for name in among {
        set_readable(harness, [name], false).await;
        // So that no stored answer is sent.
        harness.sql("update public_revision set changes = changes + 1").await;
        if read(stock, operation).await.status != before.status {
            needed.push(name.clone());
        }
        set_readable(harness, [name], true).await;
    }
    set_readable(harness, among, false).await;
    needed
}

#[tokio::test]
async fn reusable_answers_are_read_only_from_counted_tables() {
    let stock = Stock::new().await;
    let harness = &stock.cast.harness;
    let topics = reusable(harness);
    assert_eq!(topics.keys().collect::<Vec<_>>(), ["publication", "storefront", "tiers"]);
    harness.sql("update publication_item set show_author = true where kind = 'BLOG_POST'").await;
    let mut before = BTreeMap::new();
    for operation in topics.values().flatten() {
        before.insert(operation, read(&stock, operation).await);
    }
    let good = before.values().filter(|answer| answer.status == 200).count();
    assert!(good > 18, "only {good} answers are good");
    let (mut wrong, all) = (Vec::new(), readable(harness).await);
    for (topic, operations) in &topics {
        let query = READABLE.replace("TOPIC", topic);
        let counted: Vec<String> =
            sqlx::query_scalar(sqlx::AssertSqlSafe(query)).fetch_all(&mut harness.owner().await).await.unwrap();
        let excused = EXCUSED.iter().filter(|(of, ..)| of == topic || of.is_empty()).map(|(_, name, _)| *name);
        let known: BTreeSet<&str> = counted.iter().map(String::as_str).chain(excused).collect();
        let others: Vec<String> = all.iter().filter(|name| !known.contains(name.as_str())).cloned().collect();
        set_readable(harness, all.difference(&others.iter().cloned().collect()), true).await;
        set_readable(harness, &others, false).await;
        for operation in operations {
            let before = &before[operation];
            // The second request reads the revision and the content, the third one only the revision.
            for _ in 0..2 {
                let answer = read(&stock, operation).await;
                if answer.status != before.status {
                    let reads = reads_of(&stock, operation, before, &others).await;
                    wrong.push(format!("{operation} ({topic}) reads {reads:?}"));
                    break;
                }
                assert!(answer.status != 200 || answer.bytes == before.bytes, "{operation} answers differently");
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "add a trigger `public_changed` for what these read, or an excuse:\n{}",
        wrong.join("\n")
    );
}

#[tokio::test]
async fn answer_is_reused_until_the_content_changes() {
    let stock = Stock::new().await;
    let harness = &stock.cast.harness;
    let (operation, title) = ("publication_public_blog_posts_get", "Second thoughts");
    let first = stock.call(operation).expect(200).await;
    let second = stock.call(operation).expect(200).await;
    harness.sql("revoke select on publication_item from labs_service").await;
    let third = stock.call(operation).expect(200).await;
    assert!(first.bytes == second.bytes && second.bytes == third.bytes);
    for name in ["etag", "content-type", "cache-control"] {
        assert_eq!(third.header(name), first.header(name), "{name}");
    }
    let known = stock.call(operation).header("if-none-match", first.header("etag")).send().await;
    assert_eq!((known.status, known.bytes.len()), (304, 0));
    let other = stock.call(operation).header("if-match", "\"other\"").send().await;
    assert_eq!(other.status, 412);

    harness.sql(&format!("update publication_item set title = '{title}' where kind = 'BLOG_POST'")).await;
    assert_eq!(stock.call(operation).send().await.status, 500, "it reads again");
    harness.sql("grant select on publication_item to labs_service").await;
    let after = stock.call(operation).expect(200).await;
    assert!(after.text().contains(title), "{}", after.text());
    let changed = stock.call(operation).header("if-none-match", first.header("etag")).send().await;
    assert_eq!(changed.status, 200);
}

#[tokio::test]
async fn page_of_a_reused_answer_is_coded_once() {
    let stock = Stock::new().await;
    let harness = &stock.cast.harness;
    for path in ["/blog", "/changelog", "/blog/first-steps"] {
        for request in 1..=3 {
            let request_of = harness.http().get(format!("{}{path}", harness.base_url));
            let page = request_of.header("accept-encoding", "gzip").send().await.unwrap();
            assert_eq!(page.status(), 200, "{path}, request {request}");
            let is_coded = page.headers().contains_key("content-encoding");
            let bytes = page.bytes().await.unwrap();
            let is_gzip = bytes.starts_with(&[0x1f, 0x8b]);
            assert!(is_coded == is_gzip && (is_gzip || bytes.starts_with(b"<!doctype html>")), "{path}, {request}");
        }
    }
}

async fn run(connection: &mut PgConnection, statement: &str) {
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned())).execute(connection).await.unwrap();
}

async fn revision(owner: &mut PgConnection) -> i64 {
    let query = "select sum(changes)::bigint from public_revision where topic = 'tiers'";
    sqlx::query_scalar(query).fetch_one(owner).await.unwrap()
}

#[tokio::test]
async fn each_transaction_changes_the_revision_when_it_commits() {
    let harness = Harness::new().await;
    let (mut one, mut other, mut reader) = (harness.owner().await, harness.owner().await, harness.owner().await);
    let change = "update tier set highlighted = not highlighted where code = ";
    let (first, second) = (format!("{change}'FREE'"), format!("{change}(select max(code) from tier)"));
    let start = revision(&mut reader).await;
    // Neither waits for the other, and no reader sees a change that is not committed.
    one.execute("begin").await.unwrap();
    other.execute("begin isolation level repeatable read").await.unwrap();
    run(&mut one, &first).await;
    run(&mut other, &second).await;
    run(&mut one, &first).await;
    assert_eq!(revision(&mut reader).await, start);
    one.execute("commit").await.unwrap();
    assert_eq!(revision(&mut reader).await, start + 1);
    other.execute("commit").await.unwrap();
    assert_eq!(revision(&mut reader).await, start + 2);
    // A change after an undone part of a transaction counts too.
    one.execute("begin; savepoint part").await.unwrap();
    run(&mut one, &first).await;
    one.execute("rollback to part").await.unwrap();
    run(&mut one, &first).await;
    one.execute("commit").await.unwrap();
    assert_eq!(revision(&mut reader).await, start + 3);
    reader.close().await.unwrap();
}
