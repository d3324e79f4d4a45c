//! Tests of the artefacts of developer resources.

use serde_json::json;

use super::desk::{Desk, errors};
use crate::harness::Call;

const BYTES: &str = "application/octet-stream";

impl Desk {
    fn put(&self, item: &str, file_name: &str, content: &str) -> Call<'_> {
        self.about("publication_items_put_artefact", item).query("file_name", file_name).raw(BYTES, content)
    }
}

#[tokio::test]
async fn resource_release_requires_file_that_matches_its_extension() {
    let desk = Desk::new().await;
    let item = desk.draft("DEVELOPER_RESOURCE", "The contract").await;
    let bare = desk.step("release", &item).await;
    assert_eq!((bare.status, bare.code()), (409, "CONFLICT"));
    for (name, content, found) in [
        ("a.json", "{", "CONTENT "),
        ("a.zip", "%PDF-", "CONTENT "),
        ("a.exe", "MZ", "KIND file_name"),
        ("..", "x", "NAME file_name"),
    ] {
        let refused = desk.put(&item, name, content).send().await;
        assert_eq!((refused.status, errors(&refused)), (422, vec![found.to_owned()]), "{name}");
    }
    assert!(desk.harness.objects().await.is_empty(), "nothing is kept of what is refused");
    let put = desk.put(&item, "../labs.json", "{\"openapi\": \"3.1.1\"}").expect(200).await;
    let artefact = &put.json["artefact"];
    assert_eq!((&artefact["file_name"], &artefact["media_type"]), (&json!("labs.json"), &json!("application/json")));
    assert_eq!((&artefact["size_bytes"], desk.harness.objects().await.len()), (&json!(20), 1));
    assert_eq!(desk.step("release", &item).await.status, 200);

    let unsaid = desk.put(&item, "labs.json", "{}").send().await;
    assert_eq!((unsaid.status, errors(&unsaid)), (422, vec!["REQUIRED reason".to_owned()]));
    desk.put(&item, "labs.json", "{\"openapi\": \"3.1.1\"}").expect(200).await;
    assert_eq!(desk.steps(&item).await.len(), 1, "the same file again is no step");
    desk.put(&item, "labs.json", "{}").query("reason", "It was wrong.").expect(200).await;
    assert_eq!(desk.steps(&item).await, ["DRAFT RELEASED", "RELEASED RELEASED"]);
    let steps = desk.about("publication_items_list_transitions", &item).expect(200).await;
    assert_eq!(&steps.json["data"][0]["earlier"]["artefact"], artefact);

    let post = desk.draft("BLOG_POST", "Hello").await;
    assert_eq!(desk.put(&post, "a.json", "{}").send().await.code(), "CONFLICT");
    let nowhere = "0198d000-0000-7000-8000-00000000dead";
    desk.put(nowhere, "a.json", "{}").expect(404).await;
}

#[tokio::test]
async fn artefact_may_be_up_to_one_hundred_megabytes() {
    let desk = Desk::new().await;
    let item = desk.draft("DEVELOPER_RESOURCE", "The archive").await;
    let large = "x".repeat(12_000_000);
    let put = desk.put(&item, "a.txt", &large).expect(200).await;
    assert_eq!(put.json["artefact"]["size_bytes"], json!(12_000_000));
    let call =
        desk.harness.http().put(format!("{}/v1/publication/internal/items/{item}/artefact", desk.harness.base_url));
    let call = call.query(&[("file_name", "a.txt")]).bearer_auth(&desk.editor.token).header("content-type", BYTES);
    let refused = call.body(vec![b'x'; 104_857_601]).send().await;
    // The service responds before it has read the whole body, then closes the connection.
    assert!(refused.map_or(true, |answer| answer.status() == 413));
    assert_eq!(desk.get(&item).await.json["artefact"]["size_bytes"], json!(12_000_000));
}
