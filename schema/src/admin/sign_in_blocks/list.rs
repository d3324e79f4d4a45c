//! What is held back, as operators are shown it, and the list with what narrows it and its orders.

use async_graphql::{InputObject, SimpleObject};
use ipnet::IpNet;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::admin::networks;
use crate::core::fault::Fault;
use crate::core::list::{Bound, Condition, Key, ListQuery, Select, Statements};
use crate::core::time::Time;
use crate::core::words::words;

words! {
    /// What is held back.
    pub(crate) enum SignInBlockKind {
        /// Tries at the password of an account.
        Account = "ACCOUNT",
        /// Tries at the codes of a person.
        SecondFactor = "SECOND_FACTOR",
        /// Whatever is tried from a network.
        Network = "NETWORK",
    }
}

/// An account or a network that is held back.
#[derive(Serialize, SimpleObject, sqlx::FromRow)]
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
    /// Time of the last failed attempt.
    last_failed_at: Time,
    /// Time until which the service rejects the next attempt.
    held_until: Time,
}

static BLOCK: Select<SignInBlock> = Select::new(
    "block_uuid as uuid, kind, email, person_uuid, person_name, partner_uuid, company_name, network::text as network,
     failures, last_failed_at, held_until",
    "sign_in_block_shown",
);

/// What the list is narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SignInBlockFilter {
    kind: Option<Vec<SignInBlockKind>>,
    person_uuid: Option<Vec<Uuid>>,
    partner_uuid: Option<Vec<Uuid>>,
    network: Option<Vec<String>>,
    q: Option<String>,
}

/// What is held back and asked for.
#[derive(Debug, Serialize)]
pub(super) struct ShownBlocks {
    /// Whose network has something in common with any of these.
    networks: Option<Vec<IpNet>>,
    filter: SignInBlockFilter,
}

impl ShownBlocks {
    /// What a filter asks for.
    ///
    /// # Errors
    /// [`crate::Code::ValidationFailed`] for a network that is none.
    pub(super) fn of(mut filter: SignInBlockFilter) -> Result<Self, Fault> {
        Ok(Self { networks: networks::parse_networks("network", filter.network.take())?, filter })
    }
}

words! {
    /// The orders of what is held back.
    pub(crate) enum SignInBlockSort {
        /// Whose last try failed last comes first.
        LastFailedAtDesc = "LAST_FAILED_AT_DESC",
        /// The other way round.
        LastFailedAt = "LAST_FAILED_AT",
    }
}

/// The list of what is held back now.
pub(super) static BLOCKS: ListQuery<ShownBlocks, SignInBlock, SignInBlockSort> = ListQuery {
    operation: "admin_sign_in_blocks_list",
    select: &BLOCK,
    within: &[Condition { sql: "held_until > labs_now()", value: |_| Some(Bound::Nothing) }],
    conditions: &[
        Condition { sql: "kind = any({})", value: |of| Bound::words(of.filter.kind.as_ref()) },
        Condition { sql: "person_uuid = any({})", value: |of| Bound::ids(of.filter.person_uuid.as_ref()) },
        Condition { sql: "partner_uuid = any({})", value: |of| Bound::ids(of.filter.partner_uuid.as_ref()) },
        Condition { sql: "network && any({})", value: |of| of.networks.clone().map(Bound::Networks) },
        Condition {
            sql: "strpos(lower(email), lower({})) > 0 or strpos(lower(person_name), lower({})) > 0",
            value: |of| of.filter.q.as_deref().map(Bound::from),
        },
    ],
    order: |sort| match sort {
        SignInBlockSort::LastFailedAtDesc => const { &[FAILED.descending(), ID.descending()] },
        SignInBlockSort::LastFailedAt => const { &[FAILED, ID] },
    },
};

const FAILED: Key<SignInBlock> = Key::moment("last_failed_at", |block| json!(block.last_failed_at));
const ID: Key<SignInBlock> = Key::id("block_uuid", |block| json!(block.uuid));

/// What is asked of blocks in words that the compiler has not checked.
pub(in crate::admin) static STATEMENTS: [&dyn Statements; 1] = [&BLOCKS];
