//! Problem documents: the only form of error responses (RFC 9457; docs/decisions/api.md#problem-documents).

use http::StatusCode;
use labs_core::fault::{Reason, ScopeLack, SpentBudget};
use labs_core::{Code, Fault};
use serde::Serialize;
use utoipa::ToSchema;

/// Maximum number of field errors in one document, as in the contract.
const MOST_ERRORS: usize = 100;

/// Body of every error response, `application/problem+json`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Problem<'a> {
    /// Reference page about problems with this code.
    #[serde(rename = "type")]
    pub kind: String,
    /// Summary of the problem in a few words; the same for every problem with the code.
    pub title: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Next steps for the caller.
    pub detail: &'a str,
    /// The requested path.
    pub instance: &'a str,
    /// Stable code.
    pub code: &'static str,
    /// Id of the request, to quote in a report.
    pub request_id: &'a str,
    /// The invalid fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ProblemField<'a>>,
    /// The required scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_scope: Option<&'a str>,
    /// Why the token lacks the scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_because: Option<&'static str>,
    /// Roles or tiers that grant the scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted_by: Option<&'a [String]>,
    /// Id of the operation, if the path names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<&'a str>,
    /// Actions that the current state allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_actions: Option<&'a [String]>,
    /// Seconds to wait before a retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The spent budget: `burst` or `daily`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<&'static str>,
    /// The feature whose limit is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<&'a str>,
    /// The limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The used part of the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<i64>,
    /// Challenge to send back with the second-factor code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge: Option<&'a str>,
    /// Seconds until the challenge expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<i64>,
    /// Accepted second factors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub methods: Option<&'a [&'static str]>,
    /// RFC 6749 section 5.2, at the token endpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
    /// RFC 6749 section 5.2, at the token endpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_description: Option<&'a str>,
}

/// One invalid field.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProblemField<'a> {
    /// JSON pointer into the body (RFC 6901).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<&'a str>,
    /// Name of the parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<&'a str>,
    /// Stable code.
    pub code: &'a str,
    /// What to do about the error.
    pub message: &'a str,
}

impl<'a> Problem<'a> {
    /// Creates the document of a fault, with the address of the service and the requested path.
    #[must_use]
    pub fn of(
        fault: &'a Fault,
        base_url: &str,
        instance: &'a str,
        request_id: &'a str,
        operation_id: Option<&'a str>,
    ) -> Self {
        let (mut entitlement, mut challenge, mut allowed_actions) = (None, None, None);
        match fault.reason() {
            Reason::EntitlementExceeded(exceeded) => entitlement = Some(exceeded),
            Reason::MfaRequired(awaited) => challenge = Some(awaited),
            Reason::IllegalTransition(allowed) => allowed_actions = Some(allowed.as_slice()),
            _ => {}
        }
        let lack = fault.scope_lack();
        Self {
            kind: format!("{base_url}/reference/codes/{}", fault.code().name()),
            title: title(fault.code()),
            status: status(fault.code(), fault.oauth_error()).as_u16(),
            detail: fault.detail(),
            instance,
            code: fault.code().name(),
            request_id,
            errors: fault
                .errors()
                .iter()
                .take(MOST_ERRORS)
                .map(|error| ProblemField {
                    pointer: error.pointer.as_deref(),
                    parameter: error.parameter.as_deref(),
                    code: &error.code,
                    message: &error.message,
                })
                .collect(),
            required_scope: fault.required_scope(),
            missing_because: lack.and_then(|lack| lack.because).map(ScopeLack::name),
            granted_by: lack.map(|lack| lack.granted_by.as_slice()).filter(|granting| !granting.is_empty()),
            operation_id,
            allowed_actions,
            retry_after: fault.seconds_to_wait(),
            budget: fault.spent_budget().map(SpentBudget::name),
            feature: entitlement.map(|entitlement| entitlement.feature.as_str()),
            limit: entitlement.map(|entitlement| entitlement.limit),
            used: entitlement.map(|entitlement| entitlement.used),
            challenge: challenge.map(|challenge| challenge.challenge.as_str()),
            expires_in: challenge.map(|challenge| challenge.expires_in),
            methods: challenge.map(|challenge| challenge.methods.as_slice()),
            error: fault.oauth_error(),
            error_description: fault.oauth_error().map(|_| fault.detail()),
        }
    }
}

/// Returns the status of a code. The token endpoints return 400 for every error except an unknown client (RFC 6749
/// section 5.2).
#[must_use]
pub fn status(code: Code, oauth_error: Option<&str>) -> StatusCode {
    match oauth_error {
        Some("invalid_client") => return StatusCode::UNAUTHORIZED,
        Some(_) if !code.is_failure() && code != Code::RateLimited => return StatusCode::BAD_REQUEST,
        _ => {}
    }
    match code {
        Code::Moved => StatusCode::PERMANENT_REDIRECT,
        Code::MalformedRequest | Code::InvalidCursor => StatusCode::BAD_REQUEST,
        Code::Unauthenticated
        | Code::TokenExpired
        | Code::TokenRevoked
        | Code::InvalidCredentials
        | Code::MfaRequired
        | Code::RefreshReused => StatusCode::UNAUTHORIZED,
        Code::ScopeMissing
        | Code::PartnerMismatch
        | Code::PersonRequired
        | Code::AuthorRequired
        | Code::ReauthenticationRequired
        | Code::EmailUnverified
        | Code::AccountLocked
        | Code::PartnerSuspended
        | Code::NetworkDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
        Code::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        Code::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        Code::CursorExpired => StatusCode::GONE,
        Code::Conflict | Code::IllegalTransition | Code::EntitlementExceeded | Code::IdempotencyInProgress => {
            StatusCode::CONFLICT
        }
        Code::ValidationFailed | Code::IdempotencyKeyReused => StatusCode::UNPROCESSABLE_ENTITY,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Code::Unavailable | Code::AuditUnavailable | Code::QueryTimeout => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Returns the title of a code.
const fn title(code: Code) -> &'static str {
    match code {
        Code::Moved => "Moved",
        Code::MalformedRequest => "Malformed request",
        Code::InvalidCursor => "Invalid cursor",
        Code::Unauthenticated => "Authentication required",
        Code::TokenExpired => "Access token expired",
        Code::TokenRevoked => "Access token revoked",
        Code::InvalidCredentials => "Invalid credentials",
        Code::MfaRequired => "Second factor required",
        Code::RefreshReused => "Refresh token reused",
        Code::ScopeMissing => "Missing scope",
        Code::PartnerMismatch => "Path names another partner",
        Code::PersonRequired => "User token required",
        Code::AuthorRequired => "Only the author may do this",
        Code::ReauthenticationRequired => "Reauthentication required",
        Code::EmailUnverified => "E-mail address not verified",
        Code::AccountLocked => "Account locked",
        Code::PartnerSuspended => "Partner account not active",
        Code::NetworkDenied => "Network denied",
        Code::NotFound => "Not found",
        Code::MethodNotAllowed => "Method not allowed",
        Code::NotAcceptable => "Not acceptable",
        Code::PayloadTooLarge => "Body too large",
        Code::UnsupportedMediaType => "Unsupported media type",
        Code::RangeNotSatisfiable => "Range not satisfiable",
        Code::PreconditionFailed => "Resource has changed",
        Code::CursorExpired => "Cursor expired",
        Code::Conflict => "Conflict",
        Code::IllegalTransition => "Action not allowed in this state",
        Code::EntitlementExceeded => "Tier limit reached",
        Code::IdempotencyInProgress => "Request with this idempotency key is running",
        Code::ValidationFailed => "Validation failed",
        Code::IdempotencyKeyReused => "Idempotency key reused",
        Code::RateLimited => "Rate limit exceeded",
        Code::Internal => "Internal error",
        Code::Unavailable => "Service unavailable",
        Code::AuditUnavailable => "Audit record cannot be written",
        Code::QueryTimeout => "Query ran too long",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use labs_core::FieldError;
    use serde_json::Value;
    use utoipa::PartialSchema as _;

    use super::*;

    /// Returns the names of a schema's members, and the required ones.
    fn members(schema: &Value) -> (BTreeSet<String>, BTreeSet<String>) {
        let properties = schema["properties"].as_object().unwrap().keys().cloned().collect();
        let required = schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
        (properties, required.collect())
    }

    #[test]
    fn error_count_is_limited_as_in_contract() {
        let errors = (0..150).map(|place| FieldError::at(format!("/features/{place}"), "KIND", "Say it otherwise."));
        let fault = Fault::invalid(errors.collect());
        let told = Problem::of(&fault, "https://labs.example", "/v1", "id", None).errors;
        assert_eq!((told.len(), told.last().and_then(|last| last.pointer)), (100, Some("/features/99")));
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../contract/openapi.yaml")).unwrap();
        let contract: Value = yaml_serde::from_str(&text).unwrap();
        let promised = &contract["components"]["schemas"]["Problem"]["properties"]["errors"]["maxItems"];
        assert_eq!(*promised, MOST_ERRORS);
    }

    #[test]
    fn problem_schema_matches_contract() {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../contract/openapi.yaml")).unwrap();
        let contract: Value = yaml_serde::from_str(&text).unwrap();
        let promised = &contract["components"]["schemas"];
        let written = |schema: utoipa::openapi::RefOr<utoipa::openapi::Schema>| serde_json::to_value(schema).unwrap();

        let (mut properties, required) = members(&written(Problem::schema()));
        for of_the_token_endpoints in ["error", "error_description"] {
            assert!(properties.remove(of_the_token_endpoints));
        }
        assert_eq!((properties, required), members(&promised["Problem"]));
        assert_eq!(members(&written(ProblemField::schema())), members(&promised["FieldError"]));
    }

    #[test]
    fn problem_title_matches_code_page() {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../contract/codes.yaml")).unwrap();
        let pages: BTreeMap<String, Value> = yaml_serde::from_str(&text).unwrap();
        let promised: BTreeMap<String, String> =
            pages.into_iter().map(|(code, page)| (code, page["title"].as_str().unwrap().to_owned())).collect();
        let (_, arms) = include_str!("problem.rs").split_once("const fn title").unwrap();
        let arms = arms.lines().map_while(|line| if line == "}" { None } else { Some(line.trim()) });
        let mut borne: BTreeMap<String, String> = arms
            .filter_map(|arm| arm.strip_prefix("Code::")?.split_once(" => \""))
            .map(|(variant, title)| (word_of(variant), title.trim_end_matches("\",").to_owned()))
            .collect();
        assert!(borne.remove("MOVED").is_some(), "a redirect has no page, since clients follow it");
        assert_eq!(borne, promised);
    }

    /// Converts `NotFound` to `NOT_FOUND`.
    fn word_of(variant: &str) -> String {
        let parts = variant.char_indices().map(|(place, letter)| match letter.is_ascii_uppercase() && place > 0 {
            true => format!("_{letter}"),
            false => letter.to_ascii_uppercase().to_string(),
        });
        parts.collect()
    }
}
