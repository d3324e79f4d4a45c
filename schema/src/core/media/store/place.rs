//! Where the media lie: in a folder, or in a bucket of an object store.

use std::fmt;
use std::path::PathBuf;

/// Where the media lie. What is told of it holds no secret.
#[derive(Clone, PartialEq, Eq)]
pub enum MediaPlace {
    /// In a folder.
    Folder(PathBuf),
    /// In a bucket.
    Bucket(Bucket),
}

/// A bucket of an object store.
#[derive(Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Whose protocol it speaks.
    pub provider: Provider,
    /// Its name.
    pub name: String,
    /// What the names of all objects begin with, without slashes at the ends; may be empty.
    pub prefix: String,
    /// The variables of the provider by their names, among them endpoint, region and keys.
    pub settings: Vec<(String, String)>,
}

/// Whose protocol a bucket speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Amazon S3, and whatever speaks as it does.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

impl Provider {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::S3, Self::Google, Self::Azure];

    /// What addresses of its buckets begin with.
    #[must_use]
    pub const fn scheme(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Google => "gs",
            Self::Azure => "az",
        }
    }

    /// What its variables begin with.
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
