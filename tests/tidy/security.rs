//! Checks `docs/security.md`: each test, step and file that its tables name exists, and the numbers of results are right.

use super::{files, none, read, root};

/// The results of a requirement, as each begins.
const RESULTS: [&str; 5] = ["shown by", "documented", "by construction", "does not apply", "not met"];

/// Returns the result of each requirement, with its number.
fn results(page: &str) -> Vec<(&str, &str)> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    let rows = rows.filter(|(number, _)| number.split('.').count() == 3);
    rows.filter_map(|(number, rest)| Some((number, rest.splitn(3, " | ").nth(2)?))).collect()
}

/// Whether a code span names a test, a step or a file that exists. `browser` is the text of all browser tests.
fn exists(span: &str, browser: &str) -> bool {
    if let Some(name) = span.strip_prefix("browser: ") {
        return browser.contains(&format!("'{name}'"));
    }
    if let Some(step) = span.strip_prefix("./test ") {
        return read("test").contains(&format!("\nstep_{step}() {{"));
    }
    let Some((module, function)) = span.rsplit_once("::") else { return root().join(span).exists() };
    // The first part of a unit test is the folder of its crate. The folder of the main crate is `src`.
    let (first, rest) = module.split_once("::").unwrap_or((module, "lib"));
    let path = match first {
        "src" => format!("src/{rest}"),
        _ if root().join(first).join("src").is_dir() => format!("{first}/src/{rest}"),
        _ => format!("tests/{module}"),
    };
    let path = path.replace("::", "/");
    let sources = [format!("{path}.rs"), format!("{path}/mod.rs")].map(|path| root().join(path));
    let declaration = format!("fn {function}(");
    sources.iter().any(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains(&declaration)))
}

#[test]
fn security_page_names_existing_tests_and_files() {
    let page = read("docs/security.md");
    let browser: String = files("playground/test", ".test.mjs").into_iter().map(|(_, text)| text).collect();
    let mut found = Vec::new();
    for (number, result) in results(&page) {
        let missing = result.split('`').skip(1).step_by(2).filter(|span| !exists(span, &browser));
        found.extend(missing.map(|span| format!("{number}: {span}")));
    }
    none(&found, "correct the names in docs/security.md:");
}

#[test]
fn security_page_counts_its_results() {
    let page = read("docs/security.md");
    let results = results(&page);
    let count = |word: &str| results.iter().filter(|(_, result)| result.starts_with(word)).count();
    let known: usize = RESULTS.iter().map(|word| count(word)).sum();
    assert_eq!((results.len(), known), (253, 253), "the requirements of both levels, each with a known result");
    let is_stated = |word: &&str| {
        let (start, end) = (format!("| {word} |"), format!("| {} |", count(word)));
        page.lines().any(|line| line.starts_with(&start) && line.ends_with(&end))
    };
    let wrong = RESULTS.iter().filter(|word| !is_stated(word)).map(|word| format!("{word}: {}", count(word)));
    none(&wrong.collect::<Vec<_>>(), "correct these numbers in docs/security.md:");
}
