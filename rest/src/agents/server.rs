//! The two tools, as the protocol lists and calls them.

use std::sync::{Arc, OnceLock};

use http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};

use super::call;
use super::describe::find;
use super::discovery;
use super::find::OperationIndex;
use super::message::Message;
use crate::rest::Rest;

/// Name of the tool that finds operations.
const FIND: &str = "find_operations";
/// Name of the tool that calls an operation.
const CALL: &str = "call_operation";

/// Instructions for an agent, sent when it connects.
const INSTRUCTIONS: &str = "Labs is the developer platform of a hospitality marketplace. Describe a task to \
    `find_operations`, then pass the id and the parameters of a found operation to `call_operation`. An operation that \
    changes data runs only with `confirm: true`; without it, the tool shows the request and whether the caller may send \
    it. Operations with the access `needs-a-person` cannot be called. Path parameters named `partner_uuid` take the \
    value of `partner_uuid` from `system_me_get`.";

/// The server of the protocol. Clones share the index.
#[derive(Clone)]
pub(super) struct AgentServer {
    rest: Arc<Rest>,
    index: Arc<OnceLock<OperationIndex>>,
}

impl AgentServer {
    pub(super) fn new(rest: Arc<Rest>) -> Self {
        Self { rest, index: Arc::default() }
    }

    /// Returns the index of operations, which the first use builds.
    fn index(&self) -> &OperationIndex {
        self.index.get_or_init(|| OperationIndex::new(self.rest.contract()))
    }
}

impl ServerHandler for AgentServer {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::default();
        info.capabilities = ServerCapabilities::builder().enable_tools().build();
        info.server_info = discovery::identity(&self.rest.settings.base_url);
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![find_tool(), call_tool()]))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        match name {
            FIND => Some(find_tool()),
            CALL => Some(call_tool()),
            _ => None,
        }
    }

    async fn call_tool(
        &self,
        called: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let message = parts.and_then(|parts| parts.extensions.get::<Message>());
        let (Some(parts), Some(message)) = (parts, message) else {
            return Err(ErrorData::internal_error("The message has no HTTP request.", None));
        };
        let arguments = Value::Object(called.arguments.unwrap_or_default());
        let outcome = match called.name.as_ref() {
            FIND => find(&self.rest, self.index(), message, arguments),
            CALL => call::call(&self.rest, self.index(), (parts, message), arguments).await,
            other => {
                let known = format!("There is no tool {other:?}. The tools are {FIND} and {CALL}.");
                return Err(ErrorData::invalid_params(known, None));
            }
        };
        let result = match outcome {
            Ok(value) => CallToolResult::structured(value),
            Err(ToolError::Answer(value)) => CallToolResult::structured_error(value),
            Err(ToolError::Text(text)) => CallToolResult::error(vec![ContentBlock::text(text)]),
        };
        Ok(result.into())
    }
}

/// Reason for which a tool rejects a call.
#[derive(Debug)]
pub(super) enum ToolError {
    /// The error response of the operation.
    Answer(Value),
    /// A sentence that says what to change.
    Text(String),
}

impl From<String> for ToolError {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

fn find_tool() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "words": {
                "type": "string", "minLength": 1, "maxLength": 500,
                "description": "The task in your own words, in English: `publish a new version of my app`. An operation id finds this operation.",
            },
            "limit": {
                "type": "integer", "minimum": 1, "maximum": 10, "default": 5,
                "description": "Maximum number of operations.",
            },
        },
        "required": ["words"],
        "additionalProperties": false,
    });
    let about = "Finds operations of the Labs API by words, best first: id, method, path, summary, required scope, access \
                 (`read`, `reversible-write`, `sends-mail`, `irreversible`, `needs-a-person`), parameters and body.";
    let hints = ToolAnnotations::with_title("Find operations").read_only(true).open_world(false);
    Tool::new(FIND, about, object(schema)).with_annotations(hints)
}

fn call_tool() -> Tool {
    let values = |about: &str| json!({ "type": "object", "description": about });
    let schema = json!({
        "type": "object",
        "properties": {
            "operation_id": { "type": "string", "maxLength": 100, "description": "Id of the operation, from `find_operations`." },
            "path": values("Path parameters by name."),
            "query": values("Query parameters by name; an array for several values."),
            "headers": {
                "type": "object",
                "description": "Request headers.",
                "properties": {
                    "Accept-Language": { "type": "string" },
                    "Idempotency-Key": { "type": "string" },
                    "If-Match": { "type": "string" },
                },
                "additionalProperties": false,
            },
            "body": { "description": "The JSON body. Omit it if the operation takes none." },
            "confirm": {
                "type": "boolean", "default": false,
                "description": "Must be true to run an operation that changes data. Without it, nothing is sent; the tool shows the request and whether the caller may send it.",
            },
        },
        "required": ["operation_id"],
        "additionalProperties": false,
    });
    let about = "Calls an operation of the Labs API with the access token of this connection, and with the same checks, \
                 budgets and audit records as over HTTP. Returns status, headers and body.";
    let hints = ToolAnnotations::with_title("Call an operation").read_only(false).destructive(true).open_world(false);
    Tool::new(CALL, about, object(schema)).with_annotations(hints)
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}
