//! The pages that people open.

use crate::harness::Harness;

#[tokio::test]
async fn the_front_page_leads_to_the_reference_and_to_the_playground() {
    let harness = Harness::new().await;
    let get = async |path: &str| harness.http().get(format!("{}{path}", harness.base_url)).send().await.unwrap();
    let front = get("/").await;
    assert_eq!(front.status(), 200);
    let front = front.text().await.unwrap();
    for path in ["/reference", "/playground"] {
        assert!(front.contains(&format!("<a href=\"{path}\">")), "no link to {path} in {front}");
        let page = get(path).await;
        assert_eq!(page.status(), 200, "{path}");
        assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8", "{path}");
    }
}

#[tokio::test]
async fn operations_and_codes_have_addresses_of_their_own_in_the_reference() {
    let harness = Harness::new().await;
    let get = async |path: &str| harness.http().get(format!("{}{path}", harness.base_url)).send().await.unwrap();
    for path in ["/reference/operations/marketplace_apps_create", "/reference/codes/ILLEGAL_TRANSITION"] {
        let page = get(path).await;
        assert_eq!(
            (page.status().as_u16(), &page.headers()["content-type"]),
            (200, &"text/html; charset=utf-8".parse().unwrap())
        );
    }
    for path in
        ["/reference/operations/marketplace_apps_drop", "/reference/codes/NO_SUCH_CODE", "/reference/operations"]
    {
        assert_eq!(get(path).await.status(), 404, "{path}");
    }
}
