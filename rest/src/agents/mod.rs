//! The Model Context Protocol at `/mcp`: agents find operations by words and call them, with the caller's access token
//! and through the same dispatch as every other request (docs/decisions/agents.md).
//!
//! Streamable HTTP without sessions, by the official SDK: each message is one POST, answered with JSON. Off by default
//! (`LABS_MCP`).

mod call;
mod describe;
mod discovery;
mod find;
mod message;
mod phrases;
mod request;
mod server;
mod words;

pub(crate) use discovery::CARD;
pub use find::OperationIndex;
pub(crate) use message::router;

/// Path of the endpoint.
const ENDPOINT: &str = "/mcp";
/// Name of the server.
const NAME: &str = "labs";
