//! Job that creates page renditions of images uploaded before renditions existed, a few at a time.

use std::net::{IpAddr, Ipv4Addr};

use labs_blocking::fair::WorkOwner;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_media::image::{ImageError, PictureKind};
use labs_media::store::MediaKey;
use labs_shared::images::{Size, keep_renditions};
use sqlx::PgPool;

use super::store::{self, DuePicture};

/// Maximum number of images per run.
const FEW: i64 = 5;

/// Creates the renditions of a few images without renditions, and returns their number.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database or the object storage does not answer; completed renditions are
/// kept.
pub async fn make_due(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let mut made = 0;
    for picture in store::due_page(pool, FEW).await? {
        let copies = match make(services, &picture).await? {
            RenditionOutcome::Copies(copies) => Some(copies),
            RenditionOutcome::Nothing => None,
            RenditionOutcome::Later => break,
        };
        store::set_renditions(pool, picture.uuid, copies).await?;
        made += 1;
    }
    Ok(made)
}

/// Result of processing one image.
enum RenditionOutcome {
    Copies(Vec<Size>),
    /// The content is lost or damaged, so a retry is useless.
    Nothing,
    /// The image processing is busy with uploads.
    Later,
}

async fn make(services: &Services, picture: &DuePicture) -> Result<RenditionOutcome, Fault> {
    let key = MediaKey::from_name(&picture.object_key);
    let kept = match key {
        Some(key) => super::read(&services.media, key).await?,
        None => None,
    };
    let Some(kept) = kept else { return Ok(RenditionOutcome::Nothing) };
    let kind = if picture.is_icon { PictureKind::Icon } else { PictureKind::Screenshot };
    let party = WorkOwner { network: IpAddr::V4(Ipv4Addr::UNSPECIFIED), account: "renditions".to_owned() };
    match services.pictures.renditions(party, kept, kind).await {
        Ok(copies) => Ok(RenditionOutcome::Copies(keep_renditions(&services.media, &copies).await?)),
        Err(ImageError::Overloaded) => Ok(RenditionOutcome::Later),
        Err(ImageError::Refused(problem)) => {
            tracing::warn!(picture = %picture.uuid, cause = %problem, "the copies of a stored image cannot be created");
            Ok(RenditionOutcome::Nothing)
        }
    }
}
