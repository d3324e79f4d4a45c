//! Requests of the model: the contract's examples, with the ids and secrets of the model's world.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use labs_rest::contract::BodyKind;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use super::World;
use crate::harness::people::PASSWORD;
use crate::harness::{Call, contract};
use crate::model::case::Case;
use crate::model::machines::Company;
use crate::model::roster::Profile;

/// Required query parameters.
const QUERIES: &[(&str, &[(&str, &str)])] = &[
    ("admin_audit_records_summarise", &[("by", "OPERATION")]),
    ("admin_entitlements_delete_override", &[("reason", "The second brand has moved over.")]),
    ("admin_overview_search", &[("q", "kassen")]),
    ("admin_profiles_delete_image", &[("reason", "The image shows another company's mark.")]),
    ("admin_team_members_remove", &[("reason", "Left the company.")]),
    ("engagement_feature_requests_find_similar", &[("title", "Split the bill")]),
    ("marketplace_listings_suggest", &[("q", "table")]),
    ("publication_items_put_artefact", &[("file_name", "notes.txt")]),
    ("system_me_explain", &[("method", "POST"), ("path", "/v1/marketplace/apps")]),
];

/// The first example of the first media type of each operation.
static EXAMPLES: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let document: Value = yaml_serde::from_str(contract().text()).unwrap();
    let mut examples = BTreeMap::new();
    for operation in contract().operations() {
        let Some(form) = operation.body.as_ref().and_then(|body| body.forms.first()) else { continue };
        let method = operation.method.as_str().to_lowercase();
        let media = &document["paths"][&operation.path][&method]["requestBody"]["content"][&form.media_type];
        let several = media["examples"].as_object().and_then(|examples| examples.values().next());
        let named = several.map(|example| {
            let place = example["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
            &place.map_or(example, |place| document.pointer(place).unwrap())["value"]
        });
        let example = media.get("example").or(named).cloned().unwrap_or(Value::Null);
        examples.insert(operation.id.clone(), example);
    }
    examples
});

/// Adds query and body to a call.
pub(super) fn fill<'h>(world: &World, case: &Case, profile: &Profile, call: Call<'h>) -> Call<'h> {
    let operation = case.operation;
    let queries = QUERIES.iter().find(|(id, _)| *id == operation.id).map_or(&[][..], |(_, queries)| *queries);
    let call = queries.iter().fold(call, |call, (name, value)| call.query(name, value));
    let call = if case.is_flawed { call.query("no_such_parameter", "1") } else { call };
    let Some(form) = operation.body.as_ref().and_then(|body| body.forms.first()) else { return call };
    match form.kind {
        BodyKind::Json | BodyKind::MergePatch => call.json(&body(world, case, profile)),
        BodyKind::Form => credentials(world, case, call),
        BodyKind::Multipart => call.multipart(picture(&operation.id)),
        BodyKind::Binary => call.raw(&form.media_type, "Something to keep."),
    }
}

/// The client id and secret of a machine client, with an unknown token. Other callers send a token that is not one.
fn credentials<'h>(world: &World, case: &Case, call: Call<'h>) -> Call<'h> {
    let mut form = vec![("token", "unknown")];
    if case.operation.id == "auth_tokens_issue" {
        form = vec![("grant_type", "client_credentials")];
    }
    match world.secret(case.principal) {
        Some((client, secret)) => {
            form.extend([("client_id", client.as_str()), ("client_secret", secret.as_str())]);
            call.form(&form)
        }
        None if case.operation.id == "auth_tokens_issue" => {
            form.extend([("client_id", "labs-client-unknown"), ("client_secret", "labs_cs_unknown")]);
            call.form(&form)
        }
        None => call.form(&form),
    }
}

fn picture(operation: &str) -> Form {
    let image = image::RgbImage::from_pixel(512, 512, image::Rgb([20, 90, 160]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    let file = Part::bytes(bytes.into_inner()).file_name("picture.png").mime_str("image/png").unwrap();
    let form = Form::new().text("alt_text", "A till").part("file", file);
    if operation == "marketplace_media_upload" { form.text("kind", "ICON") } else { form }
}

/// Returns the JSON body: the example, or one with ids of the world.
fn body(world: &World, case: &Case, profile: &Profile) -> Value {
    let id = case.operation.id.as_str();
    let owner = case.owner(profile);
    let own = |name: &str| Value::from(world.owned(owner, name));
    let shared = |name: &str| Value::from(world.shared(name));
    let mut example = EXAMPLES[id].clone();
    let mut replace = |field: &str, value: Value| {
        example[field] = value;
        example.clone()
    };
    match id {
        "auth_sessions_create" => json!({ "email": world.owned(Company::Growth, "email"), "password": PASSWORD }),
        "auth_sessions_reauthenticate" => json!({ "password": PASSWORD }),
        "auth_sessions_refresh" | "auth_sessions_sign_out" | "auth_sessions_sign_out_everywhere" => json!({}),
        "auth_passwords_change" => replace("current_password", PASSWORD.into()),
        "marketplace_apps_put_categories" => {
            json!({ "primary_category_uuid": world.shared("category_uuid"), "further_category_uuids": [] })
        }
        "marketplace_categories_create" => replace("parent_uuid", Value::Null),
        "marketplace_categories_move" => json!({ "parent_uuid": null }),
        "marketplace_categories_deactivate" => json!({}),
        "marketplace_collections_create" => replace("listings", json!([world.owned(Company::Growth, "listing_slug")])),
        "marketplace_collections_update" => json!({ "titles": { "de": "Zeit für den Biergarten" } }),
        "marketplace_listings_submit_review" => replace("version_number", "1.0.0".into()),
        "marketplace_media_reorder" => replace("media_uuids", world.screenshots(owner)),
        "marketplace_moderation_approve_review" => json!({ "text_uuid": own("text_uuid") }),
        "marketplace_moderation_reject_review" => replace("text_uuid", own("text_uuid")),
        "marketplace_submissions_request_changes" | "marketplace_submissions_reject" => {
            let finding = json!({ "requirement_code": "REQ-14", "text": "Show a screen.", "where": "/version",
                                  "observed": "No screen shows it.", "why_now": null });
            json!({ "findings": [finding] })
        }
        "marketplace_versions_submit" if case.state == Some("REJECTED") => {
            json!({ "appeal": true, "appeal_text": "The permission is needed." })
        }
        "marketplace_versions_create" => replace("number", "2.0.0".into()),
        "partner_support_tickets_open" => {
            json!({ "subject": "Webhooks are refused", "body": "Since this morning.", "topic": "API" })
        }
        "partner_support_desk_update" => json!({ "state": "RESOLVED" }),
        "admin_partners_update" => {
            json!({ "website": "https://moselblick.example", "reason": "As agreed on the phone." })
        }
        "admin_apps_transfer" => replace("partner_uuid", world.owned(Company::Growth, "partner_uuid").into()),
        "admin_machine_clients_update" => replace("trusted_identities", json!([])),
        "admin_machine_clients_create" => replace("partner_uuid", own("partner_uuid")),
        "admin_subscriptions_change_tier" => json!({ "tier_code": "SCALE", "reason": "Agreed." }),
        "admin_staff_create" => replace("roles", json!([world.shared("role_code")])),
        "admin_staff_put_roles" => json!({ "roles": [world.shared("weak_role")] }),
        "engagement_feature_requests_propose" | "engagement_moderation_assign_topic" => {
            replace("topic_uuid", shared("topic_uuid"))
        }
        "engagement_moderation_merge" => replace("into_uuid", shared("other_request")),
        "engagement_topics_update" => json!({ "position": 3 }),
        _ => example,
    }
}
