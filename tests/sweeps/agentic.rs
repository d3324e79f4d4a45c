//! What a call by an agent means (`x-agentic-access`), compared with facts that the derivation does not use.

use std::collections::BTreeSet;
use std::path::Path;

use labs_rest::contract::{AgenticAccess, Operation};
use serde_json::{Value, json};

use crate::agents::{call, with_agents};
use crate::harness::contract;

/// Operations that a query answers, from the fixed documents.
fn queries() -> BTreeSet<String> {
    let documents = labs::wiring::read_documents(Path::new("rest/documents")).unwrap();
    let lines: Vec<String> = documents.values().flat_map(|text| text.lines().map(str::to_owned)).collect();
    let name = |line: &String| {
        let name = line.strip_prefix("query ")?;
        Some(name.split(['(', ' ', '{']).next()?.to_owned())
    };
    lines.iter().filter_map(name).collect()
}

fn of_access(access: AgenticAccess) -> impl Iterator<Item = &'static Operation> {
    contract().operations().iter().map(AsRef::as_ref).filter(move |operation| operation.agentic == access)
}

#[test]
fn reads_are_gets_or_queries_and_writes_are_mutations() {
    let queries = queries();
    assert!(queries.len() > 100);
    for operation in contract().operations() {
        let is_read = operation.direct.is_some() || queries.contains(&operation.id);
        match operation.agentic {
            AgenticAccess::Read => assert!(is_read, "{} is a mutation", operation.id),
            AgenticAccess::NeedsAPerson => {}
            _ => assert!(!is_read && operation.is_write(), "{} changes nothing", operation.id),
        }
    }
}

#[test]
fn operation_with_a_credential_in_its_body_needs_a_person() {
    let named = ["password", "current_password", "new_password", "token", "challenge", "client_secret"];
    for operation in contract().operations() {
        let schemas = operation.body.iter().flat_map(|body| &body.forms).map(|form| contract().schema(form.schema));
        let takes = schemas.flat_map(|schema| members(schema, 0)).any(|name| named.contains(&name.as_str()));
        let is_recent = operation
            .responses
            .values()
            .any(|response| response.codes.iter().any(|code| code == "REAUTHENTICATION_REQUIRED"));
        if takes || is_recent {
            assert_eq!(operation.agentic, AgenticAccess::NeedsAPerson, "{}", operation.id);
        }
    }
    let ids: Vec<&str> = of_access(AgenticAccess::NeedsAPerson).map(|operation| operation.id.as_str()).collect();
    for id in ["auth_invitations_accept", "auth_mfa_confirm_totp", "admin_machine_clients_rotate_secret"] {
        assert!(ids.contains(&id), "{id}");
    }
    assert!(ids.len() < 30, "{ids:?}");
}

/// Returns the names of all members of a schema.
fn members(schema: &Value, depth: usize) -> Vec<String> {
    let resolved = contract().resolve(schema);
    let own = resolved["properties"].as_object().into_iter().flatten();
    let inner = |(name, member): (&String, &Value)| {
        let below = if depth < 6 { members(member, depth + 1) } else { Vec::new() };
        std::iter::once(name.clone()).chain(below).collect::<Vec<_>>()
    };
    own.flat_map(inner).collect()
}

#[test]
fn description_of_a_write_mentions_its_e_mail_and_no_other() {
    let document = yaml_serde::from_str::<Value>(contract().text()).unwrap();
    for operation in contract().operations().iter().filter(|operation| operation.agentic > AgenticAccess::Read) {
        let path = operation.path.replace('/', "~1");
        let method = operation.method.as_str().to_lowercase();
        let sends = document.pointer(&format!("/paths/{path}/{method}/x-sends-mail")).is_some();
        let text = operation.description.to_lowercase();
        let is_mentioned =
            ["e-mail", "mail message", "notice", "notifies", "mailed"].iter().any(|word| text.contains(word));
        let is_person = operation.agentic == AgenticAccess::NeedsAPerson;
        assert!(
            !sends || is_mentioned || is_person,
            "{} declares x-sends-mail, and its description mentions no e-mail",
            operation.id
        );
        let promised = ["by e-mail", "sends an e-mail", "sends a new e-mail", "receives an e-mail", "sends a notice"];
        let promises =
            promised.iter().any(|phrase| text.contains(phrase)) && !SENT_BY_OTHERS.contains(&operation.id.as_str());
        assert!(!promises || sends, "{} promises an e-mail and does not declare x-sends-mail", operation.id);
    }
}

/// Writes whose description names an e-mail that another operation sends.
const SENT_BY_OTHERS: [&str; 1] = ["marketplace_reviews_flag"];

#[tokio::test]
async fn no_operation_that_needs_a_person_is_called_and_no_write_without_confirmation() {
    let harness = with_agents().await;
    let staff = harness.staff("Ada Agent", &["labs.admin:write"]).await;
    for operation in contract().operations().iter().filter(|operation| operation.agentic > AgenticAccess::Read) {
        let path = operation.path.split('{').skip(1).filter_map(|piece| piece.split('}').next());
        let path: serde_json::Map<String, Value> =
            path.map(|name| (name.to_owned(), json!("019aa5c2-7b1e-7c40-9d52-3f8e6a1b0c47"))).collect();
        let mut arguments = json!({ "operation_id": operation.id, "path": path });
        if operation.agentic == AgenticAccess::NeedsAPerson {
            arguments["confirm"] = json!(true);
            let reply = call(&harness, Some(&staff.token), arguments).await;
            assert!(reply.text().contains("needs a person"), "{}: {}", operation.id, reply.text());
            continue;
        }
        let reply = call(&harness, Some(&staff.token), arguments).await;
        let result = &reply.json["result"];
        if result["isError"] == true {
            assert!(reply.text().contains("a file"), "{}: {}", operation.id, reply.json);
            continue;
        }
        let content = &result["structuredContent"];
        assert_eq!((&content["sent"], &content["operation_id"]), (&json!(false), &json!(operation.id)), "{content}");
        assert_eq!(content["permission"]["operation_id"], json!(operation.id), "{content}");
    }
}
