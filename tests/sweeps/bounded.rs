//! Query plan sweep: no list reads a part of a large table that grows with it, to return one page.
//!
//! The sweep of [`super::plans`] finds sequential scans. This one finds plans that use an index, but collect many rows
//! before they return the first one: to sort them, to build a hash table or a bitmap, or to aggregate them. It compares
//! the planner's estimates, over the same tables and with unknown parameters, so the result does not depend on time.

use serde_json::Value;

use super::plans::{self, Statement};
use crate::harness::Harness;

/// Maximum number of rows that a plan collects, an eighth of a large table. Functions that return rows are estimated at
/// a thousand.
const MOST: f64 = 1_250.0;

/// Lists that may collect more rows: the operation, a part of the condition, and the reason.
const JUSTIFIED: &[(&str, &str, &str)] = &[
    (
        "engagement_feature_requests_list",
        "(r.topic_uuid = any($1))",
        "topics of which few feature requests are; the planner takes them for a share of the board",
    ),
    ("engagement_moderation_list_feature_requests", "(r.topic_uuid = any($1))", "the same"),
    (
        "marketplace_listings_search",
        "order by t.sort_name collate \"C\", l.app_uuid",
        "from 2,000 listings on, the index in memory chooses the listings of a page by name",
    ),
    ("marketplace_listings_search", "order by found.rank desc", "the ranking considers a bounded number of listings"),
    ("marketplace_listings_search", "(l.rating_count > 0 and l.rating_average >= $", "every filter at once"),
    (
        "partner_support_desk_list",
        "where (partner_uuid = any($1))",
        "the tickets of several partners, only for staff; the planner takes them for many and joins everybody at once",
    ),
];

#[tokio::test]
async fn no_list_collects_a_large_part_of_a_table() {
    let harness = Harness::new().await;
    let mut owner = plans::prepare(&harness, "bounded").await;
    let (mut found, mut planned, mut used) = (Vec::new(), 0, Vec::new());
    for list in labs_schema::statements() {
        let Some(operation) = list.operation() else { continue };
        for statement in list.statements().into_iter().map(Statement::of_a_list) {
            let words = statement.words();
            let Some(plan) = plans::plan(&mut owner, &statement).await else { continue };
            if words.starts_with("select count(*)") {
                continue;
            }
            planned += 1;
            let Some((node, rows)) = largest_collection(&plan) else { continue };
            if rows <= MOST {
                continue;
            }
            let excuse = JUSTIFIED.iter().position(|(of, part, _)| *of == operation && words.contains(part));
            match excuse {
                Some(excuse) => used.push(excuse),
                None => found.push(format!("{operation}: a {node} of {rows} rows: {words}")),
            }
        }
    }
    assert!(planned > 500, "only {planned} statements were planned");
    found.sort();
    assert!(
        found.is_empty(),
        "give these an index in the order of the list, or say in JUSTIFIED why they may collect rows:\n\n{}",
        found.join("\n\n")
    );
    for (number, (operation, part, _)) in JUSTIFIED.iter().enumerate() {
        assert!(used.contains(&number), "{operation}: no statement with `{part}` collects many rows any more");
    }
}

/// Returns the node that collects the most rows before it returns its first, and their estimated number.
fn largest_collection(plan: &Value) -> Option<(String, f64)> {
    let parts: Vec<&Value> = match plan {
        Value::Array(parts) => parts.iter().collect(),
        Value::Object(node) => node.values().filter(|value| value.is_array() || value.is_object()).collect(),
        _ => return None,
    };
    let below = parts.into_iter().filter_map(largest_collection);
    let own = plan.get("Node Type").and_then(Value::as_str).and_then(|node| Some((node.to_owned(), collected(plan)?)));
    below.chain(own).max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// Returns the number of rows that a node collects before it returns its first; `None` if it returns them one by one.
fn collected(node: &Value) -> Option<f64> {
    let rows = |node: &Value| node.get("Plan Rows").and_then(Value::as_f64);
    match node.get("Node Type").and_then(Value::as_str)? {
        "Bitmap Index Scan" => rows(node),
        "Sort" | "Hash" | "Aggregate" => rows(node.get("Plans")?.as_array()?.first()?),
        _ => None,
    }
}

/// A filter by a rare value reads the index of its column, although the planner knows only the common value.
#[tokio::test]
async fn filters_of_growing_tables_read_their_own_index() {
    let harness = Harness::new().await;
    let mut owner = plans::prepare(&harness, "rare").await;
    let uniform =
        "update audit_log set operation = 'a', outcome = 'SUCCEEDED', channel = 'REST', actor_kind = 'STAFF_USER';
                   update security_event set kind = 'SIGN_IN';
                   analyze audit_log, security_event";
    sqlx::raw_sql(uniform).execute(&mut owner).await.unwrap();
    let (mut found, mut planned) = (Vec::new(), 0);
    for statement in labs_schema::statements().into_iter().flat_map(|list| list.statements()) {
        let statement = Statement::of_a_list(statement);
        let words = statement.words();
        let Some(column) = words.split(" = wanted.value").next().filter(|before| before.len() < words.len()) else {
            continue;
        };
        let column = column.rsplit(' ').next().unwrap_or_default();
        let Some(plan) = plans::plan(&mut owner, &statement).await else { continue };
        planned += 1;
        if is_filtered_by(&plan, &format!("({column} = value.value)")) {
            found.push(words);
        }
    }
    assert!(planned > 50, "only {planned} statements were planned");
    assert!(found.is_empty(), "these check each entry of the table:\n\n{}", found.join("\n\n"));
}

/// Whether a node reads rows of a filled partition and drops those that do not meet a condition.
fn is_filtered_by(plan: &Value, condition: &str) -> bool {
    match plan {
        Value::Array(parts) => parts.iter().any(|part| is_filtered_by(part, condition)),
        Value::Object(node) => {
            let word = |name: &str| node.get(name).and_then(Value::as_str).unwrap_or_default();
            let own = word("Filter").contains(condition) && !word("Relation Name").ends_with("_others");
            own || node.values().any(|part| is_filtered_by(part, condition))
        }
        _ => false,
    }
}
