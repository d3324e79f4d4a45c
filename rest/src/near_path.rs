//! "Did you mean": finds the contract's path that is nearest to an unknown one.

use labs_core::{Code, Fault};

use crate::contract::{Contract, nearest};

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
/// or with one mistyped piece.
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
    templates.filter_map(near).min_by_key(|(errors, _)| *errors).map(|(_, template)| template)
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
        for far in ["/", "/v1", "/wp-login.php", "/v1/markt/appz", &"/x".repeat(500)] {
            assert_eq!(near(far), None, "{far}");
        }
    }
}
