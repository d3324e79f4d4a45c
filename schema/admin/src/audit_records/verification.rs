//! Recomputes the hash chain over a range of positions and compares the result with a known hash.

use labs_core::audit_chain::{self, ChainBreak, ChainFlaw, Verdict};
use labs_core::db::Db;
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::words::words;
use labs_media::store::MediaStore;
use uuid::Uuid;

/// Maximum number of positions that one call recomputes.
const MOST_PLACES: i64 = 100_000;

/// Range of positions to recompute.
#[derive(serde::Deserialize, InputType, Default)]
pub(super) struct AuditVerificationInput {
    /// First position. Defaults to 1.
    from_position: Option<i64>,
    /// Last position. Defaults to the end of the chain.
    until_position: Option<i64>,
    /// Known position and its hash, for example `head` of an earlier verification.
    expected: Option<AuditAnchorInput>,
}

/// Position in the chain and its hash, as recorded earlier outside the service.
#[derive(serde::Deserialize, InputType)]
pub(super) struct AuditAnchorInput {
    /// Position in the chain.
    position: i64,
    /// Hash at this position, as 64 hexadecimal digits.
    hash: String,
}

/// Result of a verification.
#[derive(serde::Serialize, OutputType)]
pub(super) struct AuditVerification {
    /// Whether every verified position is valid and no record is left without a seal.
    intact: bool,
    /// Position in the chain.
    from_position: i64,
    /// Last position that the verification had to cover. 0 if no record is sealed yet.
    until_position: i64,
    /// Number of recomputed positions that are valid.
    checked: i64,
    /// First break of the chain. Null if the chain is intact.
    first_break: Option<AuditChainBreak>,
    /// Last valid position with its hash. Null if no position is valid.
    head: Option<AuditAnchor>,
    /// Position from which to continue. Null if the range is complete or broken.
    next_position: Option<i64>,
    /// Number of records from the time span of the range that are still not sealed ten seconds after they were
    /// recorded.
    unsealed: i64,
}

/// Position in the chain and its hash.
#[derive(serde::Serialize, OutputType)]
pub(super) struct AuditAnchor {
    /// Position in the chain.
    position: i64,
    /// Hash at this position, as 64 hexadecimal digits.
    hash: String,
}

/// Position at which the chain is broken.
#[derive(serde::Serialize, OutputType)]
pub(super) struct AuditChainBreak {
    /// Position in the chain.
    position: i64,
    /// Record that is, or should be, at this position. Null if no seal identifies the record.
    record_uuid: Option<Uuid>,
    /// Kind of break. The description of the operation explains each value.
    flaw: AuditChainFlaw,
}

words! {
    /// Kind of break at a position of the chain.
    pub enum AuditChainFlaw {
        /// The record or its differences do not match the seal.
        Altered = "ALTERED",
        /// The record is missing.
        RecordMissing = "RECORD_MISSING",
        /// The seal is missing.
        SealMissing = "SEAL_MISSING",
        /// The seal does not continue the preceding seal.
        Unlinked = "UNLINKED",
        /// The position has a different hash than expected.
        Rewritten = "REWRITTEN",
    }
}

/// Positions to verify, both ends included, and the position from which to continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    from: i64,
    until: i64,
    next: Option<i64>,
}

/// Recomputes the requested range.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] if the range ends before it begins; [`labs_core::Code::Unavailable`] if the
/// database or the object storage with the archived records does not answer.
pub(super) async fn verify(
    db: &Db,
    files: &MediaStore,
    input: &AuditVerificationInput,
) -> Result<AuditVerification, Fault> {
    let range = range(input.from_position, input.until_position, audit_chain::last_position(db).await?)?;
    let verdict = audit_chain::verify(db, files, range.from, range.until).await?;
    let foreign = match &input.expected {
        Some(anchor) => compare_anchor(anchor, audit_chain::hash_at(db, files, anchor.position).await?),
        None => None,
    };
    let unsealed = audit_chain::count_unsealed(db, range.from, range.until).await?;
    Ok(to_verification(range, verdict, foreign, unsealed))
}

/// Computes the range, limited to the maximum per call. If the caller names a position behind the end of the chain, the
/// position is still checked: the end of the chain may have been cut off.
fn range(from: Option<i64>, until: Option<i64>, last: i64) -> Result<Range, Fault> {
    let wanted = until.unwrap_or_else(|| last.max(from.unwrap_or_default()));
    let from = from.unwrap_or(1);
    if until.is_some_and(|until| until < from) {
        let message = "The range ends before it begins. Send a later position, or omit it to verify to the end of \
                       the chain.";
        return Err(Fault::field("/until_position", "RANGE", message));
    }
    let until = wanted.min(from.saturating_add(MOST_PLACES - 1));
    Ok(Range { from, until, next: (until < wanted).then_some(until + 1) })
}

/// Compares the hash of a position with the hash that was kept outside the service.
fn compare_anchor(anchor: &AuditAnchorInput, found: Option<[u8; 32]>) -> Option<ChainBreak> {
    let flaw = match found {
        None => ChainFlaw::SealMissing,
        Some(hash) if hex::encode(hash) != anchor.hash => ChainFlaw::Rewritten,
        Some(_) => return None,
    };
    Some(ChainBreak { position: anchor.position, record_uuid: None, flaw })
}

fn to_verification(range: Range, verdict: Verdict, foreign: Option<ChainBreak>, unsealed: i64) -> AuditVerification {
    let breaks = verdict.first_break.into_iter().chain(foreign);
    let first_break = breaks.min_by_key(|found| found.position).map(AuditChainBreak::from);
    AuditVerification {
        intact: first_break.is_none() && unsealed == 0,
        from_position: range.from,
        until_position: range.until,
        checked: verdict.checked,
        next_position: range.next.filter(|_| first_break.is_none()),
        first_break,
        head: verdict.head.map(|(position, hash)| AuditAnchor { position, hash: hex::encode(hash) }),
        unsealed,
    }
}

impl From<ChainBreak> for AuditChainBreak {
    fn from(found: ChainBreak) -> Self {
        let flaw = match found.flaw {
            ChainFlaw::Altered => AuditChainFlaw::Altered,
            ChainFlaw::RecordMissing => AuditChainFlaw::RecordMissing,
            ChainFlaw::SealMissing => AuditChainFlaw::SealMissing,
            ChainFlaw::Unlinked => AuditChainFlaw::Unlinked,
            ChainFlaw::Rewritten => AuditChainFlaw::Rewritten,
        };
        Self { position: found.position, record_uuid: found.record_uuid, flaw }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_chain_is_verified_by_default() {
        let of = |from, until, last| {
            let range = range(from, until, last).unwrap();
            (range.from, range.until, range.next)
        };
        assert_eq!(of(None, None, 0), (1, 0, None), "nothing is sealed yet");
        assert_eq!(of(None, None, 7), (1, 7, None));
        assert_eq!(of(Some(3), Some(5), 7), (3, 5, None));
        assert_eq!(of(Some(3), Some(9), 7), (3, 9, None), "what was cut off is missed");
        assert_eq!(of(Some(9), None, 7), (9, 9, None));
        assert_eq!(of(None, None, 250_000), (1, 100_000, Some(100_001)));
        assert_eq!(of(Some(200_001), None, 250_000), (200_001, 250_000, None));
        assert!(range(Some(5), Some(4), 7).is_err());
    }

    #[test]
    fn first_chain_break_is_reported() {
        let at = |position, flaw| ChainBreak { position, record_uuid: None, flaw };
        let range = Range { from: 1, until: 9, next: Some(10) };
        let verdict = |first_break| Verdict { checked: 4, head: None, first_break };
        let with = |mine, foreign, unsealed| to_verification(range, verdict(mine), foreign, unsealed);
        let told = |mine, foreign| with(mine, foreign, 0);
        let both = told(Some(at(5, ChainFlaw::Altered)), Some(at(3, ChainFlaw::Rewritten)));
        assert_eq!(both.first_break.unwrap().flaw, AuditChainFlaw::Rewritten);
        assert_eq!((both.intact, both.next_position), (false, None));
        let none = told(None, None);
        assert_eq!((none.intact, none.next_position), (true, Some(10)));
        let bare = with(None, None, 2);
        assert_eq!((bare.intact, bare.unsealed, bare.next_position), (false, 2, Some(10)), "a record without a place");
    }

    #[test]
    fn anchor_hash_is_compared() {
        let anchor = AuditAnchorInput { position: 3, hash: hex::encode([7; 32]) };
        assert_eq!(compare_anchor(&anchor, Some([7; 32])), None);
        assert_eq!(compare_anchor(&anchor, Some([8; 32])).unwrap().flaw, ChainFlaw::Rewritten);
        assert_eq!(compare_anchor(&anchor, None).unwrap().flaw, ChainFlaw::SealMissing);
    }
}
