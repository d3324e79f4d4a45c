//! Rendered texts of items for readers.

use std::sync::Arc;

use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::markdown::{Heading, MIGRATION, PUBLICATION, RenderedText, TextRenderer};
use labs_core::services::Services;
use serde::Serialize;

/// A heading in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, OutputType)]
pub(crate) struct PublicationAnchor {
    /// `id` of the heading in the HTML. It begins with `section-` and stays the same while the heading does.
    id: String,
    /// Level of the heading, 1 for the highest.
    level: i32,
    /// Text of the heading.
    text: String,
}

impl From<&Heading> for PublicationAnchor {
    fn from(heading: &Heading) -> Self {
        Self { id: heading.id.clone(), level: heading.level.into(), text: heading.text.clone() }
    }
}

/// Returns a text of an item, rendered for display.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if too many texts wait to be rendered.
pub(crate) async fn show(services: &Services, markdown: &str) -> Result<Arc<RenderedText>, Fault> {
    services.state::<TextRenderer>().show(markdown, PUBLICATION).await
}

/// Returns the HTML of a text and the anchors of its headings.
///
/// # Errors
/// The errors of [`show`].
pub(crate) async fn show_with_anchors(
    services: &Services,
    markdown: &str,
) -> Result<(String, Vec<PublicationAnchor>), Fault> {
    let shown = show(services, markdown).await?;
    let anchors = shown.rendered.headings.iter().map(PublicationAnchor::from).collect();
    Ok((shown.rendered.html.clone(), anchors))
}

/// Returns the HTML of a changelog entry's migration, if it has one.
///
/// # Errors
/// The errors of [`show`].
pub(crate) async fn show_migration(services: &Services, markdown: Option<&str>) -> Result<Option<String>, Fault> {
    let Some(markdown) = markdown else { return Ok(None) };
    let shown = services.state::<TextRenderer>().show(markdown, MIGRATION).await?;
    Ok(Some(shown.rendered.html.clone()))
}
