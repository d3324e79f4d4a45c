//! Operations on deprecations.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::deprecation::DeprecationTarget;
use labs_core::describe::{Created, InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::principal::PrincipalType;
use labs_core::surface::Surface;
use labs_core::time::Time;
use uuid::Uuid;

use super::list::{
    BY_ID, CALLERS, CallerRow, CallersOf, DEPRECATIONS, DeprecationAuthor, DeprecationCallerKind,
    DeprecationCallerSort, DeprecationChangelogEntry, DeprecationFilter, DeprecationKind, DeprecationRow,
    DeprecationSort,
};
use super::rules::{self, Named};
use super::store::{self, NewDeprecation};
use labs_publication::items::{DeprecationEntry, draft_entry, drop_unreleased};

/// Days of calls that the list of callers covers by default.
const DAYS: i32 = 14;

/// A deprecated element of the contract.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Deprecation {
    /// UUID of the deprecation, for use in paths.
    uuid: Uuid,
    /// Kind of deprecated element.
    kind: DeprecationKind,
    /// Deprecated operation, or the operation that takes the deprecated parameter or parameter value. Null for a field
    /// of a schema and for a value of a field.
    operation_id: Option<String>,
    /// Query or header parameter. Null for a deprecated operation or field.
    parameter: Option<String>,
    /// Schema of the contract that contains the field. Null for a deprecated operation or parameter.
    schema: Option<String>,
    /// Name of the field. Null for a deprecated operation or parameter.
    field: Option<String>,
    /// Deprecated value of the parameter or field. Null if the whole element is deprecated.
    value: Option<String>,
    /// Every operation that the deprecation affects.
    operations: Vec<String>,
    /// Affected operations of which every call counts as a use of the element, regardless of the request: the
    /// deprecated operation itself, and the operations that return the field. For the other operations, only calls that
    /// send the deprecated element count.
    counted_by_operation: Vec<String>,
    /// Reason for the deprecation.
    reason: String,
    /// Recommended replacement, in Markdown.
    replacement: String,
    /// Operation to call instead, if there is one.
    replacement_operation_id: Option<String>,
    /// Sunset: time when the element is removed.
    sunset_at: Time,
    /// Changelog entry that announces the deprecation. Null if the entry was deleted.
    changelog_entry: Option<DeprecationChangelogEntry>,
    /// Number of distinct callers in the last 14 days. The users of a partner together count as one caller. Each
    /// machine client and each staff member counts as one.
    callers: i64,
    /// Number of calls of these callers in the last 14 days.
    requests: i64,
    /// Time of the last call. Null if there was no call in the last 14 days.
    last_called_at: Option<Time>,
    /// Staff member who created the deprecation. Null if a machine client created it, or if the account no longer
    /// exists.
    created_by: Option<DeprecationAuthor>,
    /// Time when the deprecation was created.
    created_at: Time,
}

impl Deprecation {
    fn of(row: DeprecationRow, surface: &Surface) -> Self {
        let target = row.target();
        let operations = target.as_ref().map(|target| target.operations(surface)).unwrap_or_default();
        let counted_by_operation = target.map(|target| target.always_operations(surface)).unwrap_or_default();
        Self {
            uuid: row.deprecation_uuid,
            kind: row.kind,
            operation_id: row.operation_id,
            parameter: row.parameter,
            schema: row.schema_name,
            field: row.field,
            value: row.value,
            operations,
            counted_by_operation,
            reason: row.reason,
            replacement: row.replacement,
            replacement_operation_id: row.replacement_operation_id,
            sunset_at: row.sunset_at,
            changelog_entry: row.changelog_entry,
            callers: row.callers,
            requests: row.requests,
            last_called_at: row.last_called_at,
            created_by: row.created_by,
            created_at: row.created_at,
        }
    }
}

/// Element to deprecate, with the reason, the replacement and the sunset.
#[derive(serde::Deserialize, InputType)]
pub(super) struct DeprecationInput {
    /// Operation to deprecate, or the operation that takes the parameter to deprecate.
    operation_id: Option<String>,
    /// Query or header parameter of `operation_id`.
    parameter: Option<String>,
    /// Schema of the contract that contains the field.
    schema: Option<String>,
    /// Field of `schema`.
    field: Option<String>,
    /// Single value to deprecate, which the parameter or field lists. Omit it to deprecate the whole parameter or
    /// field.
    value: Option<String>,
    /// Reason for the deprecation. Readers of the changelog see it.
    reason: String,
    /// Recommended replacement, in Markdown. Readers of the changelog see it.
    replacement: String,
    /// Operation to call instead, if there is one.
    replacement_operation_id: Option<String>,
    /// Sunset: time when the element is removed. At least six months in the future.
    sunset_at: Time,
}

/// A caller of a deprecated element.
#[derive(serde::Serialize, OutputType)]
pub(super) struct DeprecationCaller {
    /// Kind of caller.
    kind: DeprecationCallerKind,
    /// Partner of the calling users or machine client.
    partner_uuid: Option<Uuid>,
    /// UUID of the machine client.
    client_uuid: Option<Uuid>,
    /// Name of the partner, of the machine client that is bound to no partner, or of the staff member.
    name: Option<String>,
    /// Name of the machine client.
    program: Option<String>,
    /// Number of calls of these callers in the last 14 days.
    requests: i64,
    /// First UTC day in the counted period with a call.
    first_called_on: String,
    /// Time of the last call.
    last_called_at: Time,
}

impl From<CallerRow> for DeprecationCaller {
    fn from(row: CallerRow) -> Self {
        Self {
            kind: row.kind,
            partner_uuid: row.partner_uuid,
            client_uuid: row.client_uuid,
            name: row.name,
            program: row.program,
            requests: row.requests,
            first_called_on: row.first_called_on,
            last_called_at: row.last_called_at,
        }
    }
}

/// Filter of the list of callers. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType)]
pub(super) struct DeprecationCallerFilter {
    days: Option<i32>,
    partner_uuid: Option<Uuid>,
}

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![
    admin_deprecations_list,
    admin_deprecations_list_callers,
    admin_deprecations_create,
    admin_deprecations_delete,
];

/// List deprecations.
#[operation(query, access = "labs.admin.operations")]
async fn admin_deprecations_list(
    cx: &RequestContext,
    filter: Option<DeprecationFilter>,
    sort: Option<DeprecationSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<Deprecation>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = DEPRECATIONS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = DEPRECATIONS.total(&cx.db, &filter, include_total).await?;
    let surface = (cx.services.settings.contract.surface)();
    Ok(rows.map(|row| Ok(Deprecation::of(row, surface)))?.counted_list(total))
}

/// List a deprecation's callers.
#[operation(query, access = "labs.admin.operations", audit_target(Deprecation, "deprecation_uuid"))]
async fn admin_deprecations_list_callers(
    cx: &RequestContext,
    deprecation_uuid: Uuid,
    filter: Option<DeprecationCallerFilter>,
    sort: Option<DeprecationCallerSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<DeprecationCaller>, Fault> {
    let filter = filter.unwrap_or_default();
    let row = BY_ID.fetch_one(&cx.db, [deprecation_uuid.into()]).await?.ok_or_else(err_not_found)?;
    note_target(cx, deprecation_uuid, row.target().as_ref());
    let of = CallersOf { deprecation_uuid, days: filter.days.unwrap_or(DAYS), partner_uuid: filter.partner_uuid };
    let rows = CALLERS.page(cx, &of, &PageRequest::new(sort, limit, cursor)).await?;
    let total = CALLERS.total(&cx.db, &of, include_total).await?;
    Ok(rows.map(|row| Ok(row.into()))?.counted_list(total))
}

/// Create a deprecation.
#[operation(mutation, access = "labs.admin.operations:write", partner_reads = "reason")]
async fn admin_deprecations_create(cx: &RequestContext, body: DeprecationInput) -> Result<Created<Deprecation>, Fault> {
    let mut errors = Vec::new();
    let surface = (cx.services.settings.contract.surface)();
    let DeprecationInput { operation_id, parameter, schema, field, value, .. } = body;
    let target = rules::target(Named { operation_id, parameter, schema, field, value }, surface, &mut errors);
    let replacement_operation_id = body.replacement_operation_id.as_deref();
    rules::replacement(replacement_operation_id, target.as_ref(), surface, &mut errors);
    rules::sunset(body.sunset_at, cx.now, &mut errors);
    let Some(target) = target.filter(|_| errors.is_empty()) else { return Err(Fault::invalid(errors)) };
    let instead = match replacement_operation_id {
        Some(id) => format!("{} Call [{id}](op:{id}) instead.", body.replacement.trim()),
        None => body.replacement.trim().to_owned(),
    };
    let entry = DeprecationEntry {
        title: format!("The {} is deprecated", target.describe()),
        body: format!(
            "The {} is deprecated and will be removed at {}. {}",
            target.describe(),
            body.sunset_at,
            body.reason.trim()
        ),
        operations: target.operations(surface),
        fields: fields_of(&target, surface),
        ending: Some((&instead, body.sunset_at)),
    };
    let entry_uuid = draft_entry(cx, entry).await?;
    let (caller, deprecation_uuid) = (cx.principal()?, cx.new_uuid());
    let new = NewDeprecation {
        deprecation_uuid,
        target: &target,
        reason: body.reason.trim(),
        replacement: body.replacement.trim(),
        replacement_operation_id,
        sunset_at: body.sunset_at,
        entry_uuid,
        created_by: (caller.kind == PrincipalType::StaffUser).then_some(caller.uuid),
    };
    store::insert(&cx.db, &new).await?;
    store::take_over_calls(&cx.db, deprecation_uuid, &target.always_operations(surface)).await?;
    note_target(cx, deprecation_uuid, Some(&target));
    let row = BY_ID.fetch_one(&cx.db, [deprecation_uuid.into()]).await?.ok_or_else(err_not_found)?;
    Ok(Created::new(deprecation_uuid, Deprecation::of(row, surface)))
}

/// Delete a deprecation.
#[operation(mutation, access = "labs.admin.operations:write", audit_target(Deprecation, "deprecation_uuid"))]
async fn admin_deprecations_delete(cx: &RequestContext, deprecation_uuid: Uuid) -> Result<bool, Fault> {
    let surface = (cx.services.settings.contract.surface)();
    let row = BY_ID.fetch_one(&cx.db, [deprecation_uuid.into()]).await?.ok_or_else(err_not_found)?;
    let target = row.target();
    note_target(cx, deprecation_uuid, target.as_ref());
    if !store::delete(&cx.db, deprecation_uuid).await? {
        return Err(err_not_found());
    }
    let (Some(former), Some(target)) = (row.changelog_entry, target) else { return Ok(true) };
    if !drop_unreleased(&cx.db, former.uuid).await? {
        let entry = DeprecationEntry {
            title: format!("The {} stays supported", target.describe()),
            body: format!(
                "The {} is not deprecated any more. Clients that already use its replacement can continue to do \
                 so.",
                target.describe()
            ),
            operations: target.operations(surface),
            fields: fields_of(&target, surface),
            ending: None,
        };
        draft_entry(cx, entry).await?;
    }
    Ok(true)
}

/// Returns the fields that a changelog entry names for a target.
fn fields_of(target: &DeprecationTarget, surface: &Surface) -> Vec<String> {
    match target {
        DeprecationTarget::Operation(_) => Vec::new(),
        DeprecationTarget::Parameter { operation_id, name, .. } => vec![format!("{operation_id}:/{name}")],
        DeprecationTarget::Field { .. } => {
            let read_by = target.field(surface).into_iter().flat_map(|field| &field.read_by);
            read_by.flat_map(|(id, pointers)| pointers.iter().map(move |at| format!("{id}:{at}"))).collect()
        }
    }
}

fn note_target(cx: &RequestContext, deprecation_uuid: Uuid, target: Option<&DeprecationTarget>) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Deprecation),
        uuid: Some(deprecation_uuid),
        label: target.map(|target| target.describe().replace('`', "")),
        partner_uuid: None,
    });
}

fn err_not_found() -> Fault {
    Fault::not_found("deprecation")
}
