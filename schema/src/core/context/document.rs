//! Bytes that are the answer and stay the same for as long as their tag does: a document to be read where it is, or a file
//! to be saved, of which a part can be asked for.

use std::io;
use std::ops::Range;

use bytes::Bytes;
use futures_util::stream::BoxStream;

/// Opens the bytes from the one place up to the other. It is called once at most, and not where nobody wants them.
pub type OpenPart = Box<dyn FnOnce(Range<u64>) -> BoxStream<'static, io::Result<Bytes>> + Send>;

/// Bytes that are the answer, known by a tag.
pub struct Document {
    /// Media type.
    pub media_type: String,
    /// Strong validator without quotes.
    pub etag: String,
    /// The bytes.
    pub content: DocumentContent,
}

/// What a document is made of.
pub enum DocumentContent {
    /// A text that is at hand, to be read where it is.
    Text(Bytes),
    /// A file, to be saved.
    File {
        /// The name to save it under.
        file_name: String,
        /// SHA-256 of the bytes.
        sha256: [u8; 32],
        /// How many bytes there are.
        length: u64,
        /// Opens a part of them.
        open: OpenPart,
    },
}
