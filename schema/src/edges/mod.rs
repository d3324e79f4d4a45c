//! What leads from one thing to another in staff's own queries: each field here is an edge, which no fixed document asks.
//!
//! An edge stands for the root field that reads the same (docs/decisions.md#playground). What it leads to is read by a list's
//! [`EdgeQuery`](crate::core::list::EdgeQuery): for all things from which a query follows it, by one statement.

mod apps;
mod audit;
mod board;
mod partners;
mod support;

use async_graphql::Union;
use uuid::Uuid;

use crate::admin::machine_clients::{MachineClient, PROGRAM};
use crate::admin::partners::{AdminPartner, PARTNER};
use crate::admin::staff::{COLLEAGUE, StaffMember};
use crate::admin::users::{PERSON, User};
use crate::core::context::RequestContext;
use crate::core::fault::Fault;
use crate::marketplace::apps::{APP, AdminApp, show_for_staff};

/// Who may have an account.
#[derive(Union)]
enum AccountHolder {
    /// A team member of a partner.
    User(Box<User>),
    /// An internal person.
    StaffMember(Box<StaffMember>),
    /// A program.
    MachineClient(Box<MachineClient>),
}

/// What an edge to an account reads of each type.
fn accounts() -> Vec<String> {
    vec![PERSON.reads_as("User"), COLLEAGUE.reads_as("StaffMember"), PROGRAM.reads_as("MachineClient")]
}

/// An account by its id. Ids of people and programs are never the same.
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
    Ok(PERSON.one(cx, uuid).await?.map(|user| user.for_caller(cx)))
}

async fn member(cx: &RequestContext, uuid: Uuid) -> Result<Option<StaffMember>, Fault> {
    Ok(COLLEAGUE.one(cx, uuid).await?.map(|row| StaffMember::of(row, cx)))
}

async fn program(cx: &RequestContext, uuid: Uuid) -> Result<Option<MachineClient>, Fault> {
    Ok(PROGRAM.one(cx, uuid).await?.map(|row| MachineClient::of(row, cx)))
}

async fn partner(cx: &RequestContext, uuid: Uuid) -> Result<Option<AdminPartner>, Fault> {
    Ok(PARTNER.one(cx, uuid).await?.map(|row| AdminPartner::of(row, cx)))
}

async fn app(cx: &RequestContext, uuid: Uuid) -> Result<Option<AdminApp>, Fault> {
    Ok(APP.one(cx, uuid).await?.map(|row| show_for_staff(cx, row)))
}
