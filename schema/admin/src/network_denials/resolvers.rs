//! Operations on network denials and the scopes that they require.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::{Created, InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::principal::PrincipalType;
use labs_core::time::Time;
use uuid::Uuid;

use super::list::{BY_ID, NETWORK_DENIALS, NetworkDenialFilter, NetworkDenialRow, NetworkDenialSort};
use super::rules;
use super::store::{self, NewDenial};

/// A network denial. The service rejects every request from the network.
#[derive(serde::Serialize, OutputType)]
pub(super) struct NetworkDenial {
    /// UUID of the network denial, for use in paths.
    uuid: Uuid,
    /// Denied network in CIDR notation. A single address ends in /32, or /128 for IPv6.
    network: String,
    /// Reason for the denial. Only staff can read it.
    reason: String,
    /// Whether the service currently rejects requests from the network. False after the denial has expired.
    in_force: bool,
    /// Staff member who created the denial. Null if a machine client created it, or if the account no longer exists.
    created_by: Option<NetworkDenialAuthor>,
    /// Time when the denial was created.
    created_at: Time,
    /// Expiry time of the denial. Null for a denial that remains until a staff member deletes it.
    expires_at: Option<Time>,
}

/// The staff member who created a network denial.
#[derive(serde::Serialize, OutputType)]
pub(super) struct NetworkDenialAuthor {
    /// UUID of the staff member.
    uuid: Uuid,
    /// Name of the staff member.
    name: String,
}

/// A network to deny.
#[derive(serde::Deserialize, InputType)]
pub(super) struct NetworkDenialInput {
    /// Denied network in CIDR notation. A single address ends in /32, or /128 for IPv6.
    network: String,
    /// Reason for the denial. Only staff can read it.
    reason: String,
    /// Expiry time of the denial. Null for a denial that remains until a staff member deletes it.
    expires_at: Option<Time>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![admin_network_denials_list, admin_network_denials_create, admin_network_denials_delete];

/// List network denials.
#[operation(query, access = "labs.admin.security")]
async fn admin_network_denials_list(
    cx: &RequestContext,
    filter: Option<NetworkDenialFilter>,
    sort: Option<NetworkDenialSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<NetworkDenial>, Fault> {
    let filter = filter.unwrap_or_default().read()?;
    let rows = NETWORK_DENIALS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = NETWORK_DENIALS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(row.into()))?.counted_list(total))
}

/// Create a network denial.
#[operation(mutation, access = "labs.admin.security:write")]
async fn admin_network_denials_create(
    cx: &RequestContext,
    body: NetworkDenialInput,
) -> Result<Created<NetworkDenial>, Fault> {
    let mut errors = Vec::new();
    let network = rules::network(&body.network, cx.caller.address, &mut errors);
    rules::end(body.expires_at, cx.now, &mut errors);
    let Some(network) = network.filter(|_| errors.is_empty()) else { return Err(Fault::invalid(errors)) };
    let (caller, denial_uuid) = (cx.principal()?, cx.new_uuid());
    let new = NewDenial {
        denial_uuid,
        network,
        reason: &body.reason,
        created_by: (caller.kind == PrincipalType::StaffUser).then_some(caller.uuid),
        expires_at: body.expires_at,
    };
    store::insert(&cx.db, &new).await?;
    let row = BY_ID.fetch_one(&cx.db, [denial_uuid.into()]).await?.ok_or_else(err_not_found)?;
    note_target(cx, denial_uuid, &row.network);
    Ok(Created::new(denial_uuid, row.into()))
}

/// Delete a network denial.
#[operation(mutation, access = "labs.admin.security:write", audit_target(NetworkDenial, "denial_uuid"))]
async fn admin_network_denials_delete(cx: &RequestContext, denial_uuid: Uuid) -> Result<bool, Fault> {
    let network = store::delete(&cx.db, denial_uuid).await?.ok_or_else(err_not_found)?;
    note_target(cx, denial_uuid, &network);
    Ok(true)
}

fn note_target(cx: &RequestContext, denial_uuid: Uuid, network: &str) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::NetworkDenial),
        uuid: Some(denial_uuid),
        label: Some(network.to_owned()),
        partner_uuid: None,
    });
}

fn err_not_found() -> Fault {
    Fault::not_found("network denial")
}

impl From<NetworkDenialRow> for NetworkDenial {
    fn from(row: NetworkDenialRow) -> Self {
        let author = row.created_by.zip(row.created_by_name);
        Self {
            uuid: row.denial_uuid,
            network: row.network,
            reason: row.reason,
            in_force: row.in_force,
            created_by: author.map(|(uuid, name)| NetworkDenialAuthor { uuid, name }),
            created_at: row.created_at,
            expires_at: row.expires_at,
        }
    }
}
