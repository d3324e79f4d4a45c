//! "Did you mean": finds the contract's path that is nearest to an unknown one.

use std::cmp::Reverse;

use labs_core::{Code, Fault};

use crate::contract::{Contract, nearest};

/// Names under which other APIs have these resources and actions.
const COMMON_NAMES: [(&str, &str); 12] = [
    ("login", "sessions"),
    ("signin", "sessions"),
    ("sign-in", "sessions"),
    ("logout", "sign-out"),
    ("signout", "sign-out"),
    ("refresh-token", "refresh"),
    ("register", "registrations"),
    ("signup", "registrations"),
    ("sign-up", "registrations"),
    ("whoami", "me"),
    ("users", "team-members"),
    ("members", "team-members"),
];
/// Maximum length of a compared path, in segments.
const MOST_SEGMENTS: usize = 12;

/// Returns the error for a path outside the contract.
pub(crate) fn err_no_such_path(contract: &Contract, raw_path: &str) -> Fault {
    let meant = near_path(contract, raw_path).map(|near| format!(" Did you mean {near}?")).unwrap_or_default();
    let detail = format!("No operation has this path.{meant} The reference at /reference lists every path.");
    Fault::new(Code::NotFound, detail)
}

/// Returns the template of the path that the caller probably meant, for example
/// `/v1/marketplace/apps/{app_uuid}:archive`, for a path with a slash instead of the verb's colon, without its version,
/// or with one mistyped piece. Otherwise, a path that ends in the same word: `/v1/system/me` for `/v1/me`.
fn near_path<'c>(contract: &'c Contract, raw_path: &str) -> Option<&'c str> {
    let path = raw_path.trim_end_matches('/');
    let segments: Vec<&str> = path.split(['/', ':']).filter(|piece| !piece.is_empty()).collect();
    if segments.is_empty() || segments.len() > MOST_SEGMENTS {
        return None;
    }
    let near = |template: &'c str| {
        let pieces = pieces(template);
        let version = pieces.first().filter(|version| segments.first() != Some(version));
        let versioned: Vec<&str> = version.into_iter().chain(&segments).copied().collect();
        Some((errors(&pieces, &versioned)?, template))
    };
    let templates = contract.operations().iter().map(|operation| operation.path.as_str());
    let nearest = templates.filter_map(near).min_by_key(|(errors, _)| *errors).map(|(_, template)| template);
    nearest.or_else(|| path_with_same_end(contract, &segments))
}

/// Returns the template whose last word is the last segment, or a common name for it. Of several, the one that shares
/// the most segments with the path; of equal ones, the shortest.
fn path_with_same_end<'c>(contract: &'c Contract, segments: &[&str]) -> Option<&'c str> {
    let last = *segments.last()?;
    let meant = COMMON_NAMES.iter().find(|(name, _)| *name == last).map_or(last, |(_, word)| word);
    let templates = contract.operations().iter().map(|operation| operation.path.as_str());
    let fitting = templates.filter_map(|template| {
        let pieces = pieces(template);
        let shared = pieces.iter().filter(|piece| segments.contains(piece)).count();
        (pieces.last() == Some(&meant)).then_some((Reverse(shared), pieces.len(), template))
    });
    fitting.min().map(|(_, _, template)| template)
}

/// Returns the pieces of a template: its segments, and its verb as the last.
fn pieces(template: &str) -> Vec<&str> {
    template.split(['/', ':']).filter(|piece| !piece.is_empty()).collect()
}

/// Returns the number of mistyped pieces; none if it is a different path.
fn errors(template: &[&str], segments: &[&str]) -> Option<usize> {
    if template.len() != segments.len() {
        return None;
    }
    let mut errors = 0;
    for (known, piece) in template.iter().zip(segments) {
        if known.starts_with('{') || known == piece {
            continue;
        }
        nearest(piece, [*known])?;
        errors += 1;
    }
    (errors <= 1).then_some(errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::sample::contract;

    #[test]
    fn near_path_suggests_existing_path() {
        let app = "/v1/marketplace/apps/019aa5c2-7b1e-7c40-9d52-3f8e6a1b0c47";
        let near = |path: &str| near_path(contract(), path);
        assert_eq!(near(&format!("{app}/archive")), Some("/v1/marketplace/apps/{app_uuid}:archive"));
        assert_eq!(near("/v1/marketplace/app"), Some("/v1/marketplace/apps"));
        assert_eq!(near("/v1/marketplace/apps/"), Some("/v1/marketplace/apps"));
        assert_eq!(near("/marketplace/apps"), Some("/v1/marketplace/apps"));
        assert_eq!(near(&format!("{app}:archiv")), Some("/v1/marketplace/apps/{app_uuid}:archive"));
        assert_eq!(near("/v1/me"), Some("/v1/system/me"));
        assert_eq!(near("/v1/marketplace/archive"), Some("/v1/marketplace/apps/{app_uuid}:archive"));
        for far in ["/", "/v1", "/wp-login.php", "/v1/markt/appz", &"/x".repeat(500)] {
            assert_eq!(near(far), None, "{far}");
        }
    }
}
