//! Start of the object storage for media.

use labs_media::store::{Bucket, FailureKind, MediaPlace, MediaStore, Provider, StoreError};

use super::refusal::OpenRefusal;

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
    let (variables, endpoint, keys) = match bucket.provider {
        Provider::S3 => ("AWS_", "AWS_ENDPOINT_URL and AWS_REGION", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
        Provider::Google => ("GOOGLE_", "the network", "GOOGLE_SERVICE_ACCOUNT"),
        Provider::Azure => ("AZURE_", "AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY"),
    };
    let what = match error {
        StoreError::Store { kind: FailureKind::Missing, .. } => {
            format!("Create the bucket {}, or name another one in LABS_MEDIA_URL.", bucket.name)
        }
        StoreError::Store { kind: FailureKind::Denied, .. } => format!(
            "Check {keys}, or allow their owner to list the bucket {} and to read, write and delete objects in it.",
            bucket.name
        ),
        // If no keys are set, the client requests them from the machine's provider at this address.
        StoreError::Store { message, .. } if message.contains("169.254.") => {
            format!("Set {keys}: no keys are configured, and this machine provides no keys of its cloud provider.")
        }
        _ => format!("Check {endpoint}, the other variables that begin with {variables}, and the network connection."),
    };
    OpenRefusal::new(format!("The media in {bucket} cannot be accessed: {error}. {what}"))
}
