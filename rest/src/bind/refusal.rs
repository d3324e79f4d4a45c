//! Reasons why a request cannot be bound.

use crate::contract::{FieldCode, FieldError, MOST};

/// A request that does not fit its operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A path value does not fit its schema, so the resource does not exist: 404 NOT_FOUND.
    NotFound,
    /// The operation does not accept the body's media type: 415 UNSUPPORTED_MEDIA_TYPE.
    UnsupportedMediaType {
        /// Accepted media types; empty if the operation takes no body.
        accepted: Vec<String>,
    },
    /// The body has a content coding, for example gzip: 415 UNSUPPORTED_MEDIA_TYPE.
    UnsupportedCoding,
    /// The request cannot be parsed: 400 MALFORMED_REQUEST.
    Malformed {
        /// A sentence that says what to do.
        detail: String,
        /// Place of the error, if known.
        errors: Vec<FieldError>,
    },
    /// The request can be parsed and violates rules: 422 VALIDATION_FAILED.
    Invalid {
        /// All errors, at most [`MOST`].
        errors: Vec<FieldError>,
    },
}

/// Errors that were found in a request; reading continues as far as possible.
#[derive(Default)]
pub(super) struct ErrorCollector {
    malformed: Vec<(String, Option<FieldError>)>,
    invalid: Vec<FieldError>,
}

impl ErrorCollector {
    /// Records that a part of the request cannot be parsed.
    pub(super) fn add_malformed(&mut self, detail: impl Into<String>) {
        self.push_malformed(detail.into(), None);
    }

    /// Records a parse error at a known place.
    pub(super) fn add_malformed_at(&mut self, error: FieldError) {
        self.push_malformed(error.message.clone(), Some(error));
    }

    fn push_malformed(&mut self, detail: String, error: Option<FieldError>) {
        if self.malformed.len() < MOST {
            self.malformed.push((detail, error));
        }
    }

    /// Records a rule violation.
    pub(super) fn invalid(&mut self, error: FieldError) {
        if self.invalid.len() < MOST {
            self.invalid.push(error);
        }
    }

    /// Records a rule violation of a parameter.
    pub(super) fn parameter(&mut self, name: &str, code: FieldCode, message: impl Into<String>) {
        self.invalid(FieldError::parameter(name, code, message));
    }

    /// Whether no error was found so far.
    pub(super) fn is_empty(&self) -> bool {
        self.malformed.is_empty() && self.invalid.is_empty()
    }

    /// Returns the resulting error; parse errors take precedence over rule violations.
    pub(super) fn into_result(self) -> Result<(), Refusal> {
        if self.is_empty() {
            return Ok(());
        }
        let mut malformed = self.malformed.into_iter().peekable();
        match malformed.peek() {
            Some((detail, _)) => Err(Refusal::Malformed {
                detail: detail.clone(),
                errors: malformed.filter_map(|(_, error)| error).take(MOST).collect(),
            }),
            None => Err(Refusal::Invalid { errors: self.invalid }),
        }
    }
}
