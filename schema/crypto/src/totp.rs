//! Second factor: time-based codes (RFC 6238) and recovery codes.
//!
//! Seeds are stored sealed, recovery codes as MACs under the master key: a copy of the database alone reveals neither
//! (docs/decisions/credentials.md#second-factors).
use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{GrayImage, ImageFormat, Luma};
use qrcode::{Color, QrCode};
use totp_rs::{Algorithm, Builder, Secret, Totp};
use zeroize::Zeroizing;

use super::sealed::MasterKey;
use super::secret::SecretText;
use super::{random_bytes, same_bytes};

/// Seconds for which a code is current.
pub const STEP_SECONDS: i64 = 30;
/// Bytes of a seed: the 160 bits that RFC 4226 recommends.
pub const SEED_BYTES: usize = 20;
/// Number of recovery codes per user.
pub const RECOVERY_CODES: usize = 10;
const DIGITS: usize = 6;

/// Seed shared by the service and the user's authenticator app.
#[derive(Clone)]
pub struct TotpSeed(Zeroizing<[u8; SEED_BYTES]>);

impl TotpSeed {
    /// Creates a random seed.
    pub fn random() -> TotpSeed {
        TotpSeed(Zeroizing::new(random_bytes()))
    }

    /// Creates a seed from unsealed bytes; `None` unless there are 20.
    pub fn from_bytes(bytes: &[u8]) -> Option<TotpSeed> {
        bytes.try_into().ok().map(|seed| TotpSeed(Zeroizing::new(seed)))
    }

    /// Parses a typed seed: base 32 in any case, with or without spaces. `None` unless it has 20 bytes.
    pub fn from_base32(typed: &str) -> Option<TotpSeed> {
        let plain: String = typed.chars().filter(|letter| !letter.is_whitespace()).collect();
        let secret = Secret::try_from_base32(plain.to_ascii_uppercase()).ok()?;
        Self::from_bytes(secret.as_ref())
    }

    /// Returns the bytes to seal and store.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// Returns the seed in base 32, for manual entry.
    pub fn base32(&self) -> SecretText {
        SecretText::new(Secret::new_stack(*self.0).to_base32())
    }

    /// Returns the `otpauth` URI for authenticator apps, which display `issuer` and `account`.
    pub fn otpauth_uri(&self, issuer: &str, account: &str) -> SecretText {
        // A colon separates issuer and account in the label, so neither may contain one.
        let issuer = percent_encode(&issuer.replace(':', " "));
        let account = percent_encode(&account.replace(':', " "));
        let secret = self.base32();
        SecretText::new(format!(
            "otpauth://totp/{issuer}:{account}?secret={}&issuer={issuer}\
             &algorithm=SHA1&digits={DIGITS}&period={STEP_SECONDS}",
            secret.expose()
        ))
    }

    /// Returns the step in which `code` is valid at `now_unix` seconds, if that step is later than `last_step`, the
    /// last one used. Store the result as the new last step in one guarded update; otherwise the code can be used
    /// twice.
    ///
    /// Accepts one step before and one after the current one. The time does not depend on the code or on the matching
    /// step.
    pub fn check(&self, code: &str, now_unix: i64, last_step: Option<i64>) -> Option<i64> {
        let code: Zeroizing<String> =
            Zeroizing::new(code.chars().filter(|c| !c.is_whitespace() && *c != '-').collect());
        let totp = self.totp();
        let current = now_unix.div_euclid(STEP_SECONDS);
        let mut found = None;
        for step in [current - 1, current, current + 1] {
            let Ok(second) = u64::try_from(step.saturating_mul(STEP_SECONDS)) else {
                continue;
            };
            let expected = Zeroizing::new(totp.generate(second).to_string());
            let is_unused = last_step.is_none_or(|last| step > last);
            if same_bytes(expected.as_bytes(), code.as_bytes()) & is_unused {
                found = Some(step);
            }
        }
        found
    }

    /// Returns the current code at `now_unix` seconds, as an authenticator app shows it. Only sample data and tests
    /// need it.
    pub fn code_at(&self, now_unix: i64) -> String {
        let second = u64::try_from(now_unix).unwrap_or_default();
        self.totp().generate(second).to_string()
    }

    fn totp(&self) -> Totp {
        Builder::new()
            .with_algorithm(Algorithm::SHA1)
            .with_digits(DIGITS as u8)
            .with_step_duration(STEP_SECONDS as u64)
            .with_secret(Secret::new_stack(*self.0))
            .build_noncompliant()
    }
}

impl std::fmt::Debug for TotpSeed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("TotpSeed([redacted])")
    }
}

/// Renders `text` as a QR code: a PNG image in a `data:` URI. `None` if it exceeds the capacity of a QR code, which the
/// service's `otpauth` URIs never do.
pub fn qr_data_uri(text: &SecretText) -> Option<SecretText> {
    const MODULE: u32 = 6;
    const QUIET: u32 = 4;
    let code = QrCode::new(text.expose()).ok()?;
    let width = u32::try_from(code.width()).ok()?;
    let side = (width + 2 * QUIET) * MODULE;
    let mut picture = GrayImage::from_pixel(side, side, Luma([255]));
    for (at, color) in (0u32..).zip(code.to_colors()) {
        if color == Color::Dark {
            let (left, top) = (at % width + QUIET, at / width + QUIET);
            for pixel in 0..MODULE * MODULE {
                let (x, y) = (pixel % MODULE, pixel / MODULE);
                picture.put_pixel(left * MODULE + x, top * MODULE + y, Luma([0]));
            }
        }
    }
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png).ok()?;
    let encoded = STANDARD.encode(png.into_inner());
    Some(SecretText::new(format!("data:image/png;base64,{encoded}")))
}

/// Recovery code: ten characters of Crockford's base 32, 50 random bits, displayed as `XXXXX-XXXXX`.
#[derive(Clone, Debug)]
pub struct RecoveryCode(SecretText);

/// Crockford's alphabet: it has no I, L, O or U, which are easily misread.
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_CHARACTERS: usize = 10;

impl RecoveryCode {
    /// Creates a full new set.
    pub fn new_set() -> [RecoveryCode; RECOVERY_CODES] {
        std::array::from_fn(|_| RecoveryCode::random())
    }

    /// Parses a typed code: any case, with or without hyphen and spaces, O for 0, I or L for 1. `None` if it cannot be
    /// a code.
    pub fn parse(typed: &str) -> Option<RecoveryCode> {
        let mut code = String::with_capacity(CODE_CHARACTERS);
        for character in typed.chars().filter(|c| !c.is_whitespace() && *c != '-') {
            let character = match character.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            };
            let known = u8::try_from(character).is_ok_and(|byte| CROCKFORD.contains(&byte));
            if !known || code.len() == CODE_CHARACTERS {
                return None;
            }
            code.push(character);
        }
        (code.len() == CODE_CHARACTERS).then(|| RecoveryCode(SecretText::new(code)))
    }

    /// Returns the code for its single display.
    pub fn to_text(&self) -> SecretText {
        let (first, second) = self.0.expose().split_at_checked(5).unwrap_or_default();
        SecretText::new(format!("{first}-{second}"))
    }

    /// Returns the digest that is stored and used for lookup. A plain hash of 50 bits could be reversed by search; a
    /// MAC under the master key cannot.
    pub fn digest(&self, key: &MasterKey) -> [u8; 32] {
        key.mac("recovery-code", self.0.expose().as_bytes())
    }

    fn random() -> RecoveryCode {
        let random = Zeroizing::new(random_bytes::<CODE_CHARACTERS>());
        // 256 is a multiple of 32, so the low five bits of a random byte are uniform.
        let code: String = random
            .iter()
            .filter_map(|byte| CROCKFORD.get(usize::from(byte & 31)))
            .map(|character| char::from(*character))
            .collect();
        RecoveryCode(SecretText::new(code))
    }
}

/// Percent-encodes every character of `text` that is not unreserved (RFC 3986).
fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests;
