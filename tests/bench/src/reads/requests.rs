//! Every read of the contract, as a request that finds something.

use std::collections::BTreeMap;

use anyhow::{Context as _, anyhow};
use labs_rest::contract::{Access, Contract, Operation, Parameter, ParameterIn};
use sqlx::PgConnection;

/// Optional query parameters that are sent anyway: the end of the period of the audit log, so that every response
/// contains the same records although new ones are added.
const GIVEN: &[&str] = &["recorded_at_until"];

/// A read and its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// Id of the operation.
    pub(crate) operation: String,
    /// Path with its parameters filled in.
    pub(crate) path: String,
    /// Access rule of the operation.
    pub(crate) access: Access,
}

/// Values of the parameters, by parameter name. A name may begin with an operation or a domain, and a dot.
type Things = BTreeMap<String, String>;

/// Returns every GET operation of the contract as a request for existing rows. If a request cannot be completed,
/// returns the missing parameter. Reads of the audit log come first, because every other audited read adds to the log.
pub(crate) async fn all(owner: &mut PgConnection) -> anyhow::Result<Vec<Result<Request, String>>> {
    let things: Vec<(String, Option<String>)> = sqlx::query_as(include_str!("things.sql")).fetch_all(owner).await?;
    let things = things.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let contract = Contract::embedded().map_err(|problems| anyhow!("the contract cannot be read: {problems:?}"))?;
    let mut reads: Vec<&Operation> = contract.operations().iter().map(AsRef::as_ref).collect();
    reads.retain(|operation| operation.method == http::Method::GET);
    reads.sort_by_key(|operation| !operation.id.starts_with("admin_audit_records"));
    let requests = reads.into_iter().map(|operation| {
        let filled = filled(operation, &things).map_err(|error| format!("{}: {error:#}", operation.id))?;
        Ok(Request { operation: operation.id.clone(), path: filled, access: operation.access.clone() })
    });
    Ok(requests.collect())
}

fn filled(operation: &Operation, things: &Things) -> anyhow::Result<String> {
    let mut path = operation.path.clone();
    for parameter in operation.parameters_in(ParameterIn::Path) {
        let thing = thing(operation, &parameter.name, things)?;
        path = path.replace(&format!("{{{}}}", parameter.name), thing);
    }
    let is_given = |parameter: &&Parameter| parameter.required || GIVEN.contains(&parameter.name.as_str());
    for (place, parameter) in operation.parameters_in(ParameterIn::Query).filter(is_given).enumerate() {
        let name = &parameter.name;
        let thing = thing(operation, name, things)?;
        let mark = if place == 0 { '?' } else { '&' };
        path = format!("{path}{mark}{name}={thing}");
    }
    Ok(path)
}

/// Returns the value of a parameter: for this operation, else for its domain (the first word of its id), else for all.
fn thing<'t>(operation: &Operation, name: &str, things: &'t Things) -> anyhow::Result<&'t String> {
    let domain = operation.id.split('_').next().unwrap_or_default();
    let names = [format!("{}.{name}", operation.id), format!("{domain}.{name}"), name.to_owned()];
    names.iter().find_map(|name| things.get(name)).with_context(|| format!("things.sql names no {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_filled_with_available_ids() {
        let contract = Contract::embedded().unwrap();
        let of = |id: &str, names: &[&str]| {
            let things = names.iter().map(|name| ((*name).to_owned(), format!("some-{name}"))).collect();
            filled(contract.operation(id).unwrap(), &things).map_err(|error| error.to_string())
        };
        let path = "/v1/marketplace/apps/some-app_uuid/media/some-media_uuid/content";
        assert_eq!(of("marketplace_media_get_content", &["app_uuid", "media_uuid"]).unwrap(), path);
        let explained = "/v1/system/me:explain?method=some-method&path=some-path";
        assert_eq!(of("system_me_explain", &["method", "path"]).unwrap(), explained);
        let suggested = "/v1/marketplace/public/search-suggestions?q=some-q";
        assert_eq!(of("marketplace_listings_suggest", &["q", "locale"]).unwrap(), suggested);
        // An optional filter of a list is omitted; `recorded_at_until` is not.
        let records = "/v1/admin/audit-records?recorded_at_until=some-recorded_at_until";
        assert_eq!(of("admin_audit_records_list", &["partner_uuid", "recorded_at_until"]).unwrap(), records);
        assert_eq!(of("marketplace_apps_get", &[]).unwrap_err(), "things.sql names no app_uuid");
        // The most specific value is used.
        let names = ["app_uuid", "marketplace.app_uuid", "marketplace_apps_get.app_uuid"];
        assert_eq!(
            of("marketplace_apps_get", &names).unwrap(),
            "/v1/marketplace/apps/some-marketplace_apps_get.app_uuid"
        );
        assert_eq!(of("marketplace_apps_get", &names[..2]).unwrap(), "/v1/marketplace/apps/some-marketplace.app_uuid");
    }
}
