//! Tests of the log over HTTP, as C2SP `tlog-tiles` specifies it.

use super::Logged;
use crate::harness::Harness;

#[tokio::test]
async fn checkpoint_and_tiles_are_public_and_entries_are_not() {
    let logged = Logged::new().await;
    let size = logged.record(2).await;
    logged.publish().await.unwrap();
    for (path, media_type, cache) in [
        ("checkpoint".to_owned(), "text/plain; charset=utf-8", "no-cache"),
        (format!("tile/0/000.p/{size}"), "application/octet-stream", "public, max-age=31536000, immutable"),
    ] {
        let answer = logged.get(&path).await;
        let headers = answer.headers().clone();
        let header = |name: &str| headers[name].to_str().unwrap().to_owned();
        assert_eq!(
            (answer.status().as_u16(), header("content-type"), header("cache-control")),
            (200, media_type.to_owned(), cache.to_owned()),
            "{path}"
        );
        assert_eq!(header("access-control-allow-origin"), "*", "{path}");
        let url = format!("{}/audit-log/{path}", logged.harness.base_url);
        let again = logged.harness.http().get(&url).header("if-none-match", header("etag")).send().await.unwrap();
        assert_eq!(
            (again.status().as_u16(), again.headers()["cache-control"].to_str().unwrap()),
            (304, cache),
            "{path}"
        );
        let posted = logged.harness.http().post(&url).send().await.unwrap();
        assert_eq!(
            (posted.status().as_u16(), posted.headers()["allow"].to_str().unwrap()),
            (405, "GET, HEAD, OPTIONS")
        );
    }
    let tile = logged.get(&format!("tile/0/000.p/{size}")).await.bytes().await.unwrap();
    assert_eq!(tile.len() as u64, 32 * size);
    assert!(logged.folder().join(format!("entries/000.p/{size}")).exists());
    let entries = format!("entries/000.p/{size}");
    for path in ["tile/0/001", "tile/0/000", "tile/entries/000", &entries, "tile/0/%2e%2e/checkpoint", "tile/0/000.p/0"]
    {
        let answer = logged.get(path).await;
        assert_eq!(answer.status(), 404, "{path}");
        assert_eq!(answer.headers()["content-type"], "application/problem+json", "{path}");
    }
}

#[tokio::test]
async fn service_without_key_has_no_log_and_no_job() {
    let harness = Harness::new().await;
    let answer = harness.http().get(format!("{}/audit-log/checkpoint", harness.base_url)).send().await.unwrap();
    assert_eq!(answer.status(), 404);
    harness.until("select count(*) from job where code = 'TIDYING'", 1).await;
    assert_eq!(harness.number("select count(*) from job where code = 'AUDIT_CHECKPOINT'").await, 0);
}
