//! Tests of developer resources that the service generates.

use serde_json::{Value, json};

use super::desk::{Desk, errors};
use crate::harness::Call;

const DOWNLOAD: &str = "publication_public_developer_resources_download";
const GET: &str = "publication_public_developer_resources_get";
const LIST: &str = "publication_public_developer_resources_list";

impl Desk {
    /// Creates a released resource with generated content.
    async fn made_by_service(&self, generated: &str, title: &str) -> String {
        let body =
            json!({ "kind": "DEVELOPER_RESOURCE", "title": title, "body": "All of it.", "generated": generated });
        let made = self.create(body).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let item = made.str("uuid").to_owned();
        assert_eq!(self.step("release", &item).await.status, 200);
        item
    }

    fn kit(&self, operation: &str) -> Call<'_> {
        self.read(operation, "kit")
    }
}

#[tokio::test]
async fn generated_resource_is_always_current() {
    let desk = Desk::new().await;
    let item = desk.made_by_service("OPENAPI_YAML", "Kit").await;
    let served = desk.harness.call("system_contract_get").expect(200).await;
    let file = desk.kit(DOWNLOAD).expect(200).await;
    assert_eq!(file.text(), served.text());
    assert_eq!(file.header("content-type"), "application/yaml");
    assert!(desk.harness.objects().await.is_empty(), "nothing of it is stored");
    let resource = desk.kit(GET).expect(200).await;
    let artefact = &resource.json["artefact"];
    assert_eq!(file.header("etag"), format!("\"{}\"", artefact["sha256"].as_str().unwrap()));
    assert_eq!(artefact["size_bytes"], json!(file.bytes.len()));
    let readiness = desk.harness.call("system_readiness_get").expect(200).await;
    let versions = (&readiness.json["contract"]["version"], &readiness.json["version"]);
    let said = format!("{} (release {})", versions.0.as_str().unwrap(), versions.1.as_str().unwrap());
    assert_eq!(resource.json["version"], said);
    let list = desk.harness.call(LIST).expect(200).await;
    assert_eq!((&list.json["data"][0]["artefact"], &list.json["data"][0]["version"]), (artefact, &json!(said)));
    let shown = desk.get(&item).await;
    assert_eq!((&shown.json["artefact"], &shown.json["resource_version"]), (artefact, &json!(said)));
    let part = desk.kit(DOWNLOAD).header("range", "bytes=3-9").expect(206).await;
    assert_eq!(part.text(), served.text()[3..10]);

    // The next file contains the changes that were announced since.
    desk.entry_of("system_me_get").await;
    let newer = desk.kit(DOWNLOAD).header("if-none-match", file.header("etag")).expect(200).await;
    assert!(newer.text().contains("x-changelog"));
    assert_ne!(desk.kit(GET).expect(200).await.json["artefact"], *artefact);
}

impl Desk {
    /// Releases a changelog entry that names an operation and waits until the service has loaded it.
    async fn entry_of(&self, operation: &str) {
        let entry = self.draft("CHANGELOG_ENTRY", "Something is new").await;
        assert_eq!(self.update(&entry, json!({ "operations": [operation] })).await.status, 200);
        assert_eq!(self.step("release", &entry).await.status, 200);
        let is_known =
            async || self.harness.call("system_contract_get").expect(200).await.text().contains("x-changelog");
        self.harness.soon("the contract names the entry", is_known).await;
    }
}

#[tokio::test]
async fn generated_resource_takes_no_file_and_no_version() {
    let desk = Desk::new().await;
    let item = desk.made_by_service("POSTMAN_COLLECTION", "Kit").await;
    let put = desk.about("publication_items_put_artefact", &item).query("file_name", "a.json");
    let put = put.query("reason", "Newer.").raw("application/octet-stream", "{}").send().await;
    assert_eq!((put.status, put.code()), (409, "CONFLICT"));
    let update = desk.update(&item, json!({ "resource_version": "2", "reason": "It is newer." })).await;
    assert_eq!((update.status, errors(&update)), (422, vec!["GENERATED /resource_version".to_owned()]));
    let post = desk.create(json!({ "kind": "BLOG_POST", "title": "Kit", "generated": "OPENAPI_JSON" })).await;
    assert_eq!((post.status, errors(&post)), (422, vec!["NOT_OF_KIND /generated".to_owned()]));
    let unknown = desk.create(json!({ "kind": "DEVELOPER_RESOURCE", "title": "Kit", "generated": "WSDL" })).await;
    assert_eq!(unknown.status, 422);
}

#[tokio::test]
async fn each_generated_file_can_be_downloaded_and_names_this_service() {
    let desk = Desk::new().await;
    for (generated, slug, file_name) in [
        ("OPENAPI_JSON", "openapi", "labs.openapi.json"),
        ("POSTMAN_COLLECTION", "postman", "labs.postman_collection.json"),
        ("INSOMNIA_EXPORT", "insomnia", "labs.insomnia.json"),
    ] {
        desk.made_by_service(generated, slug).await;
        let file = desk.read(DOWNLOAD, slug).expect(200).await;
        assert!(file.header("content-disposition").contains(file_name), "{generated}");
        assert!(file.json != Value::Null && file.text().contains(&desk.harness.base_url), "{generated}");
    }
    desk.made_by_service("TYPESCRIPT_TYPES", "types").await;
    let file = desk.read(DOWNLOAD, "types").expect(200).await;
    assert_eq!(file.header("content-type"), "text/plain; charset=utf-8");
    assert!(file.text().contains("export interface paths {"));
    desk.made_by_service("ARAZZO_WORKFLOWS", "workflows").await;
    let file = desk.read(DOWNLOAD, "workflows").expect(200).await;
    assert_eq!((file.header("content-type"), &file.bytes[..2]), ("application/zip", &b"PK"[..]));
    desk.made_by_service("LLMS_TEXT", "llms-txt").await;
    let file = desk.read(DOWNLOAD, "llms-txt").expect(200).await;
    assert!(file.text().contains(&format!("]({}/reference/operations/system_me_get.md)", desk.harness.base_url)));
}
