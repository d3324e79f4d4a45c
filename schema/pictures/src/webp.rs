//! Container of a WebP file (RFC 9649). Its chunks are checked before the decoder reads them.
//!
//! The decoder allocates as much memory as a chunk claims to need, and decodes a frame before it compares the frame
//! size with the canvas. Therefore, both values are verified first.
use super::ImageProblem;

/// A WebP file with one picture and all of its chunks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Webp<'a> {
    /// The file up to its declared length. Later bytes are not part of it.
    pub(super) bytes: &'a [u8],
    /// Whether the encoding is lossless.
    pub(super) is_lossless: bool,
}

/// Width and height in pixels.
type Size = (u32, u32);

/// Name and content of a chunk, and the bytes after it.
type Chunk<'a> = (&'a [u8; 4], &'a [u8], &'a [u8]);

/// Checks a file that begins like a WebP.
///
/// # Errors
/// [`ImageProblem::Animated`], or [`ImageProblem::Damaged`] for a file without a picture, or if lengths or sizes are
/// inconsistent.
pub(super) fn read(upload: &[u8]) -> Result<Webp<'_>, ImageProblem> {
    let (_, content, _) = next_chunk(upload)?.ok_or(ImageProblem::Damaged)?;
    let bytes = upload.get(..8 + content.len()).ok_or(ImageProblem::Damaged)?;
    let mut rest = content.get(4..).ok_or(ImageProblem::Damaged)?;
    let (mut canvas, mut is_lossless) = (None, None);
    while let Some((name, content, after)) = next_chunk(rest)? {
        match name {
            b"ANIM" | b"ANMF" => return Err(ImageProblem::Animated),
            b"VP8X" if content.first().is_some_and(|flags| flags & 2 != 0) => return Err(ImageProblem::Animated),
            b"VP8X" => canvas = Some(canvas_of(content)?),
            b"VP8 " => {
                let frame = frame_of(content)?;
                if canvas.is_some_and(|canvas| canvas != frame) {
                    return Err(ImageProblem::Damaged);
                }
                is_lossless = Some(false);
            }
            b"VP8L" => is_lossless = Some(true),
            _ => {}
        }
        rest = after;
    }
    Ok(Webp { bytes, is_lossless: is_lossless.ok_or(ImageProblem::Damaged)? })
}

/// Returns the first chunk, if its header is present. The file is damaged if the chunk claims more bytes than remain.
fn next_chunk(bytes: &[u8]) -> Result<Option<Chunk<'_>>, ImageProblem> {
    let Some((name, after)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let Some((length, after)) = after.split_first_chunk::<4>() else { return Ok(None) };
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| ImageProblem::Damaged)?;
    let (content, after) = after.split_at_checked(length).ok_or(ImageProblem::Damaged)?;
    // Chunks are padded to an even length; the last one's padding may be missing.
    let after = if length % 2 == 1 { after.get(1..).unwrap_or_default() } else { after };
    Ok(Some((name, content, after)))
}

/// Returns the size in the header of the extended format: three bytes per side, stored minus one.
fn canvas_of(header: &[u8]) -> Result<Size, ImageProblem> {
    match *header {
        [_, _, _, _, w0, w1, w2, h0, h1, h2, ..] => {
            Ok((u32::from_le_bytes([w0, w1, w2, 0]) + 1, u32::from_le_bytes([h0, h1, h2, 0]) + 1))
        }
        _ => Err(ImageProblem::Damaged),
    }
}

/// Returns the size in the header of a lossy frame, in fourteen bits each (RFC 6386, 9.1).
fn frame_of(frame: &[u8]) -> Result<Size, ImageProblem> {
    const FOURTEEN_BITS: u16 = 0x3fff;
    match *frame {
        [_, _, _, 0x9d, 0x01, 0x2a, w0, w1, h0, h1, ..] => {
            let side = |bytes| u32::from(u16::from_le_bytes(bytes) & FOURTEEN_BITS);
            Ok((side([w0, w1]), side([h0, h1])))
        }
        _ => Err(ImageProblem::Damaged),
    }
}
