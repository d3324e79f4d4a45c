//! Files of developer resources that the service generates from the contract that it serves. Each is generated on the
//! first request, outside the async threads, and again only after the announced deprecations of the contract have
//! changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use labs_core::deprecation::AnnouncedDeprecations;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_core::surface::GeneratedResource;
use labs_crypto::sha256;
use tokio::sync::OnceCell;

use super::items::PublicationArtefact;

/// A generated file.
pub(crate) struct MadeFile {
    /// Its artefact fields.
    pub(crate) artefact: PublicationArtefact,
    /// Versions of contract and service from which it was generated.
    pub(crate) version: String,
    /// SHA-256 digest of the content.
    pub(crate) sha256: [u8; 32],
    /// Content of the file.
    pub(crate) content: Bytes,
}

type Files = HashMap<GeneratedResource, Arc<OnceCell<Arc<MadeFile>>>>;

/// Cache of the generated files, and the announcements of the contract that they contain.
#[derive(Default)]
struct GeneratedFiles(Mutex<(Arc<AnnouncedDeprecations>, Files)>);

impl GeneratedFiles {
    fn place(
        &self,
        announced: &Arc<AnnouncedDeprecations>,
        resource: GeneratedResource,
    ) -> Arc<OnceCell<Arc<MadeFile>>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0 != *announced {
            *kept = (Arc::clone(announced), Files::new());
        }
        Arc::clone(kept.1.entry(resource).or_default())
    }
}

/// Returns the file of a resource as the service generates it now.
///
/// # Errors
/// [`labs_core::Code::Internal`] if the embedded contract cannot be read.
pub(crate) async fn file(services: &Services, resource: GeneratedResource) -> Result<Arc<MadeFile>, Fault> {
    let announced = services.deprecations.all();
    let place = services.state::<GeneratedFiles>().place(&announced, resource);
    let (make, base_url) = (services.settings.contract.make, services.settings.base_url.clone());
    let made = place.get_or_try_init(|| async move {
        let made = tokio::task::spawn_blocking(move || {
            let file = make(resource, &base_url, &announced)?;
            let digest = sha256(&file.content);
            let artefact = PublicationArtefact {
                file_name: file.file_name.to_owned(),
                media_type: file.media_type.to_owned(),
                size_bytes: i64::try_from(file.content.len()).unwrap_or(i64::MAX),
                sha256: hex::encode(digest),
            };
            Ok(Arc::new(MadeFile { artefact, version: file.version, sha256: digest, content: file.content }))
        });
        made.await.map_err(Fault::internal)?.map_err(|error: String| Fault::internal(error))
    });
    made.await.cloned()
}

/// Writes the fields of a generated file into the artefact fields of the resource. If no file is generated, the fields
/// stay unchanged.
///
/// # Errors
/// The errors of [`file`].
pub(crate) async fn describe_file(
    services: &Services,
    resource: Option<GeneratedResource>,
    (artefact, version): (&mut PublicationArtefact, &mut Option<String>),
) -> Result<(), Fault> {
    if let Some(resource) = resource {
        let file = file(services, resource).await?;
        artefact.clone_from(&file.artefact);
        *version = Some(file.version.clone());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::deprecation::ReleasedEntry;

    #[test]
    fn generated_file_is_cached_until_announcements_change() {
        let (files, resource) = (GeneratedFiles::default(), GeneratedResource::OpenapiJson);
        let nothing = Arc::new(AnnouncedDeprecations::default());
        let kept = files.place(&nothing, resource);
        assert!(Arc::ptr_eq(&kept, &files.place(&Arc::new(AnnouncedDeprecations::default()), resource)));
        assert!(!Arc::ptr_eq(&kept, &files.place(&nothing, GeneratedResource::OpenapiYaml)), "another file");
        let entry = ReleasedEntry {
            slug: "a".to_owned(),
            title: "A".to_owned(),
            version: "1.0.0".to_owned(),
            operations: Vec::new(),
        };
        let something = Arc::new(AnnouncedDeprecations { entries: vec![entry], ..AnnouncedDeprecations::default() });
        assert!(!Arc::ptr_eq(&kept, &files.place(&something, resource)));
    }
}
