//! Re-encryption of data that an older key in the master key file encrypted.

mod store;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use labs_core::audit_target::AuditTargetKind;
use labs_core::authority::{RunningReplicas, running_replicas};
use labs_core::fault::{Code, Fault};
use labs_core::services::Services;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::record::{Act, AuditText};

/// Values of one kind, in the order of their ids. `$1` is an id as text.
struct SealedColumn {
    /// Kind of values.
    name: &'static str,
    /// Table, column and id expression (as text).
    table: &'static str,
    column: &'static str,
    id: &'static str,
    /// Condition that selects one id.
    one: &'static str,
    /// Condition and order for the rows after an id.
    behind: &'static str,
    order: &'static str,
    /// Position before the first row.
    first: &'static str,
    purpose: fn(&str) -> String,
}

const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

/// All stored encrypted values. Cursors and refresh cookies are created with the newest key and verified with all keys.
const COLUMNS: [SealedColumn; 6] = [
    SealedColumn {
        name: "naming keys",
        table: "naming_key",
        column: "key_sealed",
        id: "id::text",
        one: "id and $1 <> ''",
        behind: "id and $1 = ''",
        order: "id",
        first: "",
        purpose: |_| "naming-key".to_owned(),
    },
    SealedColumn {
        name: "signing keys",
        table: "signing_key",
        column: "private_key_sealed",
        id: "key_id",
        one: "key_id = $1",
        behind: "key_id > $1",
        order: "key_id",
        first: "",
        purpose: |_| "signing-key".to_owned(),
    },
    SealedColumn {
        name: "second factors",
        table: "totp_factor",
        column: "secret_sealed",
        id: "person_uuid::text",
        one: "person_uuid = $1::uuid",
        behind: "person_uuid > $1::uuid",
        order: "person_uuid",
        first: NOBODY,
        purpose: |id| format!("totp-seed/{id}"),
    },
    SealedColumn {
        name: "mails",
        table: "mail_message",
        column: "content_sealed",
        id: "message_uuid::text",
        one: "message_uuid = $1::uuid",
        behind: "message_uuid > $1::uuid",
        order: "message_uuid",
        first: NOBODY,
        purpose: |id| format!("mail/{id}"),
    },
    SealedColumn {
        name: "responses to idempotent requests",
        table: "idempotency_key",
        column: "answer_sealed",
        id: "jsonb_build_array(principal, operation, key)::text",
        one: "(principal, operation, key) = ($1::jsonb->>0, $1::jsonb->>1, $1::jsonb->>2)",
        behind: "(principal, operation, key) > ($1::jsonb->>0, $1::jsonb->>1, $1::jsonb->>2)",
        order: "principal, operation, key",
        first: r#"["", "", ""]"#,
        purpose: |_| "idempotent-answer".to_owned(),
    },
    SealedColumn {
        name: "read marks of the board",
        table: "board_read",
        column: "sealed",
        id: "encode(reader, 'hex')",
        one: "reader = decode($1, 'hex')",
        behind: "reader > decode($1, 'hex')",
        order: "reader",
        first: "",
        purpose: |_| "board-reading".to_owned(),
    },
];

/// Result of the re-encryption for one kind of values.
#[derive(Clone, Copy, Debug)]
pub struct Resealed {
    /// Kind of values.
    pub name: &'static str,
    /// Number of re-encrypted values.
    pub sealed_anew: u64,
    /// Number of values that no key in the file can decrypt. They stay unchanged.
    pub unreadable: u64,
}

/// Re-encrypts with the newest key of the file all values of an older key, while the service runs. Idempotent.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the file contains only one key, or if a running replica does not have the newest
/// key and so could not decrypt the new values; [`labs_core::Code::Unavailable`] if the database does not answer:
/// values re-encrypted before stay so.
pub fn keys_rotate<'a>(pool: &'a PgPool, services: &'a Services) -> BoxFuture<'a, Result<Vec<Resealed>, Fault>> {
    async move {
        if !services.key.has_older() {
            return Err(Fault::new(
                Code::Conflict,
                "The master key file contains only one key. Write the new key into its first line and the former key \
                 into the second, and restart every replica before you run this command.",
            ));
        }
        ensure_known(running_replicas(pool, &services.key).await?)?;
        let mut resealed = Vec::with_capacity(COLUMNS.len());
        for column in &COLUMNS {
            resealed.push(column.reseal(pool, services).await?);
        }
        let act = Act::begin(pool, services);
        let parameters = resealed.iter().map(|sort| (sort.name.to_owned(), json!(sort.sealed_anew))).collect();
        act.commit(&AuditText {
            operation: "keys_rotate",
            target_kind: AuditTargetKind::SigningKey,
            target_uuid: Uuid::nil(),
            target_label: "master key",
            partner_uuid: None,
            parameters: serde_json::Value::Object(parameters),
        })
        .await?;
        Ok(resealed)
    }
    .boxed()
}

/// Rejects the rotation while a replica without the newest key runs.
fn ensure_known(replicas: RunningReplicas) -> Result<(), Fault> {
    if replicas.unaware == 0 {
        return Ok(());
    }
    let RunningReplicas { all, unaware } = replicas;
    Err(Fault::new(
        Code::Conflict,
        format!(
            "{unaware} of {all} running replicas do not know the newest key in the master key file and could not \
             decrypt values sealed with it. Restart every replica with this file, then run the command again. Nothing \
             was changed."
        ),
    ))
}

impl SealedColumn {
    /// Replaces values of an older key one by one, each only if it has not changed since it was read.
    async fn reseal(&self, pool: &PgPool, services: &Services) -> Result<Resealed, Fault> {
        let mut done = Resealed { name: self.name, sealed_anew: 0, unreadable: 0 };
        let mut from = self.first.to_owned();
        loop {
            let rows = store::page(pool, self, &from).await?;
            let Some((last, _)) = rows.last() else { return Ok(done) };
            from.clone_from(last);
            for (id, sealed) in rows {
                match services.key.reseal(&(self.purpose)(&id), &sealed) {
                    Ok(None) => {}
                    Ok(Some(anew)) => done.sealed_anew += store::replace(pool, self, (&id, &sealed, &anew)).await?,
                    Err(_) => done.unreadable += 1,
                }
            }
        }
    }
}
