//! Export for Insomnia (import format 4): a workspace with its environment, a folder for each group, and in it a
//! request for each operation. The user sets a value of a path once, in the environment.

use serde_json::{Map, Value, json};

use super::requests::{Body, Content, Field, Group, Parameter, Request, groups};
use super::{Versions, id_of, text_at};

/// Returns the export of all operations.
pub(super) fn export(contract: &Value, base_url: &str, versions: &Versions<'_>) -> Value {
    let workspace = identity("wrk", "workspace");
    let description = format!("{}\n\n{}", text_at(contract, "/info/description"), versions.sentence());
    let groups = groups(contract);
    let mut resources = vec![
        json!({
            "_id": workspace,
            "_type": "workspace",
            "parentId": null,
            "name": text_at(contract, "/info/title"),
            "description": description,
            "scope": "collection",
        }),
        json!({
            "_id": identity("env", "environment"),
            "_type": "environment",
            "parentId": workspace,
            "name": "Base Environment",
            "data": environment(&groups, base_url),
        }),
    ];
    for (place, group) in groups.iter().enumerate() {
        resources.extend(folder(&workspace, place, group));
    }
    json!({
        "_type": "export",
        "__export_format": 4,
        "__export_source": format!("labs:{}", versions.service),
        "resources": resources,
    })
}

/// Returns the variables of the environment: address, credentials, and the path parameters.
fn environment(groups: &[Group<'_>], base_url: &str) -> Map<String, Value> {
    let mut data = Map::new();
    for (name, value) in [("base_url", base_url), ("client_id", ""), ("client_secret", "")] {
        data.insert(name.to_owned(), json!(value));
    }
    for request in groups.iter().flat_map(|group| &group.requests) {
        for parameter in request.parameters_in("path").filter(|parameter| !parameter.is_enumerated) {
            data.entry(parameter.name).or_insert_with(|| json!(parameter.first()));
        }
    }
    data
}

fn identity(kind: &str, name: &str) -> String {
    format!("{kind}_{}", id_of(&format!("insomnia {name}")).simple())
}

fn folder(workspace: &str, place: usize, group: &Group<'_>) -> Vec<Value> {
    let id = identity("fld", group.name);
    let head = json!({
        "_id": id,
        "_type": "request_group",
        "parentId": workspace,
        "name": group.name,
        "description": group.description,
        "metaSortKey": place,
    });
    let requests = group.requests.iter().enumerate().map(|(place, request)| resource(&id, place, request));
    std::iter::once(head).chain(requests).collect()
}

fn resource(folder: &str, place: usize, request: &Request<'_>) -> Value {
    let media_type = request.body.as_ref().map(|body| json!({ "name": "Content-Type", "value": body.media_type }));
    let headers = media_type.into_iter().chain(request.parameters_in("header").flat_map(pairs));
    json!({
        "_id": identity("req", request.id),
        "_type": "request",
        "parentId": folder,
        "name": request.name,
        "description": request.description,
        "metaSortKey": place,
        "method": request.method,
        "url": format!("{{{{ _.base_url }}}}{}", request.path.replace('{', ":").replace('}', "")),
        "pathParameters": request.parameters_in("path").map(path_parameter).collect::<Vec<_>>(),
        "parameters": request.parameters_in("query").flat_map(pairs).collect::<Vec<_>>(),
        "headers": headers.collect::<Vec<_>>(),
        "body": request.body.as_ref().map_or_else(|| json!({}), body),
        "authentication": authentication(request.needs_token),
    })
}

fn authentication(needs_token: bool) -> Value {
    if !needs_token {
        return json!({ "type": "none" });
    }
    json!({
        "type": "oauth2",
        "grantType": "client_credentials",
        "accessTokenUrl": "{{ _.base_url }}/v1/oauth/token",
        "clientId": "{{ _.client_id }}",
        "clientSecret": "{{ _.client_secret }}",
        "credentialsInBody": true,
    })
}

/// Returns a path parameter. Its value is the environment's variable of the same name, if there is one.
fn path_parameter(parameter: &Parameter<'_>) -> Value {
    let Parameter { name, description, .. } = parameter;
    let own = || parameter.first().to_owned();
    let value = if parameter.is_enumerated { own() } else { format!("{{{{ _.{name} }}}}") };
    json!({ "name": name, "value": value, "description": description, "disabled": false })
}

/// Returns a parameter, once per value; disabled if it is optional.
fn pairs<'p>(parameter: &'p Parameter<'_>) -> impl Iterator<Item = Value> + use<'p> {
    let Parameter { name, description, required, values, .. } = parameter;
    values
        .iter()
        .map(move |value| json!({ "name": name, "value": value, "description": description, "disabled": !required }))
}

fn body(body: &Body<'_>) -> Value {
    let media_type = body.media_type;
    match &body.content {
        Content::Text(text) => json!({ "mimeType": media_type, "text": text }),
        Content::File => json!({ "mimeType": media_type, "fileName": "" }),
        Content::Fields(fields) => {
            json!({ "mimeType": media_type, "params": fields.iter().map(field).collect::<Vec<_>>() })
        }
    }
}

fn field(field: &Field<'_>) -> Value {
    match field.name {
        name if field.is_file => json!({ "name": name, "type": "file", "fileName": "" }),
        name @ ("client_id" | "client_secret") => json!({ "name": name, "value": format!("{{{{ _.{name} }}}}") }),
        name => json!({ "name": name, "value": field.value }),
    }
}
