//! Second factor: time-based codes (RFC 6238) and the recovery codes that accompany them.
//!
//! ```text
//!  nothing ──enrol──▶ WAITING (10 minutes) ──first code──▶ ACTIVE, ten recovery codes
//!                      │  ▲
//!  ▲                   └──┘ enrol again: another seed            │
//!  └────────────────────────────disable, unless it is compulsory─┘
//! ```
//!
//! Each change requires a recently confirmed password or code, ends the user's other sessions, and notifies the user by
//! mail.

mod resolvers;
mod rules;
mod store;

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_crypto::sealed::MasterKey;
use labs_crypto::totp::{RecoveryCode, TotpSeed};
use labs_mail::message::{SecurityEvent, WRONG_CODES};
use labs_mail::outbox;
use uuid::Uuid;

use crate::auth::attempts::{self, Subject};
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};
pub use resolvers::ISSUER;
pub(in crate::auth) use resolvers::OPERATIONS;

/// Seconds until an unconfirmed enrolment expires.
const ENROL_SECONDS: i64 = 600;
/// Consecutive wrong codes after which the owner is notified.
const TOLD_AFTER: i32 = 5;

/// Whether a user has an active second factor.
pub(super) async fn is_active(db: &Db, person_uuid: Uuid) -> Result<bool, Fault> {
    Ok(store::get(db, person_uuid).await?.is_some_and(|factor| factor.confirmed_at.is_some()))
}

/// Whether a code (six digits, or a recovery code) is this user's and unused. An accepted code is consumed.
pub(super) async fn accept(
    cx: &RequestContext,
    person_uuid: Uuid,
    partner_uuid: Option<Uuid>,
    code: &str,
) -> Result<bool, Fault> {
    let Some(factor) = store::get(&cx.db, person_uuid).await?.filter(|factor| factor.confirmed_at.is_some()) else {
        return Ok(false);
    };
    if let Some(recovery) = RecoveryCode::parse(code) {
        let digest = recovery.digest(&cx.services.key);
        let is_good = store::set_recovery_code_used(&cx.db, person_uuid, &digest).await?;
        if is_good {
            NewSecurityEvent::new(SecurityEventKind::RecoveryCodeUsed, true)
                .with_subject(person_uuid, partner_uuid)
                .write(cx)
                .await?;
            outbox::queue_notice(cx, person_uuid, SecurityEvent::RecoveryCodeUsed).await?;
        }
        return Ok(is_good);
    }
    let seed = open(&cx.services.key, person_uuid, &factor.secret_sealed)?;
    match seed.check(code, cx.now.unix(), factor.last_step) {
        Some(step) => store::set_last_step(&cx.db, person_uuid, step).await,
        None => Ok(false),
    }
}

/// Counts a wrong code of this user, tried from the caller's network. After several consecutive wrong codes, the owner
/// is notified, at most once a day: a client that reaches the code has the password.
///
/// # Errors
/// As for [`attempts::failed`].
pub(super) async fn count_wrong(cx: &RequestContext, person_uuid: Uuid) -> Result<(), Fault> {
    let subjects = Subject::subjects_of_factor(person_uuid, cx.caller.address);
    if attempts::record_failure(cx, &subjects).await? < TOLD_AFTER {
        return Ok(());
    }
    outbox::queue_daily_notice(cx, person_uuid, (SecurityEvent::WrongCodes, WRONG_CODES)).await
}

/// Activates an authenticator without its first code, for the command line. The operator controls the database, so a
/// code would prove nothing. The seed and the recovery codes are shown once.
pub async fn put_in_force(db: &Db, key: &MasterKey, person_uuid: Uuid) -> Result<(TotpSeed, Vec<RecoveryCode>), Fault> {
    let seed = TotpSeed::random();
    store::enrol(db, person_uuid, &seal(key, person_uuid, &seed)).await?;
    store::set_confirmed(db, person_uuid, None, ENROL_SECONDS)
        .await?
        .ok_or_else(|| Fault::conflict("An authenticator app is already active. A user can have only one."))?;
    Ok((seed, recovery_codes(db, key, person_uuid).await?))
}

/// Deactivates a user's second factor and its recovery codes; false if none is active.
pub async fn disable_factor(db: &Db, person_uuid: Uuid) -> Result<bool, Fault> {
    if store::lock_active(db, person_uuid).await?.is_none() {
        return Ok(false);
    }
    store::delete(db, person_uuid).await?;
    Ok(true)
}

/// Creates a new set of recovery codes; the old ones are void. They are stored only as digests.
async fn recovery_codes(db: &Db, key: &MasterKey, person_uuid: Uuid) -> Result<Vec<RecoveryCode>, Fault> {
    let codes = Vec::from(RecoveryCode::new_set());
    let digests: Vec<Vec<u8>> = codes.iter().map(|code| code.digest(key).to_vec()).collect();
    store::put_recovery_codes(db, person_uuid, &digests).await?;
    Ok(codes)
}

/// Encrypts a seed for storage.
pub fn seal(key: &MasterKey, person_uuid: Uuid, seed: &TotpSeed) -> Vec<u8> {
    key.seal(&purpose(person_uuid), seed.bytes())
}

fn open(key: &MasterKey, person_uuid: Uuid, sealed: &[u8]) -> Result<TotpSeed, Fault> {
    let opened = key.open(&purpose(person_uuid), sealed).map_err(Fault::internal)?;
    TotpSeed::from_bytes(&opened).ok_or_else(|| Fault::internal("a decrypted TOTP seed has the wrong length"))
}

/// Purpose to which an encrypted seed is bound: the row of this user.
fn purpose(person_uuid: Uuid) -> String {
    format!("totp-seed/{person_uuid}")
}
