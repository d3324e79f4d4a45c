//! An action on the command line: one transaction with its audit record.

use labs_core::audit_target::AuditTargetKind;
use labs_core::db::{Db, OwnTransaction, TransactionOptions};
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_core::time::Time;
use labs_crypto::uuid_at;
use sqlx::PgPool;
use uuid::Uuid;

use super::store;

/// Content of the audit record of an action.
pub(super) struct AuditText<'a> {
    /// Operation name, for example `staff_create`.
    pub(super) operation: &'static str,
    /// Kind of the created object.
    pub(super) target_kind: AuditTargetKind,
    /// UUID of the object.
    pub(super) target_uuid: Uuid,
    /// Name of the object.
    pub(super) target_label: &'a str,
    /// UUID of the partner.
    pub(super) partner_uuid: Option<Uuid>,
    /// Parameters of the action, without secrets.
    pub(super) parameters: serde_json::Value,
}

/// An action in progress.
pub(super) struct Act {
    /// Transaction of the action.
    pub(super) db: OwnTransaction,
    /// Time of the action.
    pub(super) now: Time,
    record_uuid: Uuid,
}

impl Act {
    /// Begins an action. The triggers that capture differences assign them to its audit record.
    pub(super) fn begin(pool: &PgPool, services: &Services) -> Self {
        let now = services.clock.now();
        let record_uuid = uuid_at(now.0);
        let terms = TransactionOptions::default().with("labs.audit_record", record_uuid);
        Self { db: Db::own_transaction_with(pool.clone(), terms), now, record_uuid }
    }

    /// Creates an identifier (UUID version 7).
    pub(super) fn new_uuid(&self) -> Uuid {
        uuid_at(self.now.0)
    }

    /// Writes the audit record and commits. An action that is dropped before the commit is rolled back.
    ///
    /// # Errors
    /// If the database fails; then nothing is committed.
    pub(super) async fn commit(self, audit_text: &AuditText<'_>) -> Result<(), Fault> {
        store::insert_record(&self.db, self.record_uuid, audit_text).await?;
        self.db.commit().await
    }
}
