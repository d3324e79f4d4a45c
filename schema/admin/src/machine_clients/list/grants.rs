//! The token grants of a machine client, issued and refused.

use labs_core::describe::InputType;
use labs_core::list::{Condition, Key, ListQuery, Select, SqlValue};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::super::resolvers::types::{TokenGrant, TokenGrantOutcome};

static GRANTS: Select<TokenGrant> = Select::new(
    "grant_uuid as uuid, granted_at, outcome, code, scopes, token_id as token_uuid, expires_at, secret_uuid,
     identity ->> 'issuer' as identity_issuer, identity ->> 'subject' as identity_subject, host(address) as address",
    "token_grant",
);

/// Filter of the token grants. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(crate) struct TokenGrantFilter {
    outcome: Option<Vec<TokenGrantOutcome>>,
    code: Option<Vec<String>>,
    granted_at_from: Option<Time>,
    granted_at_until: Option<Time>,
}

/// Token grants of one machine client.
#[derive(Debug, Serialize)]
pub(in super::super) struct GrantsOfClient {
    pub(in super::super) client_uuid: Uuid,
    pub(in super::super) filter: TokenGrantFilter,
}

words! {
    /// Orders of token grants.
    pub enum TokenGrantSort {
        /// Newest first.
        GrantedAtDesc = "GRANTED_AT_DESC",
        /// Oldest first.
        GrantedAt = "GRANTED_AT",
    }
}

/// List query of a machine client's token grants.
pub(in super::super) static TOKEN_GRANTS: ListQuery<GrantsOfClient, TokenGrant, TokenGrantSort> = ListQuery {
    operation: "admin_machine_clients_list_token_grants",
    select: &GRANTS,
    within: &[Condition { sql: "client_uuid = {}", value: |of| Some(of.client_uuid.into()) }],
    conditions: &[
        Condition { sql: "outcome = any({})", value: |of| SqlValue::words(of.filter.outcome.as_ref()) },
        Condition { sql: "code = any({})", value: |of| SqlValue::texts(of.filter.code.as_ref()) },
        Condition { sql: "granted_at >= {}", value: |of| of.filter.granted_at_from.map(SqlValue::from) },
        Condition { sql: "granted_at < {}", value: |of| of.filter.granted_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        TokenGrantSort::GrantedAtDesc => const { &[GRANTED.descending(), ID.descending()] },
        TokenGrantSort::GrantedAt => const { &[GRANTED, ID] },
    },
};

const ID: Key<TokenGrant> = Key::id("grant_uuid", |grant| json!(grant.uuid));
const GRANTED: Key<TokenGrant> = Key::moment("granted_at", |grant| json!(grant.granted_at));
