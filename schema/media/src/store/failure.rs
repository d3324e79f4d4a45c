//! Errors of the object storage, without data from the requests.

use std::error::Error as Cause;
use std::io;

use object_store::Error;

/// Error of the object storage; callers of the API get no details.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be created.
    #[error("the media folder cannot be created: {0}")]
    Folder(#[from] io::Error),
    /// The folder cannot be swept.
    #[error("the media folder cannot be cleaned up: {0}")]
    Sweep(#[source] io::Error),
    /// Reading or writing failed.
    #[error("the object storage failed: {message}")]
    Store {
        /// Kind of the failure.
        kind: FailureKind,
        /// Description of the error.
        message: String,
    },
    /// Reading a file failed.
    #[error("the media cannot be read: {0}")]
    Read(#[source] io::Error),
    /// An object ended before its size.
    #[error("the object storage delivered an incomplete object")]
    CutOff,
    /// No data arrived in time.
    #[error("the object storage does not answer in time")]
    Silent,
    /// The probe read different bytes than it had written.
    #[error("the object storage does not return the stored bytes")]
    Mixed,
}

/// Kind of a storage failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The bucket does not exist.
    Missing,
    /// The storage denies access.
    Denied,
    /// Any other failure.
    Other,
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::NotFound { .. } => FailureKind::Missing,
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => FailureKind::Denied,
            _ => FailureKind::Other,
        };
        Self::Store { kind, message: describe_error(&error) }
    }
}

/// Whether the bucket is missing, not an object in it.
pub(super) fn is_about_the_bucket(error: &Error) -> bool {
    error.to_string().contains("<Code>NoSuchBucket<")
}

/// Describes an error and its cause. The body of an error response can repeat request headers, including a session
/// token, so only its code is used.
fn describe_error(error: &Error) -> String {
    let whole = error.to_string();
    let mut message = without_body(&whole).to_owned();
    let mut deepest: &dyn Cause = error;
    while let Some(cause) = deepest.source() {
        deepest = cause;
    }
    let cause = deepest.to_string();
    let cause = without_body(&cause);
    if !message.contains(cause) {
        message.push_str(": ");
        message.push_str(cause);
    }
    if let Some(code) = code(&whole) {
        message.push_str(": ");
        message.push_str(code);
    }
    message
}

/// Returns the text before any XML or JSON in it.
fn without_body(text: &str) -> &str {
    text.split(['<', '{', '\n']).next().unwrap_or_default().trim_end_matches([' ', ':', '-'])
}

/// Returns the code in the XML of an error response.
fn code(text: &str) -> Option<&str> {
    let (code, _) = text.split_once("<Code>")?.1.split_once('<')?;
    (code.len() < 100 && code.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_error_reports_code_without_request_contents() {
        let body = "<?xml version=\"1.0\"?><Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>PUT\n\
                    x-amz-security-token:hush</CanonicalRequest></Error>";
        let source = format!("Error performing PUT https://s3.example/shop/ab in 3s - Server returned 403: {body}");
        let error = StoreError::from(Error::PermissionDenied { path: "ab".to_owned(), source: source.into() });
        let message = error.to_string();
        assert!(
            message.contains("https://s3.example/shop/ab") && message.ends_with("403: SignatureDoesNotMatch"),
            "{message}"
        );
        assert!(!format!("{error:?}").contains("hush") && !message.contains("hush"), "{error:?}");
        assert!(matches!(error, StoreError::Store { kind: FailureKind::Denied, .. }));
    }

    #[test]
    fn root_cause_of_storage_error_is_reported() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let error = Error::Generic { store: "S3", source: Box::new(io::Error::other(Outer(refused))) };
        let message = StoreError::from(error).to_string();
        assert!(message.contains("no way there") && message.ends_with("connection refused"), "{message}");
    }

    #[derive(Debug, thiserror::Error)]
    #[error("no way there")]
    struct Outer(#[source] io::Error);
}
