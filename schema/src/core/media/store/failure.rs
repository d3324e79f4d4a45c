//! What goes wrong with the store, told without anything that was sent to it.

use std::error::Error as Cause;
use std::io;

use object_store::Error;

use crate::core::fault::Fault;

/// The store failed; nothing is said to callers about how.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be made.
    #[error("the media folder cannot be created: {0}")]
    Folder(#[from] io::Error),
    /// The folder cannot be swept.
    #[error("the media folder cannot be cleaned up: {0}")]
    Sweep(#[source] io::Error),
    /// Reading or writing failed.
    #[error("the object storage failed: {told}")]
    Store {
        /// What kind of failure it is.
        kind: FailureKind,
        /// Events of this page.
        told: String,
    },
    /// Reading a file failed.
    #[error("the media cannot be read: {0}")]
    Read(#[source] io::Error),
    /// An object ended before its size.
    #[error("the object storage delivered an incomplete object")]
    CutOff,
    /// Nothing came in time.
    #[error("the object storage does not answer in time")]
    Silent,
    /// The probe read something else than it wrote.
    #[error("the object storage does not return the stored bytes")]
    Mixed,
}

/// A failure of the store, as far as it matters what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The bucket is not there.
    Missing,
    /// The store does not let the service do it.
    Denied,
    /// Anything else.
    Other,
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::NotFound { .. } => FailureKind::Missing,
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => FailureKind::Denied,
            _ => FailureKind::Other,
        };
        Self::Store { kind, told: told(&error) }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::unavailable("Files cannot be accessed at the moment. Try again.").caused_by(error)
    }
}

/// Whether it is the bucket that is not there, rather than an object in it.
pub(super) fn is_about_the_bucket(error: &Error) -> bool {
    error.to_string().contains("<Code>NoSuchBucket<")
}

/// An error and what it comes of. The body of a store's refusal may repeat headers of the request, a session token among
/// them: only its code is taken over.
fn told(error: &Error) -> String {
    let whole = error.to_string();
    let mut told = without_body(&whole).to_owned();
    let mut deepest: &dyn Cause = error;
    while let Some(cause) = deepest.source() {
        deepest = cause;
    }
    let cause = deepest.to_string();
    let cause = without_body(&cause);
    if !told.contains(cause) {
        told.push_str(": ");
        told.push_str(cause);
    }
    if let Some(code) = code(&whole) {
        told.push_str(": ");
        told.push_str(code);
    }
    told
}

/// A text up to the XML or JSON in it.
fn without_body(text: &str) -> &str {
    text.split(['<', '{', '\n']).next().unwrap_or_default().trim_end_matches([' ', ':', '-'])
}

/// The code in the XML of a refusal.
fn code(text: &str) -> Option<&str> {
    let (code, _) = text.split_once("<Code>")?.1.split_once('<')?;
    (code.len() < 100 && code.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_by_its_code_and_without_what_it_repeats() {
        let body = "<?xml version=\"1.0\"?><Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>PUT\n\
                    x-amz-security-token:hush</CanonicalRequest></Error>";
        let source = format!("Error performing PUT https://s3.example/shop/ab in 3s - Server returned 403: {body}");
        let error = StoreError::from(Error::PermissionDenied { path: "ab".to_owned(), source: source.into() });
        let told = error.to_string();
        assert!(told.contains("https://s3.example/shop/ab") && told.ends_with("403: SignatureDoesNotMatch"), "{told}");
        assert!(!format!("{error:?}").contains("hush") && !told.contains("hush"), "{error:?}");
        assert!(matches!(error, StoreError::Store { kind: FailureKind::Denied, .. }));
    }

    #[test]
    fn what_is_at_the_bottom_of_an_error_is_told() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let error = Error::Generic { store: "S3", source: Box::new(io::Error::other(Outer(refused))) };
        let told = StoreError::from(error).to_string();
        assert!(told.contains("no way there") && told.ends_with("connection refused"), "{told}");
    }

    #[derive(Debug, thiserror::Error)]
    #[error("no way there")]
    struct Outer(#[source] io::Error);
}
