//! All that happened to a partner, as staff read it.

use async_graphql::{Enum, SimpleObject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::store::timeline::{self, EntryRow, Filter};
use crate::ask::Ask;
use crate::fault::Fault;
use crate::page::{CountedList, CountedPage, Window};
use crate::time::Time;

/// Which ledger something stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum PartnerTimelineGroup {
    /// The account's own history: company data, state, team, contacts, profile.
    Account,
    /// The history of the subscription.
    Subscription,
    /// The histories of the partner's apps.
    Marketplace,
    /// The security ledger: sign-ins, factors, passwords, tokens.
    Security,
    /// The audit log: what staff did and looked at.
    Audit,
}

/// Who did something.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerTimelineActor {
    /// `PARTNER_USER`, `MACHINE_CLIENT`, `STAFF_USER`, `SYSTEM` or `ANONYMOUS`.
    kind: String,
    /// Who.
    uuid: Option<Uuid>,
    /// Their name.
    name: Option<String>,
}

/// What something was done to.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerTimelineSubject {
    /// `APP`, `PERSON` and so on; null where the ledger does not say.
    kind: Option<String>,
    /// Which.
    uuid: Uuid,
}

/// Something that happened to a partner.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerTimelineEntry {
    /// The entry.
    uuid: Uuid,
    /// When it happened.
    occurred_at: Time,
    /// Which ledger it stands in.
    group: PartnerTimelineGroup,
    /// What: `SUSPENDED`, `VERSION_PUBLISHED`, `SIGN_IN`, or the operation's name in the audit log.
    kind: String,
    /// `SUCCEEDED`, `REFUSED` or `FAILED`.
    outcome: String,
    /// Who did it; null where the ledger tells only whom it concerns.
    actor: Option<PartnerTimelineActor>,
    /// What it was done to, where that is not the partner itself.
    subject: Option<PartnerTimelineSubject>,
    /// Why, where a reason was given.
    reason: Option<String>,
    /// What there is to know besides.
    detail: Value,
}

/// A page of the timeline.
pub(super) async fn page(
    ask: &Ask,
    filter: &Filter,
    limit: Option<i32>,
    cursor: Option<&str>,
    is_counted: bool,
) -> Result<CountedList<PartnerTimelineEntry>, Fault> {
    let window = Window::read(&ask.services.cursors, "admin_partners_list_timeline", filter, limit, cursor)?;
    let rows = timeline::page(&ask.db, filter, &window).await?;
    let total = if is_counted { Some(timeline::count(&ask.db, filter).await?) } else { None };
    let (rows, page) = window.cut(rows, |row| vec![json!(row.occurred_at), json!(row.event_uuid)]);
    Ok(CountedList {
        data: rows.into_iter().map(PartnerTimelineEntry::from).collect(),
        page: CountedPage::of(page, total),
    })
}

impl From<EntryRow> for PartnerTimelineEntry {
    fn from(row: EntryRow) -> Self {
        let (uuid, name) = (row.actor_uuid, row.actor_name);
        let kind = row.subject_kind;
        Self {
            uuid: row.event_uuid,
            occurred_at: row.occurred_at,
            group: match row.event_group.as_str() {
                "ACCOUNT" => PartnerTimelineGroup::Account,
                "SUBSCRIPTION" => PartnerTimelineGroup::Subscription,
                "MARKETPLACE" => PartnerTimelineGroup::Marketplace,
                "SECURITY" => PartnerTimelineGroup::Security,
                _ => PartnerTimelineGroup::Audit,
            },
            kind: row.kind,
            outcome: row.outcome,
            actor: row.actor_kind.map(|kind| PartnerTimelineActor { kind, uuid, name }),
            subject: row.subject_uuid.map(|uuid| PartnerTimelineSubject { kind, uuid }),
            reason: row.reason,
            detail: row.detail,
        }
    }
}
