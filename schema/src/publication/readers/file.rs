//! The file of a resource, as it leaves.

use crate::core::context::{Document, DocumentContent, RequestContext};
use crate::core::fault::Fault;
use crate::core::media::store::MediaKey;
use crate::publication::items::PublicationArtefact;

/// Makes a file the answer. Its bytes lie in the store under their SHA-256; a file that the service makes itself would be
/// a document of another source, made here.
///
/// # Errors
/// [`crate::Code::Internal`] when the store is away, or has lost the file.
pub(in crate::publication) async fn deliver(cx: &RequestContext, artefact: PublicationArtefact) -> Result<(), Fault> {
    let lost = || Fault::internal(format!("the file {} is not in the store", artefact.sha256));
    let key = MediaKey::from_name(&artefact.sha256).ok_or_else(lost)?;
    cx.db.answered().await;
    let media = cx.services.media.clone();
    let length = media.size(key).await.map_err(Fault::internal)?.ok_or_else(lost)?;
    // What is text was looked at when it came: it is UTF-8.
    let charset = if artefact.media_type == "text/plain" { "; charset=utf-8" } else { "" };
    cx.deliver_document(Document {
        media_type: format!("{}{charset}", artefact.media_type),
        etag: key.name(),
        content: DocumentContent::File {
            file_name: artefact.file_name,
            sha256: *key.digest(),
            length,
            open: Box::new(move |part| media.part(key, part)),
        },
    });
    Ok(())
}
