//! Links to documents of the repository name an existing file and heading: in Markdown, and in comments and texts of
//! sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::{files, none, root};

/// The endings of the sources that are searched for paths of documents.
const SOURCES: [&str; 9] = [".rs", ".sql", ".yaml", ".ts", ".tsx", ".mjs", ".sh", ".toml", ".graphql"];

/// The headings of the documents that were already read, each by its anchor.
#[derive(Default)]
struct Headings(BTreeMap<PathBuf, BTreeSet<String>>);

impl Headings {
    /// Returns the problem of a link from this folder, or `None`. An empty path means the document `own`.
    fn problem(&mut self, folder: &Path, own: &str, link: &str) -> Option<String> {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let target = if path.is_empty() { PathBuf::from(own) } else { normal(&folder.join(path)) };
        let file = root().join(&target);
        if !file.exists() {
            return Some(format!("{} does not exist", target.display()));
        }
        if anchor.is_empty() {
            return None;
        }
        let anchors =
            self.0.entry(target).or_insert_with(|| anchors(&std::fs::read_to_string(&file).unwrap_or_default()));
        (!anchors.contains(anchor)).then(|| format!("no heading has the anchor #{anchor}"))
    }
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::CurDir => {}
            other => found.push(other),
        }
    }
    found
}

/// The lines outside of code fences, each with its number.
fn prose(markdown: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    markdown.lines().enumerate().filter_map(move |(place, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_fence && !is_code).then_some((place + 1, line))
    })
}

/// The anchors of a document's headings, as GitHub makes them: in lower case, without punctuation, with hyphens for
/// blanks.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(markdown) {
        let Some(heading) = line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')) else {
            continue;
        };
        let kept =
            heading.trim().chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        let anchor = kept.collect::<String>().to_lowercase().replace(' ', "-");
        // A heading that occurs again gets a number.
        let mut numbered = anchor.clone();
        let mut number = 1;
        while !found.insert(numbered) {
            numbered = format!("{anchor}-{number}");
            number += 1;
        }
    }
    found
}

/// The targets of the links `[text](target)` in a line, outside of code spans and without titles.
fn targets(line: &str) -> Vec<String> {
    let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
    let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next().map(str::to_owned));
    links.filter(|target| !target.is_empty()).collect()
}

/// The paths of Markdown files in a line of a source, each with its anchor. Paths with placeholders and addresses do
/// not count.
fn documents(line: &str) -> Vec<&str> {
    let is_link = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '/' | '.' | '-' | '_' | '#');
    let words = line.split(|letter: char| !is_link(letter));
    let words = words.map(|word| word.trim_end_matches(['.', '-', '#']));
    words.filter(|word| word.split('#').next().is_some_and(is_document)).collect()
}

/// Whether a word of a source is the path of a document: in a folder of the repository, or with a name in capitals.
fn is_document(path: &str) -> bool {
    let Some(stem) = path.strip_suffix(".md") else { return false };
    match path.split_once('/') {
        Some((first, _)) => !first.is_empty() && root().join(first).is_dir(),
        None => !stem.is_empty() && stem.chars().all(|letter| letter.is_ascii_uppercase()),
    }
}

#[test]
fn links_to_documents_resolve() {
    let mut headings = Headings::default();
    let mut found = Vec::new();
    let mut seen = 0;
    for (path, text) in files("", ".md") {
        let folder = Path::new(&path).parent().unwrap_or(Path::new("")).to_owned();
        for (number, line) in prose(&text) {
            for target in targets(line) {
                // Other sites, paths of the running service, and placeholders of templates are not files.
                if target.contains(':') || target.contains('{') || target.starts_with('/') {
                    continue;
                }
                seen += 1;
                let problem = headings.problem(&folder, &path, &target);
                found.extend(problem.map(|problem| format!("{path}:{number}: {target}: {problem}")));
            }
        }
    }
    for (path, text) in SOURCES.into_iter().flat_map(|ending| files("", ending)) {
        for (place, line) in text.lines().enumerate() {
            for target in documents(line) {
                seen += 1;
                let problem = headings.problem(Path::new(""), &path, target);
                found.extend(problem.map(|problem| format!("{path}:{}: {target}: {problem}", place + 1)));
            }
        }
    }
    assert!(seen > 100, "links were found: {seen}");
    none(&found, "correct these links:");
}

#[test]
fn anchors_follow_the_rule_of_github() {
    let made = anchors("# `If-Match`, and more\n\n```\n# code\n```\n## Log levels\n## Log levels\n#no heading\n");
    assert_eq!(made.into_iter().collect::<Vec<_>>(), ["if-match-and-more", "log-levels", "log-levels-1"]);
    assert_eq!(targets("[a](b.md#c) and `[d](e.md)`, [f](https://g.test)"), ["b.md#c", "https://g.test"]);
    assert_eq!(documents("see docs/glossary.md#glossary, or dist/{id}.md."), ["docs/glossary.md#glossary"]);
    assert_eq!(documents("(README.md) and other.md"), ["README.md"]);
}
