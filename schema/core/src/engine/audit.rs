//! Audit record of a call, written in the same transaction as its answer.
//!
//! Rule: docs/decisions/audit.md#audited-operations. If the record cannot be written, the call has no effect and no
//! answer.

use std::sync::Arc;

use labs_crypto::sealed::MasterKey;
use serde_json::{Map, Value};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::RootField;
use crate::audit_target::AuditTargetKind;
use crate::audited_text::to_recorded;
use crate::context::{AuditNotes, Caller, CreatedId, Target};
use crate::fault::Fault;
use crate::principal::Principal;
use crate::services::Services;

/// Audit record before it is written.
pub(super) struct AuditEntry {
    record_uuid: Uuid,
    operation: String,
    scope: Option<String>,
    caller: Arc<Caller>,
    outcome: &'static str,
    code: Option<&'static str>,
    target: Target,
    reason: Option<String>,
    parameters: Value,
}

impl AuditEntry {
    /// Creates the record of a call before it runs.
    pub(super) fn of_call(
        root: &RootField,
        caller: &Arc<Caller>,
        variables: &Map<String, Value>,
        services: &Services,
    ) -> Self {
        let now = services.clock.now();
        let milliseconds = u64::try_from(now.0.as_millisecond()).unwrap_or_default();
        Self {
            record_uuid: uuid::Builder::from_unix_timestamp_millis(milliseconds, &labs_crypto::random_bytes::<10>())
                .into_uuid(),
            operation: root.name.clone(),
            scope: root.access.scope().map(|scope| scope.to_string()),
            caller: Arc::clone(caller),
            outcome: "SUCCEEDED",
            code: None,
            target: target_of(root, variables),
            reason: reason_of(variables),
            parameters: parameters_of(root, variables, &services.key),
        }
    }

    /// Creates the record of a call that was rejected or failed, with the notes of its resolver so far.
    pub(super) fn of_refusal(
        root: &RootField,
        caller: &Arc<Caller>,
        variables: &Map<String, Value>,
        noted: &AuditNotes,
        fault: &Fault,
        services: &Services,
    ) -> Self {
        let mut entry = Self::of_call(root, caller, variables, services);
        entry.fail(fault, noted);
        entry
    }

    /// Returns the record's UUID, under which the capture triggers store changes.
    pub(super) fn record_uuid(&self) -> Uuid {
        self.record_uuid
    }

    /// Marks the call as rejected or failed. The target is known only as far as the resolver noted it.
    pub(super) fn fail(&mut self, fault: &Fault, noted: &AuditNotes) {
        self.note(noted);
        self.outcome = if fault.code().is_failure() { "FAILED" } else { "REFUSED" };
        self.code = Some(fault.code().name());
    }

    /// Marks the call as successful and adds the target, which is known now.
    pub(super) fn complete(&mut self, created: Option<&CreatedId>, noted: &AuditNotes) {
        self.note(noted);
        let created = match created {
            Some(CreatedId::Uuid(uuid)) => Some(*uuid),
            _ => noted.created,
        };
        self.target.uuid = self.target.uuid.or(created);
    }

    /// Notes of the resolver take precedence over the arguments.
    fn note(&mut self, noted: &AuditNotes) {
        if let Some(target) = noted.target.clone() {
            let before = std::mem::take(&mut self.target);
            self.target = Target {
                kind: target.kind.or(before.kind),
                uuid: target.uuid.or(before.uuid),
                label: target.label.or(before.label),
                partner_uuid: target.partner_uuid.or(before.partner_uuid),
            };
        }
        if noted.reason.is_some() {
            self.reason.clone_from(&noted.reason);
        }
    }

    /// Writes the record in a separate transaction, because the call's own transaction was rolled back.
    pub(super) async fn write_alone(&self, pool: &PgPool) -> Result<(), Fault> {
        let mut transaction = pool.begin().await?;
        self.write(&mut transaction).await?;
        Ok(transaction.commit().await?)
    }

    pub(super) async fn write(&self, connection: &mut PgConnection) -> Result<(), Fault> {
        Self::write_all(std::slice::from_ref(self), connection).await
    }

    pub(super) async fn write_all(entries: &[Self], connection: &mut PgConnection) -> Result<(), Fault> {
        fn each<'a, T>(entries: &'a [AuditEntry], field: impl Fn(&'a AuditEntry) -> T) -> Vec<T> {
            entries.iter().map(field).collect()
        }
        let done = sqlx::query!(
            "insert into audit_log (record_uuid, operation, channel, outcome, code, actor_kind, actor_uuid, actor_label, scope,
                                    target_kind, target_uuid, target_label, partner_uuid, reason, request_id, address, parameters)
             select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::text[],
                                  $9::text[], $10::text[], $11::uuid[], $12::text[], $13::uuid[], $14::text[], $15::text[],
                                  $16::inet[], $17::jsonb[])",
            &each(entries, |entry| entry.record_uuid),
            &each(entries, |entry| entry.operation.as_str()) as &[&str],
            &each(entries, |entry| entry.caller.channel.name()) as &[&str],
            &each(entries, |entry| entry.outcome) as &[&str],
            &each(entries, |entry| entry.code) as &[Option<&str>],
            &each(entries, |entry| entry.principal().map_or("ANONYMOUS", |principal| principal.kind.name())) as &[&str],
            &each(entries, |entry| entry.principal().map(|principal| principal.uuid)) as &[Option<Uuid>],
            &each(entries, |entry| entry.principal().map(|principal| principal.label.as_str())) as &[Option<&str>],
            &each(entries, |entry| entry.scope.as_deref()) as &[Option<&str>],
            &each(entries, |entry| entry.target.kind.map(AuditTargetKind::name)) as &[Option<&str>],
            &each(entries, |entry| entry.target.uuid) as &[Option<Uuid>],
            &each(entries, |entry| entry.target.label.as_deref()) as &[Option<&str>],
            &each(entries, |entry| entry.target.partner_uuid) as &[Option<Uuid>],
            &each(entries, |entry| entry.reason.as_deref()) as &[Option<&str>],
            &each(entries, |entry| entry.caller.request_id.as_str()) as &[&str],
            &each(entries, |entry| ipnet::IpNet::from(entry.caller.address)) as &[ipnet::IpNet],
            &each(entries, |entry| Json(&entry.parameters)) as &[Json<&Value>],
        )
        .execute(connection)
        .await?;
        // A trigger or a rule can discard a row without an error.
        if done.rows_affected() != entries.len() as u64 {
            return Err(Fault::internal(format!(
                "only {} of {} audit records were stored",
                done.rows_affected(),
                entries.len()
            )));
        }
        Ok(())
    }

    fn principal(&self) -> Option<&Principal> {
        self.caller.principal.as_deref()
    }
}

/// Fault for the caller if the record cannot be written.
pub(super) fn err_unavailable(cause: &Fault) -> Fault {
    Fault::audit_unavailable().caused_by(cause.for_log())
}

/// Determines the target from the arguments. The target of a list that is filtered by one partner is that partner.
fn target_of(root: &RootField, variables: &Map<String, Value>) -> Target {
    let uuid_of = |argument: &str| {
        let value = variables.get(argument)?;
        let only = match value.as_array().map(Vec::as_slice) {
            Some([one]) => one,
            _ => value,
        };
        only.as_str().and_then(|text| text.parse::<Uuid>().ok())
    };
    let target = root.target.as_ref().and_then(|target| Some((target.kind, uuid_of(&target.argument)?)));
    let partner_uuid = root.partner.as_deref().and_then(uuid_of);
    let (kind, uuid) = target.or_else(|| Some((AuditTargetKind::Partner, partner_uuid?))).unzip();
    Target { kind, uuid, label: None, partner_uuid }
}

/// Returns the reason in the body, or in the parameters if the operation has no body.
fn reason_of(variables: &Map<String, Value>) -> Option<String> {
    let told = variables.get("body").and_then(|body| body.get("reason")).or_else(|| variables.get("reason"));
    told.and_then(Value::as_str).map(str::to_owned)
}

/// Returns the parameters of path and query. Bodies are not recorded; the captured changes show their effect.
fn parameters_of(root: &RootField, variables: &Map<String, Value>, key: &MasterKey) -> Value {
    let kept = |name: &String, value: &Value| match value.as_str() {
        Some(text) if root.hashed.as_ref() == Some(name) => Value::String(to_recorded(text, key)),
        _ => value.clone(),
    };
    Value::Object(
        variables
            .iter()
            .filter(|(name, value)| *name != "body" && !value.is_null())
            .map(|(name, value)| (name.clone(), kept(name, value)))
            .collect(),
    )
}
