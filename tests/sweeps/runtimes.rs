//! Runtime sweep: expensive staff queries do not slow REST responses, because they run on separate threads.
//!
//! The test reads the CPU time of each thread from the system, so other load on the machine does not matter.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;

use serde_json::{Value, json};

use super::Cast;
use crate::harness::Replica;

/// Number of repetitions of a query.
const TIMES: usize = 5;
/// Name of the playground's threads.
const PLAYGROUND: &str = "playground";

/// The whole schema: about ten thousand fields that need no statement.
const SCHEMA: &str = "{ __schema { types { name description
    fields { name description args { name } type { name kind } } } } }";

/// Returns the CPU time of each thread of a replica in nanoseconds, by thread id and name.
fn computed(replica: &Replica) -> BTreeMap<(OsString, String), u64> {
    let mut computed = BTreeMap::new();
    for thread in fs::read_dir(replica.file("task")).unwrap() {
        let thread = thread.unwrap();
        let told = |name: &str| fs::read_to_string(thread.path().join(name));
        // A thread may end during the read.
        let (Ok(name), Ok(spent)) = (told("comm"), told("schedstat")) else { continue };
        let spent: u64 = spent.split_whitespace().next().unwrap().parse().unwrap();
        computed.insert((thread.file_name(), name.trim_end().to_owned()), spent);
    }
    computed
}

/// Sends a query repeatedly and asserts its status and a word in its response. The playground's threads must use more
/// CPU time for it than all other threads together, including the rest of the service's work.
async fn is_computed_apart(query: &str, variables: &Value, (status, word): (u16, &str)) {
    let mut cast = Cast::new().await;
    let place = tempfile::tempdir().unwrap();
    let replica = Replica::start(&cast.harness, &place).await;
    cast.harness.use_address(replica.address());
    let ask = async || {
        let answer = cast.at_the_door(&cast.staff.token, query, variables).await;
        let (found, told) = (answer.status().as_u16(), answer.text().await.unwrap());
        let beginning: String = told.chars().take(500).collect();
        assert!(found == status && told.contains(word), "{found}: {beginning}");
    };
    // The threads are started by the first query.
    ask().await;
    let before = computed(&replica);
    for _ in 0..TIMES {
        ask().await;
    }
    let after = computed(&replica);
    let meanwhile = |is_playgrounds: bool| -> u64 {
        let threads = after.iter().filter(|((_, name), _)| (name == PLAYGROUND) == is_playgrounds);
        threads.map(|(thread, spent)| spent.saturating_sub(before.get(thread).copied().unwrap_or_default())).sum()
    };
    let (apart, elsewhere) = (meanwhile(true), meanwhile(false));
    assert!(apart > elsewhere, "{apart} ns on the playground's threads, {elsewhere} ns on others");
}

#[tokio::test]
async fn staff_queries_run_on_separate_threads() {
    is_computed_apart(SCHEMA, &json!({}), (200, "\"admin_audit_records_list\"")).await;
}

#[tokio::test]
async fn rejected_staff_queries_are_validated_on_separate_threads() {
    // The maximum number of root fields in a query.
    let fields = (0..20).map(|number| format!("a{number}: system_me_get(of: $many) {{ scopes }} "));
    let query = format!("query ($many: [[Int!]!]) {{ {} }}", fields.collect::<String>());
    is_computed_apart(&query, &json!({ "many": vec![vec![7; 1_000]; 20] }), (400, "VALIDATION_FAILED")).await;
}
