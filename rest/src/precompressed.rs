//! Immutable documents and their compressed forms. Each form is created once, at the first request for it: anonymous
//! clients may request them at any rate, so they must not be copied or compressed per request.

use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use axum::body::Body;
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, Response, header};

use crate::front::coding::{CodingSettled, accepts_brotli, accepts_gzip};

/// Quality of brotli, from 0 to 11. Beyond it, the time grows faster than the size shrinks.
const BROTLI_QUALITY: i32 = 6;
/// Size of the buffer for compression and decompression.
const BUFFER: usize = 16 * 1024;

/// An immutable document.
#[derive(Clone)]
pub(crate) struct PrecompressedDocument {
    /// None if the binary contains only the brotli form. For a client without brotli it is unpacked on demand; the plain
    /// form is not cached.
    plain: Option<Bytes>,
    brotli: Form,
    gzip: Form,
}

/// A compressed form. The inner value is empty if compression would not make the document smaller.
type Form = Arc<OnceLock<Option<Bytes>>>;

impl PrecompressedDocument {
    /// Creates a document from bytes that are not compressed yet.
    pub(crate) fn new(plain: Bytes) -> Self {
        Self { plain: Some(plain), brotli: Form::default(), gzip: Form::default() }
    }

    /// Creates a document from its brotli form.
    pub(crate) fn from_brotli(brotli: Bytes) -> Self {
        Self { plain: None, brotli: Arc::new(OnceLock::from(Some(brotli))), gzip: Form::default() }
    }

    /// Returns the bytes; none if the brotli form is invalid.
    pub(crate) fn plain(&self) -> Option<Bytes> {
        self.plain.clone().or_else(|| self.brotli.get()?.as_ref().and_then(unpack))
    }

    /// Builds a response in the form that these headers accept.
    pub(super) async fn answer(&self, headers: &HeaderMap) -> Response<Body> {
        let mut response = Response::new(Body::empty());
        self.write(headers, &mut response).await;
        response
    }

    /// Writes the document to a response, in the form that these headers accept: brotli before gzip.
    pub(super) async fn write(&self, headers: &HeaderMap, response: &mut Response<Body>) {
        let (coding, bytes) = self.form(headers).await;
        *response.body_mut() = Body::from(bytes);
        response.extensions_mut().insert(CodingSettled);
        let out = response.headers_mut();
        out.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(coding) = coding {
            out.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
    }

    async fn form(&self, headers: &HeaderMap) -> (Option<&'static str>, Bytes) {
        if accepts_brotli(headers)
            && let Some(bytes) = self.compressed(&self.brotli, compress_brotli).await
        {
            return (Some("br"), bytes);
        }
        if accepts_gzip(headers)
            && let Some(bytes) = self.compressed(&self.gzip, compress_gzip).await
        {
            return (Some("gzip"), bytes);
        }
        let document = self.clone();
        let plain = match &self.plain {
            Some(plain) => Some(plain.clone()),
            None => tokio::task::spawn_blocking(move || document.plain()).await.ok().flatten(),
        };
        (None, plain.unwrap_or_default())
    }

    /// Returns a compressed form. If a caller disconnects during the compression, the next one waits for the same result.
    async fn compressed(&self, form: &Form, compress: fn(&[u8]) -> Option<Bytes>) -> Option<Bytes> {
        if let Some(made) = form.get() {
            return made.clone();
        }
        let (document, form) = (self.clone(), Arc::clone(form));
        let make = move || form.get_or_init(|| document.plain().and_then(|plain| compress(&plain))).clone();
        tokio::task::spawn_blocking(make).await.ok().flatten()
    }
}

fn unpack(brotli: &Bytes) -> Option<Bytes> {
    let mut plain = Vec::new();
    brotli::BrotliDecompress(&mut brotli.as_ref(), &mut plain).ok()?;
    Some(Bytes::from(plain))
}

fn compress_brotli(plain: &[u8]) -> Option<Bytes> {
    let parameters = BrotliEncoderParams { quality: BROTLI_QUALITY, size_hint: plain.len(), ..Default::default() };
    let mut encoder = brotli::CompressorWriter::with_params(Vec::new(), BUFFER, &parameters);
    encoder.write_all(plain).ok()?;
    shorter(encoder.into_inner(), plain)
}

fn compress_gzip(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).ok()?;
    shorter(encoder.finish().ok()?, plain)
}

/// Returns the compressed form if it is shorter.
fn shorter(compressed: Vec<u8>, plain: &[u8]) -> Option<Bytes> {
    (compressed.len() < plain.len()).then(|| Bytes::from(compressed))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use http_body_util::BodyExt as _;

    use super::*;

    async fn answer(document: &PrecompressedDocument, codings: &'static str) -> (String, Bytes) {
        let sent = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(codings))]);
        let response = document.answer(&sent).await;
        let coding = response.headers().get(header::CONTENT_ENCODING).map_or("", |coding| coding.to_str().unwrap());
        (coding.to_owned(), response.into_body().collect().await.unwrap().to_bytes())
    }

    fn text() -> Bytes {
        Bytes::from_static(&[b'a'; 4096])
    }

    #[tokio::test]
    async fn document_is_compressed_once_for_all_clients() {
        let document = PrecompressedDocument::new(text());
        let (coding, plain) = answer(&document, "zstd").await;
        assert!(coding.is_empty() && plain.as_ptr() == document.plain.as_ref().unwrap().as_ptr(), "the same bytes");
        for (codings, expected) in [("gzip", "gzip"), ("gzip, br", "br"), ("br;q=0, *", "gzip")] {
            let ((coding, first), (_, again)) = tokio::join!(answer(&document, codings), answer(&document, codings));
            assert_eq!(coding, expected, "{codings}");
            assert_eq!(first.as_ptr(), again.as_ptr(), "made once");
        }
    }

    #[tokio::test]
    async fn compressed_forms_contain_the_document() {
        let document = PrecompressedDocument::new(text());
        assert_eq!(unpack(&answer(&document, "br").await.1), Some(text()));
        let mut unpacked = Vec::new();
        GzDecoder::new(answer(&document, "gzip").await.1.as_ref()).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, text());
    }

    #[tokio::test]
    async fn brotli_document_is_converted_for_other_clients() {
        let brotli = compress_brotli(&text()).unwrap();
        let document = PrecompressedDocument::from_brotli(brotli.clone());
        assert_eq!(answer(&document, "gzip, br").await, ("br".to_owned(), brotli));
        assert_eq!(answer(&document, "gzip").await, ("gzip".to_owned(), compress_gzip(&text()).unwrap()));
        assert_eq!(answer(&document, "identity").await, (String::new(), text()));
        assert_eq!(document.plain(), Some(text()));
    }

    #[tokio::test]
    async fn document_that_compression_enlarges_stays_uncompressed() {
        let document = PrecompressedDocument::new(Bytes::from_static(b"\x89PNG"));
        assert_eq!(answer(&document, "gzip, br").await, (String::new(), Bytes::from_static(b"\x89PNG")));
    }
}
