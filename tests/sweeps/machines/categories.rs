//! State machine of categories.

use serde_json::{Value, json};

use super::{Machine, nothing_else};
use crate::sweeps::Cast;

#[tokio::test]
async fn category_follows_its_state_machine() {
    let cast = Cast::new().await;
    let body = json!({ "names": { "en": "Loyalty" } });
    let call = cast.harness.call("marketplace_categories_create").token(&cast.staff.token);
    let made = call.json(&body).expect(201).await;
    let uuid = made.str("uuid").parse().unwrap();
    Machine {
        thing: "Category",
        table: "category",
        key: "category_uuid",
        uuid,
        places: &[("category_uuid", uuid)],
        actions: &[
            ("deactivate", "marketplace_categories_deactivate", json!({})),
            ("activate", "marketplace_categories_activate", Value::Null),
            ("move", "marketplace_categories_move", json!({ "parent_uuid": null })),
        ],
        gone: &[],
        dress: nothing_else,
        others: &[],
    }
    .walk(&cast)
    .await;
}
