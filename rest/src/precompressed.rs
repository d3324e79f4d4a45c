//! Bytes that stay the same while the process lives, and their gzip form, made once when somebody first takes it: what
//! strangers may ask for as often as they like must not be copied or compressed for each of them.

use std::io::{Read as _, Write as _};
use std::sync::{Arc, OnceLock};

use axum::body::Body;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, Response, header};

use crate::edge::coding::{Settled, takes_gzip};

/// A document that is served as it was built.
pub(crate) struct PrecompressedDocument {
    /// None where the program carries its gzip form alone. Whoever takes no gzip has it unpacked, which costs a tenth of
    /// what packing it does, and is not kept.
    plain: Option<Bytes>,
    /// Nothing inside when gzip would not make it smaller.
    gzip: Arc<OnceLock<Option<Bytes>>>,
}

impl PrecompressedDocument {
    /// These bytes, not yet compressed.
    pub(crate) fn new(plain: Bytes) -> Self {
        Self { plain: Some(plain), gzip: Arc::default() }
    }

    /// A document of which this is the gzip form.
    pub(crate) fn packed(gzip: Bytes) -> Self {
        Self { plain: None, gzip: Arc::new(OnceLock::from(Some(gzip))) }
    }

    /// Its bytes; none where they were packed badly.
    pub(crate) fn plain(&self) -> Option<Bytes> {
        self.plain.clone().or_else(|| self.gzip.get()?.as_ref().and_then(unpack))
    }

    /// An answer of them in the form that these headers ask for.
    pub(super) async fn answer(&self, headers: &HeaderMap) -> Response<Body> {
        let gzip = if takes_gzip(headers) { self.gzip().await } else { None };
        let is_gzip = gzip.is_some();
        let bytes = match gzip.or_else(|| self.plain.clone()) {
            Some(bytes) => bytes,
            None => self.unpacked().await,
        };
        let mut response = Response::new(Body::from(bytes));
        response.extensions_mut().insert(Settled);
        let out = response.headers_mut();
        out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if is_gzip {
            out.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }

    /// Whoever leaves while it is made leaves it to the next, who waits for the same one.
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
    async fn the_bytes_are_compressed_once_for_all_who_take_that() {
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
    async fn what_is_carried_by_gzip_is_unpacked_for_those_who_do_not_take_it() {
        let text = Bytes::from_static(&[b'a'; 4096]);
        let gzip = compress(&text).unwrap();
        let packed = PrecompressedDocument::packed(gzip.clone());
        assert_eq!(answer(&packed, "gzip").await, (true, gzip));
        assert_eq!(answer(&packed, "identity").await, (false, text.clone()));
        assert_eq!(packed.plain(), Some(text));
    }

    #[tokio::test]
    async fn what_gzip_makes_larger_stays_as_it_is() {
        let packed = PrecompressedDocument::new(Bytes::from_static(b"\x89PNG"));
        assert_eq!(answer(&packed, "gzip").await, (false, Bytes::from_static(b"\x89PNG")));
    }
}
