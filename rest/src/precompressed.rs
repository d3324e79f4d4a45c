//! Immutable documents and their gzip form, which is created once, at the first request for it: anonymous clients may
//! request them at any rate, so they must not be copied or compressed per request.

use std::io::{Read as _, Write as _};
use std::sync::{Arc, OnceLock};

use axum::body::Body;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, Response, header};

use crate::front::coding::{CodingSettled, accepts_gzip};

/// An immutable document.
pub(crate) struct PrecompressedDocument {
    /// None if the binary contains only the gzip form. For a client without gzip it is unpacked on demand, which costs
    /// a tenth of compressing, and is not cached.
    plain: Option<Bytes>,
    /// The inner value is empty if gzip would not make the document smaller.
    gzip: Arc<OnceLock<Option<Bytes>>>,
}

impl PrecompressedDocument {
    /// Creates a document from bytes that are not compressed yet.
    pub(crate) fn new(plain: Bytes) -> Self {
        Self { plain: Some(plain), gzip: Arc::default() }
    }

    /// Creates a document from its gzip form.
    pub(crate) fn from_gzip(gzip: Bytes) -> Self {
        Self { plain: None, gzip: Arc::new(OnceLock::from(Some(gzip))) }
    }

    /// Returns the bytes; none if the gzip form is invalid.
    pub(crate) fn plain(&self) -> Option<Bytes> {
        self.plain.clone().or_else(|| self.gzip.get()?.as_ref().and_then(unpack))
    }

    /// Builds a response in the form that these headers accept.
    pub(super) async fn answer(&self, headers: &HeaderMap) -> Response<Body> {
        let mut response = Response::new(Body::empty());
        self.write(headers, &mut response).await;
        response
    }

    /// Writes the document to a response, in the form that these headers accept.
    pub(super) async fn write(&self, headers: &HeaderMap, response: &mut Response<Body>) {
        let gzip = if accepts_gzip(headers) { self.gzip().await } else { None };
        let is_gzip = gzip.is_some();
        let bytes = match gzip.or_else(|| self.plain.clone()) {
            Some(bytes) => bytes,
            None => self.unpacked().await,
        };
        *response.body_mut() = Body::from(bytes);
        response.extensions_mut().insert(CodingSettled);
        let out = response.headers_mut();
        out.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        if is_gzip {
            out.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
    }

    /// If a caller disconnects during the compression, the next one waits for the same result.
    async fn gzip(&self) -> Option<Bytes> {
        if let Some(made) = self.gzip.get() {
            return made.clone();
        }
        let (plain, gzip) = (self.plain.clone()?, Arc::clone(&self.gzip));
        let made = tokio::task::spawn_blocking(move || gzip.get_or_init(|| compress(&plain)).clone());
        made.await.ok().flatten()
    }

    async fn unpacked(&self) -> Bytes {
        let packed = self.gzip.get().cloned().flatten();
        let unpacked = tokio::task::spawn_blocking(move || packed.as_ref().and_then(unpack));
        unpacked.await.ok().flatten().unwrap_or_default()
    }
}

fn unpack(gzip: &Bytes) -> Option<Bytes> {
    let mut plain = Vec::new();
    GzDecoder::new(gzip.as_ref()).read_to_end(&mut plain).ok()?;
    Some(Bytes::from(plain))
}

fn compress(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).ok()?;
    let made = encoder.finish().ok()?;
    (made.len() < plain.len()).then(|| Bytes::from(made))
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    async fn answer(packed: &PrecompressedDocument, coding: &'static str) -> (bool, Bytes) {
        let sent = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(coding))]);
        let response = packed.answer(&sent).await;
        let is_gzip = response.headers().contains_key(header::CONTENT_ENCODING);
        (is_gzip, response.into_body().collect().await.unwrap().to_bytes())
    }

    #[tokio::test]
    async fn document_is_compressed_once_for_all_clients() {
        let text = Bytes::from_static(&[b'a'; 4096]);
        let packed = PrecompressedDocument::new(text.clone());
        let (is_gzip, plain) = answer(&packed, "br").await;
        assert!(!is_gzip && plain.as_ptr() == text.as_ptr(), "the very bytes");
        let ((first_is, first), (again_is, again)) = tokio::join!(answer(&packed, "gzip"), answer(&packed, "*"));
        assert!(first_is && again_is && first.as_ptr() == again.as_ptr(), "made once");
        let mut back = Vec::new();
        GzDecoder::new(first.as_ref()).read_to_end(&mut back).unwrap();
        assert_eq!(back, text);
    }

    #[tokio::test]
    async fn compressed_document_is_unpacked_for_clients_without_gzip() {
        let text = Bytes::from_static(&[b'a'; 4096]);
        let gzip = compress(&text).unwrap();
        let packed = PrecompressedDocument::from_gzip(gzip.clone());
        assert_eq!(answer(&packed, "gzip").await, (true, gzip));
        assert_eq!(answer(&packed, "identity").await, (false, text.clone()));
        assert_eq!(packed.plain(), Some(text));
    }

    #[tokio::test]
    async fn document_that_gzip_enlarges_stays_uncompressed() {
        let packed = PrecompressedDocument::new(Bytes::from_static(b"\x89PNG"));
        assert_eq!(answer(&packed, "gzip").await, (false, Bytes::from_static(b"\x89PNG")));
    }
}
