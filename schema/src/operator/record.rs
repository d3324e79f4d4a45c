//! An act of the command line: one transaction, with its audit record.

use sqlx::PgPool;
use uuid::Uuid;

use super::store;
use crate::core::audit_target::AuditTargetKind;
use crate::core::crypto::uuid_at;
use crate::core::db::{Db, TransactionOptions};
use crate::core::fault::Fault;
use crate::core::services::Services;
use crate::core::time::Time;

/// What an audit record says of an act.
pub(super) struct Said<'a> {
    /// `staff_create` for example.
    pub(super) operation: &'static str,
    /// What kind of thing was made.
    pub(super) target_kind: AuditTargetKind,
    /// Which.
    pub(super) target_uuid: Uuid,
    /// Its name.
    pub(super) target_label: &'a str,
    /// The partner concerned.
    pub(super) partner_uuid: Option<Uuid>,
    /// What was asked for, without anything secret.
    pub(super) parameters: serde_json::Value,
}

/// An act under way.
pub(super) struct Act {
    /// Where its statements run.
    pub(super) db: Db,
    /// When it happens.
    pub(super) now: Time,
    record_uuid: Uuid,
}

impl Act {
    /// Begins one. The triggers that capture differences file them under its record.
    pub(super) fn begin(pool: &PgPool, services: &Services) -> Self {
        let now = services.clock.now();
        let record_uuid = uuid_at(now.0);
        let terms = TransactionOptions::default().with("labs.audit_record", record_uuid);
        Self { db: Db::within(pool.clone(), terms), now, record_uuid }
    }

    /// A fresh identifier (UUID version 7).
    pub(super) fn new_uuid(&self) -> Uuid {
        uuid_at(self.now.0)
    }

    /// Writes the record and commits. An act that is dropped before is rolled back.
    ///
    /// # Errors
    /// What the database answered; nothing is done then.
    pub(super) async fn commit(self, said: &Said<'_>) -> Result<(), Fault> {
        store::record_insert(&self.db, self.record_uuid, said).await?;
        self.db.commit().await
    }
}
