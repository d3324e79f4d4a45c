//! Delivery of a resource's file.

use std::io;
use std::ops::Range;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use labs_core::context::{Document, DocumentContent, OpenPart, RequestContext};
use labs_core::fault::Fault;
use labs_core::surface::GeneratedResource;
use labs_media::store::MediaKey;

use crate::generated;
use crate::items::PublicationArtefact;

/// Sends a file as the response: an uploaded one, whose bytes are in the object storage under their SHA-256, or a
/// generated one.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the object storage does not answer, [`labs_core::Code::Internal`] if it has lost
/// the file, or the service cannot generate it.
pub(crate) async fn deliver(
    cx: &RequestContext,
    artefact: PublicationArtefact,
    generated: Option<GeneratedResource>,
) -> Result<(), Fault> {
    if let Some(resource) = generated {
        cx.db.release().await;
        let made = generated::file(&cx.services, resource).await?;
        let (artefact, content) = (made.artefact.clone(), made.content.clone());
        document(cx, artefact, (made.sha256, content.len() as u64), Box::new(move |part| one_part(&content, &part)));
        return Ok(());
    }
    let lost = || Fault::internal(format!("the file {} is not in the object storage", artefact.sha256));
    let key = MediaKey::from_name(&artefact.sha256).ok_or_else(lost)?;
    cx.db.release().await;
    let media = cx.services.media.clone();
    let length = media.size(key).await?.ok_or_else(lost)?;
    document(cx, artefact, (*key.digest(), length), Box::new(move |part| media.part(key, part)));
    Ok(())
}

/// Returns a range of bytes in memory.
fn one_part(content: &Bytes, part: &Range<u64>) -> BoxStream<'static, io::Result<Bytes>> {
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let wanted = content.get(place(part.start)..place(part.end)).unwrap_or_default();
    stream::iter([Ok(content.slice_ref(wanted))]).boxed()
}

fn document(cx: &RequestContext, artefact: PublicationArtefact, (sha256, length): ([u8; 32], u64), open: OpenPart) {
    // Text files were checked at upload: they are UTF-8.
    let charset = if artefact.media_type == "text/plain" { "; charset=utf-8" } else { "" };
    cx.deliver_document(Document {
        media_type: format!("{}{charset}", artefact.media_type),
        etag: artefact.sha256,
        content: DocumentContent::File { file_name: artefact.file_name, sha256, length, open },
    });
}
