use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// Builds an anchor. Handles ASCII only, which suffices for these tests.
fn anchor(words: &str) -> String {
    let letters =
        words.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' });
    letters.take(60).collect::<String>().trim_matches('-').to_owned()
}

fn of_staff(markdown: &str) -> String {
    render(markdown, PUBLICATION, anchor).unwrap().html
}

fn of_partners(markdown: &str) -> String {
    render(markdown, FEATURE_REQUEST, anchor).unwrap().html
}

/// Texts of at most `longest` characters that become long HTML or are slow to render.
fn hostile_texts(longest: usize) -> Vec<(&'static str, String)> {
    let filled = |beginning: &str, piece: &str| {
        let room = longest.saturating_sub(beginning.chars().count()) / piece.chars().count();
        format!("{beginning}{}", piece.repeat(room))
    };
    let title = |letter: &str| format!("[a]: https://x.e \"{}\"\n\n", letter.repeat(longest / 10));
    let header = |cells: usize| format!("{}\n{}\n", "|a".repeat(cells), "|-".repeat(cells));
    let sized = |cells: usize| header(cells.min(longest / 10));
    vec![
        ("reference title of quotes", filled(&title("\\\""), "[a]")),
        ("reference title of apostrophes", filled(&title("'"), "[a]")),
        ("reference title of signs", filled(&title("<"), "[a]")),
        ("reference title of entities", filled(&title("&quot;"), "[a]")),
        ("reference image", filled(&title("\\\""), "![a]")),
        ("reference address", filled(&format!("[a]: https://x.e/{}\n\n", "é".repeat(longest / 10)), "[a]")),
        ("many references", filled("[a]: https://x.e\n\n", "[a]")),
        ("autolinks", filled("", "<http://a>")),
        ("empty pictures", filled("", "![](http://a)")),
        ("ampersands", filled("", "& ")),
        ("few ampersands", "&".repeat(MOST_AMPERSANDS.min(longest))),
        ("quotes", filled("", "\"")),
        ("angle brackets", filled("", "<")),
        ("angle brackets in code", format!("`{}`", "<".repeat(longest - 2))),
        ("no-break spaces", filled("", "\u{a0}")),
        ("entities of one letter", filled("", "&lt;")),
        ("nested emphasis", filled("", "*a **b ")),
        ("emphasis", filled("", "*a* ")),
        ("hard breaks", filled("", "\\\n")),
        ("rules", filled("", "---\n\n")),
        ("entries", filled("", "- a\n")),
        ("empty entries", filled("", "-\n")),
        ("numbered entries", filled("", "1)\n2.\n")),
        ("quotations", filled("", ">\n\n")),
        ("headings", filled("", "#\n")),
        ("headings of one word", filled("", "# a\n")),
        ("padded table", filled(&sized(10_000), "|\n")),
        ("padded table of 100 columns", filled(&sized(100), "|\n")),
        ("aligned table", filled("|a|b\n|:-:|:-:\n", "|\n")),
        ("code blocks", filled("", "~~~\n~~~\n")),
        ("html", filled("", "<b>")),
        ("comments", filled("", "<!-->")),
        ("null characters", filled("", "\0")),
        ("anchors", filled("", "# \u{fdfa}\n")),
    ]
}

#[test]
fn rendered_text_never_exceeds_format_limit() {
    for (format, longest) in [(COMMENT, 5_000), (FEATURE_REQUEST, 10_000), (PUBLICATION, 65_536)] {
        for (name, text) in hostile_texts(longest) {
            assert!(text.chars().count() <= longest, "{name}: {}", text.chars().count());
            let begun = Instant::now();
            let (rendered, error) = render_stored(&text, format, anchor);
            let elapsed = begun.elapsed();
            let length = rendered.html.chars().count();
            assert!(length <= format.longest_html, "{name}: {length}");
            assert!(elapsed < Duration::from_secs(2), "{name}: {elapsed:?}");
            assert!(error.is_some() || length > 0, "{name} is lost");
        }
    }
}

#[test]
fn text_that_expands_is_rejected_and_shown_as_source() {
    let text = format!("[a]: https://x.e \"{}\"\n\n{}", "\\\"".repeat(500), "[a]".repeat(1_326));
    assert!(text.chars().count() <= 5_000);
    assert_eq!(render(&text, COMMENT, anchor), Err(RenderError::TooLong));
    let (shown, error) = render_stored(&text, COMMENT, anchor);
    assert_eq!(error, Some(RenderError::TooLong));
    assert!(shown.html.starts_with("<p>[a]: https://x.e &quot;\\&quot;") && shown.html.ends_with("[a]</p>\n"));
    let (cut, _) = render_stored(&"&".repeat(65_536), PUBLICATION, anchor);
    assert_eq!(cut.html.chars().count(), 65_536 * 5 + 8, "what fits is not cut");
    let (cut, _) = render_stored(&"\"".repeat(65_536), TextFormat { longest_html: 100, ..COMMENT }, anchor);
    assert!(cut.html.len() > 90 && cut.html.len() <= 100 && cut.html.ends_with("&quot;</p>\n"), "{}", cut.html);
    assert_eq!(plain::escape("<b>&'\n\0", 1_000), "<p>&lt;b&gt;&amp;&#39;<br>\n\u{fffd}</p>\n");
}

#[test]
fn text_within_limit_is_rendered_completely() {
    let text = "word ".repeat(1_000);
    assert_eq!(render(&text, COMMENT, anchor).unwrap().html, format!("<p>{}</p>\n", text.trim_end()));
    let exact = TextFormat { longest_html: "<p>word</p>\n".len(), ..COMMENT };
    assert!(render("word", exact, anchor).is_ok());
    assert_eq!(render("words", exact, anchor), Err(RenderError::TooLong));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_compositions_stay_within_limit(
        pieces in proptest::collection::vec((piece(), 1_usize..200), 1..12),
        longest_html in 50_usize..5_000,
        is_of_staff in any::<bool>(),
    ) {
        let text: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
        let source = if is_of_staff { TextSource::Staff } else { TextSource::Partners };
        let format = TextFormat { longest_html, source, anchor_prefix: ANCHOR };
        let begun = Instant::now();
        let (rendered, error) = render_stored(&text, format, anchor);
        prop_assert!(rendered.html.chars().count() <= longest_html);
        prop_assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        prop_assert_eq!(render(&text, format, anchor).err(), error);
        prop_assert!(!rendered.html.contains("<script") && !rendered.html.contains("javascript:\""));
        // Sanitising is idempotent.
        if error.is_none() {
            let cleaned = clean::clean(&rendered.html, source);
            prop_assert_eq!(cleaned, rendered.html);
        }
    }
}

/// Generates Markdown that opens, closes or repeats a construct, and arbitrary text.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "[a]",
        "![a]",
        "[a]: https://x.e \"\\\"\\\"\\\"\"\n\n",
        "[a](https://b.e 'c')",
        "![](https://a.e/b)",
        "<https://a.e>",
        "*",
        "**",
        "_",
        "`",
        "~~",
        "# a\n",
        "> ",
        "- ",
        "1. ",
        "\n",
        "\n\n",
        "|",
        "|a|b|\n|-|-|\n",
        "&",
        "&quot;",
        "\"",
        "<",
        "<b>",
        "\\",
        "\u{a0}",
        "a ",
        "é",
        "    ",
        "```\n",
        "---\n",
        "[a](javascript:b)",
        "<script>",
    ];
    prop_oneof![4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

#[test]
fn markdown_becomes_html() {
    let text = "# Café *menus*\n\nOne ~~two~~ `three`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## Café menus\n\n3. c";
    let html = of_staff(text);
    assert!(html.contains(r#"<h1 id="section-caf--menus">Café <em>menus</em></h1>"#), "{html}");
    assert!(html.contains(r#"<h2 id="section-caf--menus-2">"#), "{html}");
    assert!(html.contains("<del>two</del> <code>three</code>") && html.contains("<td>1</td>"), "{html}");
    assert!(html.contains(r#"<ol start="3">"#), "{html}");
    let headings = render(text, PUBLICATION, anchor).unwrap().headings;
    let found: Vec<_> = headings.iter().map(|one| (one.id.as_str(), one.level, one.text.as_str())).collect();
    assert_eq!(found, [("section-caf--menus", 1, "Café menus"), ("section-caf--menus-2", 2, "Café menus")]);
    let migration = render(text, MIGRATION, anchor).unwrap().html;
    assert!(migration.contains(r#"<h1 id="migration-caf--menus">"#), "{migration}");
    assert!(!migration.contains("section-"), "both are on one page: {migration}");
    assert_eq!(render("Two\nlines <b>\n===", PUBLICATION, anchor).unwrap().headings[0].text, "Two lines <b>");
    let numbered = of_staff("# Part\n\n# Part 2\n\n# Part");
    assert!(numbered.contains(r#"id="section-part-3""#), "an anchor belongs to one heading: {numbered}");
}

#[test]
fn links_may_target_web_mail_and_reference() {
    let html = of_staff("[a](op:marketplace_apps_create) [b](https://x.example) [c](mailto:a@b.example)");
    assert!(html.contains(r#"href="/reference/operations/marketplace_apps_create""#), "{html}");
    assert!(html.contains(r#"href="https://x.example""#) && html.contains(r#"href="mailto:a@b.example""#), "{html}");
    for other in ["javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "/v1/x", "//evil", "#x", "op:../x", "op:"]
    {
        for html in
            [of_staff(&format!("[word]({other}) <{other}>")), of_partners(&format!("[word]({other}) <{other}>"))]
        {
            assert!(html.contains("word") && !html.contains("href"), "{other}: {html}");
        }
    }
    let text = "[a](op:b_get) [c](op:a_get 'x') <op:c_get> `op:d_get` [e](op:b_get)\n\n[f]\n\n[f]: op:f_get";
    assert_eq!(render(text, PUBLICATION, anchor).unwrap().operations, ["a_get", "b_get", "c_get", "f_get"]);
}

#[test]
fn staff_images_are_shown() {
    assert!(of_staff("![alt](https://x.example/a.png)").contains(r#"<img src="https://x.example/a.png" alt="alt">"#));
    for other in ["http://x.example/a.png", "data:image/png;base64,x", "/a.png", "a.png"] {
        let html = of_staff(&format!("![alt]({other})"));
        assert!(html.contains("alt") && !html.contains("<img"), "{other}: {html}");
    }
}

#[test]
fn partner_images_become_links() {
    let rel = r#"rel="nofollow ugc noopener""#;
    let cases = [
        ("![cat *a*](https://x.e/c.png)", format!(r#"<a href="https://x.e/c.png" {rel}>cat <em>a</em></a>"#)),
        ("![](https://x.e/c.png)", format!(r#"<a href="https://x.e/c.png" {rel}>https://x.e/c.png</a>"#)),
        ("![cat](http://x.e/c.png 't')", format!(r#"<a href="http://x.e/c.png" title="t" {rel}>cat</a>"#)),
        ("[![cat](https://x.e/c.png)](https://y.e)", format!(r#"<a href="https://y.e" {rel}>cat</a>"#)),
        ("![a [b](https://y.e)](https://x.e/c.png)", format!(r#"<a href="https://x.e/c.png" {rel}>a b</a>"#)),
        ("![cat](data:image/png;base64,x)", "cat".to_owned()),
        ("![cat](/c.png)", "cat".to_owned()),
    ];
    for (text, expected) in cases {
        assert_eq!(of_partners(text), format!("<p>{expected}</p>\n"), "{text}");
    }
    assert!(!of_partners("# ![cat][a]\n\n<img src=https://x.e>\n\n[a]: https://x.e/c.png").contains("<img"));
}

#[test]
fn links_have_rel_by_author_kind() {
    assert!(of_staff("[a](https://x.e)").contains(r#"rel="noopener noreferrer""#));
    for text in
        ["[a](https://x.e)", "<https://x.e>", "[a][b]\n\n[b]: https://x.e", "[a](mailto:a@x.e)", "[a](op:b_get)"]
    {
        assert!(of_partners(text).contains(r#"rel="nofollow ugc noopener""#), "{text}");
    }
}

#[test]
fn html_in_source_is_escaped() {
    let text = "<script>alert(1)</script>\n\n<b onclick=x>bold</b> a <img src=x onerror=y> `<i>`\n\n<!-- c -->";
    for html in [of_staff(text), of_partners(text)] {
        for bad in ["<script", "<b", "<img", "<i>", "<!--"] {
            assert!(!html.contains(bad), "{bad}: {html}");
        }
        assert!(html.contains("&lt;script&gt;") && html.contains("&lt;i&gt;"), "{html}");
    }
    let odd = of_staff("[a](https://x.example \"\\\" onmouseover=x\")\n\n# \" onload=x\n");
    assert!(odd.contains(r#"title="&quot; onmouseover=x""#) && odd.contains(r#"id="section-onload-x""#), "{odd}");
}

#[test]
fn deep_nesting_is_rejected() {
    let of = |piece: &str| piece.repeat(64 * 1024 / piece.len());
    let begun = Instant::now();
    for piece in [">", "> ", "- ", "* ", "+ ", "1. ", "1) ", ">- ", "\t- "] {
        assert_eq!(render(&of(piece), PUBLICATION, anchor), Err(RenderError::TooDeep), "{piece}");
        let (shown, _) = render_stored(&of(piece), PUBLICATION, anchor);
        assert!(shown.html.starts_with("<p>") && !shown.html.contains("<blockquote"), "{piece}");
    }
    let staircase: String = (0..300).map(|depth| format!("{}- a\n", "  ".repeat(depth))).collect();
    assert_eq!(render(&staircase, PUBLICATION, anchor), Err(RenderError::TooDeep));
    assert!(render("> > - 1. a\n\n- - -\n* * * * * * *\n\n- **a *b ~~c~~***", PUBLICATION, anchor).is_ok());
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn too_many_ampersands_are_rejected() {
    assert!(of_staff("a & b &amp; `c && d`").contains("a &amp; b &amp; <code>c &amp;&amp; d</code>"));
    assert!(render(&"& ".repeat(2_000), PUBLICATION, anchor).is_ok());
    assert_eq!(render(&"& ".repeat(2_001), PUBLICATION, anchor), Err(RenderError::TooManyAmpersands));
}
