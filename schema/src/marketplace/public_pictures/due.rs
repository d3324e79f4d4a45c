//! Copies for pages of pictures that were uploaded before there were any: made in the background, a few at a time.

use std::net::{IpAddr, Ipv4Addr};

use sqlx::PgPool;

use super::store::{self, DuePicture};
use crate::core::blocking::fair::WorkOwner;
use crate::core::fault::Fault;
use crate::core::media::image::{ImageError, PictureKind};
use crate::core::media::store::MediaKey;
use crate::core::services::Services;
use crate::marketplace::media::{Size, keep_renditions};

/// Pictures of one run, at most.
const FEW: i64 = 5;

/// Makes the copies of a few pictures that have none. Answers of how many.
///
/// # Errors
/// [`crate::Code::Unavailable`] when the database or the store is away; what was made stays so.
pub(crate) async fn make_due(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let mut made = 0;
    for picture in store::due_page(pool, FEW).await? {
        let copies = match make(services, &picture).await? {
            Made::Copies(copies) => Some(copies),
            Made::Nothing => None,
            Made::Later => break,
        };
        store::set_renditions(pool, picture.uuid, copies).await?;
        made += 1;
    }
    Ok(made)
}

/// What came of a picture.
enum Made {
    Copies(Vec<Size>),
    /// Its bytes are lost or damaged: to try again would change nothing.
    Nothing,
    /// Uploads wait already.
    Later,
}

async fn make(services: &Services, picture: &DuePicture) -> Result<Made, Fault> {
    let key = MediaKey::from_name(&picture.object_key);
    let kept = match key {
        Some(key) => super::read(&services.media, key).await?,
        None => None,
    };
    let Some(kept) = kept else { return Ok(Made::Nothing) };
    let kind = if picture.is_icon { PictureKind::Icon } else { PictureKind::Screenshot };
    let party = WorkOwner { network: IpAddr::V4(Ipv4Addr::UNSPECIFIED), account: "renditions".to_owned() };
    match services.pictures.renditions(party, kept, kind).await {
        Ok(copies) => Ok(Made::Copies(keep_renditions(&services.media, &copies).await?)),
        Err(ImageError::Overloaded) => Ok(Made::Later),
        Err(ImageError::Refused(problem)) => {
            tracing::warn!(picture = %picture.uuid, cause = %problem, "a stored image has no copies");
            Ok(Made::Nothing)
        }
    }
}
