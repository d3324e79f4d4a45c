//! Start of the object storage for media.

use labs_media::store::{Bucket, FailureKind, MediaPlace, MediaStore, StoreError};

use super::refusal::OpenRefusal;

/// Variables of the keys.
const KEYS: &str = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";

/// Opens the object storage for media. When it returns, every required kind of access has been tested.
///
/// # Errors
/// If the folder cannot be created, or the folder or bucket cannot be reached, read or written.
pub async fn open_media(place: &MediaPlace) -> Result<MediaStore, OpenRefusal> {
    match place {
        MediaPlace::Folder(folder) => {
            let refused = |error: StoreError| {
                OpenRefusal::new(format!(
                    "The media folder {place} cannot be used: {error}. Give the service read and write access and \
                     free space on its disk, or name another folder in LABS_MEDIA_FOLDER."
                ))
            };
            let store = MediaStore::in_folder(folder).map_err(refused)?;
            store.prove().await.map_err(refused)?;
            Ok(store)
        }
        MediaPlace::Bucket(bucket) => {
            let store = MediaStore::in_bucket(bucket).map_err(|error| refusal(&error, bucket))?;
            store.prove().await.map_err(|error| refusal(&error, bucket))?;
            Ok(store)
        }
    }
}

/// Explains why a bucket cannot be used, and the remedy.
fn refusal(error: &StoreError, bucket: &Bucket) -> OpenRefusal {
    let what = match error {
        StoreError::Store { kind: FailureKind::Missing, .. } => {
            format!("Create the bucket {}, or name another one in LABS_MEDIA_URL.", bucket.name)
        }
        StoreError::Store { kind: FailureKind::Denied, .. } => format!(
            "Check {KEYS}, or allow their owner to list the bucket {} and to read, write and delete objects in it.",
            bucket.name
        ),
        // If no keys are set, the client requests them from the machine's provider at this address.
        StoreError::Store { message, .. } if message.contains("169.254.") => {
            format!("Set {KEYS}: no keys are configured, and this machine provides no keys of its cloud provider.")
        }
        _ => "Check AWS_ENDPOINT_URL and AWS_REGION, the other variables that begin with AWS_, and the network connection."
            .to_owned(),
    };
    OpenRefusal::new(format!("The media in {bucket} cannot be accessed: {error}. {what}"))
}
