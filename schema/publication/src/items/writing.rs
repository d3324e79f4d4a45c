//! Creates and edits items, for staff and for machine clients.

use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::fault::{Fault, FieldError};
use labs_core::principal::PrincipalType;
use labs_core::slug::{NewSlug, SlugAttempts};
use labs_core::surface::GeneratedResource;
use uuid::Uuid;

use super::content::PublicationContent;
use super::input::PublicationPatch;
use super::list::PublicationItem;
use super::rules::{self, PublicationKind, PublicationState};
use super::store::{self, Origin, Step};
use super::texts::show_texts;

/// Properties of a new item, except its content.
#[derive(Default)]
pub(crate) struct Beginning<'a> {
    /// For a developer resource: kind of the file that the service generates instead of an uploaded one.
    pub(crate) generated: Option<GeneratedResource>,
    /// For an entry by a machine client: key that identifies the release.
    pub(crate) release_key: Option<&'a str>,
}

/// Creates a draft from the input and returns its id.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] with all errors; [`labs_core::Code::Conflict`] if another item has or had its
/// slug.
pub(crate) async fn begin(
    cx: &RequestContext,
    kind: PublicationKind,
    sent: PublicationPatch,
    Beginning { generated, release_key }: Beginning<'_>,
) -> Result<Uuid, Fault> {
    let (principal, mut errors) = (cx.principal()?, Vec::new());
    rules::check_generated(kind, generated.is_some(), sent.has_resource_version(), &mut errors);
    let mut content = sent.apply_to(kind, PublicationContent::empty(), &mut errors);
    let slug = if content.slug.is_empty() {
        let (named, otherwise) = match kind {
            PublicationKind::ChangelogEntry => {
                (format!("{} {}", content.version.as_deref().unwrap_or_default(), content.title), "entry")
            }
            PublicationKind::BlogPost => (content.title.clone(), "post"),
            PublicationKind::DeveloperResource => (content.title.clone(), "resource"),
        };
        NewSlug::of(None, &named, otherwise)
    } else {
        NewSlug::Chosen(std::mem::take(&mut content.slug))
    };
    let is_of_person = kind == PublicationKind::BlogPost && principal.kind == PrincipalType::StaffUser;
    let author_uuid = is_of_person.then_some(principal.uuid);
    show_texts(&cx.services, &content).await?.check(&content, &PublicationContent::empty(), &mut errors);
    rules::check(kind, &content, &mut errors);
    rules::check_author((false, content.show_author), author_uuid, principal.uuid, &mut errors);
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let item_uuid = cx.new_uuid();
    let origin = Origin { actor: Actor::of(principal), author_uuid, release_key, generated };
    let mut attempts = SlugAttempts::new(&cx.db, slug, cx.new_uuid());
    loop {
        content.slug = attempts.next_slug().await?;
        let inserted = store::insert(&cx.db, item_uuid, kind, &content, &origin).await;
        if attempts.end(inserted).await?.is_some() {
            return Ok(item_uuid);
        }
    }
}

/// Edits the content of a locked item. A released or scheduled item must stay complete. An edit of a released item is
/// stored as a transition with the previous content.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] with all errors; [`labs_core::Code::Conflict`] if another item has or had its
/// slug.
pub(crate) async fn change(
    cx: &RequestContext,
    present: &PublicationItem,
    sent: PublicationPatch,
    reason: Option<&str>,
) -> Result<(), Fault> {
    let (principal, mut errors) = (cx.principal()?, Vec::new());
    let before = &present.content;
    rules::check_generated(present.kind, present.generated.is_some(), sent.has_resource_version(), &mut errors);
    let after = sent.apply_to(present.kind, before.clone(), &mut errors);
    let texts = show_texts(&cx.services, &after).await?;
    texts.check(&after, before, &mut errors);
    rules::check(present.kind, &after, &mut errors);
    let author = present.author.as_ref().map(|author| author.uuid);
    rules::check_author((before.show_author, after.show_author), author, principal.uuid, &mut errors);
    if matches!(present.state, PublicationState::Released | PublicationState::Scheduled) {
        rules::check_readable(&after, &mut errors);
        texts.check_links(&cx.services.settings.operations, &mut errors);
    }
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    if after == *before {
        return Ok(());
    }
    let asked = FieldError::at("/reason", "REQUIRED", "This item is already released. Send the reason for the change.");
    rules::ensure_reason(present.state, asked, reason)?;
    store::set_content(&cx.db, present.uuid, &after).await?;
    note_edit(cx, present, reason).await
}

/// Stores the transition for an edit of a released item.
///
/// # Errors
/// If the database does not answer.
pub(super) async fn note_edit(
    cx: &RequestContext,
    present: &PublicationItem,
    reason: Option<&str>,
) -> Result<(), Fault> {
    if present.state != PublicationState::Released {
        return Ok(());
    }
    let step = Step { scheduled_for: None, reason, earlier: Some(&present.content) };
    let steps = (present.state, present.state);
    store::insert_transition(&cx.db, present.uuid, Actor::of(cx.principal()?), steps, &step).await
}
