//! The representation and the list of sign-in blocks for staff, with filters and orders.

use ipnet::IpNet;
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{Condition, Key, ListQuery, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::networks;

words! {
    /// Kind of sign-in block.
    pub enum SignInBlockKind {
        /// Attempts to enter the password for an e-mail address, whether an account has this address or not.
        Account = "ACCOUNT",
        /// Attempts to enter the codes of a user.
        SecondFactor = "SECOND_FACTOR",
        /// All attempts from a network.
        Network = "NETWORK",
    }
}

/// An account or network that must wait after failed attempts.
#[derive(Serialize, OutputType, sqlx::FromRow)]
pub(super) struct SignInBlock {
    /// UUID of the block, for use in paths.
    uuid: Uuid,
    /// Kind of sign-in block.
    kind: SignInBlockKind,
    /// E-mail address used in the attempts, in the form that is used for comparisons. Null for a network.
    email: Option<String>,
    /// User of the account. Null for a network, and if no account has this address.
    person_uuid: Option<Uuid>,
    /// Name of this user.
    person_name: Option<String>,
    /// Partner of this user.
    partner_uuid: Option<Uuid>,
    /// Name of this partner.
    company_name: Option<String>,
    /// Network whose attempts are blocked: an address for IPv4, a /64 for IPv6. Null if attempts from every network are
    /// blocked.
    network: Option<String>,
    /// Number of consecutive failed attempts.
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

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct SignInBlockFilter {
    kind: Option<Vec<SignInBlockKind>>,
    person_uuid: Option<Vec<Uuid>>,
    partner_uuid: Option<Vec<Uuid>>,
    network: Option<Vec<String>>,
    q: Option<String>,
}

/// Requested sign-in blocks.
#[derive(Debug, Serialize)]
pub(super) struct VisibleBlocks {
    /// Networks that overlap the network of the block.
    networks: Option<Vec<IpNet>>,
    filter: SignInBlockFilter,
}

impl VisibleBlocks {
    /// Resolves a filter.
    ///
    /// # Errors
    /// [`labs_core::Code::ValidationFailed`] for an invalid network.
    pub(super) fn of(mut filter: SignInBlockFilter) -> Result<Self, Fault> {
        Ok(Self { networks: networks::parse_networks("network", filter.network.take())?, filter })
    }
}

words! {
    /// Orders of sign-in blocks.
    pub enum SignInBlockSort {
        /// Latest failed attempt first.
        LastFailedAtDesc = "LAST_FAILED_AT_DESC",
        /// Earliest failed attempt first.
        LastFailedAt = "LAST_FAILED_AT",
    }
}

/// List query of the current sign-in blocks.
pub(super) static BLOCKS: ListQuery<VisibleBlocks, SignInBlock, SignInBlockSort> = ListQuery {
    operation: "admin_sign_in_blocks_list",
    select: &BLOCK,
    within: &[Condition { sql: "held_until > labs_now()", value: |_| Some(SqlValue::Nothing) }],
    conditions: &[
        Condition { sql: "kind = any({})", value: |of| SqlValue::words(of.filter.kind.as_ref()) },
        Condition { sql: "person_uuid = any({})", value: |of| SqlValue::ids(of.filter.person_uuid.as_ref()) },
        Condition { sql: "partner_uuid = any({})", value: |of| SqlValue::ids(of.filter.partner_uuid.as_ref()) },
        Condition { sql: "network && any({})", value: |of| of.networks.clone().map(SqlValue::Networks) },
        Condition {
            sql: matches_words!("email", "person_name"),
            value: |of| of.filter.q.as_deref().map(SqlValue::from),
        },
    ],
    order: |sort| match sort {
        SignInBlockSort::LastFailedAtDesc => const { &[FAILED.descending(), ID.descending()] },
        SignInBlockSort::LastFailedAt => const { &[FAILED, ID] },
    },
};

const FAILED: Key<SignInBlock> = Key::moment("last_failed_at", |block| json!(block.last_failed_at));
const ID: Key<SignInBlock> = Key::id("block_uuid", |block| json!(block.uuid));

/// Run-time SQL statements of sign-in blocks, which the compiler does not check.
pub(crate) static STATEMENTS: [&dyn Statements; 1] = [&BLOCKS];
