//! Maps a path to an operation of the contract. One matcher behind one function (ARCHITECTURE.md).
//!
//! The custom verb is split off the raw, undecoded last segment, so that `…/{uuid}:archive` and `…/{uuid}` are always
//! distinct. Values stay raw: the binder decodes and parses them by their schema, and a value that does not parse is
//! 404. Any irregular path is 404 too.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use http::Method;
use matchit::Router;

use crate::contract::{Contract, Operation, Problem, Segment};

/// Matcher of all paths of a contract.
pub struct Routes {
    /// Paths by custom verb; paths without a verb have the empty text as their key.
    by_verb: HashMap<String, Router<Resource>>,
    /// First segments of all paths.
    roots: BTreeSet<String>,
}

/// Result of matching a path.
#[derive(Debug)]
pub enum Match<'r, 'p> {
    /// An operation, and the raw values of its path parameters in the order of the path.
    Operation {
        /// The operation.
        operation: &'r Arc<Operation>,
        /// Names and raw values of the parameters, still percent-encoded.
        values: Vec<(&'r str, &'p str)>,
    },
    /// The path exists and does not support the method: 405 with these methods in `Allow`.
    MethodNotAllowed {
        /// Supported methods, including HEAD and OPTIONS, sorted.
        allow: Vec<Method>,
    },
    /// The path does not exist.
    NotFound,
}

/// The operations of one path.
#[derive(Debug, Default)]
struct Resource {
    /// Operations by method.
    methods: BTreeMap<&'static str, Arc<Operation>>,
}

impl Routes {
    /// Builds the matcher.
    ///
    /// # Errors
    /// Ambiguous paths, each with its contract piece.
    pub fn new(contract: &Contract) -> Result<Routes, Vec<Problem>> {
        let mut resources: BTreeMap<(String, String), Resource> = BTreeMap::new();
        let mut problems = Vec::new();
        for operation in contract.operations() {
            let key = (operation.verb.clone().unwrap_or_default(), pattern(operation));
            let methods = &mut resources.entry(key).or_default().methods;
            match known_method(&operation.method) {
                Some(method) if !methods.contains_key(method) => {
                    methods.insert(method, Arc::clone(operation));
                }
                Some(_) => problems.push(problem(operation, "another operation has this method and path")),
                None => problems.push(problem(operation, "this method is not routed")),
            }
        }
        let mut by_verb: HashMap<String, Router<Resource>> = HashMap::new();
        for ((verb, pattern), resource) in resources {
            let first = resource.methods.values().next().map(Arc::clone);
            let router = by_verb.entry(verb).or_default();
            if let (Err(error), Some(operation)) = (router.insert(pattern, resource), first) {
                problems.push(problem(&operation, &error.to_string()));
            }
        }
        let roots = contract.operations().iter().filter_map(|operation| root(&operation.path).map(str::to_owned));
        let roots = roots.collect();
        if problems.is_empty() { Ok(Routes { by_verb, roots }) } else { Err(problems) }
    }

    /// Finds the operation of `method` on the raw path (as in the request line, without the query). HEAD finds the
    /// operation of GET.
    pub fn find<'r, 'p>(&'r self, method: &Method, raw_path: &'p str) -> Match<'r, 'p> {
        let Some((resource, values)) = self.resource(raw_path) else {
            return Match::NotFound;
        };
        let method = if method == Method::HEAD { &Method::GET } else { method };
        let Some(operation) = resource.methods.get(method.as_str()) else {
            return Match::MethodNotAllowed { allow: resource.allow() };
        };
        let names = operation.segments.iter().filter_map(|segment| match segment {
            Segment::Parameter(name) => Some(name.as_str()),
            Segment::Fixed(_) => None,
        });
        Match::Operation { values: names.zip(values).collect(), operation }
    }

    /// Whether a path begins like a path of the contract, so that no other route can match it.
    pub fn own(&self, raw_path: &str) -> bool {
        root(raw_path).is_some_and(|root| self.roots.contains(root))
    }

    /// Returns the methods of a path, for `Allow` on OPTIONS; none for an unknown path.
    pub fn allow(&self, raw_path: &str) -> Option<Vec<Method>> {
        self.resource(raw_path).map(|(resource, _)| resource.allow())
    }

    fn resource<'r, 'p>(&'r self, raw_path: &'p str) -> Option<(&'r Resource, Vec<&'p str>)> {
        if !is_plain(raw_path) {
            return None;
        }
        for (path, verb) in readings(raw_path) {
            let found = self.by_verb.get(verb).and_then(|router| router.at(path).ok());
            if let Some(found) = found {
                let values = found.params.iter().map(|(_, value)| value).collect();
                return Some((found.value, values));
            }
        }
        None
    }
}

impl Resource {
    fn allow(&self) -> Vec<Method> {
        let mut names: Vec<&str> = self.methods.keys().copied().collect();
        if names.contains(&"GET") {
            names.push("HEAD");
        }
        names.push("OPTIONS");
        names.sort_unstable();
        names.into_iter().filter_map(|name| Method::from_bytes(name.as_bytes()).ok()).collect()
    }
}

/// Returns the first segment of a path.
fn root(path: &str) -> Option<&str> {
    path.strip_prefix('/')?.split('/').next()
}

/// Returns the possible readings of a path's last segment, the most likely first. A colon always separates a verb.
/// `%3A` may mean that colon, because some clients encode it; if no route has that verb, it is part of the value.
fn readings(raw_path: &str) -> impl Iterator<Item = (&str, &str)> {
    let start = raw_path.rfind('/').map_or(0, |slash| slash + 1);
    let last = raw_path.get(start..).unwrap_or_default();
    let split = |colon: usize, width: usize| {
        let path = raw_path.get(..start + colon)?;
        Some((path, last.get(colon + width..)?)).filter(|(_, verb)| !verb.is_empty())
    };
    let (first, second) = match last.rfind(':') {
        Some(colon) => (split(colon, 1), None),
        None => {
            let encoded = last.rfind("%3A").max(last.rfind("%3a"));
            (encoded.and_then(|colon| split(colon, 3)), Some((raw_path, "")))
        }
    };
    first.into_iter().chain(second)
}

/// Whether a path is regular: absolute, without an empty or dot segment (plain or encoded), and without an encoded
/// slash, backslash or control character. Every other path is 404.
fn is_plain(raw_path: &str) -> bool {
    let Some(segments) = raw_path.strip_prefix('/') else {
        return false;
    };
    segments.split('/').all(|segment| {
        !segment.is_empty() && !is_dots(segment) && !segment.contains('\\') && !has_hidden_character(segment)
    })
}

/// Whether the segment is `.` or `..`, plain or encoded.
fn is_dots(segment: &str) -> bool {
    let mut rest = segment;
    let mut dots = 0;
    while !rest.is_empty() {
        let Some(after) =
            rest.strip_prefix('.').or_else(|| rest.strip_prefix("%2e")).or_else(|| rest.strip_prefix("%2E"))
        else {
            return false;
        };
        rest = after;
        dots += 1;
    }
    dots <= 2
}

/// Whether the segment contains an encoded slash, backslash or control character.
fn has_hidden_character(segment: &str) -> bool {
    segment.split('%').skip(1).any(|part| {
        let byte = part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        byte.is_some_and(|byte| byte < 0x20 || matches!(byte, b'/' | b'\\' | 0x7f))
    })
}

/// Returns the pattern of an operation's path without its verb. Parameters are numbered, so that two operations may
/// name the same position differently.
fn pattern(operation: &Operation) -> String {
    let mut pattern = String::new();
    for (number, segment) in operation.segments.iter().enumerate() {
        match segment {
            Segment::Fixed(text) => {
                pattern.push('/');
                pattern.push_str(&text.replace('{', "{{").replace('}', "}}"));
            }
            Segment::Parameter(_) => pattern.push_str(&format!("/{{p{number}}}")),
        }
    }
    pattern
}

fn known_method(method: &Method) -> Option<&'static str> {
    ["GET", "POST", "PUT", "PATCH", "DELETE"].into_iter().find(|known| method.as_str() == *known)
}

fn problem(operation: &Operation, what: &str) -> Problem {
    Problem::new(operation.file(), &operation.id, what)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contract::sample::contract;

    fn routes() -> Routes {
        Routes::new(contract()).unwrap()
    }

    /// Returns the id of the operation, or the status of the error.
    fn found(method: Method, path: &str) -> String {
        match routes().find(&method, path) {
            Match::Operation { operation, .. } => operation.id.clone(),
            Match::MethodNotAllowed { .. } => "405".to_owned(),
            Match::NotFound => "404".to_owned(),
        }
    }

    const APP: &str = "/v1/marketplace/apps/019aa5c2-7b1e-7c40-9d52-3f8e6a1b0c47";

    #[test]
    fn resource_and_custom_verb_routes_are_distinguished() {
        assert_eq!(found(Method::GET, APP), "marketplace_apps_get");
        assert_eq!(found(Method::POST, &format!("{APP}:archive")), "marketplace_apps_archive");
        assert_eq!(found(Method::GET, &format!("{APP}:archive")), "405");
        assert_eq!(found(Method::POST, &format!("{APP}:unknown")), "404");
        assert_eq!(found(Method::GET, &format!("{APP}:unknown")), "404");
        assert_eq!(found(Method::POST, APP), "405");
        assert_eq!(found(Method::GET, "/v1/system/me:explain"), "system_me_explain");
        assert_eq!(found(Method::GET, "/v1/system/me"), "system_me_get");
        assert_eq!(found(Method::GET, "/v1/admin/audit-records:export"), "admin_audit_records_export");
    }

    #[test]
    fn encoded_colon_matches_only_custom_verb_routes() {
        assert_eq!(found(Method::POST, &format!("{APP}%3Aarchive")), "marketplace_apps_archive");
        assert_eq!(found(Method::POST, &format!("{APP}%3aarchive")), "marketplace_apps_archive");
        let routes = routes();
        let slug = "/v1/marketplace/public/listings/a%3Aarchive";
        match routes.find(&Method::GET, slug) {
            Match::Operation { operation, values } => {
                assert_eq!(operation.id, "marketplace_listings_get");
                assert_eq!(values, [("listing_slug", "a%3Aarchive")]);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn malformed_paths_are_not_found() {
        for path in [
            "",
            "/",
            "v1/system/me",
            "/v1/system/me/",
            "/v1//system/me",
            "//v1/system/me",
            "/v1/system/./me",
            "/v1/system/../system/me",
            "/v1/system/%2e%2e/system/me",
            "/v1/system/.%2E/me",
            "/v1/system%2Fme",
            "/v1/marketplace/apps/a%2fb",
            "/v1/marketplace/apps/a%5Cb",
            "/v1/marketplace/apps/a\\b",
            "/v1/marketplace/apps/a%00",
            "/v1/marketplace/apps/%7f",
            "/v1/system/me:",
            "/v1/system/me:explain:",
            "/v1/system/me:explain:explain",
            "/v1/system/ME",
            "/v1/marketplace/apps/",
            "/v1/marketplace/apps/:archive",
            "/v1/system/me%2",
        ] {
            assert_eq!(found(Method::GET, path), "404", "{path}");
            assert_eq!(routes().allow(path), None, "{path}");
        }
    }

    #[test]
    fn head_matches_get_and_allow_lists_both() {
        assert_eq!(found(Method::HEAD, APP), "marketplace_apps_get");
        assert_eq!(found(Method::HEAD, "/v1/oauth/token"), "405");
        let names = |path: &str| {
            let allow = routes().allow(path).unwrap();
            allow.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(names(APP), ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH"]);
        assert_eq!(names("/v1/oauth/token"), ["OPTIONS", "POST"]);
        match routes().find(&Method::PUT, "/v1/oauth/token") {
            Match::MethodNotAllowed { allow } => assert_eq!(allow, [Method::OPTIONS, Method::POST]),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn path_values_are_returned_in_order_with_names() {
        let routes = routes();
        let path = "/v1/marketplace/apps/one/media/two%20too/content";
        match routes.find(&Method::GET, path) {
            Match::Operation { values, .. } => {
                assert_eq!(values, [("app_uuid", "one"), ("media_uuid", "two%20too")]);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn embedded_contract_is_fully_routed() {
        let contract = Contract::embedded().unwrap();
        let routes = Routes::new(&contract).unwrap();
        for operation in contract.operations() {
            let path = operation.path.replace(['{', '}'], "");
            match routes.find(&operation.method, &path) {
                Match::Operation { operation: found, .. } => assert_eq!(found.id, operation.id),
                other => panic!("{path} finds {other:?}"),
            }
        }
    }

    proptest! {
        /// Every operation's path, with any ids, matches this operation and no other.
        #[test]
        fn each_path_routes_to_its_operation(values in proptest::collection::vec("[A-Za-z0-9_~-]{1,40}", 4)) {
            let routes = routes();
            for operation in contract().operations() {
                let mut ids = values.iter().cycle();
                let mut path = String::new();
                for segment in &operation.segments {
                    path.push('/');
                    path.push_str(match segment {
                        Segment::Fixed(text) => text,
                        Segment::Parameter(_) => ids.next().unwrap(),
                    });
                }
                if let Some(verb) = &operation.verb {
                    path.push(':');
                    path.push_str(verb);
                }
                match routes.find(&operation.method, &path) {
                    Match::Operation { operation: found, .. } => prop_assert_eq!(&found.id, &operation.id),
                    other => prop_assert!(false, "{} finds {:?}", path, other),
                }
            }
        }

        /// No text makes the matcher panic; an irregular one is not found.
        #[test]
        fn arbitrary_paths_do_not_panic(path in "[/%:.a-z0-9A-F{}*\\\\é-]{0,60}") {
            let _ = routes().find(&Method::GET, &path);
        }
    }
}
