//! What may be asked about programs, and by whom.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use uuid::Uuid;

use super::rules;
use super::store::{self, ClientRow, NewClient, NewSecret, ScopeUseRow, SecretRow};
use crate::access::access;
use crate::ask::{Ask, Asking, Target};
use crate::fault::Fault;
use crate::keep::random_bytes;
use crate::keep::secret::{IssuedSecret, SecretKind};
use crate::time::Time;

/// Characters by which people tell one secret from another: the kind's prefix and six more.
const PREFIX: usize = 14;

/// A program that an operator provisioned.
#[derive(SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClient {
    /// For paths.
    uuid: Uuid,
    /// What the program sends as `username` for a token.
    client_id: String,
    /// What the program is, for people.
    name: String,
    /// Whom to write to about it.
    contact_email: Option<String>,
    /// The partner it is bound to; null for the service's own.
    partner_uuid: Option<Uuid>,
    /// What it may ask for, in alphabetical order.
    allowed_scopes: Vec<String>,
    /// What its calls really needed, the latest first.
    used_scopes: Vec<MachineClientScopeUse>,
    /// Where it may come from; empty means from anywhere.
    allowed_networks: Vec<String>,
    /// A disabled one gets no token, and its tokens are refused.
    state: MachineClientState,
    /// When it was provisioned.
    created_at: Time,
    /// When its settings last changed.
    updated_at: Time,
    /// When it last got a token.
    last_used_at: Option<Time>,
    /// The secrets that are good now, the newest first.
    secrets: Vec<MachineClientSecret>,
}

/// Whether a program may sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum MachineClientState {
    /// It may.
    Active,
    /// It may not.
    Disabled,
}

/// How a program uses one scope.
#[derive(SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientScopeUse {
    /// The scope that the operation needed.
    scope: String,
    /// When it was last needed, exact to a few minutes.
    last_used_at: Time,
    /// How many calls needed it, ever.
    uses: i64,
}

/// What is known of a secret.
#[derive(SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientSecret {
    /// For paths.
    uuid: Uuid,
    /// How it begins.
    prefix: String,
    /// When it was made.
    created_at: Time,
    /// When it ends; null while no newer one has taken its place.
    expires_at: Option<Time>,
    /// When a token was last issued for it.
    last_used_at: Option<Time>,
}

/// A program just provisioned, with its secret, which is shown this once.
#[derive(SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientWithSecret {
    /// The secret itself.
    client_secret: String,
    #[graphql(flatten)]
    client: MachineClient,
}

/// A new secret, which is shown this once.
#[derive(SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct RotatedSecret {
    /// What is known of it from now on.
    secret: MachineClientSecret,
    /// The secret itself.
    client_secret: String,
    /// When the last of the earlier secrets ends.
    former_secrets_expire_at: Time,
}

/// A program to provision.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientInput {
    name: String,
    partner_uuid: Option<Uuid>,
    allowed_scopes: Vec<String>,
    allowed_networks: Option<Vec<String>>,
    contact_email: Option<String>,
}

/// How long the earlier secrets live on.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SecretRotationInput {
    old_secret_expires_in: Option<i32>,
}

/// Reads of programs.
#[derive(Default)]
pub(crate) struct MachineClientsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl MachineClientsQuery {
    /// One program, the scopes it is allowed beside those it really uses.
    #[graphql(directive = access::apply("labs.admin.clients".into()))]
    async fn admin_machine_clients_get(&self, ctx: &Context<'_>, client_uuid: Uuid) -> Result<MachineClient, Fault> {
        let ask = ctx.ask();
        let row = store::get(&ask.db, client_uuid).await?.ok_or_else(not_found)?;
        note_target(ask, client_uuid, &row.name, row.partner_uuid);
        Ok(row.into())
    }
}

/// Writes of programs.
#[derive(Default)]
pub(crate) struct MachineClientsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl MachineClientsMutation {
    /// Provisions a program, bound to a partner or the service's own.
    #[graphql(directive = access::apply("labs.admin.clients:write".into()))]
    async fn admin_machine_clients_create(
        &self,
        ctx: &Context<'_>,
        body: MachineClientInput,
    ) -> Result<MachineClientWithSecret, Fault> {
        let ask = ctx.ask();
        let (allowed_scopes, allowed_networks) = check(ask, &body).await?;
        let client_uuid = ask.new_uuid();
        note_target(ask, client_uuid, &body.name, body.partner_uuid);
        let issued = SecretKind::Client.issue();
        let client = NewClient {
            client_uuid,
            client_id: &rules::client_id(random_bytes()),
            partner_uuid: body.partner_uuid,
            name: &body.name,
            contact_email: body.contact_email.as_deref(),
            allowed_scopes: &allowed_scopes,
            allowed_networks: &allowed_networks,
        };
        store::insert(&ask.db, &client, &new_secret(ask, &issued)).await?;
        let row = store::get(&ask.db, client_uuid).await?.ok_or_else(not_found)?;
        Ok(MachineClientWithSecret { client_secret: issued.text.expose().to_owned(), client: row.into() })
    }

    /// A new secret, while the old one lives on for a time named.
    #[graphql(directive = access::apply("labs.admin.clients:write".into()))]
    async fn admin_machine_clients_rotate_secret(
        &self,
        ctx: &Context<'_>,
        client_uuid: Uuid,
        body: SecretRotationInput,
    ) -> Result<RotatedSecret, Fault> {
        let ask = ctx.ask();
        let (name, partner_uuid) = store::lock(&ask.db, client_uuid).await?.ok_or_else(not_found)?;
        note_target(ask, client_uuid, &name, partner_uuid);
        let former_seconds = body.old_secret_expires_in.unwrap_or(rules::FORMER_SECRETS_SECONDS);
        rules::rotation(store::secrets_count(&ask.db, client_uuid).await?, former_seconds > 0)?;
        let issued = SecretKind::Client.issue();
        let secret = new_secret(ask, &issued);
        let rotation = store::secret_insert(&ask.db, client_uuid, &secret, former_seconds).await?;
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
}

/// Everything that is wrong with a program to be, at once; else its scopes and networks as they are kept.
async fn check(ask: &Ask, body: &MachineClientInput) -> Result<(Vec<String>, Vec<String>), Fault> {
    let own = ask.principal()?.scopes;
    let mut errors = Vec::new();
    if let Some(partner_uuid) = body.partner_uuid {
        rules::partner(store::partner_state_lock(&ask.db, partner_uuid).await?.as_deref(), &mut errors);
    }
    let scopes = rules::scopes(&body.allowed_scopes, body.partner_uuid.is_some(), own, &mut errors);
    let networks = rules::networks(body.allowed_networks.as_deref().unwrap_or_default(), &mut errors);
    rules::contact_email(body.contact_email.as_deref(), &mut errors);
    if errors.is_empty() { Ok((scopes, networks)) } else { Err(Fault::invalid(errors)) }
}

fn new_secret<'a>(ask: &Ask, issued: &'a IssuedSecret) -> NewSecret<'a> {
    let prefix = issued.text.expose().get(..PREFIX).unwrap_or_default();
    NewSecret { secret_uuid: ask.new_uuid(), prefix, sha256: &issued.digest }
}

fn note_target(ask: &Ask, client_uuid: Uuid, name: &str, partner_uuid: Option<Uuid>) {
    ask.note_target(Target {
        kind: Some("MACHINE_CLIENT".to_owned()),
        uuid: Some(client_uuid),
        label: Some(name.to_owned()),
        partner_uuid,
    });
}

fn not_found() -> Fault {
    Fault::not_found("machine client")
}

impl From<ClientRow> for MachineClient {
    fn from(row: ClientRow) -> Self {
        Self {
            uuid: row.client_uuid,
            client_id: row.client_id,
            name: row.name,
            contact_email: row.contact_email,
            partner_uuid: row.partner_uuid,
            allowed_scopes: row.allowed_scopes,
            used_scopes: row.used_scopes.0.into_iter().map(Into::into).collect(),
            allowed_networks: row.allowed_networks,
            state: match row.state.as_str() {
                "ACTIVE" => MachineClientState::Active,
                _ => MachineClientState::Disabled,
            },
            created_at: row.created_at,
            updated_at: row.updated_at,
            last_used_at: row.last_used_at,
            secrets: row.secrets.0.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<SecretRow> for MachineClientSecret {
    fn from(row: SecretRow) -> Self {
        Self {
            uuid: row.secret_uuid,
            prefix: row.prefix,
            created_at: row.created_at,
            expires_at: row.expires_at,
            last_used_at: row.last_used_at,
        }
    }
}

impl From<ScopeUseRow> for MachineClientScopeUse {
    fn from(row: ScopeUseRow) -> Self {
        Self { scope: row.scope, last_used_at: row.last_used_at, uses: row.uses }
    }
}
