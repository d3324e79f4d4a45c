//! Resolvers of second factors.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::time::Time;
use labs_crypto::totp::{RecoveryCode, TotpSeed, qr_data_uri};
use labs_mail::message::SecurityEvent as Event;
use labs_mail::outbox;
use labs_mail::outbox::load_addressee;

use super::{ENROL_SECONDS, open, recovery_codes, rules, seal, store};
use crate::auth::attempts::{self, Subject};
use crate::auth::security_events::SecurityEventKind;
use crate::auth::sessions::{OwnSession, end_all, load_own, lock_person, require_fresh};

/// Service name shown in authenticator apps.
pub const ISSUER: &str = "Labs";

/// A new secret for an authenticator app. It is not active yet. The service shows it only once.
#[derive(serde::Serialize, OutputType)]
pub(super) struct TotpEnrolment {
    /// The secret in base32, for manual entry. SHA-1, 6 digits, a new code every 30 seconds.
    secret: String,
    /// The same secret as a URI, for an authenticator app on the same device.
    otpauth_uri: String,
    /// The same secret as a QR code: a PNG image in a `data:` URI, ready for an `img` element.
    qr_png: String,
    /// Seconds until the enrolment expires. If it is not confirmed by then, enrol again.
    expires_in: i64,
}

/// The activated second factor, with recovery codes.
#[derive(serde::Serialize, OutputType)]
pub(super) struct TotpConfirmation {
    /// Time when the factor became active.
    confirmed_at: Time,
    /// Ten recovery codes for the case that the device is lost. Each is valid for one sign-in. The service shows them
    /// only once.
    recovery_codes: Vec<String>,
}

/// A new set of recovery codes.
#[derive(serde::Serialize, OutputType)]
pub(super) struct RecoveryCodes {
    /// Ten recovery codes for the case that the device is lost. Each is valid for one sign-in. The service shows them
    /// only once.
    recovery_codes: Vec<String>,
}

/// A code of the new secret.
#[derive(serde::Deserialize, InputType)]
pub(super) struct TotpConfirmationInput {
    /// The 6 digits that the authenticator app currently shows for the new secret. The service ignores a space or
    /// hyphen between the halves.
    code: String,
}

/// Operations of this file.
pub(in crate::auth) const OPERATIONS: &[Operation] =
    operations![auth_mfa_enrol_totp, auth_mfa_confirm_totp, auth_mfa_disable_totp, auth_mfa_regenerate_recovery_codes];

/// Enrol a TOTP factor.
#[operation(mutation, access = "auth.account:write")]
async fn auth_mfa_enrol_totp(cx: &RequestContext) -> Result<TotpEnrolment, Fault> {
    let person_uuid = require_fresh(cx).await?.person_uuid;
    let person = load_addressee(&cx.db, person_uuid).await?.ok_or_else(|| Fault::not_found("account"))?;
    let seed = TotpSeed::random();
    if !store::enrol(&cx.db, person_uuid, &seal(&cx.services.key, person_uuid, &seed)).await? {
        return Err(Fault::conflict("An authenticator app is already active. A user can have only one."));
    }
    let uri = seed.otpauth_uri(ISSUER, &person.email);
    let picture = qr_data_uri(&uri).ok_or_else(|| Fault::internal("the otpauth address is too long for a QR code"))?;
    Ok(TotpEnrolment {
        secret: seed.base32().expose().to_owned(),
        otpauth_uri: uri.expose().to_owned(),
        qr_png: picture.expose().to_owned(),
        expires_in: ENROL_SECONDS,
    })
}

/// Confirm the TOTP factor.
#[operation(mutation, access = "auth.account:write")]
async fn auth_mfa_confirm_totp(cx: &RequestContext, body: TotpConfirmationInput) -> Result<TotpConfirmation, Fault> {
    let own = load_own(cx)?;
    let (key, person_uuid) = (&cx.services.key, own.person_uuid);
    lock_person(&cx.db, person_uuid).await?;
    // A stolen access token must not suffice to guess the code of a newly enrolled seed.
    let subjects = Subject::subjects_of_factor(person_uuid, cx.caller.address);
    attempts::check(cx, &cx.db, &subjects).await?;
    let sealed = store::get_pending(&cx.db, person_uuid, ENROL_SECONDS).await?.ok_or_else(err_no_enrolment)?;
    let seed = open(key, person_uuid, &sealed)?;
    let Some(step) = seed.check(&body.code, cx.now.unix(), None) else {
        attempts::record_failure(cx, &subjects).await?;
        own.event(SecurityEventKind::SecondFactorEnabled, false).write(cx).await?;
        return Err(err_wrong_code().keep_writes());
    };
    attempts::record_success(cx, &subjects).await?;
    let confirmed = store::set_confirmed(&cx.db, person_uuid, Some(step), ENROL_SECONDS).await?;
    let confirmed_at = confirmed.ok_or_else(err_no_enrolment)?;
    let codes = recovery_codes(&cx.db, key, person_uuid).await?;
    record_proof(cx, &own).await?;
    Ok(TotpConfirmation { confirmed_at, recovery_codes: to_texts(&codes) })
}

/// Disable the TOTP factor.
#[operation(mutation, access = "auth.account:write")]
async fn auth_mfa_disable_totp(cx: &RequestContext) -> Result<bool, Fault> {
    let own = require_fresh(cx).await?;
    lock_person(&cx.db, own.person_uuid).await?;
    let factor = store::lock_active(&cx.db, own.person_uuid).await?;
    let factor = factor.ok_or_else(|| Fault::not_found("active authenticator app"))?;
    rules::ensure_may_disable(own.is_staff, factor.is_demanded)?;
    store::delete(&cx.db, own.person_uuid).await?;
    store::session_release(&cx.db, own.session_uuid).await?;
    end_all(&cx.db, own.person_uuid, Some(own.session_uuid), "SECOND_FACTOR_DISABLED").await?;
    own.event(SecurityEventKind::SecondFactorDisabled, true).write(cx).await?;
    outbox::queue_notice(cx, own.person_uuid, Event::SecondFactorDisabled).await?;
    Ok(true)
}

/// Generate new recovery codes.
#[operation(mutation, access = "auth.account:write")]
async fn auth_mfa_regenerate_recovery_codes(cx: &RequestContext) -> Result<RecoveryCodes, Fault> {
    let own = require_fresh(cx).await?;
    store::lock_active(&cx.db, own.person_uuid).await?.ok_or_else(rules::err_no_factor)?;
    let codes = recovery_codes(&cx.db, &cx.services.key, own.person_uuid).await?;
    own.event(SecurityEventKind::RecoveryCodesRegenerated, true).write(cx).await?;
    outbox::queue_notice(cx, own.person_uuid, Event::RecoveryCodesRegenerated).await?;
    Ok(RecoveryCodes { recovery_codes: to_texts(&codes) })
}

/// Marks the current session as having proved the factor, ends the user's other sessions, logs a security event and
/// notifies the user.
async fn record_proof(cx: &RequestContext, own: &OwnSession) -> Result<(), Fault> {
    store::session_set_second_factor(&cx.db, own.session_uuid).await?;
    end_all(&cx.db, own.person_uuid, Some(own.session_uuid), "SECOND_FACTOR_ENABLED").await?;
    own.event(SecurityEventKind::SecondFactorEnabled, true).write(cx).await?;
    outbox::queue_notice(cx, own.person_uuid, Event::SecondFactorEnabled).await
}

/// Returns recovery codes as plain text. They are shown only once.
fn to_texts(codes: &[RecoveryCode]) -> Vec<String> {
    codes.iter().map(|code| code.to_text().expose().to_owned()).collect()
}

fn err_no_enrolment() -> Fault {
    Fault::conflict("No enrolment is waiting for confirmation. Start one with POST /v1/auth/mfa/totp.")
}

fn err_wrong_code() -> Fault {
    Fault::field("/code", "WRONG_CODE", "This code does not match the new secret. Check the clock of the device.")
}
