//! Edges between objects in the queries of staff. Each field here is an edge; no fixed document requests it.
//!
//! An edge represents the root field that reads the same data (docs/decisions/engine.md#edges). A list's
//! [`EdgeQuery`](labs_core::list::EdgeQuery) reads the objects of an edge: one statement for all objects from which a
//! query follows it.

mod apps;
mod audit;
mod board;
mod partners;
mod support;

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use uuid::Uuid;

use labs_admin::machine_clients::{MachineClient, PROGRAM};
use labs_admin::partners::{AdminPartner, PARTNER};
use labs_admin::staff::{COLLEAGUE, StaffMember};
use labs_admin::users::{PERSON, User};
use labs_marketplace::apps::{APP, AdminApp, show_for_staff};

/// Holder of an account.
#[derive(serde::Serialize, OutputType)]
#[serde(tag = "__typename")]
enum AccountHolder {
    /// A team member of a partner.
    #[serde(rename = "User")]
    User(Box<User>),
    /// A staff member.
    #[serde(rename = "StaffMember")]
    StaffMember(Box<StaffMember>),
    /// A machine client.
    #[serde(rename = "MachineClient")]
    MachineClient(Box<MachineClient>),
}

/// Returns the fields that an edge to an account reads of each type.
fn accounts() -> Vec<String> {
    vec![PERSON.reads_as("User"), COLLEAGUE.reads_as("StaffMember"), PROGRAM.reads_as("MachineClient")]
}

/// Loads an account by its id. A user and a machine client never have the same id.
async fn account(cx: &RequestContext, uuid: Uuid) -> Result<Option<AccountHolder>, Fault> {
    if let Some(user) = user(cx, uuid).await? {
        return Ok(Some(AccountHolder::User(Box::new(user))));
    }
    if let Some(member) = member(cx, uuid).await? {
        return Ok(Some(AccountHolder::StaffMember(Box::new(member))));
    }
    Ok(program(cx, uuid).await?.map(|program| AccountHolder::MachineClient(Box::new(program))))
}

async fn user(cx: &RequestContext, uuid: Uuid) -> Result<Option<User>, Fault> {
    Ok(PERSON.fetch_one(cx, uuid).await?.map(|user| user.for_caller(cx)))
}

async fn member(cx: &RequestContext, uuid: Uuid) -> Result<Option<StaffMember>, Fault> {
    Ok(COLLEAGUE.fetch_one(cx, uuid).await?.map(|row| StaffMember::of(row, cx)))
}

async fn program(cx: &RequestContext, uuid: Uuid) -> Result<Option<MachineClient>, Fault> {
    Ok(PROGRAM.fetch_one(cx, uuid).await?.map(|row| MachineClient::of(row, cx)))
}

async fn partner(cx: &RequestContext, uuid: Uuid) -> Result<Option<AdminPartner>, Fault> {
    Ok(PARTNER.fetch_one(cx, uuid).await?.map(|row| AdminPartner::of(row, cx)))
}

async fn app(cx: &RequestContext, uuid: Uuid) -> Result<Option<AdminApp>, Fault> {
    Ok(APP.fetch_one(cx, uuid).await?.map(|row| show_for_staff(cx, row)))
}

/// Returns all edges.
pub(crate) fn edges() -> Vec<labs_core::operation::Edge> {
    [apps::edges(), audit::edges(), board::edges(), partners::edges(), support::edges()].into_iter().flatten().collect()
}
