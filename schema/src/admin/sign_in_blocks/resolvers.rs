//! Operations on sign-in blocks and the scopes that they require.

use async_graphql::{Context, Object};
use labs_core::access::{access, audit_partner, audit_target};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContextExt, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use uuid::Uuid;

use super::list::{BLOCKS, SignInBlock, SignInBlockFilter, SignInBlockSort, VisibleBlocks};
use super::store;
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};

/// Queries for sign-in blocks.
#[derive(Default)]
pub(crate) struct SignInBlocksQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SignInBlocksQuery {
    /// List sign-in blocks.
    #[graphql(
        directive = access::apply("labs.admin.security".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_sign_in_blocks_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<SignInBlockFilter>,
        sort: Option<SignInBlockSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<SignInBlock>>, Fault> {
        let (cx, blocks) = (ctx.cx(), VisibleBlocks::of(filter.unwrap_or_default())?);
        let rows = BLOCKS.page(cx, &blocks, &PageRequest::new(sort, limit, cursor)).await?;
        cx.answer_list(rows.counted_list(BLOCKS.total(&cx.db, &blocks, include_total).await?))
    }
}

/// Mutations of sign-in blocks.
#[derive(Default)]
pub(crate) struct SignInBlocksMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SignInBlocksMutation {
    /// Lift a sign-in block.
    #[graphql(
        directive = access::apply("labs.admin.security:write".into()),
        directive = audit_target::apply(AuditTargetKind::SignInBlock, "block_uuid".into())
    )]
    async fn admin_sign_in_blocks_lift(&self, ctx: &Context<'_>, block_uuid: Uuid) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
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
        cx.answer(true)
    }
}
