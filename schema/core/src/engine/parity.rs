//! Check of builds with debug assertions, which includes all tests: the answer of a prepared operation equals the
//! answer of the library's own execution of its document.
//!
//! The library runs the document with the same variables. Its root field gets the answer that was just written, if its
//! arguments are the same, and the library selects from it. So the check needs no second execution, and covers writes
//! too.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use async_graphql::{Name, Request, Variables};
use serde_json::{Map, Value as Json};

use super::graph::{Graph, to_value};
use super::operation::PreparedOperation;
use crate::context::WrittenAnswer;
use crate::fault::Fault;

/// Number of answers of each operation that a process checks.
const MOST: u32 = 20;

/// Number of checked answers by operation.
static CHECKED: LazyLock<Mutex<HashMap<String, u32>>> = LazyLock::new(Mutex::default);

/// Arguments and answer of a prepared operation.
pub(super) struct Recorded {
    arguments: Map<String, Json>,
    answer: Json,
}

impl Recorded {
    /// Returns the answer for these arguments.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] if the prepared operation had other arguments.
    pub(super) fn answer(&self, arguments: &Map<String, Json>) -> Result<Json, Fault> {
        let (given, own) = (Json::Object(arguments.clone()), Json::Object(self.arguments.clone()));
        if is_equal(&given, &own) {
            return Ok(self.answer.clone());
        }
        Err(Fault::internal(format!("the library passes the arguments {given}, the prepared operation {own}")))
    }
}

/// Checks an answer.
///
/// # Errors
/// [`crate::Code::Internal`] if the library answers differently.
pub(super) async fn check(
    graph: &Graph,
    operation: &PreparedOperation,
    variables: &Map<String, Json>,
    written: &WrittenAnswer,
) -> Result<(), Fault> {
    let name = &operation.root.name;
    if !is_due(name) {
        return Ok(());
    }
    let answer: Json = serde_json::from_slice(&written.body).map_err(Fault::internal)?;
    let variables = operation.spelled(variables);
    let arguments = operation.bind(&variables);
    let mut sent = Variables::default();
    sent.extend(variables.iter().map(|(name, value)| (Name::new(name), to_value(value))));
    let recorded = Arc::new(Recorded { arguments, answer: answer.clone() });
    let mut request = Request::new("").variables(sent).data(recorded).disable_introspection();
    request.set_parsed_query(operation.document().clone());
    let response = graph.execute(request).await;
    let told = response.errors.first().map(|error| error.message.clone());
    let data = response.data.into_json().map_err(Fault::internal)?;
    let selected = data.get(name).cloned().unwrap_or_default();
    if told.is_none() && is_equal(&answer, &selected) {
        return Ok(());
    }
    Err(Fault::internal(format!("{name}: the library answers {selected} with the error {told:?}, not {answer}")))
}

fn is_due(name: &str) -> bool {
    let mut checked = CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
    let count = checked.entry(name.to_owned()).or_default();
    *count += 1;
    *count <= MOST
}

/// Whether two values are equal. A missing field of an object, and a missing argument, equals null. At the deepest
/// level that a document selects of a recursive type, it equals an empty list.
fn is_equal(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Null, Json::Array(items)) | (Json::Array(items), Json::Null) => items.is_empty(),
        (Json::Object(ones), Json::Object(others)) => {
            let has =
                |of: &Map<String, Json>, name: &str, value: &Json| is_equal(value, of.get(name).unwrap_or(&Json::Null));
            ones.iter().all(|(name, value)| has(others, name, value))
                && others.iter().all(|(name, value)| has(ones, name, value))
        }
        (Json::Array(ones), Json::Array(others)) => {
            ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| is_equal(one, other))
        }
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_fields_equal_null_and_nothing_else() {
        let one = json!({ "a": 1, "b": [{ "c": null, "d": "x" }] });
        assert!(is_equal(&one, &json!({ "b": [{ "d": "x" }], "a": 1, "e": null })));
        for other in [json!({ "a": 1 }), json!({ "a": 1, "b": [] }), json!({ "a": 1, "b": [{ "d": "x" }], "e": 0 })] {
            assert!(!is_equal(&one, &other), "{other}");
        }
    }

    #[test]
    fn other_arguments_are_an_error() {
        let object = |value: Json| if let Json::Object(map) = value { map } else { unreachable!() };
        let recorded = Recorded { arguments: object(json!({ "limit": 1 })), answer: json!({ "data": [] }) };
        assert_eq!(recorded.answer(&object(json!({ "limit": 1 }))).unwrap(), json!({ "data": [] }));
        assert!(recorded.answer(&object(json!({ "limit": 2 }))).is_err());
        assert!(recorded.answer(&Map::new()).is_err());
    }
}
