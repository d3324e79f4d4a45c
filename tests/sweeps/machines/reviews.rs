//! State machine of customer reviews.

use serde_json::json;
use uuid::Uuid;

use super::Machine;
use crate::sweeps::Cast;

#[tokio::test]
async fn customer_review_follows_its_state_machine() {
    let cast = Cast::new().await;
    let create = cast.harness.call("marketplace_apps_create").token(&cast.administrator.token);
    let app = create.json(&json!({ "name": "Table Pilot" })).expect(201).await.str("uuid").to_owned();
    let [uuid, text] = [1, 2].map(|number| Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0000 + number));
    cast.harness
        .sql(&format!(
            "with made as (
                 insert into customer_review (review_uuid, app_uuid, waiting_text_uuid, waiting_since)
                 values ('{uuid}', '{app}', '{text}', labs_now()))
             insert into customer_review_text (text_uuid, review_uuid, rating, locale)
             values ('{text}', '{uuid}', 4, 'en')"
        ))
        .await;
    Machine {
        thing: "Customer review",
        table: "customer_review",
        key: "review_uuid",
        uuid,
        places: &[("review_uuid", uuid)],
        actions: &[
            ("approve", "marketplace_moderation_approve_review", json!({ "text_uuid": text })),
            ("reject", "marketplace_moderation_reject_review", json!({ "text_uuid": text, "reason": "SPAM" })),
        ],
        gone: &[],
        dress: |state| match state {
            "PENDING" => {
                ", waiting_text_uuid = coalesce(waiting_text_uuid, shown_text_uuid, rejected_text_uuid),
                   shown_text_uuid = null, rejected_text_uuid = null, rating = null, locale = null, written_at = null, has_text = null,
                   waiting_since = labs_now()"
            }
            "PUBLISHED" => {
                ", shown_text_uuid = coalesce(waiting_text_uuid, shown_text_uuid, rejected_text_uuid),
                   waiting_text_uuid = null, rejected_text_uuid = null, rating = 4, locale = 'en', written_at = labs_now(), has_text = false,
                   waiting_since = null"
            }
            _ => {
                ", rejected_text_uuid = coalesce(waiting_text_uuid, shown_text_uuid, rejected_text_uuid),
                   shown_text_uuid = null, waiting_text_uuid = null, rating = null, locale = null, written_at = null, has_text = null,
                   waiting_since = null"
            }
        },
        others: &[],
    }
    .walk(&cast)
    .await;
}
