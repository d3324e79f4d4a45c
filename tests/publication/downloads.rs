//! Tests of artefact downloads.

use http::Method;
use reqwest::header::HeaderMap;
use serde_json::json;

use super::desk::Desk;
use crate::harness::Call;

const BYTES: &str = "application/octet-stream";
const DOWNLOAD: &str = "publication_public_developer_resources_download";

impl Desk {
    async fn file(&self, file_name: &str, content: &str) -> String {
        let item = self.draft("DEVELOPER_RESOURCE", "Kit").await;
        self.put_file(&item, file_name, content).await;
        assert_eq!(self.step("release", &item).await.status, 200);
        item
    }

    async fn put_file(&self, item: &str, file_name: &str, content: &str) {
        let call = self.about("publication_items_put_artefact", item).query("file_name", file_name);
        call.query("reason", "Newer.").raw(BYTES, content).expect(200).await;
    }

    fn download(&self) -> Call<'_> {
        self.read(DOWNLOAD, "kit")
    }
}

fn header_values(headers: &HeaderMap, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| headers.get(*name).map_or("", |value| value.to_str().unwrap()).to_owned()).collect()
}

#[tokio::test]
async fn file_is_downloaded_whole_or_by_range_with_digest() {
    let desk = Desk::new().await;
    let content: String = (0..200_000).map(|number| format!("{number:06}\n")).collect();
    let item = desk.file("Größe 2.txt", &content).await;
    let whole = desk.download().header("accept-encoding", "gzip").expect(200).await;
    assert_eq!(whole.text(), content);
    assert_eq!(
        header_values(&whole.headers, &["content-type", "content-disposition", "accept-ranges", "content-encoding"]),
        [
            "text/plain; charset=utf-8",
            "attachment; filename=\"Gr__e_2.txt\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%202.txt",
            "bytes",
            ""
        ]
    );
    assert_eq!(
        header_values(&whole.headers, &["x-content-type-options", "content-security-policy"]),
        ["nosniff", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"]
    );
    let (tag, digest) = (whole.header("etag").to_owned(), whole.header("repr-digest").to_owned());
    let resource = desk.read("publication_public_developer_resources_get", "kit").expect(200).await;
    assert_eq!(tag, format!("\"{}\"", resource.json["artefact"]["sha256"].as_str().unwrap()));
    assert!(digest.starts_with("sha-256=:") && digest.ends_with(":"), "{digest}");

    let part = async |range: &str| desk.download().header("range", range).send().await;
    for (range, from, until) in
        [("bytes=7-13", 7, 14), ("bytes=1399990-", 1_399_990, 1_400_000), ("bytes=-3", 1_399_997, 1_400_000)]
    {
        let answer = part(range).await;
        assert_eq!((answer.status, answer.text().as_str()), (206, &content[from..until]), "{range}");
        let range = format!("bytes {from}-{}/1400000", until - 1);
        let expected = [range, (until - from).to_string(), digest.clone(), tag.clone()];
        assert_eq!(
            header_values(&answer.headers, &["content-range", "content-length", "repr-digest", "etag"]),
            expected
        );
    }
    for odd in ["bytes=0-1,3-4", "bytes=5-1", "pages=1-2", "nothing"] {
        let answer = part(odd).await;
        assert_eq!((answer.status, answer.bytes.len()), (200, content.len()), "{odd}");
    }
    let behind = part("bytes=1400000-").await;
    assert_eq!((behind.status, behind.code()), (416, "RANGE_NOT_SATISFIABLE"));
    assert_eq!(behind.header("content-range"), "bytes */1400000");

    // A reader with a part of the former file gets the whole new file.
    let rest = || desk.download().header("range", "bytes=7-13").header("if-range", &tag);
    rest().expect(206).await;
    desk.download().header("if-none-match", &tag).header("range", "bytes=7-13").expect(304).await;
    desk.put_file(&item, "a.txt", "another").await;
    assert_eq!(rest().expect(200).await.text(), "another");
    desk.download().header("if-none-match", &tag).expect(200).await;
}

#[tokio::test]
async fn head_of_file_returns_headers_of_get() {
    let desk = Desk::new().await;
    desk.file("labs.json", "{\"openapi\": \"3.1.1\"}").await;
    let url = format!("{}/v1/publication/public/developer-resources/kit/artefact", desk.harness.base_url);
    let head = desk.harness.http().request(Method::HEAD, url).header("range", "bytes=99-").send().await.unwrap();
    let whole = desk.download().expect(200).await;
    let names = ["content-type", "content-disposition", "content-length", "etag", "accept-ranges", "repr-digest"];
    assert_eq!(
        (head.status().as_u16(), header_values(head.headers(), &names)),
        (200, header_values(&whole.headers, &names))
    );
    assert_eq!(whole.header("content-type"), "application/json");
    assert_eq!(whole.json, json!({ "openapi": "3.1.1" }));
}

#[tokio::test]
async fn range_request_reads_only_that_range() {
    let desk = Desk::new().await;
    desk.file("a.txt", "One two three.").await;
    // A sparse file of two gigabytes.
    let file = desk.harness.object_file(&desk.harness.objects().await[0]);
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(2_000_000_000).unwrap();
    let answer = desk.download().header("range", "bytes=4-6").expect(206).await;
    assert_eq!((answer.text().as_str(), answer.header("content-range")), ("two", "bytes 4-6/2000000000"));
    std::fs::remove_file(&file).unwrap();
    desk.download().expect(500).await;
}
