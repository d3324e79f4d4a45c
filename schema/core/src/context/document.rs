//! Answers with an entity tag: a text to display or a file to save. The bytes stay the same while the tag does, so
//! clients can request a part of them.

use std::io;
use std::ops::Range;

use bytes::Bytes;
use futures_util::stream::BoxStream;

/// Opens the bytes of a range. Called at most once, and only if the client needs the bytes.
pub type OpenPart = Box<dyn FnOnce(Range<u64>) -> BoxStream<'static, io::Result<Bytes>> + Send>;

/// Answer bytes with an entity tag.
pub struct Document {
    /// Media type.
    pub media_type: String,
    /// Strong validator without quotes.
    pub etag: String,
    /// The bytes.
    pub content: DocumentContent,
}

/// Content of a document.
pub enum DocumentContent {
    /// Text in memory, to be displayed.
    Text(Bytes),
    /// File to be saved.
    File {
        /// File name for saving.
        file_name: String,
        /// SHA-256 of the bytes.
        sha256: [u8; 32],
        /// Length in bytes.
        length: u64,
        /// Opens a range of the bytes.
        open: OpenPart,
    },
}
