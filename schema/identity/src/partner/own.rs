//! The check that the path names the caller's partner.

use labs_core::context::RequestContext;
use labs_core::fault::{Code, Fault};
use labs_core::principal::Owner;
use uuid::Uuid;

/// Returns the caller's partner, which the path must name.
///
/// # Errors
/// [`Code::PartnerMismatch`] if the path names another partner, whether that partner exists or not.
pub(in crate::partner) fn ensure_own(cx: &RequestContext, partner_uuid: Uuid) -> Result<Owner, Fault> {
    let owner = cx.owner()?;
    if owner.uuid() == partner_uuid {
        return Ok(owner);
    }
    Err(Fault::new(
        Code::PartnerMismatch,
        "The path names another partner than your access token. GET /v1/system/me returns yours.",
    ))
}
