//! Answers of root fields: JSON for a fixed document, a value for a staff member's own query.

use std::sync::PoisonError;

use bytes::Bytes;
use serde::Serialize;
use uuid::Uuid;

use super::{Channel, RequestContext};
use crate::fault::Fault;
use crate::page::Paged;

/// Answer of a root field to a fixed document.
#[derive(Clone, Debug)]
pub struct WrittenAnswer {
    /// The value as JSON.
    pub body: Bytes,
    /// Identifier of the created object, if one was created.
    pub created: Option<Created>,
    /// Cursor of the next page, if one exists.
    pub next_cursor: Option<String>,
}

/// Identifier of a created object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Created {
    /// Id that the service assigned.
    Uuid(Uuid),
    /// Code that the creator chose.
    Code(String),
}

impl From<Uuid> for Created {
    fn from(uuid: Uuid) -> Self {
        Self::Uuid(uuid)
    }
}

impl From<&str> for Created {
    fn from(code: &str) -> Self {
        Self::Code(code.to_owned())
    }
}

impl std::fmt::Display for Created {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Uuid(uuid) => uuid.fmt(formatter),
            Self::Code(code) => code.fmt(formatter),
        }
    }
}

impl RequestContext {
    /// Answers a root field.
    ///
    /// A fixed document requests every plain field, so serde writes the value directly and the library resolves
    /// nothing. The library would create a future for each field of each row, which costs more than the statement that
    /// loads the page. For a staff member's own query, the library gets the value and resolves the requested fields.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] if the value cannot be written as JSON.
    pub fn answer<T: Serialize>(&self, value: T) -> Result<Option<T>, Fault> {
        self.write(value, None, None)
    }

    /// Answers a root field that created an object.
    ///
    /// # Errors
    /// As [`RequestContext::answer`].
    pub fn answer_created<T: Serialize>(&self, created: impl Into<Created>, value: T) -> Result<Option<T>, Fault> {
        self.write(value, Some(created.into()), None)
    }

    /// Answers a root field with a page of a list.
    ///
    /// # Errors
    /// As [`RequestContext::answer`].
    pub fn answer_list<T: Serialize + Paged>(&self, list: T) -> Result<Option<T>, Fault> {
        let next_cursor = list.next_cursor().map(str::to_owned);
        self.write(list, None, next_cursor)
    }

    fn write<T: Serialize>(
        &self,
        value: T,
        created: Option<Created>,
        next_cursor: Option<String>,
    ) -> Result<Option<T>, Fault> {
        if self.caller.channel == Channel::Playground {
            return Ok(Some(value));
        }
        let body = serde_json::to_vec(&value).map_err(Fault::internal)?.into();
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(WrittenAnswer { body, created, next_cursor });
        Ok(None)
    }

    /// Takes the answer of the root field that was just resolved for a fixed document.
    pub(crate) fn take_written(&self) -> Option<WrittenAnswer> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
