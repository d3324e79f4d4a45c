//! Asking a root field directly: what was parsed, validated and bound at start-up is not prepared again per request.
//!
//! The library's own way to execute looks through the document, the registry and the variables before it resolves
//! anything. For a fixed document all of that was done at start-up, so its root object is asked in an environment made
//! here. This and [`super::roots`] are the only users of the library's hidden interface; its version is pinned.

use std::sync::Arc;

use async_graphql::context::QueryEnvInner;
use async_graphql::extensions::Extensions;
use async_graphql::parser::types::Selection;
use async_graphql::{
    Context, Data, IntrospectionMode, Name, Positioned, QueryEnv, SchemaEnv, ServerError, Value, Variables,
};
use serde_json::{Map, Value as Json};

use super::question::Question;
use crate::ask::Ask;
use crate::fault::Fault;

/// Where fields are resolved: the schema's types and the extensions, of which there are none.
pub(super) struct Environment {
    schema: SchemaEnv,
    extensions: Extensions,
    session: Arc<Data>,
}

impl Environment {
    /// The environment that a field is being resolved in.
    pub(super) fn of(ctx: &Context<'_>) -> Self {
        Self {
            schema: ctx.schema_env.clone(),
            extensions: ctx.query_env.extensions.clone(),
            session: Arc::clone(&ctx.query_env.session_data),
        }
    }

    /// The value of a question's root field.
    ///
    /// # Errors
    /// What the resolver answered, or an internal fault for an error of the library's.
    pub(super) async fn ask(
        &self,
        question: &Question,
        variables: &Map<String, Json>,
        ask: &Arc<Ask>,
    ) -> Result<Value, Fault> {
        let mut data = Data::default();
        data.insert(Arc::clone(ask));
        let query = QueryEnv::new(QueryEnvInner {
            extensions: self.extensions.clone(),
            variables: variables_of(variables),
            operation_name: None,
            operation: question.operation.clone(),
            fragments: question.fragments.clone(),
            uploads: Vec::new(),
            session_data: Arc::clone(&self.session),
            query_data: Arc::new(data),
            http_headers: std::sync::Mutex::default(),
            introspection_mode: IntrospectionMode::Disabled,
            errors: std::sync::Mutex::default(),
        });
        let selection = &query.operation.node.selection_set;
        let Some(Positioned { node: Selection::Field(field), .. }) = selection.node.items.first() else {
            return Err(Fault::internal(format!("{}: the document asks no field", question.root.name)));
        };
        let base = query.create_context(&self.schema, None, selection, None);
        let ctx = base.with_field(field);
        let value = question.object.resolve(&ctx).await.map_err(|error| fault_of(question, &error))?;
        // A field that may be null leaves its error beside the answer.
        let beside = query.errors.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop();
        match beside {
            Some(error) => Err(fault_of(question, &error)),
            None => Ok(value.unwrap_or_default()),
        }
    }
}

fn fault_of(question: &Question, error: &ServerError) -> Fault {
    let own = error.source::<Fault>().cloned();
    own.unwrap_or_else(|| Fault::internal(format!("{}: {}", question.root.name, error.message)))
}

/// The variables as the library takes them.
pub(super) fn variables_of(variables: &Map<String, Json>) -> Variables {
    let mut taken = Variables::default();
    taken.extend(variables.iter().map(|(name, value)| (Name::new(name), value_of(value))));
    taken
}

fn value_of(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Boolean(*flag),
        Json::Number(number) => Value::Number(number.clone()),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(value_of).collect()),
        Json::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (Name::new(name), value_of(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_arrive_as_the_library_reads_them_itself() {
        let json = serde_json::json!({
            "text": "ü", "none": null, "flag": true, "whole": -7, "part": 0.25, "large": u64::MAX,
            "list": [1, "two", [null]], "object": {"de-AT": {"inner": []}, "": 1},
        });
        let Json::Object(map) = json.clone() else { unreachable!() };
        assert_eq!(variables_of(&map), Variables::from_json(json));
    }
}
