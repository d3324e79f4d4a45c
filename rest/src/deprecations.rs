//! Deprecations in responses: affected requests, headers, and the served contract with its marks.
//!
//! ```text
//!   deprecations (cached in each replica) ──▶ marks of each operation ──▶ elements that a request sent ──▶ headers, counts
//!                                        └──▶ the contract with its marks
//! ```
//!
//! Headers: `X-Labs-Deprecation` and `Sunset` (RFC 8594) contain the earliest sunset, `Deprecation` (RFC 9745) the
//! earliest start. Each deprecation has a `Link` to its changelog entry, or to the reference until the entry is
//! released (docs/decisions/contract.md#deprecations).

pub(crate) mod marked;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use jiff::fmt::rfc2822;
use labs_core::context::Caller;
use labs_core::deprecation::{AnnouncedDeprecations, Deprecation, DeprecationTarget};
use labs_core::surface::Surface;
use labs_core::usage::Usage;
use serde_json::Value;

use crate::bind::query_pairs;
use crate::contract::{Contract, Operation};
use crate::precompressed::PrecompressedDocument;

/// Path of the reference's operation pages, below the base address.
const REFERENCE: &str = "/reference/operations/";

/// The last known deprecations, in indexed form.
#[derive(Default)]
pub(crate) struct DeprecationMarks(RwLock<Arc<Marks>>);

/// Deprecations by the operations that they affect.
#[derive(Default)]
pub(crate) struct Marks {
    all: Arc<AnnouncedDeprecations>,
    of_operation: HashMap<String, Vec<Mark>>,
    served: OnceLock<Arc<ServedContract>>,
}

/// The contract as it is served.
pub(crate) struct ServedContract {
    /// Text of the contract.
    pub(crate) document: PrecompressedDocument,
    /// SHA-256 of the text, in hexadecimal.
    pub(crate) digest: String,
}

/// A deprecation, and the affected requests of one operation.
#[derive(Clone)]
struct Mark {
    deprecation: Arc<Deprecation>,
    concerns: Concerns,
}

#[derive(Clone)]
enum Concerns {
    /// Every request.
    All,
    /// Requests with a parameter, or with this value of it.
    Parameter(String, Option<String>),
    /// Requests whose body has a value at one of these places, or this value there.
    Body(Vec<String>, Option<String>),
}

impl DeprecationMarks {
    /// Returns the marks of the current deprecations. They are rebuilt only after a change.
    pub(crate) fn of(&self, all: Arc<AnnouncedDeprecations>, surface: fn() -> &'static Surface) -> Arc<Marks> {
        let known = Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        if Arc::ptr_eq(&known.all, &all) || known.all == all {
            return known;
        }
        let made = Arc::new(Marks::new(all, surface));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&made);
        made
    }
}

impl Marks {
    fn new(all: Arc<AnnouncedDeprecations>, surface: fn() -> &'static Surface) -> Self {
        let mut of_operation = HashMap::<String, Vec<Mark>>::new();
        let mut add = |id: &str, deprecation: &Arc<Deprecation>, concerns: Concerns| {
            let mark = Mark { deprecation: Arc::clone(deprecation), concerns };
            of_operation.entry(id.to_owned()).or_default().push(mark);
        };
        for deprecation in &all.deprecations {
            match &deprecation.target {
                DeprecationTarget::Operation(id) => add(id, deprecation, Concerns::All),
                DeprecationTarget::Parameter { operation_id, name, value } => {
                    add(operation_id, deprecation, Concerns::Parameter(name.clone(), value.clone()));
                }
                DeprecationTarget::Field { schema, name, value } => {
                    let Some(field) = surface().fields.get(&(schema.clone(), name.clone())) else { continue };
                    for id in &field.answered_by {
                        add(id, deprecation, Concerns::All);
                    }
                    for (id, places) in field.read_by.iter().filter(|(id, _)| !field.answered_by.contains(*id)) {
                        add(id, deprecation, Concerns::Body(places.iter().cloned().collect(), value.clone()));
                    }
                }
            }
        }
        Self { all, of_operation, served: OnceLock::new() }
    }

    /// Returns the deprecations that affect a request to this operation by its head.
    pub(crate) fn marks_of_head(
        &self,
        operation: &Operation,
        query: Option<&str>,
        sent: &HeaderMap,
    ) -> Vec<Arc<Deprecation>> {
        let concerns = |mark: &&Mark| match &mark.concerns {
            Concerns::All => true,
            Concerns::Parameter(name, value) => sends(name, value.as_deref(), query, sent),
            Concerns::Body(..) => false,
        };
        self.of(operation).iter().filter(concerns).map(|mark| Arc::clone(&mark.deprecation)).collect()
    }

    /// Returns the further deprecations that affect a request by its body.
    pub(crate) fn marks_of_body(&self, operation: &Operation, body: Option<&Value>) -> Vec<Arc<Deprecation>> {
        let Some(body) = body else { return Vec::new() };
        let concerns = |mark: &&Mark| match &mark.concerns {
            Concerns::Body(places, value) => places.iter().any(|place| has(body, place, value.as_deref())),
            _ => false,
        };
        self.of(operation).iter().filter(concerns).map(|mark| Arc::clone(&mark.deprecation)).collect()
    }

    fn of(&self, operation: &Operation) -> &[Mark] {
        self.of_operation.get(&operation.id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the contract as it is served: with a mark at every deprecated element, and the changelog entries at the
    /// operations that they name. None if it has neither; then the built contract is served. It is built once, outside
    /// the threads that serve requests.
    pub(crate) async fn contract(self: &Arc<Self>, contract: &Contract) -> Option<Arc<ServedContract>> {
        if *self.all == AnnouncedDeprecations::default() {
            return None;
        }
        if let Some(served) = self.served.get() {
            return Some(Arc::clone(served));
        }
        let (marks, text) = (Arc::clone(self), contract.text().to_owned());
        let made = tokio::task::spawn_blocking(move || {
            let served = marks.served.get_or_init(|| {
                let text = marked::contract(&text, &marks.all);
                let digest = Contract::digest_of(&text);
                Arc::new(ServedContract { document: PrecompressedDocument::new(Bytes::from(text)), digest })
            });
            Arc::clone(served)
        });
        made.await.ok()
    }
}

/// Whether the query or the headers have a parameter, or this value of it.
fn sends(name: &str, value: Option<&str>, query: Option<&str>, sent: &HeaderMap) -> bool {
    let is_meant = |text: &str| value.is_none_or(|value| text == value || text.split(',').any(|one| one == value));
    let in_query = query_pairs(query.unwrap_or_default()).any(|(known, text)| known == name && is_meant(&text));
    let mut in_headers = sent.get_all(name).iter().filter_map(|text| text.to_str().ok());
    in_query || in_headers.any(is_meant)
}

/// Whether a body has a value at a place, or this value there. `*` in the place means every entry.
fn has(body: &Value, place: &str, value: Option<&str>) -> bool {
    let Some(rest) = place.strip_prefix('/') else {
        let is_value = |found: &Value| value.is_none_or(|value| found.as_str() == Some(value));
        return is_value(body) || body.as_array().is_some_and(|all| all.iter().any(is_value));
    };
    let (step, _) = rest.split_once('/').unwrap_or((rest, ""));
    let below = rest.strip_prefix(step).unwrap_or_default();
    match (step, body) {
        ("*", Value::Array(entries)) => entries.iter().any(|entry| has(entry, below, value)),
        ("*", Value::Object(entries)) => entries.values().any(|entry| has(entry, below, value)),
        (step, Value::Object(fields)) => {
            let name = if step.contains('~') {
                Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
            } else {
                Cow::Borrowed(step)
            };
            fields.get(name.as_ref()).is_some_and(|field| has(field, below, value))
        }
        _ => false,
    }
}

/// Counts a request that these deprecations affect.
pub(crate) fn count(usage: &Usage, found: &[Arc<Deprecation>], caller: &Caller) {
    let principal = caller.principal.as_ref();
    let account = principal.map(|principal| principal.budget.account.as_str());
    let client_uuid = principal.filter(|principal| principal.client_id.is_some()).map(|principal| principal.uuid);
    let mut seen = HashSet::new();
    for deprecation in found.iter().filter(|deprecation| seen.insert(deprecation.uuid)) {
        usage.note_deprecated(deprecation.uuid, account, client_uuid);
    }
}

/// Adds the headers for these deprecations to a response; none without deprecations. A deprecation whose changelog
/// entry is not released links to the operation's page in the reference.
pub(crate) fn announce(out: &mut HeaderMap, found: &[Arc<Deprecation>], operation_id: &str, base_url: &str) {
    let ends = found.iter().map(|deprecation| deprecation.sunset_at.0).min();
    let begins = found.iter().map(|deprecation| deprecation.deprecated_at.unix()).min();
    let (Some(ends), Some(begins)) = (ends, begins) else { return };
    let mut text = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            out.insert(HeaderName::from_static(name), value);
        }
    };
    text("x-labs-deprecation", &ends.strftime("%Y-%m-%d").to_string());
    text("deprecation", &format!("@{begins}"));
    if let Ok(date) = rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&ends) {
        text("sunset", &date);
    }
    let page = |deprecation: &Arc<Deprecation>| match &deprecation.released {
        Some(released) => format!("{}{}", marked::ENTRY, released.entry_slug),
        None => format!("{REFERENCE}{operation_id}"),
    };
    for page in found.iter().map(page).collect::<BTreeSet<_>>() {
        let link = format!("<{base_url}{page}>; rel=\"deprecation\"; type=\"text/html\"");
        if let Ok(link) = HeaderValue::from_str(&link) {
            out.append(header::LINK, link);
        }
    }
}

#[cfg(test)]
mod tests {
    use labs_core::deprecation::ReleasedDeprecation;
    use serde_json::json;

    use super::*;

    #[test]
    fn deprecated_body_places_are_found_at_any_depth() {
        let body = json!({"a": {"b": 1}, "list": [{"c": "x"}, {"d": null, "e": ["y", "z"]}], "map": {"one": {"f": 1}}});
        for (place, value, expected) in [
            ("/a", None, true),
            ("/a/b", None, true),
            ("/b", None, false),
            ("/list/*/c", None, true),
            ("/list/*/d", None, true),
            ("/list/*/f", None, false),
            ("/map/*/f", None, true),
            ("/list/*/c", Some("x"), true),
            ("/list/*/c", Some("y"), false),
            ("/list/*/e", Some("z"), true),
        ] {
            assert_eq!(has(&body, place, value), expected, "{place} {value:?}");
        }
    }

    #[test]
    fn deprecated_parameter_is_found_in_decoded_query_and_headers() {
        let headers = HeaderMap::from_iter([(HeaderName::from_static("x-kind"), HeaderValue::from_static("A"))]);
        let sends = |name: &str, value: Option<&str>| sends(name, value, Some("so%72t=-name,state&q=a+b"), &headers);
        assert!(
            sends("sort", None) && sends("sort", Some("state")) && sends("q", Some("a b")) && sends("x-kind", None)
        );
        assert!(!sends("sort", Some("name")) && !sends("limit", None) && !sends("x-kind", Some("B")));
    }

    #[test]
    fn earliest_deprecation_wins_and_each_is_linked() {
        let of = |slug: Option<&str>, from: &str, until: &str| {
            let released =
                slug.map(|slug| ReleasedDeprecation { replacement: String::new(), entry_slug: slug.to_owned() });
            Arc::new(Deprecation {
                uuid: uuid::Uuid::nil(),
                target: DeprecationTarget::Operation("a_list".to_owned()),
                deprecated_at: from.parse().unwrap(),
                sunset_at: until.parse().unwrap(),
                released,
            })
        };
        let found = [
            of(Some("later"), "2026-01-02T00:00:00Z", "2027-05-01T00:00:00Z"),
            of(Some("earlier"), "2026-03-01T00:00:00Z", "2027-01-01T10:00:00Z"),
            of(None, "2026-03-01T00:00:00Z", "2027-06-01T00:00:00Z"),
            of(None, "2026-03-01T00:00:00Z", "2027-07-01T00:00:00Z"),
        ];
        let mut out = HeaderMap::new();
        announce(&mut out, &found, "a_list", "https://labs.example");
        assert_eq!(out["x-labs-deprecation"], "2027-01-01");
        assert_eq!(out["deprecation"], "@1767312000");
        assert_eq!(out["sunset"], "Fri, 01 Jan 2027 10:00:00 GMT");
        let pages = ["changelog/earlier", "changelog/later", "reference/operations/a_list"];
        let links = pages.map(|page| format!("<https://labs.example/{page}>; rel=\"deprecation\"; type=\"text/html\""));
        assert!(out.get_all("link").iter().eq(&links), "{out:?}");
        let mut none = HeaderMap::new();
        announce(&mut none, &[], "a_list", "https://labs.example");
        assert!(none.is_empty());
    }
}
