//! Answers of operations.

use bytes::Bytes;
use uuid::Uuid;

/// Answer of an operation.
#[derive(Clone, Debug)]
pub struct WrittenAnswer {
    /// The value as JSON.
    pub body: Bytes,
    /// Identifier of the created object, if one was created.
    pub created: Option<CreatedId>,
    /// Cursor of the next page, if one exists.
    pub next_cursor: Option<String>,
}

/// Identifier of a created object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreatedId {
    /// Id that the service assigned.
    Uuid(Uuid),
    /// Code that the creator chose.
    Code(String),
}

impl From<Uuid> for CreatedId {
    fn from(uuid: Uuid) -> Self {
        Self::Uuid(uuid)
    }
}

impl From<&str> for CreatedId {
    fn from(code: &str) -> Self {
        Self::Code(code.to_owned())
    }
}

impl std::fmt::Display for CreatedId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Uuid(uuid) => uuid.fmt(formatter),
            Self::Code(code) => code.fmt(formatter),
        }
    }
}
