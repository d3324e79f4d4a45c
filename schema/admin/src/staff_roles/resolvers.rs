//! Operations on staff roles and the scopes that they require.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::{Created, InputType, MaybeUndefined};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::scope::ScopeSet;

use super::list::{ROLE, ROLES, StaffRole, StaffRoleFilter, StaffRoleSort};
use super::{rules, store};
use crate::granters;

/// A staff role to create.
#[derive(serde::Deserialize, InputType)]
pub(super) struct StaffRoleCreate {
    /// Code of the role in paths and lists.
    code: String,
    /// Name of the role. 1 to 80 characters.
    name: String,
    /// Description of the holders' tasks.
    description: Option<String>,
    /// Scopes of the role: scopes under `labs.admin` that the caller holds. The service stores them in the shortest
    /// equivalent form.
    scopes: Vec<String>,
}

/// A merge patch (RFC 7396). Omitted fields remain unchanged.
#[derive(serde::Deserialize, InputType)]
pub(super) struct StaffRoleUpdate {
    /// Name of the role. 1 to 80 characters.
    name: Option<String>,
    /// Description of the holders' tasks. Null clears it.
    #[serde(default)]
    description: MaybeUndefined<String>,
    /// Complete list of scopes. The caller must hold every added scope.
    scopes: Option<Vec<String>>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![admin_staff_roles_list, admin_staff_roles_create, admin_staff_roles_update, admin_staff_roles_delete];

/// List staff roles.
#[operation(query, access = "labs.admin.staff")]
async fn admin_staff_roles_list(
    cx: &RequestContext,
    filter: Option<StaffRoleFilter>,
    sort: Option<StaffRoleSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<StaffRole>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = ROLES.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    Ok(rows.counted_list(ROLES.total(&cx.db, &filter, include_total).await?))
}

/// Create a staff role.
#[operation(mutation, access = "labs.admin.staff:write")]
async fn admin_staff_roles_create(cx: &RequestContext, body: StaffRoleCreate) -> Result<Created<StaffRole>, Fault> {
    let mut errors = Vec::new();
    let name = rules::name(&body.name, &mut errors);
    let scopes = rules::scopes(&body.scopes, cx.principal()?.scopes, ScopeSet::default(), &mut errors);
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let description = body.description.unwrap_or_default();
    store::insert(&cx.db, &body.code, &name, description.trim(), &scopes).await?;
    Ok(Created::new(body.code.as_str(), load_role(cx, &body.code).await?))
}

/// Update a staff role.
#[operation(mutation, access = "labs.admin.staff:write")]
async fn admin_staff_roles_update(
    cx: &RequestContext,
    role_code: String,
    body: StaffRoleUpdate,
) -> Result<StaffRole, Fault> {
    note(cx, &role_code);
    let before = granters::lock(&cx.db).await?;
    let present = store::lock(&cx.db, &role_code).await?.ok_or_else(err_not_found)?;
    let (principal, mut errors) = (cx.principal()?, Vec::new());
    let name = body.name.map(|name| rules::name(&name, &mut errors));
    let held = ScopeSet::parse(present.iter().map(String::as_str));
    let scopes = body.scopes.map(|scopes| rules::scopes(&scopes, principal.scopes, held, &mut errors));
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let scopes = scopes.filter(|scopes| *scopes != present);
    let after = scopes.as_ref().map_or(held, |scopes| ScopeSet::parse(scopes.iter().map(String::as_str)));
    if scopes.is_some() {
        rules::ensure_not_own(store::count_holders(&cx.db, &role_code, principal.uuid).await?.1)?;
        rules::ensure_may_revoke(principal.scopes, held, after)?;
    }
    let description = body.description.as_opt_deref().map(|text| text.unwrap_or_default().trim());
    store::update(&cx.db, &role_code, name.as_deref(), description, scopes.as_deref()).await?;
    granters::ensure_granter_remains(&cx.db, &before).await?;
    if rules::is_losing_full_access(held, after) {
        granters::ensure_full_role_remains(&cx.db).await?;
    }
    load_role(cx, &role_code).await
}

/// Delete a staff role.
#[operation(mutation, access = "labs.admin.staff:write")]
async fn admin_staff_roles_delete(cx: &RequestContext, role_code: String) -> Result<bool, Fault> {
    note(cx, &role_code);
    granters::lock(&cx.db).await?;
    let present = store::lock(&cx.db, &role_code).await?.ok_or_else(err_not_found)?;
    let (principal, held) = (cx.principal()?, ScopeSet::parse(present.iter().map(String::as_str)));
    rules::ensure_may_revoke(principal.scopes, held, ScopeSet::default())?;
    rules::ensure_unused(store::count_holders(&cx.db, &role_code, principal.uuid).await?.0)?;
    store::delete(&cx.db, &role_code).await?;
    if rules::is_losing_full_access(held, ScopeSet::default()) {
        granters::ensure_full_role_remains(&cx.db).await?;
    }
    Ok(true)
}

/// Loads the current role and names it in the audit record.
async fn load_role(cx: &RequestContext, role_code: &str) -> Result<StaffRole, Fault> {
    note(cx, role_code);
    ROLE.fetch_one(&cx.db, [role_code.into()]).await?.ok_or_else(err_not_found)
}

fn note(cx: &RequestContext, role_code: &str) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::StaffRole),
        uuid: None,
        label: Some(role_code.to_owned()),
        partner_uuid: None,
    });
}

fn err_not_found() -> Fault {
    Fault::not_found("staff role")
}
