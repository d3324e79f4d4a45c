//! Rendered texts of an item, and the rules for them.

use std::collections::BTreeSet;
use std::sync::Arc;

use labs_core::fault::{Fault, FieldError};
use labs_core::markdown::{PUBLICATION, RenderedText, text_error};
use labs_core::services::Services;

use super::content::PublicationContent;
use crate::readers::show;

/// Most unknown operations that one error lists.
const MOST_NAMED: usize = 10;
/// Longest operation id, in characters.
const LONGEST_ID: usize = 100;

/// Rendered Markdown texts of an item, each with the pointer to its field.
pub(super) struct RenderedTexts(Vec<(&'static str, Arc<RenderedText>)>);

/// Renders the texts of an item.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if too many texts wait to be rendered.
pub(super) async fn show_texts(services: &Services, content: &PublicationContent) -> Result<RenderedTexts, Fault> {
    let mut shown = Vec::new();
    for (pointer, text) in content.texts() {
        shown.push((pointer, show(services, text).await?));
    }
    Ok(RenderedTexts(shown))
}

impl RenderedTexts {
    /// Collects the errors of texts that must be rejected. A text unchanged since `before` is kept: it may be older
    /// than its limit.
    pub(super) fn check(
        &self,
        content: &PublicationContent,
        before: &PublicationContent,
        errors: &mut Vec<FieldError>,
    ) {
        let present: Vec<_> = before.texts().collect();
        for ((pointer, shown), (_, text)) in self.0.iter().zip(content.texts()) {
            if let Some(error) = shown.error.filter(|_| !present.contains(&(*pointer, text))) {
                errors.push(text_error(pointer, error, PUBLICATION));
            }
        }
    }

    /// Collects links to operations that do not exist.
    pub(super) fn check_links(&self, operations: &BTreeSet<String>, errors: &mut Vec<FieldError>) {
        for (pointer, shown) in self.0.iter().map(|(pointer, shown)| (*pointer, shown)) {
            let links = shown.rendered.operations.iter();
            let unknown = links.filter(|link| !operations.contains(*link)).take(MOST_NAMED);
            let unknown: Vec<String> = unknown.map(|link| link.chars().take(LONGEST_ID).collect()).collect();
            if !unknown.is_empty() {
                let message = format!(
                    "The contract has no operation {}. The reference lists all operations.",
                    unknown.join(", ")
                );
                errors.push(FieldError::at(pointer, "UNKNOWN_OPERATION", message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::markdown::{RenderError, Rendered};

    fn shown(operations: &[String], error: Option<RenderError>) -> Arc<RenderedText> {
        let rendered = Rendered { operations: operations.to_vec(), ..Rendered::default() };
        Arc::new(RenderedText { rendered, error })
    }

    fn content(body: &str, migration: &str) -> PublicationContent {
        PublicationContent {
            body: body.to_owned(),
            migration: Some(migration.to_owned()),
            ..PublicationContent::empty()
        }
    }

    fn codes(errors: &[FieldError]) -> Vec<String> {
        errors.iter().map(|error| format!("{} {}", error.pointer.as_deref().unwrap_or_default(), error.code)).collect()
    }

    #[test]
    fn new_unrenderable_text_is_rejected() {
        let (body, migration) = (shown(&[], Some(RenderError::TooLong)), shown(&[], Some(RenderError::TooDeep)));
        let texts = RenderedTexts(vec![("/body", body), ("/migration", migration)]);
        let found = |before: &PublicationContent| {
            let mut errors = Vec::new();
            texts.check(&content("a", "b"), before, &mut errors);
            codes(&errors)
        };
        assert_eq!(found(&PublicationContent::empty()), ["/body HTML_TOO_LONG", "/migration TOO_DEEP"]);
        assert_eq!(found(&content("a", "a")), ["/migration TOO_DEEP"]);
        assert!(found(&content("a", "b")).is_empty());
    }

    #[test]
    fn links_to_unknown_operations_are_rejected() {
        let known = BTreeSet::from(["system_me_get".to_owned()]);
        let found = |operations: &[String]| {
            let mut errors = Vec::new();
            RenderedTexts(vec![("/body", shown(operations, None))]).check_links(&known, &mut errors);
            errors
        };
        assert!(found(&["system_me_get".to_owned()]).is_empty());
        let errors = found(&["nothing_get".to_owned(), "system_me_get".to_owned(), "x".repeat(60_000)]);
        assert_eq!(codes(&errors), ["/body UNKNOWN_OPERATION"]);
        assert!(errors[0].message.contains("nothing_get, x") && errors[0].message.len() < 300);
        let many: Vec<String> = (0..1_000).map(|number| format!("a{number}")).collect();
        assert_eq!(found(&many)[0].message.matches(", ").count(), MOST_NAMED - 1);
    }
}
