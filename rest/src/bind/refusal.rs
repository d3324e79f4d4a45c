//! Why a request cannot be bound.

use crate::contract::{FieldCode, FieldError, MOST};

/// A request that does not fit its operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A path value is none of its kind, so there is no such thing: 404 NOT_FOUND.
    NotFound,
    /// The body's media type is none that the operation reads: 415 UNSUPPORTED_MEDIA_TYPE.
    UnsupportedMediaType {
        /// The media types that it reads; empty when it reads no body.
        accepted: Vec<String>,
    },
    /// The body comes in a coding, gzip for example: 415 UNSUPPORTED_MEDIA_TYPE.
    UnsupportedCoding,
    /// It cannot be read: 400 MALFORMED_REQUEST.
    Malformed {
        /// What to do, in a sentence.
        detail: String,
        /// Where, if it can be told.
        errors: Vec<FieldError>,
    },
    /// It can be read and breaks rules: 422 VALIDATION_FAILED.
    Invalid {
        /// Everything that is wrong, at most [`MOST`] things.
        errors: Vec<FieldError>,
    },
}

/// What is found wrong while a request is read; reading goes on as far as it can.
#[derive(Default)]
pub(super) struct Findings {
    malformed: Vec<(String, Option<FieldError>)>,
    invalid: Vec<FieldError>,
}

impl Findings {
    /// Something cannot be read at all.
    pub(super) fn add_malformed(&mut self, detail: impl Into<String>) {
        self.push_malformed(detail.into(), None);
    }

    /// Something cannot be read, at a place that can be named.
    pub(super) fn add_malformed_at(&mut self, error: FieldError) {
        self.push_malformed(error.message.clone(), Some(error));
    }

    fn push_malformed(&mut self, detail: String, error: Option<FieldError>) {
        if self.malformed.len() < MOST {
            self.malformed.push((detail, error));
        }
    }

    /// Something breaks a rule.
    pub(super) fn invalid(&mut self, error: FieldError) {
        if self.invalid.len() < MOST {
            self.invalid.push(error);
        }
    }

    /// A parameter breaks a rule.
    pub(super) fn parameter(&mut self, name: &str, code: FieldCode, message: impl Into<String>) {
        self.invalid(FieldError::parameter(name, code, message));
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.malformed.is_empty() && self.invalid.is_empty()
    }

    /// The refusal that follows; what cannot be read comes before what breaks a rule.
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
