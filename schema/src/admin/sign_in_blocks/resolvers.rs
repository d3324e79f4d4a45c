//! What may be asked about sign-ins that are held back, and by whom.

use async_graphql::{Context, Enum, Object, SimpleObject};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::store::{self, BlockRow, Filter};
use crate::access::{access, audit_partner, audit_target};
use crate::admin::networks;
use crate::ask::{Asking, Target};
use crate::auth::security_events::SecurityEvent;
use crate::fault::Fault;
use crate::page::{CountedList, CountedPage, Window, names};
use crate::time::Time;

/// What is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SignInBlockKind {
    /// Tries at the password of an account.
    Account,
    /// Tries at the codes of a person.
    SecondFactor,
    /// Whatever is tried from a network.
    Network,
}

/// An account or a network that is held back.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SignInBlock {
    /// For paths.
    uuid: Uuid,
    /// What is held back.
    kind: SignInBlockKind,
    /// The address that was tried, or that of the person; null for a network.
    email: Option<String>,
    /// Whose account it is; null where nobody has that address.
    person_uuid: Option<Uuid>,
    /// Their name.
    person_name: Option<String>,
    /// Their partner.
    partner_uuid: Option<Uuid>,
    /// Its name.
    company_name: Option<String>,
    /// Only tries from here; null: from everywhere.
    network: Option<String>,
    /// Tries that failed in a row.
    failures: i32,
    /// When the last one did.
    last_failed_at: Time,
    /// Until when the next one is refused.
    held_until: Time,
}

/// Reads of blocks.
#[derive(Default)]
pub(crate) struct SignInBlocksQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SignInBlocksQuery {
    /// Accounts and networks that are held back now.
    #[graphql(
        directive = access::apply("labs.admin.security".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn admin_sign_in_blocks_list(
        &self,
        ctx: &Context<'_>,
        kind: Option<Vec<SignInBlockKind>>,
        person_uuid: Option<Vec<Uuid>>,
        partner_uuid: Option<Vec<Uuid>>,
        network: Option<Vec<String>>,
        q: Option<String>,
        sort: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<SignInBlock>>, Fault> {
        let (ask, list) = (ctx.ask(), "admin_sign_in_blocks_list");
        let filter = Filter {
            kind: names(kind),
            person_uuid: person_uuid.filter(|uuids| !uuids.is_empty()),
            partner_uuid: partner_uuid.filter(|uuids| !uuids.is_empty()),
            network: networks::named("network", network)?,
            q,
            earliest_first: sort.as_deref() == Some("last_failed_at"),
        };
        let window = Window::read(&ask.services.cursors, list, &filter, limit, cursor.as_deref())?;
        let rows = store::page(&ask.db, &filter, &window).await?;
        let total = if include_total == Some(true) { Some(store::count(&ask.db, &filter).await?) } else { None };
        let (rows, page) = window.cut(rows, BlockRow::keys);
        ask.answer_list(CountedList {
            data: rows.into_iter().map(SignInBlock::from).collect(),
            page: CountedPage::of(page, total),
        })
    }
}

/// Writes of blocks.
#[derive(Default)]
pub(crate) struct SignInBlocksMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SignInBlocksMutation {
    /// Lets try again at once; what failed so far counts no more.
    #[graphql(
        directive = access::apply("labs.admin.security:write".into()),
        directive = audit_target::apply("block".into(), "block_uuid".into())
    )]
    async fn admin_sign_in_blocks_lift(&self, ctx: &Context<'_>, block_uuid: Uuid) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        let block = store::delete(&ask.db, block_uuid).await?.ok_or_else(|| Fault::not_found("sign-in block"))?;
        ask.note_target(Target {
            kind: Some("SIGN_IN_BLOCK".to_owned()),
            uuid: Some(block_uuid),
            label: block.email.or(block.network),
            partner_uuid: block.partner_uuid,
        });
        if let Some(person_uuid) = block.person_uuid {
            let event = SecurityEvent::new("SIGN_IN_BLOCK_LIFTED", true).about(person_uuid, block.partner_uuid);
            event.by_staff().write(ask).await?;
        }
        ask.answer(true)
    }
}

impl From<BlockRow> for SignInBlock {
    fn from(row: BlockRow) -> Self {
        Self {
            uuid: row.block_uuid,
            kind: match row.kind.as_str() {
                "ACCOUNT" => SignInBlockKind::Account,
                "SECOND_FACTOR" => SignInBlockKind::SecondFactor,
                _ => SignInBlockKind::Network,
            },
            email: row.email,
            person_uuid: row.person_uuid,
            person_name: row.person_name,
            partner_uuid: row.partner_uuid,
            company_name: row.company_name,
            network: row.network,
            failures: row.failures,
            last_failed_at: row.last_failed_at,
            held_until: row.held_until,
        }
    }
}
