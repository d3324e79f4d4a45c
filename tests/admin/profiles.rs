//! Tests of partner profiles for staff: staff read draft and published copy, and give a reason when they take a profile
//! down.

use serde_json::json;

use crate::harness::people::Person;
use crate::harness::{Call, Harness};

const SCOPES: &[&str] = &["labs.admin.partners:write"];

fn png(width: u32, height: u32) -> Vec<u8> {
    let picture = image::RgbImage::from_pixel(width, height, image::Rgb([20, 90, 160]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn own<'h>(harness: &'h Harness, person: &Person, operation: &str) -> Call<'h> {
    harness.call(operation).path("partner_uuid", person.partner_uuid.unwrap()).token(&person.token)
}

/// Returns a service with a partner whose profile is published, and a staff member.
async fn published() -> (Harness, Person, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let person = harness.partner("Nordsee Kassen").await;
    let texts = json!({ "texts": { "de": { "tagline": "Kassen", "description": "Kassen für Küsten." } } });
    own(&harness, &person, "partner_profile_update").json(&texts).expect(200).await;
    for (kind, bytes) in [("LOGO", png(256, 256)), ("BANNER", png(1_120, 300))] {
        let form = reqwest::multipart::Form::new().part("file", reqwest::multipart::Part::bytes(bytes).file_name("a"));
        own(&harness, &person, "partner_imagery_put").path("kind", kind).multipart(form).expect(200).await;
    }
    own(&harness, &person, "partner_profile_publish").expect(200).await;
    let staff = harness.staff("Petra Partners", SCOPES).await;
    (harness, person, staff)
}

fn at<'h>(harness: &'h Harness, staff: &Person, partner: &Person, operation: &str) -> Call<'h> {
    harness.call(operation).path("partner_uuid", partner.partner_uuid.unwrap()).token(&staff.token)
}

#[tokio::test]
async fn staff_take_profile_down_and_team_sees_reason() {
    let (harness, person, staff) = published().await;
    let seen = at(&harness, &staff, &person, "admin_profiles_get").expect(200).await;
    let written = own(&harness, &person, "partner_profile_get").expect(200).await.json;
    let what_each_can_do = (&seen.json["allowed_actions"], &written["allowed_actions"]);
    assert_eq!(what_each_can_do, (&json!(["unpublish"]), &json!(["publish", "unpublish"])));
    let without = |page: &serde_json::Value| {
        let fields = page.as_object().unwrap().iter().filter(|(name, _)| *name != "allowed_actions");
        fields.map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>()
    };
    assert_eq!(without(&seen.json), without(&written), "the same page beside that");
    let reason = json!({ "reason": "It uses another company's mark." });
    let down = at(&harness, &staff, &person, "admin_profiles_unpublish").json(&reason).expect(200).await;
    assert_eq!((down.str("state"), down.str("state_reason")), ("TAKEN_DOWN", "It uses another company's mark."));
    let again = at(&harness, &staff, &person, "admin_profiles_unpublish").json(&reason).expect(409).await;
    assert_eq!(again.code(), "ILLEGAL_TRANSITION");
    let page = own(&harness, &person, "partner_profile_get").expect(200).await;
    assert_eq!(page.str("state_reason"), "It uses another company's mark.");
    // The partner cannot publish the same profile again, but can publish a changed one.
    let refused = own(&harness, &person, "partner_profile_publish").expect(409).await;
    assert_eq!(refused.json["errors"][0]["code"], "UNCHANGED");
    let mended = json!({ "texts": { "de": { "tagline": "Eigene Kassen" } } });
    own(&harness, &person, "partner_profile_update").json(&mended).expect(200).await;
    let back = own(&harness, &person, "partner_profile_publish").expect(200).await;
    assert_eq!((back.str("state"), &back.json["state_reason"]), ("PUBLISHED", &serde_json::Value::Null));
    let told = "select count(*) from partner_event where kind = 'PROFILE_TAKEN_DOWN' and actor_kind = 'STAFF_USER'
                 and reason = 'It uses another company''s mark.'";
    assert_eq!(harness.number(told).await, 1);
    let recorded = "select count(*) from audit_log as l join audit_change as c using (record_uuid)
                     where l.operation = 'admin_profiles_unpublish' and l.reason is not null and c.thing = 'partner_profile'
                       and l.partner_uuid is not null";
    assert_eq!(harness.number(recorded).await, 1);
}

#[tokio::test]
async fn image_deleted_by_staff_disappears_from_draft_and_storefront() {
    let (harness, person, staff) = published().await;
    let list =
        at(&harness, &staff, &person, "admin_profiles_list_imagery").query("include_total", true).expect(200).await;
    assert_eq!((&list.json["page"]["total"], list.json["data"].as_array().unwrap().len()), (&json!(2), 2));
    let delete = |kind: &str| {
        let call = at(&harness, &staff, &person, "admin_profiles_delete_image").path("kind", kind);
        call.query("reason", "Another company's mark")
    };
    let silent = at(&harness, &staff, &person, "admin_profiles_delete_image").path("kind", "BANNER").expect(422).await;
    assert_eq!(silent.json["errors"][0]["parameter"], "reason");
    delete("BANNER").expect(204).await;
    delete("BANNER").expect(404).await;
    let page = own(&harness, &person, "partner_profile_get").expect(200).await;
    assert_eq!((page.str("state"), &page.json["banner"]), ("PUBLISHED", &serde_json::Value::Null));
    assert_eq!(page.json["published"]["banner"], serde_json::Value::Null);
    assert!(page.json["published"]["logo"].is_object());
    assert_eq!(harness.number("select count(*) from partner_image where kind = 'BANNER'").await, 0);
    let told = "select count(*) from partner_event where kind = 'IMAGE_DELETED' and reason = 'Another company''s mark'";
    assert_eq!(harness.number(told).await, 1);
    let record =
        "select count(*) from audit_log where operation = 'admin_profiles_delete_image' and outcome = 'SUCCEEDED'
                   and reason = 'Another company''s mark'";
    assert_eq!(harness.number(record).await, 1);
}

#[tokio::test]
async fn unknown_partner_is_not_found() {
    let (harness, _, staff) = published().await;
    let nobody = uuid::Uuid::from_u128(7);
    for operation in ["admin_profiles_get", "admin_profiles_list_imagery"] {
        harness.call(operation).path("partner_uuid", nobody).token(&staff.token).expect(404).await;
    }
    let down = harness.call("admin_profiles_unpublish").path("partner_uuid", nobody).token(&staff.token);
    down.json(&json!({ "reason": "x" })).expect(404).await;
}
