//! What may be asked about staff roles, and by whom.

use async_graphql::{Context, InputObject, MaybeUndefined, Object};

use super::list::{ROLE, ROLES, StaffRole, StaffRoleFilter, StaffRoleSort};
use super::{rules, store};
use crate::access::access;
use crate::admin::granters;
use crate::ask::{Ask, Asking, Target};
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::page::CountedList;
use crate::scope::ScopeSet;

/// A new role.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct StaffRoleCreate {
    /// Its name in paths and lists.
    code: String,
    /// What it is called.
    name: String,
    /// What its holders do.
    description: Option<String>,
    /// What it reaches.
    scopes: Vec<String>,
}

/// A merge patch of a role (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct StaffRoleUpdate {
    /// What it is called.
    name: Option<String>,
    /// What its holders do; null empties it.
    description: MaybeUndefined<String>,
    /// All that it reaches from now on.
    scopes: Option<Vec<String>>,
}

/// Reads of roles.
#[derive(Default)]
pub(crate) struct StaffRolesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl StaffRolesQuery {
    /// The roles with what they reach and who holds them.
    #[graphql(directive = access::apply("labs.admin.staff".into()))]
    async fn admin_staff_roles_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<StaffRoleFilter>,
        sort: Option<StaffRoleSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<StaffRole>>, Fault> {
        let (ask, filter) = (ctx.ask(), filter.unwrap_or_default());
        let rows = ROLES.page(ask, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        ask.answer_list(rows.counted_list(ROLES.total(&ask.db, &filter, include_total).await?))
    }
}

/// Writes of roles.
#[derive(Default)]
pub(crate) struct StaffRolesMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl StaffRolesMutation {
    /// Makes a role of scopes that the caller holds.
    #[graphql(directive = access::apply("labs.admin.staff:write".into()))]
    async fn admin_staff_roles_create(
        &self,
        ctx: &Context<'_>,
        body: StaffRoleCreate,
    ) -> Result<Option<StaffRole>, Fault> {
        let (ask, mut errors) = (ctx.ask(), Vec::new());
        let name = rules::name(&body.name, &mut errors);
        let scopes = rules::scopes(&body.scopes, ask.principal()?.scopes, ScopeSet::default(), &mut errors);
        if !errors.is_empty() {
            return Err(Fault::invalid(errors));
        }
        let description = body.description.unwrap_or_default();
        store::insert(&ask.db, &body.code, &name, description.trim(), &scopes).await?;
        ask.answer_created(body.code.as_str(), load_role(ask, &body.code).await?)
    }

    /// Changes a role. What it reaches is in force for its holders within a second.
    #[graphql(directive = access::apply("labs.admin.staff:write".into()))]
    async fn admin_staff_roles_update(
        &self,
        ctx: &Context<'_>,
        role_code: String,
        body: StaffRoleUpdate,
    ) -> Result<Option<StaffRole>, Fault> {
        let ask = ctx.ask();
        note(ask, &role_code);
        let before = granters::lock(&ask.db).await?;
        let present = store::lock(&ask.db, &role_code).await?.ok_or_else(not_found)?;
        let (principal, mut errors) = (ask.principal()?, Vec::new());
        let name = body.name.map(|name| rules::name(&name, &mut errors));
        let held = ScopeSet::parse(present.iter().map(String::as_str));
        let scopes = body.scopes.map(|scopes| rules::scopes(&scopes, principal.scopes, held, &mut errors));
        if !errors.is_empty() {
            return Err(Fault::invalid(errors));
        }
        let scopes = scopes.filter(|scopes| *scopes != present);
        let after = scopes.as_ref().map_or(held, |scopes| ScopeSet::parse(scopes.iter().map(String::as_str)));
        if scopes.is_some() {
            rules::not_own(store::holders_count(&ask.db, &role_code, principal.uuid).await?.1)?;
            rules::takeable(principal.scopes, held, after)?;
        }
        let description = body.description.as_opt_deref().map(|text| text.unwrap_or_default().trim());
        store::update(&ask.db, &role_code, name.as_deref(), description, scopes.as_deref()).await?;
        granters::remain(&ask.db, &before).await?;
        if rules::loses_whole(held, after) {
            granters::whole_remains(&ask.db).await?;
        }
        ask.answer(load_role(ask, &role_code).await?)
    }

    /// Removes a role that nobody holds and that reaches nothing the caller lacks.
    #[graphql(directive = access::apply("labs.admin.staff:write".into()))]
    async fn admin_staff_roles_delete(&self, ctx: &Context<'_>, role_code: String) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        note(ask, &role_code);
        granters::lock(&ask.db).await?;
        let present = store::lock(&ask.db, &role_code).await?.ok_or_else(not_found)?;
        let (principal, held) = (ask.principal()?, ScopeSet::parse(present.iter().map(String::as_str)));
        rules::takeable(principal.scopes, held, ScopeSet::default())?;
        rules::unused(store::holders_count(&ask.db, &role_code, principal.uuid).await?.0)?;
        store::delete(&ask.db, &role_code).await?;
        if rules::loses_whole(held, ScopeSet::default()) {
            granters::whole_remains(&ask.db).await?;
        }
        ask.answer(true)
    }
}

/// The role as it is now, named to the audit record.
async fn load_role(ask: &Ask, role_code: &str) -> Result<StaffRole, Fault> {
    note(ask, role_code);
    ROLE.one(&ask.db, [role_code.into()]).await?.ok_or_else(not_found)
}

fn note(ask: &Ask, role_code: &str) {
    ask.note_target(Target {
        kind: Some("STAFF_ROLE".to_owned()),
        uuid: None,
        label: Some(role_code.to_owned()),
        partner_uuid: None,
    });
}

fn not_found() -> Fault {
    Fault::not_found("staff role")
}
