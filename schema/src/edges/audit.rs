//! Edges from an audit record to its actor and its target in their current state.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::operation::{Edge, Parent, edge};
use labs_core::words::Word as _;
use uuid::Uuid;

use super::{AccountHolder, account, accounts, app, member, partner, program, user};
use labs_admin::audit_records::{AuditActor, AuditRecord, AuditTarget};
use labs_admin::machine_clients::{MachineClient, PROGRAM};
use labs_admin::partners::{AdminPartner, PARTNER};
use labs_admin::staff::{COLLEAGUE, StaffMember};
use labs_admin::users::{PERSON, User};
use labs_engagement::moderation::{ModeratedFeatureRequest, PROPOSAL};
use labs_identity::partner::support_desk::{SupportDeskTicket, TICKET_OF_DESK};
use labs_marketplace::apps::{APP, AdminApp};
use labs_marketplace::categories::{CATEGORY, Category};
use labs_marketplace::submissions::{SUBMISSION, Submission, show_followed};

/// Target of an audit record, for kinds with a query that reads a single object.
#[derive(serde::Serialize, OutputType)]
#[serde(tag = "__typename")]
enum AuditedThing {
    /// An app.
    #[serde(rename = "AdminApp")]
    App(Box<AdminApp>),
    /// A category.
    #[serde(rename = "Category")]
    Category(Box<Category>),
    /// A feature request.
    #[serde(rename = "ModeratedFeatureRequest")]
    FeatureRequest(Box<ModeratedFeatureRequest>),
    /// A machine client.
    #[serde(rename = "MachineClient")]
    MachineClient(Box<MachineClient>),
    /// A partner.
    #[serde(rename = "AdminPartner")]
    Partner(Box<AdminPartner>),
    /// A staff member.
    #[serde(rename = "StaffMember")]
    StaffMember(Box<StaffMember>),
    /// A submission of a version.
    #[serde(rename = "Submission")]
    Submission(Box<Submission>),
    /// A support ticket.
    #[serde(rename = "SupportDeskTicket")]
    Ticket(Box<SupportDeskTicket>),
    /// A team member of a partner.
    #[serde(rename = "User")]
    User(Box<User>),
}

/// Returns the fields that an edge to a target reads of each type.
fn things() -> Vec<String> {
    vec![
        APP.reads_as("AdminApp"),
        CATEGORY.reads_as("Category"),
        PROPOSAL.reads_as("ModeratedFeatureRequest"),
        PROGRAM.reads_as("MachineClient"),
        PARTNER.reads_as("AdminPartner"),
        COLLEAGUE.reads_as("StaffMember"),
        SUBMISSION.reads_as("Submission"),
        TICKET_OF_DESK.reads_as("SupportDeskTicket"),
        PERSON.reads_as("User"),
    ]
}

/// Partner whom the record concerns, in its current state.
#[edge(AuditRecord, partner, reads = PARTNER.reads())]
async fn audit_record_partner(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<AdminPartner>, Fault> {
    let Some(partner_uuid) = parent.uuid("/partner_uuid") else { return Ok(None) };
    partner(cx, partner_uuid).await
}

/// The actor as a current user or machine client; null if it no longer exists, or if the query does not request its
/// type.
#[edge(AuditActor, account, reads = accounts())]
async fn audit_actor_account(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<AccountHolder>, Fault> {
    let Some(uuid) = parent.uuid("/uuid") else { return Ok(None) };
    account(cx, uuid).await
}

/// The current target; null if it no longer exists, if no query reads a single object of its kind, or if the query
/// does not request its type.
#[edge(AuditTarget, thing, reads = things())]
async fn audit_target_thing(cx: &RequestContext, parent: &Parent<'_>) -> Result<Option<AuditedThing>, Fault> {
    let Some((uuid, kind)) = parent.uuid("/uuid").zip(parent.text("/kind").and_then(AuditTargetKind::read)) else {
        return Ok(None);
    };
    thing(cx, kind, uuid).await
}

async fn thing(cx: &RequestContext, kind: AuditTargetKind, uuid: Uuid) -> Result<Option<AuditedThing>, Fault> {
    use AuditedThing as Thing;
    Ok(match kind {
        AuditTargetKind::App => app(cx, uuid).await?.map(|app| Thing::App(Box::new(app))),
        AuditTargetKind::Category => {
            CATEGORY.fetch_one(cx, uuid).await?.map(|category| Thing::Category(Box::new(category.for_caller(cx))))
        }
        AuditTargetKind::FeatureRequest => PROPOSAL
            .fetch_one(cx, uuid)
            .await?
            .map(|feature_request| Thing::FeatureRequest(Box::new(feature_request.for_caller(cx)))),
        AuditTargetKind::Partner => partner(cx, uuid).await?.map(|partner| Thing::Partner(Box::new(partner))),
        AuditTargetKind::Submission => {
            let row = SUBMISSION.fetch_one(cx, uuid).await?;
            let shown = show_followed(cx, row.into_iter().collect()).await?;
            shown.into_iter().next().map(|submission| Thing::Submission(Box::new(submission)))
        }
        AuditTargetKind::SupportTicket => {
            let row = TICKET_OF_DESK.fetch_one(cx, uuid).await?;
            row.map(|row| Thing::Ticket(Box::new(SupportDeskTicket::of(row, cx))))
        }
        AuditTargetKind::MachineClient => {
            program(cx, uuid).await?.map(|program| Thing::MachineClient(Box::new(program)))
        }
        AuditTargetKind::Person | AuditTargetKind::StaffMember | AuditTargetKind::User => person(cx, uuid).await?,
        _ => None,
    })
}

/// Loads a team member or staff member.
async fn person(cx: &RequestContext, uuid: Uuid) -> Result<Option<AuditedThing>, Fault> {
    if let Some(user) = user(cx, uuid).await? {
        return Ok(Some(AuditedThing::User(Box::new(user))));
    }
    Ok(member(cx, uuid).await?.map(|member| AuditedThing::StaffMember(Box::new(member))))
}

/// Returns the edges of this file.
pub(super) fn edges() -> Vec<Edge> {
    vec![describe_audit_record_partner(), describe_audit_actor_account(), describe_audit_target_thing()]
}
