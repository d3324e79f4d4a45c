//! Tests of the HTML pages.

use crate::harness::Harness;

#[tokio::test]
async fn front_page_links_to_reference_and_playground() {
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
async fn operations_codes_and_concepts_have_pages_in_reference() {
    let harness = Harness::new().await;
    let get = async |path: &str| harness.http().get(format!("{}{path}", harness.base_url)).send().await.unwrap();
    for (path, heading) in [
        ("/reference/operations/marketplace_apps_create", "Create an app"),
        ("/reference/codes/ILLEGAL_TRANSITION", "ILLEGAL_TRANSITION"),
        ("/reference/concepts/pagination", "Pagination"),
    ] {
        let page = get(path).await;
        assert_eq!(
            (page.status().as_u16(), &page.headers()["content-type"]),
            (200, &"text/html; charset=utf-8".parse().unwrap())
        );
        // The text is in the page, so that it needs no script.
        let text = page.text().await.unwrap();
        assert!(text.contains("<h1") && text.contains(heading), "{path}");
    }
    for path in
        ["/reference/operations/marketplace_apps_drop", "/reference/codes/NO_SUCH_CODE", "/reference/operations"]
    {
        let program = get(path).await;
        assert_eq!(program.status(), 404, "{path}");
        assert_eq!(program.headers()["content-type"], "application/problem+json", "{path}");
        let browser = harness.http().get(format!("{}{path}", harness.base_url)).header("accept", "text/html,*/*;q=0.8");
        let browser = browser.send().await.unwrap();
        assert_eq!(browser.status(), 404, "{path}");
        assert_eq!(browser.headers()["content-type"], "text/html; charset=utf-8", "{path}");
        assert!(browser.text().await.unwrap().contains("Page not found"), "{path}");
    }
    let near = get("/reference/operations/marketplace_app_create").await.json::<serde_json::Value>().await.unwrap();
    assert!(near["detail"].as_str().unwrap().contains("/reference/operations/marketplace_apps_create?"), "{near}");
}

/// Accept headers of a browser, of agents, and of programs.
const ACCEPTED: [(&str, bool); 6] = [
    ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false),
    ("text/markdown", true),
    ("text/markdown, text/html, */*", true),
    ("text/html, text/markdown;q=0.9", false),
    ("*/*", false),
    ("text/markdown;q=0, */*", false),
];

#[tokio::test]
async fn accept_selects_markdown_of_pages_for_readers() {
    let harness = Harness::new().await;
    let editor = harness.staff("Edda Editor", &["labs.admin.publication:write"]).await;
    let body = serde_json::json!({ "kind": "BLOG_POST", "title": "Hello", "body": "Words.", "slug": "hello" });
    let made = harness.call("publication_items_create").token(&editor.token).json(&body).expect(201).await;
    let item = made.str("uuid").to_owned();
    harness.call("publication_items_release").token(&editor.token).path("item_uuid", &item).expect(200).await;
    let get = async |path: &str, accept: &str| {
        let request = harness.http().get(format!("{}{path}", harness.base_url)).header("accept", accept);
        let answer = request.send().await.unwrap();
        let headers = answer.headers().clone();
        (answer.status().as_u16(), headers, answer.text().await.unwrap())
    };
    for (path, same) in [
        ("/", "/llms.txt"),
        ("/reference", "/reference/index.md"),
        ("/reference/operations/system_me_get", "/reference/operations/system_me_get.md"),
        ("/reference/codes/NOT_FOUND", "/reference/codes/NOT_FOUND.md"),
        ("/reference/concepts/pagination", "/reference/concepts/pagination.md"),
        ("/blog/hello", "/blog/hello.md"),
    ] {
        let (_, _, markdown) = get(same, "*/*").await;
        for (accept, is_markdown) in ACCEPTED {
            let (status, headers, text) = get(path, accept).await;
            let of = format!("{path} for {accept}");
            let media_type = headers["content-type"].to_str().unwrap();
            assert_eq!((status, media_type.starts_with("text/markdown")), (200, is_markdown), "{of}: {media_type}");
            assert_eq!(text == markdown, is_markdown, "{of}");
            let varies = headers.get_all("vary").iter().filter_map(|value| value.to_str().ok());
            assert!(varies.flat_map(|value| value.split(", ")).any(|name| name == "accept"), "{of}: {headers:?}");
        }
    }
    let (_, headers, _) = get("/reference/concepts/pagination", "text/html").await;
    assert_eq!(headers["link"], "</reference/concepts/pagination.md>; rel=\"alternate\"; type=\"text/markdown\"");
    let (_, headers, _) = get("/blog/hello", "text/html").await;
    assert_eq!(headers["link"], "</blog/hello.md>; rel=\"alternate\"; type=\"text/markdown\"");
    for accept in ["text/markdown", "text/html"] {
        let (_, headers, _) = get("/", accept).await;
        assert!(headers["link"].to_str().unwrap().contains("rel=\"api-catalog\""), "{accept}");
        assert_eq!(get("/reference/glossary", accept).await.0, 404, "only its Markdown has an address");
        assert!(get("/blog", accept).await.1["content-type"].to_str().unwrap().starts_with("text/html"), "a list");
    }
    let (status, headers, _) = get("/reference/concepts/no-such-page", "text/markdown").await;
    assert_eq!((status, &headers["content-type"]), (404, &"application/problem+json".parse().unwrap()));
}

#[tokio::test]
async fn mail_links_open_pages_that_contact_only_this_service() {
    let harness = Harness::new().await;
    let get = async |path: &str| harness.http().get(format!("{}{path}", harness.base_url)).send().await.unwrap();
    for name in
        ["verify-email", "forgot-password", "reset-password", "confirm-email", "cancel-email-change", "invitation"]
    {
        let page = get(&format!("/account/{name}")).await;
        let headers = page.headers().clone();
        let is = |name: &str, value: &str| assert_eq!(headers[name], value, "{name}");
        assert_eq!(page.status(), 200, "{name}");
        is("content-type", "text/html; charset=utf-8");
        is("referrer-policy", "no-referrer");
        is("x-content-type-options", "nosniff");
        let policy = headers["content-security-policy"].to_str().unwrap();
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "connect-src 'self'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.split("; ").any(|one| one == rule), "{policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
        let text = page.text().await.unwrap();
        assert!(!text.contains("://") && text.contains("/account/assets/"), "{text}");
    }
    assert_eq!(
        (get("/account/other").await.status(), get("/account").await.status()),
        (404.try_into().unwrap(), 404.try_into().unwrap())
    );
}

#[tokio::test]
async fn changelog_and_blog_pages_show_released_items() {
    let harness = Harness::new().await;
    let editor = harness.staff("Edda Editor", &["labs.admin.publication:write"]).await;
    let release = async |body: serde_json::Value| {
        let made = harness.call("publication_items_create").token(&editor.token).json(&body).expect(201).await;
        let item = made.str("uuid").to_owned();
        harness.call("publication_items_release").token(&editor.token).path("item_uuid", &item).expect(200).await;
        item
    };
    let entry = release(serde_json::json!({
        "kind": "CHANGELOG_ENTRY", "title": "<Search> & sort", "version": "1.4.0", "change": "CHANGED",
        "body": "It is **new**.", "operations": ["marketplace_apps_list"], "slug": "search-and-sort",
        "action_required": true, "migration": "Send `q`.",
    }))
    .await;
    release(serde_json::json!({ "kind": "BLOG_POST", "title": "Hello", "body": "Words.", "slug": "hello" })).await;
    let get = async |path: &str| {
        let answer = harness.http().get(format!("{}{path}", harness.base_url)).send().await.unwrap();
        (answer.status().as_u16(), answer.headers().clone(), answer.text().await.unwrap())
    };
    let (status, headers, list) = get("/changelog?q=&change=CHANGED").await;
    assert_eq!((status, &headers["content-type"]), (200, &"text/html; charset=utf-8".parse().unwrap()));
    assert!(headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    assert!(
        list.contains("&#60;Search&#62; &#38; sort") && list.contains("href=\"/changelog/search-and-sort\""),
        "{list}"
    );
    assert!(list.contains("type=\"application/atom+xml\"") && list.contains("Action required"));
    let (_, _, page) = get("/changelog/search-and-sort").await;
    assert!(page.contains("It is <strong>new</strong>.") && page.contains("<code>q</code>"), "{page}");
    assert!(page.contains("/reference/operations/marketplace_apps_list"));
    assert!(get("/blog").await.2.contains("Hello") && get("/blog/hello").await.2.contains("Words."));

    let (status, headers, text) = get("/changelog/search-and-sort.md").await;
    assert_eq!((status, &headers["content-type"]), (200, &"text/markdown; charset=utf-8".parse().unwrap()));
    assert!(text.starts_with("# <Search> & sort\n") && text.contains("It is **new**."), "{text}");
    assert!(text.contains("(/reference/operations/marketplace_apps_list.md)") && text.contains("Send `q`."), "{text}");
    assert!(get("/blog/hello.md").await.2.contains("Words.") && get("/blog/nothing.md").await.0 == 404);

    let (status, _, refused) = get("/changelog?change=OTHER").await;
    assert!(status == 422 && refused.contains("<h1>"), "{refused}");
    let (status, _, missing) = get("/changelog/nothing").await;
    assert!(status == 404 && missing.contains("<h1>"), "{missing}");
    let renamed = serde_json::json!({ "slug": "search", "reason": "Shorter." });
    harness
        .call("publication_items_update")
        .token(&editor.token)
        .path("item_uuid", &entry)
        .json(&renamed)
        .expect(200)
        .await;
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let moved = client.get(format!("{}/changelog/search-and-sort", harness.base_url)).send().await.unwrap();
    assert_eq!((moved.status().as_u16(), &moved.headers()["location"]), (308, &"/changelog/search".parse().unwrap()));
    let moved = client.get(format!("{}/changelog/search-and-sort.md", harness.base_url)).send().await.unwrap();
    assert_eq!(moved.headers()["location"], "/changelog/search.md");
    harness
        .call("publication_items_withdraw")
        .token(&editor.token)
        .path("item_uuid", &entry)
        .json(&serde_json::json!({ "reason": "Wrong." }))
        .expect(200)
        .await;
    assert_eq!(get("/changelog/search").await.0, 404);
}
