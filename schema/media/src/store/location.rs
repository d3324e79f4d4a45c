//! Location of the media: a folder, or a bucket of Amazon S3 or of an S3-compatible server.

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

/// Bucket of Amazon S3 or of an S3-compatible server.
#[derive(Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Name of the bucket.
    pub name: String,
    /// Prefix of all object names, without leading and trailing slashes; may be empty.
    pub prefix: String,
    /// Variables that begin with `AWS_`, by name, including endpoint, region and keys.
    pub settings: Vec<(String, String)>,
}

impl fmt::Display for Bucket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "s3://{}", self.name)?;
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
