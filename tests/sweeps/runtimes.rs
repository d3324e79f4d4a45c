//! Whose threads compute: what staff ask in their own words costs those nothing who answer REST.
//!
//! What a thread has computed is asked of the system, so that it does not matter what else the machine does.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;

use serde_json::{Value, json};

use super::Cast;
use crate::harness::Replica;

/// How often a query is asked.
const TIMES: usize = 5;
/// The name of the playground's threads.
const PLAYGROUND: &str = "playground";

/// All of the schema: some ten thousand fields, and a statement for none of them.
const SCHEMA: &str = "{ __schema { types { name description
    fields { name description args { name } type { name kind } } } } }";

/// What each of a replica's threads has computed so far, in nanoseconds, by its number and name.
fn computed(replica: &Replica) -> BTreeMap<(OsString, String), u64> {
    let mut computed = BTreeMap::new();
    for thread in fs::read_dir(replica.file("task")).unwrap() {
        let thread = thread.unwrap();
        let told = |name: &str| fs::read_to_string(thread.path().join(name));
        // One may end meanwhile.
        let (Ok(name), Ok(spent)) = (told("comm"), told("schedstat")) else { continue };
        let spent: u64 = spent.split_whitespace().next().unwrap().parse().unwrap();
        computed.insert((thread.file_name(), name.trim_end().to_owned()), spent);
    }
    computed
}

/// Asks a query again and again, which is answered with this status and tells this. The playground's threads compute
/// more for it than all the others together, which do whatever else the service does meanwhile.
async fn is_computed_apart(query: &str, variables: &Value, (status, word): (u16, &str)) {
    let mut cast = Cast::new().await;
    let place = tempfile::tempdir().unwrap();
    let replica = Replica::start(&cast.harness, &place).await;
    cast.harness.stand_behind(replica.address());
    let ask = async || {
        let answer = cast.at_the_door(&cast.staff.token, query, variables).await;
        let (found, told) = (answer.status().as_u16(), answer.text().await.unwrap());
        let beginning: String = told.chars().take(500).collect();
        assert!(found == status && told.contains(word), "{found}: {beginning}");
    };
    // The threads are there from the first query on.
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
async fn what_staff_ask_in_their_own_words_is_answered_on_threads_of_its_own() {
    is_computed_apart(SCHEMA, &json!({}), (200, "\"admin_audit_records_list\"")).await;
}

#[tokio::test]
async fn what_they_ask_in_vain_is_checked_there_as_well() {
    // As many root fields as a query may have.
    let fields = (0..20).map(|number| format!("a{number}: system_me_get(of: $many) {{ scopes }} "));
    let query = format!("query ($many: [[Int!]!]) {{ {} }}", fields.collect::<String>());
    is_computed_apart(&query, &json!({ "many": vec![vec![7; 1_000]; 20] }), (422, "VALIDATION_FAILED")).await;
}
