//! The second factor: time-based codes (RFC 6238) and the recovery codes that go with them.

mod store;

use uuid::Uuid;

use crate::ask::Ask;
use crate::fault::Fault;
use crate::keep::totp::{RecoveryCode, TotpSeed};

/// What a seed is sealed for.
const PURPOSE: &str = "totp-seed";

/// Whether a code (six digits, or a recovery code) is this person's and unused; accepting consumes it.
pub(super) async fn accept(ask: &Ask, person_uuid: Uuid, code: &str) -> Result<bool, Fault> {
    let Some(factor) = store::get(&ask.db, person_uuid).await?.filter(|factor| factor.confirmed_at.is_some()) else {
        return Ok(false);
    };
    if let Some(recovery) = RecoveryCode::parse(code) {
        return store::recovery_code_set_used(&ask.db, person_uuid, &recovery.digest(&ask.services.key)).await;
    }
    let opened = ask.services.key.open(PURPOSE, &factor.secret_sealed).map_err(Fault::internal)?;
    let seed = TotpSeed::from_bytes(&opened).ok_or_else(|| Fault::internal("a sealed seed of the wrong length"))?;
    match seed.check(code, ask.now.unix(), factor.last_step) {
        Some(step) => store::set_last_step(&ask.db, person_uuid, step).await,
        None => Ok(false),
    }
}
