//! Input and output types of a partner's account for its team.

use labs_core::access;
use labs_core::context::RequestContext;
use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use labs_core::fault::Fault;
use labs_core::principal::PrincipalType;
use labs_core::time::Time;
use labs_core::words::{Word as _, words};
use labs_shared::states::PartnerState;
use serde_json::Value;
use uuid::Uuid;

use super::list::HistoryRow;
use super::store::AccountRow;
use crate::partner::company::{AddressPatch, BillingAddressPatch, CompanyAddressView, CompanyBillingAddress, Patch};
use crate::partner::lifecycle::{Action, PartnerActor, allowed_actions};

/// The account data of a partner.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerAccount {
    /// UUID of the partner.
    uuid: Uuid,
    /// Slug of the partner.
    slug: String,
    /// Name of the company, as customers know it.
    company_name: String,
    /// New name of a company with published listings, not yet confirmed by staff. Null if no name is pending.
    pending_company_name: Option<String>,
    /// Legal form, as the company's register states it.
    legal_form: Option<String>,
    /// Number in the company's register.
    registration_number: Option<String>,
    /// The VAT identification number, with its prefix.
    vat_id: Option<String>,
    /// Two-letter ISO 3166-1 country code.
    country: Option<String>,
    /// Registered address of the company.
    address: CompanyAddressView,
    /// Billing address; null if invoices are sent to the registered address.
    billing_address: Option<CompanyBillingAddress>,
    /// E-mail address for invoices; null if they are mailed to the billing contacts, or without those to the
    /// administrators.
    billing_email: Option<String>,
    /// Website of the company.
    website: Option<String>,
    /// State of the partner.
    state: PartnerState,
    /// Time when the account closes, while it is closing.
    closes_at: Option<Time>,
    /// Time when the partner was registered.
    registered_at: Time,
    /// Time when the data or the state of the partner last changed.
    updated_at: Time,
    /// Actions that the caller can currently perform on the account.
    allowed_actions: Vec<String>,
}

/// A merge patch of the company's data (RFC 7396).
#[derive(serde::Deserialize, InputType)]
pub struct PartnerAccountUpdate {
    /// Name of the company.
    company_name: Option<String>,
    /// Legal form, as the company's register states it.
    #[serde(default)]
    legal_form: MaybeUndefined<String>,
    /// Number in the company's register.
    #[serde(default)]
    registration_number: MaybeUndefined<String>,
    /// VAT identification number with its prefix.
    #[serde(default)]
    vat_id: MaybeUndefined<String>,
    /// Two-letter ISO 3166-1 country code.
    country: Option<String>,
    /// Registered address of the company.
    #[serde(default)]
    address: MaybeUndefined<AddressPatch>,
    /// Billing address.
    #[serde(default)]
    billing_address: MaybeUndefined<BillingAddressPatch>,
    /// E-mail address for invoices.
    #[serde(default)]
    billing_email: MaybeUndefined<String>,
    /// Website of the company.
    #[serde(default)]
    website: MaybeUndefined<String>,
}

/// Reason why a team closes its account.
#[derive(serde::Deserialize, InputType)]
pub(super) struct ClosureRequest {
    /// Reason, in free text.
    pub(super) reason: Option<String>,
}

words! {
    /// Group of a history entry.
    pub enum PartnerEventGroup {
        /// The account itself, its team, contacts and profile.
        Account = "ACCOUNT",
        /// The subscription.
        Subscription = "SUBSCRIPTION",
        /// Reads and actions of staff.
        Staff = "STAFF",
    }
}

words! {
    /// Kind of actor of a history entry, as the team sees it.
    pub enum PartnerEventActorKind {
        /// A team member of the partner.
        PartnerUser = "PARTNER_USER",
        /// A machine client of the partner.
        MachineClient = "MACHINE_CLIENT",
        /// A staff member.
        StaffUser = "STAFF_USER",
        /// The service itself.
        System = "SYSTEM",
        /// An unauthenticated caller.
        Anonymous = "ANONYMOUS",
    }
}

/// Actor of a history entry. Staff act for the platform; the team does not see which staff member acted.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerEventActor {
    /// Kind of actor.
    kind: PartnerEventActorKind,
    /// UUID of the team member or machine client.
    uuid: Option<Uuid>,
    /// Name of the actor.
    name: Option<String>,
}

/// An event of a partner account.
#[derive(serde::Serialize, OutputType)]
#[describe(name = "PartnerEvent")]
pub(super) struct PartnerEventView {
    /// UUID of the entry.
    uuid: Uuid,
    /// Time of the event.
    occurred_at: Time,
    /// Group of the event.
    group: PartnerEventGroup,
    /// Kind of event: `COMPANY_UPDATED`, `SUSPENDED`, `STAFF_ACCESS` and so on.
    kind: String,
    /// Actor of the event.
    actor: PartnerEventActor,
    /// Uuid of the affected object, if it is not the account itself.
    subject_uuid: Option<Uuid>,
    /// Operation that staff called, if they only read or if the history contains no other entry for it.
    operation: Option<String>,
    /// Reason, if one was given.
    reason: Option<String>,
    /// Further data of the event.
    detail: Value,
}

impl From<PartnerAccountUpdate> for Patch {
    fn from(body: PartnerAccountUpdate) -> Self {
        Self {
            company_name: body.company_name,
            legal_form: body.legal_form,
            registration_number: body.registration_number,
            vat_id: body.vat_id,
            country: body.country,
            address: body.address,
            billing_address: body.billing_address,
            billing_email: body.billing_email,
            website: body.website,
        }
    }
}

impl PartnerAccount {
    /// Converts a row to the representation for the caller. A machine client cannot request the closure.
    ///
    /// # Errors
    /// [`labs_core::Code::Internal`] for an unknown state.
    pub(super) fn of(row: AccountRow, cx: &RequestContext) -> Result<Self, Fault> {
        let state = PartnerState::parse(&row.state)?;
        let is_program = cx.principal()?.kind == PrincipalType::MachineClient;
        let mut allowed_actions = allowed_actions(state, PartnerActor::Team, row.closes_at, cx.now);
        let is_open = |name: &str| !is_program || name != Action::RequestClosure.name();
        allowed_actions.retain(|name| cx.may("partner:write") && is_open(name));
        Ok(Self {
            uuid: row.partner_uuid,
            slug: row.slug,
            company_name: row.company_name,
            pending_company_name: row.pending_company_name,
            legal_form: row.legal_form,
            registration_number: row.registration_number,
            vat_id: row.vat_id,
            country: row.country,
            address: row.address.0.into(),
            billing_address: CompanyBillingAddress::of(row.billing_address.0),
            billing_email: row.billing_email,
            website: row.website,
            state,
            closes_at: row.closes_at.filter(|_| state == PartnerState::Closing),
            registered_at: row.created_at,
            updated_at: row.updated_at,
            allowed_actions,
        })
    }
}

/// Whether the team can read the reason of an event. For an audit record, its operation must declare that. For an entry
/// of the team's histories, it always can.
fn is_reason_shown(operation: Option<&str>) -> bool {
    operation.is_none_or(|operation| access::list_disclosed().is_reason_disclosed(operation))
}

impl From<HistoryRow> for PartnerEventView {
    fn from(row: HistoryRow) -> Self {
        let kind = row.actor_kind;
        let is_own = matches!(kind, PartnerEventActorKind::PartnerUser | PartnerEventActorKind::MachineClient);
        Self {
            uuid: row.event_uuid,
            occurred_at: row.occurred_at,
            group: row.event_group,
            kind: row.kind,
            actor: PartnerEventActor {
                kind,
                uuid: row.actor_uuid.filter(|_| is_own),
                name: row.actor_name.filter(|_| is_own),
            },
            subject_uuid: row.subject_uuid,
            reason: row.reason.filter(|_| is_reason_shown(row.operation.as_deref())),
            operation: row.operation,
            detail: row.detail,
        }
    }
}
