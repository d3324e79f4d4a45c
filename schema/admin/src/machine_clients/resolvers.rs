//! Operations on machine clients and the scopes that they require.

pub(super) mod types;

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::Created;
use labs_core::fault::Fault;
use labs_core::list::{FixedOrder, PageRequest};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::scope::ScopeSet;
use labs_crypto::random_bytes;
use labs_crypto::secret::{IssuedSecret, SecretKind};
use labs_identity::auth::trusted_identities::{TrustedIdentity, check_identities};
use uuid::Uuid;

use super::list::grants::{GrantsOfClient, TOKEN_GRANTS, TokenGrantFilter, TokenGrantSort};
use super::list::secrets::{MachineClientSecretFilter, SECRETS, SecretsOfClient};
use super::list::{MACHINE_CLIENTS, MachineClientFilter, MachineClientSort};
use super::rules::lifecycle::{MachineClientAction, next_state};
use super::store::{self, LockedClientRow, MachineClientRow, NewClient, NewSecret, Settings, secrets};
use super::{SHOWN_CHARACTERS, rules};
use crate::reason::{Reason, Remark};

use types::{
    MachineClient, MachineClientInput, MachineClientScopesPut, MachineClientSecret, MachineClientSecretEntry,
    MachineClientUpdate, MachineClientWithSecret, RotatedSecret, SecretRotationInput, TokenGrant,
};

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![
    admin_machine_clients_list,
    admin_machine_clients_get,
    admin_machine_clients_list_secrets,
    admin_machine_clients_list_token_grants,
    admin_machine_clients_create,
    admin_machine_clients_update,
    admin_machine_clients_put_scopes,
    admin_machine_clients_rotate_secret,
    admin_machine_clients_delete_secret,
    admin_machine_clients_disable,
    admin_machine_clients_enable,
];

/// List machine clients.
#[operation(query, access = "labs.admin.clients", audit_partner = "partner_uuid")]
async fn admin_machine_clients_list(
    cx: &RequestContext,
    filter: Option<MachineClientFilter>,
    sort: Option<MachineClientSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<MachineClient>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = MACHINE_CLIENTS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = MACHINE_CLIENTS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(MachineClient::of(row, cx)))?.counted_list(total))
}

/// Get a machine client.
#[operation(query, access = "labs.admin.clients", audit_target(MachineClient, "client_uuid"), batched)]
async fn admin_machine_clients_get(cx: &RequestContext, client_uuid: Uuid) -> Result<MachineClient, Fault> {
    let row = cx.loader(store::loader).load(client_uuid).await?.ok_or_else(err_not_found)?;
    Ok(to_machine_client(cx, row))
}

/// List a machine client's secrets.
#[operation(query, access = "labs.admin.clients", audit_target(MachineClient, "client_uuid"))]
async fn admin_machine_clients_list_secrets(
    cx: &RequestContext,
    client_uuid: Uuid,
    filter: Option<MachineClientSecretFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<MachineClientSecretEntry>, Fault> {
    note_client(cx, client_uuid).await?;
    let of = SecretsOfClient { client_uuid, filter: filter.unwrap_or_default() };
    let rows = SECRETS.page(cx, &of, &PageRequest { sort: FixedOrder, limit, cursor }).await?;
    Ok(rows.counted_list(SECRETS.total(&cx.db, &of, include_total).await?))
}

/// List a machine client's token grants.
#[operation(query, access = "labs.admin.clients", audit_target(MachineClient, "client_uuid"))]
async fn admin_machine_clients_list_token_grants(
    cx: &RequestContext,
    client_uuid: Uuid,
    filter: Option<TokenGrantFilter>,
    sort: Option<TokenGrantSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<TokenGrant>, Fault> {
    note_client(cx, client_uuid).await?;
    let of = GrantsOfClient { client_uuid, filter: filter.unwrap_or_default() };
    let rows = TOKEN_GRANTS.page(cx, &of, &PageRequest::new(sort, limit, cursor)).await?;
    Ok(rows.counted_list(TOKEN_GRANTS.total(&cx.db, &of, include_total).await?))
}

/// Create a machine client.
#[operation(mutation, access = "labs.admin.clients:write")]
async fn admin_machine_clients_create(
    cx: &RequestContext,
    mut body: MachineClientInput,
) -> Result<Created<MachineClientWithSecret>, Fault> {
    let checked = check(cx, &mut body).await?;
    let client_uuid = cx.new_uuid();
    let issued = SecretKind::Client.issue();
    let client = NewClient {
        client_uuid,
        client_id: &rules::client_id(random_bytes()),
        partner_uuid: body.partner_uuid,
        name: &body.name,
        contact_email: body.contact_email.as_deref(),
        allowed_scopes: &checked.scopes,
        allowed_networks: &checked.networks,
        trusted_identities: &checked.identities,
    };
    store::insert(&cx.db, &client, &new_secret(cx, &issued)).await?;
    let client = load_client(cx, client_uuid).await?;
    Ok(Created::new(client_uuid, MachineClientWithSecret { client_secret: issued.text.expose().to_owned(), client }))
}

/// Update a machine client.
#[operation(mutation, access = "labs.admin.clients:write", audit_target(MachineClient, "client_uuid"))]
async fn admin_machine_clients_update(
    cx: &RequestContext,
    client_uuid: Uuid,
    body: MachineClientUpdate,
) -> Result<MachineClient, Fault> {
    let client = lock_client(cx, client_uuid).await?;
    let mut errors = Vec::new();
    let name = body.name.map(|name| rules::name(&name, &mut errors));
    let networks = body.allowed_networks.map(|networks| rules::networks(&networks, &mut errors));
    let identities = body.trusted_identities.map(|wanted| check_identities(wanted, &cx.services, &mut errors));
    rules::contact_email(body.contact_email.value().map(String::as_str), &mut errors);
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let has_more_networks =
        networks.as_deref().is_some_and(|networks| rules::is_wider(&client.allowed_networks, networks));
    let is_new = |identity| !client.trusted_identities.contains(identity);
    if has_more_networks || identities.as_deref().is_some_and(|identities| identities.iter().any(is_new)) {
        rules::ensure_may_take_secret(&client.allowed_scopes, cx.principal()?.scopes)?;
    }
    let settings = Settings {
        name: name.as_deref(),
        contact_email: body.contact_email.as_opt_deref(),
        allowed_networks: networks.as_deref(),
        trusted_identities: identities.as_deref(),
    };
    if !settings.is_empty() {
        store::update(&cx.db, client_uuid, &settings).await?;
    }
    load_client(cx, client_uuid).await
}

/// Replace a machine client's scopes.
#[operation(mutation, access = "labs.admin.clients:write", audit_target(MachineClient, "client_uuid"))]
async fn admin_machine_clients_put_scopes(
    cx: &RequestContext,
    client_uuid: Uuid,
    body: MachineClientScopesPut,
) -> Result<MachineClient, Fault> {
    let client = lock_client(cx, client_uuid).await?;
    let before = ScopeSet::parse(client.allowed_scopes.iter().map(String::as_str));
    let (own, mut errors) = (cx.principal()?.scopes, Vec::new());
    let scopes = rules::scopes(&body.allowed_scopes, client.partner_uuid.is_some(), own, before, &mut errors);
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    if scopes != client.allowed_scopes {
        store::set_scopes(&cx.db, client_uuid, &scopes).await?;
    }
    load_client(cx, client_uuid).await
}

/// Rotate a machine client's secret.
#[operation(mutation, access = "labs.admin.clients:write", audit_target(MachineClient, "client_uuid"))]
async fn admin_machine_clients_rotate_secret(
    cx: &RequestContext,
    client_uuid: Uuid,
    body: SecretRotationInput,
) -> Result<RotatedSecret, Fault> {
    let client = lock_client(cx, client_uuid).await?;
    rules::ensure_may_take_secret(&client.allowed_scopes, cx.principal()?.scopes)?;
    let former_seconds = body.old_secret_expires_in.unwrap_or(rules::FORMER_SECRETS_SECONDS);
    rules::ensure_may_rotate(secrets::count_valid(&cx.db, client_uuid).await?, former_seconds > 0)?;
    let issued = SecretKind::Client.issue();
    let secret = new_secret(cx, &issued);
    let rotation = secrets::insert(&cx.db, client_uuid, &secret, former_seconds).await?;
    Ok(RotatedSecret {
        secret: MachineClientSecret {
            uuid: secret.secret_uuid,
            prefix: secret.prefix.to_owned(),
            created_at: rotation.created_at,
            expires_at: None,
            last_used_at: None,
        },
        client_secret: issued.text.expose().to_owned(),
        former_secrets_expire_at: rotation.former_expire_at.unwrap_or(rotation.created_at),
    })
}

/// Delete a machine client's secret.
#[operation(mutation, access = "labs.admin.clients:write", audit_target(MachineClientSecret, "secret_uuid"))]
async fn admin_machine_clients_delete_secret(
    cx: &RequestContext,
    client_uuid: Uuid,
    secret_uuid: Uuid,
) -> Result<bool, Fault> {
    lock_client(cx, client_uuid).await?;
    if secrets::set_revoked(&cx.db, client_uuid, secret_uuid).await? {
        Ok(true)
    } else {
        Err(Fault::not_found("secret of this machine client"))
    }
}

/// Disable a machine client.
#[operation(mutation, access = "labs.admin.clients:write", audit_target(MachineClient, "client_uuid"))]
async fn admin_machine_clients_disable(
    cx: &RequestContext,
    client_uuid: Uuid,
    body: Reason,
) -> Result<MachineClient, Fault> {
    body.note(cx);
    move_client(cx, client_uuid, MachineClientAction::Disable).await
}

/// Enable a machine client.
#[operation(mutation, access = "labs.admin.clients:write", audit_target(MachineClient, "client_uuid"))]
async fn admin_machine_clients_enable(
    cx: &RequestContext,
    client_uuid: Uuid,
    body: Option<Remark>,
) -> Result<MachineClient, Fault> {
    Remark::note(body, cx);
    move_client(cx, client_uuid, MachineClientAction::Enable).await
}

/// Moves a machine client to the state that an action results in.
async fn move_client(
    cx: &RequestContext,
    client_uuid: Uuid,
    action: MachineClientAction,
) -> Result<MachineClient, Fault> {
    let client = lock_client(cx, client_uuid).await?;
    if action == MachineClientAction::Enable {
        rules::ensure_may_take_secret(&client.allowed_scopes, cx.principal()?.scopes)?;
    }
    let state = next_state(client.state, action)?;
    store::set_state(&cx.db, client_uuid, state.name(), action == MachineClientAction::Enable).await?;
    load_client(cx, client_uuid).await
}

/// Settings of a new machine client, as they are stored.
struct CheckedClient {
    scopes: Vec<String>,
    networks: Vec<String>,
    identities: Vec<TrustedIdentity>,
}

/// Checks a new machine client and reports all errors at once. Takes its identities out of the body.
async fn check(cx: &RequestContext, body: &mut MachineClientInput) -> Result<CheckedClient, Fault> {
    let own = cx.principal()?.scopes;
    let mut errors = Vec::new();
    if let Some(partner_uuid) = body.partner_uuid {
        rules::partner(store::lock_partner_state(&cx.db, partner_uuid).await?.as_deref(), &mut errors);
    }
    let is_bound = body.partner_uuid.is_some();
    let scopes = rules::scopes(&body.allowed_scopes, is_bound, own, ScopeSet::default(), &mut errors);
    let networks = rules::networks(body.allowed_networks.as_deref().unwrap_or_default(), &mut errors);
    let identities = check_identities(body.trusted_identities.take().unwrap_or_default(), &cx.services, &mut errors);
    rules::contact_email(body.contact_email.as_deref(), &mut errors);
    if errors.is_empty() { Ok(CheckedClient { scopes, networks, identities }) } else { Err(Fault::invalid(errors)) }
}

fn new_secret<'a>(cx: &RequestContext, issued: &'a IssuedSecret) -> NewSecret<'a> {
    let prefix = issued.text.expose().get(..SHOWN_CHARACTERS).unwrap_or_default();
    NewSecret { secret_uuid: cx.new_uuid(), prefix, sha256: &issued.digest }
}

/// Loads the current machine client and names it in the audit record.
async fn load_client(cx: &RequestContext, client_uuid: Uuid) -> Result<MachineClient, Fault> {
    Ok(to_machine_client(cx, store::get(&cx.db, client_uuid).await?.ok_or_else(err_not_found)?))
}

/// Converts a machine client for the caller and names it in the audit record.
fn to_machine_client(cx: &RequestContext, row: MachineClientRow) -> MachineClient {
    note_target(cx, row.client_uuid, &row.name, row.partner_uuid);
    MachineClient::of(row, cx)
}

/// Locks the machine client for a change and names it in the audit record.
async fn lock_client(cx: &RequestContext, client_uuid: Uuid) -> Result<LockedClientRow, Fault> {
    let row = store::lock(&cx.db, client_uuid).await?.ok_or_else(err_not_found)?;
    note_target(cx, client_uuid, &row.name, row.partner_uuid);
    Ok(row)
}

/// Ensures that the machine client exists and names it in the audit record.
async fn note_client(cx: &RequestContext, client_uuid: Uuid) -> Result<(), Fault> {
    let (name, partner_uuid) = store::get_name(&cx.db, client_uuid).await?.ok_or_else(err_not_found)?;
    note_target(cx, client_uuid, &name, partner_uuid);
    Ok(())
}

fn note_target(cx: &RequestContext, client_uuid: Uuid, name: &str, partner_uuid: Option<Uuid>) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::MachineClient),
        uuid: Some(client_uuid),
        label: Some(name.to_owned()),
        partner_uuid,
    });
}

fn err_not_found() -> Fault {
    Fault::not_found("machine client")
}
