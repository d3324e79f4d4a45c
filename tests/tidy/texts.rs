//! Checks that texts are plain technical English: a summary starts with a verb, and no text, comment, function name or
//! message contains a phrase from the list. A text without a finding can still be unclear.

use std::collections::BTreeMap;

use super::{code, files, none};

/// Verbs that may start the summary of an operation.
const VERBS: &str = "Accept Activate Approve Archive Assign Cancel Change Claim Close Confirm Create Deactivate Decline \
                     Delete Disable Download Enable End Enrol Erase Explain Export Extend Flag Follow Generate Get Inspect \
                     Introspect Issue Leave Lift List Lock Mark Merge Move Offer Pause Pin Post Preview Publish \
                     Reauthenticate Refresh Register Reinstate Reject Release Relist Remove Reopen Reorder Replace Reply \
                     Report Request Resend Reset Resolve Restore Resume Retire Retry Revoke Rotate Run Schedule Search Send \
                     Set Sign Simulate Start Submit Suspend Transfer Unclaim Unfollow Unlist Unlock Unmerge Unpin Unpublish \
                     Update Upload Verify Vote Withdraw";

/// Maximum characters of a summary.
const LONGEST_SUMMARY: usize = 60;

/// Phrases that are hard to read.
const PHRASES: [&str; 30] = [
    "anew",
    "anybody",
    "anyone else",
    "as it stands",
    "at an end",
    "beforehand",
    "beside",
    "hands in",
    "handed in",
    "in its stead",
    "in place of",
    "is over",
    "is told",
    "are told",
    "it tells",
    "likewise",
    "meanwhile",
    "mend",
    "mended",
    "nobody",
    "of its own",
    "of their own",
    "of whom",
    "somebody",
    "stands for",
    "stands in",
    "unless told",
    "whatever",
    "whichever",
    "whoever",
];

/// A text in a YAML file: its key, its first line, and its content.
struct Text {
    key: String,
    line: usize,
    words: String,
}

/// Returns the texts under these keys in a YAML file, by line, without parsing the rest of the file.
fn texts(yaml: &str) -> Vec<Text> {
    const KEYS: [&str; 4] = ["summary", "description", "means", "do"];
    let mut found: Vec<Text> = Vec::new();
    let mut open: Option<usize> = None;
    for (place, line) in yaml.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        if let (Some(depth), Some(text)) = (open, found.last_mut())
            && (indent > depth || line.trim().is_empty())
        {
            text.words.push(' ');
            text.words.push_str(line.trim());
            continue;
        }
        let key = line.trim_start().split_once(':').filter(|(key, _)| KEYS.contains(key));
        open = key.map(|_| indent);
        found.extend(key.map(|(key, words)| Text { key: key.to_owned(), line: place + 1, words: words.to_owned() }));
    }
    found
}

/// Returns the words of a text in lower case, separated by blanks, without code spans.
fn words_of(text: &str) -> String {
    let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let letters = |letter: char| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' };
    let prose: String = prose.chars().map(letters).collect();
    format!(" {} ", prose.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the confusing phrases of a text.
fn phrases(text: &str) -> Vec<&'static str> {
    let words = words_of(text);
    PHRASES.into_iter().filter(|phrase| words.contains(&format!(" {phrase} "))).collect()
}

/// Returns the confusing phrases of texts, as lines of a failure. A text is a path, a line number, and its words.
fn findings(texts: impl Iterator<Item = (String, usize, String)>) -> Vec<String> {
    let found = texts.flat_map(|(path, line, words)| {
        phrases(&words).into_iter().map(move |phrase| format!("{path}:{line}: \"{phrase}\""))
    });
    found.collect()
}

#[test]
fn contract_has_no_confusing_phrases() {
    let sources = files("contract", ".yaml").into_iter().filter(|(path, _)| path != "contract/openapi.yaml");
    let texts = sources.flat_map(|(path, yaml)| {
        texts(&yaml).into_iter().map(move |text| (path.clone(), text.line, text.words)).collect::<Vec<_>>()
    });
    none(&findings(texts), "write these in plain words (CONTRIBUTING.md):");
}

#[test]
fn comments_and_documents_have_no_confusing_phrases() {
    let marks: [(&str, &[&str]); 7] = [
        (".rs", &["//"]),
        (".sql", &["--"]),
        (".ts", &["//", "/*", "*"]),
        (".tsx", &["//", "/*", "*"]),
        (".mjs", &["//", "/*", "*"]),
        (".sh", &["#"]),
        (".md", &[""]),
    ];
    let mut found = Vec::new();
    for (ending, marks) in marks {
        let lines = files("", ending).into_iter().flat_map(|(path, text)| {
            let lines = text.lines().enumerate().filter(|(_, line)| {
                let line = line.trim_start();
                marks.iter().any(|mark| line.starts_with(mark))
            });
            lines.map(|(place, line)| (path.clone(), place + 1, line.to_owned())).collect::<Vec<_>>()
        });
        found.extend(findings(lines));
    }
    // These pages quote the phrases.
    found.retain(|finding| !finding.starts_with("docs/glossary.md") && !finding.starts_with("CONTRIBUTING.md"));
    none(&found, "write these in plain words (CONTRIBUTING.md):");
}

#[test]
fn function_names_have_no_confusing_phrases() {
    let names = files("", ".rs").into_iter().flat_map(|(path, text)| {
        let names = text.lines().enumerate().filter_map(|(place, line)| {
            let (_, rest) = line.split_once("fn ")?;
            let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
            Some((path.clone(), place + 1, name.replace('_', " ")))
        });
        names.collect::<Vec<_>>()
    });
    none(&findings(names), "name these as standard terms do (CONTRIBUTING.md):");
}

#[test]
fn messages_have_no_confusing_phrases() {
    let sources = ["src", "rest/src", "schema"].into_iter().flat_map(|folder| files(folder, ".rs"));
    let sources = sources.filter(|(path, _)| !path.contains("/tests") && !path.contains("/sample/"));
    let literals = sources.flat_map(|(path, text)| {
        let code = code(&text);
        let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        let literals = lines.flat_map(|(place, line)| {
            let literals = line.split('"').skip(1).step_by(2).map(str::to_owned);
            // Shorter literals are identifiers and values.
            let literals = literals.filter(|literal| literal.matches(' ').count() > 1).collect::<Vec<_>>();
            literals.into_iter().map(move |literal| (place + 1, literal))
        });
        literals.map(|(line, literal)| (path.clone(), line, literal)).collect::<Vec<_>>()
    });
    none(&findings(literals), "write these in plain words (CONTRIBUTING.md):");
}

#[test]
fn summaries_begin_with_a_verb_and_differ() {
    let verbs: Vec<&str> = VERBS.split_whitespace().collect();
    let mut found = Vec::new();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for (path, yaml) in files("contract/paths", ".yaml") {
        // The summary of an operation, not of an example.
        for text in texts(&yaml).into_iter().filter(|text| text.key == "summary" && is_operation(&yaml, text.line)) {
            let summary = text.words.trim().trim_matches('\'').replace("''", "'");
            let place = format!("{path}:{}: {summary}", text.line);
            if !summary.split(' ').next().is_some_and(|first| verbs.contains(&first)) {
                found.push(format!("{place} (begin with a verb)"));
            }
            if summary.chars().count() > LONGEST_SUMMARY || summary.ends_with('.') {
                found.push(format!("{place} (at most {LONGEST_SUMMARY} characters, no full stop)"));
            }
            if let Some(other) = known.insert(summary, place.clone()) {
                found.push(format!("{place} (the same as {other})"));
            }
        }
    }
    assert!(known.len() > 300, "summaries were found: {}", known.len());
    none(&found, "write these summaries as CONTRIBUTING.md says:");
}

/// Whether the summary on this line belongs to an operation: these have an indentation of four.
fn is_operation(yaml: &str, line: usize) -> bool {
    yaml.lines().nth(line - 1).is_some_and(|line| line.starts_with("    summary:"))
}
