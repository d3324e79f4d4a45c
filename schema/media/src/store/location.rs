//! Location of the media: a folder, or a bucket of an object storage.

use std::fmt;
use std::path::PathBuf;

/// Location of the media. Its display text contains no secret.
#[derive(Clone, PartialEq, Eq)]
pub enum MediaPlace {
    /// A folder.
    Folder(PathBuf),
    /// A bucket.
    Bucket(Bucket),
}

/// Bucket of an object storage.
#[derive(Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Provider whose protocol it uses.
    pub provider: Provider,
    /// Name of the bucket.
    pub name: String,
    /// Prefix of all object names, without leading and trailing slashes; may be empty.
    pub prefix: String,
    /// Variables of the provider by name, including endpoint, region and keys.
    pub settings: Vec<(String, String)>,
}

/// Provider whose protocol a bucket uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Amazon S3 and compatible storages.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

impl Provider {
    /// All providers.
    pub const ALL: [Self; 3] = [Self::S3, Self::Google, Self::Azure];

    /// Returns the URL scheme of its buckets.
    #[must_use]
    pub const fn scheme(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Google => "gs",
            Self::Azure => "az",
        }
    }

    /// Returns the prefix of its variables.
    #[must_use]
    pub const fn variables(self) -> &'static str {
        match self {
            Self::S3 => "AWS_",
            Self::Google => "GOOGLE_",
            Self::Azure => "AZURE_",
        }
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}://{}", self.provider.scheme(), self.name)?;
        if self.prefix.is_empty() { Ok(()) } else { write!(out, "/{}", self.prefix) }
    }
}

impl fmt::Display for MediaPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(out),
            Self::Bucket(bucket) => bucket.fmt(out),
        }
    }
}

impl fmt::Debug for MediaPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "MediaPlace({self})")
    }
}
