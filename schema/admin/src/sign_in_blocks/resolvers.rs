//! Operations on sign-in blocks and the scopes that they require.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use uuid::Uuid;

use super::list::{BLOCKS, SignInBlock, SignInBlockFilter, SignInBlockSort, VisibleBlocks};
use super::store;
use labs_identity::auth::security_events::{NewSecurityEvent, SecurityEventKind};

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![admin_sign_in_blocks_list, admin_sign_in_blocks_lift];

/// List sign-in blocks.
#[operation(query, access = "labs.admin.security", audit_partner = "partner_uuid")]
async fn admin_sign_in_blocks_list(
    cx: &RequestContext,
    filter: Option<SignInBlockFilter>,
    sort: Option<SignInBlockSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<SignInBlock>, Fault> {
    let blocks = VisibleBlocks::of(filter.unwrap_or_default())?;
    let rows = BLOCKS.page(cx, &blocks, &PageRequest::new(sort, limit, cursor)).await?;
    Ok(rows.counted_list(BLOCKS.total(&cx.db, &blocks, include_total).await?))
}

/// Lift a sign-in block.
#[operation(mutation, access = "labs.admin.security:write", audit_target(SignInBlock, "block_uuid"))]
async fn admin_sign_in_blocks_lift(cx: &RequestContext, block_uuid: Uuid) -> Result<bool, Fault> {
    let block = store::delete(&cx.db, block_uuid).await?.ok_or_else(|| Fault::not_found("sign-in block"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::SignInBlock),
        uuid: Some(block_uuid),
        label: block.email.or(block.network),
        partner_uuid: block.partner_uuid,
    });
    if let Some(person_uuid) = block.person_uuid {
        let event = NewSecurityEvent::new(SecurityEventKind::SignInBlockLifted, true)
            .with_subject(person_uuid, block.partner_uuid);
        event.by_staff().write(cx).await?;
    }
    Ok(true)
}
