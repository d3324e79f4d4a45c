//! Checks an operation's path against its id and its parameters.

use std::collections::BTreeSet;

use crate::contract::{Operation, ParameterIn};

/// Groups whose paths begin with another word: OAuth clients expect their path, and paths below /v1/partner belong to
/// one partner.
const OTHERS: [(&str, &str); 2] = [("auth", "oauth"), ("partner", "support-desk")];

/// Path parameter that names a partner.
const PARTNER: &str = "partner_uuid";

/// Returns the differences: the group at the start of the path, and the path parameters.
pub(super) fn differences(operation: &Operation) -> Vec<String> {
    let (id, path) = (&operation.id, operation.path.as_str());
    let mut found = Vec::new();
    let first = path.strip_prefix("/v1/").and_then(|rest| rest.split(['/', ':']).next()).unwrap_or_default();
    let group = operation.group.as_str();
    if first != group && !OTHERS.contains(&(group, first)) {
        found.push(format!("{id} has the path {path}, but the paths of its group must begin with /v1/{group}"));
    }
    let named: BTreeSet<&str> =
        path.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name)).collect();
    let promised: BTreeSet<&str> =
        operation.parameters_in(ParameterIn::Path).map(|parameter| parameter.name.as_str()).collect();
    for name in named.difference(&promised) {
        found.push(format!("{id} has the path {path}: declare the parameter {name}, or rename it in the path"));
    }
    for name in promised.difference(&named) {
        found.push(format!("{id} declares the path parameter {name}, but its path {path} does not contain it"));
    }
    found.extend(partner(operation, &promised));
    found
}

/// Checks that an operation for partners whose path names a partner declares that it accepts only the caller's.
fn partner(operation: &Operation, parameters: &BTreeSet<&str>) -> Option<String> {
    let names_partner = parameters.contains(PARTNER) && !operation.audited;
    let (id, requires) = (&operation.id, operation.requires_own_partner);
    if names_partner == requires {
        return None;
    }
    Some(if requires {
        format!("{id} declares PARTNER_MISMATCH, but no path parameter {PARTNER}, or it is for staff")
    } else {
        format!("{id} has the path parameter {PARTNER}: declare 403 with PARTNER_MISMATCH")
    })
}
